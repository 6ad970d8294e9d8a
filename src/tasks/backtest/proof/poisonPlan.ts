// Replaces the bars after a time by other plausible ones: the moves of the same market, in another order and turned upside down.

import { pow10 } from '../../../base/number/exact.ts';
import { firstAfter } from '../../../base/number/search.ts';
import type { Rng } from '../../../base/number/rng.ts';
import { MAX_PRICE_TICKS } from '../../../model/instrument.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { KnownValues } from '../../../model/bars/knownValues.ts';
import type { FeedPlan, RunPlan, SeriesPlan } from '../../../definition/plan/plan.ts';

/** A random price that is more than this factor away from the last true price is reset to that price. So prices do not run to zero. */
const MAX_FACTOR = 50;

/**
 * Returns the plan with other bars, and other values of series, after `afterMs`. Times do not change. Mark prices and funding do not change
 * either, because no strategy sees them early.
 */
export function poisonPlan(plan: RunPlan, afterMs: number, rng: Rng): RunPlan {
  const feeds = plan.feeds.map((feed): FeedPlan => ({ ...feed, bars: otherBars(feed.bars, afterMs, rng) }));
  if (plan.series === undefined) return { ...plan, feeds };
  const series = plan.series.map((seriesPlan): SeriesPlan => ({ ...seriesPlan, values: otherValues(seriesPlan.values, afterMs, rng) }));
  return { ...plan, feeds, series };
}

/** Returns bars whose prices and volumes after `afterMs` are random. Times do not change, and prices are whole ticks. */
function otherBars(bars: BarColumns, afterMs: number, rng: Rng): BarColumns {
  const { length, closeMs } = bars;
  const firstRow = firstAfter(closeMs, 0, length, afterMs);
  const copied = (column: Float64Array): Float64Array => column.slice(0, length);
  const columns = {
    open: copied(bars.open),
    high: copied(bars.high),
    low: copied(bars.low),
    close: copied(bars.close),
    volume: copied(bars.volume),
  };
  const ticksPerUnit = pow10(bars.instrument.priceDigits);
  const onGrid = (price: number): number => {
    const ticks = Math.max(1, Math.round(price * ticksPerUnit));
    return Math.min(MAX_PRICE_TICKS - 1, ticks) / ticksPerUnit;
  };
  const lastTruePrice = firstRow > 0 ? bars.close[firstRow - 1]! : bars.open[0]!;
  let previousClose = lastTruePrice;
  for (let row = firstRow; row < length; row++) {
    const sourceRow = Math.floor(rng.next() * length);
    const sourceOpen = bars.open[sourceRow]!;
    const open = onGrid(previousClose);
    /** Mirrors a move of the source bar: a rise from its open by a factor becomes a fall by the same factor. */
    const mirrored = (sourcePrice: number): number => onGrid((open * sourceOpen) / sourcePrice);
    const close = mirrored(bars.close[sourceRow]!);
    columns.open[row] = open;
    columns.close[row] = close;
    columns.high[row] = Math.max(open, close, mirrored(bars.low[sourceRow]!));
    columns.low[row] = Math.min(open, close, mirrored(bars.high[sourceRow]!));
    columns.volume[row] = bars.volume[Math.floor(rng.next() * length)]!;
    const isTooFar = close > lastTruePrice * MAX_FACTOR || close * MAX_FACTOR < lastTruePrice;
    previousClose = isTooFar ? lastTruePrice : close;
  }
  return { ...bars, ...columns };
}

/** Returns values in which those known after `afterMs` are random, within the same range. A series of 0 and 1 gets the opposite values. */
function otherValues(values: KnownValues, afterMs: number, rng: Rng): KnownValues {
  const { length, knownMs, value } = values;
  const firstRow = firstAfter(knownMs, 0, length, afterMs);
  const changedValues = value.slice(0, length);
  let low = Infinity;
  let high = -Infinity;
  let isFlag = true;
  for (let row = 0; row < length; row++) {
    low = Math.min(low, value[row]!);
    high = Math.max(high, value[row]!);
    isFlag &&= value[row] === 0 || value[row] === 1;
  }
  // A constant series gets random values above its value.
  const range = high > low ? high - low : Math.max(1, Math.abs(high));
  for (let row = firstRow; row < length; row++) changedValues[row] = isFlag ? 1 - value[row]! : low + range * rng.next();
  return { ...values, value: changedValues };
}
