// Measures what a contract costs compared with a spot pair: the same strategy and bars, plus marks, funding every 8 h and margin.

import type { ContractData } from '../dist/model/bars/contractData.js';
import type { FuturesPlan, RunPlan } from '../dist/definition/plan/plan.js';
import { runBacktest } from '../dist/tasks/backtest/run/runBacktest.js';
import { Scratch } from '../dist/base/memory/rowLog.js';
import { seededRng } from '../dist/base/number/rng.js';
import { ticksOf, type BarColumns, type PriceColumn } from '../dist/model/bars/bars.js';
import { instrumentId, type Instrument } from '../dist/model/instrument.js';
import type { RunRecord } from '../dist/model/run/run.js';
import { runPartProcess } from './partProcess.ts';
import type { Workload } from './reference.ts';
import { randomWalk } from './series.ts';
import { feedPlan, loadStrategyFile, benchPlan, ROWS, haveSameResult, runTimed, type BenchStrategy } from './workloads.ts';

/** Bars of the run that checks the results. */
const CHECKED_ROWS = 200_000;
/** Each figure is the best of this many processes. */
const ROUNDS = 3;
/** Passes in each process. The first ones warm it up. */
const PASSES = 8;
/** Eight hours of bars of one minute. */
const ROWS_PER_FUNDING = 480;
/** With fewer fills, equal fills would prove little. */
const MIN_FILLS = 100;
/** The windows of the fill-light workload, with cash of 1,000,000 USDT. */
const WORKLOAD: Workload = { fast: 100, slow: 300, lots: 1, cashUnits: 1e12, feePpm: 400 };
const STRATEGY = 'bench/strategies/mostlyInvested.ts';

/** The mark differs from the price of a bar by at most half of this number of ticks, in either direction. */
const MARK_RANGE_TICKS = 20;
/** Range of the funding rates, in 10^-12 as in `ContractData`: 0.03 %. */
const FUNDING_RATE_RANGE = 3e8;
/** Two fifths of the rates are negative: rates have either sign, but longs pay more often, as at real exchanges. */
const NEGATIVE_RATE_SHARE = 0.4;

/** The market of a measured run: a spot pair, or a contract with marks, funding and margin. */
export type BenchMarket = 'spot' | 'futures';

/**
 * Returns the CPU time for one row of the contract, in ns, and its ratio to that of the spot pair. Each time is the best of several
 * processes.
 */
export async function futuresBench(print: (text: string) => void) {
  await checkResults(await loadStrategyFile(STRATEGY));
  // The times of a whole pass.
  let spotNs = Infinity;
  let futuresNs = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    spotNs = Math.min(spotNs, Number(runPartProcess('--futures-part', 'spot')));
    futuresNs = Math.min(futuresNs, Number(runPartProcess('--futures-part', 'futures')));
  }
  print(`bench: futures ${(futuresNs / ROWS).toFixed(1)} ns a row, spot ${(spotNs / ROWS).toFixed(1)} ns`);
  return { nsPerRow: futuresNs / ROWS, ratioToSpot: futuresNs / spotNs };
}

/** Runs one market in this process and prints the CPU time of its best pass in ns. */
export async function futuresPart(market: BenchMarket): Promise<void> {
  const plan = marketPlan(market, await loadStrategyFile(STRATEGY), randomWalk('AAAUSDT', ROWS, 1));
  const scratch = new Scratch();
  let minNs = Infinity;
  for (let pass = 0; pass < PASSES; pass++) minNs = Math.min(minNs, (await runTimed(plan, scratch)).cpuNs);
  process.stdout.write(String(minNs));
}

/**
 * Throws unless both markets have the same fills, the contract pays funding, and blocks of one row give the same result. `runBacktest` itself
 * throws if the bot's books differ from those of the venue.
 */
