// Opens an exchange for market data of some markets.

import { nowMs } from '../../adapters/clock/wallClock.ts';
import { seededRng } from '../../base/number/rng.ts';
import type { Market } from '../../model/instrument.ts';
import { openExchange } from '../../access/openExchange.ts';
import { accessSettings, originOf, type AccessOptions } from '../../access/settings.ts';
import type { MarketService } from './marketService.ts';

/** An open connection to the public calls of an exchange. */
export interface OpenMarketService extends MarketService {
  /** Random number from 0 to 1. Differs between processes. */
  readonly random: () => number;
  /** Closes. Pending requests never get a reply. */
  close(): Promise<void>;
}

/** Opens no connection by itself. Throws ConfigError for a market without an address, and for invalid settings. */
export function openMarketService(options: AccessOptions, markets: readonly Market[]): OpenMarketService {
  const settings = accessSettings(options);
  for (const market of markets) originOf(settings, market);
  const rng = seededRng((nowMs() ^ process.pid) | 0);
  return { ...openExchange(settings), random: () => rng.next() };
}
