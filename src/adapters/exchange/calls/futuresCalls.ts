// Implements the market-independent `VenueCalls` with the futures endpoints.

import { futuresOrderArgs } from '../../../protocol/orderArgs.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { FuturesFill } from '../../../protocol/shapes/futures.ts';
import type { MarginAccount, WirePosition } from '../../../protocol/shapes/margin.ts';
import type { Calls } from './calls.ts';
import { triggerOrderArgs, isTriggerOrder, triggerTrackId, parseTriggerTrackId, triggerAsOrderRow } from './triggers.ts';
import type { ContractSettingsTarget, OrderRequest } from './types.ts';
import { futuresOrderRow, futuresTradeRow, historyRow, type OrderRow, type Page, type PositionRow } from './rows.ts';
import { pagedOf, pageOf } from './spotCalls.ts';
import { AccountIdentity } from '../client/identity.ts';
import { readTriggers } from './triggerList.ts';
import { mapOutcome, MAX_ROWS, type CreatedOrder, type VenueCalls } from './venueCalls.ts';

const limit = MAX_ROWS;

/** The reply to a futures create has the order id and nothing else. */
const idAlone = (venueId: string): CreatedOrder => ({
  venueId,
  cid: null,
  symbol: null,
  side: null,
  isMarket: null,
  price: null,
  qty: null,
  timeMs: null,
});

/** Looks up a trigger order in the list of waiting orders. Once it has fired, finds the resulting order by the shared client order id. */
function waitingOrder(
  calls: Calls,
  contractName: string,
  venueId: string,
  { triggerId, cid }: { readonly triggerId: string; readonly cid: string },
  options: CallOptions,
  done: (row: OrderRow | 'none' | null) => void,
): void {
  calls.read(
    'futures.triggerOrderList',
    { contractName, limit },
    (list) => {
      if (list === null) return done(null);
      const found = list.rows.find(({ triggerOrderId }) => triggerOrderId === triggerId);
      if (found === undefined) return done('none');
      const row = triggerAsOrderRow(found, venueId, cid);
      if (row !== null) return done(row);
      calls.read(
        'futures.orderHistory',
        { contractName, limit },
        (history) => done(history?.rows.map(historyRow).find((child) => child.cid?.toUpperCase() === cid.toUpperCase()) ?? null),
        options,
      );
    },
    options,
  );
}

/** Returns the account id of each fill, if the service reports it. */
const ownersOf = (rows: readonly FuturesFill[]): readonly (string | null)[] =>
  rows.map(({ isBuyer, bidUserId, askUserId }) => (isBuyer ? bidUserId : askUserId));

/**
 * `request` returns the settings of a contract; every order carries its position type. `wrong` is called for a reply about another account.
 */
export function futuresCalls(
  calls: Calls,
  request: (instrument: number) => ContractSettingsTarget,
  wrong: (what: string) => void,
): VenueCalls {
  const account = new AccountIdentity('futures.myTrades', wrong);
  const terms = (order: OrderRequest) => ({
    open: order.reduceOnly ? ('CLOSE' as const) : ('OPEN' as const),
    positionType: request(order.instrumentIndex).positionType,
  });
  return {
    create: (order, cid, done, options) => {
      if (isTriggerOrder(order)) {
        const reported = ({ triggerIds }: { readonly triggerIds: readonly string[] }): CreatedOrder =>
          idAlone(triggerTrackId(triggerIds[0] ?? '', cid));
        calls.call(
          'futures.createConditionOrder',
          triggerOrderArgs(order, terms(order), cid),
          (outcome) => done(mapOutcome(outcome, reported)),
          options,
        );
        return;
      }
      calls.call(
        'futures.createOrder',
        futuresOrderArgs(order, terms(order), cid),
        (outcome) => done(mapOutcome(outcome, ({ orderId }) => idAlone(orderId))),
        options,
      );
    },
    cancel({ wireName: contractName }, orderId, done) {
      const waiting = parseTriggerTrackId(orderId);
      if (waiting === null) calls.call('futures.cancelOrder', { contractName, orderId }, done);
      else calls.call('futures.cancelTriggerOrder', { contractName, orderId: waiting.triggerId }, done);
    },
    serverTime: (done) =>
      calls.read('futures.serverTime', {}, (value) => done(value?.serverTimeMs ?? null), { priority: 'reconcile', attempts: 1 }),
    // Sent without a limit, so no row count can show that rows are missing.
    openOrders: ({ wireName: contractName }, options, done) =>
      calls.read('futures.openOrders', { contractName }, (value) => done(value && pageOf(value, Infinity, futuresOrderRow)), options),
    order({ wireName: contractName }, orderId, options, done) {
      const waiting = parseTriggerTrackId(orderId);
      if (waiting !== null) return waitingOrder(calls, contractName, orderId, waiting, options, done);
      calls.call(
        'futures.orderInformation',
        { contractName, orderId },
        (outcome) => done(outcome.kind !== 'acked' ? null : outcome.value === null ? 'none' : futuresOrderRow(outcome.value)),
        options,
      );
    },
    trades: ({ wireName: contractName }, { fromId, max }, options, done) =>
      calls.read(
        'futures.myTrades',
        { contractName, limit: max, ...(fromId === null ? {} : { fromId }) },
        (value) => done(value && (account.isOurs(ownersOf(value.rows)) ? pagedOf(value, max, futuresTradeRow) : null)),
        options,
      ),
    history: ({ wireName: contractName }, fromId, options, done) =>
      calls.read(
        'futures.orderHistory',
        { contractName, limit, ...(fromId === null ? {} : { fromId }) },
        (value) => done(value && pagedOf(value, limit, historyRow)),
        options,
      ),
    waiting: ({ wireName }, options, done) => readTriggers(calls, wireName, options, done),
    holdings: (_options, done) => done(null),
    positions: ({ wireName: contractName }, options, done) =>
      calls.call(
        'futures.positions',
        { contractName },
        (outcome) => {
          if (outcome.kind === 'acked') return done(pageOf(outcome.value, Infinity, positionRow));
          // Some services lack this endpoint. Their account reports the positions, but not the funding paid.
          const isMissing = outcome.kind === 'refused' || (outcome.kind === 'unknown' && outcome.status === NOT_FOUND);
          if (!isMissing) return done(null);
          calls.read('futures.account', {}, (value) => done(value && positionsIn(value, contractName)), options);
        },
        options,
      ),
  };
}

const NOT_FOUND = 404;

const positionRow = ({ positionSide, positionVolume, capitalFee, ctime, leverage, positionType }: WirePosition): PositionRow => ({
  side: positionSide,
  volume: positionVolume,
  funding: capitalFee,
  openedMs: ctime,
  leverage,
  positionType,
});

/** Returns the positions of a contract from the account reply. */
function positionsIn({ rows, refused }: Listing<MarginAccount>, contractName: string): Page<PositionRow> {
  const found = rows.flatMap(({ positionVos }) => positionVos ?? []).filter((each) => each.contractName === contractName.toUpperCase());
  const positions = found.flatMap((each) => each.positions ?? []).filter(({ volume }) => Number(volume) !== 0);
  const page = { rows: positions, refused };
  return pageOf(page, Infinity, ({ side, volume, leverageLevel, positionType }) => ({
    side,
    volume,
    funding: null,
    openedMs: null,
    leverage: leverageLevel,
    positionType,
  }));
}
