// The market that a run trades on, told from its instruments.

import type { Instrument } from '../../model/instrument.ts';
import { bothMarkets } from './bothMarkets.ts';
import { futuresMarket } from './futuresMarket.ts';
import type { MarketParts } from './parts.ts';
import { spotMarket } from './spotMarket.ts';

/** The market of a run's instruments, or both of them. */
export function marketOf(instruments: readonly Pick<Instrument, 'market'>[]): MarketParts {
  const markets = new Set(instruments.map(({ market }) => market));
  if (markets.size > 1) return bothMarkets;
  return markets.has('futures') ? futuresMarket : spotMarket;
}
