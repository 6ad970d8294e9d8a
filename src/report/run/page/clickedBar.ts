// Describes the bar that the reader clicked on the price chart: its prices and indicators as texts.

import { exactText, fixed } from '../../../base/text/format.ts';
import type { ChartMarket, ChartSlice } from './rows/market.ts';

/** A clicked bar. */
export interface ClickedBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly interval: string;
  /** Open, high, low, close and indicators. */
  readonly texts: readonly string[];
}

/** Returns the bar at a place of the grid, or null for a gap. `lines` are the indicators as drawn, in the order of the traces. */
export function clickedBar(
  { level, times, rows, endMs }: ChartSlice,
  place: number,
  { wire, traces }: ChartMarket,
  lines: readonly { readonly values: Float64Array }[],
): ClickedBar | null {
  const row = rows[place] ?? -1;
  if (row < 0) return null;
  const price = (column: Int32Array): string => exactText(column[row]!, Math.max(0, wire.digits));
  const prices = `open ${price(level.open)}  high ${price(level.high)}  low ${price(level.low)}  close ${price(level.close)}`;
  const values = traces.map(({ name, digits }, index) => `${name} ${fixed(lines[index]?.values[place] ?? NaN, digits)}`);
  return { openMs: times[place]!, closeMs: times[place + 1] ?? endMs, interval: level.interval, texts: [prices, ...values] };
}
