// Selects the parts of a backtest by the markets of its instruments.

import type { Instrument } from '../../model/instrument.ts';
import { bothMarkets } from './bothMarkets.ts';
import { futuresMarket } from './futuresMarket.ts';
import type { MarketParts } from './parts.ts';
import { spotMarket } from './spotMarket.ts';

/** Returns the parts for the market of the instruments, or for a run over both markets. */
export function marketOf(instruments: readonly Pick<Instrument, 'market'>[]): MarketParts {
  const markets = new Set(instruments.map(({ market }) => market));
  if (markets.size > 1) return bothMarkets;
  return markets.has('futures') ? futuresMarket : spotMarket;
}
