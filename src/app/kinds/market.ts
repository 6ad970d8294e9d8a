// Selects the parts of a backtest by the markets of its instruments.

import type { Instrument } from '../../model/instrument.ts';
import { bothMarkets } from './bothMarkets.ts';
import { convertedSpot } from './convertedSpot.ts';
import { futuresMarket } from './futuresMarket.ts';
import type { MarketParts } from './parts.ts';
import { spotMarket } from './spotMarket.ts';

/** Returns the parts for the market of the instruments, for a run over both markets, or for cash in several quote assets. */
export function marketOf(instruments: readonly Pick<Instrument, 'market' | 'quote'>[]): MarketParts {
  const markets = new Set(instruments.map(({ market }) => market));
  if (markets.size > 1) return bothMarkets;
  if (markets.has('futures')) return futuresMarket;
  return new Set(instruments.map(({ quote }) => quote)).size > 1 ? convertedSpot : spotMarket;
}
