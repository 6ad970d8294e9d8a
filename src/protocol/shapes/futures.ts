// Describes the replies of the signed futures endpoints about orders: creates, queries, histories, own trades and trigger orders.

import { ORDER_SOURCES, ORDER_TYPES, TIME_IN_FORCE, TRIGGER_STATUSES, TRIGGER_TYPES, codeOf, readCode } from './codes.ts';
import type { CodeReading, TimeInForceWord } from './codes.ts';
import { isObject, jsonNumber, jsonObject, type Json } from '../json/json.ts';
import {
  doneAnswer,
  envelope,
  hasSuccessCode,
  listAnswer,
  listFrom,
  objectFrom,
  recordAnswer,
  recordOrNoneAnswer,
  readRows,
  type AnswerShape,
  type Listing,
} from './answer.ts';
import { clientIdField, required, nullable, optional, wireRecord } from './record.ts';
import { idsIn, withOwnId } from './spot.ts';
import { codeValue, futuresStatus, statusCode } from './codeValue.ts';
import {
  wireAction,
  wireClientId,
  wireDecimal,
  wireDecimalString,
  wireFlag,
  wireId,
  wireIdOrNone,
  wireIdString,
  idText,
  wireInteger,
  Mismatch,
  memberOf,
  wirePrice,
  scalarText,
  wireSide,
  wireText,
  wireTime,
  wireUpperText,
  wireZonelessTime,
  type Value,
} from './value.ts';

const orderId = wireRecord({ orderId: required(wireIdString) });
/** The reply to a create, and to a cancel. An acknowledged cancel may still fail. */
export const orderIdAnswer = recordAnswer(orderId, '{orderId}');

/** The time in force; null if the order has none. Some services then send LIMIT or MARKET. */
const timeInForce: Value<CodeReading<TimeInForceWord> | null> = {
  kind: 'timeInForce',
  read(json) {
    const codeText = scalarText(json);
    if (codeText === null) throw new Mismatch('a time in force', json);
    return codeText === '' ? null : readCode(TIME_IN_FORCE, codeText);
  },
  write(value, { timeInForceRead }) {
    if (value === null) return '';
    const number = codeOf(TIME_IN_FORCE, value.word);
    if (number === null) return value.raw;
    if (timeInForceRead === 'code') return String(number);
    return value.word === 'LIMIT' || value.word === 'MARKET' ? '' : value.word;
  },
};

/** An order. Volumes are contracts; only `origQty` of a MARKET OPEN may be a value. `fills` is not read, because it is not documented. */
export type FuturesOrder = ReturnType<typeof futuresOrder.read>;
const futuresOrder = wireRecord({
  side: required(wireSide),
  executedQty: required(wireDecimal),
  orderId: required(wireId),
  origQty: required(wireDecimal),
  avgPrice: optional(wireDecimal),
  tradeFee: optional(wireDecimal),
  realizedAmount: optional(wireDecimal),
  type: optional(codeValue(ORDER_TYPES, 'word')),
  price: optional(wireDecimal),
  timeMs: optional(wireTime, 'transactTime', 'time'),
  action: required(wireAction),
  contractName: required(wireUpperText),
  timeInForce: optional(timeInForce),
  status: required(futuresStatus),
});

/** The reply to a query of an order. Null has no information: the order may still exist. */
export const futuresOrderAnswer = recordOrNoneAnswer(futuresOrder, 'order, or an envelope with data null', (json, { orderQueryShape }) => {
  const withFills = isObject(json) ? new Map<string, Json>([...json, ['fills', []]]) : json;
  return orderQueryShape === 'array' ? [withFills] : withFills;
});
/** The reply to the list of open orders. */
export const futuresOpenOrdersAnswer = listAnswer(futuresOrder, {
  shape: 'envelope with a list of orders, or null',
  write: (rows, { futuresOpenOrders, okMsg }) => (futuresOpenOrders === 'bare' ? rows : envelope(rows.length === 0 ? null : rows, okMsg)),
});

/** An order of the history, the only futures list with client order ids. `ctimeMs` is its time; `ctime` is for display. */
export type OrderHistoryRow = ReturnType<typeof orderHistoryRow.read>;
const orderHistoryRow = wireRecord({
  side: required(wireSide),
  clientId: clientIdField(wireClientId),
  ctimeMs: required(wireTime),
  positionType: nullable(wireInteger),
  orderId: required(wireId),
  avgPrice: nullable(wireDecimal),
  realizedAmount: optional(wireDecimal),
  fee: optional(wireDecimal),
  openOrClose: required(wireAction),
  leverageLevel: nullable(wireInteger),
  source: optional(codeValue(ORDER_SOURCES, 'integer')),
  type: required(codeValue(ORDER_TYPES, 'integer')),
  volume: required(wireDecimal),
  dealVolume: required(wireDecimal),
  price: nullable(wireDecimal),
  contractId: nullable(wireInteger),
  ctime: optional(wireZonelessTime),
  contractName: required(wireUpperText),
  dealMoney: nullable(wireDecimal),
  status: required(statusCode),
  openTakerFeeRate: optional(wireDecimal),
  openMakerFeeRate: optional(wireDecimal),
  closeTakerFeeRate: optional(wireDecimal),
  closeMakerFeeRate: optional(wireDecimal),
});
const bare = (rows: readonly Json[]): Json => rows;
/** The reply to the order history. */
export const orderHistoryAnswer = listAnswer(orderHistoryRow, { shape: 'list of orders', write: bare });

