// Runs the backtests whose figures are compared with those of other tools, on seeded bars or bars of given closes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';
import { backtest, generateBars, type BacktestResult, type Bars, type CodeOptions } from 'isobar/run';
import { generateInto } from '../../../dist/adapters/catalog/generate/generateInto.js';
import { closesAt, buyAndHoldReturns, type PricedFeed } from '../../../src/report/profiles/figures/closes.ts';
import type { ProfileInput } from '../../../src/report/profiles/figures/profileInput.ts';
import { profileInput } from '../../../src/tasks/backtest/verify/profileRun.ts';

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2024, 0, 1);

/** Buys and sells at crosses of two averages. */
class Cross extends Strategy.with({ fast: int(5, { min: 2 }), slow: int(12, { min: 3 }) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat) this.buy();
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.exit();
  });
}

/** Holds a long position above the average, and a short one below it. */
class LongOrShort extends Strategy.with({ bars: int(20, { min: 2 }) }) {
  average = this.use(sma(this.bars.close, this.params.bars));

  override onBar(): void {
    const isAbove = this.bars.close.value > this.average.value;
    const { isFlat, isLong } = this.position();
    if (isFlat && isAbove) this.buy();
    else if (isFlat) this.sell();
    else if (isLong !== isAbove) this.exit();
  }
}

/** Buys and sells in turn at the given bars, counted from 0. */
class TradesAtBars extends Strategy.with({ first: int(1, { min: 0 }), every: int(4, { min: 1 }), turns: int(2, { min: 0 }) }) {
  barIndex = -1;
  turn = 0;

  override onBar(): void {
    this.barIndex++;
    const { first, every, turns } = this.params;
    if (this.turn >= turns || this.barIndex < first + this.turn * every) return;
    if (this.turn % 2 === 0) this.buy();
    else this.exit();
    this.turn++;
  }
}

/** Returns bars with the given closes in cents. Each opens at the close before it. */
function barsOf(cents: readonly number[], hoursPerBar = 1): Bars {
  const close = Float64Array.from(cents, (value) => value / 100);
  const open = close.map((value, row) => (row === 0 ? value : close[row - 1]!));
  return {
    symbol: 'SYNUSDT',
    interval: hoursPerBar === 1 ? '1h' : '4h',
    openMs: close.map((_, row) => FIRST_MS + row * hoursPerBar * HOUR_MS),
    open,
    high: open.map((value, row) => Math.max(value, close[row]!)),
    low: open.map((value, row) => Math.min(value, close[row]!)),
    close,
    // The decimals of the volume become those of the quantity.
    volume: close.map(() => 1000.12345),
  };
}

/** Returns rounded closes in cents by a formula. */
const closesInCents = (length: number, cents: (row: number) => number): number[] =>
  Array.from({ length }, (_, row) => Math.round(cents(row)));

/** Generates a contract with mark prices and funding into a catalog. Returns the feeds of a run on it. */
const generatedContract = (catalog: string, seed: number, bars: number): NonNullable<CodeOptions['feeds']> => {
  generateInto(catalog, { symbol: 'SYNUSDT', market: 'futures', interval: '1h', fromMs: FIRST_MS, bars, seed });
  return { bars: { symbol: 'SYNUSDT', interval: '1h' } };
};

/** Returns the options of a run. `catalog`: a folder for generated bars. */
type RunOptionsOf = (catalog: string) => CodeOptions;

