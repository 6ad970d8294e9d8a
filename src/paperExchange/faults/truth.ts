// The true state of the exchange, not what reads currently show: accounts, orders, positions, triggers.

import { fromScaled } from '../../base/number/decimal.ts';
import type { ServiceConfig } from '../dialect/config.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { wirePriceText, wireQuantityText } from '../handlers/reads.ts';
import type { ExchangeSide } from '../orders/exchangeSide.ts';
import type { OwnTrade, UserOrder } from '../orders/userOrder.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';

type Names = (account: number) => string | undefined;

export function truthOfMarkets(service: Service, { accounts }: ServiceConfig) {
  const { spot, futures } = service.sides;
  const nameOf: Names = (account) => accounts[account]?.name;
  const orders = [...(spot?.live() ?? []), ...(futures?.live() ?? [])];
  return {
    accounts: accounts.map(({ name, uid }, account) => ({
      name,
      uid,
      balances: spot === null ? [] : balances(spot, account),
      futures: futures === null ? [] : margins(futures, account),
    })),
    orders: orders.map((order) => orderRow(order, nameOf)),
    trades: { spot: spot?.lastTradeId ?? 0, futures: futures?.lastTradeId ?? 0 },
    positions: futures === null ? [] : positions(futures, nameOf, accounts.length),
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
  const nameOf: Names = (account) => accounts[account]?.name;
  return [...(spot === null ? [] : everyOrder(spot)), ...(futures === null ? [] : everyOrder(futures))].map((order) =>
    orderRow(order, nameOf),
  );
}

function everyOrder<O extends UserOrder, T extends OwnTrade>({ orders, counters }: ExchangeSide<O, T>): readonly O[] {
  const found = Array.from({ length: counters.orders }, (_, at) => orders.orderNumbered(at + 1));
  return found.filter((order) => order !== null);
}

const balances = (spot: SpotExchange, account: number) =>
  Array.from(spot.assets(), ([asset, digits]) => ({
    asset,
    free: fromScaled(spot.venue.free(account, asset), digits),
    locked: fromScaled(spot.venue.locked(account, asset), digits),
  }));

function margins(futures: FuturesExchange, account: number) {
  const { wallets } = futures.venue;
  return Array.from(futures.assets(), ([asset, digits]) => {
    const index = wallets.asset(asset);
    const { free, locked } = wallets.wallet(account, index);
    const margin = wallets.openPositions(account, index).reduce((units, { marginUnits }) => units + marginUnits, 0);
    return { asset, free: fromScaled(free, digits), locked: fromScaled(locked, digits), margin: fromScaled(margin, digits) };
  });
}

const orderRow = ({ id, account, clientOrderId, instrument, live, ended, resting }: UserOrder, nameOf: Names) => ({
  id,
  account: nameOf(account),
  clientOrderId,
  symbol: instrument.wireName,
  status: (live ?? ended)?.status,
  filled: wireQuantityText(instrument, (live ?? ended)?.filledLots ?? 0),
  isInBook: resting !== null,
});

function positions({ venue: { wallets } }: FuturesExchange, nameOf: Names, accounts: number) {
  const all = Array.from({ length: accounts }, (_, account) => wallets.openPositions(account)).flat();
  return all.map(({ account, index, isLong, lots, isCross, leverage }) => {
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
