// Defines all record kinds of a journal and their members (order-safety, section 5). Writer, reader and types use this one table.

import type { DoneReason, Lifecycle, OrderRole, Side, TimeInForce } from '../../../model/order.ts';
import type { Channel } from '../../../ports/exchange.ts';
import {
  decimalField,
  factsField,
  flagField,
  ifWritten,
  listField,
  numbersField,
  choiceField,
  orNull,
  positiveField,
  sharesField,
  textField,
  integerField,
  type RecordField,
} from './fields.ts';

const side = choiceField<Side>('buy', 'sell');
const role = choiceField<OrderRole>('market', 'limit', 'takeProfit', 'stopLoss', 'trailing', 'liquidation', 'condition');
const timeInForce = orNull(choiceField<TimeInForce>('IOC', 'FOK', 'POST_ONLY'));
const lifecycle = choiceField<Lifecycle>('draft', 'sent', 'unknown', 'working', 'cancelSent', 'done');
const reason = orNull(choiceField<DoneReason>('denied', 'notSent', 'refused', 'noEffect', 'filled', 'canceled', 'rejected', 'expired'));
const haltState = choiceField('HALT_NEW', 'CANCEL_ONLY', 'KILLED');

/** The terms of an order. One of `qty` and `amount` is null; `price` is null for a market order without a limit. */
const ORDER_TERMS = {
  order: integerField,
  strategy: integerField,
  symbol: textField,
  side,
  role,
  qty: orNull(decimalField),
  amount: orNull(decimalField),
  price: orNull(decimalField),
  reduceOnly: flagField,
  timeInForce,
} as const;
/**
 * The bracket of an entry: prices, and the distance of a trailing stop. `targets`, `trailingPercent` and `trailingFrom` are written only
 * where the order has them: several targets with their shares (`takeProfit` is then the nearest), a distance in percent of the best price,
 * and the best price from which the stop trails.
 */
const BRACKET = {
  takeProfit: orNull(decimalField),
  targets: ifWritten(sharesField),
  stopLoss: orNull(decimalField),
  trailing: orNull(decimalField),
  trailingPercent: ifWritten(decimalField),
  trailingFrom: ifWritten(decimalField),
} as const;

