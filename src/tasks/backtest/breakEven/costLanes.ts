// Runs one strategy with several costs as lanes: bots that share bars, time and indicators. Each has its own venue and order sizes.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { waitForNextTurn } from '../../../adapters/clock/wallClock.ts';
import { inlineFor } from '../../../adapters/runtime/inlining.ts';
import { loopsFor, replayedBotMaker, sealBot, type ConstructedBot, type SealedBot } from '../../../app/replayedBot.ts';
import { StrategyError } from '../../../base/errors.ts';
import { DiscardingScratch } from '../../../base/memory/rowLog.ts';
import { MaxDrawdown } from '../../../base/number/maxDrawdown.ts';
import { equityRows, type EquitySink } from '../../../engine/book/equityRecorder.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { Watcher } from '../run/executeDefinition.ts';
import type { VariantResult } from './costSearch.ts';

/** A run with other costs, and their name in messages. */
export interface CostVariant {
  readonly plan: RunPlan;
  /** `a fee of 12.5 bp`. */
  readonly name: string;
}

/** Rows per block: fewer than in a single run, because every lane reads its windows again. */
const GROUP_BLOCK_ROWS = 1024;
/** Memory for the equity of the lanes that run at the same time, bytes. All equity stays in memory only if a risk rule watches it. */
const EQUITY_BYTES = 128 * 1024 * 1024;

/**
 * Returns the result of each lane, in their order. All run over the same bars, as many at a time as memory allows. `onGroup` is called before each
 * group, with the number of finished lanes and the number that run next. Throws StrategyError that names the lane in which a strategy throws.
 */
export async function runCostLanes(
  lanes: readonly CostVariant[],
  watcher: Pick<Watcher, 'enter' | 'progressCells'>,
  onGroup: (done: number, running: number) => void = () => {},
): Promise<readonly VariantResult[]> {
  inlineFor('lanes');
  const results: VariantResult[] = [];
  while (results.length < lanes.length) {
    const group = constructGroup(lanes.slice(results.length), watcher);
    onGroup(results.length, group.length);
    const groupLanes = lanes.slice(results.length, results.length + group.length);
    const groupResults = await runGroup(group, groupLanes[0]!.plan, watcher).catch((error: unknown) =>
      rethrowWithVariantName(error, groupLanes, watcher),
    );
    appendAll(results, groupResults);
  }
  return results;
}

/** An equity sink that stores only the last value. */
class LastEquity implements EquitySink {
  readonly drawdown = new MaxDrawdown(NaN);
  units = NaN;

  rowsOf(_closeMs: Float64Array, first: number, length: number): Int32Array {
    return length > first ? Int32Array.of(length - 1) : new Int32Array();
  }
  take(_timeMs: Float64Array, _at: number, units: Float64Array, length: number): void {
    this.units = units[length - 1]!;
  }
}

/** Constructs the bots of a group, before any of them runs. */
function constructGroup(
  lanes: readonly CostVariant[],
  { enter, progressCells }: Pick<Watcher, 'enter' | 'progressCells'>,
): ConstructedBot[] {
  const group: ConstructedBot[] = [];
  // Nothing reads the records of these bots, so all pages of their logs can share the same memory.
  const scratch = new DiscardingScratch();
  let bytes = 0;
  for (const { plan } of lanes) {
    enter('setUp');
    const sharedEngine = group[0]?.engine;
    const options = { scratch, progressCells, dropsOrders: true, ...(sharedEngine === undefined ? {} : { sharedWith: sharedEngine }) };
    const bot = replayedBotMaker({ ...plan, blockRows: Math.min(plan.blockRows, GROUP_BLOCK_ROWS) }, options)();
    group.push(bot);
    const { execution, risk, blockRows } = bot.engine;
    const equityBytes = equityRows(execution, !risk.watchesEquity, blockRows) * 2 * Float64Array.BYTES_PER_ELEMENT;
    bytes += equityBytes;
    if (bytes + equityBytes > EQUITY_BYTES) break;
  }
  return group;
}

/** A bot that can run, and its last equity. */
interface SealedVariant {
  readonly sealed: SealedBot;
  readonly equity: LastEquity;
}

/** Runs the bots of a group over shared bars, and returns the result of each. */
async function runGroup(
  group: readonly ConstructedBot[],
  plan: RunPlan,
  { enter }: Pick<Watcher, 'enter'>,
): Promise<readonly VariantResult[]> {
  const technical = needsTechnical(group[0]!.engine) ? await loadTechnicalLibrary() : null;
  const lanes = group.map((bot): SealedVariant => {
    const equity = new LastEquity();
    const sealed = sealBot(bot, technical, equity);
    equity.drawdown.begin(sealed.engine.startUnits);
    return { sealed, equity };
  });
  const { laneLoop } = await loopsFor(plan);
  enter('bars');
  laneLoop(lanes.map(({ sealed }) => sealed.engine));
  const results = lanes.map(({ sealed: { engine, checkBooks }, equity }): VariantResult => {
    checkBooks();
    return { netUnits: endUnits(engine, equity) - engine.startUnits, fills: engine.fills.length };
  });
  // Lets the objects of this group be collected.
  // hot: docs/performance.md#turn-after-run
  await waitForNextTurn();
  return results;
}

/** Returns the last equity in units; the start equity if there was no instant. */
function endUnits({ risk, recorder, startUnits }: SealedBot['engine'], { units }: LastEquity): number {
  if (!risk.watchesEquity) return Number.isNaN(units) ? startUnits : units;
  const columns = recorder.columns();
  return columns.length === 0 ? startUnits : columns.units[columns.length - 1]!;
}

/** Repeats each lane alone, and rejects with the error of the first one that fails, with the name of the lane. Other errors are rethrown. */
async function rethrowWithVariantName(
  error: unknown,
  lanes: readonly CostVariant[],
  watcher: Pick<Watcher, 'enter' | 'progressCells'>,
): Promise<never> {
  if (!(error instanceof StrategyError)) throw error;
  for (const variant of lanes) {
    try {
      await runGroup(constructGroup([variant], watcher), variant.plan, watcher);
    } catch (failure) {
      if (!(failure instanceof StrategyError)) throw failure;
      throw new StrategyError(`with ${variant.name}: ${failure.message}`, failure.remedy, failure.cause);
    }
  }
  throw error;
}
