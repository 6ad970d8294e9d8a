// Checks that the books of an exchange agree. It runs after an internal error and decides whether the exchange may continue.

import { InvariantError } from '../base/errors.ts';
import type { FuturesExchange } from './futures/futuresExchange.ts';
import type { ExchangeSide } from './orders/exchangeSide.ts';
import type { OwnTrade, UserOrder } from './orders/userOrder.ts';
import type { SpotExchange } from './spot/spotExchange.ts';

/**
 * Checks all accounts and open orders, and throws InvariantError at the first disagreement. Examples: money created or lost, funds or lots
 * locked without an order, a venue order that the exchange does not know.
 */
export function checkExchangeBooks({
  spot,
  futures,
}: {
  readonly spot: SpotExchange | null;
  readonly futures: FuturesExchange | null;
}): void {
  if (spot !== null) checkSpotBooks(spot);
  if (futures !== null) checkFuturesBooks(futures);
}

/** Checks that locked spot balances equal what open orders lock, and that no money was created or lost. */
function checkSpotBooks(spot: SpotExchange): void {
  const { venue } = spot;
  const { accounts } = venue;
  checkOpenOrders(spot);
  const lockedSums = new SumsByKey();
  for (const { account, instrument, venueOrder } of spot.unendedOrders()) {
    if (venueOrder === null) continue;
    lockedSums.add(`${account} ${venueOrder.side === 'buy' ? instrument.quote : instrument.base}`, venueOrder.lockedUnits);
  }
  accounts.all.forEach(({ name }, account) =>
    accounts.assets.forEach((asset, assetIndex) => {
      const { free, locked } = accounts.of(account, assetIndex);
      checkEqual(`${name} ${asset} locked`, locked, lockedSums.of(`${account} ${asset}`));
      checkEqual(`${name} ${asset} free, in whole units`, free, Math.floor(free));
    }),
  );
  venue.assertConserved();
}

/** Keys of the sums of locked margin, and of lots that closing orders lock. `sideIndex`: the place in `wallets.sides`. */
const marginKey = (accountIndex: number, assetIndex: number): string => `${accountIndex} margin ${assetIndex}`;
const lotsKey = (accountIndex: number, contractIndex: number, sideIndex: number): string =>
  `${accountIndex} lots ${contractIndex} ${sideIndex}`;

/** Checks that locked margin and lots equal what open orders lock, and that no money was created or lost. */
function checkFuturesBooks(futures: FuturesExchange): void {
  const { venue } = futures;
  const { wallets } = venue;
  checkOpenOrders(futures);
  const lockedSums = new SumsByKey();
  for (const { account, instrument, venueOrder } of futures.unendedOrders()) {
    if (venueOrder === null) continue;
    const { index: contractIndex, terms } = venue.book(instrument);
    lockedSums.add(marginKey(account, terms.asset), venueOrder.lockedUnits);
    const position = wallets.position(account, contractIndex, venueOrder.side === 'sell');
    const sideIndex = wallets.sides(account, contractIndex).indexOf(position);
    lockedSums.add(lotsKey(account, contractIndex, sideIndex), venueOrder.offsetLots);
  }
  wallets.accounts.forEach(({ name }, account) => {
    wallets.assets.forEach((asset, assetIndex) =>
      checkEqual(`${name} ${asset} locked`, wallets.wallet(account, assetIndex).locked, lockedSums.of(marginKey(account, assetIndex))),
    );
    wallets.contracts.forEach(({ instrument }, contractIndex) =>
      wallets.sides(account, contractIndex).forEach(({ heldLots }, sideIndex) => {
        const expectedLots = lockedSums.of(lotsKey(account, contractIndex, sideIndex));
        checkEqual(`${name} ${instrument.wireName} lots locked`, heldLots, expectedLots);
      }),
    );
  });
  venue.assertConserved();
}

/** Checks that every open venue order has an order of the exchange, and that each rests in the book with its unfilled quantity. */
function checkOpenOrders<O extends UserOrder, T extends OwnTrade>(exchange: ExchangeSide<O, T>): void {
  const openCounts = new Map(exchange.markets.map(({ instrument }) => [instrument, 0]));
  for (const { id, instrument, venueOrder, resting } of exchange.unendedOrders()) {
    if (venueOrder === null) continue;
    if (!venueOrder.isOpen) throw new InvariantError(`order ${id} has ended at the venue and is open at the exchange`);
    openCounts.set(instrument, (openCounts.get(instrument) ?? 0) + 1);
    if (resting !== null) checkEqual(`order ${id} in the book`, resting.lots, venueOrder.lots - venueOrder.filledLots);
  }
  for (const [instrument, count] of openCounts) checkEqual(`${instrument.id} open orders`, exchange.venue.book(instrument).working, count);
}

/** Sums of amounts by key. */
class SumsByKey {
  readonly #sums = new Map<string, number>();
  /** Adds an amount to the sum of a key. */
  add(key: string, amount: number): void {
    this.#sums.set(key, this.of(key) + amount);
  }
  /** Returns the sum of a key; 0 before the first amount. */
  of(key: string): number {
    return this.#sums.get(key) ?? 0;
  }
}

function checkEqual(amountName: string, actual: number, expected: number): void {
  if (actual !== expected) throw new InvariantError(`${amountName}: expected ${expected}, got ${actual}`);
}
