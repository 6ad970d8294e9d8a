// Trigger orders on the wire. While one waits it has its own kind of id and its own list; once fired it becomes a normal order.

import { fromScaled, toScaled } from '../../../base/number/decimal.ts';
import { InvariantError } from '../../../base/errors.ts';
import { readCode, TRIGGER_TYPES, type OrderStatus, type TriggerStatus } from '../../../protocol/shapes/codes.ts';
import type { OpArgs } from '../../../protocol/endpoints/endpoints.ts';
import { futuresOrderArgs, type FuturesOrderTerms } from '../../../protocol/orderArgs.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { OrderRequest } from './types.ts';
import type { OrderRow } from './rows.ts';

const PREFIX = 'trigger';

/**
 * Returns the id of a waiting trigger order for tracking and journal. It includes the client order id, which identifies the fired order.
 */
export const triggerTrackId = (triggerId: string, cid: string): string => `${PREFIX}:${triggerId}:${cid}`;

/** Returns the parts of such an id, or null for a normal venue order id. */
export function parseTriggerTrackId(venueId: string | null): { readonly triggerId: string; readonly cid: string } | null {
  const [prefix, triggerId, cid] = venueId?.split(':') ?? [];
  return prefix === PREFIX && triggerId !== undefined && cid !== undefined ? { triggerId, cid } : null;
}

export const isTriggerOrder = ({ triggerTicks }: Pick<OrderRequest, 'triggerTicks'>): boolean =>
  triggerTicks !== undefined && triggerTicks > 0;

/** Returns the request arguments. The trigger type follows from the price direction: for an exit 1 loss, 2 profit; else 3 rise, 4 fall. */
export function triggerOrderArgs(order: OrderRequest, terms: FuturesOrderTerms, cid: string): OpArgs<'futures.createConditionOrder'> {
  const { instrument, triggerTicks } = order;
  const { timeInForce, ...args } = futuresOrderArgs(order, terms, cid);
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
  const isType = (way: boolean): boolean => row.triggerType.word === readCode(TRIGGER_TYPES, triggerTypeOf(order, way)).word;
  return (
    (triggersAbove === undefined ? isType(true) || isType(false) : isType(triggersAbove)) &&
    row.side === side &&
    row.open === (reduceOnly ? 'CLOSE' : 'OPEN') &&
    toScaled(row.triggerPrice, instrument.priceDigits) === triggerTicks &&
    toScaled(row.volume, instrument.quantityDigits) === lots &&
    (limit === 0 || row.price === null || toScaled(row.price, instrument.priceDigits) === limit)
  );
}

/** True if a row still waits for its price. An unknown status counts as waiting. */
export const mayWait = ({ status: { word } }: TriggerOrder): boolean => word === 'PENDING' || word === 'UNKNOWN';

/** How far a row's creation time may precede the signing of its create. Rows have times in whole seconds. */
const EARLY_MS = 2000;

/** True if a row existed before the create was signed. */
export const isOlder = ({ ctime }: TriggerOrder, signMs: number): boolean => ctime !== null && ctime < signMs - EARLY_MS;

/** True if the row found under this order's id describes another order: the venue has used one id for two. */
export const isOther = ({ side, open }: TriggerOrder, wanted: Pick<OrderRequest, 'side' | 'reduceOnly'>): boolean =>
  side !== wanted.side || open !== (wanted.reduceOnly ? 'CLOSE' : 'OPEN');

/** A fired trigger order has no row here: it has become another order. */
const STATUS: Readonly<Record<Exclude<TriggerStatus, 'TRIGGERED'>, OrderStatus>> = {
  PENDING: 'NEW',
  EXPIRED: 'EXPIRED',
  FAILED: 'REJECTED',
  CANCELED: 'CANCELED',
  UNKNOWN: 'UNKNOWN',
};

/** Returns the trigger order as an order row under its waiting id, or null if it has fired. */
export function triggerAsOrderRow(trigger: TriggerOrder, venueId: string, cid: string): OrderRow | null {
  const { side, open, price, volume, status, ctime } = trigger;
  if (status.word === 'TRIGGERED') return null;
  return {
    venueId,
    cid,
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
