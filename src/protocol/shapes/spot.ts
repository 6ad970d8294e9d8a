// Describes the replies of the signed spot endpoints: orders, own trades and balances.

import { ORDER_TYPES, type OrderStatus, type CodeReading } from './codes.ts';
import { isList, jsonNumber, jsonObject, type Json } from '../json/json.ts';
import { listAnswer, objectFrom, recordAnswer, recordOrNoneAnswer, readRows, type AnswerShape, type Listing } from './answer.ts';
import { bareOrWrappedList } from './market.ts';
import { clientIdField, required, nullable, optional, orderIdField, wireRecord } from './record.ts';
import { codeValue, spotListStatus, spotStatus } from './codeValue.ts';
import {
  wireClientId,
  wireDecimal,
  wireFlag,
  wireId,
  wireIdOrNone,
  idText,
  memberOf,
  Mismatch,
  wirePrice,
  scalarText,
  wireSide,
  wireTime,
  wireUpperText,
  type Value,
} from './value.ts';
import type { Side } from '../../model/order.ts';

/** The status of a new order: the integer 0 or NEW. Both mean that it was accepted. */
const createdStatus: Value<CodeReading<OrderStatus>> = {
  ...spotStatus,
  write: (_, { createStatus }) => (createStatus === '0' ? jsonNumber(0) : createStatus),
};

/** The reply to a create: the id, and the members of the order that the service repeats. */
export type SpotCreated = ReturnType<typeof createdOrder.read>;
const createdOrder = wireRecord({
  symbol: optional(wireUpperText),
  orderId: orderIdField({ hasText: false, form: 'switch' }),
  clientOrderId: clientIdField(wireClientId),
  timeMs: optional(wireTime, 'transactTime', 'time'),
  price: optional(wireDecimal),
  origQty: optional(wireDecimal),
  executedQty: optional(wireDecimal),
  status: optional(createdStatus),
  type: optional(codeValue(ORDER_TYPES, 'word')),
  side: optional(wireSide),
});
/** The reply to a create. */
export const spotCreatedAnswer = recordAnswer(
  createdOrder,
  '{symbol, orderId, clientOrderId, transactTime, price, origQty, executedQty, status, type, side}',
);

/** An order. `origQty` of a MARKET BUY is a quote amount, so `executedQty` must not be subtracted from it. */
export type SpotOrder = ReturnType<typeof queriedOrder.read>;
const sharedOrderFields = {
  symbol: required(wireUpperText),
  orderId: orderIdField({ hasText: false, form: 'number' }),
  price: optional(wireDecimal),
  origQty: required(wireDecimal),
  executedQty: required(wireDecimal),
  avgPrice: optional(wireDecimal),
  type: optional(codeValue(ORDER_TYPES, 'word')),
  side: required(wireSide),
};
const queriedOrder = wireRecord({
  ...sharedOrderFields,
  clientOrderId: clientIdField(wireClientId),
  timeMs: optional(wireTime, 'transactTime', 'time'),
  status: required(spotStatus),
});
const listedOrder = wireRecord({
  ...sharedOrderFields,
  clientOrderId: clientIdField(wireClientId, ({ openOrdersClientId }) => openOrdersClientId === 'on'),
  timeMs: optional(wireTime, 'time', 'transactTime'),
  status: required(spotListStatus),
});

/** The reply to a query of an order. Null has no information: the order may still exist. */
export const spotOrderAnswer = recordOrNoneAnswer(queriedOrder, 'order, or an envelope with data null', (json) => json);
/** The reply to the list of open orders. */
export const spotOpenOrdersAnswer = listAnswer(listedOrder, { shape: 'list of orders', write: bareOrWrappedList });

const cancelStatus: Value<CodeReading<OrderStatus>> = { ...spotStatus, write: (_, variants) => variants.cancelStatus };

/** The reply to a cancel. Only a query shows whether the order has ended. */
const canceledOrder = wireRecord({
  symbol: optional(wireUpperText),
  orderId: orderIdField({ hasText: true, form: 'switch' }),
  clientOrderId: clientIdField(wireClientId),
  status: optional(cancelStatus),
});
/** The reply to a cancel. */
export const spotCancelAnswer = recordAnswer(canceledOrder, '{symbol, orderId, clientOrderId, orderIdString, status}');

/** The ids of a batch of new orders. Their sequence may differ from the request. */
export interface BatchCreated {
  readonly ids: readonly string[];
}
/** The reply to a batch of creates. */
export const batchCreatedAnswer: AnswerShape<BatchCreated> = {
  shape: '{ids: [id]}',
  container: { kind: 'own' },
  row: null,
  read(json) {
    const body = objectFrom(json);
    const ids = idsIn(body?.get('idsString')) ?? idsIn(body?.get('ids'));
    if (!ids) throw new Mismatch('a list of ids', json);
    return { ids };
  },
  write({ ids }, { batchIds }) {
    const numericIds = ids.map((orderId) => jsonNumber(orderId));
    return jsonObject(batchIds === 'both' ? { idsString: ids, ids: numericIds } : { ids: numericIds });
  },
};

