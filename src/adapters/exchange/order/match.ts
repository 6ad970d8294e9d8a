// Whose order a row of the exchange is: by its id, by the client order id that it carries, or by what it asks for. Pure.

import { toScaled } from '../../../base/number/decimal.ts';
import { parseTriggerTrackId } from '../calls/triggers.ts';
import type { OrderRequest } from '../calls/types.ts';
import type { OrderRow } from '../calls/rows.ts';
import type { TrackedOrder, TrackedOrders } from './trackedOrder.ts';

export type RowMatch =
  /** Ours, and known under this id already. */
  | { readonly kind: 'known'; readonly track: TrackedOrder }
  /** Ours, and its id was not known until now. */
  | { readonly kind: 'found'; readonly track: TrackedOrder }
  /** It carries the client order id of an order of ours that has another id. */
  | { readonly kind: 'duplicate'; readonly track: TrackedOrder }
  /** Known under this id as an order of ours, and the row is another one: `other` where that is ours too. */
  | { readonly kind: 'contested'; readonly track: TrackedOrder; readonly other: TrackedOrder | null }
  | { readonly kind: 'alien' };

/** How much earlier than its create was signed an order can seem to have been made: the tolerance of the admission window. */
export const EARLY_MS = 1000;

const FOREIGN: RowMatch = { kind: 'alien' };

/**
 * Invariants: a row that carries a client order id is matched by that alone; one that carries none only where exactly one order of ours
 * that has no id yet, or waits for its price, asks for the same (two candidates are none).
 */
export function matchRow(row: OrderRow, instrument: number, tracks: TrackedOrders): RowMatch {
  const known = tracks.byVenueId(row.venueId);
  if (known) return isRowOf(row, known, instrument) ? { kind: 'known', track: known } : contested(known, row, tracks);
  if (row.cid !== null) {
    const named = tracks.byCid(row.cid);
    if (!named || named.request.instrumentIndex !== instrument) return FOREIGN;
    return { kind: named.venueId === null || parseTriggerTrackId(named.venueId) !== null ? 'found' : 'duplicate', track: named };
  }
  const all = Array.from(tracks.all);
  const nameless = all.filter((track) => track.venueId === null && isCandidate(track, row, instrument));
  // What came of a condition order that has fired bears its fingerprint.
  const [only, second] =
    nameless.length > 0
      ? nameless
      : all.filter((track) => parseTriggerTrackId(track.venueId) !== null && isCandidate(track, row, instrument));
  return only !== undefined && second === undefined ? { kind: 'found', track: only } : FOREIGN;
}

/** What a row says of its order beside its id, it must say of this one. */
function isRowOf({ cid, side }: OrderRow, { request, cid: own, venueId }: TrackedOrder, instrument: number): boolean {
  // The id of a condition order that waits is of another list.
  if (parseTriggerTrackId(venueId) !== null) return true;
  if (request.instrumentIndex !== instrument || request.side !== side) return false;
  return cid === null || cid.toUpperCase() === own.toUpperCase();
}

function contested(known: TrackedOrder, { cid }: OrderRow, tracks: TrackedOrders): RowMatch {
  const other = cid === null ? undefined : tracks.byCid(cid);
  return { kind: 'contested', track: known, other: other === known ? null : (other ?? null) };
}

function isCandidate(track: TrackedOrder, row: OrderRow, instrument: number): boolean {
  const { request, stage } = track;
  if (request.instrumentIndex !== instrument || stage === 'waiting' || stage === 'ended') return false;
  return couldBe(row, track);
}

/** An order of ours whose id is not known: what it asks for, and the X-CH-TS of its create. */
export interface Nameless {
  readonly request: Pick<OrderRequest, 'instrument' | 'side' | 'limit' | 'lots' | 'reduceOnly'>;
  readonly signMs: number;
}

/** True when nothing that the row says speaks against its being this order. The kill judges by it too. */
export function couldBe(row: OrderRow, order: Nameless): boolean {
  return (row.timeMs === null || row.timeMs >= order.signMs - EARLY_MS) && asksForTheSame(row, order);
}

/** The same fingerprint: side, action, type, price, and quantity where it counts lots. */
export function asksForTheSame(row: OrderRow, { request }: Pick<Nameless, 'request'>): boolean {
  const { instrument, side, limit, lots, reduceOnly } = request;
  if (row.side !== side) return false;
  if (row.action !== null && row.action !== (reduceOnly ? 'CLOSE' : 'OPEN')) return false;
  const isMarket = limit === 0;
  if (row.isMarket !== null && row.isMarket !== isMarket) return false;
  if (!isMarket && row.price !== null && toScaled(row.price, instrument.priceDigits) !== limit) return false;
  return lots === 0 || toScaled(row.qty, instrument.quantityDigits) === lots;
}
