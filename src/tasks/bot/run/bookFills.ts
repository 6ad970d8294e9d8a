// Books the fills until the close of a bar before any strategy decides on it.

import type { Engine } from '../../../engine/engine.ts';
import type { MarketRouter } from '../account/marketRouter.ts';

/** The engine, and the services of its markets. */
export interface BookFillsDeps {
  readonly engine: Engine;
  readonly services: Pick<MarketRouter, 'serviceOf'>;
}

/** Reads the orders and positions of instruments that have any, of those in `only` (null: all). Calls `done` once, perhaps within the call. */
export function bookFills({ engine, services }: BookFillsDeps, only: ReadonlySet<number> | null, done: () => void): void {
  const inUse = new Set(engine.orders.active().map(({ instrumentIndex }) => instrumentIndex));
  // Positions pay or receive funding, which no order shows.
  for (const [index, { market }] of engine.instruments.entries()) if (market === 'futures' && engine.ledger.holds(index)) inUse.add(index);
  const selected = [...inUse].filter((index) => only === null || only.has(index));
  const markets = new Set(selected.map((index) => engine.instruments[index]!.market));
  let pendingMarkets = markets.size;
  if (pendingMarkets === 0) return done();
  const onRead = (): void => {
    pendingMarkets--;
    if (pendingMarkets === 0) done();
  };
  for (const market of markets) {
    const indicesOfMarket = selected.filter((index) => engine.instruments[index]!.market === market);
    services.serviceOf(market).settle(indicesOfMarket, onRead);
  }
}
