// Implements the market-independent `VenueCalls` with the spot endpoints.

import { Decimal } from '../../../base/number/decimal.ts';
import { immediate } from '../../../base/task.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import { spotOrderArgs } from '../../../protocol/orderArgs.ts';
import type { Calls } from './calls.ts';
import { AccountIdentity } from '../client/accountIdentity.ts';
import { SHORTER_PAGES } from '../client/pageLimits.ts';
import { spotOrderRow, spotTradeRow, type Page } from './venueRows.ts';
import { foundRow, mapOutcome, MAX_ROWS, queriedRow, type VenueCalls } from './venueCalls.ts';

const limit = MAX_ROWS;

/** Numbers of rows at which some services cut a list, even if the requested limit is higher. */
const CUT_LENGTHS: ReadonlySet<number> = new Set(SHORTER_PAGES);

/** Returns a page that is whole if every row was parsed and none was cut off. `max`: the row count at which the list is cut. */
export function pageOf<T, U>({ rows, refused }: Listing<T>, max: number, map: (row: T) => U): Page<U> {
  return page(rows, refused.length, rows.length + refused.length >= max, map);
}
/** Like `pageOf`, for a list with pages, which may be cut below the requested limit. A wrong guess costs one more request. */
export function pagedOf<T, U>({ rows, refused }: Listing<T>, max: number, map: (row: T) => U): Page<U> {
  const count = rows.length + refused.length;
  return page(rows, refused.length, count >= max || CUT_LENGTHS.has(count), map);
}
function page<T, U>(rows: readonly T[], refused: number, isCut: boolean, map: (row: T) => U): Page<U> {
  const isReadable = refused === 0;
  return { rows: rows.map(map), isCut, isReadable, isComplete: isReadable && !isCut };
}

/** Returns the calls of spot. `onOtherAccount` is called for a reply about another account. */
export function spotCalls(calls: Calls, onOtherAccount: (difference: string) => void): VenueCalls {
  const account = new AccountIdentity('spot.account', onOtherAccount);
  return {
    *create(order, sentId, options) {
      const outcome = yield* calls.call('spot.newOrder', spotOrderArgs(order, sentId), options);
      return mapOutcome(outcome, ({ orderId, clientOrderId, symbol, side, type, price, origQty, timeMs }) => ({
        venueId: orderId,
        clientOrderId,
        symbol,
        side,
        isMarket: type === null ? null : type.word === 'MARKET',
        price,
        qty: origQty,
        timeMs,
      }));
    },
    cancel: ({ wireName: symbol }, orderId) => calls.call('spot.cancelOrder', { symbol, orderId }),
    *serverTime() {
      const reply = yield* calls.read('spot.serverTime', {}, { priority: 'reconcile', attempts: 1 });
      return reply?.serverTimeMs ?? null;
    },
    *openOrders({ wireName: symbol }, options) {
      const reply = yield* calls.read('spot.openOrders', { symbol, limit }, options);
      return reply && pageOf(reply, limit, spotOrderRow);
    },
    *order({ wireName: symbol }, orderId, options) {
      return queriedRow(yield* calls.call('spot.queryOrder', { symbol, orderId }, options), spotOrderRow);
    },
    *findOrder({ wireName: symbol }, orderId, options) {
      return foundRow(yield* calls.call('spot.queryOrder', { symbol, orderId }, options), spotOrderRow);
    },
    *trades({ wireName: symbol }, { fromId, max }, options) {
      const reply = yield* calls.read('spot.myTrades', { symbol, limit: max, ...(fromId === null ? {} : { fromId }) }, options);
      return reply && pagedOf(reply, max, spotTradeRow);
    },
    history: () => immediate(null),
    readTriggerOrders: () => immediate([]),
    *holdings(options) {
      const reply = yield* calls.read('spot.account', {}, options);
      if (reply === null || reply.refused.length > 0 || !account.isOurs([reply.uid])) return null;
      return reply.rows.map(({ asset, free, locked }) => ({ asset, total: new Decimal(free).plus(locked).toFixed() }));
    },
    positions: () => immediate(null),
    openOrderSettings: () => immediate(null),
  };
}
