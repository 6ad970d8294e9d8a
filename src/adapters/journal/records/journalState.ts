// Computes the state at the end of a journal: unfinished orders, halt causes, cursors and settings.

import { assertNever } from '../../../base/assert.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { EndedOrder } from '../../../model/order.ts';
import { journalGuards } from './guards.ts';
import type { JournalRecord, RecordOf } from './records.ts';
import { SplitTrades } from './splitTrades.ts';

/** The state of one order according to its records. */
export interface OrderTrace {
  readonly intent: RecordOf<'INTENT'>;
  readonly send: RecordOf<'SEND'> | null;
  /** Venue order id; null until it is known. */
  readonly orderId: string | null;
  /**
   * The id that was taken from the order because the venue used it for another order too. Null: none was taken, or the order is identified
   * again.
   */
  readonly contestedId: string | null;
  /** The latest STATE record. */
  readonly state: RecordOf<'STATE'> | null;
  readonly fills: readonly RecordOf<'FILL'>[];
  /** Take-profit orders sent for what it has filled. */
  readonly targets: readonly RecordOf<'INTENT'>[];
  /** When it was proven absent or refused; NaN before. */
  readonly endMs: number;
}

/** An order that waits for others to end, and those of the others that have ended. */
export interface DraftTrace {
  readonly draft: RecordOf<'DRAFT'>;
  readonly ended: Map<number, OrderTrace>;
}

/** Maximum number of ended orders whose venue order ids are kept: the newest. */
const MAX_ENDED_IDS = 10_000;

/** How long to look for a refused order at the venue, ms of process time. */
export const REFUSED_WATCH_MS = 30 * 60_000;

/** How an order continues after a restart (order-safety, sections 6 and 9). It is never sent again. */
export type Restart =
  /** No byte of it can have been sent. */
  | { readonly kind: 'notSent' }
  /** `signMs`: null if its SEND record is lost. Then the venue time at the restart is the upper bound. */
  | { readonly kind: 'unknown'; readonly signMs: number | null }
  | { readonly kind: 'working' | 'cancelSent' | 'unconfirmed'; readonly orderId: string };

/** Returns how an order continues. `isTorn`: some write of the journal was incomplete, so a SEND record may be missing. */
export function restartOf({ send, orderId, state }: OrderTrace, isTorn: boolean): Restart {
  if (orderId === null) {
    if (send === null) return isTorn ? { kind: 'unknown', signMs: null } : { kind: 'notSent' };
    return journalGuards.sentIsUnknown ? { kind: 'unknown', signMs: send.signMs } : { kind: 'notSent' };
  }
  // The order exists at the venue: this bot has sent it, or the operator has adopted it.
  if (state?.lifecycle === 'done') return { kind: 'unconfirmed', orderId };
  return { kind: state?.lifecycle === 'cancelSent' ? 'cancelSent' : 'working', orderId };
}

/**
 * The channels of the cursors that form a group. `long`: the lots of the long side in two-way mode, in addition to the net lots of
 * `position`.
 */
const TOTALS: ReadonlySet<string> = new Set(['total', 'position', 'long', 'counted']);

type OrderRecordKind = 'SEND' | 'ACK' | 'REFUSED' | 'FILL' | 'STATE' | 'TOMB';

/** A trace that is changed in place, because a restart may read a million records. */
interface GrowingTrace extends OrderTrace {
  intent: OrderTrace['intent'];
  send: OrderTrace['send'];
  orderId: string | null;
  contestedId: string | null;
  state: OrderTrace['state'];
  readonly fills: RecordOf<'FILL'>[];
  readonly targets: RecordOf<'INTENT'>[];
  endMs: number;
}

/** The state, updated record by record. */
export class JournalState {
  /** Approved orders that were neither refused nor ended, by client order id, oldest first. */
  readonly unfinished = new Map<string, GrowingTrace>();
  /** Orders that were proven absent. They are kept permanently, because they may still arrive late. */
  readonly provenAbsent = new Map<string, GrowingTrace>();
  /** Orders that were refused recently. The venue may still have them. */
  readonly refused = new Map<string, GrowingTrace>();
  /** Venue order ids of the newest orders that have ended, by client order id. An order with another id is a second copy. */
  readonly endedIds = new Map<string, EndedOrder>();
  /** Orders that wait to be sent, by client order id. A kill removes all earlier ones. */
  readonly drafts = new Map<string, DraftTrace>();
  /** The highest order number, including denied orders. Client order ids contain it, and none is used twice. */
  lastOrder = 0;
  /** Current halt causes, by scope and code. */
  readonly halts = new Map<string, RecordOf<'HALT'>>();
  /** The latest cursors, by symbol and channel. */
  readonly cursors = new Map<string, RecordOf<'CURSOR'>>();
  /** Funding that no cursor includes yet, because the process ended before it wrote the cursor. Decimal money, by the cursor's key. */
  readonly unnoted = new Map<string, Decimal>();
  /** The latest settings, by contract and name. */
  readonly settings = new Map<string, RecordOf<'SETTING'>>();
  /** All instruments ever traded. */
  readonly symbols = new Set<string>();
  /** Contracts for which a trigger order was ever sent. */
  readonly triggerSymbols = new Set<string>();
  /** Fills of the account: of no known order, or what the strategy of an own order did not hold. */
  readonly unattributedFills: RecordOf<'FILL'>[] = [];
  /** Trades that were written in part. */
  readonly splitTrades = new SplitTrades();
  /** Decisions of the operator, oldest first. */
  readonly decisions: RecordOf<'HUMAN'>[] = [];
  /** Number of records by kind. */
  readonly counts = new Map<string, number>();
  /** The newest CONFIG record; null without one. */
  config: RecordOf<'CONFIG'> | null = null;
  /** Totals of a group that has not ended yet. */
  readonly #totals = new Map<string, RecordOf<'CURSOR'>>();
  /**
   * Times of the first and the last record, on the clock of the exchange. NaN: none. The head of a file is left out: a start writes it before
   * it has measured that clock.
   */
  firstMs = NaN;
  lastMs = NaN;

