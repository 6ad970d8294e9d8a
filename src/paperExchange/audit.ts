// Whether the books of an exchange agree with each other: asked after an internal error, to know whether the exchange may go on.

import { InvariantError } from '../base/errors.ts';
import type { FuturesExchange } from './futures/futuresExchange.ts';
import type { ExchangeSide } from './orders/exchangeSide.ts';
import type { OwnTrade, UserOrder } from './orders/userOrder.ts';
import type { SpotExchange } from './spot/spotExchange.ts';

/**
 * Throws InvariantError at the first books that do not agree: money that was made or lost, funds or lots that are held without an order, an
 * order of the venue that the exchange does not know. It walks all accounts and open orders.
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
      agrees(`${name} ${asset} held`, locked, held.of(`${account} ${asset}`));
      agrees(`${name} ${asset} free, in whole units`, free, Math.floor(free));
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
      agrees(`${name} ${asset} held`, wallets.wallet(account, index).locked, held.of(`${account} ${index}`)),
    );
    wallets.contracts.forEach(({ instrument }, index) =>
      wallets.sides(account, index).forEach(({ heldLots }, side) => {
        agrees(`${name} ${instrument.wireName} lots held`, heldLots, held.of(`${account} ${index} ${String(side === 0)}`));
      }),
    );
  });
  venue.assertConserved();
}

/** Every open order of the venue is one of the exchange, and each stands in the book with what is left of it. */
function auditOrders<O extends UserOrder, T extends OwnTrade>(fixture: ExchangeSide<O, T>): void {
  const working = new Map(fixture.markets.map(({ instrument }) => [instrument, 0]));
  for (const { id, instrument, live, resting } of fixture.live()) {
    if (live === null) continue;
    if (!live.isOpen) throw new InvariantError(`order ${id} is over at the venue and open at the exchange`);
    working.set(instrument, (working.get(instrument) ?? 0) + 1);
    if (resting !== null) agrees(`order ${id} in the book`, resting.lots, live.lots - live.filledLots);
  }
  for (const [instrument, count] of working) agrees(`${instrument.id} open orders`, fixture.venue.book(instrument).working, count);
}

/** Sums by name. */
class Sums {
  readonly #sums = new Map<string, number>();
  add(name: string, amount: number): void {
    this.#sums.set(name, this.of(name) + amount);
  }
  of(name: string): number {
    return this.#sums.get(name) ?? 0;
  }
}

function agrees(what: string, is: number, should: number): void {
  if (is !== should) throw new InvariantError(`${what}: ${is}, where ${should} should be`);
}
