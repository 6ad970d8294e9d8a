// Matches a venue row to one of our orders: by venue order id, by client order id, or by fingerprint. Pure.

import { toScaled } from '../../../base/number/decimal.ts';
import { isTriggerOrder, parseTriggerTrackId } from '../calls/triggers.ts';
import type { OrderRequest } from '../calls/types.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import type { TrackedOrder, TrackedOrders } from './trackedOrder.ts';

/** To which order, if any, a row of a list belongs. */
export type RowMatch =
  /** Our order, already known under this id. */
  | { readonly kind: 'known'; readonly tracked: TrackedOrder }
  /** Our order, whose id was not known until now. */
  | { readonly kind: 'found'; readonly tracked: TrackedOrder }
  /** The row has the client order id of our order, but another venue order id. */
  | { readonly kind: 'duplicate'; readonly tracked: TrackedOrder }
  /** Our order has this venue order id, but the row describes another order. `other`: that order, if it is also ours. */
  | { readonly kind: 'contested'; readonly tracked: TrackedOrder; readonly other: TrackedOrder | null }
  | { readonly kind: 'foreign' };

/** How far an order's creation time may precede the signing of its create request. The admission window has the same tolerance. */
export const EARLY_MS = 1000;

const FOREIGN: RowMatch = { kind: 'foreign' };

/**
 * Returns the order of a row. `instrumentIndex`: index of the instrument of the row. Invariants: a row with a client order id is matched by
 * that id alone. A row without one is matched by its fingerprint. It matches only if exactly one order fits: one of ours without a known
 * id, or a waiting trigger order. An order without a known id goes first, unless it is a trigger order itself, or too late for the row
 * (`isTooLateFor`).
 */
export function matchRow(row: OrderRow, instrumentIndex: number, trackedOrders: TrackedOrders): RowMatch {
  const knownOrder = trackedOrders.byVenueId(row.venueId);
  if (knownOrder)
    return isRowOf(row, knownOrder, instrumentIndex)
      ? { kind: 'known', tracked: knownOrder }
      : contestedMatch(knownOrder, row, trackedOrders);
  if (row.cid !== null) {
    const namedOrder = trackedOrders.byClientOrderId(row.cid);
    if (!namedOrder || namedOrder.request.instrumentIndex !== instrumentIndex) return FOREIGN;
    return {
      kind: namedOrder.venueId === null || parseTriggerTrackId(namedOrder.venueId) !== null ? 'found' : 'duplicate',
      tracked: namedOrder,
    };
  }
  const candidate = onlyPossible(candidatesOf(row, instrumentIndex, trackedOrders), row, trackedOrders.recvWindowMs);
  return candidate !== undefined ? { kind: 'found', tracked: candidate } : FOREIGN;
}

/** Returns our orders without a known id, and our waiting trigger orders, that have the terms of a row without a client order id. */
function candidatesOf(row: OrderRow, instrumentIndex: number, trackedOrders: TrackedOrders): readonly TrackedOrder[] {
  const ownOrders = Array.from(trackedOrders.all);
  const ordersWithoutId = ownOrders.filter((tracked) => tracked.venueId === null && isCandidate(tracked, row, instrumentIndex));
  const inTime = ordersWithoutId.filter((tracked) => !isTooLateFor(tracked, row, trackedOrders.recvWindowMs));
  // The order that results from a fired trigger order has its fingerprint, without the trigger price that distinguishes two of them.
  const mayHaveFired = inTime.length === 0 || inTime.some((tracked) => isTriggerOrder(tracked.request));
  const waitingTriggers = mayHaveFired
    ? ownOrders.filter((tracked) => parseTriggerTrackId(tracked.venueId) !== null && isCandidate(tracked, row, instrumentIndex))
    : [];
  return [...ordersWithoutId, ...waitingTriggers];
}

/**
 * Returns our orders that have the terms of a foreign row, and those of them that it may be. A row without a client order id is foreign,
 * too, if it may be several of our orders. It is also foreign if it is too late for each of them.
 */
