// A backtest of futures: contracts, margin, funding and liquidation.

import { MarginWatch, type ContractData } from '../../adapters/replay/marginWatch.ts';
import { assert } from '../../base/assert.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import { feesOf } from '../models/venueModels.ts';
import type { FuturesPlan, RunPlan } from '../plan.ts';
import type { MarketParts } from './parts.ts';
import { commonConfig } from './venueConfig.ts';

const ACCOUNT = 0;

export const futuresMarket: MarketParts = {
  ledger(plan, instruments) {
    const { isCross, isNet } = termsOf(plan);
    return new FuturesLedger(instruments, plan.strategies.length, (of) => ({ isCross, isNet, leverage: leverageOf(plan, of) }));
  },

  reservationTerms: (plan, instruments) => ({
    collarPpm: plan.fills.collarPpm,
    takerFeePpm: instruments.map(({ contract }) => Math.max(contract!.openTakerFeePpm, contract!.closeTakerFeePpm)),
    feesIn: 'quote',
    leverage: instruments.map((of) => leverageOf(plan, of)),
  }),

  marks: (plan, instruments) => instruments.map((of) => dataOf(plan, of).marks?.close ?? null),

  /** All money is in the settlement asset. */
  worthOf: () => 0,

  open(plan, engine, exchange, deposits) {
    const { isCross, isNet, leverage, liquidationFeePpm } = termsOf(plan);
    const { rounding } = plan.fees;
    const watch = new MarginWatch(
      engine,
      engine.instruments.map((of) => dataOf(plan, of)),
    );
    const venue = new FuturesVenue(
      {
        ...commonConfig(plan, engine.instruments),
        fees: { rounding, model: plan.models?.fees ? feesOf(plan.models.fees) : null },
        liquidationFeePpm,
        opening: { leverage, isCross, isNet },
        settingsInUse: 'refuse',
      },
      watch.sinkFor(exchange),
    );
    const account = venue.openAccount('bot');
    for (const [asset, units] of deposits) venue.deposit(account, asset, units);
    exchange.connect(engine, venue, account, watch);
    watch.connect(venue, account);
    return { venue, checkBooks: () => checkBooks(engine, venue) };
  },
};

function termsOf({ futures }: RunPlan): FuturesPlan {
  if (futures === undefined) throw new ConfigError('a run of futures has no futures settings', 'name leverage and margin under futures:');
  return futures;
}

/** The leverage of the run, within what the contract allows. */
function leverageOf(plan: RunPlan, { id, contract }: Instrument): number {
  const { leverage } = termsOf(plan);
  if (contract === undefined) throw new ConfigError(`${id}: the record has no terms of a contract`, 'refresh the record: docs/futures.md');
  if (leverage < contract.minLeverage || leverage > contract.maxLeverage) {
    throw new ConfigError(
      `futures.leverage: expected ${contract.minLeverage} to ${contract.maxLeverage} for ${id}, got ${leverage}`,
      'name a leverage that the contract allows',
    );
  }
  return leverage;
}

const NO_DATA: ContractData = { marks: null, funding: [] };
function dataOf(plan: RunPlan, { id }: Instrument): ContractData {
  return termsOf(plan).data.get(id) ?? NO_DATA;
}

/** Both books in every figure that a position has. */
function checkBooks({ ledger, instruments }: Engine, venue: FuturesVenue): void {
  assert(ledger instanceof FuturesLedger, 'a futures venue stands beside the books of a futures account');
  venue.assertConserved();
  const { wallets } = venue;
  const { cashAsset, cashTotal } = ledger;
  const asset = wallets.asset(cashAsset);
  const { free, locked } = wallets.wallet(ACCOUNT, asset);
  let money = free + locked;
  for (const { marginUnits } of wallets.held(ACCOUNT, asset)) money += marginUnits;
  assert(money === cashTotal, `the venue holds ${money} of ${cashAsset}, the ledger ${cashTotal}`);
  instruments.forEach(({ id }, index) => {
    for (const isLong of [true, false]) {
      const own = ledger.side(index, isLong);
      const position = wallets.position(ACCOUNT, index, isLong);
      const isThere = position.lots > 0 && position.isLong === isLong;
      for (const key of ['lots', 'entryUnits', 'marginUnits', 'realisedUnits', 'feeUnits', 'fundingUnits'] as const) {
        if (!isThere && own.lots === 0) continue;
        const theirs = isThere ? position[key] : 0;
        assert(own[key] === theirs, `${id} ${isLong ? 'long' : 'short'} ${key}: the venue has ${theirs}, the ledger ${own[key]}`);
      }
    }
  });
}
