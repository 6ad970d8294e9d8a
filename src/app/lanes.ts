// The sets of a sweep as lanes: bots that differ in their parameters and share bars, time and indicators. Each does what it does alone.

import { nextTurn } from '../adapters/clock/wallClock.ts';
import { ConfigError, StrategyError } from '../base/errors.ts';
import { Scratch } from '../base/rowLog.ts';
import { loadTechnicalLibrary } from '../indicators/technicalLibrary.ts';
import { EquitySampler } from '../report/metrics/daily.ts';
import { SET_FIGURES, setFigures, type SetRecord } from '../report/sweep/setFigures.ts';
import { checkBooks, constructBot, loopsFor, sealBot, type ConstructedBot, type SealedBot } from './bot.ts';
import type { SharedFeeds } from './botModule.ts';
import type { RunPlan } from './plan.ts';

export type SetParams = Readonly<Record<string, string | number | boolean>>;

export interface SetOutcome {
  /** In the order of SET_FIGURES; all NaN for a set that was refused. */
  readonly values: Float64Array;
  /** Why the strategy does not take the set; null where it ran. */
  readonly refused: string | null;
}

export interface LaneOptions {
  /** Memory of earlier groups. */
  readonly scratch?: Scratch;
  /** Told what each set leaves that ran. */
  readonly onRecord?: (set: number, record: SetRecord) => void;
}

/** Rows of a block: smaller than that of a single run, for its windows are read again by every lane. */
const LANE_BLOCK_ROWS = 1024;

/**
 * Runs the strategy of `base` with each of `sets` over its own parameters. Results do not depend on how many sets run together. A set that
 * the strategy's constructor or its parameters refuse is an outcome; an error of a running strategy rejects.
 */
export async function runLanes(base: RunPlan, sets: readonly SetParams[], options: LaneOptions = {}): Promise<SetOutcome[]> {
  const { scratch = new Scratch(), onRecord } = options;
  const constructed = constructGroup(base, sets, scratch);
  const lanes = await sealGroup(constructed);
  const running = lanes.flatMap((lane) => ('engine' in lane ? [lane] : []));
  if (running.length > 0) (await loopsFor(base)).lanes(running.map(({ engine }) => engine));
  const outcomes = lanes.map((lane, set) => {
    if ('refused' in lane) return { values: new Float64Array(SET_FIGURES.length).fill(NaN), refused: lane.refused };
    const record = recordOf(base, lane);
    onRecord?.(set, record);
    const values = setFigures(record);
    lane.engine.release();
    return { values, refused: null };
  });
  // The container holds its bots weakly, and weak references hold until the event loop turns: without this a sweep keeps all of them.
  await nextTurn();
  return outcomes;
}

interface Constructed {
  readonly bot: ConstructedBot;
  readonly sampler: EquitySampler;
}
interface Lane extends SealedBot {
  readonly sampler: EquitySampler;
}
interface Refusal {
  readonly refused: string;
}

function constructGroup(base: RunPlan, sets: readonly SetParams[], scratch: Scratch): readonly (Constructed | Refusal)[] {
  let shared: SharedFeeds | null = null;
  return sets.map((params) =>
    orRefusal(() => {
      const sampler = new EquitySampler(base.fromMs, base.toMs);
      const bot = constructBot(withParams(base, params), { scratch, equitySink: sampler }, shared);
      shared ??= { feeds: bot.engine.feeds, instant: bot.engine.instant };
      return { bot, sampler };
    }),
  );
}

/** Once the last lane is constructed: sealing ends the registration of indicators for all of them. */
async function sealGroup(constructed: readonly (Constructed | Refusal)[]): Promise<readonly (Lane | Refusal)[]> {
  const isTechnical = constructed.some((each) => 'bot' in each && each.bot.engine.needsTechnical);
  const technical = isTechnical ? await loadTechnicalLibrary() : null;
  return constructed.map((each) => ('refused' in each ? each : orRefusal(() => ({ ...sealBot(each.bot, technical), sampler: each.sampler }))));
}

/** What `make` makes, or why the strategy does not take its set. */
function orRefusal<Made>(make: () => Made): Made | Refusal {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof StrategyError || error instanceof ConfigError)) throw error;
    return { refused: error.cause instanceof Error ? error.cause.message : error.message };
  }
}

function withParams(base: RunPlan, params: SetParams): RunPlan {
  const [first, ...rest] = base.strategies;
  if (!first) return base;
  return { ...base, blockRows: LANE_BLOCK_ROWS, strategies: [{ ...first, params: { ...first.params, ...params } }, ...rest] };
}

function recordOf({ fromMs, toMs }: RunPlan, { engine, venue, sampler }: Lane): SetRecord {
  checkBooks(engine, venue);
  const equity = engine.risk.watchesEquity ? engine.recorder.columns() : sampler.columns();
  return { fromMs, toMs, startUnits: engine.startUnits, instruments: engine.instruments, fills: engine.fills.columns(), equity };
}
