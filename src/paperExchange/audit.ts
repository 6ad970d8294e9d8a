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

function auditSpot(spot: SpotExchange): void {
  const { venue } = spot;
  const { accounts } = venue;
  auditOrders(spot);
  const held = new Sums();
  for (const { account, instrument, live } of spot.live()) {
    if (live === null) continue;
    held.add(`${account} ${live.side === 'buy' ? instrument.quote : instrument.base}`, live.lockedUnits);
  }
  accounts.all.forEach(({ name }, account) =>
    accounts.assets.forEach((asset, index) => {
      const { free, locked } = accounts.of(account, index);
      checkEqual(`${name} ${asset} held`, locked, held.of(`${account} ${asset}`));
      checkEqual(`${name} ${asset} free, in whole units`, free, Math.floor(free));
    }),
  );
  venue.assertConserved();
}

function auditFutures(futures: FuturesExchange): void {
  const { venue } = futures;
  const { wallets } = venue;
  auditOrders(futures);
  const held = new Sums();
  for (const { account, instrument, live } of futures.live()) {
    if (live === null) continue;
    const { index, terms } = venue.book(instrument);
    held.add(`${account} ${terms.asset}`, live.lockedUnits);
    const position = wallets.position(account, index, live.side === 'sell');
    held.add(`${account} ${index} ${String(position === wallets.sides(account, index)[0])}`, live.offsetLots);
  }
  wallets.accounts.forEach(({ name }, account) => {
    wallets.assets.forEach((asset, index) =>
      checkEqual(`${name} ${asset} held`, wallets.wallet(account, index).locked, held.of(`${account} ${index}`)),
    );
    wallets.contracts.forEach(({ instrument }, index) =>
      wallets.sides(account, index).forEach(({ heldLots }, side) => {
        checkEqual(`${name} ${instrument.wireName} lots held`, heldLots, held.of(`${account} ${index} ${String(side === 0)}`));
      }),
    );
  });
  venue.assertConserved();
}

/** Checks that every open venue order has an order of the exchange, and that each rests in the book with its unfilled quantity. */
function auditOrders<O extends UserOrder, T extends OwnTrade>(side: ExchangeSide<O, T>): void {
  const working = new Map(side.markets.map(({ instrument }) => [instrument, 0]));
  for (const { id, instrument, live, resting } of side.live()) {
    if (live === null) continue;
    if (!live.isOpen) throw new InvariantError(`order ${id} has ended at the venue and is open at the exchange`);
    working.set(instrument, (working.get(instrument) ?? 0) + 1);
    if (resting !== null) checkEqual(`order ${id} in the book`, resting.lots, live.lots - live.filledLots);
  }
  for (const [instrument, count] of working) checkEqual(`${instrument.id} open orders`, side.venue.book(instrument).working, count);
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

function checkEqual(what: string, is: number, should: number): void {
  if (is !== should) throw new InvariantError(`${what}: ${is}, where ${should} should be`);
}
