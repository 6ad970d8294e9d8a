// Assigns fills and payments to positions. With two-way positions, long and short of a contract are separate.

import type { RunRecord } from '../../model/run/run.ts';

/** The parts of a run that identify positions. `orders` are needed only with two-way positions. */
export type PositionSource = Pick<RunRecord, 'instruments' | 'fills' | 'payments' | 'isTwoWay'> & { readonly orders?: RunRecord['orders'] };

/** Distance between the keys of long and short positions: greater than every key of a long one. */
const SHORT_OFFSET = 256 * 65_536;

/** Returns the key of a strategy's position in an instrument. With two-way positions, long and short have keys of their own. */
export const positionKey = (strategyIndex: number, instrumentIndex: number, isShort: boolean): number =>
  strategyIndex * 65_536 + instrumentIndex + (isShort ? SHORT_OFFSET : 0);

/** Returns a function that is true for the row of a fill of a separate short position. Null when the run has no two-way positions. */
export function shortsOf({ instruments, fills, orders, isTwoWay }: PositionSource): ((row: number) => boolean) | null {
  if (isTwoWay !== true || orders === undefined) return null;
  const { side, instrument, orderId } = fills;
  const { reduceOnly } = orders;
  const isContract = instruments.map(({ contract }) => contract !== undefined);
  // A buy that reduces closes a short, and a sell that opens starts one.
  return (row) => isContract[instrument[row]!]! && (side[row] === 0) === (reduceOnly[orderId[row]! - 1] === 1);
}
