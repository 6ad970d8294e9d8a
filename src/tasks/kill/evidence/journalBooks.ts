// What a journal tells a kill: which orders are ours, which of them are lost, and how much of each instrument the bot holds.

import { JournalState, restartOf, type OrderTrace } from '../../../adapters/journal/records/journalState.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { parseTriggerTrackId } from '../../../adapters/exchange/calls/triggers.ts';
import type { TradeRow } from '../../../adapters/exchange/calls/rows.ts';
import { Decimal, toScaled } from '../../../base/number/decimal.ts';
import type { Lots, Ticks } from '../../../base/brand.ts';
import { sizeText, type Instrument, type InstrumentId, type Market } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import { orderIdIn } from '../../../protocol/clientOrderId.ts';
import type { KillOrders } from '../cancel/killOrders.ts';
import type { OwnOrders } from '../plan/killPlan.ts';
import type { LostOrder } from '../plan/attribution.ts';

export interface BooksFacts {
  /** Some write of the journal did not finish: a SEND may be missing. */
  readonly isTorn: boolean;
  /** Venue ms: the latest that a lost SEND can have had. */
  readonly nowMs: number;
  /** How long the exchange may admit a request after its timestamp, ms. */
  readonly recvWindowMs: number;
}

/** A slice of the kill that is about to leave. */
export interface SentSlice {
  readonly cid: string;
  readonly strategy: number;
  readonly instrument: Instrument;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
  readonly signMs: number;
  readonly latestMs: number;
}

interface Booked {
  readonly tradeId: bigint;
  readonly executedMs: number;
}

/** So many characters of a client order id tell which bot has made it. */
const PREFIX_CHARS = 16;

/** A fill is told from others by its trade and the side of it that was ours. */
const tradeKey = (instrument: string, tradeId: string, side: Side): string => `${instrument} ${tradeId} ${side}`;

export class JournalBooks implements OwnOrders {
  readonly state = new JournalState();
  readonly #strategies = new Map<string, number>();
  /** In capitals: services may change the case. */
  readonly #cids = new Set<string>();
  /** What the client ids of this bot begin with, in capitals. */
  readonly #prefixes = new Set<string>();
  readonly #cidOf = new Map<string, string>();
  readonly #venueIds = new Map<string, string>();
  /** Ids under which condition orders wait, by client id: that of the order which comes of one is another. */
  readonly #waiting = new Map<string, string>();
  /** Fills of no order that the journal knows. */
  readonly #unattributed: { readonly instrument: string; readonly row: TradeRow }[] = [];
  /** What the fills of the journal add up to, by `<instrument id> <strategy>`. */
  readonly #held = new Map<string, Decimal>();
  readonly #trades = new Set<string>();
  readonly #booked = new Map<string, Booked[]>();
  readonly #traders = new Map<string, Set<number>>();
  readonly #firstMs = new Map<string, number>();
  readonly #slices = new Map<string, LostOrder>();
  readonly #instruments: ReadonlyMap<string, Instrument>;
  #facts: BooksFacts | null = null;
  #lastCid: string | null = null;

  constructor(instruments: readonly Instrument[]) {
    this.#instruments = new Map(instruments.map((instrument) => [instrument.id, instrument]));
  }

