// Attribution: decides to which of our orders a venue row belongs, and handles found orders, late arrivals, duplicates and foreign orders.

import { assertNever } from '../../../base/assert.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { VenueOrderId } from '../../../model/order.ts';
import type { Channel, ExchangeSink } from '../../../ports/exchange.ts';
import { STATUS_MEANING } from '../../../protocol/shapes/codes.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import { isOlder, triggerTrackId, parseTriggerTrackId, matchesTrigger } from '../calls/triggers.ts';
import { matchRow } from '../order/match.ts';
import type { UnattributedFill } from '../client/unattributed.ts';
import type { OrderRow } from '../calls/rows.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';

/** Where and when a row was seen. `venueMs` is a lower bound of the venue's time. */
export interface Sighting {
  readonly instrument: number;
  readonly channel: Channel;
  readonly venueMs: number;
}

export interface OrderAttributionDeps {
  readonly tracks: TrackedOrders;
  readonly raisedCauses: RaisedCauses;
  readonly sink: () => ExchangeSink;
  /** Called when the venue order id of one of our orders becomes known. The order is polled from now on. */
  readonly adopted: (track: TrackedOrder) => void;
  /** Cancels a duplicate of one of our orders. */
  readonly cancelExtra: (instrument: number, venueId: string) => void;
}

/** A duplicate of one of our orders, created by an intermediary. */
interface Extra {
  readonly instrument: number;
  readonly cid: string;
  /** True if the latest list shows it as open. */
  isOpen: boolean;
  /** Its fills. They are a position of the account. */
  readonly fills: UnattributedFill[];
}

/** A venue order that nothing identifies as ours and that the operator has not decided about. */
export interface ForeignOrder {
  readonly venueId: string;
  readonly instrument: number;
  readonly why: string;
  /** True for a trigger order. Only the list of trigger orders shows its terms. */
  readonly isWaiting: boolean;
}

/** Maximum number of trades of a duplicate that a halt lists, and of duplicates that it names with their trades: the newest. */
const MAX_NAMED = 10;
/** Maximum number of duplicates that a halt names. A kill that closes positions sends dozens of orders while the halt stands. */
const MAX_COPIES = 200;

export class OrderAttribution {
  readonly #parts: OrderAttributionDeps;
  /** The operator has marked them as not ours. */
  readonly #ignored = new Set<string>();
  /** Foreign orders that have been seen and reported. */
  readonly #foreignOrders = new Map<string, ForeignOrder>();
  readonly #extras = new Map<string, Extra>();
  /** Venue ids of duplicates that the operator has not cleared. */
  readonly #uncleared = new Set<string>();
  /** What the halt says that stood when this process began. */
  #namedBefore: string | null = null;

  constructor(parts: OrderAttributionDeps) {
    this.#parts = parts;
  }