/** The record kinds. Members stand in the sequence in which a line has them. */
export const RECORD_KINDS = {
  /** First record of every file: the end of the previous file. A torn tail may follow that end, and is ignored. */
  SEGMENT: {
    format: integerField,
    number: integerField,
    account: textField,
    priorSeq: integerField,
    priorBytes: integerField,
    priorCrc: textField,
    /** True when the process that wrote the previous file continues. */
    goesOn: ifWritten(flagField),
  },
  /** The configuration of the process: at its start and after each change. */
  CONFIG: { hash: textField, version: textField, limits: factsField, leaseMs: integerField, timeScale: positiveField },
  /** The risk verdict on an order, and its inputs. */
  VERDICT: { cid: textField, order: integerField, ok: flagField, code: orNull(textField), inputs: factsField },
  /** Risk has approved the order and reserved its worst case. */
  INTENT: {
    cid: textField,
    ...ORDER_TERMS,
    fp: textField,
    slot: textField,
    reason: textField,
    /** Number of the order to whose bracket it belongs; 0 if it has no parent. */
    parent: integerField,
    ...BRACKET,
    /** The price that fired a stop leg. */
    trigger: orNull(decimalField),
    /** Trigger price of a trigger order at the venue. */
    condition: orNull(decimalField),
    /** True if the price must rise to the trigger. */
    rises: ifWritten(flagField),
    /** Number of the trigger order that it replaces. That order is cancelled once this one is acknowledged. */
    amends: ifWritten(integerField),
    riskReserve: textField,
    createdMs: integerField,
  },
  /**
   * The order is sent once the orders `ahead` have ended. A VERDICT follows then, or a STATE if it is withdrawn. `replaced`: side, size and
   * fills of the order that it replaces, at the time of the request; null for a reversal. `target`: the position after a reversal, below 0
   * short.
   */
  DRAFT: {
    cid: textField,
    ...ORDER_TERMS,
    slot: textField,
    ...BRACKET,
    condition: orNull(decimalField),
    rises: flagField,
    createdMs: integerField,
    ahead: listField(integerField),
    replaced: orNull(factsField),
    target: orNull(decimalField),
  },
  /** A strategy has moved the stop of an order's bracket. */
  AMEND: { cid: textField, order: integerField, stopLoss: decimalField },
  /** Durable before the first byte is sent. `signMs`: X-CH-TS of the request; `venueLatestMs`: upper bound of the venue's time then. */
  SEND: { cid: textField, signMs: integerField, venueLatestMs: integerField },
  ACK: { cid: textField, orderId: textField },
  REFUSED: { cid: textField, code: textField },
  /** One read of evidence. `digest`: a digest of the rows that were read; null if none is kept. */
  EVID: {
    cid: textField,
    channel: choiceField<Channel>('openOrders', 'orderHistory', 'myTrades', 'balances', 'positions'),
    venueMs: integerField,
    complete: flagField,
    found: flagField,
    digest: orNull(textField),
  },
  /** `cid` null: unattributed fill (STRAY). `filled`: total of the order, including this fill; `last`: the order is completely filled. */
  FILL: {
    cid: orNull(textField),
    tradeId: textField,
    orderId: textField,
    symbol: textField,
    side,
    qty: decimalField,
    price: decimalField,
    notional: decimalField,
    fee: decimalField,
    feeCoin: textField,
    maker: flagField,
    executedMs: integerField,
    filled: decimalField,
    last: flagField,
    /** Of an unattributed fill in two-way mode: the side of the contract's position that it changes. */
    long: ifWritten(flagField),
    /** Of an unattributed fill: true when it is a part of a trade, and the FILL of the order's part follows. */
    split: ifWritten(flagField),
  },
  /** Funding of a position; above 0 is received. */
  FUNDED: { symbol: textField, long: flagField, amount: decimalField, paidMs: integerField },
  STATE: { cid: textField, lifecycle, reason, confirmed: flagField, filled: decimalField },
  TOMB: { cid: textField },
  /** Follows the records that precede the cursor. */
  CURSOR: { symbol: textField, channel: textField, value: textField },
  SETTING: { contract: textField, name: textField, value: textField, confirmed: flagField },
  /**
   * The number of rows that each feed has delivered, and the bars of this instant: feed, openMs, open, high, low, close, volume. `decided`
   * false: the bars passed while the bot was down. Indicators get them, but no strategy decides on them.
   */
  INSTANT: { atMs: integerField, decided: flagField, rows: listField(integerField), bars: listField(numbersField) },
  /** The funding rates of a contract that strategies may see, one for each funding time; null if not known (yet). */
  RATES: { symbol: textField, times: listField(integerField), rates: listField(orNull(decimalField)) },
  /**
   * Values of an external series that strategies may see: the time of each, since when it is known, and the value. `ids`: what
   * distinguishes each from others of its time, such as a nonce. From `start`: what was known as the bot began.
   */
  SERIES: {
    name: textField,
    from: choiceField('start', 'file', 'poll', 'webhook'),
    rows: listField(numbersField),
    ids: listField(textField),
  },
  HUMAN: { who: textField, what: choiceField('adopt', 'ignore', 'resolve', 'adjust'), id: textField, why: textField },
  /**
   * What strategies keep at the end of an instant, by strategy: state as JSON, number of random draws, due times by timer (-1: never), and
   * whether it has started. `whole`: a start can begin here, because every strategy keeps its state and nothing else is under way.
   */
  KEPT: {
    atMs: integerField,
    whole: flagField,
    states: listField(textField),
    draws: listField(integerField),
    due: listField(integerField),
    started: listField(flagField),
  },
  /** A clean stop, before `onStop` of the strategies. `cancels`: working orders are cancelled first. */
  STOP: { cancels: flagField },
  HALT: { scope: textField, state: haltState, code: textField, who: textField, why: textField },
  RESUME: { scope: textField, state: haltState, code: textField, who: textField, why: textField },
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
export const JOURNAL_FORMAT = 2;
