// Feeds with orders that a row may fill: which they are, and their rows at an instant.

import type { BarMarket } from '../../ports/exchange.ts';
import type { Engine } from '../engine.ts';

/** Asks the market again for which feeds an order is working, if anything may have changed it since the last call. */
export function refreshAllWorking(engine: Engine): void {
  if (engine.hasPendingWork === false) return;
  engine.hasPendingWork = false;
  const { alignedFeeds, market } = engine;
  if (market === null) return;
  for (let index = 0; index < alignedFeeds.length; index++) alignedFeeds[index]!.refreshIsWorking(market);
}

/** Matches the rows that close at the instant, if an order is working. */
export function matchDue(engine: Engine, market: BarMarket): void {
  const { execution } = engine;
  for (let index = 0; index < execution.length; index++) {
    if (market.workingOrders(index) === 0) continue;
    const { aligned, nextRow } = execution[index]!;
    if (aligned!.isDue === true) market.matchRow(index, nextRow);
  }
  // Orders that have filled are no longer working.
  engine.hasPendingWork = true;
}