  get foreignOrders(): ReadonlyMap<string, ForeignOrder> {
    return this.#foreignOrders;
  }
  /** True if the order's fills are not ours and its rows need no attribution. */
  isExcluded(venueId: string): boolean {
    return this.#ignored.has(venueId) || this.#foreignOrders.has(venueId) || this.#extras.has(venueId);
  }
  isExtra(venueId: string): boolean {
    return this.#extras.has(venueId);
  }
  /** True if the operator has marked it as not ours. */
  isIgnored(venueId: string): boolean {
    return this.#ignored.has(venueId);
  }
  ignore(venueId: string): void {
    this.#ignored.add(venueId);
    this.markDecided(venueId);
  }
  /** The operator has decided about the order, so it no longer blocks trading. */
  markDecided(venueId: string): void {
    this.#foreignOrders.delete(venueId);
    if (this.#foreignOrders.size === 0) this.#parts.raisedCauses.resolve('ALIEN', null);
  }

  /** True if a row has no client order id and its terms match none of our orders. Another reply about it may have the id. */
  isUnnamed(row: OrderRow, instrument: number): boolean {
    return row.cid === null && !this.isExcluded(row.venueId) && matchRow(row, instrument, this.#parts.tracks).kind === 'alien';
  }

  /** Returns the order to which the row belongs, or null if it is not ours. Handles all consequences. */
  attribute(row: OrderRow, seen: Sighting): TrackedOrder | null {
    const { venueId } = row;
    const extra = this.#extras.get(venueId);
    if (extra !== undefined) this.#cancelIfOpen(extra, row);
    if (this.isExcluded(venueId)) return null;
    const match = matchRow(row, seen.instrument, this.#parts.tracks);
    switch (match.kind) {
      case 'known':
        return match.track;
      case 'found':
        this.adopt(match.track, venueId, seen, row.timeMs);
        return match.track;
      case 'duplicate':
        this.#cancelDuplicate(match.track, row);
        return null;
      case 'contested':
        this.contestVenueId([match.track, ...(match.other === null ? [] : [match.other])], venueId);
        return null;
      case 'alien':
        this.reportForeign(venueId, seen.instrument, 'no order of ours asks for what it asks');
        return null;
      default:
        return assertNever(match);
    }
  }

  /** Attributes the row of a waiting trigger order whose id is not known yet. `own`: our trigger orders. */
  attributeTrigger(row: TriggerOrder, own: Iterable<TrackedOrder>, seen: Sighting): void {
    const { triggerOrderId } = row;
    if (this.isExcluded(triggerOrderId)) return;
    const alike = Array.from(own).filter(({ request, venueId }) => venueId === null && matchesTrigger(row, request));
    const track = alike.find(({ signMs }) => !isOlder(row, signMs));
    if (track === undefined) return this.#warnOfForeignTrigger(triggerOrderId, seen.instrument, alike);
    // The create is still in flight. Its reply identifies the order, so do not match by fingerprint.
    if (track.lifecycle === 'sent') return;
    this.adopt(track, triggerTrackId(triggerOrderId, track.cid), seen, null);
  }

  /** Assigns a venue order id to an order that had none, and reports it. */
  adopt(track: TrackedOrder, venueId: string, { channel, venueMs }: Sighting, timeMs: number | null): void {
    const { tracks } = this.#parts;
    const sink = this.#parts.sink();
    const { isBelievedAbsent, lifecycle, isContested, filledLots } = track;
    if (isContested) this.#settleVenueId(track, venueId, filledLots);
    // A fired trigger order continues as the order that resulted from it. The engine sees no change, so nothing is reported.
    const hasFired = track.venueId !== null && !isBelievedAbsent;
    const atMs = timeMs ?? venueMs;
    const id = venueId as VenueOrderId;
    tracks.setVenueId(track, venueId);
    tracks.watch(track);
    if (hasFired) return this.#parts.adopted(track);
    if (isBelievedAbsent) sink.arrivedLate(track.id, id, atMs);
    else if (lifecycle === 'unknown') sink.evidence(track.id, { channel, venueMs, complete: true, found: true, venueId: id });
    else sink.acked(track.id, id, atMs);
    this.#parts.adopted(track);
  }

  /** `alike`: our orders with equal terms. The row says that it is older than they are. */
  #warnOfForeignTrigger(triggerId: string, instrument: number, alike: readonly TrackedOrder[]): void {
    const [first] = alike;
    const why = first === undefined ? 'no order of ours waits like it' : `it waits like ${first.cid} and says that it is older`;
    this.reportForeign(triggerId, instrument, why, true);
  }

  reportForeign(venueId: string, instrument: number, why: string, isWaiting = false): void {
    if (this.isExcluded(venueId)) return;
    this.#foreignOrders.set(venueId, { venueId, instrument, why, isWaiting });
    this.#parts.raisedCauses.raise('ALIEN', null, `order ${venueId} of ${this.#parts.raisedCauses.nameOf(instrument)} is foreign: ${why}`);
  }

  /** The order's venue order id is certain again. Fills booked under the contested id may belong to another order. */
  #settleVenueId(track: TrackedOrder, venueId: string, filledLots: number): void {
    const { raisedCauses, tracks } = this.#parts;
    const { instrumentIndex } = track.request;
    if (filledLots > 0 && track.contestedId !== venueId)
      raisedCauses.raise(
        'MISMATCH',
        instrumentIndex,
        `${track.cid} is order ${venueId}: its fills were booked from order ${track.contestedId}`,
      );
    track.isContested = false;
    if (!tracks.hasContested(instrumentIndex)) raisedCauses.clear('ECHO', instrumentIndex);
  }

  /** The venue has used one id for several orders. None of them has it until a list or a query shows whose it is. */
  contestVenueId(tracks: readonly TrackedOrder[], venueId: string): void {
    const { raisedCauses, sink } = this.#parts;
    const known = tracks.filter(({ isOpen }) => isOpen);
    const names = tracks.map(({ cid }) => cid).join(' and ');
    const id = parseTriggerTrackId(venueId)?.triggerId ?? venueId;
    for (const track of known) {
      this.#parts.tracks.removeVenueId(track);
      sink().outcomeUnknown(track.id, `the exchange gives the id ${id} to another order too`, true);
    }
    for (const index of new Set(known.map(({ request }) => request.instrumentIndex)))
      raisedCauses.raise('ECHO', index, `the exchange has one id, ${id}, for ${names}${tracks.length === 1 ? ' and another order' : ''}`);
  }

  /** Reports a fill without a strategy. If it belongs to a duplicate of our order, the halt names it. */
  reportUnattributedFill(venueId: string, fill: UnattributedFill): void {
    const extra = this.#extras.get(venueId);
    if (extra === undefined) return;
    extra.fills.push(fill);
    this.#nameExtra(venueId);
  }
  /** Takes a complete list of the instrument's open orders. Duplicates that it does not show have ended. */
  applyCompleteList(instrument: number, venueIds: ReadonlySet<string>): void {
    for (const [venueId, extra] of this.#extras) if (extra.instrument === instrument && !venueIds.has(venueId)) extra.isOpen = false;
  }
  /**
   * Returns the net quantity of the instrument's duplicates that the operator has not cleared, above 0 bought, in the base asset or
   * contracts.
   */
  extraQty(instrument: number): Decimal {
    if (!this.#parts.raisedCauses.has('DUPLICATE', null)) return new Decimal(0);
    const fills = Array.from(this.#extras.values()).flatMap((extra) => (extra.instrument === instrument ? extra.fills : []));
    return fills.reduce((sum, { side, qty }) => (side === 'buy' ? sum.plus(qty) : sum.minus(qty)), new Decimal(0));
  }
  /** Duplicates that the latest lists show as open. They are being cancelled. */
  get openExtras(): readonly { readonly venueId: string; readonly instrument: number; readonly cid: string }[] {
    return Array.from(this.#extras, ([venueId, extra]) => ({ ...extra, venueId })).filter(({ isOpen }) => isOpen);
  }

  /** An intermediary has sent the order twice. The first one counts, this one is cancelled, and the operator must check. */
  #cancelDuplicate(track: TrackedOrder, row: OrderRow): void {
    this.#cancelIfOpen(this.#extra(track, row.venueId), row);
  }
  /** The order was acknowledged under another id than the one found meanwhile. */
  addSecondId(track: TrackedOrder, venueId: string): void {
    const extra = this.#extra(track, venueId);
    extra.isOpen = true;
    this.#parts.cancelExtra(extra.instrument, venueId);
  }
  #extra({ request, cid }: TrackedOrder, venueId: string): Extra {
    const known = this.#extras.get(venueId);
    if (known !== undefined) return known;
    const extra: Extra = { instrument: request.instrumentIndex, cid, isOpen: false, fills: [] };
    this.#extras.set(venueId, extra);
    this.#nameExtra(venueId);
    return extra;
  }
  /** Cancels a duplicate each time it is seen open, because a cancel may be lost. */
  #cancelIfOpen(extra: Extra, { venueId, status }: OrderRow): void {
    extra.isOpen = STATUS_MEANING[status.word].kind !== 'terminal';
    if (extra.isOpen) this.#parts.cancelExtra(extra.instrument, venueId);
  }
  /** An earlier process has named duplicates to the operator, who has not cleared the halt. */
  restoreNamed(why: string): void {
    this.#namedBefore = why;
  }
  /** The operator has cleared the halt. */
  forgetNamed(): void {
    this.#namedBefore = null;
  }
  /** One halt stands for all duplicates, so it names each that was found, or has filled, since the operator last cleared it. */
  #nameExtra(venueId: string): void {
    const { raisedCauses } = this.#parts;
    if (!raisedCauses.has('DUPLICATE', null)) this.#uncleared.clear();
    // The newest first, because a log or an alert shows only the beginning.
    this.#uncleared.delete(venueId);
    this.#uncleared.add(venueId);
    const ids = [...this.#uncleared].toReversed();
    const texts = ids.slice(0, MAX_COPIES).map((id, at) => this.#extraText(id, this.#extras.get(id)!, at < MAX_NAMED));
    const more = ids.length > MAX_COPIES ? [`and ${ids.length - MAX_COPIES} others`] : [];
    const before = this.#namedBefore === null ? [] : [`before the restart: ${this.#namedBefore}`];
    raisedCauses.raise('DUPLICATE', null, [...texts, ...more, ...before].join('; '));
  }
  #extraText(venueId: string, { instrument, cid, fills }: Extra, withTrades: boolean): string {
    const what = `order ${venueId} of ${this.#parts.raisedCauses.nameOf(instrument)} is a second copy of ${cid}`;
    if (fills.length === 0) return what;
    const done = `${what}; it has ${soldOrBought(fills)}`;
    return withTrades ? `${done} (trades ${tradesOf(fills)}): a position of the account, of no strategy` : done;
  }
}

function soldOrBought(fills: readonly UnattributedFill[]): string {
  const sum = (of: (fill: UnattributedFill) => string): string =>
    fills.reduce((total, fill) => total.plus(of(fill)), new Decimal(0)).toFixed();
  const [{ side }] = fills as readonly [UnattributedFill];
  return `${side === 'buy' ? 'bought' : 'sold'} ${sum(({ qty }) => qty)} for ${sum(({ notional }) => notional)}`;
}

function tradesOf(fills: readonly UnattributedFill[]): string {
  const trades = fills.map(({ tradeId }) => tradeId);
  return trades.length > MAX_NAMED ? `${trades.slice(0, MAX_NAMED).join(', ')} ...` : trades.join(', ');
}
