// The parts of a backtest of futures: contracts, margin, funding and liquidation.

import { MarginWatch } from '../../adapters/replay/marginWatch.ts';
import type { ContractData } from '../../model/bars/contractData.ts';
import { ContractRows } from '../../adapters/replay/contractRows.ts';
import { ReplayTriggers } from '../../adapters/replay/replayTriggers.ts';
import { ReplayExchange } from '../../adapters/replay/replayExchange.ts';
import { assert } from '../../base/assert.ts';
import { ConfigError } from '../../base/errors.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarginTerms } from '../../portfolio/contractHolding.ts';
import { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import type { FuturesPlan, RunPlan } from '../../definition/plan/plan.ts';
import type { Deposits, MarketParts, OpenedVenue, VenueDeps } from './parts.ts';
import { commonConfig } from './venueConfig.ts';

/** Index of the account of the bot at the venue. */
const ACCOUNT = 0;

/** How a bot with futures alone is put together. */
export const futuresMarket: MarketParts = {
  exchange: (make) => make(),

  ledger: (plan, instruments) => new FuturesLedger(instruments, plan.strategies.length, marginTerms(plan)),

  reservationTerms: (plan, instruments) => ({
    collarPpm: plan.fills.collarPpm,
    takerFeePpm: Float64Array.from(instruments, (instrument) => takerFeePpm(plan, instrument)),
    feesIn: 'quote',
    leverage: Float64Array.from(instruments, (instrument) => leverageOf(plan, instrument)),
  }),

  marks: (plan, instruments) => listOf(instruments, (instrument) => dataOf(plan, instrument).marks?.close ?? null),

  funding: (plan, instruments) => listOf(instruments, (instrument) => dataOf(plan, instrument).rates ?? null),

  accounts: ({ cash }, { ledger }) => [{ market: 'futures', ledger, cash }],

  /** Returns 0, because all money is in the settlement asset. */
  startingValue: () => 0,

  open(plan, engine, deps, [deposits = new Map()]) {
    const { ledger, instruments } = engine;
    assert(ledger instanceof FuturesLedger, 'a futures venue needs a futures ledger');
    return openFutures(plan, engine, deps, deposits, { ledger, instruments });
  },
};

/** The books of a futures account, whose contracts are the first instruments of the run. */
interface FuturesBooks {
  readonly ledger: FuturesLedger;
  readonly instruments: readonly Instrument[];
}

/** Opens the venue of the contracts of a run, with its account and its margin checks. */
export function openFutures(plan: RunPlan, engine: Engine, deps: VenueDeps, deposits: Deposits, books: FuturesBooks): OpenedVenue {
  const {
    exchange,
    slippage,
    fees: [model = null],
  } = deps;
  assert(exchange instanceof ReplayExchange, 'a venue is connected to a replayed exchange');
  const { isCross, isNet, leverage, liquidationFeePpm } = termsOf(plan);
  const { rounding, contractPpm } = plan.fees;
  const watch = new MarginWatch(
    engine,
    listOf(books.instruments, (instrument) => dataOf(plan, instrument)),
  );
  const venue = new FuturesVenue(
    {
      ...commonConfig(plan, books.instruments, slippage),
      fees: { rounding, model, ...(contractPpm === undefined ? {} : { ppm: contractPpm }) },
      liquidationFeePpm,
      opening: { leverage, isCross, isNet },
      settingsInUse: 'refuse',
    },
    watch.sinkFor(exchange),
  );
  const account = venue.openAccount('bot');
  for (const [asset, units] of deposits) venue.deposit(account, asset, units);
  const triggers = new ReplayTriggers(engine, venue, account, watch);
  exchange.connect(engine, venue, account, {
    watch,
    triggers,
    rows: new ContractRows(engine, venue, account, watch, triggers, exchange.eventOrder),
  });
  watch.connect(venue, account);
  return { venue, venues: [venue], checkBooks: () => checkBooks(books, venue) };
}

/** Returns a function with the margin settings of the run for a contract. */
export function marginTerms(plan: RunPlan): (instrument: Instrument) => MarginTerms {
  const { isCross, isNet } = termsOf(plan);
  return (instrument) => ({ isCross, isNet, leverage: leverageOf(plan, instrument) });
}

/** Returns the fee rate by which orders reserve cash: that of the run, else the higher of the taker fees of opening and closing. */
export function takerFeePpm({ fees }: RunPlan, { contract }: Instrument): number {
  if (contract !== undefined && fees.contractPpm !== undefined) return fees.contractPpm;
  return contract === undefined ? 0 : Math.max(contract.openTakerFeePpm, contract.closeTakerFeePpm);
}

/** Returns the futures settings of the run. Throws ConfigError when it has none. */
function termsOf({ futures }: RunPlan): FuturesPlan {
  if (futures === undefined) throw new ConfigError('a run of futures has no futures settings', 'write leverage and margin under futures:');
  return futures;
}

/** Returns the leverage of the run. Throws ConfigError if the contract does not allow it. */
export function leverageOf(plan: RunPlan, { id, contract }: Instrument): number {
  const { leverage } = termsOf(plan);
  if (contract === undefined) throw new ConfigError(`${id}: the record has no terms of a contract`, 'refresh the record: docs/futures.md');
  if (leverage < contract.minLeverage || leverage > contract.maxLeverage) {
    throw new ConfigError(
      `futures.leverage: expected ${contract.minLeverage} to ${contract.maxLeverage} for ${id}, got ${leverage}`,
      'use a leverage that the contract allows',
    );
  }
  return leverage;
}

/** The data of a contract for which the run has neither mark prices nor funding rates. */
const NO_DATA: ContractData = { marks: null, funding: [] };

/** Returns the mark prices and funding rates of a contract. Empty when the run has none. */
export function dataOf(plan: RunPlan, { id }: Instrument): ContractData {
  return termsOf(plan).data.get(id) ?? NO_DATA;
}

/** Throws unless the bot's ledger and the venue's books agree in the money and in every figure of each position. */
function checkBooks({ ledger, instruments }: FuturesBooks, venue: FuturesVenue): void {
  venue.assertConserved();
  const { wallets } = venue;
  const { cashAsset, cashTotal } = ledger;
  const asset = wallets.asset(cashAsset);
  const { free, locked } = wallets.wallet(ACCOUNT, asset);
  let venueUnits = free + locked;
  for (const { marginUnits } of wallets.openPositions(ACCOUNT, asset)) venueUnits += marginUnits;
  assert(venueUnits === cashTotal, `the venue holds ${venueUnits} of ${cashAsset}, the ledger ${cashTotal}`);
  instruments.forEach(({ id }, index) => {
    for (const isLong of [true, false]) {
      const ledgerPosition = ledger.side(index, isLong);
      const venuePosition = wallets.position(ACCOUNT, index, isLong);
      const isOpen = venuePosition.lots > 0 && venuePosition.isLong === isLong;
      for (const key of ['lots', 'entryUnits', 'marginUnits', 'realisedUnits', 'feeUnits', 'fundingUnits'] as const) {
        if (!isOpen && ledgerPosition.lots === 0) continue;
        const venueFigure = isOpen ? venuePosition[key] : 0;
        const ledgerFigure = ledgerPosition[key];
        const place = `${id} ${isLong ? 'long' : 'short'} ${key}`;
        assert(ledgerFigure === venueFigure, `${place}: the venue has ${venueFigure}, the ledger ${ledgerFigure}`);
      }
    }
  });
}
