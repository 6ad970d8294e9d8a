// The parts of a backtest of spot: cash and coins.

import { ReplayExchange } from '../../adapters/replay/replayExchange.ts';
import { assert } from '../../base/assert.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import { SpotLedger } from '../../portfolio/spotLedger.ts';
import { InstrumentScale, quoteValueAt } from '../../portfolio/scale.ts';
import { Venue } from '../../venue/venue.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import type { Deposits, MarketParts, OpenedVenue, VenueDeps } from './parts.ts';
import { commonConfig } from './venueConfig.ts';

/** How a bot with spot alone is put together. */
export const spotMarket: MarketParts = {
  exchange: (make) => make(),

  ledger: (plan, instruments) => new SpotLedger(instruments, plan.strategies.length),

  reservationTerms: (plan, instruments) => ({
    collarPpm: plan.fills.collarPpm,
    takerFeePpm: Float64Array.from(instruments, () => plan.fees.takerPpm),
    makerFeePpm: plan.fees.makerPpm,
    feesIn: plan.fees.in,
  }),

  marks: (_plan, instruments) => listOf(instruments, () => null),

  funding: (_plan, instruments) => listOf(instruments, () => null),

  accounts: ({ cash }, { ledger }) => [{ market: 'spot', ledger, cash }],

  startingValue: coinValue,

  open(plan, engine, deps, [deposits = new Map()]) {
    const { ledger, instruments } = engine;
    assert(ledger instanceof SpotLedger || ledger instanceof ConvertedLedger, 'a spot venue needs a spot ledger');
    return openSpot(plan, engine, deps, deposits, { ledger, instruments });
  },
};

/** Returns the value of starting coins at their first price. If they counted as worthless, their proceeds would be profit. */
export function coinValue(engine: Engine, asset: string, units: number): number {
  const index = engine.instruments.findIndex(({ base, contract }) => base === asset && contract === undefined);
  if (index < 0) return 0;
  const { ofUnits } = new InstrumentScale(engine.instruments[index]!);
  return quoteValueAt(units, engine.startTicks(index), ofUnits);
}

/** The ledger of a spot account, and the instruments that it trades. */
interface SpotBooks {
  readonly ledger: SpotLedger | ConvertedLedger;
  readonly instruments: readonly Instrument[];
}

/** Opens the venue of the spot instruments of a run, with its account. */
export function openSpot(plan: RunPlan, engine: Engine, deps: VenueDeps, deposits: Deposits, books: SpotBooks): OpenedVenue {
  const {
    exchange,
    slippage,
    fees: [model = null],
  } = deps;
  assert(exchange instanceof ReplayExchange, 'a venue is connected to a replayed exchange');
  const venue = new Venue({ ...commonConfig(plan, books.instruments, slippage), fees: { ...plan.fees, model } }, exchange);
  const account = venue.openAccount('bot');
  for (const [asset, units] of deposits) venue.deposit(account, asset, units);
  exchange.connect(engine, venue, account);
  return { venue, venues: [venue], checkBooks: () => checkBooks(engine, books, venue) };
}

/** Throws unless the bot's ledger and the venue's books agree in every balance. */
function checkBooks(engine: Engine, { ledger, instruments }: SpotBooks, venue: Venue): void {
  venue.assertConserved();
  const balanceOf = (asset: string) => venue.free(0, asset) + venue.locked(0, asset);
  if (ledger instanceof ConvertedLedger) {
    for (const [asset, units] of ledger.balances())
      assert(balanceOf(asset) === units, `the venue holds ${balanceOf(asset)} of ${asset}, the ledger ${units}`);
    return;
  }
  const { cashAsset, cashTotal } = ledger;
  assert(balanceOf(cashAsset) === cashTotal, `the venue holds ${balanceOf(cashAsset)} of ${cashAsset}, the ledger ${cashTotal}`);
  for (const instrument of instruments) {
    const { base } = instrument;
    const units = ledger.baseTotal(engine.instruments.indexOf(instrument));
    assert(balanceOf(base) === units, `the venue holds ${balanceOf(base)} of ${base}, the ledger ${units}`);
  }
}
