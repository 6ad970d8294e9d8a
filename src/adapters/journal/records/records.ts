// Defines all record kinds of a journal and their members (order-safety, section 5). Writer, reader and types use this one table.

import type { DoneReason, Lifecycle, OrderRole, Side, TimeInForce } from '../../../model/order.ts';
import type { Channel } from '../../../ports/exchange.ts';
import {
  decimal,
  facts,
  flag,
  ifWritten,
  listField,
  numbers,
  oneOf,
  orNull,
  positive,
  shares,
  text,
  whole,
  type RecordField,
} from './fields.ts';

const side = oneOf<Side>('buy', 'sell');
const role = oneOf<OrderRole>('market', 'limit', 'takeProfit', 'stopLoss', 'trailing', 'liquidation', 'condition');
const timeInForce = orNull(oneOf<TimeInForce>('IOC', 'FOK', 'POST_ONLY'));
const lifecycle = oneOf<Lifecycle>('draft', 'sent', 'unknown', 'working', 'cancelSent', 'done');
const reason = orNull(oneOf<DoneReason>('denied', 'notSent', 'refused', 'noEffect', 'filled', 'canceled', 'rejected', 'expired'));
const haltState = oneOf('HALT_NEW', 'CANCEL_ONLY', 'KILLED');

/** The terms of an order. One of `qty` and `amount` is null; `price` is null for a market order without a limit. */
const ORDER_TERMS = {
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
} as const;
/**
 * The bracket of an entry: prices, and the distance of a trailing stop. `targets`, `trailingPercent` and `trailingFrom` are written only
 * where the order has them: several targets with their shares (`takeProfit` is then the nearest), a distance in percent of the best price,
 * and the best price from which the stop trails.
 */
const BRACKET = {
  takeProfit: orNull(decimal),
  targets: ifWritten(shares),
  stopLoss: orNull(decimal),
  trailing: orNull(decimal),
  trailingPercent: ifWritten(decimal),
  trailingFrom: ifWritten(decimal),
} as const;