  /** Takes the next record. */
  readonly add = (record: JournalRecord): void => {
    this.state.add(record);
    if (record.k === 'INTENT') {
      this.#isOwn(record.cid);
      this.#strategies.set(record.cid, record.strategy);
      this.#lastCid = record.cid;
      const traders = this.#traders.get(record.symbol) ?? new Set();
      this.#traders.set(record.symbol, traders.add(record.strategy));
      if (!this.#firstMs.has(record.symbol)) this.#firstMs.set(record.symbol, record.createdMs);
    } else if (record.k === 'ACK') this.named(record.cid, record.orderId);
    // A fill without an order of ours is judged anew: its order may have been found since.
    else if (record.k === 'FILL' && record.cid === null)
      this.#unattributed.push({ instrument: record.symbol, row: unattributedRow(record) });
    else if (record.k === 'FILL' && record.cid !== null) {
      this.named(record.cid, record.orderId);
      this.#book(record, this.#strategies.get(record.cid) ?? 0);
    } else if (record.k === 'STATE' && record.lifecycle === 'unknown') this.#unnamed(record.cid);
  };

  /** To be called once the whole journal was read. */
  complete(facts: BooksFacts): void {
    this.#facts = facts;
  }

  /** The highest number of an order, and the client id that was given out last. */
  get lastOrder(): { readonly id: number; readonly cid: string | null } {
    return { id: this.state.lastOrder, cid: this.#lastCid };
  }

  #book(fill: Extract<JournalRecord, { k: 'FILL' }>, strategy: number): void {
    const { symbol, tradeId, side, executedMs } = fill;
    this.#trades.add(tradeKey(symbol, tradeId, side));
    const key = `${symbol} ${strategy}`;
    const change = changeOf(this.#instruments.get(symbol), fill);
    this.#held.set(key, (this.#held.get(key) ?? new Decimal(0)).plus(change));
    if (!/^\d+$/.test(tradeId)) return;
    const booked = this.#booked.get(symbol) ?? [];
    this.#booked.set(symbol, booked);
    booked.push({ tradeId: BigInt(tradeId), executedMs });
  }

  // --- Whose an order is

  isOwnId(venueId: string): boolean {
    return this.#cidOf.has(venueId);
  }
  /** Also one that this bot has made and the journal does not have: it may be a copy of an earlier day. */
  isOwnCid(cid: string): boolean {
    const text = cid.toUpperCase();
    const prefix = text.slice(0, PREFIX_CHARS);
    return this.#cids.has(text) || (this.#prefixes.has(prefix) && orderIdIn(prefix, text) !== null);
  }
  #isOwn(cid: string): void {
    const text = cid.toUpperCase();
    this.#cids.add(text);
    this.#prefixes.add(text.slice(0, PREFIX_CHARS));
  }
  /** The strategy of `instrument` whose order `venueId` is; null: not one of ours. */
  strategyOfOrder(instrument: InstrumentId, venueId: string): number | null {
    const cid = this.#cidOf.get(venueId);
    if (cid === undefined) return null;
    return this.#strategies.get(cid) ?? this.strategiesOf(instrument).values().next().value ?? 0;
  }
  venueIdOf(cid: string): string | null {
    return this.#venueIds.get(cid) ?? null;
  }
  /** The exchange has this order of ours under this id. */
  named(cid: string, venueId: string): void {
    if (venueId === '') return;
    const waiting = parseTriggerTrackId(venueId);
    if (waiting !== null) {
      this.#waiting.set(cid, waiting.triggerId);
      return;
    }
    this.#cidOf.set(venueId, cid);
    if (!this.#venueIds.has(cid)) this.#venueIds.set(cid, venueId);
  }
  /** The same by the client id of a row, in whatever case it is written. */
  namedBy(rowCid: string, venueId: string): void {
    const text = rowCid.toUpperCase();
    const cid = this.#strategies.has(rowCid)
      ? rowCid
      : ([...this.#strategies.keys()].find((each) => each.toUpperCase() === text) ?? rowCid);
    this.named(cid, venueId);
  }
  /** The exchange has given its id to another order too: it counts as the id of none until a list says whose it is. */
  #unnamed(cid: string): void {
    const venueId = this.#venueIds.get(cid);
    this.#venueIds.delete(cid);
    if (venueId !== undefined && this.#cidOf.get(venueId) === cid) this.#cidOf.delete(venueId);
  }
  /** A person has said that it is somebody else's. */
  isIgnored(instrument: InstrumentId, venueId: string): boolean {
    return this.state.decisions.some(({ what, id }) => what === 'ignore' && id === `${instrument} ${venueId}`);
  }

  lostOf(instrument: InstrumentId): readonly LostOrder[] {
    return this.withoutVenueId.filter(({ request, cid }) => request.instrument.id === instrument && !this.#venueIds.has(cid));
  }
  /** Orders whose id at the exchange the journal does not have, slices included. */
  get withoutVenueId(): readonly LostOrder[] {
    const { unfinished, provenAbsent, refused } = this.state;
    const traces = (from: ReadonlyMap<string, OrderTrace>, isOver: boolean): readonly LostOrder[] =>
      [...from.values()].flatMap((trace) => this.#lostOf(trace, isOver) ?? []);
    return [...traces(unfinished, false), ...traces(provenAbsent, true), ...traces(refused, true), ...this.#slices.values()];
  }

  #lostOf(trace: OrderTrace, isOver: boolean): LostOrder | null {
    const { intent, send, orderId } = trace;
    const instrument = this.#instruments.get(intent.symbol);
    const isWaiting = parseTriggerTrackId(orderId) !== null;
    if (instrument === undefined || (orderId !== null && !isWaiting) || this.#facts === null) return null;
    if (!isOver && !isWaiting && restartOf(trace, this.#facts.isTorn).kind !== 'unknown') return null;
    return {
      cid: intent.cid,
      strategy: intent.strategy,
      amount: intent.qty === null ? intent.amount : null,
      request: wantedOf(instrument, intent),
      signMs: send?.signMs ?? intent.createdMs,
      // It may fire at any time.
      latestMs: isWaiting ? Infinity : (send?.venueLatestMs ?? this.#facts.nowMs) + this.#facts.recvWindowMs,
      isOver: isOver || isWaiting,
      triggerTicks: ticksOf(intent.condition ?? null, instrument),
    };
  }

  sliceSent({ cid, strategy, instrument, signMs, latestMs, ...order }: SentSlice): void {
    this.#isOwn(cid);
    this.#strategies.set(cid, strategy);
    const request = wantedOf(instrument, { ...order, reduceOnly: true });
    this.#slices.set(cid, { cid, strategy, amount: null, request, signMs, latestMs, isOver: false });
  }
  /** It had no effect, and never will have. */
  sliceOver(cid: string): void {
    const slice = this.#slices.get(cid);
    if (slice) this.#slices.set(cid, { ...slice, isOver: true });
  }

  // --- What is held

  isBooked(instrument: InstrumentId, { tradeId, side }: { readonly tradeId: string; readonly side: Side }): boolean {
    return this.#trades.has(tradeKey(instrument, tradeId, side));
  }
  /** Fills that the journal has without an order: the lists of the exchange may not reach back to them any more. */
  unattributedOf(instrument: InstrumentId): readonly TradeRow[] {
    return this.#unattributed.flatMap((each) => (each.instrument === instrument ? [each.row] : []));
  }
  /** What the fills of the journal add up to, by strategy; below zero: short. */
  heldOf(instrument: InstrumentId): ReadonlyMap<number, Decimal> {
    const own = [...this.#held].filter(([key]) => key.startsWith(`${instrument} `));
    return new Map(own.map(([key, qty]) => [Number(key.slice(instrument.length + 1)), qty]));
  }
  /** Strategies that have sent orders of an instrument. */
  strategiesOf(instrument: InstrumentId): ReadonlySet<number> {
    return this.#traders.get(instrument) ?? new Set();
  }
  /** The strategy that holds most on a side of a contract; the first of its traders where none does. */
  strategyHolding(instrument: InstrumentId, side: Side): number {
    const held = [...this.heldOf(instrument)].map(([strategy, qty]) => ({ strategy, qty: side === 'buy' ? qty : qty.negated() }));
    const [max] = held.toSorted((a, b) => b.qty.comparedTo(a.qty));
    return max?.strategy ?? [...this.strategiesOf(instrument)][0] ?? 0;
  }
  /** What the journal says is held, in sentences. */
  get believed(): readonly string[] {
    return [...this.#instruments.values()].flatMap((instrument) => {
      const sum = [...this.heldOf(instrument.id).values()].reduce((all, qty) => all.plus(qty), new Decimal(0));
      return sum.isZero() ? [] : [`${instrument.id}: ${sizeText(sum.toFixed(), instrument)} by the journal, not proved to be closed`];
    });
  }
  /** The newest booked trade from before `ms`; null: there is none. */
  tradeBefore(instrument: InstrumentId, ms: number): string | null {
    let newest: bigint | null = null;
    for (const { tradeId, executedMs } of this.#booked.get(instrument) ?? [])
      if (executedMs < ms && (newest === null || tradeId > newest)) newest = tradeId;
    return newest === null ? null : String(newest);
  }
  /** The newest trade that the journal has booked; null: there is none. */
  newestTrade(instrument: InstrumentId): { readonly tradeId: string; readonly executedMs: number } | null {
    const tradeId = this.tradeBefore(instrument, Infinity);
    const found = (this.#booked.get(instrument) ?? []).find((each) => String(each.tradeId) === tradeId);
    return tradeId === null || found === undefined ? null : { tradeId, executedMs: found.executedMs };
  }
  /** When the bot decided on its first order of an instrument; null: it has none. */
  firstMs(instrument: InstrumentId): number | null {
    return this.#firstMs.get(instrument) ?? null;
  }
  /** The latest time that the journal knows of; NaN for an empty one. */
  get lastMs(): number {
    return this.state.lastMs;
  }

  /** What a kill knows as it begins. */
  get orders(): KillOrders {
    const open = new Map<InstrumentId, string[]>();
    const waiting = new Map<InstrumentId, string[]>();
    for (const { intent, orderId } of this.state.unfinished.values()) {
      const id = this.#instruments.get(intent.symbol)?.id;
      if (id === undefined || orderId === null) continue;
      const triggerId = parseTriggerTrackId(orderId)?.triggerId;
      const [ids, known] = triggerId === undefined ? [open, orderId] : [waiting, triggerId];
      ids.set(id, [...(ids.get(id) ?? []), known]);
    }
    const latest: Partial<Record<Market, number>> = {};
    for (const { request, latestMs, isOver } of this.withoutVenueId) {
      const { market } = request.instrument;
      if (!isOver) latest[market] = Math.max(latest[market] ?? -Infinity, latestMs);
    }
    return { own: this, open, waiting, unknownUntilMs: latest };
  }
}

/** As the lists of the exchange show it. */
function unattributedRow({
  tradeId,
  orderId,
  side,
  price,
  qty,
  fee,
  feeCoin,
  maker,
  executedMs,
}: Extract<JournalRecord, { k: 'FILL' }>): TradeRow {
  return { tradeId, venueId: orderId, otherId: null, side, price, qty, fee, feeCoin, isMaker: maker, timeMs: executedMs };
}

const ticksOf = (price: string | null, { priceDigits }: Instrument): number => (price === null ? 0 : (toScaled(price, priceDigits) ?? 0));

function wantedOf(
  instrument: Instrument,
  order: { readonly side: Side; readonly qty: string | null; readonly price: string | null; readonly reduceOnly: boolean },
): LostOrder['request'] {
  const { side, qty, price, reduceOnly } = order;
  return {
    instrument,
    side,
    reduceOnly,
    lots: (qty === null ? 0 : (toScaled(qty, instrument.quantityDigits) ?? 0)) as Lots,
    limit: ticksOf(price, instrument) as Ticks,
  };
}

/** What a fill changes of a position: bought above zero, less a fee that was taken in the coin itself. */
export function changeOf(
  instrument: Instrument | undefined,
  fill: { readonly side: Side; readonly qty: string; readonly fee: string; readonly feeCoin: string | null },
): Decimal {
  const traded = fill.side === 'buy' ? new Decimal(fill.qty) : new Decimal(fill.qty).negated();
  const isOfBase = instrument?.market === 'spot' && fill.feeCoin === instrument.base;
  return isOfBase ? traded.minus(fill.fee) : traded;
}
