// The bar of the price chart that was clicked, with its prices and indicators as texts.

import { exactText, fixed } from '../../../base/text/format.ts';
import type { ChartMarket, ChartSlice } from './rows/market.ts';

export interface ClickedBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly interval: string;
  /** Open, high, low, close and indicators. */
  readonly texts: readonly string[];
}

/** Returns bar `at` of a slice; null where there is no bar. `lines`: the indicators as drawn, in the order of the traces. */
export function clickedBar(
  { level, times, rows, endMs }: ChartSlice,
  at: number,
  { wire, traces }: ChartMarket,
  lines: readonly { readonly values: Float64Array }[],
): ClickedBar | null {
  const row = rows[at] ?? -1;
  if (row < 0) return null;
  const price = (of: Int32Array): string => exactText(of[row]!, Math.max(0, wire.digits));
  const prices = `open ${price(level.open)}  high ${price(level.high)}  low ${price(level.low)}  close ${price(level.close)}`;
  const values = traces.map(({ name, digits }, k) => `${name} ${fixed(lines[k]?.values[at] ?? NaN, digits)}`);
  return { openMs: times[at]!, closeMs: times[at + 1] ?? endMs, interval: level.interval, texts: [prices, ...values] };
}