export function ordersLike(
  row: OrderRow,
  instrumentIndex: number,
  trackedOrders: TrackedOrders,
): { readonly sameTerms: readonly TrackedOrder[]; readonly possible: readonly TrackedOrder[] } {
  const sameTerms = row.cid === null ? candidatesOf(row, instrumentIndex, trackedOrders) : [];
  return { sameTerms, possible: sameTerms.filter((tracked) => !isTooLateFor(tracked, row, trackedOrders.recvWindowMs)) };
}

/**
 * Returns the only order that the row can be. An order that the venue has refused or never had does not count beside another candidate if
 * its admission window had closed when the row's order was created. Alone it counts: its refusal may have been wrong, and that must be
 * seen.
 */
function onlyPossible(candidates: readonly TrackedOrder[], row: OrderRow, windowMs: number): TrackedOrder | undefined {
  const possible = candidates.length < 2 ? candidates : candidates.filter((tracked) => !isTooLateFor(tracked, row, windowMs));
  return possible.length === 1 ? possible[0] : undefined;
}

/** True if the row's order was created too late to be this one, which is believed absent. A fired trigger order may be created at any time. */
function isTooLateFor({ isBelievedAbsent, request, signMs }: TrackedOrder, { timeMs }: OrderRow, windowMs: number): boolean {
  if (!isBelievedAbsent || isTriggerOrder(request) || timeMs === null) return false;
  return timeMs > signMs + windowMs + EARLY_MS;
}

/** True if everything that the row reports besides its id agrees with this order. */
export function isRowOf(
  { cid, side }: OrderRow,
  { request, clientOrderId, venueId, isAdopted }: TrackedOrder,
  instrumentIndex: number,
): boolean {
  // The id of a waiting trigger order comes from another list.
  if (parseTriggerTrackId(venueId) !== null) return true;
  if (request.instrumentIndex !== instrumentIndex || request.side !== side) return false;
  return cid === null || isAdopted || cid.toUpperCase() === clientOrderId.toUpperCase();
}

/** Returns the match of a row that has the venue order id of `knownOrder`, but describes another order. */
function contestedMatch(knownOrder: TrackedOrder, { cid }: OrderRow, trackedOrders: TrackedOrders): RowMatch {
  const namedOrder = cid === null ? undefined : trackedOrders.byClientOrderId(cid);
  return { kind: 'contested', tracked: knownOrder, other: namedOrder === knownOrder ? null : (namedOrder ?? null) };
}

/**
 * True if the row may be this order. The order's create request was then given to the wire, it has not ended, and it has the same terms. An
 * order that was denied while it waited has never left, and must not make the row ambiguous.
 */
function isCandidate(tracked: TrackedOrder, row: OrderRow, instrumentIndex: number): boolean {
  if (tracked.request.instrumentIndex !== instrumentIndex || !tracked.isOnWire || tracked.hasEnded) return false;
  return mayBeRowOf(row, tracked);
}

/** The terms and signing time of our order whose venue order id is not known. */
export interface UnidentifiedOrder {
  readonly request: Pick<OrderRequest, 'instrument' | 'side' | 'limit' | 'lots' | 'reduceOnly'>;
  readonly signMs: number;
}

/** True if nothing in the row contradicts this order. */
export function mayBeRowOf(row: OrderRow, order: UnidentifiedOrder): boolean {
  return (row.timeMs === null || row.timeMs >= order.signMs - EARLY_MS) && hasSameTerms(row, order);
}

/** True for equal fingerprints: side, action, type, price, and quantity if it is in lots. */
export function hasSameTerms(row: OrderRow, { request }: Pick<UnidentifiedOrder, 'request'>): boolean {
  const { instrument, side, limit, lots, reduceOnly } = request;
  if (row.side !== side) return false;
  if (row.action !== null && row.action !== (reduceOnly ? 'CLOSE' : 'OPEN')) return false;
  const isMarket = limit === 0;
  if (row.isMarket !== null && row.isMarket !== isMarket) return false;
  if (!isMarket && row.price !== null && toScaled(row.price, instrument.priceDigits) !== limit) return false;
  return lots === 0 || toScaled(row.qty, instrument.quantityDigits) === lots;
}
