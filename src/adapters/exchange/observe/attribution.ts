// Attribution: decides to which of our orders each row of a venue list belongs. Reports found, late, duplicate and foreign orders.

import { assertNever } from '../../../base/assert.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { EndedOrder, VenueOrderId } from '../../../model/order.ts';
import type { Channel, ExchangeSink } from '../../../ports/exchange.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import { isOlder, isTriggerOrder, triggerTrackId, parseTriggerTrackId, matchesTrigger } from '../calls/triggers.ts';
import { hasSameTerms, matchRow, mayBeRowOf } from '../order/matchRow.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import { foreignOrderOf, foreignTriggerOf, mayBeOrder, unidentifiedLike, withContested } from './foreignOrder.ts';
import type { ForeignOrder, ForeignState } from './foreignOrder.ts';
import { Duplicates } from './duplicates.ts';

/** Where and when a row was seen. `venueMs` is a lower bound of the venue's time. */
export interface Sighting {
  readonly instrument: number;
  readonly channel: Channel;
  readonly venueMs: number;
}

/** The collaborators of the attribution. */
export interface OrderAttributionDeps {
  readonly instruments: readonly Instrument[];
  readonly trackedOrders: TrackedOrders;
  readonly raisedCauses: RaisedCauses;
  readonly sink: () => ExchangeSink;
  /**
   * Called when the id of one of our orders becomes known. Books fills of a foreign order with this id, withdraws the foreign order, and
   * polls ours.
   */
  readonly onIdKnown: (tracked: TrackedOrder) => void;
  /** Journals whether a foreign order waits for a decision. */
  readonly noteForeign: (foreign: ForeignOrder, state: ForeignState) => void;
  /** Cancels a duplicate of one of our orders. */
  readonly cancelDuplicate: (instrumentIndex: number, venueId: string) => void;
  /** Books the fills of a duplicate that counted as foreign to the account. */
  readonly bookDuplicate: (instrumentIndex: number, venueId: string) => void;
}

/** Assigns the venue orders of one market to our orders, and remembers those that are not ours. */
export class OrderAttribution {
  /** Second copies of our orders. */
  readonly duplicates: Duplicates;
  readonly #deps: OrderAttributionDeps;
  /** Venue order ids that the operator has marked as not ours. */
  readonly #ignoredIds = new Set<string>();
  /** Client order ids of our orders that a row has named under an id that the operator has ignored. */
  readonly #namedUnderIgnoredId = new Set<string>();
  /** Foreign orders that have been seen and reported. */
  readonly #foreignOrders = new Map<string, ForeignOrder>();
  /** Whether orders that are not tracked close a position, by venue order id. */
  readonly #isClosingById = new Map<string, boolean>();
  /** Orders of earlier processes that have ended, by client order id in upper case. No order is tracked for them. */
  readonly #endedBeforeStart = new Map<string, EndedOrder>();
  /** Symbol and venue order id of each of these orders. */
  readonly #endedIdsBeforeStart = new Set<string>();
  /** False between a restart and the connection: the halts are restored, and nothing may be reported. */
  #isConnected = false;

  constructor(deps: OrderAttributionDeps) {
    this.#deps = deps;
    this.duplicates = new Duplicates(deps);
  }

