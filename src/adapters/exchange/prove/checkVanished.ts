// Checks the operator's statement that the exchange does not know an acknowledged order any more. It may have returned to an older state,
// or dropped an order that ended. Such a reply alone proves nothing, so without the operator the order counts as live.

import type { OrderId } from '../../../model/order.ts';
import type { Work } from '../../../base/task.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { CallOptions } from '../client/restClient.ts';
import { parseTriggerTrackId } from '../calls/triggers.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import type { ForeignOrder } from '../observe/foreignOrder.ts';
import { mayBeRowOf } from '../order/matchRow.ts';
import type { TrackedOrder } from '../order/trackedOrder.ts';
import type { DecisionDeps } from './decisionDeps.ts';

const RECONCILE: CallOptions = { priority: 'reconcile' };
/** Number of queries in a row, over the read lag at least, that must not have found the order before. */
const MIN_EMPTY_READS = 3;

/** Returns why the exchange may still have the order; null: neither a query by its id, nor the open orders, nor new trades show it. */
export function* checkVanished(
  id: OrderId,
  { venue, trackedOrders, attribution, readers, nowMs, lagMs }: Omit<DecisionDeps, 'instruments'>,
): Work<string | null> {
  const tracked = trackedOrders.byId(id);
  if (tracked === undefined || !tracked.isLive || tracked.venueId === null) return 'it has ended';
  const { venueId, clientOrderId, request, filledLots } = tracked;
  const { instrument, instrumentIndex } = request;
  if (parseTriggerTrackId(venueId) !== null) return 'it waits as a trigger order: cancel it';
  const row = yield* venue.findOrder(instrument, venueId, RECONCILE);
  if (row === null) return 'the exchange does not answer: try again';
  if (row !== 'none') return `the exchange has it as order ${venueId}, ${sanitizeText(row.status.raw, 40)}`;
  const open = yield* venue.openOrders(instrument, RECONCILE);
  if (open === null || !open.isComplete) return 'the list of open orders did not come whole: try again';
  if (open.rows.some(({ venueId: listedId, cid }) => listedId === venueId || cid?.toUpperCase() === clientOrderId.toUpperCase()))
    return 'it is in the list of open orders';
  const isLikeForeign = Array.from(attribution.foreignOrders.values()).some((foreign) => mayBeForeignRow(foreign, tracked));
  if (tracked.otherId !== null || isLikeForeign || attribution.mayBeForeign(tracked))
    return 'another order at the exchange may be this one: decide that one first (isobar orders)';
  const isTracked = (listed: OrderRow): boolean =>
    trackedOrders.byVenueId(listed.venueId) !== undefined || attribution.isExcluded(listed.venueId);
  const similar = open.rows.find((listed) => listed.cid === null && !isTracked(listed) && mayBeRowOf(listed, tracked));
  if (similar !== undefined) return `order ${sanitizeText(similar.venueId, 40)}, which is open, may be this one`;
  const { isComplete, unattributed } = yield* readers.readTrades(instrumentIndex, Infinity, RECONCILE);
  if (unattributed > 0) return 'there are own trades whose order is not known: they may be of this one';
  if (!isComplete || tracked.filledLots !== filledLots) return 'the list of own trades did not come whole, or shows a new fill: try again';
  const isMissedLongEnough = tracked.emptyReads >= MIN_EMPTY_READS && nowMs() >= tracked.firstEmptyReadMs + lagMs();
  if (!isMissedLongEnough) return 'it is open: the exchange has not missed it several times in a row';
  return tracked.isLive ? null : 'it has ended';
}

/** True if a foreign order that waits for a decision may be an order that has another id. */
const mayBeForeignRow = ({ isTrigger, instrument, row }: ForeignOrder, tracked: TrackedOrder): boolean =>
  !isTrigger && instrument === tracked.request.instrumentIndex && (row === undefined || (row.cid === null && mayBeRowOf(row, tracked)));
