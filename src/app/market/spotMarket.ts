// A backtest of spot: coins and cash.

import { assert } from '../../base/assert.ts';
import type { Engine } from '../../engine/engine.ts';
import { SpotLedger } from '../../portfolio/spotLedger.ts';
import { Scale, valueAt } from '../../portfolio/scale.ts';
import { Venue } from '../../venue/venue.ts';
import { feesOf } from '../models/venueModels.ts';
import type { MarketParts } from './parts.ts';
import { commonConfig } from './venueConfig.ts';

export const spotMarket: MarketParts = {
  ledger: (plan, instruments) => new SpotLedger(instruments, plan.strategies.length),

  reservationTerms: (plan, instruments) => ({
    collarPpm: plan.fills.collarPpm,
    takerFeePpm: instruments.map(() => plan.fees.takerPpm),
    feesIn: plan.fees.in,
  }),

  marks: (_plan, instruments) => instruments.map(() => null),

  /** Coins come in at their price, or all their proceeds were profit. */
  worthOf(engine, asset, units) {
    const index = engine.instruments.findIndex(({ base }) => base === asset);
    return index < 0 ? 0 : valueAt(units, engine.startTicks(index), new Scale(engine.instruments[index]!).ofUnits);
  },

  open(plan, engine, exchange, deposits) {
    const fees = { ...plan.fees, model: plan.models?.fees ? feesOf(plan.models.fees) : null };
    const venue = new Venue({ ...commonConfig(plan, engine.instruments), fees }, exchange);
    const account = venue.openAccount('bot');
    for (const [asset, units] of deposits) venue.deposit(account, asset, units);
    exchange.connect(engine, venue, account);
    return { venue, checkBooks: () => checkBooks(engine, venue) };
  },
};

function checkBooks({ ledger, instruments }: Engine, venue: Venue): void {
  assert(ledger instanceof SpotLedger, 'a spot venue stands beside the books of a spot account');
  venue.assertConserved();
  const held = (asset: string) => venue.free(0, asset) + venue.locked(0, asset);
  const { cashAsset, cashTotal } = ledger;
  assert(held(cashAsset) === cashTotal, `the venue holds ${held(cashAsset)} of ${cashAsset}, the ledger ${cashTotal}`);
  instruments.forEach(({ base }, index) => {
    const units = ledger.baseTotal(index);
    assert(held(base) === units, `the venue holds ${held(base)} of ${base}, the ledger ${units}`);
  });
}