  /** Foreign orders by venue order id. */
  get foreignOrders(): ReadonlyMap<string, ForeignOrder> {
    return this.#foreignOrders;
  }
  /** True if the order is not ours or is a duplicate, so that its rows need no attribution. */
  isExcluded(venueId: string): boolean {
    return this.#ignoredIds.has(venueId) || this.#foreignOrders.has(venueId) || this.duplicates.has(venueId);
  }
  /** True if the operator has marked the order as not ours. */
  isIgnored(venueId: string): boolean {
    return this.#ignoredIds.has(venueId);
  }
  /** True if the order closes a position, false if it opens one; null if no row of it was read. Trades do not show it. */
  closes(venueId: string): boolean | null {
    return this.#deps.trackedOrders.byVenueId(venueId)?.request.reduceOnly ?? this.#isClosingById.get(venueId) ?? null;
  }
  /** Notes whether an order that is not tracked closes a position. */
  noteAction({ venueId, action }: Pick<OrderRow, 'venueId' | 'action'>): void {
    if (action !== null && this.#deps.trackedOrders.byVenueId(venueId) === undefined) this.#isClosingById.set(venueId, action === 'CLOSE');
  }
  /** Notes that the operator has marked the order as not ours. */
  ignore(venueId: string): void {
    this.#ignoredIds.add(venueId);
    this.markDecided(venueId);
  }
  /** Notes that the operator has decided about the order, so that it no longer blocks trading. */
  markDecided(venueId: string): void {
    this.#forgetForeign(venueId);
    if (this.#foreignOrders.size === 0 && this.#isConnected) this.#deps.raisedCauses.clearIfAllowed('ALIEN', null);
  }
  #forgetForeign(venueId: string): void {
    const foreign = this.#foreignOrders.get(venueId);
    this.#foreignOrders.delete(venueId);
    if (foreign !== undefined) this.#deps.noteForeign(foreign, 'decided');
  }

  /** Restores a foreign order that waited for a decision when the previous process ended. The lists may no longer show it. */
  restoreForeign(foreign: ForeignOrder): void {
    this.#foreignOrders.set(foreign.venueId, foreign);
    this.#deps.raisedCauses.restore('ALIEN', null, this.#foreignText(foreign));
  }
  /**
   * Called at the connection. Withdraws foreign orders of the previous process that the journal now shows to be orders or slices of this bot.
   * Raises the halt for the others again: no audit passes before they are decided, and the operator may have cleared it without a decision.
   */
  connected(): void {
    this.#isConnected = true;
    for (const { venueId, instrument } of Array.from(this.#foreignOrders.values())) {
      if (this.hasEndedBeforeStart(venueId, instrument) || this.#deps.trackedOrders.byVenueId(venueId) !== undefined)
        this.withdraw(venueId, 'the journal');
    }
    if (this.#foreignOrders.size === 0) this.#deps.raisedCauses.withdraw('ALIEN', null, 'each foreign order is decided');
    for (const foreign of this.#foreignOrders.values()) this.#deps.sink().raiseHalt('ALIEN', null, this.#foreignText(foreign));
  }
  /** Notes that a foreign order is ours, by its id. Withdraws the halt with the last such order. No effect if the order is not a foreign one. */
  withdraw(venueId: string, evidence: string): void {
    const foreign = this.#foreignOrders.get(venueId);
    if (foreign === undefined) return;
    this.#forgetForeign(venueId);
    if (this.#foreignOrders.size > 0) return;
    const { raisedCauses } = this.#deps;
    const orderName = `order ${venueId} of ${raisedCauses.scopeNameOf(foreign.instrument)}`;
    raisedCauses.withdraw('ALIEN', null, `${orderName} is an order of this bot, by ${evidence}`);
  }
  /**
   * The id of our order has become known. Withdraws a foreign order with this id, and a foreign trigger order like it. The exchange links a
   * trigger order with the order that it places by the client order id.
   */
  withdrawOf({ venueId, clientOrderId, request: { instrumentIndex } }: TrackedOrder): void {
    const trigger = parseTriggerTrackId(venueId);
    if (trigger === null)
      for (const { venueId: triggerId, sameTermsId, instrument } of Array.from(this.#foreignOrders.values()))
        if (sameTermsId === clientOrderId && instrument === instrumentIndex)
          this.withdraw(triggerId, `the order that ${clientOrderId} has placed`);
    const id = trigger?.triggerId ?? venueId;
    if (id !== null) this.withdraw(id, `its reply or a list that names ${clientOrderId}`);
  }
  /**
   * The operator has cleared the halt without a decision. Journals that no foreign order waits for one, except those that may be an order
   * of ours. A restart that forgot such a foreign order would prove our order absent.
   */
  noteCleared(): void {
    for (const foreign of this.#foreignOrders.values())
      if (unidentifiedLike(foreign, this.#deps.trackedOrders).length === 0) this.#deps.noteForeign(foreign, 'decided');
  }

  /** True if a row has no client order id and its terms match none of our orders. A query of the order may return the id. */
  isUnnamed(row: OrderRow, instrumentIndex: number): boolean {
    return row.cid === null && !this.isExcluded(row.venueId) && matchRow(row, instrumentIndex, this.#deps.trackedOrders).kind === 'foreign';
  }

  /** Returns the order to which the row belongs, or null if it is not ours. Reports found, duplicate, contested and foreign orders. */
  attribute(row: OrderRow, sighting: Sighting): TrackedOrder | null {
    const { venueId } = row;
    this.duplicates.applyRow(row);
    this.noteAction(row);
    if (this.isExcluded(venueId) && !this.#isNamedNow(row, sighting.instrument)) {
      // An order that the operator has resolved is tracked under an id that is also ignored.
      const isTracked = this.#deps.trackedOrders.byVenueId(venueId) !== undefined;
      if (row.cid !== null && this.#ignoredIds.has(venueId) && !isTracked) this.#namedUnderIgnoredId.add(row.cid.toUpperCase());
      return null;
    }
    const match = matchRow(row, sighting.instrument, this.#deps.trackedOrders);
    switch (match.kind) {
      case 'known':
        return this.isIdOf(match.tracked, row) ? match.tracked : null;
      case 'found':
        this.adopt(match.tracked, venueId, sighting, row.timeMs);
        return match.tracked;
      case 'duplicate':
        if (this.#isIdInDoubt(match.tracked)) {
          match.tracked.otherId ??= venueId;
          return null;
        }
        // An intermediary has sent the order twice. The first copy counts, and the operator must check.
        if (match.tracked.otherId === venueId) match.tracked.otherId = null;
        else this.confirmId(match.tracked);
        this.#addDuplicate(match.tracked.request.instrumentIndex, match.tracked.clientOrderId, venueId);
        this.duplicates.applyRow(row);
        return null;
      case 'contested':
        this.contestVenueId([match.tracked, ...(match.other === null ? [] : [match.other])], venueId);
        return null;
      case 'foreign':
        if (row.cid !== null && this.#isCopyOfEnded(row.cid, venueId, sighting.instrument)) {
          this.#addDuplicate(sighting.instrument, row.cid.toUpperCase(), venueId);
          this.duplicates.applyRow(row);
          return null;
        }
        if (!this.#mayBeInFlight(row, sighting.instrument))
          this.#reportForeign(foreignOrderOf(row, sighting.instrument, this.#deps.trackedOrders));
        return null;
      default:
        return assertNever(match);
    }
  }

  /** True if only an acknowledgement without a client order id says which id the order has. Then that id may be wrong. */
  #isIdInDoubt({ isLive, isIdShown, filledLots }: TrackedOrder): boolean {
    return isLive && !isIdShown && filledLots === 0;
  }
  /**
   * Applies a row that has the venue order id of our order. Returns false if the row shows that the id is another order's. Such a row has
   * other terms or is older, and another row has named our order. If the row shows our order, another id that a row has shown is that of a
   * second copy.
   */
  isIdOf(tracked: TrackedOrder, row: OrderRow): boolean {
    // The row of a trigger order that has fired lacks its trigger price.
    const showsOrder = row.cid !== null || isTriggerOrder(tracked.request) || mayBeRowOf(row, tracked);
    if (!showsOrder && tracked.otherId !== null) {
      this.contestVenueId([tracked], row.venueId);
      return false;
    }
    if (showsOrder) this.confirmId(tracked);
    return true;
  }
  /** Notes that the exchange has shown the order under its venue order id. Another id that a row has shown is that of a second copy. */
  confirmId(tracked: TrackedOrder): void {
    const { otherId } = tracked;
    tracked.isIdShown = true;
    tracked.otherId = null;
    if (otherId !== null) this.addSecondId(tracked, otherId);
  }

  /** True if the row of a foreign order has the client order id of one of our orders, which earlier rows did not show. */
  #isNamedNow({ cid, venueId }: OrderRow, instrumentIndex: number): boolean {
    const namedOrder = cid === null ? undefined : this.#deps.trackedOrders.byClientOrderId(cid);
    return namedOrder?.request.instrumentIndex === instrumentIndex && this.#foreignOrders.get(venueId)?.isTrigger === false;
  }

  /** True for a row without a client order id that has the terms of an order in flight. The reply to that order will identify it. */
  #mayBeInFlight(row: OrderRow, instrumentIndex: number): boolean {
    if (row.cid !== null) return false;
    const openOrders = Array.from(this.#deps.trackedOrders.openOf(instrumentIndex));
    return openOrders.some((tracked) => tracked.lifecycle === 'sent' && tracked.venueId === null && hasSameTerms(row, tracked));
  }

  /** True for a client order id of an order that ended before the restart and that had another venue order id than this one. */
  #isCopyOfEnded(clientOrderId: string, venueId: string, instrumentIndex: number): boolean {
    const ended = this.#endedBeforeStart.get(clientOrderId.toUpperCase());
    if (ended === undefined || ended.symbol !== this.#deps.instruments[instrumentIndex]!.id) return false;
    // A trigger order has another id once it has fired.
    return ended.orderId !== venueId && parseTriggerTrackId(ended.orderId) === null;
  }

  /** Attributes the row of a waiting trigger order whose id is not known yet. `ownTriggers`: our trigger orders. */
  attributeTrigger(row: TriggerOrder, ownTriggers: Iterable<TrackedOrder>, sighting: Sighting): void {
    const { triggerOrderId } = row;
    if (this.isExcluded(triggerOrderId)) return;
    const withEqualTerms = Array.from(ownTriggers).filter(({ request }) => matchesTrigger(row, request));
    const unidentified = withEqualTerms.filter(({ venueId }) => venueId === null);
    // The create is still in flight. Its reply identifies the order, so match neither by fingerprint nor by time. The venue may use one
    // clock for the times of orders and another one to check requests.
    if (unidentified.some(({ lifecycle }) => lifecycle === 'sent')) return;
    const tracked = unidentified.find(({ signMs }) => !isOlder(row, signMs));
    if (tracked === undefined) return this.#reportForeign(foreignTriggerOf(triggerOrderId, sighting.instrument, withEqualTerms));
    this.adopt(tracked, triggerTrackId(triggerOrderId, tracked.clientOrderId), sighting, null);
  }

  /** Assigns a venue order id to an order that had none, and reports it. */
  adopt(tracked: TrackedOrder, venueId: string, { channel, venueMs }: Sighting, timeMs: number | null): void {
    const { trackedOrders, onIdKnown } = this.#deps;
    const sink = this.#deps.sink();
    const { isBelievedAbsent, lifecycle, isContested, filledLots } = tracked;
    if (isContested) this.#settleVenueId(tracked, venueId, filledLots);
    // A fired trigger order continues as the order that resulted from it. The engine sees no change, so nothing is reported.
    const hasFired = tracked.venueId !== null && !isBelievedAbsent;
    const atMs = timeMs ?? venueMs;
    const id = venueId as VenueOrderId;
    trackedOrders.setVenueId(tracked, venueId);
    tracked.isIdShown = true;
    trackedOrders.watch(tracked);
    if (hasFired) return onIdKnown(tracked);
    if (isBelievedAbsent) sink.arrivedLate(tracked.id, id, atMs);
    else if (lifecycle === 'unknown') sink.evidence(tracked.id, { channel, venueMs, complete: true, found: true, venueId: id });
    else sink.acked(tracked.id, id, atMs);
    onIdKnown(tracked);
  }

  /**
   * True if an order that counts as not ours may be this order of ours. Such an order is a foreign one that waits for a decision, or an
   * ignored one that a row has named as ours.
   */
  mayBeForeign(tracked: TrackedOrder): boolean {
    if (this.#namedUnderIgnoredId.has(tracked.clientOrderId.toUpperCase())) return true;
    return Array.from(this.#foreignOrders.values()).some((foreign) => mayBeOrder(foreign, tracked));
  }

  /** Reports a foreign order once, and halts the account until the operator decides. */
  #reportForeign(foreign: ForeignOrder): void {
    if (this.isExcluded(foreign.venueId)) return;
    this.#foreignOrders.set(foreign.venueId, foreign);
    this.#deps.noteForeign(foreign, 'waits');
    this.#deps.raisedCauses.raise('ALIEN', null, this.#foreignText(foreign));
  }
  #foreignText({ venueId, instrument, why }: ForeignOrder): string {
    return `order ${venueId} of ${this.#deps.raisedCauses.scopeNameOf(instrument)} is foreign: ${why}`;
  }

  /** Ends the contest of the order's venue order id. Fills that were booked under the contested id may belong to another order. */
  #settleVenueId(tracked: TrackedOrder, venueId: string, filledLots: number): void {
    const { raisedCauses, trackedOrders } = this.#deps;
    const { instrumentIndex } = tracked.request;
    if (filledLots > 0 && tracked.contestedId !== venueId)
      raisedCauses.raise(
        'MISMATCH',
        instrumentIndex,
        `${tracked.clientOrderId} is order ${venueId}: its fills were booked from order ${tracked.contestedId}`,
      );
    tracked.isContested = false;
    if (!trackedOrders.hasContested(instrumentIndex)) raisedCauses.forget('ECHO', instrumentIndex);
  }

  /** Takes the venue order id from these orders, because the venue has used it for several. A list or a query must show whose it is. */
  contestVenueId(trackedOrders: readonly TrackedOrder[], venueId: string): void {
    const { raisedCauses } = this.#deps;
    const open = trackedOrders.filter(({ isOpen }) => isOpen);
    const names = trackedOrders.map(({ clientOrderId }) => clientOrderId).join(' and ');
    const id = parseTriggerTrackId(venueId)?.triggerId ?? venueId;
    // An adopted order keeps its id: it has no other identity, because rows have another client order id.
    for (const tracked of open)
      if (!tracked.isAdopted) this.#removeVenueId(tracked, `the exchange gives the id ${id} to another order too`);
    for (const index of new Set(open.map(({ request }) => request.instrumentIndex)))
      raisedCauses.raise(
        'ECHO',
        index,
        `the exchange has one id, ${id}, for ${names}${trackedOrders.length === 1 ? ' and another order' : ''}`,
      );
    this.#nameContested(open);
  }
  /** Takes the acknowledged id from an order that the exchange does not find under it and names under another one. A list must show whose that is. */
  replaceWrongId(tracked: TrackedOrder): void {
    const text = `the exchange has acknowledged it as ${tracked.venueId}, does not know that id, and lists it as ${tracked.otherId}`;
    this.#removeVenueId(tracked, text);
    this.#deps.raisedCauses.raise('ECHO', tracked.request.instrumentIndex, `${tracked.clientOrderId}: ${text}`);
    this.#nameContested([tracked]);
  }
  #removeVenueId(tracked: TrackedOrder, reason: string): void {
    const { trackedOrders, sink } = this.#deps;
    trackedOrders.removeVenueId(tracked);
    sink().outcomeUnknown(tracked.id, reason, true);
  }
  /** Names contested orders in the halt of each foreign order that may be one of them. */
  #nameContested(contested: readonly TrackedOrder[]): void {
    const { raisedCauses } = this.#deps;
    for (const foreign of this.#foreignOrders.values()) {
      if (!contested.some((tracked) => mayBeOrder(foreign, tracked))) continue;
      const foreignWithContested = withContested(foreign, contested);
      this.#foreignOrders.set(foreign.venueId, foreignWithContested);
      // The journal may lack it, because the operator has cleared its halt.
      this.#deps.noteForeign(foreignWithContested, 'waitsWithOldFills');
      raisedCauses.raise('ALIEN', null, this.#foreignText(foreignWithContested));
    }
  }

  /** Notes that the order was acknowledged under another id than the one found meanwhile. The second order is a duplicate. */
  addSecondId(tracked: TrackedOrder, venueId: string): void {
    this.#addDuplicate(tracked.request.instrumentIndex, tracked.clientOrderId, venueId);
    this.duplicates.cancel(venueId);
  }
  /** Adds a duplicate at its first sight. It counts no longer as foreign. */
  #addDuplicate(instrumentIndex: number, clientOrderId: string, venueId: string): void {
    if (this.duplicates.has(venueId)) return;
    this.duplicates.add(instrumentIndex, clientOrderId, venueId);
    // The fills are journalled first: a restart that finds no note of the foreign order does not read them again.
    if (this.#foreignOrders.has(venueId)) this.#deps.bookDuplicate(instrumentIndex, venueId);
    this.withdraw(venueId, `its reply or a list that names ${clientOrderId}`);
  }
  /** True if an order of an earlier process that has ended has this id. */
  hasEndedBeforeStart(venueId: string, instrumentIndex: number): boolean {
    return this.#endedIdsBeforeStart.has(`${this.#deps.instruments[instrumentIndex]!.id} ${venueId}`);
  }
  /** Restores which orders ended before the restart: their second copies are recognised, and their trades change the side that they closed. */
  restoreEnded(ended: ReadonlyMap<string, EndedOrder>): void {
    for (const [clientOrderId, order] of ended) {
      this.#endedBeforeStart.set(clientOrderId.toUpperCase(), order);
      this.#isClosingById.set(order.orderId, order.closes);
      this.#endedIdsBeforeStart.add(`${order.symbol} ${order.orderId}`);
    }
  }
}
