// Reads a foreign order before the operator adopts it. All of its fills must be known.

import { toScaled } from '../../../base/number/decimal.ts';
import type { Work } from '../../../base/task.ts';
import type { Side } from '../../../model/order.ts';
import type { CallOptions } from '../client/restClient.ts';
import { unidentifiedLike } from '../observe/foreignOrder.ts';
import { isTerminal } from '../observe/statusReader.ts';
import type { DecisionDeps } from './decisionDeps.ts';

/** A limit order, possibly partly filled. */
export interface ForeignOrderDetails {
  readonly instrument: number;
  readonly side: Side;
  readonly lots: number;
  readonly limit: number;
  /** True if it closes a contract position. */
  readonly reduceOnly: boolean;
  /** The lots that it had filled when it ended; null while it is open. */
  readonly endedLots: number | null;
}

const RECONCILE: CallOptions = { priority: 'reconcile' };

/** Returns the order, or a sentence with the reason why it cannot be adopted. */
export function* readForeignOrder(
  venueId: string,
  { venue, instruments, trackedOrders, attribution, readers }: DecisionDeps,
): Work<ForeignOrderDetails | string> {
  const foreign = attribution.foreignOrders.get(venueId);
  if (foreign === undefined) return `${venueId} is not an order that waits for a decision`;
  if (foreign.isTrigger) return 'a trigger order cannot be adopted: cancel it at the exchange, or ignore it';
  const ownNames = unidentifiedLike(foreign, trackedOrders).map(({ clientOrderId }) => clientOrderId);
  if (ownNames.length > 0)
    return `it may be ${ownNames.join(' or ')}, whose outcome is not known: decide that first (isobar orders resolve)`;
  const instrument = instruments[foreign.instrument]!;
  // Read the order first: the trades read afterwards must include all fills that it reports.
  const row = yield* venue.order(instrument, venueId, RECONCILE);
  if (row === null || row === 'none') return 'the exchange does not say what it asks for: try again';
  const { priceDigits, quantityDigits } = instrument;
  const lots = toScaled(row.qty, quantityDigits);
  const limit = row.price === null ? null : toScaled(row.price, priceDigits);
  const executedLots = toScaled(row.executed, quantityDigits);
  if (row.isMarket === true || lots === null || lots === 0 || limit === null || limit === 0 || executedLots === null)
    return 'only a limit order can be taken over: this one has no sound price and quantity';
  const { isComplete } = yield* readers.readTrades(foreign.instrument, Infinity, RECONCILE);
  const knownLots = readers.trades(foreign.instrument).foreignLots(venueId);
  if (!isComplete || knownLots < executedLots) return 'not all that it has filled is known here: cancel it at the exchange, and ignore it';
  const endedLots = isTerminal(row) ? executedLots : null;
  return { instrument: foreign.instrument, side: row.side, lots, limit, reduceOnly: row.action === 'CLOSE', endedLots };
}