/** The ids of a batch cancel; null if the service did not report them. An order whose cancel failed has not necessarily ended. */
export interface BatchCanceled {
  readonly success: readonly string[] | null;
  readonly failed: readonly string[] | null;
}
/** The reply to a batch of cancels. */
export const batchCanceledAnswer: AnswerShape<BatchCanceled> = {
  shape: '{success: [id], failed: [id]}',
  container: { kind: 'own' },
  row: null,
  read(json) {
    const body = objectFrom(json);
    return { success: idsIn(body?.get('success')), failed: idsIn(body?.get('failed')) };
  },
  write({ success, failed }, { batchCancelAllWrong }) {
    if (batchCancelAllWrong === 'empty' && success?.length === 0 && failed !== null && failed.length > 0) return jsonObject({});
    return jsonObject({ success: idNumbers(success), failed: idNumbers(failed) });
  },
};
const idNumbers = (ids: readonly string[] | null): Json | undefined => ids?.map((orderId) => jsonNumber(orderId));

/** Returns the ids of a list of ids; null for anything else. */
export function idsIn(json: Json | undefined): readonly string[] | null {
  if (!isList(json)) return null;
  const ids = json.map(idText).filter((orderId) => orderId !== null);
  return ids.length === json.length ? ids : null;
}

/** A fill of the account. The order id of the other side is null if the service withholds it. */
export type SpotFill = ReturnType<typeof spotFill.read>;
const spotFill = withOwnId(
  wireRecord({
    symbol: required(wireUpperText),
    tradeId: required(wireId, 'id', 'tradeId'),
    bidId: nullable(wireIdOrNone),
    askId: nullable(wireIdOrNone),
    price: required(wirePrice),
    quantity: required(wireDecimal, 'qty'),
    timeMs: required(wireTime, 'time'),
    isBuyer: required(wireFlag),
    isMaker: required(wireFlag),
    feeCoin: required(wireUpperText),
    fee: required(wireDecimal),
  }),
);
/** The reply to the list of own trades. */
export const spotFillsAnswer = listAnswer(spotFill, { shape: 'list of own trades', write: bareOrWrappedList });

interface OwnIds {
  readonly isBuyer: boolean;
  readonly bidId: string | null;
  readonly askId: string | null;
}

/** Returns our order's id and side for a fill. If both ids are ours, the fill is listed twice, once for each side. */
export function ownOrder({ isBuyer, bidId, askId }: OwnIds): { readonly orderId: string; readonly side: Side } {
  return { orderId: (isBuyer ? bidId : askId) ?? '', side: isBuyer ? 'buy' : 'sell' };
}

/** Rejects a fill without the id of our own order, because it cannot be booked. */
export function withOwnId<T extends OwnIds, V extends Value<T>>(value: V & Value<T>): V {
  return {
    ...value,
    read(json: Json) {
      const fill = value.read(json);
      const ownIdName = fill.isBuyer ? 'bidId' : 'askId';
      if (fill[ownIdName] === null) throw new Mismatch('the id of the own order', memberOf(json, ownIdName)).within(ownIdName);
      return fill;
    },
  };
}

/** The balance of one asset, as plain decimals. */
export type WireBalance = ReturnType<typeof balance.read>;
const balance = wireRecord({ asset: required(wireUpperText), free: required(wireDecimal), locked: required(wireDecimal) });

/** The balances of an account. `uid`: its id; null if the service does not report it. */
export interface SpotAccount extends Listing<WireBalance> {
  readonly uid: string | null;
}
/** The reply to the query of the account. */
export const spotAccountAnswer: AnswerShape<SpotAccount> = {
  shape: '{balances: [{asset, free, locked}]}',
  container: { kind: 'own' },
  row: balance,
  read(json) {
    const balances = memberOf(json, 'balances') ?? memberOf(memberOf(json, 'data'), 'balances');
    if (!isList(balances)) throw new Mismatch('a list', balances).within('balances');
    return { uid: scalarText(memberOf(json, 'uid') ?? null), ...readRows(balance, balances) };
  },
  write({ uid, rows }, variants) {
    return jsonObject({
      uid: variants.balancesUid === 'on' && uid !== null ? uidJson(uid) : undefined,
      balances: rows.map((row) => balance.write(row, variants)),
    });
  },
};
const uidJson = (uid: string): Json => (idText(uid) === null ? uid : jsonNumber(uid));
