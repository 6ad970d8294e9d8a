// Chooses the rows of a run over which the sample of a backtest makes its proofs.

import { largestOf } from '../../../base/number/extremes.ts';
import { firstAfter } from '../../../base/number/search.ts';
import { counted } from '../../../base/text/format.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { leadFeed, slicePlan } from './dataSlices.ts';
import { primeUpTo } from './purityProof.ts';
import { DecisionTrace } from './decisionTrace.ts';
import type { Tracer } from './tracedRun.ts';

/**
 * Rows of the lead feed after the warm-up. The second number applies when the first gives too few orders to compare. Prime numbers, so that a
 * variable that counts rows does not begin a second run as it began the first.
 */
const SAMPLE_ROWS = [1021, 4093] as const;
/** Maximum number of bars of all feeds together: with many feeds the sample has fewer rows of each. */
const MAX_BARS = 20_000;
/** Rows before an order of the run in a sample around it, so that the strategy decides for a while before it. */
const ROWS_BEFORE_ORDER = 127;
/** Fewest rows of a sample, whatever the number of feeds. */
const MIN_ROWS = 61;
/** With fewer orders, the sample takes more rows. */
export const MIN_ORDERS = 8;
/** Maximum number of bars of all feeds from the start of the run to its first order, for a strategy that orders in no other part of the run. */
const MAX_BARS_TO_ORDER = 65_536;
/** About this number of runs are made over the rows of a sample. */
const SAMPLE_RUNS = 8;
/** All runs of a sample from the first row to the first order may take this time, ms, or as long as the run itself took. */
const MIN_LONG_MS = 2000;

/** A part of a run that the sample may use. */
export interface SamplePlan {
  readonly plan: RunPlan;
  /** True when it is used only if the strategy orders nothing in the parts before it, and if `fitsTime` allows it. It is longer than they are. */
  readonly isLastResort: boolean;
}

/** A span of time, ms UTC. */
interface SampleSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isLastResort?: boolean;
}

/**
 * Returns plans over the first rows at which the strategies can decide, each with the warm-up before them, the shortest plan first. Returns a
 * sentence instead if the data have no such rows. `orderMs`: when the run made its orders.
 *
 * If the run made its first order later, plans over the rows around that order and around most of its orders follow. The last plan begins with
 * the first row and ends after that order, because a strategy may count bars before it orders.
 */
export async function samplePlansOf(tracer: Tracer, plan: RunPlan, orderMs: Float64Array): Promise<readonly SamplePlan[] | string> {
  const warmUpRows = await warmUpOf(tracer, plan);
  const shortFeed = plan.feeds.findIndex(({ bars }, index) => bars.length <= warmUpRows[index]!);
  if (shortFeed >= 0) {
    const { instrument, interval, length } = plan.feeds[shortFeed]!.bars;
    const needed = `${counted(warmUpRows[shortFeed]! + 1, 'bar')} of ${instrument.wireName} ${interval}`;
    return `the strategy needs ${needed} before its first decision, and the data have ${length}`;
  }
  const warmUpEnds = plan.feeds.flatMap(({ bars }, feedIndex) => {
    const rows = warmUpRows[feedIndex]!;
    return rows > 0 ? [bars.openMs[rows]!] : [];
  });
  const fromMs = Math.max(plan.fromMs, largestOf(warmUpEnds));
  const samplePlans = spansOf(plan, fromMs, orderMs).flatMap(({ isLastResort = false, ...span }): SamplePlan[] => {
    const samplePlan = slicePlan(plan, { ...span, warmUpRows: (feedIndex) => warmUpRows[feedIndex]! });
    return samplePlan === null ? [] : [{ plan: samplePlan, isLastResort }];
  });
  return samplePlans.length === 0 ? 'the first rows of the run have no bar of one of its feeds' : samplePlans;
}

