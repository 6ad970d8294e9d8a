// Handlers of the eight signed futures reads: an order, open orders, histories, own trades, positions, triggers, the account.

import { positionTypeOf } from '../../protocol/contractModes.ts';
import { timeMs } from '../../base/brand.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import { encodeAnswer, listing } from '../../protocol/shapes/answer.ts';
import {
  futuresFillsAnswer,
  futuresOpenOrdersAnswer,
  futuresOrderAnswer,
  orderHistoryAnswer,
  profitHistoryAnswer,
  triggerOrdersAnswer,
} from '../../protocol/shapes/futures.ts';
import {
  marginAccountsAnswer,
  positionsAnswer,
  type MarginAccount,
  type WirePosition as PositionRow,
} from '../../protocol/shapes/margin.ts';
import type { VenuePosition } from '../../venue/futures/position.ts';
import { accountView, positionView, type VenuePositionView } from '../../venue/futures/resources.ts';
import { type CallArgs, type Caller, type Handlers, instrumentArg, signedHandler, textArg, integerArg } from '../api/call.ts';
import { wireQuantityText } from './reads.ts';
import { succeeded, refused } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import {
  fractionalPriceText,
  contractTerms,
  futuresFillRecord,
  orderHistoryRow,
  wireMoneyText,
  futuresOrderRecord,
  pairName,
  profitHistoryRow,
  wireRateText,
  triggerOrderRow,
} from './futuresText.ts';
import { TradeLists } from './tradeLists.ts';

/** Decimals of a margin rate. */
const RATE_DIGITS = 6;
/** Open orders have no page limit. */
const NO_LIMIT = Infinity;

/** Returns the handlers of the signed futures reads. */
export function futuresReads(exchange: FuturesExchange, profile: Profile): Handlers {
  const { orders, venue, triggers, profits } = exchange;
  const tradeLists = new TradeLists(orders, { answer: futuresFillsAnswer, recordOf: futuresFillRecord, variants: profile });
  return {
    'futures.orderInformation': signedHandler(({ args, caller }) => {
      const order = orders.find(caller.account, textArg(args, 'orderId'));
      const state = order?.instrument === instrumentArg(args) ? order.visible : null;
      const record = order === null || state === null ? null : futuresOrderRecord(order, state, true);
      return succeeded(encodeAnswer(futuresOrderAnswer, record, profile));
    }),
    'futures.openOrders': signedHandler(({ args, caller }) => {
      const rows = orders
        .visiblyOpen(caller.account, args.instrument, NO_LIMIT)
        .flatMap((order) => (order.visible === null ? [] : [futuresOrderRecord(order, order.visible, false)]));
      return succeeded(encodeAnswer(futuresOpenOrdersAnswer, listing(rows), profile));
    }),
    'futures.orderHistory': signedHandler(({ args, caller }) => {
      const text = args.texts.get('fromId');
      const fromId = text === undefined ? null : BigInt(text) + (profile.fromId === 'exclusive' ? 1n : 0n);
      const rows = exchange
        .history(caller.account, args.instrument, integerArg(args, 'limit'), fromId)
        .flatMap((order) => (order.visible === null ? [] : [orderHistoryRow(order, order.visible)]));
      return succeeded(encodeAnswer(orderHistoryAnswer, listing(rows), profile));
    }),
    'futures.profitHistory': signedHandler(({ args, caller }) => {
      const startTime = args.texts.get('startTime');
      const endTime = args.texts.get('endTime');
      if ((startTime === undefined) !== (endTime === undefined)) return refused(VENUE_CODES.mandatoryParamEmpty.code);
      const range = startTime === undefined ? null : { fromMs: Number(startTime), toMs: Number(endTime) };
      const query = { instrument: args.instrument, limit: integerArg(args, 'limit'), fromId: fromIdOf(args, profile), range };
      const rows = profits.list(caller.account, query);
      return succeeded(encodeAnswer(profitHistoryAnswer, listing(rows.map(profitHistoryRow)), profile));
    }),
    'futures.myTrades': signedHandler(({ args, caller }) => {
      const { account } = caller;
      const instrument = instrumentArg(args);
      const limit = integerArg(args, 'limit');
      return succeeded(tradeLists.bodyOf({ account, instrument, limit, fromId: fromIdOf(args, profile) }));
    }),
    'futures.positions': signedHandler(({ args, caller }) => {
      const instrument = instrumentArg(args);
      const openSides = venue.wallets.sides(caller.account, venue.book(instrument).index).filter(({ lots }) => lots > 0);
      const rows = openSides.map((position) => positionRow(positionView(venue, position, instrument)));
      return succeeded(encodeAnswer(positionsAnswer, listing(rows), profile));
    }),
    'futures.triggerOrderList': signedHandler(({ args, caller }) => {
      const page = integerArg(args, 'page');
      const limit = integerArg(args, 'limit');
      const { count, rows } = triggers.list(caller.account, instrumentArg(args), (page - 1) * limit, limit);
      return succeeded(encodeAnswer(triggerOrdersAnswer, { count, ...listing(rows.map(triggerOrderRow)) }, profile));
    }),
    'futures.account': signedHandler(({ caller }) => {
      const rows = venue.wallets.assets.map((asset) => accountRow(exchange, caller, asset));
      return succeeded(encodeAnswer(marginAccountsAnswer, listing(rows), profile));
    }),
  };
}

