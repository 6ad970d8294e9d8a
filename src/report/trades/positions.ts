// Which position of its instrument a fill or a payment belongs to: with two-way positions long and short of a contract stand apart.

import type { RunRecord } from '../../model/run/run.ts';

/** What tells the positions of a run apart. `orders` are looked at with two-way positions alone. */
export type PositionSource = Pick<RunRecord, 'instruments' | 'fills' | 'payments' | 'isTwoWay'> & { readonly orders?: RunRecord['orders'] };

/** Beyond every number of a strategy and its instrument. */
const SHORT = 256 * 256;

/** Names the position of a strategy in an instrument: one for each side where both can be open, else one. */
export const positionKey = (strategy: number, instrument: number, isShort: boolean): number =>
  strategy * 256 + instrument + (isShort ? SHORT : 0);

/** Whether a fill is of a short that stands beside a long; null where no position stands beside another. */
export function shortsOf({ instruments, fills, orders, isTwoWay }: PositionSource): ((row: number) => boolean) | null {
  if (isTwoWay !== true || orders === undefined) return null;
  const { side, instrument, orderId } = fills;
  const { reduceOnly } = orders;
  const isContract = instruments.map(({ contract }) => contract !== undefined);
  // What closes by buying closes a short, what opens by selling opens one.
  return (row) => isContract[instrument[row]!]! && (side[row] === 0) === (reduceOnly[orderId[row]! - 1] === 1);
}
