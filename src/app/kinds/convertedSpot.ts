// The parts of a backtest of spot with cash in several quote assets: one venue, and books for each quote asset.

import { assert } from '../../base/assert.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { MarketParts } from './parts.ts';
import { spotMarket } from './spotMarket.ts';

/** The parts of a spot market, with a ledger that values every quote asset in the reporting asset. */
export const convertedSpot: MarketParts = {
  ...spotMarket,

  ledger(plan, instruments) {
    assert(plan.convert !== undefined, 'a run with several quote assets has conversions');
    return new ConvertedLedger(instruments, plan.strategies.length, plan.convert);
  },

  reservationTerms: (plan, instruments) => ({
    ...spotMarket.reservationTerms(plan, instruments),
    accounts: new ConvertedLedger(instruments, 0, plan.convert ?? {}).accountOf,
  }),
};
