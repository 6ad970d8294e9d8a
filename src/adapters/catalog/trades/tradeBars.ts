// Builds tick, volume, dollar and range bars from the trades of one UTC day, with exact sums.

import { DAY_MS } from '../../../base/calendar.ts';
import type { FigureColumns } from '../../../model/bars/aggregateBars.ts';
import { TradeBarBuilder, type TradeBar } from '../../../model/bars/tradeBarBuilder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TradeBarRule } from '../../../model/tradeBars.ts';
import { areIdsShared, idGapsOf } from './tradeDays.ts';
import type { TradeColumns } from './trades.ts';

/** Bars of a day without gaps: each opens at the time at which the previous one ends. */
export interface TradeBarRows extends FigureColumns {
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  /** 1 for a bar with missing trade ids. */
  readonly thin: Uint8Array;
}

/** The position of a day among the other days. */
export interface DayContext {
  /** Opening time of the first bar of the day, ms UTC. */
  readonly openMs: number;
  readonly startMs: number;
  /** True if a later day has trades, so that the last bar ends with the day. Otherwise the last bar may still be open, and is left out. */
  readonly isOver: boolean;
  /** The last trade id of the previous day. Null for the oldest day. */
  readonly lastId: number | null;
}

/**
 * Returns the bars of a day. A bar ends with the millisecond in which it reaches its amount, so all trades of one ms are in one bar.
 * Throws ConfigError for a price between two ticks.
 */
export function barsOfDay(trades: TradeColumns, rule: TradeBarRule, instrument: Instrument, context: DayContext): TradeBarRows {
  const { length, timeMs, id, price, quantity } = trades;
  const afterGaps = idsAfterGaps(trades, context.lastId);
  const bars: TradeBar[] = [];
  const builder = new TradeBarBuilder(rule, instrument, trades, context.openMs, (bar) => void bars.push(bar));
  for (let row = 0; row < length; row++) {
    // The bar before a gap of ids may have reached its amount. It then ends at the gap.
    if (afterGaps.has(id[row]!)) {
      if (builder.lastMs !== timeMs[row]) builder.endReached();
      builder.markThin();
    }
    builder.add(timeMs[row]!, price[row]!, quantity[row]!, id[row]!);
  }
  builder.endReached();
  if (context.isOver) builder.endDay(context.startMs + DAY_MS);
  const columnOf = (name: Exclude<keyof TradeBar, 'isThin'>): Float64Array => Float64Array.from(bars, (bar) => bar[name]);
  return {
    openMs: columnOf('openMs'),
    closeMs: columnOf('closeMs'),
    open: columnOf('open'),
    high: columnOf('high'),
    low: columnOf('low'),
    close: columnOf('close'),
    volume: columnOf('volume'),
    thin: Uint8Array.from(bars, ({ isThin }) => (isThin ? 1 : 0)),
  };
}

/** Returns the ids of the first trades after gaps of ids; none if the ids are a series that several symbols share. */
function idsAfterGaps(trades: TradeColumns, lastId: number | null): ReadonlySet<number> {
  const gaps = idGapsOf(trades);
  if (areIdsShared(trades.length, gaps.length)) return new Set();
  const afterGaps = new Set(gaps.map(({ beforeId }) => beforeId));
  const firstId = trades.id.reduce((min, id) => Math.min(min, id), Infinity);
  if (lastId !== null && firstId > lastId + 1) afterGaps.add(firstId);
  return afterGaps;
}