  /** Applies the next record. */
  readonly add = (record: JournalRecord): void => {
    this.#noteTime(record);
    switch (record.k) {
      case 'CONFIG':
        this.config = record;
        this.splitTrades.beginProcess();
        break;
      case 'HALT':
        this.#addHalt(record);
        break;
      case 'RESUME':
        this.halts.delete(`${record.scope} ${record.code}`);
        break;
      case 'CURSOR':
        this.#applyCursor(record);
        this.unnoted.delete(`${record.symbol} ${record.channel}`);
        break;
      case 'FUNDED':
        this.#addPayment(record);
        break;
      case 'SETTING':
        this.settings.set(`${record.contract} ${record.name}`, record);
        break;
      case 'HUMAN':
        this.decisions.push(record);
        break;
      case 'DRAFT':
        this.#addDraft(record);
        break;
      case 'VERDICT':
        this.drafts.delete(record.cid);
        if (record.order > this.lastOrder) this.lastOrder = record.order;
        break;
      case 'SEGMENT':
      case 'EVID':
      case 'INSTANT':
      case 'RATES':
      case 'SERIES':
      case 'STOP':
      case 'KEPT':
        break;
      case 'INTENT':
        this.#beginOrder(record);
        if ((record.condition ?? null) !== null) this.triggerSymbols.add(record.symbol);
        break;
      case 'AMEND':
        this.#amendOrder(record);
        break;
      case 'FILL':
        this.#addFill(record);
        break;
      case 'SEND':
      case 'ACK':
      case 'REFUSED':
      case 'STATE':
      case 'TOMB':
        this.#applyToOrder(record.cid, record);
        break;
      default:
        assertNever(record);
    }
  };

