// Slippage models: how many ticks worse than the quoted price a taker fill is.

import { mulDiv, pow10 } from '../base/number/exact.ts';
import type { Side } from '../model/order.ts';
import type { Instrument } from '../model/instrument.ts';

export interface SlippageModel {
  /** Returns the whole ticks >= 0 by which a taker's fill of `lots` at `price` is worse than `price`. A fill never passes its limit. */
  ticks(instrument: Instrument, side: Side, price: number, lots: number): number;
}

export const NO_SLIPPAGE: SlippageModel = { ticks: () => 0 };

/**
 * Returns a model with a fixed number of ticks plus a share of the price in ppm. The share is rounded up to the tick, against the taker.
 */
export function fixedSlippage(ticks: number, ppm: number): SlippageModel {
  if (ticks === 0 && ppm === 0) return NO_SLIPPAGE;
  return { ticks: (_instrument, _side, price) => ticks + mulDiv(price, ppm, pow10(6), 'up') };
}
