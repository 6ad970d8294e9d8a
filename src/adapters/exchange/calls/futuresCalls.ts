// The futures side of the service in the shape of both.

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

/** Of the answer to a create nothing else is told. */
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

/** A condition order by the list of those that wait; of one that has fired the order that came of it, which bears its client order id. */
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

/** The account of each fill, where the service names it. */
const ownersOf = (rows: readonly FuturesFill[]): readonly (string | null)[] =>
  rows.map(({ isBuyer, bidUserId, askUserId }) => (isBuyer ? bidUserId : askUserId));

/** `wish`: what a contract is set to, whose position type every order says. `wrong` is told of an answer about another account. */
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
    // Without a limit of its own: no row count says that some are missing.
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
          // Some services do not have it: their account says what is held, though not what funding was paid.
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

/** The positions of a contract as the account lists them. */
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
