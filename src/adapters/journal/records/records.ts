// Every kind of record that a journal holds (order-safety, section 5), with its members: one table for the writer, the reader and the types.

import type { DoneReason, Lifecycle, OrderRole, Side, TimeInForce } from '../../../model/order.ts';
import type { Channel } from '../../../ports/exchange.ts';
import { decimal, facts, flag, ifWritten, listField, numbers, oneOf, orNull, positive, text, whole, type RecordField } from './fields.ts';

const side = oneOf<Side>('buy', 'sell');
const role = oneOf<OrderRole>('market', 'limit', 'takeProfit', 'stopLoss', 'trailing', 'liquidation', 'condition');
const timeInForce = orNull(oneOf<TimeInForce>('IOC', 'FOK', 'POST_ONLY'));
const lifecycle = oneOf<Lifecycle>('draft', 'sent', 'unknown', 'working', 'cancelSent', 'done');
const reason = orNull(oneOf<DoneReason>('denied', 'notSent', 'refused', 'noEffect', 'filled', 'canceled', 'rejected', 'expired'));
const haltState = oneOf('HALT_NEW', 'CANCEL_ONLY', 'KILLED');

export const RECORD_KINDS = {
  /** The first of every file: how the file before it ended, of which a torn rest may follow that counts for nothing. */
  SEGMENT: { format: whole, number: whole, account: text, priorSeq: whole, priorBytes: whole, priorCrc: text },
  /** What the process runs with: at its start, and when it changes. */
  CONFIG: { hash: text, version: text, limits: facts, leaseMs: whole, timeScale: positive },
  /** What risk said of an order, and on what that rests. */
  VERDICT: { cid: text, order: whole, ok: flag, code: orNull(text), inputs: facts },
  /** Risk has approved and reserved. One of `qty` and `amount` is null; `price` is null for a market order without a limit. */
  INTENT: {
    cid: text,
    order: whole,
    strategy: whole,
    symbol: text,
    side,
    role,
    qty: orNull(decimal),
    amount: orNull(decimal),
    price: orNull(decimal),
    reduceOnly: flag,
    timeInForce,
    fp: text,
    slot: text,
    reason: text,
    /** Number of the order whose bracket it belongs to; 0: none. */
    parent: whole,
    /** What guards an entry: prices, and the distance of a trailing stop. Of a stop leg, the price that set it off. */
    takeProfit: orNull(decimal),
    stopLoss: orNull(decimal),
    trailing: orNull(decimal),
    trigger: orNull(decimal),
    /** The price that a condition order waits for at the exchange. */
    condition: orNull(decimal),
    /** That price has to rise to it. */
    rises: ifWritten(flag),
    riskReserve: text,
    createdMs: whole,
  },
  /**
   * The order waits until the orders `ahead` have ended, and is sent then: a VERDICT of its own follows, or a STATE where it is withdrawn.
   * `replaced`: side, size and what was filled of the order that it replaces, when it was asked for; null for a reversal. `target`: what a
   * reversal is to come to hold, below 0 short.
   */
  DRAFT: {
    cid: text,
    order: whole,
    strategy: whole,
    symbol: text,
    side,
    role,
    qty: orNull(decimal),
    amount: orNull(decimal),
    price: orNull(decimal),
    reduceOnly: flag,
    timeInForce,
    slot: text,
    takeProfit: orNull(decimal),
    stopLoss: orNull(decimal),
    trailing: orNull(decimal),
    condition: orNull(decimal),
    rises: flag,
    createdMs: whole,
    ahead: listField(whole),
    replaced: orNull(facts),
    target: orNull(decimal),
  },
  /** On the disk before the first byte leaves. `signMs`: the X-CH-TS of the request; `venueLatestMs`: the latest that venue time can have been. */
  SEND: { cid: text, signMs: whole, venueLatestMs: whole },
  ACK: { cid: text, orderId: text },
  REFUSED: { cid: text, code: text },
  /** One read of a resolver. `digest`: of what was read; null where nobody keeps it. */
  EVID: {
    cid: text,
    channel: oneOf<Channel>('openOrders', 'orderHistory', 'myTrades', 'balances', 'positions'),
    venueMs: whole,
    complete: flag,
    found: flag,
    digest: orNull(text),
  },
  /** `cid` null: of no order that we know (STRAY). `filled`: of the order, this one included; `last`: nothing of it remains. */
  FILL: {
    cid: orNull(text),
    tradeId: text,
    orderId: text,
    symbol: text,
    side,
    qty: decimal,
    price: decimal,
    notional: decimal,
    fee: decimal,
    feeCoin: text,
    maker: flag,
    executedMs: whole,
    filled: decimal,
    last: flag,
  },
  /** Funding of a position: money received, below 0 paid. */
  FUNDED: { symbol: text, long: flag, amount: decimal, paidMs: whole },
  STATE: { cid: text, lifecycle, reason, confirmed: flag, filled: decimal },
  TOMB: { cid: text },
  /** After the records of what lies before it. */
  CURSOR: { symbol: text, channel: text, value: text },
  SETTING: { contract: text, name: text, value: text, confirmed: flag },
  /**
   * Rows that each feed has delivered so far, and the bars of this instant: feed, openMs, open, high, low, close, volume. `decided` false:
   * the bars went by while the bot was down. Indicators get them, and no strategy decides on them.
   */
  INSTANT: { atMs: whole, decided: flag, rows: listField(whole), bars: listField(numbers) },
  /** What strategies may know of the funding of a contract: a rate for each funding time, null where it is not known (yet). */
  RATES: { symbol: text, times: listField(whole), rates: listField(orNull(decimal)) },
  HUMAN: { who: text, what: oneOf('adopt', 'ignore', 'resolve', 'adjust'), id: text, why: text },
  /**
   * What strategies keep, at the end of an instant: a state as JSON, how often chance was drawn, when timers are due next, whether it has
   * started; each by strategy, due times by timer (-1: never). `whole`: a start can begin here, because every strategy keeps and nothing
   * else is under way.
   */
  KEPT: { atMs: whole, whole: flag, states: listField(text), draws: listField(whole), due: listField(whole), started: listField(flag) },
  /** A clean stop, before `onStop` of the strategies. `cancels`: working orders are cancelled first. */
  STOP: { cancels: flag },
  HALT: { scope: text, state: haltState, code: text, who: text, why: text },
  RESUME: { scope: text, state: haltState, code: text, who: text, why: text },
} as const satisfies Record<string, Readonly<Record<string, RecordField<unknown>>>>;

export type RecordKind = keyof typeof RECORD_KINDS;
type Of<F> = F extends RecordField<infer T> ? T : never;
/** What a record of a kind says. */
export type RecordBody<K extends RecordKind> = { readonly [Name in keyof (typeof RECORD_KINDS)[K]]: Of<(typeof RECORD_KINDS)[K][Name]> };

/**
 * `seq`: from 1, without gaps. `t`: ms UTC by the clock of the process. `dur`: the newest number that was known to last when this was
 * appended. `crc`: CRC-32C of all of the line that stands before it, eight hex digits.
 */
export interface RecordHeader<K extends RecordKind> {
  readonly seq: number;
  readonly t: number;
  readonly k: K;
  readonly dur: number;
  readonly crc: string;
}
export type RecordOf<K extends RecordKind> = K extends RecordKind ? RecordHeader<K> & RecordBody<K> : never;
export type JournalRecord = RecordOf<RecordKind>;

export const isRecordKind = (name: unknown): name is RecordKind => typeof name === 'string' && Object.hasOwn(RECORD_KINDS, name);
/** The format of the lines; a file of another one is refused. */
export const FORMAT = 2;
