// Says whose an order of the exchange is, and what follows where that was not known: adopted, landed late, doubled, or nobody's.

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

/** Where and when a row was seen: `venueMs` is a lower bound of the exchange's time. */
export interface Sighting {
  readonly instrument: number;
  readonly channel: Channel;
  readonly venueMs: number;
}

export interface OrderAttributionDeps {
  readonly tracks: TrackedOrders;
  readonly raisedCauses: RaisedCauses;
  readonly sink: () => ExchangeSink;
  /** An order of ours has become known under its id: it is followed from now on. */
  readonly adopted: (track: TrackedOrder) => void;
  /** Cancels an order that is ours and too many. */
  readonly cancelExtra: (instrument: number, venueId: string) => void;
}

/** A second copy of an order of ours, made by somebody on the way. */
interface Extra {
  readonly instrument: number;
  readonly cid: string;
  /** The newest list has shown it as open. */
  isOpen: boolean;
  /** What it has bought or sold: a position of the account. */
  readonly fills: UnattributedFill[];
}

/** An order of the exchange that is ours by no sign, until a person has named it. */
export interface ForeignOrder {
  readonly venueId: string;
  readonly instrument: number;
  readonly why: string;
  /** It waits for a price: what it asks for is known to the list of such orders alone. */
  readonly isWaiting: boolean;
}

/** Trades that a halt names one by one. */
const MAX_NAMED = 10;

export class OrderAttribution {
  readonly #parts: OrderAttributionDeps;
  /** Named by a person as none of our business. */
  readonly #ignored = new Set<string>();
  /** Seen, ours by no sign, and told. */
  readonly #foreignOrders = new Map<string, ForeignOrder>();
  readonly #extras = new Map<string, Extra>();

  constructor(parts: OrderAttributionDeps) {
    this.#parts = parts;
  }

