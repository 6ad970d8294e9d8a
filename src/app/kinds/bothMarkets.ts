// A backtest over both markets: a futures and a spot account, with two venues behind one exchange.

import { PairedReplay } from '../../adapters/replay/pairedReplay.ts';
import { assert } from '../../base/assert.ts';
import { listOf } from '../../base/memory/listOf.ts';
import { PairedLedger } from '../../portfolio/pairedLedger.ts';
import { dataOf, leverageOf, marginTerms, openFutures, takerFeePpm } from './futuresMarket.ts';
import type { MarketParts } from './parts.ts';
import { openSpot, coinValue } from './spotMarket.ts';

export const bothMarkets: MarketParts = {
  exchange: (make) => new PairedReplay(make(), make()),

  ledger: (plan, instruments) => new PairedLedger(instruments, plan.strategies.length, marginTerms(plan)),

  reservationTerms: (plan, instruments) => ({
    collarPpm: plan.fills.collarPpm,
    takerFeePpm: Float64Array.from(instruments, (instrument) =>
      instrument.contract === undefined ? plan.fees.takerPpm : takerFeePpm(plan, instrument),
    ),
    makerFeePpm: plan.fees.makerPpm,
    // This setting is for spot. Contracts always pay fees in their margin coin.
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

  open(plan, engine, { exchange, slippage, fees: [feesOfFutures = null, feesOfSpot = null] }, [ofFutures = new Map(), ofSpot = new Map()]) {
    const { ledger, instruments } = engine;
    assert(
      ledger instanceof PairedLedger && exchange instanceof PairedReplay,
      'a pair of venues needs a paired ledger and a paired replay',
    );
    const { contracts, futures, spot } = ledger;
    exchange.route(contracts);
    const opened = openFutures(plan, engine, { exchange: exchange.futures, slippage, fees: [feesOfFutures] }, ofFutures, {
      ledger: futures,
      instruments: instruments.slice(0, contracts),
    });
    const other = openSpot(plan, engine, { exchange: exchange.spot, slippage, fees: [feesOfSpot] }, ofSpot, {
      ledger: spot,
      instruments: instruments.slice(contracts),
    });
    return {
      venue: opened.venue,
      venues: [...opened.venues, ...other.venues],
      checkBooks() {
        opened.checkBooks();
        other.checkBooks();
      },
    };
  },
};
