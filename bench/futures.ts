// Measures what a contract costs compared with a spot pair: the same strategy and bars, plus marks, funding every 8 h and margin.

import type { ContractData } from '../dist/model/bars/marks.js';
import type { FuturesPlan, RunPlan } from '../dist/definition/plan/plan.js';
import { runBacktest } from '../dist/tasks/backtest/run/runBacktest.js';
import { Scratch } from '../dist/base/memory/rowLog.js';
import { seededRng } from '../dist/base/number/rng.js';
import { ticksOf, type BarColumns, type PriceColumn } from '../dist/model/bars/bars.js';
import { instrumentId, type Instrument } from '../dist/model/instrument.js';
import type { RunRecord } from '../dist/model/run/run.js';
import { runPartProcess } from './partProcess.ts';
import type { Workload } from './reference.ts';
import { firstRows, randomWalk } from './series.ts';
import { feedPlan, loadStrategyFile, benchPlan, ROWS, haveSameResult, runTimed, type BenchStrategy } from './workloads.ts';

/** Bars of the run that checks the results. */
const CHECKED_ROWS = 200_000;
/** Each figure is the best of this many processes, and of this many passes in each of them. */
const ROUNDS = 3;
const PASSES = 8;
/** Eight hours of bars of one minute. */
const ROWS_PER_FUNDING = 480;
/** With fewer fills, equal trades would prove little. */
const MIN_FILLS = 100;
/** The windows of the fill-light workload, with cash of 1,000,000 USDT. */
const WORK: Workload = { fast: 100, slow: 300, lots: 1, cashUnits: 1e12, feePpm: 400 };
const STRATEGY = 'bench/strategies/mostlyInvested.ts';

/** The market of a measured run: a spot pair, or a contract with marks, funding and margin. */
export type FuturesKind = 'spot' | 'futures';

/**
 * Returns the CPU time of a row with a contract, and its ratio to a row of the spot pair: the best rounds, each in a process of its own.
 */
export async function futuresBench(print: (text: string) => void) {
  await checkEqual(await loadStrategyFile(STRATEGY));
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
export async function futuresPart(market: FuturesKind): Promise<void> {
  const plan = planOf(market, await loadStrategyFile(STRATEGY), randomWalk('AAAUSDT', ROWS, 1));
  const scratch = new Scratch();
  let minNs = Infinity;
  for (let pass = 0; pass < PASSES; pass++) minNs = Math.min(minNs, (await runTimed(plan, scratch)).ns);
  process.stdout.write(String(minNs));
}

/**
 * Throws unless both markets make the same trades, the contract pays funding, and blocks of one row give the same result. The end of a run
 * compares the books of the bot with those of the venue.
 */
async function checkEqual(strategy: BenchStrategy): Promise<void> {
  const bars = firstRows(randomWalk('AAAUSDT', CHECKED_ROWS, 1), CHECKED_ROWS);
  const spot = await runBacktest(planOf('spot', strategy, bars));
  const futures = await runBacktest(planOf('futures', strategy, bars));
  const tradesText = ({ fills }: RunRecord) =>
    JSON.stringify([fills.timeMs, fills.side, fills.price, fills.lots].map((column) => [...column]));
  if (spot.fills.length < MIN_FILLS || tradesText(spot) !== tradesText(futures))
    throw new Error('the trades of the contract differ from those of the spot pair');
  // The strategy is invested most of the time, so at least half of the funding times have a payment.
  const fundingTimes = CHECKED_ROWS / ROWS_PER_FUNDING;
  if (futures.payments!.length < fundingTimes / 2) throw new Error('the contract paid no funding');
  const isSameInBlocksOfOne = await haveSameResult(planOf('futures', strategy, bars), planOf('futures', strategy, bars, 1));
  if (!isSameInBlocksOfOne) throw new Error('blocks of one row have another result');
}

/** Returns the plan of a run on spot or on a contract with marks and funding. */
function planOf(market: FuturesKind, strategy: BenchStrategy, bars: BarColumns, blockRows?: number): RunPlan {
  const params = { fast: WORK.fast, slow: WORK.slow };
  if (market === 'spot') return benchPlan(strategy, [feedPlan('bars', bars)], WORK, params, blockRows);
  const instrument = contractOf(bars.instrument);
  const data = new Map([[instrument.id, contractDataOf(bars)]]);
  const futures: FuturesPlan = { leverage: 5, isCross: true, isNet: true, liquidationFeePpm: 5000, data };
  return { ...benchPlan(strategy, [feedPlan('bars', { ...bars, instrument })], WORK, params, blockRows), futures };
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
  const markOffsets = Int32Array.from(bars.close, () => Math.round((random.next() - 0.5) * 20));
  const column = (price: PriceColumn) => Int32Array.from(ticksOf(bars, price), (ticks, row) => ticks + markOffsets[row]!);
  const marks = { open: column('open'), high: column('high'), low: column('low'), close: column('close'), source: 'bench' };
  const fundingCount = Math.floor(bars.length / ROWS_PER_FUNDING);
  const funding = Array.from({ length: fundingCount }, (_, fundingIndex) => {
    const row = (fundingIndex + 1) * ROWS_PER_FUNDING - 1;
    return { timeMs: bars.closeMs[row]!, rate: Math.round((random.next() - 0.4) * 3e8), markTicks: marks.close[row]! };
  });
  return { marks, funding };
}