/** One reduction of a position. historyRealizedAmount = closeProfit + tradeFee + capitalFee; fees are negative. */
export type ProfitHistoryRow = ReturnType<typeof profitHistoryRow.read>;
const profitHistoryRow = wireRecord({
  id: required(wireId),
  contractId: nullable(wireInteger),
  contractName: optional(wireUpperText),
  side: required(wireSide),
  positionType: nullable(wireInteger),
  leverageLevel: nullable(wireInteger),
  volume: required(wireDecimal),
  openPrice: nullable(wireDecimal),
  openEndPrice: nullable(wireDecimal),
  closeProfit: required(wireDecimal),
  tradeFee: required(wireDecimal),
  capitalFee: required(wireDecimal),
  shareAmount: nullable(wireDecimal),
  settleProfit: nullable(wireDecimal),
  realizedAmount: nullable(wireDecimal),
  historyRealizedAmount: required(wireDecimal),
  ctimeMs: required(wireTime, 'ctime'),
  mtimeMs: nullable(wireTime, 'mtime'),
});
/** The reply to the profit history. */
export const profitHistoryAnswer = listAnswer(profitHistoryRow, { shape: 'list of reductions of positions', write: bare });

/** A fill of the account. `amount` = price x quantity x multiplier. */
export type FuturesFill = ReturnType<typeof futuresFill.read>;
const futuresFill = withOwnId(
  wireRecord({
    symbol: optional(wireUpperText),
    contractName: required(wireUpperText),
    tradeId: required(wireId),
    side: optional(wireSide),
    isBuyer: required(wireFlag),
    isMaker: required(wireFlag),
    bidId: nullable(wireIdOrNone),
    askId: nullable(wireIdOrNone),
    bidUserId: nullable(wireIdOrNone),
    askUserId: nullable(wireIdOrNone),
    price: required(wirePrice),
    quantity: required(wireDecimal, 'qty'),
    amount: optional(wireDecimal),
    fee: required(wireDecimalString),
    timeMs: required(wireTime, 'time'),
  }),
);
/** The reply to the list of own trades. */
export const futuresFillsAnswer = listAnswer(futuresFill, { shape: 'list of own trades', write: bare });

/** The ids of created trigger orders, of orders created with them, and of orders that they cancelled. */
export interface TriggerOrderCreated {
  /** At least one id. */
  readonly triggerIds: readonly string[];
  readonly ids: readonly string[];
  readonly cancelIds: readonly string[];
}
/** The reply to the create of a trigger order. */
export const triggerOrderCreatedAnswer: AnswerShape<TriggerOrderCreated> = {
  shape: 'envelope with {triggerIds, ids, cancelIds}',
  container: { kind: 'own' },
  row: null,
  read(json) {
    const data = objectFrom(json);
    const singleId = idText(data?.get('orderId') ?? null);
    const triggerIds = singleId === null ? idsIn(memberOf(data ?? undefined, 'triggerIds')) : [singleId];
    if (!triggerIds || triggerIds.length === 0) throw new Mismatch('trigger ids', json);
    return { triggerIds, ids: idsIn(data?.get('ids')) ?? [], cancelIds: idsIn(data?.get('cancelIds')) ?? [] };
  },
  write: ({ triggerIds, ids, cancelIds }) => envelope(jsonObject({ triggerIds, ids, cancelIds }), 'Success', true),
};

/** A trigger order. TRIGGERED means that it fired; the order that it placed is a separate order. */
export type TriggerOrder = ReturnType<typeof triggerOrder.read>;
const triggerOrder = wireRecord({
  triggerOrderId: required(wireIdString, 'triggerOrderId', 'id'),
  side: required(wireSide),
  triggerPrice: required(wirePrice),
  marginCoin: optional(wireUpperText),
  volume: required(wireDecimal),
  price: optional(wireDecimal),
  contractId: nullable(wireInteger),
  contractName: required(wireUpperText),
  id: optional(wireText),
  triggerType: required(codeValue(TRIGGER_TYPES, 'integer')),
  open: required(wireAction),
  status: required(codeValue(TRIGGER_STATUSES, 'integer')),
  ctime: optional(wireZonelessTime),
});

/** One page of trigger orders. */
export interface TriggerOrders extends Listing<TriggerOrder> {
  /** Number of rows on all pages; null if the service does not report it, so that the last page is not known. */
  readonly count: number | null;
}
/** The reply to the list of trigger orders. */
export const triggerOrdersAnswer: AnswerShape<TriggerOrders> = {
  shape: 'envelope with {count, trigOrderList}',
  container: { kind: 'own' },
  row: triggerOrder,
  read(json) {
    const jsonRows = listFrom(json, 'trigOrderList');
    if (!jsonRows) throw new Mismatch('a list', json);
    const count = memberOf(memberOf(json, 'data'), 'count') ?? memberOf(json, 'count') ?? null;
    return { count: count === null ? null : wireInteger.read(count), ...readRows(triggerOrder, jsonRows) };
  },
  write({ count, rows }, variants) {
    const data = { count: count === null ? null : jsonNumber(count), trigOrderList: rows.map((row) => triggerOrder.write(row, variants)) };
    return envelope(jsonObject(data), variants.okMsg);
  },
};

/** The reply to a cancel of a trigger order: an envelope by the specification, only the order id on some services. */
export const triggerCanceledAnswer: AnswerShape<null> = {
  shape: 'envelope without data',
  container: { kind: 'own' },
  row: null,
  read: (json) => (hasSuccessCode(json) || idText(memberOf(json, 'orderId') ?? null) !== null ? null : doneAnswer.read(json)),
  write: (_, { okMsg }) => envelope(null, okMsg, true),
};