/** Options of the runs, by name. */
export const RUNS: Readonly<Record<string, RunOptionsOf>> = {
  spotCross: () => ({
    strategy: Cross,
    data: generateBars({ interval: '4h', from: '2024-01-03T16:00', bars: 400, seed: 11 }),
    cash: '10000',
    fees: '0.001',
  }),
  spotGaps: () => ({
    strategy: Cross,
    data: generateBars({ interval: '1h', from: '2024-02-20', bars: 500, seed: 12, gapShare: 0.1 }),
    cash: '2500',
    fees: '0.0005',
    size: { equity: '0.5' },
  }),
  spotNoTrades: () => ({
    strategy: TradesAtBars,
    params: { turns: 0 },
    data: generateBars({ interval: '4h', bars: 180, seed: 13 }),
    cash: '10000',
  }),
  spotOneTrade: () => ({
    strategy: TradesAtBars,
    params: { first: 10, every: 60 },
    data: barsOf(
      closesInCents(180, (row) => 10_000 + row * 7 + 90 * Math.abs((row % 14) - 7)),
      4,
    ),
    cash: '10000',
    fees: '0.001',
  }),
  spotOneLoss: () => ({
    strategy: TradesAtBars,
    params: { first: 5, every: 20 },
    data: barsOf(
      closesInCents(120, (row) => 10_000 - row * 11),
      4,
    ),
    cash: '10000',
    fees: '0.001',
  }),
  spotOpenTrade: () => ({
    strategy: TradesAtBars,
    params: { first: 3, every: 1, turns: 1 },
    data: generateBars({ interval: '1h', bars: 24 * 9 + 5, seed: 14 }),
    cash: '500',
    fees: '0.002',
  }),
  spotWinners: () => ({
    strategy: TradesAtBars,
    params: { first: 0, every: 3, turns: 60 },
    data: barsOf(closesInCents(200, (row) => 10_000 * 1.004 ** row)),
    cash: '1000',
    fees: '0',
  }),
  spotLosers: () => ({
    strategy: TradesAtBars,
    params: { first: 1, every: 2, turns: 90 },
    data: barsOf(closesInCents(200, (row) => 20_000 - row * 31 - 40 * (row % 3))),
    cash: '1000',
    fees: '0.001',
  }),
  spotOneDay: () => ({ strategy: Cross, data: generateBars({ interval: '15m', bars: 80, seed: 15 }), cash: '10000', fees: '0.001' }),
  spotTwoDays: () => ({ strategy: Cross, data: generateBars({ interval: '1h', bars: 48, seed: 16 }), cash: '10000', fees: '0.001' }),
  spotDraws: () => ({
    strategy: TradesAtBars,
    params: { first: 0, every: 5, turns: 40 },
    data: barsOf(closesInCents(240, (row) => 10_000 + (Math.floor(row / 32) % 3) * 25)),
    cash: '10000',
    fees: '0',
  }),
  spotRich: () => ({
    strategy: Cross,
    data: generateBars({ interval: '4h', bars: 300, seed: 17, price: 0.0123 }),
    cash: '50000000',
    fees: '0.0002',
  }),
  futuresFunding: (catalog) => ({
    strategy: LongOrShort,
    market: 'futures',
    feeds: generatedContract(catalog, 21, 24 * 40),
    catalog,
    futures: { leverage: 3 },
    size: { equity: '2' },
    cash: '10000',
    fees: { maker: '0.0002', taker: '0.0005' },
  }),
  futuresLiquidated: (catalog) => ({
    strategy: LongOrShort,
    params: { bars: 60 },
    market: 'futures',
    feeds: generatedContract(catalog, 22, 24 * 50),
    catalog,
    futures: { leverage: 50, margin: 'isolated' },
    size: { equity: '6' },
    cash: '10000',
    fees: { maker: '0.0002', taker: '0.0005' },
  }),
  futuresRuined: (catalog) => ({
    strategy: LongOrShort,
    params: { bars: 72 },
    market: 'futures',
    feeds: generatedContract(catalog, 23, 24 * 30),
    catalog,
    futures: { leverage: 100, margin: 'cross', liquidationFee: '0.02' },
    size: { equity: '60' },
    cash: '100',
    fees: { maker: '0', taker: '0' },
  }),
  /** Prices fall to one cent, and nearly all equity is lost. */
  spotCrash: () => ({
    strategy: TradesAtBars,
    params: { first: 2, every: 3, turns: 41 },
    data: barsOf(closesInCents(240, (row) => Math.max(1, 10_000 * 0.93 ** row))),
    cash: '1000',
    fees: '0.001',
  }),
  futuresNoTrades: (catalog) => ({
    strategy: TradesAtBars,
    params: { turns: 0 },
    market: 'futures',
    feeds: generatedContract(catalog, 24, 24 * 12),
    catalog,
    cash: '10000',
  }),
  futuresOneTrade: (catalog) => ({
    strategy: TradesAtBars,
    params: { first: 30, every: 170 },
    market: 'futures',
    feeds: generatedContract(catalog, 25, 24 * 15),
    catalog,
    futures: { leverage: 5 },
    size: { equity: '3' },
    cash: '2500',
    fees: { maker: '0.0002', taker: '0.0005' },
  }),
  futuresLosers: (catalog) => ({
    strategy: TradesAtBars,
    params: { first: 1, every: 2, turns: 240 },
    market: 'futures',
    feeds: generatedContract(catalog, 26, 24 * 21),
    catalog,
    futures: { leverage: 3 },
    size: { equity: '2' },
    cash: '10000',
    fees: { maker: '0.002', taker: '0.004' },
  }),
  /** Trades for days before the last trade loses everything. */
  futuresRuinedLate: (catalog) => ({
    strategy: LongOrShort,
    params: { bars: 43 },
    market: 'futures',
    feeds: generatedContract(catalog, 27, 24 * 60),
    catalog,
    futures: { leverage: 100, margin: 'cross', liquidationFee: '0.02' },
    size: { equity: '60' },
    cash: '1000',
    fees: { maker: '0', taker: '0' },
  }),
  /** Trades for weeks with hardly any equity left. */
  futuresNearlyRuined: (catalog) => ({
    strategy: LongOrShort,
    params: { bars: 30 },
    market: 'futures',
    feeds: generatedContract(catalog, 27, 24 * 60),
    catalog,
    futures: { leverage: 100, margin: 'cross', liquidationFee: '0.02' },
    size: { equity: '25' },
    cash: '1000',
    fees: { maker: '0', taker: '0' },
  }),
};

/** A run, and the input of its profiles. */
export interface ProfiledRun {
  readonly result: BacktestResult;
  readonly input: ProfileInput;
}

const runByName = new Map<string, Promise<ProfiledRun>>();

/** Returns a run and the input of its profiles, read from the run folder. Each run is made once. */
export function runOf(name: string): Promise<ProfiledRun> {
  let run = runByName.get(name);
  if (run === undefined) runByName.set(name, (run = runAndReadInput(name)));
  return run;
}

/** Runs a backtest and reads the input of its profiles. */
async function runAndReadInput(name: string): Promise<ProfiledRun> {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-profiles-'));
  try {
    const result = await backtest(RUNS[name]!(join(folder, 'data')));
    const input = profileInput(await result.write(join(folder, 'runs')), result.summary);
    const closeMs = input.bars.openMs.map((ms) => ms + input.bars.intervalMs);
    // The types of `dist` and of the sources have the same names, but TypeScript treats them as different.
    const feeds = result.record.feeds.filter(({ execution }) => execution) as unknown as readonly PricedFeed[];
    const { fromMs } = result.summary.run;
    const benchmark = buyAndHoldReturns(Float64Array.of(fromMs, ...result.metrics.days), feeds);
    return {
      result,
      input: { ...input, returns: { ...input.returns, benchmark }, bars: { ...input.bars, close: closesAt(closeMs, feeds, fromMs) } },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
