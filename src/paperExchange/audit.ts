// Checks that the books of an exchange agree. It runs after an internal error and decides whether the exchange may continue.

import { InvariantError } from '../base/errors.ts';
import type { FuturesExchange } from './futures/futuresExchange.ts';
import type { ExchangeSide } from './orders/exchangeSide.ts';
import type { OwnTrade, UserOrder } from './orders/userOrder.ts';
import type { SpotExchange } from './spot/spotExchange.ts';

/**
 * Checks all accounts and open orders, and throws InvariantError at the first disagreement. Examples: money created or lost, funds or lots
 * held without an order, a venue order that the exchange does not know.
 */
export function auditBooks({ spot, futures }: { readonly spot: SpotExchange | null; readonly futures: FuturesExchange | null }): void {
  if (spot !== null) auditSpot(spot);
  if (futures !== null) auditFutures(futures);
}

/** Checks that locked spot balances equal what open orders lock, and that no money was created or lost. */
function auditSpot(spot: SpotExchange): void {
  const { venue } = spot;
  const { accounts } = venue;
  auditOrders(spot);
  const lockedSums = new Sums();
  for (const { account, instrument, venueOrder } of spot.unendedOrders()) {
    if (venueOrder === null) continue;
    lockedSums.add(`${account} ${venueOrder.side === 'buy' ? instrument.quote : instrument.base}`, venueOrder.lockedUnits);
  }
  accounts.all.forEach(({ name }, account) =>
    accounts.assets.forEach((asset, index) => {
      const { free, locked } = accounts.of(account, index);
      checkEqual(`${name} ${asset} locked`, locked, lockedSums.of(`${account} ${asset}`));
      checkEqual(`${name} ${asset} free, in whole units`, free, Math.floor(free));
    }),
  );
  venue.assertConserved();
}

/** Checks that locked margin and lots equal what open orders lock, and that no money was created or lost. */
function auditFutures(futures: FuturesExchange): void {
  const { venue } = futures;
  const { wallets } = venue;
  auditOrders(futures);
  const lockedSums = new Sums();
  for (const { account, instrument, venueOrder } of futures.unendedOrders()) {
    if (venueOrder === null) continue;
    const { index, terms } = venue.book(instrument);
    lockedSums.add(`${account} ${terms.asset}`, venueOrder.lockedUnits);
    const position = wallets.position(account, index, venueOrder.side === 'sell');
    lockedSums.add(`${account} ${index} ${String(position === wallets.sides(account, index)[0])}`, venueOrder.offsetLots);
  }
  wallets.accounts.forEach(({ name }, account) => {
    wallets.assets.forEach((asset, index) =>
      checkEqual(`${name} ${asset} locked`, wallets.wallet(account, index).locked, lockedSums.of(`${account} ${index}`)),
    );
    wallets.contracts.forEach(({ instrument }, index) =>
      wallets.sides(account, index).forEach(({ heldLots }, sideIndex) => {
        checkEqual(`${name} ${instrument.wireName} lots locked`, heldLots, lockedSums.of(`${account} ${index} ${String(sideIndex === 0)}`));
      }),
    );
  });
  venue.assertConserved();
}

/** Checks that every open venue order has an order of the exchange, and that each rests in the book with its unfilled quantity. */
function auditOrders<O extends UserOrder, T extends OwnTrade>(exchange: ExchangeSide<O, T>): void {
  const working = new Map(exchange.markets.map(({ instrument }) => [instrument, 0]));
  for (const { id, instrument, venueOrder, resting } of exchange.unendedOrders()) {
    if (venueOrder === null) continue;
    if (!venueOrder.isOpen) throw new InvariantError(`order ${id} has ended at the venue and is open at the exchange`);
    working.set(instrument, (working.get(instrument) ?? 0) + 1);
    if (resting !== null) checkEqual(`order ${id} in the book`, resting.lots, venueOrder.lots - venueOrder.filledLots);
  }
  for (const [instrument, count] of working) checkEqual(`${instrument.id} open orders`, exchange.venue.book(instrument).working, count);
}

/** Named sums. */
class Sums {
  readonly #sums = new Map<string, number>();
  add(name: string, amount: number): void {
    this.#sums.set(name, this.of(name) + amount);
  }
  of(name: string): number {
    return this.#sums.get(name) ?? 0;
  }
}

function checkEqual(amountName: string, actual: number, expected: number): void {
  if (actual !== expected) throw new InvariantError(`${amountName}: expected ${expected}, got ${actual}`);
}
