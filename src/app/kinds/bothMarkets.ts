// The parts of a backtest over both markets: a futures and a spot account, with two venues behind one exchange.

import { PairedReplay } from '../../adapters/replay/pairedReplay.ts';
import { assert } from '../../base/assert.ts';
import { listOf } from '../../base/memory/listOf.ts';
import { PairedLedger } from '../../portfolio/pairedLedger.ts';
import { dataOf, leverageOf, marginTerms, openFutures, takerFeePpm } from './futuresMarket.ts';
import type { MarketParts } from './parts.ts';
import { openSpot, coinValue } from './spotMarket.ts';

/** How a bot with spot and futures is put together. */
export const bothMarkets: MarketParts = {
  exchange: (make) => new PairedReplay(make(), make()),

  ledger: (plan, instruments) => new PairedLedger(instruments, plan.strategies.length, marginTerms(plan)),

  reservationTerms: (plan, instruments) => ({
    collarPpm: plan.fills.collarPpm,
    takerFeePpm: Float64Array.from(instruments, (instrument) =>
      instrument.contract === undefined ? plan.fees.takerPpm : takerFeePpm(plan, instrument),
    ),
    makerFeePpm: plan.fees.makerPpm,
    // This setting applies to spot. Contracts always pay fees in their settlement asset.
    feesIn: plan.fees.in,
    leverage: Float64Array.from(instruments, (instrument) => (instrument.contract === undefined ? 0 : leverageOf(plan, instrument))),
  }),

  marks: (plan, instruments) => listOf(instruments, (instrument) => dataOf(plan, instrument).marks?.close ?? null),

  funding: (plan, instruments) => listOf(instruments, (instrument) => dataOf(plan, instrument).rates ?? null),

  accounts({ funds }, { ledger }) {
    assert(ledger instanceof PairedLedger && funds !== undefined, 'a run over both markets has two accounts');
    const { futures, spot } = ledger;
    return [
      { market: 'futures', ledger: futures, cash: funds.futures },
      { market: 'spot', ledger: spot, cash: funds.spot },
    ];
  },

  startingValue: coinValue,

  open(plan, engine, deps, [futuresDeposits = new Map(), spotDeposits = new Map()]) {
    const { exchange, slippage } = deps;
    const [futuresFees = null, spotFees = null] = deps.fees;
    const { ledger, instruments } = engine;
    assert(
      ledger instanceof PairedLedger && exchange instanceof PairedReplay,
      'a pair of venues needs a paired ledger and a paired replay',
    );
    const { contractCount, futures, spot } = ledger;
    exchange.route(contractCount);
    // The contracts come before the spot instruments, because instruments are in the order of their ids.
    const futuresBooks = { ledger: futures, instruments: instruments.slice(0, contractCount) };
    const spotBooks = { ledger: spot, instruments: instruments.slice(contractCount) };
    const futuresDeps = { exchange: exchange.futures, slippage, fees: [futuresFees] };
    const spotDeps = { exchange: exchange.spot, slippage, fees: [spotFees] };
    const openedFutures = openFutures(plan, engine, futuresDeps, futuresDeposits, futuresBooks);
    const openedSpot = openSpot(plan, engine, spotDeps, spotDeposits, spotBooks);
    return {
      venue: openedFutures.venue,
      venues: [...openedFutures.venues, ...openedSpot.venues],
      checkBooks() {
        openedFutures.checkBooks();
        openedSpot.checkBooks();
      },
    };
  },
};