  get foreignOrders(): ReadonlyMap<string, ForeignOrder> {
    return this.#foreignOrders;
  }
  /** Its fills are not ours, and nothing new is to be learned of it. */
  isExcluded(venueId: string): boolean {
    return this.#ignored.has(venueId) || this.#foreignOrders.has(venueId) || this.#extras.has(venueId);
  }
  isExtra(venueId: string): boolean {
    return this.#extras.has(venueId);
  }
  /** A person has said that it is none of ours. */
  isIgnored(venueId: string): boolean {
    return this.#ignored.has(venueId);
  }
  ignore(venueId: string): void {
    this.#ignored.add(venueId);
    this.markDecided(venueId);
  }
  /** A person has named it: it stands against trading no more. */
  markDecided(venueId: string): void {
    this.#foreignOrders.delete(venueId);
    if (this.#foreignOrders.size === 0) this.#parts.raisedCauses.resolve('ALIEN', null);
  }

  /** True of a row that bears no client order id and is nobody's by what it asks for: an answer about it may say more. */
  isUnnamed(row: OrderRow, instrument: number): boolean {
    return row.cid === null && !this.isExcluded(row.venueId) && matchRow(row, instrument, this.#parts.tracks).kind === 'alien';
  }

  /** Whose the row is; null: not ours. What has to follow is done. */
  attribute(row: OrderRow, seen: Sighting): TrackedOrder | null {
    const { venueId } = row;
    const extra = this.#extras.get(venueId);
    if (extra !== undefined) this.#seen(extra, row);
    if (this.isExcluded(venueId)) return null;
    const match = matchRow(row, seen.instrument, this.#parts.tracks);
    switch (match.kind) {
      case 'known':
        return match.track;
      case 'found':
        this.adopt(match.track, venueId, seen, row.timeMs);
        return match.track;
      case 'duplicate':
        this.#duplicate(match.track, row);
        return null;
      case 'contested':
        this.contested([match.track, ...(match.other === null ? [] : [match.other])], venueId);
        return null;
      case 'alien':
        this.reportForeign(venueId, seen.instrument, 'no order of ours asks for what it asks');
        return null;
      default:
        return assertNever(match);
    }
  }

  /** The same of a row that waits for its price, which is none of those whose place in that list is known. `own`: orders that were to wait. */
  attributeTrigger(row: TriggerOrder, own: Iterable<TrackedOrder>, seen: Sighting): void {
    const { triggerOrderId } = row;
    if (this.isExcluded(triggerOrderId)) return;
    const alike = Array.from(own).filter(({ request, venueId }) => venueId === null && matchesTrigger(row, request));
    const track = alike.find(({ signMs }) => !isOlder(row, signMs));
    if (track === undefined) return this.#alienWaiting(triggerOrderId, seen.instrument, alike);
    // Its answer is on the way: what it says is better than a likeness.
    if (track.stage === 'sent' || track.stage === 'waiting') return;
    this.adopt(track, triggerTrackId(triggerOrderId, track.cid), seen, null);
  }

  /** A track that had no id has one. */
  adopt(track: TrackedOrder, venueId: string, { channel, venueMs }: Sighting, timeMs: number | null): void {
    const { tracks } = this.#parts;
    const sink = this.#parts.sink();
    const { isBelievedAbsent, stage, isContested, filledLots } = track;
    if (isContested) this.#decided(track, venueId, filledLots);
    // A condition order that has fired goes on as what came of it: nobody is told, for nothing has changed for those in charge.
    const hasFired = track.venueId !== null && !isBelievedAbsent;
    const atMs = timeMs ?? venueMs;
    const id = venueId as VenueOrderId;
    tracks.setVenueId(track, venueId);
    tracks.markLive(track);
    if (hasFired) return this.#parts.adopted(track);
    if (isBelievedAbsent) sink.arrivedLate(track.id, id, atMs);
    else if (stage === 'unknown') sink.evidence(track.id, { channel, venueMs, complete: true, found: true, venueId: id });
    else sink.acked(track.id, id, atMs);
    this.#parts.adopted(track);
  }

  /** `alike`: orders of ours that it would be, if it did not say that it is older than they are. */
  #alienWaiting(triggerId: string, instrument: number, alike: readonly TrackedOrder[]): void {
    const [first] = alike;
    const why = first === undefined ? 'no order of ours waits like it' : `it waits like ${first.cid} and says that it is older`;
    this.reportForeign(triggerId, instrument, why, true);
  }

  reportForeign(venueId: string, instrument: number, why: string, isWaiting = false): void {
    if (this.isExcluded(venueId)) return;
    this.#foreignOrders.set(venueId, { venueId, instrument, why, isWaiting });
    this.#parts.raisedCauses.raise('ALIEN', null, `order ${venueId} of ${this.#parts.raisedCauses.nameOf(instrument)} is nobody's: ${why}`);
  }

  /** It is known again which order it is. What was booked under the contested id may be another's. */
  #decided(track: TrackedOrder, venueId: string, filledLots: number): void {
    const { raisedCauses, tracks } = this.#parts;
    const { instrumentIndex } = track.request;
    if (filledLots > 0 && track.contestedId !== venueId)
      raisedCauses.raise(
        'MISMATCH',
        instrumentIndex,
        `${track.cid} is order ${venueId}: its fills were booked from order ${track.contestedId}`,
      );
    track.isContested = false;
    if (!tracks.hasContested(instrumentIndex)) raisedCauses.settled('ECHO', instrumentIndex);
  }

  /** The exchange has given one id to orders that are not one: none of them has it until a list or a query says whose it is. */
  contested(tracks: readonly TrackedOrder[], venueId: string): void {
    const { raisedCauses, sink } = this.#parts;
    const known = tracks.filter(
      ({ stage, isBelievedAbsent }) => stage === 'live' || stage === 'sent' || (stage === 'unknown' && !isBelievedAbsent),
    );
    const names = tracks.map(({ cid }) => cid).join(' and ');
    const id = parseTriggerTrackId(venueId)?.triggerId ?? venueId;
    for (const track of known) {
      this.#parts.tracks.unnamed(track);
      sink().outcomeUnknown(track.id, `the exchange gives the id ${id} to another order too`, true);
    }
    for (const index of new Set(known.map(({ request }) => request.instrumentIndex)))
      raisedCauses.raise('ECHO', index, `the exchange has one id, ${id}, for ${names}${tracks.length === 1 ? ' and another order' : ''}`);
  }

  /** A fill that no strategy has: of a second copy of an order of ours it is named. */
  extraFilled(venueId: string, fill: UnattributedFill): void {
    const extra = this.#extras.get(venueId);
    if (extra === undefined) return;
    extra.fills.push(fill);
    this.#nameExtra(venueId, extra);
  }
  /** A whole list of open orders of the instrument: what it does not show is over. */
  listed(instrument: number, venueIds: ReadonlySet<string>): void {
    for (const [venueId, extra] of this.#extras) if (extra.instrument === instrument && !venueIds.has(venueId)) extra.isOpen = false;
  }
  /** Of second copies of orders of the instrument that no person has looked at: bought above 0, sold below, in the base asset or contracts. */
  extraQty(instrument: number): Decimal {
    if (!this.#parts.raisedCauses.has('DUPLICATE', null)) return new Decimal(0);
    const fills = Array.from(this.#extras.values()).flatMap((extra) => (extra.instrument === instrument ? extra.fills : []));
    return fills.reduce((sum, { side, qty }) => (side === 'buy' ? sum.plus(qty) : sum.minus(qty)), new Decimal(0));
  }
  /** Second copies that the newest lists show as open: they are being cancelled. */
  get openExtras(): readonly { readonly venueId: string; readonly instrument: number; readonly cid: string }[] {
    return Array.from(this.#extras, ([venueId, extra]) => ({ ...extra, venueId })).filter(({ isOpen }) => isOpen);
  }

  /** Somebody on the way has sent it twice: the other one counts, this one is taken back, and a person has to look. */
  #duplicate(track: TrackedOrder, row: OrderRow): void {
    this.#seen(this.#extra(track, row.venueId), row);
  }
  /** An acknowledgement under another id than the one that was found meanwhile. */
  doubled(track: TrackedOrder, venueId: string): void {
    const extra = this.#extra(track, venueId);
    extra.isOpen = true;
    this.#parts.cancelExtra(extra.instrument, venueId);
  }
  #extra({ request, cid }: TrackedOrder, venueId: string): Extra {
    const known = this.#extras.get(venueId);
    if (known !== undefined) return known;
    const extra: Extra = { instrument: request.instrumentIndex, cid, isOpen: false, fills: [] };
    this.#extras.set(venueId, extra);
    this.#nameExtra(venueId, extra);
    return extra;
  }
  /** Cancelled at each sighting, until it is over: a cancel may be lost. */
  #seen(extra: Extra, { venueId, status }: OrderRow): void {
    extra.isOpen = STATUS_MEANING[status.word].kind !== 'terminal';
    if (extra.isOpen) this.#parts.cancelExtra(extra.instrument, venueId);
  }
  #nameExtra(venueId: string, { instrument, cid, fills }: Extra): void {
    const { raisedCauses } = this.#parts;
    const what = `order ${venueId} of ${raisedCauses.nameOf(instrument)} is a second copy of ${cid}`;
    raisedCauses.raise(
      'DUPLICATE',
      null,
      fills.length === 0 ? what : `${what}; ${soldOrBought(fills)}: a position of the account, of no strategy`,
    );
  }
}

function soldOrBought(fills: readonly UnattributedFill[]): string {
  const sum = (of: (fill: UnattributedFill) => string): string =>
    fills.reduce((total, fill) => total.plus(of(fill)), new Decimal(0)).toFixed();
  const [{ side }] = fills as readonly [UnattributedFill];
  const trades = fills.map(({ tradeId }) => tradeId);
  const named = trades.length > MAX_NAMED ? `${trades.slice(0, MAX_NAMED).join(', ')} ...` : trades.join(', ');
  return `it has ${side === 'buy' ? 'bought' : 'sold'} ${sum(({ qty }) => qty)} for ${sum(({ notional }) => notional)} (trades ${named})`;
}
