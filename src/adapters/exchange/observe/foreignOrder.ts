// A foreign order: what the bot knows of it, which of our orders it may be, and the reason in its halt.

import type { OrderRow } from '../calls/venueRows.ts';
import { mayBeRowOf, ordersLike } from '../order/matchRow.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';

/** A venue order that nothing identifies as ours and that the operator has not decided about. */
export interface ForeignOrder {
  readonly venueId: string;
  readonly instrument: number;
  readonly why: string;
  /** True for a trigger order. Only the list of trigger orders shows its terms. */
  readonly isTrigger: boolean;
  /** For a trigger order: client order id of our order with the same terms. The trigger order may be that order, although its time is older. */
  readonly sameTermsId?: string;
  /**
   * Client order ids of our orders that it may be. Until the operator has decided, none of them is proven absent. Undefined for a trigger
   * order, and if the journal does not say: then it may be any order of its instrument.
   */
  readonly mayBeIds?: readonly string[];
  /** The row that showed it. Undefined for a trigger order, and after a restart. */
  readonly row?: OrderRow;
}

/** Whether a foreign order waits for a decision. `waitsWithOldFills`: it may have fills that are older than the newest booked trade. */
export type ForeignState = 'waits' | 'waitsWithOldFills' | 'decided';

/** True if the foreign order may be this order of ours. */
export function mayBeOrder(
  { instrument, isTrigger, mayBeIds, row }: ForeignOrder,
  tracked: Pick<TrackedOrder, 'clientOrderId' | 'isContested' | 'request' | 'signMs'>,
): boolean {
  if (isTrigger || tracked.request.instrumentIndex !== instrument) return false;
  if (mayBeIds === undefined || mayBeIds.includes(tracked.clientOrderId)) return true;
  // A contested order still had its id when the foreign order was reported, so it was not compared with it.
  return tracked.isContested && (row === undefined || (row.cid === null && mayBeRowOf(row, tracked)));
}

/** Returns our unfinished orders without an id that the foreign order may be. */
export function unidentifiedLike(foreign: ForeignOrder, trackedOrders: TrackedOrders): readonly TrackedOrder[] {
  const openOrders = Array.from(trackedOrders.openOf(foreign.instrument));
  return openOrders.filter((tracked) => tracked.isOpen && tracked.venueId === null && mayBeOrder(foreign, tracked));
}

/** Returns the foreign order of a row, with the orders of ours that it may be. */
export function foreignOrderOf(row: OrderRow, instrumentIndex: number, trackedOrders: TrackedOrders): ForeignOrder {
  const { sameTerms, possible } = ordersLike(row, instrumentIndex, trackedOrders);
  const mayBeIds = possible.map(({ clientOrderId }) => clientOrderId);
  const foreign = { venueId: row.venueId, instrument: instrumentIndex, isTrigger: false, mayBeIds, row };
  if (sameTerms.length === 0) return { ...foreign, why: 'no order of ours asks for what it asks' };
  const names = (possible.length === 0 ? sameTerms : possible).map(({ clientOrderId }) => clientOrderId).join(' and ');
  const ending = possible.length === 0 ? 'but it was created too late to be one of them' : 'and nothing shows which one it is';
  return { ...foreign, why: `it asks for what ${names} ask for, ${ending}` };
}

/**
 * Returns the foreign order of a waiting trigger order. `withEqualTerms`: our trigger orders with its terms. By its own time, it is older than each
 * of them whose id is not known.
 */
export function foreignTriggerOf(venueId: string, instrumentIndex: number, withEqualTerms: readonly TrackedOrder[]): ForeignOrder {
  const foreign = { venueId, instrument: instrumentIndex, isTrigger: true };
  const [anyOrder] = withEqualTerms;
  if (anyOrder === undefined) return { ...foreign, why: 'no order of ours waits like it' };
  const sameTermsId = withEqualTerms.find((tracked) => tracked.venueId === null)?.clientOrderId;
  if (sameTermsId === undefined)
    return { ...foreign, why: `it waits like ${anyOrder.clientOrderId}, which has another id: it may be a second copy` };
  return { ...foreign, why: `it waits like ${sameTermsId} and says that it is older`, sameTermsId };
}

/** Returns the foreign order with a reason that also names those of the contested orders that it may be. */
export function withContested(foreign: ForeignOrder, contested: readonly TrackedOrder[]): ForeignOrder {
  const names = contested.filter((tracked) => mayBeOrder(foreign, tracked)).map(({ clientOrderId }) => clientOrderId);
  if (names.length === 0) return foreign;
  const contestedText = `it may be ${names.join(' or ')}, whose id the exchange has used for another order too`;
  return foreign.why.includes(contestedText) ? foreign : { ...foreign, why: `${foreign.why}; ${contestedText}` };
}

/** Returns the reason in the halt of a foreign order that waited for a decision when an earlier process ended. */
export function restoredWhy(mayBeIds: readonly string[] = []): string {
  const reason = 'it waited for a decision when the bot ended';
  return mayBeIds.length === 0 ? reason : `${reason}, and it may be ${mayBeIds.join(' or ')}`;
}
