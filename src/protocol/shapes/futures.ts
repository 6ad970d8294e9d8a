// Describes the replies of the signed futures endpoints about orders: creates, queries, histories, own trades and trigger orders.

import { ORDER_SOURCES, ORDER_TYPES, TIME_IN_FORCE, TRIGGER_STATUSES, TRIGGER_TYPES, codeOf, readCode } from './codes.ts';
import type { CodeReading, TimeInForceWord } from './codes.ts';
import { isObject, jsonNumber, jsonObject, type Json } from '../json/json.ts';
import {
  doneAnswer,
  envelope,
  isSuccess,
  list,
  listIn,
  objectIn,
  one,
  oneOrNone,
  readRows,
  type AnswerShape,
  type Listing,
} from './answer.ts';
import { clientIdField, required, nullable, optional, record } from './record.ts';
import { idsIn, withOwnId } from './spot.ts';
import { code, futuresStatus, statusCode } from './codeValue.ts';
import {
  action,
  clientId,
  decimal,
  decimalText,
  flag,
  id,
  idOrNone,
  idString,
  idText,
  integer,
  Mismatch,
  memberOf,
  price,
  scalarText,
  side,
  text,
  time,
  upperText,
  zonelessTime,
  type Value,
} from './value.ts';

const orderId = record({ orderId: required(idString) });
/** The reply to a create, and to a cancel. An acknowledged cancel may still fail. */
export const orderIdAnswer = one(orderId, '{orderId}');

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
const futuresOrder = record({
  side: required(side),
  executedQty: required(decimal),
  orderId: required(id),
  origQty: required(decimal),
  avgPrice: optional(decimal),
  tradeFee: optional(decimal),
  realizedAmount: optional(decimal),
  type: optional(code(ORDER_TYPES, 'word')),
  price: optional(decimal),
  timeMs: optional(time, 'transactTime', 'time'),
  action: required(action),
  contractName: required(upperText),
  timeInForce: optional(timeInForce),
  status: required(futuresStatus),
});
/** The reply to a query of an order. Null has no information: the order may still exist. */
export const futuresOrderAnswer = oneOrNone(futuresOrder, 'order, or an envelope with data null', (json, { orderQueryShape }) => {
  const withFills = isObject(json) ? new Map<string, Json>([...json, ['fills', []]]) : json;
  return orderQueryShape === 'array' ? [withFills] : withFills;
});
/** The reply to the list of open orders. */
export const futuresOpenOrdersAnswer = list(futuresOrder, {
  shape: 'envelope with a list of orders, or null',
  write: (rows, { futuresOpenOrders, okMsg }) => (futuresOpenOrders === 'bare' ? rows : envelope(rows.length === 0 ? null : rows, okMsg)),
});

/** An order of the history, the only futures list with client order ids. `ctimeMs` is its time; `ctime` is for display. */
export type OrderHistoryRow = ReturnType<typeof orderHistoryRow.read>;
const orderHistoryRow = record({
  side: required(side),
  clientId: clientIdField(clientId),
  ctimeMs: required(time),
  positionType: nullable(integer),
  orderId: required(id),
  avgPrice: nullable(decimal),
  realizedAmount: optional(decimal),
  fee: optional(decimal),
  openOrClose: required(action),
  leverageLevel: nullable(integer),
  source: optional(code(ORDER_SOURCES, 'integer')),
  type: required(code(ORDER_TYPES, 'integer')),
  volume: required(decimal),
  dealVolume: required(decimal),
  price: nullable(decimal),
  contractId: nullable(integer),
  ctime: optional(zonelessTime),
  contractName: required(upperText),
  dealMoney: nullable(decimal),
  status: required(statusCode),
  openTakerFeeRate: optional(decimal),
  openMakerFeeRate: optional(decimal),
  closeTakerFeeRate: optional(decimal),
  closeMakerFeeRate: optional(decimal),
});
const bare = (rows: readonly Json[]): Json => rows;
/** The reply to the order history. */
export const orderHistoryAnswer = list(orderHistoryRow, { shape: 'list of orders', write: bare });