/** The record kinds. Members stand in the sequence in which a line has them. */
export const RECORD_KINDS = {
  /** First record of every file: the end of the previous file. A torn tail may follow that end, and is ignored. */
  SEGMENT: { format: whole, number: whole, account: text, priorSeq: whole, priorBytes: whole, priorCrc: text },
  /** The configuration of the process: at its start and after each change. */
  CONFIG: { hash: text, version: text, limits: facts, leaseMs: whole, timeScale: positive },
  /** The risk verdict on an order, and its inputs. */
  VERDICT: { cid: text, order: whole, ok: flag, code: orNull(text), inputs: facts },
  /** Risk has approved the order and reserved its worst case. */
  INTENT: {
    cid: text,
    ...ORDER_TERMS,
    fp: text,
    slot: text,
    reason: text,
    /** Number of the order to whose bracket it belongs; 0 if it has no parent. */
    parent: whole,
    ...BRACKET,
    /** The price that fired a stop leg. */
    trigger: orNull(decimal),
    /** Trigger price of a trigger order at the venue. */
    condition: orNull(decimal),
    /** True if the price must rise to the trigger. */
    rises: ifWritten(flag),
    /** Number of the trigger order that it replaces. That order is cancelled once this one is acknowledged. */
    amends: ifWritten(whole),
    riskReserve: text,
    createdMs: whole,
  },
  /**
   * The order is sent once the orders `ahead` have ended. A VERDICT follows then, or a STATE if it is withdrawn. `replaced`: side, size and
   * fills of the order that it replaces, at the time of the request; null for a reversal. `target`: the position after a reversal, below 0
   * short.
   */
  DRAFT: {
    cid: text,
    ...ORDER_TERMS,
    slot: text,
    ...BRACKET,
    condition: orNull(decimal),
    rises: flag,
    createdMs: whole,
    ahead: listField(whole),
    replaced: orNull(facts),
    target: orNull(decimal),
  },
  /** A strategy has moved the stop of an order's bracket. */
  AMEND: { cid: text, order: whole, stopLoss: decimal },
  /** Durable before the first byte is sent. `signMs`: X-CH-TS of the request; `venueLatestMs`: upper bound of the venue's time then. */
  SEND: { cid: text, signMs: whole, venueLatestMs: whole },
  ACK: { cid: text, orderId: text },
  REFUSED: { cid: text, code: text },
  /** One read of evidence. `digest`: a digest of the rows that were read; null if none is kept. */
  EVID: {
    cid: text,
    channel: oneOf<Channel>('openOrders', 'orderHistory', 'myTrades', 'balances', 'positions'),
    venueMs: whole,
    complete: flag,
    found: flag,
    digest: orNull(text),
  },
  /** `cid` null: unattributed fill (STRAY). `filled`: total of the order, including this fill; `last`: the order is completely filled. */
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
    /** Of an unattributed fill in two-way mode: the side of the contract's position that it changes. */
    long: ifWritten(flag),
  },
  /** Funding of a position; above 0 is received. */
  FUNDED: { symbol: text, long: flag, amount: decimal, paidMs: whole },
  STATE: { cid: text, lifecycle, reason, confirmed: flag, filled: decimal },
  TOMB: { cid: text },
  /** Follows the records that precede the cursor. */
  CURSOR: { symbol: text, channel: text, value: text },
  SETTING: { contract: text, name: text, value: text, confirmed: flag },
  /**
   * The number of rows that each feed has delivered, and the bars of this instant: feed, openMs, open, high, low, close, volume. `decided`
   * false: the bars passed while the bot was down. Indicators get them, but no strategy decides on them.
   */
  INSTANT: { atMs: whole, decided: flag, rows: listField(whole), bars: listField(numbers) },
  /** The funding rates of a contract that strategies may see, one for each funding time; null if not known (yet). */
  RATES: { symbol: text, times: listField(whole), rates: listField(orNull(decimal)) },
  /**
   * Values of an external series that strategies may see: the time of each, since when it is known, and the value. `ids`: what
   * distinguishes each from others of its time, such as a nonce. From `start`: what was known as the bot began.
   */
  SERIES: { name: text, from: oneOf('start', 'file', 'poll', 'webhook'), rows: listField(numbers), ids: listField(text) },
  HUMAN: { who: text, what: oneOf('adopt', 'ignore', 'resolve', 'adjust'), id: text, why: text },
  /**
   * What strategies keep at the end of an instant, by strategy: state as JSON, number of random draws, due times by timer (-1: never), and
   * whether it has started. `whole`: a start can begin here, because every strategy keeps its state and nothing else is under way.
   */
  KEPT: { atMs: whole, whole: flag, states: listField(text), draws: listField(whole), due: listField(whole), started: listField(flag) },
  /** A clean stop, before `onStop` of the strategies. `cancels`: working orders are cancelled first. */
  STOP: { cancels: flag },
  HALT: { scope: text, state: haltState, code: text, who: text, why: text },
  RESUME: { scope: text, state: haltState, code: text, who: text, why: text },
} as const satisfies Record<string, Readonly<Record<string, RecordField<unknown>>>>;

/** The type of a record, such as `INTENT`. */
export type RecordKind = keyof typeof RECORD_KINDS;
/** The type of the values that a field accepts. */
type ValueOf<F> = F extends RecordField<infer T> ? T : never;
/** The members of a record of a kind. */
export type RecordBody<K extends RecordKind> = {
  readonly [Name in keyof (typeof RECORD_KINDS)[K]]: ValueOf<(typeof RECORD_KINDS)[K][Name]>;
};

/**
 * Members of every record. `seq`: number from 1, without gaps. `t`: ms UTC of the process clock. `dur`: the highest number that was durable
 * then. `crc`: CRC-32C of everything before it in the line, eight hex digits.
 */
export interface RecordHeader<K extends RecordKind> {
  readonly seq: number;
  readonly t: number;
  readonly k: K;
  readonly dur: number;
  readonly crc: string;
}
/** A record of one kind: its head and its body. */
export type RecordOf<K extends RecordKind> = K extends RecordKind ? RecordHeader<K> & RecordBody<K> : never;
/** A record of any kind. */
export type JournalRecord = RecordOf<RecordKind>;

/** True for the name of a record kind. */
export const isRecordKind = (name: unknown): name is RecordKind => typeof name === 'string' && Object.hasOwn(RECORD_KINDS, name);
/** Format of the lines. A file of another format is rejected. */
export const FORMAT = 2;