/** Returns the spans of the sample, in the order in which they are tried. `fromMs`: when the strategies can decide. */
function spansOf(plan: RunPlan, fromMs: number, orderMs: Float64Array): readonly SampleSpan[] {
  const { bars } = leadFeed(plan);
  const firstRow = firstAfter(bars.closeMs, 0, bars.length, fromMs);
  const lastMs = bars.closeMs[bars.length - 1]!;
  /** The maximum of rows with this number of feeds. A longer sample may have more bars in the same ratio. */
  const maxRows = (sampleRows: number): number => {
    const maxBars = (sampleRows / SAMPLE_ROWS[0]) * MAX_BARS;
    return primeUpTo(Math.max(MIN_ROWS, Math.floor(maxBars / plan.feeds.length)));
  };
  const endOf = (beginRow: number, sampleRows: number): number => {
    const allowedRows = Math.min(sampleRows, maxRows(sampleRows));
    return bars.closeMs[Math.min(bars.length, beginRow + allowedRows) - 1]!;
  };
  const spans: SampleSpan[] = [...new Set(SAMPLE_ROWS.map((sampleRows) => endOf(firstRow, sampleRows)))].map((toMs) => ({ fromMs, toMs }));
  const firstOrderMs = orderMs[0] ?? NaN;
  // Of a run that is read block by block, the plan has only the first rows.
  if (!(firstOrderMs > spans.at(-1)!.toMs && firstOrderMs <= lastMs)) return spans;
  const spanAround = (timeMs: number): SampleSpan => {
    const beginRow = Math.max(firstRow, firstAfter(bars.closeMs, 0, bars.length, timeMs) - ROWS_BEFORE_ORDER);
    return { fromMs: bars.openMs[beginRow]!, toMs: endOf(beginRow, SAMPLE_ROWS[1]) };
  };
  const aroundFirst = spanAround(firstOrderMs);
  spans.push(aroundFirst);
  const busiestMs = busiestFrom(orderMs, aroundFirst.toMs - firstOrderMs, lastMs);
  if (busiestMs > aroundFirst.toMs) spans.push(spanAround(busiestMs));
  const orderRow = firstAfter(bars.closeMs, 0, bars.length, firstOrderMs);
  if ((orderRow - firstRow) * plan.feeds.length <= MAX_BARS_TO_ORDER) {
    const rows = primeUpTo(orderRow - firstRow + Math.min(SAMPLE_ROWS[0], maxRows(SAMPLE_ROWS[0])));
    spans.push({ fromMs, toMs: bars.closeMs[Math.min(bars.length, firstRow + rows) - 1]!, isLastResort: true });
  }
  return spans;
}

/** Returns the order time, at most `lastMs`, after which the next `spanMs` contain the most orders. */
function busiestFrom(orderMs: Float64Array, spanMs: number, lastMs: number): number {
  let busiestMs = orderMs[0]!;
  let maxOrders = 0;
  for (let begin = 0, end = 0; begin < orderMs.length && orderMs[begin]! <= lastMs; begin++) {
    while (end < orderMs.length && orderMs[end]! <= orderMs[begin]! + spanMs) end++;
    if (end - begin <= maxOrders) continue;
    maxOrders = end - begin;
    busiestMs = orderMs[begin]!;
  }
  return busiestMs;
}

/**
 * True when all runs over the rows of a last resort take at most as long as the run of the backtest, or two seconds. `onceMs`: time that one run
 * over these rows takes, ms; `runMs`: time that the run took for its bars, ms.
 */
export const fitsTime = (onceMs: number, runMs: number): boolean => SAMPLE_RUNS * onceMs <= Math.max(runMs, MIN_LONG_MS);

/** Returns the rows of all feeds inside the run. */
export const barCountOf = ({ feeds }: RunPlan): number => feeds.reduce((sum, { bars, firstRow }) => sum + bars.length - firstRow, 0);

/** Returns the rows of each feed that the strategies need before their first decision, in the order of the plan. */
export async function warmUpOf(tracer: Tracer, plan: RunPlan): Promise<readonly number[]> {
  return tracer.withBot({ plan }, new DecisionTrace(), ({ engine }) =>
    plan.feeds.map(({ bars: { closeMs, length } }, index) => {
      const feed = engine.feeds[index]!;
      const neededRows = Math.max(0, largestOf(engine.runs.map((run) => run.readyRow(feed))));
      if (neededRows > 0) return neededRows;
      // A feed without indicators of its own may still be read at the first decision, so it needs one row if it has one.
      const rowsBeforeRun = firstAfter(closeMs, 0, length, plan.fromMs);
      return rowsBeforeRun > 0 ? 1 : 0;
    }),
  );
}
