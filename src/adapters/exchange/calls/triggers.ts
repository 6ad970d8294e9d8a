// Condition orders on the wire: one that waits has an id of its own kind and stands in a list of its own; once it has fired it is an order.

import { fromScaled, toScaled } from '../../../base/number/decimal.ts';
import { InvariantError } from '../../../base/errors.ts';
import { readCode, TRIGGER_TYPES, type OrderStatus, type TriggerStatus } from '../../../protocol/shapes/codes.ts';
import type { OpArgs } from '../../../protocol/endpoints/endpoints.ts';
import { futuresOrderArgs, type FuturesOrderTerms } from '../../../protocol/orderArgs.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { OrderRequest } from './types.ts';
import type { OrderRow } from './rows.ts';

const PREFIX = 'trigger';

/** The id under which an order waits, as it stands in tracks and journals: with the client order id, by which its child is known. */
export const triggerTrackId = (triggerId: string, cid: string): string => `${PREFIX}:${triggerId}:${cid}`;

/** What such an id holds; null: it is that of an order. */
export function parseTriggerTrackId(venueId: string | null): { readonly triggerId: string; readonly cid: string } | null {
  const [prefix, triggerId, cid] = venueId?.split(':') ?? [];
  return prefix === PREFIX && triggerId !== undefined && cid !== undefined ? { triggerId, cid } : null;
}

export const isTriggerOrder = ({ triggerTicks }: Pick<OrderRequest, 'triggerTicks'>): boolean =>
  triggerTicks !== undefined && triggerTicks > 0;

/** The arguments of a condition order: what an exit waits for is told by the way to it, 1 a loss, 2 a profit; 3 a rise, 4 a fall. */
export function triggerOrderArgs(order: OrderRequest, terms: FuturesOrderTerms, cid: string): OpArgs<'futures.createConditionOrder'> {
  const { instrument, triggerTicks } = order;
  const { timeInForce, ...args } = futuresOrderArgs(order, terms, cid);
  if (timeInForce !== undefined) throw new InvariantError('a condition order has no time in force');
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

/** True where a row asks for what `order` asks for: the list bears no client order ids. What does not say which way the price is to come may be either. */
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

/** True of a row that waits for its price: a code that nobody knows is alive. */
export const mayWait = ({ status: { word } }: TriggerOrder): boolean => word === 'PENDING' || word === 'UNKNOWN';

/** How much earlier than its create was signed a row can seem to have been made: its time is told in whole seconds. */
const EARLY_MS = 2000;

/** True where a row says that it was there before the create was signed. */
export const isOlder = ({ ctime }: TriggerOrder, signMs: number): boolean => ctime !== null && ctime < signMs - EARLY_MS;

/** True where a row of this order's place in the list speaks of another order: the exchange has one place for two. */
export const isOther = ({ side, open }: TriggerOrder, wanted: Pick<OrderRequest, 'side' | 'reduceOnly'>): boolean =>
  side !== wanted.side || open !== (wanted.reduceOnly ? 'CLOSE' : 'OPEN');

/** One that has fired is no row of its own: what came of it is another order. */
const STATUS: Readonly<Record<Exclude<TriggerStatus, 'TRIGGERED'>, OrderStatus>> = {
  PENDING: 'NEW',
  EXPIRED: 'EXPIRED',
  FAILED: 'REJECTED',
  CANCELED: 'CANCELED',
  UNKNOWN: 'UNKNOWN',
};

/** As a row of an order, under the id under which it waits; null: it has fired. */
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
