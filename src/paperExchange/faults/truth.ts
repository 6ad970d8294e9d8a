// The true state of the exchange: accounts, orders, positions and triggers. Reads of the API may lag behind it.

import { fromScaled } from '../../base/number/decimal.ts';
import type { ServiceConfig } from '../dialect/config.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { wirePriceText, wireQuantityText } from '../handlers/reads.ts';
import type { ExchangeSide } from '../orders/exchangeSide.ts';
import type { OwnTrade, UserOrder } from '../orders/userOrder.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';

type AccountNames = (accountIndex: number) => string | undefined;

/** Returns accounts, open orders, positions and waiting triggers of both markets. Amounts are plain decimals. */
export function truthOfMarkets(service: Service, { accounts }: ServiceConfig) {
  const { spot, futures } = service.sides;
  const nameOf: AccountNames = (account) => accounts[account]?.name;
  const orders = [...(spot?.unendedOrders() ?? []), ...(futures?.unendedOrders() ?? [])];
  return {
    accounts: accounts.map(({ name, uid }, account) => ({
      name,
      uid,
      balances: spot === null ? [] : balanceRows(spot, account),
      futures: futures === null ? [] : marginRows(futures, account),
    })),
    orders: orders.map((order) => orderRow(order, nameOf)),
    trades: { spot: spot?.lastTradeId ?? 0, futures: futures?.lastTradeId ?? 0 },
    positions: futures === null ? [] : positionRows(futures, nameOf, accounts.length),
    triggers: (futures?.triggers.pending() ?? []).map(({ id, clientOrderId, trigger: { account, kind, price, child } }) => ({
      id,
      account: nameOf(account),
      clientOrderId,
      symbol: child.instrument.wireName,
      kind,
      price: wirePriceText(child.instrument, price),
    })),
  };
}

/** Returns every order ever accepted, including those that have ended. Oldest first within each market. */
export function ordersOfMarkets(service: Service, { accounts }: ServiceConfig) {
  const { spot, futures } = service.sides;
  const nameOf: AccountNames = (account) => accounts[account]?.name;
  return [...(spot === null ? [] : allOrders(spot)), ...(futures === null ? [] : allOrders(futures))].map((order) =>
    orderRow(order, nameOf),
  );
}

/** Returns all orders of a market, open and ended. */
function allOrders<O extends UserOrder, T extends OwnTrade>({ orders, counters }: ExchangeSide<O, T>): readonly O[] {
  const ordersByNumber = Array.from({ length: counters.orders }, (_, index) => orders.orderNumbered(index + 1));
  return ordersByNumber.filter((order) => order !== null);
}

/** Returns the spot balances of an account as decimals. */
const balanceRows = (spot: SpotExchange, accountIndex: number) =>
  Array.from(spot.assets(), ([asset, digits]) => ({
    asset,
    free: fromScaled(spot.venue.free(accountIndex, asset), digits),
    locked: fromScaled(spot.venue.locked(accountIndex, asset), digits),
  }));

/** Returns the margin accounts of an account. */
function marginRows(futures: FuturesExchange, accountIndex: number) {
  const { wallets } = futures.venue;
  return Array.from(futures.assets(), ([asset, digits]) => {
    const index = wallets.asset(asset);
    const { free, locked } = wallets.wallet(accountIndex, index);
    const margin = wallets.openPositions(accountIndex, index).reduce((units, { marginUnits }) => units + marginUnits, 0);
    return { asset, free: fromScaled(free, digits), locked: fromScaled(locked, digits), margin: fromScaled(margin, digits) };
  });
}

/** Returns the true state of a spot order. */
const orderRow = ({ id, account, clientOrderId, instrument, venueOrder, ended, resting }: UserOrder, nameOf: AccountNames) => ({
  id,
  account: nameOf(account),
  clientOrderId,
  symbol: instrument.wireName,
  status: (venueOrder ?? ended)?.status,
  filled: wireQuantityText(instrument, (venueOrder ?? ended)?.filledLots ?? 0),
  isInBook: resting !== null,
});

/** Returns the open positions of all accounts. */
function positionRows({ venue: { wallets } }: FuturesExchange, nameOf: AccountNames, accounts: number) {
  const openPositions = Array.from({ length: accounts }, (_, account) => wallets.openPositions(account)).flat();
  return openPositions.map(({ account, index, isLong, lots, isCross, leverage }) => {
    const { instrument } = wallets.contracts[index]!;
    return {
      account: nameOf(account),
      symbol: instrument.wireName,
      side: isLong ? 'BUY' : 'SELL',
      volume: wireQuantityText(instrument, lots),
      margin: isCross ? 'cross' : 'isolated',
      leverage,
    };
  });
}