async function checkResults(strategy: BenchStrategy): Promise<void> {
  const bars = randomWalk('AAAUSDT', CHECKED_ROWS, 1);
  const spot = await runBacktest(marketPlan('spot', strategy, bars));
  const futures = await runBacktest(marketPlan('futures', strategy, bars));
  const fillsText = ({ fills }: RunRecord) =>
    JSON.stringify([fills.timeMs, fills.side, fills.price, fills.lots].map((column) => [...column]));
  if (spot.fills.length < MIN_FILLS || fillsText(spot) !== fillsText(futures))
    throw new Error('the fills of the contract differ from those of the spot pair');
  // The strategy is invested most of the time, so at least half of the funding times have a payment.
  const fundingTimes = CHECKED_ROWS / ROWS_PER_FUNDING;
  if (futures.payments!.length < fundingTimes / 2) throw new Error('the contract paid no funding');
  const isSameInBlocksOfOne = await haveSameResult(marketPlan('futures', strategy, bars), marketPlan('futures', strategy, bars, 1));
  if (!isSameInBlocksOfOne) throw new Error('blocks of one row have another result');
}

/** Returns the plan of a run on spot or on a contract with marks and funding. */
function marketPlan(market: BenchMarket, strategy: BenchStrategy, bars: BarColumns, blockRows?: number): RunPlan {
  const params = { fast: WORKLOAD.fast, slow: WORKLOAD.slow };
  if (market === 'spot') return benchPlan(strategy, [feedPlan('bars', bars)], WORKLOAD, params, blockRows);
  const instrument = contractOf(bars.instrument);
  const dataById = new Map([[instrument.id, contractDataOf(bars)]]);
  const futures: FuturesPlan = { leverage: 5, isCross: true, isNet: true, liquidationFeePpm: 5000, data: dataById };
  return { ...benchPlan(strategy, [feedPlan('bars', { ...bars, instrument })], WORKLOAD, params, blockRows), futures };
}

/** Returns a contract of one coin, with the digits and fees of the spot pair. */
function contractOf(spotPair: Instrument): Instrument {
  const { makerFeePpm, takerFeePpm, quote, quoteDigits, base, wireName } = spotPair;
  const fees = { openMakerFeePpm: makerFeePpm, closeMakerFeePpm: makerFeePpm, openTakerFeePpm: takerFeePpm, closeTakerFeePpm: takerFeePpm };
  return {
    ...spotPair,
    id: instrumentId('futures', wireName),
    market: 'futures',
    makerFeePpm: 0,
    takerFeePpm: 0,
    contract: {
      contractId: 1,
      kind: 'linear',
      type: 'E',
      marginCoin: quote,
      marginDigits: quoteDigits,
      multiplier: 1,
      multiplierDigits: 0,
      multiplierCoin: base,
      minLeverage: 1,
      maxLeverage: 100,
      maxMarketLots: 0,
      ...fees,
      isTrading: true,
      tiers: [
        { upToUnits: 5e13, maintenancePpm: 5_000, maxLeverage: 100 },
        { upToUnits: null, maintenancePpm: 25_000, maxLeverage: 20 },
      ],
    },
  };
}

/** Returns marks that differ from the bars by a few ticks, and a funding rate of either sign every eight hours. */
function contractDataOf(bars: BarColumns): ContractData {
  const random = seededRng(9);
  const markOffsets = Int32Array.from(bars.close, () => Math.round((random.next() - 0.5) * MARK_RANGE_TICKS));
  const column = (price: PriceColumn) => Int32Array.from(ticksOf(bars, price), (ticks, row) => ticks + markOffsets[row]!);
  const marks = { open: column('open'), high: column('high'), low: column('low'), close: column('close'), source: 'bench' };
  const fundingCount = Math.floor(bars.length / ROWS_PER_FUNDING);
  const funding = Array.from({ length: fundingCount }, (_, fundingIndex) => {
    const row = (fundingIndex + 1) * ROWS_PER_FUNDING - 1;
    const rate = Math.round((random.next() - NEGATIVE_RATE_SHARE) * FUNDING_RATE_RANGE);
    return { timeMs: bars.closeMs[row]!, rate, markTicks: marks.close[row]! };
  });
  return { marks, funding };
}
