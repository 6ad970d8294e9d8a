// The interface of a fee model: it gives each fill a rate of its own, instead of the two fixed rates of the order.

import { InvariantError } from '../base/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';

/** Decides the fee rate of each fill. The venue calls it while it settles the fill. */
export interface FeeModel {
  /**
   * Returns the rate of one fill in whole ppm, from 0 to `maxPpm`. `price` is in ticks, `notional` in quote units. The venue has reserved the
   * order's cash at `maxPpm`, so a higher rate could not be paid. Called once for each fill, in the order in which they happen.
   */
  ppm(instrument: Instrument, side: Side, isMaker: boolean, price: number, lots: number, notional: number, maxPpm: number): number;
}

/** Returns the model's rate for a fill. Throws InvariantError unless it is a whole number of ppm from 0 to `maxPpm`. */
export function modelledPpm(model: FeeModel, ...execution: Parameters<FeeModel['ppm']>): number {
  const ppm = model.ppm(...execution);
  const maxPpm = execution[6];
  if (Number.isInteger(ppm) && ppm >= 0 && ppm <= maxPpm) return ppm;
  throw new InvariantError(`fee model: expected whole millionths from 0 to ${maxPpm}, got ${ppm}`);
}
