// What a contract costs beside a coin: the same strategy over the same bars, once with marks, funding every 8 h and a margin to watch.

import type { ContractData } from '../dist/model/bars/marks.js';
import type { FuturesPlan, RunPlan } from '../dist/definition/plan/plan.js';
import { runBacktest } from '../dist/tasks/backtest/run/runBacktest.js';
import { Scratch } from '../dist/base/memory/rowLog.js';
import { seededRng } from '../dist/base/number/rng.js';
import { ticksOf, type BarColumns, type PriceColumn } from '../dist/model/bars/bars.js';
import { instrumentId, type Instrument } from '../dist/model/instrument.js';
import type { RunRecord } from '../dist/model/run/run.js';
import { inProcess } from './parts.ts';
import type { Workload } from './reference.ts';
import { head, walk } from './series.ts';
import { feedPlan, load, planFor, ROWS, sameResult, timed, type Loaded } from './workloads.ts';

const CHECKED_ROWS = 200_000;
const ROUNDS = 3;
const PASSES = 8;
const FUNDING_ROWS = 480;
/** The light workload, an order a bar at most. */
const WORK: Workload = { fast: 100, slow: 300, lots: 1, cashUnits: 1e12, feePpm: 400 };
const STRATEGY = 'bench/strategies/mostlyIn.ts';

export type FuturesKind = 'spot' | 'futures';

/** CPU of a row with a contract, and over that of the same row with a coin; each in a process of its own, the best of the rounds. */
export async function futuresBench(print: (text: string) => void) {
  await checkEqual(await load(STRATEGY));
  let [spotNs, futuresNs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    spotNs = Math.min(spotNs, Number(inProcess('--futures-part', 'spot')));
    futuresNs = Math.min(futuresNs, Number(inProcess('--futures-part', 'futures')));
  }
  print(`bench: futures ${(futuresNs / ROWS).toFixed(1)} ns a row, spot ${(spotNs / ROWS).toFixed(1)} ns`);
  return { nsPerRow: futuresNs / ROWS, ratioToSpot: futuresNs / spotNs };
}

/** One kind in this process: prints the CPU time of its best pass, ns. */
export async function futuresPart(kind: FuturesKind): Promise<void> {
  const plan = planOf(kind, await load(STRATEGY), walk('AAAUSDT', ROWS, 1));
  const scratch = new Scratch();
  let min = Infinity;
  for (let pass = 0; pass < PASSES; pass++) min = Math.min(min, (await timed(plan, scratch)).ns);
  process.stdout.write(String(min));
}

/** Both kinds make the same trades; the bot's books of the contract are the venue's (a run that ends is checked), in blocks of any size. */
async function checkEqual(strategy: Loaded): Promise<void> {
  const bars = head(walk('AAAUSDT', CHECKED_ROWS, 1), CHECKED_ROWS);
  const [spot, futures] = [await runBacktest(planOf('spot', strategy, bars)), await runBacktest(planOf('futures', strategy, bars))];
  const trades = ({ fills }: RunRecord) => JSON.stringify([fills.timeMs, fills.side, fills.price, fills.lots].map((column) => [...column]));
  if (spot.fills.length < 100 || trades(spot) !== trades(futures)) throw new Error('the contract was not traded as the coin was');
  if (futures.payments!.length < CHECKED_ROWS / FUNDING_ROWS / 2) throw new Error('the contract paid no funding');
  if (!(await sameResult(planOf('futures', strategy, bars), planOf('futures', strategy, bars, 1)))) throw new Error('blocks of one differ');
}

function planOf(kind: FuturesKind, strategy: Loaded, bars: BarColumns, blockRows?: number): RunPlan {
  const params = { fast: WORK.fast, slow: WORK.slow };
  if (kind === 'spot') return planFor(strategy, [feedPlan('bars', bars)], WORK, params, blockRows);
  const instrument = contractOf(bars.instrument);
  const data = new Map([[instrument.id, dataOf(bars)]]);
  const futures: FuturesPlan = { leverage: 5, isCross: true, isNet: true, liquidationFeePpm: 5000, data };
  return { ...planFor(strategy, [feedPlan('bars', { ...bars, instrument })], WORK, params, blockRows), futures };
}

/** One coin a contract, with the digits and fees of the coin. */
function contractOf(of: Instrument): Instrument {
  const { makerFeePpm, takerFeePpm, quote, quoteDigits, base, wireName } = of;
  const fees = { openMakerFeePpm: makerFeePpm, closeMakerFeePpm: makerFeePpm, openTakerFeePpm: takerFeePpm, closeTakerFeePpm: takerFeePpm };
  return {
    ...of,
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

/** Marks a few ticks off the bars, and a rate of either sign every eight hours. */
function dataOf(bars: BarColumns): ContractData {
  const random = seededRng(9);
  const off = Int32Array.from(bars.close, () => Math.round((random.next() - 0.5) * 20));
  const column = (price: PriceColumn) => Int32Array.from(ticksOf(bars, price), (ticks, row) => ticks + off[row]!);
  const marks = { open: column('open'), high: column('high'), low: column('low'), close: column('close'), source: 'bench' };
  const times = Math.floor(bars.length / FUNDING_ROWS);
  const funding = Array.from({ length: times }, (_, at) => {
    const row = (at + 1) * FUNDING_ROWS - 1;
    return { timeMs: bars.closeMs[row]!, rate: Math.round((random.next() - 0.4) * 3e8), markTicks: marks.close[row]! };
  });
  return { marks, funding };
}
