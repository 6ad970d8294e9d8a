// Runs sets of a sweep as simulation lanes: bots that share bars, time and indicators, and behave as if each ran alone.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { waitForNextTurn } from '../../../adapters/clock/wallClock.ts';
import { ConfigError, StrategyError } from '../../../base/errors.ts';
import { Arena } from '../../../base/memory/arena.ts';
import { Scratch } from '../../../base/memory/rowLog.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { equityRows } from '../../../engine/book/equityRecorder.ts';
import { loadTechnicalLibrary, type TechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import type { WarningList } from '../../../model/warning.ts';
import { EquitySampler, Sampling } from '../../../report/series/daily.ts';
import { reportingView } from '../../../report/series/reportingView.ts';
import { SET_FIGURES, setFigures, type SetRecord } from '../../../report/sweep/figures/setFigures.ts';
import { replayedBotMaker, loopsFor, sealBot, type ConstructedBot, type SealedBot } from '../../../app/replayedBot.ts';
import type { Watcher } from '../../backtest/run/executeDefinition.ts';
import { feedRecordsOf, runQuoteAssets } from '../../backtest/run/quoteAssets.ts';
import { inlineFor } from '../../../adapters/runtime/inlining.ts';
import type { PurityWatch } from '../../backtest/purity/purityWatch.ts';
import { withParams } from '../../trials/paramKeys.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';

/** The parameters of a set, by name. */
export type SetParams = Readonly<Record<string, string | number | boolean>>;

/** The outcome of a set. */
export interface SetOutcome {
  /** In the order of SET_FIGURES; all NaN for a refused set. */
  readonly values: Float64Array;
  /** Why the strategy refused the set; null: it ran. */
  readonly refused: string | null;
}

/** A lane that can run. */
interface Lane extends SealedBot {
  readonly sampler: EquitySampler;
}

/** Memory that is reused from one group of lanes to the next. */
export class LaneMemory {
  readonly scratch = new Scratch();
  readonly arena = new Arena();
  /** A bot of the previous group. It keeps the compiled code of its functions alive. Hot: docs/performance.md#kept-lane. */
  last: Lane | null = null;
}

/** How lanes run. */
export interface LaneOptions {
  /** Default: new memory. */
  readonly memory?: LaneMemory;
  /** Called with the record of each set that ran. The callee may keep its columns. */
  readonly onRecord?: (setIndex: number, record: SetRecord) => void;
  /**
   * Memory for the equity of the sets that run at the same time, bytes. At least one set runs. Affects only speed and memory, never
   * results. Default: DEFAULT_LANE_BYTES.
   */
  readonly laneBytes?: number;
  /** Collects warnings about the sets. Default: they are dropped. */
  readonly warnings?: WarningList;
  /** Rows per block. Each block is processed by one set after the other. Default: LANE_BLOCK_ROWS. */
  readonly blockRows?: number;
  /** Watches the use of outside state by strategy code. Default: no watch. */
  readonly purity?: PurityWatch;
  /** Detects a strategy that hangs. */
  readonly watcher?: Pick<Watcher, 'enter' | 'progressCells'>;
}

/** Rows per block: fewer than in a single run, because every lane reads its windows again. */
const LANE_BLOCK_ROWS = 1024;

/**
 * Default of `laneBytes`. More memory is not faster. Measured with 600 sets of the SMA cross with a loss rule over 500,000 bars of one feed:
 * 320 MB of memory in all and 7 to 8 s of processor time. With four times as much, 595 MB and 8 s. Without a limit, 919 MB and 9 s
 * (2026-11-21, Node 20, one thread).
 */
export const DEFAULT_LANE_BYTES = 64 * 1024 * 1024;

/**
 * Runs the strategies of `base` with the parameters of each set. Results do not depend on how many sets run together. A set that its
 * parameters or the strategy's constructor reject is an outcome. An error of a running strategy rejects.
 */
export async function runLanes(base: RunPlan, sets: readonly SetParams[], options: LaneOptions = {}): Promise<SetOutcome[]> {
  inlineFor('lanes');
  const laneOptions = { memory: new LaneMemory(), sampling: new Sampling(base.fromMs, base.toMs), ...options };
  const outcomes: SetOutcome[] = [];
  while (outcomes.length < sets.length) appendAll(outcomes, await runGroup(base, sets, outcomes.length, laneOptions));
  return outcomes;
}

/** Options with the memory and the sampling that all groups share. */
type GroupOptions = LaneOptions & { readonly memory: LaneMemory; readonly sampling: Sampling };

/** Runs as many sets from `from` on as the memory allows, at least one. */
async function runGroup(base: RunPlan, sets: readonly SetParams[], from: number, options: GroupOptions): Promise<SetOutcome[]> {
  const { onRecord, watcher, memory } = options;
  const construct = () => constructGroup(base, sets, from, options);
  const lanes = await sealGroup(options.purity === undefined ? construct() : options.purity.during(construct));
  const running = lanes.flatMap((lane) => ('engine' in lane ? [lane] : []));
  watcher?.enter('bars');
  if (running.length > 0) {
    const { laneLoop } = await loopsFor(base);
    const engines = running.map(({ engine }) => engine);
    if (options.purity === undefined) laneLoop(engines);
    else options.purity.during(() => laneLoop(engines));
    await options.purity?.waitForPromises(base.strategies.map(({ record }) => record.name).join(', '));
  }
  memory.last = running.at(-1) ?? memory.last;
  watcher?.enter('metrics');
  const outcomes = lanes.map((lane, index) => {
    if ('refused' in lane) return { values: new Float64Array(SET_FIGURES.length).fill(NaN), refused: lane.refused };
    memory.arena.reset();
    const record = recordOf(base, lane, onRecord === undefined ? memory.arena : null);
    onRecord?.(from + index, record);
    const values = setFigures(record);
    lane.engine.release();
    return { values, refused: null };
  });
  // Lets the objects of this group be collected: a sweep would keep all of them.
  // hot: docs/performance.md#turn-after-run
  await waitForNextTurn();
  return outcomes;
}

/** A lane before it is sealed. */
interface ConstructedLane {
  readonly bot: ConstructedBot;
  readonly sampler: EquitySampler;
}
/** A set that does not run. */
interface Refusal {
  readonly refused: string;
}

/** Constructs lanes from set `from` on, as many as the memory allows. */
function constructGroup(
  base: RunPlan,
  sets: readonly SetParams[],
  from: number,
  options: GroupOptions,
): readonly (ConstructedLane | Refusal)[] {
  const { memory, watcher, sampling, warnings, laneBytes = DEFAULT_LANE_BYTES, blockRows = LANE_BLOCK_ROWS } = options;
  const makeBot = replayedBotMaker(
    { ...base, blockRows },
    {
      scratch: memory.scratch,
      progressCells: watcher?.progressCells ?? null,
      dropsOrders: !readsOrders(base),
      ...(warnings ? { warnings } : {}),
    },
  );
  let bytes = 0;
  const lanes: (ConstructedLane | Refusal)[] = [];
  for (const params of sets.slice(from)) {
    watcher?.enter('setUp');
    const lane = orRefusal(() => ({ bot: makeBot(withParams(base.strategies, params)), sampler: new EquitySampler(sampling) }));
    lanes.push(lane);
    if ('refused' in lane) continue;
    const bytesOfLane = equityBytes(lane.bot.engine);
    bytes += bytesOfLane;
    // Assume that the next lane needs as much memory as this one.
    if (bytes + bytesOfLane > laneBytes) break;
  }
  return lanes;
}

/** The parts of an engine on which the memory of its equity depends. */
interface EquityOwner {
  readonly execution: readonly FeedRun[];
  readonly risk: { readonly watchesEquity: boolean };
  readonly blockRows: number;
}

/** Returns the bytes for a lane's equity: for the whole run if a loss rule watches it. With several feeds, its times are stored too. */
function equityBytes({ execution, risk, blockRows }: EquityOwner): number {
  const columns = execution.length === 1 ? 1 : 2;
  return equityRows(execution, !risk.watchesEquity, blockRows) * columns * Float64Array.BYTES_PER_ELEMENT;
}

/** Seals the lanes of a group. Called after the last one is constructed, because sealing ends the registration of indicators for all. */
async function sealGroup(constructed: readonly (ConstructedLane | Refusal)[]): Promise<readonly (Lane | Refusal)[]> {
  const isTechnical = constructed.some((lane) => 'bot' in lane && needsTechnical(lane.bot.engine));
  const technical = isTechnical ? await loadTechnicalLibrary() : null;
  return constructed.map((lane) => ('refused' in lane ? lane : orRefusal(() => sealLane(lane, technical))));
}

/** Seals one lane, and begins its drawdown at the starting equity. */
function sealLane({ bot, sampler }: ConstructedLane, technical: TechnicalLibrary | null): Lane {
  const sealed = sealBot(bot, technical, sampler);
  sampler.drawdown.begin(sealed.engine.startUnits);
  return { ...sealed, sampler };
}

/** Returns the lane that `build` returns, or why the strategy refused its set. */
function orRefusal<BuiltLane>(build: () => BuiltLane): BuiltLane | Refusal {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof StrategyError || error instanceof ConfigError)) throw error;
    return { refused: error.cause instanceof Error ? error.cause.message : error.message };
  }
}

/** True when long and short are separate positions, so that only the order shows to which one a fill belongs. */
function readsOrders({ futures }: RunPlan): boolean {
  return futures !== undefined && !futures.isNet;
}

/** Returns the record of a set, from which its figures are computed. */
function recordOf(base: RunPlan, { engine, checkBooks, sampler }: Lane, arena: Arena | null): SetRecord {
  const { fromMs, toMs, futures } = base;
  checkBooks();
  const equity = engine.risk.watchesEquity ? engine.recorder.columns() : sampler.columns();
  const { instruments, startUnits } = engine;
  const thinned = engine.risk.watchesEquity ? {} : { drawdown: sampler.drawdown };
  const record = { fromMs, toMs, startUnits, instruments, fills: engine.fills.columns(arena), equity, ...thinned };
  // Figures of trades are in the reporting asset.
  if (base.convert !== undefined) return reportingView({ ...record, feeds: feedRecordsOf(base, engine), ...runQuoteAssets(base, engine) });
  if (!futures) return record;
  const paid = { ...record, payments: engine.payments.columns() };
  return readsOrders(base) ? { ...paid, isTwoWay: true, orders: engine.orders.columns() } : paid;
}
