// An exchange opened for the market data of some of its markets.

import { nowMs } from '../../adapters/clock/wallClock.ts';
import { seededRng } from '../../base/number/rng.ts';
import type { Market } from '../../model/instrument.ts';
import { openExchange } from '../../access/openExchange.ts';
import { accessSettings, originOf, type AccessOptions } from '../../access/settings.ts';
import type { MarketService } from './service.ts';

export interface OpenMarketService extends MarketService {
  /** From 0 to 1; differs from process to process. */
  readonly random: () => number;
  /** What is under way is never answered. */
  close(): Promise<void>;
}

/** Opens no connection by itself. Throws ConfigError where a market has no address, and for settings that cannot be used. */
export function openMarketService(options: AccessOptions, markets: readonly Market[]): OpenMarketService {
  const settings = accessSettings(options);
  for (const market of markets) originOf(settings, market);
  const rng = seededRng((nowMs() ^ process.pid) | 0);
  return { ...openExchange(settings), random: () => rng.next() };
}