/** Returns the first id that a list may have; null: any. */
function fromIdOf({ texts }: CallArgs, { fromId }: Profile): number | null {
  const text = texts.get('fromId');
  return text === undefined ? null : Number(text) + (fromId === 'exclusive' ? 1 : 0);
}

/** Returns a position as the wire reports it. */
function positionRow(view: VenuePositionView): PositionRow {
  const { instrument } = view;
  return {
    symbol: instrument.wireName,
    leverage: view.leverage,
    positionType: positionTypeOf(view.isCross),
    avgPrice: fractionalPriceText(instrument, view.averageTicks),
    positionSide: view.isLong ? 'buy' : 'sell',
    realizedAmount: wireMoneyText(instrument, view.realisedUnits),
    positionVolume: wireQuantityText(instrument, view.lots),
    holdAmount: wireMoneyText(instrument, view.holdUnits),
    openPrice: fractionalPriceText(instrument, view.openTicks),
    ctime: timeMs(view.openedMs),
    mtime: timeMs(view.changedMs),
    canCloseVolume: wireQuantityText(instrument, view.canCloseLots),
    reducePrice: fractionalPriceText(instrument, view.liquidationTicks),
    keepRate: wireRateText(view.maintenancePpm),
    capitalFee: wireMoneyText(instrument, view.fundingUnits),
    tradeFee: wireMoneyText(instrument, 0 - view.feeUnits),
    // The insurance account pays losses beyond a margin, so users never share profits and losses.
    shareAmount: '0',
  };
}

/** Returns a margin account as the wire reports it. */
function accountRow(exchange: FuturesExchange, { account, uid }: Caller, asset: string): MarginAccount {
  const { venue } = exchange;
  const view = accountView(venue, account, asset);
  const digits = exchange.assets().get(asset) ?? 0;
  const moneyText = (units: number): string => fromScaled(units, digits);
  return {
    marginCoin: asset,
    accountNormal: moneyText(view.normalUnits),
    accountLock: moneyText(view.lockedUnits),
    partPositionNormal: moneyText(view.isolatedMarginUnits),
    totalPositionNormal: moneyText(view.crossMarginUnits),
    achievedAmount: moneyText(view.achievedUnits),
    unrealizedAmount: moneyText(view.unrealisedUnits),
    totalEquity: moneyText(view.crossEquityUnits),
    partEquity: moneyText(view.isolatedEquityUnits),
    bonusBalance: null,
    walletBalance: moneyText(view.normalUnits + view.lockedUnits),
    availableAmount: moneyText(view.normalUnits),
    positionVos: positionVos(venue, view.positions, uid),
  };
}

/** Returns the positions of an account, grouped by contract. */
function positionVos(venue: FuturesExchange['venue'], positions: readonly Readonly<VenuePosition>[], uid: string) {
  return venue.wallets.contracts.flatMap(({ instrument }, index) => {
    const ownPositions = positions.filter((position) => position.index === index);
    if (ownPositions.length === 0) return [];
    const row = {
      contractId: contractTerms(instrument).contractId,
      contractName: instrument.wireName,
      contractSymbol: pairName(instrument),
      positions: ownPositions.map((position) => {
        const view = positionView(venue, position, instrument);
        return {
          id: String(view.id),
          uid,
          positionType: positionTypeOf(view.isCross),
          side: view.isLong ? ('buy' as const) : ('sell' as const),
          volume: wireQuantityText(instrument, view.lots),
          openPrice: fractionalPriceText(instrument, view.openTicks),
          avgPrice: fractionalPriceText(instrument, view.averageTicks),
          leverageLevel: view.leverage,
          marginRate: fromScaled(Math.round(view.marginRate * 10 ** RATE_DIGITS), RATE_DIGITS),
          unRealizedAmount: wireMoneyText(instrument, view.unrealisedUnits),
        };
      }),
    };
    return [row];
  });
}
