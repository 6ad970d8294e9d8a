// Implements the market-independent `VenueCalls` with the futures endpoints.

import { immediate, type Work } from '../../../base/task.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import { futuresOrderArgs } from '../../../protocol/orderArgs.ts';
import type { CallOptions } from '../client/restClient.ts';
import { STATUS_MEANING } from '../../../protocol/shapes/codes.ts';
import type { FuturesFill } from '../../../protocol/shapes/futures.ts';
import type { Calls } from './calls.ts';
import { triggerOrderArgs, isTriggerOrder, triggerTrackId, parseTriggerTrackId, triggerAsOrderRow } from './triggers.ts';
import type { ContractSettingsTarget, OrderRequest } from './types.ts';
import { futuresOrderRow, futuresTradeRow, historyRow, type OrderRow } from './venueRows.ts';
import { lacksPositions, listedPositions, positionsOfAccount } from './positionRows.ts';
import { pagedOf, pageOf } from './spotCalls.ts';
import { AccountIdentity } from '../client/accountIdentity.ts';
import { readTriggers } from './triggerList.ts';
import { foundRow, mapOutcome, MAX_ROWS, queriedRow, type CreatedOrder, type VenueCalls } from './venueCalls.ts';

const limit = MAX_ROWS;

/** Returns the reply to a futures create, which has the order id and nothing else. */
const createdWithIdOnly = (venueId: string): CreatedOrder => ({
  venueId,
  clientOrderId: null,
  symbol: null,
  side: null,
  isMarket: null,
  price: null,
  qty: null,
  timeMs: null,
});

/** Returns the row of a waiting trigger order. If it has fired, returns the resulting order, which has the same client order id. */
function* waitingOrder(
  calls: Calls,
  contractName: string,
  venueId: string,
  { triggerId, clientOrderId }: { readonly triggerId: string; readonly clientOrderId: string },
  options: CallOptions,
): Work<OrderRow | 'none' | null> {
  const openTriggers = yield* calls.read('futures.triggerOrderList', { contractName, limit }, options);
  if (openTriggers === null) return null;
  const trigger = openTriggers.rows.find(({ triggerOrderId }) => triggerOrderId === triggerId);
  if (trigger === undefined) return 'none';
  const row = triggerAsOrderRow(trigger, venueId, clientOrderId);
  if (row !== null) return row;
  const history = yield* calls.read('futures.orderHistory', { contractName, limit }, options);
  return history?.rows.map(historyRow).find(({ cid }) => cid?.toUpperCase() === clientOrderId.toUpperCase()) ?? null;
}

/** Returns the account id of each fill, if the service reports it. */
const ownersOf = (rows: readonly FuturesFill[]): readonly (string | null)[] =>
  rows.map(({ isBuyer, bidUserId, askUserId }) => (isBuyer ? bidUserId : askUserId));

/**
 * Returns the calls of futures. `settingsOf` returns the settings of a contract, because every order carries its position type.
 * `onOtherAccount` is called for a reply about another account. `positionsFrom`: the call that has the positions. If a service refuses the list
 * of positions, the account is read in any case.
 */
export function futuresCalls(
  calls: Calls,
  settingsOf: (instrumentIndex: number) => ContractSettingsTarget,
  onOtherAccount: (difference: string) => void,
  positionsFrom: Dialect['positionsFrom'],
): VenueCalls {
  const account = new AccountIdentity('futures.myTrades', onOtherAccount);
  const terms = (order: OrderRequest) => ({
    open: order.reduceOnly ? ('CLOSE' as const) : ('OPEN' as const),
    positionType: settingsOf(order.instrumentIndex).positionType,
  });
  return {
    *create(order, clientOrderId, options) {
      if (isTriggerOrder(order)) {
        const created = yield* calls.call('futures.createConditionOrder', triggerOrderArgs(order, terms(order), clientOrderId), options);
        return mapOutcome(created, ({ triggerIds }) => createdWithIdOnly(triggerTrackId(triggerIds[0] ?? '', clientOrderId)));
      }
      const created = yield* calls.call('futures.createOrder', futuresOrderArgs(order, terms(order), clientOrderId), options);
      return mapOutcome(created, ({ orderId }) => createdWithIdOnly(orderId));
    },
    cancel({ wireName: contractName }, orderId) {
      const waiting = parseTriggerTrackId(orderId);
      if (waiting === null) return calls.call('futures.cancelOrder', { contractName, orderId });
      return calls.call('futures.cancelTriggerOrder', { contractName, orderId: waiting.triggerId });
    },
    *serverTime() {
      const reply = yield* calls.read('futures.serverTime', {}, { priority: 'reconcile', attempts: 1 });
      return reply?.serverTimeMs ?? null;
    },
    // Without a limit in the request, the number of rows says nothing about missing ones.
    *openOrders({ wireName: contractName }, options) {
      const reply = yield* calls.read('futures.openOrders', { contractName }, options);
      return reply && pageOf(reply, Infinity, futuresOrderRow);
    },
    *order({ wireName: contractName }, orderId, options) {
      const waiting = parseTriggerTrackId(orderId);
      if (waiting !== null) return yield* waitingOrder(calls, contractName, orderId, waiting, options);
      return queriedRow(yield* calls.call('futures.orderInformation', { contractName, orderId }, options), futuresOrderRow);
    },
    *findOrder({ wireName: contractName }, orderId, options) {
      const waiting = parseTriggerTrackId(orderId);
      if (waiting !== null) return yield* waitingOrder(calls, contractName, orderId, waiting, options);
      return foundRow(yield* calls.call('futures.orderInformation', { contractName, orderId }, options), futuresOrderRow);
    },
    *trades({ wireName: contractName }, { fromId, max }, options) {
      const reply = yield* calls.read('futures.myTrades', { contractName, limit: max, ...(fromId === null ? {} : { fromId }) }, options);
      return reply && (account.isOurs(ownersOf(reply.rows)) ? pagedOf(reply, max, futuresTradeRow) : null);
    },
    *history({ wireName: contractName }, fromId, options) {
      const reply = yield* calls.read('futures.orderHistory', { contractName, limit, ...(fromId === null ? {} : { fromId }) }, options);
      return reply && pagedOf(reply, limit, historyRow);
    },
    readTriggerOrders: ({ wireName }, options) => readTriggers(calls, wireName, options),
    holdings: () => immediate(null),
    *positions({ wireName: contractName }, options) {
      if (positionsFrom === 'positions') {
        const outcome = yield* calls.call('futures.positions', { contractName }, options);
        if (outcome.kind === 'acked') return listedPositions(outcome.value);
        if (!lacksPositions(outcome)) return null;
      }
      const reply = yield* calls.read('futures.account', {}, options);
      return reply && positionsOfAccount(reply, contractName);
    },
    *openOrderSettings({ wireName: contractName }, options) {
      const reply = yield* calls.read('futures.orderHistory', { contractName, limit }, options);
      const openRows = reply?.rows.filter(({ status }) => STATUS_MEANING[status.word].kind === 'open') ?? null;
      return openRows && openRows.map(({ leverageLevel: leverage, positionType }) => ({ leverage, positionType }));
    },
  };
}
