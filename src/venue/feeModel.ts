// Fees that depend on the fill: a rate for each execution in place of the order's two fixed ones.

import { InvariantError } from '../base/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';

export interface FeeModel {
  /**
   * The rate of one execution in whole millionths, from 0 to `mostPpm`, the rate at which the order's cash is held. Asked once for each
   * execution, in the order in which they happen. `price` in ticks, `notional` in quote units.
   */
  ppm(instrument: Instrument, side: Side, isMaker: boolean, price: number, lots: number, notional: number, maxPpm: number): number;
}

/** The rate that a model names for an execution. Throws InvariantError unless it is whole millionths from 0 to `mostPpm`. */
export function modelledPpm(model: FeeModel, ...execution: Parameters<FeeModel['ppm']>): number {
  const ppm = model.ppm(...execution);
  const maxPpm = execution[6];
  if (Number.isInteger(ppm) && ppm >= 0 && ppm <= maxPpm) return ppm;
  throw new InvariantError(`a fee model answers whole millionths from 0 to ${maxPpm}, not ${ppm}`);
}