/** One reduction of a position. historyRealizedAmount = closeProfit + tradeFee + capitalFee; fees are negative. */
export type ProfitHistoryRow = ReturnType<typeof profitHistoryRow.read>;
const profitHistoryRow = record({
  id: required(id),
  contractId: nullable(integer),
  contractName: optional(upperText),
  side: required(side),
  positionType: nullable(integer),
  leverageLevel: nullable(integer),
  volume: required(decimal),
  openPrice: nullable(decimal),
  openEndPrice: nullable(decimal),
  closeProfit: required(decimal),
  tradeFee: required(decimal),
  capitalFee: required(decimal),
  shareAmount: nullable(decimal),
  settleProfit: nullable(decimal),
  realizedAmount: nullable(decimal),
  historyRealizedAmount: required(decimal),
  ctimeMs: required(time, 'ctime'),
  mtimeMs: nullable(time, 'mtime'),
});
/** The reply to the profit history. */
export const profitHistoryAnswer = list(profitHistoryRow, { shape: 'list of reductions of positions', write: bare });

/** A fill of the account. `amount` = price x quantity x multiplier. */
export type FuturesFill = ReturnType<typeof futuresFill.read>;
const futuresFill = withOwnId(
  record({
    symbol: optional(upperText),
    contractName: required(upperText),
    tradeId: required(id),
    side: optional(side),
    isBuyer: required(flag),
    isMaker: required(flag),
    bidId: nullable(idOrNone),
    askId: nullable(idOrNone),
    bidUserId: nullable(idOrNone),
    askUserId: nullable(idOrNone),
    price: required(price),
    quantity: required(decimal, 'qty'),
    amount: optional(decimal),
    fee: required(decimalText),
    timeMs: required(time, 'time'),
  }),
);
/** The reply to the list of own trades. */
export const futuresFillsAnswer = list(futuresFill, { shape: 'list of own trades', write: bare });

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
    const data = objectIn(json);
    const single = idText(data?.get('orderId') ?? null);
    const triggerIds = single === null ? idsIn(memberOf(data ?? undefined, 'triggerIds')) : [single];
    if (!triggerIds || triggerIds.length === 0) throw new Mismatch('trigger ids', json);
    return { triggerIds, ids: idsIn(data?.get('ids')) ?? [], cancelIds: idsIn(data?.get('cancelIds')) ?? [] };
  },
  write: ({ triggerIds, ids, cancelIds }) => envelope(jsonObject({ triggerIds, ids, cancelIds }), 'Success', true),
};

/** A trigger order. TRIGGERED means that it fired; the order that it placed is a separate order. */
export type TriggerOrder = ReturnType<typeof triggerOrder.read>;
const triggerOrder = record({
  triggerOrderId: required(idString, 'triggerOrderId', 'id'),
  side: required(side),
  triggerPrice: required(price),
  marginCoin: optional(upperText),
  volume: required(decimal),
  price: optional(decimal),
  contractId: nullable(integer),
  contractName: required(upperText),
  id: optional(text),
  triggerType: required(code(TRIGGER_TYPES, 'integer')),
  open: required(action),
  status: required(code(TRIGGER_STATUSES, 'integer')),
  ctime: optional(zonelessTime),
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
    const jsonRows = listIn(json, 'trigOrderList');
    if (!jsonRows) throw new Mismatch('a list', json);
    const count = memberOf(memberOf(json, 'data'), 'count') ?? memberOf(json, 'count') ?? null;
    return { count: count === null ? null : integer.read(count), ...readRows(triggerOrder, jsonRows) };
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
  read: (json) => (isSuccess(json) || idText(memberOf(json, 'orderId') ?? null) !== null ? null : doneAnswer.read(json)),
  write: (_, { okMsg }) => envelope(null, okMsg, true),
};
