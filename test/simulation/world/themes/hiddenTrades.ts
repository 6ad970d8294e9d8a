// Selects the trades that lists of trades and balances lack on a day with a theme.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { SimulatedVenue } from '../venue.ts';
import { BuriedTrades } from './buriedTrades.ts';
import { LateTrades } from './lateTrades.ts';
import type { Theme } from './themedDay.ts';

/** The trades that lists lack for a while. */
export type HiddenTrades = BuriedTrades | LateTrades;

/** Returns the trades that lists lack on days of this theme; null on other days. */
export function hiddenTradesOf(theme: Theme, queue: DueQueue, venue: SimulatedVenue): HiddenTrades | null {
  if (theme === 'buriedTrades') return new BuriedTrades(queue, venue);
  return theme === 'lateTrades' ? new LateTrades(queue, venue) : null;
}
