// Trigger orders on the wire. While one waits it has its own kind of id and its own list; once fired it becomes a normal order.

import { fromScaled, toScaled } from '../../../base/number/decimal.ts';
import { InvariantError } from '../../../base/errors.ts';
import { readCode, TRIGGER_TYPES, type OrderStatus, type TriggerStatus } from '../../../protocol/shapes/codes.ts';
import type { OpArgs } from '../../../protocol/endpoints/endpoints.ts';
import { futuresOrderArgs, type FuturesOrderTerms } from '../../../protocol/orderArgs.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { OrderRequest } from './types.ts';
import type { OrderRow } from './venueRows.ts';

const TRIGGER_ID_PREFIX = 'trigger';

/**
 * Returns the id of a waiting trigger order for tracking and journal. It includes the client order id, which identifies the fired order.
 */
export const triggerTrackId = (triggerId: string, clientOrderId: string): string => `${TRIGGER_ID_PREFIX}:${triggerId}:${clientOrderId}`;

/** Returns the two ids in a tracking id of a waiting trigger order; null for a normal venue order id. */
export function parseTriggerTrackId(venueId: string | null): { readonly triggerId: string; readonly clientOrderId: string } | null {
  const [prefix, triggerId, clientOrderId] = venueId?.split(':') ?? [];
  return prefix === TRIGGER_ID_PREFIX && triggerId !== undefined && clientOrderId !== undefined ? { triggerId, clientOrderId } : null;
}

/** True if the request is for a trigger order. */
export const isTriggerOrder = ({ triggerTicks }: Pick<OrderRequest, 'triggerTicks'>): boolean =>
  triggerTicks !== undefined && triggerTicks > 0;

/** Returns the request arguments. The trigger type follows from the price direction: for an exit 1 loss, 2 profit; else 3 rise, 4 fall. */
export function triggerOrderArgs(
  order: OrderRequest,
  terms: FuturesOrderTerms,
  clientOrderId: string,
): OpArgs<'futures.createConditionOrder'> {
  const { instrument, triggerTicks } = order;
  const { timeInForce, ...args } = futuresOrderArgs(order, terms, clientOrderId);
  if (timeInForce !== undefined) throw new InvariantError('a trigger order has no time in force');
  return {
    ...args,
    triggerType: triggerTypeOf(order, order.triggersAbove === true),
    triggerPrice: fromScaled(triggerTicks ?? 0, instrument.priceDigits),
  };
}

function triggerTypeOf({ side, reduceOnly }: OrderRequest, triggersAbove: boolean): '1' | '2' | '3' | '4' {
  const isStop = triggersAbove === (side === 'buy');
  if (reduceOnly) return isStop ? '1' : '2';
  return triggersAbove ? '3' : '4';
}

/**
 * True if the terms of a row match `order`, because the list has no client order ids. If `triggersAbove` is undefined, either price
 * direction matches.
 */
export function matchesTrigger(row: TriggerOrder, order: OrderRequest): boolean {
  const { instrument, side, lots, limit, reduceOnly, triggerTicks = 0, triggersAbove } = order;
  const hasDirection = (isAbove: boolean): boolean => row.triggerType.word === readCode(TRIGGER_TYPES, triggerTypeOf(order, isAbove)).word;
  return (
    (triggersAbove === undefined ? hasDirection(true) || hasDirection(false) : hasDirection(triggersAbove)) &&
    row.side === side &&
    row.open === (reduceOnly ? 'CLOSE' : 'OPEN') &&
    toScaled(row.triggerPrice, instrument.priceDigits) === triggerTicks &&
    toScaled(row.volume, instrument.quantityDigits) === lots &&
    (limit === 0 || row.price === null || toScaled(row.price, instrument.priceDigits) === limit)
  );
}

/** True if a row still waits for its price. An unknown status counts as waiting. */
export const mayStillWait = ({ status: { word } }: TriggerOrder): boolean => word === 'PENDING' || word === 'UNKNOWN';

/** How far a row's creation time may precede the signing of its create. Rows have times in whole seconds. */
const EARLY_ROW_MS = 2000;

/** True if a row existed before the create was signed. */
export const isOlder = ({ ctime }: TriggerOrder, signMs: number): boolean => ctime !== null && ctime < signMs - EARLY_ROW_MS;

/** True if the row describes another order than the request. Then the venue has used one id for two orders. */
export const describesOtherOrder = ({ side, open }: TriggerOrder, request: Pick<OrderRequest, 'side' | 'reduceOnly'>): boolean =>
  side !== request.side || open !== (request.reduceOnly ? 'CLOSE' : 'OPEN');

/** Order status of a trigger order that has not fired. A fired one is another order with a status of its own. */
const STATUS: Readonly<Record<Exclude<TriggerStatus, 'TRIGGERED'>, OrderStatus>> = {
  PENDING: 'NEW',
  EXPIRED: 'EXPIRED',
  FAILED: 'REJECTED',
  CANCELED: 'CANCELED',
  UNKNOWN: 'UNKNOWN',
};

/** Returns the trigger order as an order row under its waiting id, or null if it has fired. */
export function triggerAsOrderRow(trigger: TriggerOrder, venueId: string, clientOrderId: string): OrderRow | null {
  const { side, open, price, volume, status, ctime } = trigger;
  if (status.word === 'TRIGGERED') return null;
  return {
    venueId,
    cid: clientOrderId,
    side,
    action: open,
    isMarket: null,
    isLiquidation: false,
    price,
    qty: volume,
    executed: '0',
    status: { word: STATUS[status.word], raw: status.raw },
    timeMs: ctime,
  };
}
