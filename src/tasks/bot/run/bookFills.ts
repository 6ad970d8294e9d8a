// Books the fills until the close of a bar before any strategy decides on it.

import type { Engine } from '../../../engine/engine.ts';
import type { MarketRouter } from '../account/marketRouter.ts';

/** The engine, and the services of its markets. */
export interface BookFillsDeps {
  readonly engine: Engine;
  readonly services: Pick<MarketRouter, 'serviceOf'>;
}

/** Reads orders and positions of the instruments in use. `only`: limits them to these; null: all. Calls `done` once, perhaps at once. */
export function bookFills({ engine, services }: BookFillsDeps, only: ReadonlySet<number> | null, done: () => void): void {
  const indices = new Set(engine.orders.active().map(({ instrumentIndex }) => instrumentIndex));
  // Positions pay or receive funding, which no order shows.
  engine.instruments.forEach(({ market }, index) => void (market === 'futures' && engine.ledger.holds(index) && indices.add(index)));
  const selected = [...indices].filter((index) => only === null || only.has(index));
  const markets = new Set(selected.map((index) => engine.instruments[index]!.market));
  let waiting = markets.size;
  if (waiting === 0) return done();
  for (const market of markets) {
    const marketIndices = selected.filter((index) => engine.instruments[index]!.market === market);
    services.serviceOf(market).settle(marketIndices, () => void (--waiting === 0 && done()));
  }
}
