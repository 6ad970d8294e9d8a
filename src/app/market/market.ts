// The market that a run trades on, told from its instruments.

import { ConfigError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { futuresMarket } from './futuresMarket.ts';
import type { MarketParts } from './parts.ts';
import { spotMarket } from './spotMarket.ts';

/** The market of a run's instruments. Throws ConfigError when they are of both. */
export function marketOf(instruments: readonly Instrument[]): MarketParts {
  const markets = new Set(instruments.map(({ market }) => market));
  if (markets.size > 1) {
    throw new ConfigError('feeds: the instruments of one run are of one market, got spot and futures', 'run them apart');
  }
  return markets.has('futures') ? futuresMarket : spotMarket;
}