  /** Counts a record, and notes its time. */
  #noteTime(record: JournalRecord): void {
    this.counts.set(record.k, (this.counts.get(record.k) ?? 0) + 1);
    if (record.k === 'SEGMENT') return;
    if (Number.isNaN(this.firstMs)) this.firstMs = record.t;
    this.lastMs = record.t;
  }

  /** Adds a halt cause. A kill removes all orders that wait to be sent. */
  #addHalt(halt: RecordOf<'HALT'>): void {
    if (halt.state === 'KILLED') this.drafts.clear();
    this.halts.set(`${halt.scope} ${halt.code}`, halt);
  }

  /** Adds an order that waits for others to end. */
  #addDraft(draft: RecordOf<'DRAFT'>): void {
    this.symbols.add(draft.symbol);
    if (draft.order > this.lastOrder) this.lastOrder = draft.order;
    this.drafts.set(draft.cid, { draft, ended: new Map() });
  }

  /** Applies another stop price to an unfinished order. */
  #amendOrder({ cid, stopLoss }: RecordOf<'AMEND'>): void {
    const trace = this.unfinished.get(cid);
    if (trace !== undefined) trace.intent = { ...trace.intent, stopLoss };
  }

  /** Applies a fill to its order, or notes that it belongs to none. */
  #addFill(fill: RecordOf<'FILL'>): void {
    this.symbols.add(fill.symbol);
    if (fill.cid === null && fill.split === true) this.splitTrades.addPart(fill);
    else if (fill.cid === null) this.unattributedFills.push(fill);
    else {
      const accountPart = this.splitTrades.partOf(fill);
      if (accountPart !== undefined) this.unattributedFills.push(accountPart);
      this.#applyToOrder(fill.cid, fill);
    }
  }

  /** Begins the trace of an order. */
  #beginOrder(intent: RecordOf<'INTENT'>): void {
    this.symbols.add(intent.symbol);
    if (intent.order > this.lastOrder) this.lastOrder = intent.order;
    this.unfinished.set(intent.cid, {
      intent,
      send: null,
      orderId: null,
      contestedId: null,
      state: null,
      fills: [],
      targets: [],
      endMs: NaN,
    });
    if (intent.role === 'takeProfit') this.#addTarget(intent);
  }

  /** Applies a cursor. Totals, and the newest trade that they include, form a group, which counts only once its end was written. */
  #applyCursor(record: RecordOf<'CURSOR'>): void {
    const key = `${record.symbol} ${record.channel}`;
    if (TOTALS.has(record.channel)) this.#totals.set(key, record);
    else if (record.channel === 'noted') {
      for (const [totalKey, total] of this.#totals) this.cursors.set(totalKey, total);
      // A position of net mode has no long side: the one of an earlier run in two-way mode has ended.
      for (const { symbol, channel } of this.#totals.values())
        if (channel === 'position' && !this.#totals.has(`${symbol} long`)) this.cursors.delete(`${symbol} long`);
      this.#totals.clear();
    } else this.cursors.set(key, record);
  }

  #addPayment({ symbol, long, amount }: RecordOf<'FUNDED'>): void {
    const key = `${symbol} funding ${long ? 'buy' : 'sell'}`;
    this.unnoted.set(key, new Decimal(amount).plus(this.unnoted.get(key) ?? 0));
  }

  /** Applies a record to the trace of its order. Orders that the venue created, such as a liquidation, have no INTENT and no trace. */
  #applyToOrder(cid: string, record: RecordOf<OrderRecordKind>): void {
    const { unfinished, provenAbsent, refused } = this;
    if (record.k === 'STATE') this.drafts.delete(cid);
    const unfinishedTrace = unfinished.get(cid);
    const trace = unfinishedTrace ?? provenAbsent.get(cid) ?? refused.get(cid);
    if (!trace) return;
    applyRecord(trace, record);
    if (record.k === 'TOMB') provenAbsent.set(cid, trace);
    // The order has arrived late.
    else if (provenAbsent.size > 0) provenAbsent.delete(cid);
    if (record.k === 'REFUSED') this.#storeRefused(cid, trace);
    else if (refused.size > 0) refused.delete(cid);
    if (!endsOrder(record)) {
      if (unfinishedTrace === undefined) unfinished.set(cid, trace);
      return;
    }
    this.#applyEnd(trace);
    unfinished.delete(cid);
    if (trace.orderId !== null) this.#storeEnded(cid, trace.intent, trace.orderId);
  }

  #storeEnded(cid: string, { symbol, reduceOnly }: OrderTrace['intent'], orderId: string): void {
    const { endedIds } = this;
    endedIds.set(cid, { symbol, orderId, closes: reduceOnly });
    if (endedIds.size <= MAX_ENDED_IDS) return;
    const [oldest] = endedIds.keys();
    endedIds.delete(oldest!);
  }

  /** Notes the end of an order for the drafts that wait for it. Copies the trace, because it may still change. */
  #applyEnd(trace: OrderTrace): void {
    const { order } = trace.intent;
    for (const { draft, ended } of this.drafts.values())
      if (draft.ahead.includes(order)) ended.set(order, { ...trace, fills: [...trace.fills], targets: [...trace.targets] });
  }

  /** Adds a take-profit order to the trace of its entry. */
  #addTarget(target: RecordOf<'INTENT'>): void {
    for (const trace of this.unfinished.values()) {
      if (trace.intent.order !== target.parent) continue;
      trace.targets.push(target);
      return;
    }
  }

  /** Keeps a refused order, and forgets those that were refused too long ago. */
  #storeRefused(cid: string, trace: GrowingTrace): void {
    const { refused } = this;
    refused.set(cid, trace);
    for (const [oldest, { endMs }] of refused) {
      if (endMs > trace.endMs - REFUSED_WATCH_MS) return;
      refused.delete(oldest);
    }
  }
}

/** Adds a record to the trace of its order. */
function applyRecord(trace: GrowingTrace, record: RecordOf<OrderRecordKind>): void {
  switch (record.k) {
    case 'SEND':
      trace.send = record;
      break;
    case 'FILL':
      trace.fills.push(record);
      setVenueId(trace, record.orderId);
      break;
    case 'ACK':
      setVenueId(trace, record.orderId);
      break;
    case 'STATE':
      trace.state = record;
      if (record.lifecycle !== 'unknown') break;
      trace.contestedId = trace.orderId ?? trace.contestedId;
      trace.orderId = null;
      break;
    case 'REFUSED':
    case 'TOMB':
      trace.endMs = record.t;
      break;
    default:
      assertNever(record);
  }
}

/** Notes the order's venue order id. An empty id is ignored. */
function setVenueId(trace: GrowingTrace, id: string): void {
  if (id === '') return;
  trace.orderId = id;
  trace.contestedId = null;
}

/** True if the record ends its order. An unconfirmed terminal status does not, because it must be read again. */
function endsOrder(record: RecordOf<OrderRecordKind>): boolean {
  if (record.k === 'FILL') return record.last;
  return record.k === 'TOMB' || record.k === 'REFUSED' || (record.k === 'STATE' && record.lifecycle === 'done' && record.confirmed);
}
