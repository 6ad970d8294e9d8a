// Replaces the bars after a time by other plausible ones: the moves of the same market, in another order and turned upside down.

import { pow10 } from '../../../base/number/exact.ts';
import { firstAfter } from '../../../base/number/search.ts';
import type { Rng } from '../../../base/number/rng.ts';
import { MAX_PRICE_TICKS } from '../../../model/instrument.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { KnownValues } from '../../../model/bars/knownValues.ts';
import type { FeedPlan, RunPlan, SeriesPlan } from '../../../definition/plan/plan.ts';

/** A price that leaves this range around the last true one begins again at it, so that no move makes it vanish. */
const MAX_FACTOR = 50;

/** Returns the plan with other bars, and other values of series, after `afterMs`. Times stay, and so do mark prices and funding, which no strategy sees early. */
export function poisonPlan(plan: RunPlan, afterMs: number, rng: Rng): RunPlan {
  const feeds = plan.feeds.map((feed): FeedPlan => ({ ...feed, bars: otherBars(feed.bars, afterMs, rng) }));
  if (plan.series === undefined) return { ...plan, feeds };
  return { ...plan, feeds, series: plan.series.map((each): SeriesPlan => ({ ...each, values: otherValues(each.values, afterMs, rng) })) };
}

/** Returns bars whose prices and volumes after `afterMs` are random. Times stay, and prices stay in whole ticks. */
function otherBars(bars: BarColumns, afterMs: number, rng: Rng): BarColumns {
  const { length, closeMs } = bars;
  const from = firstAfter(closeMs, 0, length, afterMs);
  const copy = (column: Float64Array): Float64Array => column.slice(0, length);
  const columns = { open: copy(bars.open), high: copy(bars.high), low: copy(bars.low), close: copy(bars.close), volume: copy(bars.volume) };
  const scale = pow10(bars.instrument.priceDigits);
  const onGrid = (price: number): number => Math.min(MAX_PRICE_TICKS - 1, Math.max(1, Math.round(price * scale))) / scale;
  const start = from > 0 ? bars.close[from - 1]! : bars.open[0]!;
  let last = start;
  for (let row = from; row < length; row++) {
    const like = Math.floor(rng.next() * length);
    const open = onGrid(last);
    // Up becomes down: the reciprocal of a ratio of prices is the ratio of the mirrored move.
    const base = bars.open[like]!;
    const close = onGrid((open * base) / bars.close[like]!);
    columns.open[row] = open;
    columns.close[row] = close;
    columns.high[row] = Math.max(open, close, onGrid((open * base) / bars.low[like]!));
    columns.low[row] = Math.min(open, close, onGrid((open * base) / bars.high[like]!));
    columns.volume[row] = bars.volume[Math.floor(rng.next() * length)]!;
    last = close > start * MAX_FACTOR || close * MAX_FACTOR < start ? start : close;
  }
  return { ...bars, ...columns };
}

/** Other values of the same range for what became known after `afterMs`. Flags become their opposites. */
function otherValues(values: KnownValues, afterMs: number, rng: Rng): KnownValues {
  const { length, knownMs, value } = values;
  const from = firstAfter(knownMs, 0, length, afterMs);
  const others = value.slice(0, length);
  let low = Infinity;
  let high = -Infinity;
  let isFlag = true;
  for (let row = 0; row < length; row++) {
    low = Math.min(low, value[row]!);
    high = Math.max(high, value[row]!);
    isFlag &&= value[row] === 0 || value[row] === 1;
  }
  // A series that never moves gets values around it.
  const spread = high > low ? high - low : Math.max(1, Math.abs(high));
  for (let row = from; row < length; row++) others[row] = isFlag ? 1 - value[row]! : low + spread * rng.next();
  return { ...values, value: others };
}
