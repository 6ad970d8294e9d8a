// The books of a kill, built from the journal: the bot's own orders, those of unknown outcome, and the positions.

import { JournalState, restartOf, type OrderTrace } from '../../../adapters/journal/records/journalState.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { parseTriggerTrackId } from '../../../adapters/exchange/calls/triggers.ts';
import type { TradeRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { INCIDENT_CURSOR } from '../../../adapters/exchange/calls/types.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { sizeText, type Instrument, type InstrumentId, type Market } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import { POSITION_MODEL } from '../../../protocol/contractModes.ts';
import { idPrefixOf, orderIdIn } from '../../../protocol/clientOrderId.ts';
import type { KillOrders } from '../cancel/killOrders.ts';
import type { OwnOrders } from '../plan/killPlan.ts';
import type { LostOrder } from '../plan/attribution.ts';
import { Executions } from './executions.ts';
import { AccountFills } from './accountFills.ts';
import { changeOf } from './fillRecords.ts';
import { positionSideOf, requestTermsOf, recordedTicks, type SentSlice } from './recordedTerms.ts';

/** Facts about the end of the journal. */
export interface BooksFacts {
  /** True when the last write of the journal did not finish, so that a SEND may be missing. */
  readonly isTorn: boolean;
  /** The latest possible time of a missing SEND, venue ms. */
  readonly nowMs: number;
  /** Time after its timestamp in which the exchange may admit a request, ms. */
  readonly recvWindowMs: number;
}

/** A booked trade. */
interface BookedTrade {
  readonly tradeId: bigint;
  readonly executedMs: number;
}

/** Ends of orders that only the exchange can have reported. */
const SHOWN_ENDS: ReadonlySet<string> = new Set(['filled', 'canceled', 'expired', 'rejected']);

/** The books of one bot. */
export class JournalBooks implements OwnOrders {
  readonly state = new JournalState();
  /** What the status of each order says that it has executed. */
  readonly executions = new Executions();
  /** Index of the strategy, by client order id. */
  readonly #strategyByCid = new Map<string, number>();
  /** Whether an order closes, by client order id. */
  readonly #closesByCid = new Map<string, boolean>();
  /** Client order ids of the bot, in upper case, because services may change the case. */
  readonly #cids = new Set<string>();
  /** Prefixes of this bot's client order ids, in upper case. */
  readonly #prefixes = new Set<string>();
  /** Client order ids by venue order id. */
  readonly #cidByVenueId = new Map<string, string>();
  readonly #venueIdByCid = new Map<string, string>();
  /** Client order ids of orders whose end the exchange has shown under their venue order id. */
  readonly #shownCids = new Set<string>();
  /** Ids of waiting trigger orders, by client order id. The order that a trigger order creates has another id. */
  readonly #triggerIdByCid = new Map<string, string>();
  /** Fills that the journal has booked to the account. */
  readonly accountFills = new AccountFills();
  /** Sum of the fills in the journal, by `<instrument id> <strategy> <position side>`. */
  readonly #heldByKey = new Map<string, Decimal>();
  /** Ids of booked trades by instrument, on each side. A trade with ourselves has both. */
  readonly #bookedIds = new Map<string, Readonly<Record<Side, Set<string>>>>();
  /** Booked trades with numeric ids, by instrument. */
  readonly #bookedTrades = new Map<string, BookedTrade[]>();
  /** Strategies that have sent orders, by instrument. */
  readonly #strategiesByInstrument = new Map<string, Set<number>>();
  readonly #firstOrderMs = new Map<string, number>();
  readonly #sliceByCid = new Map<string, LostOrder>();
  readonly #instruments: ReadonlyMap<string, Instrument>;
  #facts: BooksFacts | null = null;
  #lastCid: string | null = null;

  constructor(instruments: readonly Instrument[]) {
    this.#instruments = new Map(instruments.map((instrument) => [instrument.id, instrument]));
  }

  /** Adds the next record. */
  readonly add = (record: JournalRecord): void => {
    this.state.add(record);
    if (record.k === 'INTENT') this.#addIntent(record);
    else if (record.k === 'ACK') this.setVenueId(record.cid, record.orderId);
    else if (record.k === 'FILL') this.#addFill(record);
    else if (record.k === 'STATE') this.#addState(record);
    else if (record.k === 'RESUME' && record.code === 'POST_TRADE') this.#settleExcess();
  };

  #addState({ cid, lifecycle, reason }: Extract<JournalRecord, { k: 'STATE' }>): void {
    if (lifecycle === 'unknown') this.#clearVenueId(cid);
    if (lifecycle !== 'done') this.#shownCids.delete(cid);
    if (lifecycle === 'done' && reason !== null && SHOWN_ENDS.has(reason)) this.#shownCids.add(cid);
  }

  #addIntent({ cid, strategy, reduceOnly, symbol, createdMs }: Extract<JournalRecord, { k: 'INTENT' }>): void {
    this.#noteOwnCid(cid);
    this.#strategyByCid.set(cid, strategy);
    this.#closesByCid.set(cid, reduceOnly);
    this.#lastCid = cid;
    const strategies = this.#strategiesByInstrument.get(symbol) ?? new Set();
    this.#strategiesByInstrument.set(symbol, strategies.add(strategy));
    if (!this.#firstOrderMs.has(symbol)) this.#firstOrderMs.set(symbol, createdMs);
  }

  #addFill(record: Extract<JournalRecord, { k: 'FILL' }>): void {
    const { cid, symbol, side, orderId } = record;
    if (cid !== null) this.setVenueId(cid, orderId);
    // An unattributed fill is attributed again, because its order may have been found since. The state holds back a part whose trade is not complete.
    for (const fill of this.state.unattributedFills.slice(this.accountFills.count))
      this.accountFills.add(fill, this.isOwnId(fill.orderId), this.#instruments.get(symbol));
    if (cid === null) return;
    // Orders that the venue created, such as a liquidation, have no INTENT. They close a position of the strategy that has it.
    const positionSide = positionSideOf(side, this.#closesByCid.get(cid) ?? true);
    const strategy = this.#strategyByCid.get(cid) ?? this.strategyHolding(symbol as InstrumentId, positionSide);
    this.#book(record, strategy, positionSide);
  }

  /** Leaves fills beyond what strategies held to the account: the operator has accepted that. */
  #settleExcess(): void {
    for (const { instrument, row } of this.accountFills.excess) this.#noteBookedId(instrument, row.tradeId, row.side);
    this.accountFills.settleExcess();
  }

  /** Completes the books after the last record. */
  complete(facts: BooksFacts): void {
    this.#facts = facts;
  }

  /** Returns the highest order number and the newest client order id. */
  get lastOrder(): { readonly id: number; readonly cid: string | null } {
    return { id: this.state.lastOrder, cid: this.#lastCid };
  }

  /** Returns the venue time of the newest reply that admits a delay between gateway and lists, ms, by market. */
  get incidentMs(): ReadonlyMap<Market, number> {
    const cursors = [...this.state.cursors.values()].filter(({ channel }) => channel === INCIDENT_CURSOR.channel);
    return new Map(cursors.map(({ symbol, value }) => [symbol.startsWith('spot/') ? 'spot' : 'futures', Number(value)]));
  }

  /** Books a fill of an own order. */
  #book(fill: Extract<JournalRecord, { k: 'FILL' }>, strategyIndex: number, positionSide: Side): void {
    const { symbol, tradeId, side, executedMs } = fill;
    this.#noteBookedId(symbol, tradeId, side);
    this.executions.noteBooked(symbol, fill.orderId, fill);
    const key = `${symbol} ${strategyIndex} ${positionSide}`;
    const change = changeOf(this.#instruments.get(symbol), fill);
    this.#heldByKey.set(key, (this.#heldByKey.get(key) ?? new Decimal(0)).plus(change));
    if (!/^\d+$/.test(tradeId)) return;
    const booked = this.#bookedTrades.get(symbol) ?? [];
    this.#bookedTrades.set(symbol, booked);
    booked.push({ tradeId: BigInt(tradeId), executedMs });
  }

  #noteBookedId(instrument: string, tradeId: string, side: Side): void {
    const ids = this.#bookedIds.get(instrument) ?? { buy: new Set(), sell: new Set() };
    this.#bookedIds.set(instrument, ids);
    ids[side].add(tradeId);
  }

  isOwnId(venueId: string): boolean {
    return this.#cidByVenueId.has(venueId);
  }

  /** True if an own order other than `cid` has this venue order id. */
  isTakenId(venueId: string, cid: string): boolean {
    return (this.#cidByVenueId.get(venueId) ?? cid) !== cid;
  }

  /** True also for an id of this bot that the journal does not contain: the journal may be an older copy. */
  isOwnCid(cid: string): boolean {
    const text = cid.toUpperCase();
    const prefix = idPrefixOf(text);
    return this.#cids.has(text) || (this.#prefixes.has(prefix) && orderIdIn(prefix, text) !== null);
  }
  #noteOwnCid(cid: string): void {
    const text = cid.toUpperCase();
    this.#cids.add(text);
    this.#prefixes.add(idPrefixOf(text));
  }

  /** Returns the strategy of the own order `venueId` of `instrumentId`; null: not an own order. */
  strategyOfOrder(instrumentId: InstrumentId, venueId: string): number | null {
    const cid = this.#cidByVenueId.get(venueId);
    if (cid === undefined) return null;
    return this.#strategyByCid.get(cid) ?? this.strategiesOf(instrumentId).values().next().value ?? 0;
  }
  venueIdOf(cid: string): string | null {
    return this.#venueIdByCid.get(cid) ?? null;
  }

  /** Records the venue order id of an own order. */
  setVenueId(cid: string, venueId: string): void {
    if (venueId === '') return;
    const waiting = parseTriggerTrackId(venueId);
    if (waiting !== null) {
      this.#triggerIdByCid.set(cid, waiting.triggerId);
      return;
    }
    this.#cidByVenueId.set(venueId, cid);
    if (!this.#venueIdByCid.has(cid)) this.#venueIdByCid.set(cid, venueId);
  }

  /** Records the venue order id by the client order id of a row, ignoring case, and whether the order closes, if the journal lacks it. */
  noteVenueId(rowCid: string, venueId: string, action: 'OPEN' | 'CLOSE' | null): void {
    const cid = this.#journalCidOf(rowCid);
    if (!this.#closesByCid.has(cid) && action !== null) this.#closesByCid.set(cid, action === 'CLOSE');
    this.setVenueId(cid, venueId);
  }

  /** Returns the side of the position that a trade of an own order changes. */
  positionSideOf({ venueId, side }: Pick<TradeRow, 'venueId' | 'side'>): Side {
    const cid = this.#cidByVenueId.get(venueId);
    return positionSideOf(side, (cid === undefined ? undefined : this.#closesByCid.get(cid)) ?? false);
  }

  /** Returns the venue order id that the own order with this client order id of a row, in any case, has; null without one. */
  venueIdOfRowCid(rowCid: string): string | null {
    return this.venueIdOf(this.#journalCidOf(rowCid));
  }

  /** True if the journal says that the exchange had the order with this client order id of a row under its venue order id. */
  wasShown(rowCid: string): boolean {
    const cid = this.#journalCidOf(rowCid);
    // The operator may have ended an order that the exchange did not know.
    return this.#shownCids.has(cid) && !this.state.decisions.some(({ what, id }) => what === 'resolve' && id === cid);
  }

  /** Forgets the acknowledged id of the own order with this client order id of a row, because the exchange does not have the order under it. */
  forgetWrongId(rowCid: string): void {
    this.#clearVenueId(this.#journalCidOf(rowCid));
  }

  /** Returns the client order id as the journal writes it. */
  #journalCidOf(rowCid: string): string {
    const text = rowCid.toUpperCase();
    if (this.#strategyByCid.has(rowCid)) return rowCid;
    return [...this.#strategyByCid.keys()].find((cid) => cid.toUpperCase() === text) ?? rowCid;
  }

  /** Forgets the venue order id of an order, because the exchange has given it to another order too. A list must show whose it is. */
  #clearVenueId(cid: string): void {
    const venueId = this.#venueIdByCid.get(cid);
    this.#venueIdByCid.delete(cid);
    if (venueId !== undefined && this.#cidByVenueId.get(venueId) === cid) this.#cidByVenueId.delete(venueId);
  }

  /** True when the operator has decided to ignore the order. */
  isIgnored(instrumentId: InstrumentId, venueId: string): boolean {
    return this.state.decisions.some(({ what, id }) => what === 'ignore' && id === `${instrumentId} ${venueId}`);
  }

  lostOf(instrumentId: InstrumentId): readonly LostOrder[] {
    return this.withoutVenueId.filter(({ request, cid }) => request.instrument.id === instrumentId && !this.#venueIdByCid.has(cid));
  }

  /** Returns orders without a known venue order id, slices included. */
  get withoutVenueId(): readonly LostOrder[] {
    const { unfinished, provenAbsent, refused } = this.state;
    const traces = (from: ReadonlyMap<string, OrderTrace>, hasEnded: boolean): readonly LostOrder[] =>
      [...from.values()].flatMap((trace) => this.#lostOf(trace, hasEnded) ?? []);
    return [...traces(unfinished, false), ...traces(provenAbsent, true), ...traces(refused, true), ...this.#sliceByCid.values()];
  }

  /** Returns an order without a venue order id; null if it has one or cannot have reached the exchange. */
  #lostOf(trace: OrderTrace, hasEnded: boolean): LostOrder | null {
    const { intent, send, orderId } = trace;
    const instrument = this.#instruments.get(intent.symbol);
    const isWaiting = parseTriggerTrackId(orderId) !== null;
    if (instrument === undefined || (orderId !== null && !isWaiting) || this.#facts === null) return null;
    if (!hasEnded && !isWaiting && restartOf(trace, this.#facts.isTorn).kind !== 'unknown') return null;
    return {
      cid: intent.cid,
      strategy: intent.strategy,
      amount: intent.qty === null ? intent.amount : null,
      request: requestTermsOf(instrument, intent),
      signMs: send?.signMs ?? intent.createdMs,
      // A trigger order may trigger at any time.
      latestMs: isWaiting ? Infinity : (send?.venueLatestMs ?? this.#facts.nowMs) + this.#facts.recvWindowMs,
      hasNoEffect: hasEnded || isWaiting,
      triggerTicks: recordedTicks(intent.condition ?? null, instrument),
    };
  }

  /** Adds a slice before it is sent. */
  addSlice({ cid, strategy, instrument, signMs, latestMs, ...order }: SentSlice): void {
    this.#noteOwnCid(cid);
    this.#strategyByCid.set(cid, strategy);
    this.#closesByCid.set(cid, true);
    const request = requestTermsOf(instrument, { ...order, reduceOnly: true });
    this.#sliceByCid.set(cid, { cid, strategy, amount: null, request, signMs, latestMs, hasNoEffect: false });
  }

  /** Marks a slice that had no effect and can no longer have one. */
  endSlice(cid: string): void {
    const slice = this.#sliceByCid.get(cid);
    if (slice) this.#sliceByCid.set(cid, { ...slice, hasNoEffect: true });
  }

  isBooked(instrumentId: InstrumentId, { tradeId, side }: { readonly tradeId: string; readonly side: Side }): boolean {
    return this.#bookedIds.get(instrumentId)?.[side].has(tradeId) === true;
  }

  /** Returns the sum of the fills in the journal, by strategy; below zero: short. `positionSide`: of one side of two-way mode alone. */
  heldOf(instrumentId: InstrumentId, positionSide: Side | null = null): ReadonlyMap<number, Decimal> {
    const quantities = new Map<number, Decimal>();
    for (const [key, qty] of this.#heldByKey) {
      const [id, strategy, side] = key.split(' ');
      if (id !== instrumentId || (positionSide ?? side) !== side) continue;
      quantities.set(Number(strategy), qty.plus(quantities.get(Number(strategy)) ?? 0));
    }
    return quantities;
  }

  /** Returns the strategies that have sent orders of an instrument. */
  strategiesOf(instrumentId: InstrumentId): ReadonlySet<number> {
    return this.#strategiesByInstrument.get(instrumentId) ?? new Set();
  }

  /** True for a contract whose long and short positions are separate, by the setting that the bot has sent. */
  isTwoWay(instrumentId: InstrumentId): boolean {
    const { wireName } = this.#instruments.get(instrumentId) ?? {};
    return this.state.settings.get(`${wireName} positionModel`)?.value === String(POSITION_MODEL.twoWay);
  }

  /** Returns the strategy with the largest position on a side of a contract; without a position, the first that traded it. */
  strategyHolding(instrumentId: InstrumentId, side: Side): number {
    const holdings = [...this.heldOf(instrumentId, this.isTwoWay(instrumentId) ? side : null)].map(([strategy, qty]) => ({
      strategy,
      qty: side === 'buy' ? qty : qty.negated(),
    }));
    const [largest] = holdings.toSorted((a, b) => b.qty.comparedTo(a.qty));
    return largest?.strategy ?? [...this.strategiesOf(instrumentId)][0] ?? 0;
  }

  /** Returns the positions according to the journal, as sentences. `isNet`: contracts are not in two-way mode. */
  journalPositions(isNet: boolean): readonly string[] {
    return [...this.#instruments.values()].flatMap((instrument) => {
      const sides = isNet || instrument.market === 'spot' ? [null] : (['buy', 'sell'] as const);
      return sides.flatMap((side) => {
        const sum = [...this.heldOf(instrument.id, side).values()].reduce((total, qty) => total.plus(qty), new Decimal(0));
        return sum.isZero() ? [] : [`${instrument.id}: ${sizeText(sum.toFixed(), instrument)} by the journal, not proved to be closed`];
      });
    });
  }

  /** Returns the newest booked trade before `timeMs`; null: no such trade. */
  tradeBefore(instrumentId: InstrumentId, timeMs: number): string | null {
    let newest: bigint | null = null;
    for (const { tradeId, executedMs } of this.#bookedTrades.get(instrumentId) ?? [])
      if (executedMs < timeMs && (newest === null || tradeId > newest)) newest = tradeId;
    return newest === null ? null : String(newest);
  }

  /** Returns the newest booked trade in the journal; null: none. */
  newestTrade(instrumentId: InstrumentId): { readonly tradeId: string; readonly executedMs: number } | null {
    const tradeId = this.tradeBefore(instrumentId, Infinity);
    const trade = (this.#bookedTrades.get(instrumentId) ?? []).find((booked) => String(booked.tradeId) === tradeId);
    return tradeId === null || trade === undefined ? null : { tradeId, executedMs: trade.executedMs };
  }

  /** Returns the time of the bot's first order of an instrument, ms UTC; null: it has none. */
  firstMs(instrumentId: InstrumentId): number | null {
    return this.#firstOrderMs.get(instrumentId) ?? null;
  }

  /** Returns the latest time in the journal; NaN if it is empty. */
  get lastMs(): number {
    return this.state.lastMs;
  }

  /** Returns the orders that a kill knows at its beginning. */
  get orders(): KillOrders {
    const open = new Map<InstrumentId, string[]>();
    const waiting = new Map<InstrumentId, string[]>();
    for (const { intent, orderId } of this.state.unfinished.values()) {
      const id = this.#instruments.get(intent.symbol)?.id;
      if (id === undefined || orderId === null) continue;
      const triggerId = parseTriggerTrackId(orderId)?.triggerId;
      if (triggerId === undefined) open.set(id, [...(open.get(id) ?? []), orderId]);
      else waiting.set(id, [...(waiting.get(id) ?? []), triggerId]);
    }
    const unknownUntilMs: Partial<Record<Market, number>> = {};
    for (const { request, latestMs, hasNoEffect } of this.withoutVenueId) {
      const { market } = request.instrument;
      if (!hasNoEffect) unknownUntilMs[market] = Math.max(unknownUntilMs[market] ?? -Infinity, latestMs);
    }
    const triggered = new Set([...this.state.triggerSymbols].flatMap((symbol) => this.#instruments.get(symbol)?.id ?? []));
    return { own: this, open, waiting, triggered, unknownUntilMs };
  }
}
