// Tests the engine against a naive backtest: each fill, the end of each order, and the equity of each instant are equal bit by bit.

import { describe, expect, it } from 'vitest';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { ENDINGS } from '../../src/model/run/run.ts';
import { Naive } from './naive.ts';
import { scripted, type ScriptOptions } from './script.ts';
import { coarser, run, spotInstrument, START_MS, walkBars } from './world.ts';
import { expectEqual } from '../fixtures/alike.ts';

const ROWS = 300;
/** Seeds of each case at each latency; a campaign takes more: ISOBAR_SEEDS=200. */
const { ISOBAR_SEEDS } = process.env;
const SEEDS = Number(ISOBAR_SEEDS ?? 2);
/** Seeds from `first` for the latency at position `at`. Of each two latencies one has the first block lengths, and one the others. */
function seedsOf(first: number, index: number): readonly number[] {
  const skipped = ISOBAR_SEEDS === undefined ? SEEDS * (index % 2) : 0;
  return Array.from({ length: SEEDS }, (_, seed) => first + skipped + seed);
}

function feedsOf(kind: string, seed: number): Record<string, BarColumns> {
  const btc = walkBars({ rows: ROWS, seed });
  if (kind === 'single') return { bars: btc };
  if (kind === 'gaps') return { bars: walkBars({ rows: ROWS, seed, missing: 0.2 }) };
  if (kind === 'two intervals') return { bars: btc, hour: coarser(btc, '1h') };
  if (kind === 'one grid' || kind === 'one grid with holes') return inStep(kind === 'one grid', seed);
  const eth = walkBars({ rows: ROWS, seed: seed + 1, missing: 0.02, instrument: spotInstrument('ETH') });
  const sol = walkBars({ rows: ROWS, seed: seed + 2, missing: 0.2, instrument: spotInstrument('SOL') });
  return { bars: btc, eth, sol, btcHour: coarser(btc, '1h'), solQuarter: coarser(sol, '15m') };
}

/** Four symbols on one grid: the third begins later and ends earlier. Or with holes: the same in all of them, and one more in the last. */
function inStep(isWhole: boolean, seed: number): Record<string, BarColumns> {
  const [btc, eth, sol, ada] = ['BTC', 'ETH', 'SOL', 'ADA'].map((base, index) =>
    walkBars({ rows: ROWS, seed: seed + index, instrument: spotInstrument(base) }),
  );
  if (isWhole)
    return { bars: btc!, eth: eth!, sol: without(sol!, (row) => row < 100 || row >= 270), ada: ada!, ethHour: coarser(eth!, '1h') };
  const isMissing = (row: number) => row % 50 === 17 || (row > 120 && row < 150);
  const holed = (bars: BarColumns) => without(bars, isMissing);
  return { bars: holed(btc!), eth: holed(eth!), sol: holed(sol!), ada: without(ada!, (row) => isMissing(row) || row === 200) };
}

function without(bars: BarColumns, isMissing: (row: number) => boolean): BarColumns {
  const isThere = (_: number, row: number) => !isMissing(row);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  const columns = { openMs, closeMs, open, high, low, close, volume };
  const remainingColumns = Object.fromEntries(Object.entries(columns).map(([name, of]) => [name, of.filter(isThere)])) as typeof columns;
  return { ...bars, ...remainingColumns, length: remainingColumns.openMs.length };
}

async function compare(
  kind: string,
  seed: number,
  latencyMs: number,
  feesIn: 'received' | 'quote',
  script: Omit<ScriptOptions, 'feeds' | 'seed'>,
) {
  const feeds = feedsOf(kind, seed);
  const options = { ...script, seed, feeds: Object.keys(feeds) };
  const naive = new Naive({
    script: options,
    feeds: Object.values(feeds),
    latencyMs,
    feesIn,
    makerPpm: 1000,
    takerPpm: 2000,
    cash: 10n ** 14n,
  }).run(START_MS);
  const { record } = await run({
    strategies: [scripted(options)],
    feeds,
    cash: { USDT: '1000000' },
    fees: { in: feesIn },
    fills: { latencyMs },
    blockRows: [1, 7, 512, 4096][seed % 4]!,
  });
  const { fills, equity, orders } = record;
  const where = `${kind}, seed ${seed}, latency ${latencyMs}, fees in ${feesIn}`;
  const booked = Array.from({ length: fills.length }, (_, index) => ({
    order: fills.orderId[index],
    instrument: fills.instrument[index],
    isBuy: fills.side[index] === 0,
    price: fills.price[index],
    lots: fills.lots[index],
    notional: fills.notional[index],
    fee: fills.fee[index],
    feeInBase: fills.feeInBase[index] === 1,
    isMaker: fills.isMaker[index] === 1,
    timeMs: fills.timeMs[index],
  }));
  for (let index = 0; index < Math.max(booked.length, naive.fills.length); index++) {
    expectEqual(booked[index], naive.fills[index], `${where}: fill ${index}`);
  }
  expect(
    [...orders.ending].map((ending) => ENDINGS[ending]),
    `${where}: ends of orders`,
  ).toEqual(naive.orders.map(({ ending }) => ending));
  expectEqual(
    [...equity.timeMs],
    naive.equity.map(({ timeMs }) => timeMs),
    where,
  );
  expectEqual(
    [...equity.units],
    naive.equity.map(({ units }) => units),
    where,
  );
  replacements += naive.replacements;
  return naive.fills.length;
}

let replacements = 0;
const LATENCIES = [0, 300, 20_000, 90_000];
const KINDS = ['single', 'gaps', 'two intervals', 'three symbols', 'one grid', 'one grid with holes'];

describe('the engine equals a naive walk over all instants', () => {
  it.each(KINDS)('the engine equals the naive backtest at every bar without brackets: %s', async (kind) => {
    let fills = 0;
    for (const [index, latencyMs] of LATENCIES.entries()) {
      for (const seed of seedsOf(1, index)) {
        fills += await compare(kind, seed, latencyMs, seed % 2 ? 'quote' : 'received', { share: 0.5, brackets: false, onBar: true });
      }
    }
    expect(fills).toBeGreaterThan(50 * SEEDS);
  });

  it.each(KINDS)('the engine equals the naive backtest at every bar with brackets: %s', async (kind) => {
    for (const [index, latencyMs] of LATENCIES.entries()) {
      for (const seed of seedsOf(1001, index)) {
        await compare(kind, seed, latencyMs, seed % 2 ? 'quote' : 'received', {
          share: 0.3,
          brackets: true,
          onBar: true,
          onFill: seed % 3 === 0,
        });
      }
    }
  });

  it.each(KINDS)('the engine equals the naive backtest at signals and timers alone: %s', async (kind) => {
    for (const [index, latencyMs] of LATENCIES.entries()) {
      for (const seed of seedsOf(2001, index)) {
        await compare(kind, seed, latencyMs, 'received', {
          share: 0.9, brackets: seed % 2 === 0, onBar: false, signals: true, timerMinutes: 7, onFill: true, onStart: true,
        }); // prettier-ignore
      }
    }
  });

  it.each(KINDS)('the engine equals the naive backtest with bars, signals, timers and brackets: %s', async (kind) => {
    for (const [index, latencyMs] of LATENCIES.entries()) {
      for (const seed of seedsOf(3001, index)) {
        await compare(kind, seed, latencyMs, seed % 2 ? 'quote' : 'received', {
          share: 0.3, brackets: true, onBar: true, signals: true, timerMinutes: 7, onFill: true, onStart: true,
        }); // prettier-ignore
      }
    }
  });

  it.each(KINDS)('the engine equals the naive backtest when orders are replaced by their tags: %s', async (kind) => {
    replacements = 0;
    for (const [index, latencyMs] of LATENCIES.entries()) {
      for (const seed of seedsOf(4001, index)) {
        await compare(kind, seed, latencyMs, seed % 2 ? 'quote' : 'received', {
          share: 0.6, brackets: seed % 2 === 0, onBar: true, onFill: seed % 3 === 0, replaces: true,
        }); // prettier-ignore
      }
    }
    expect(replacements).toBeGreaterThan(20 * SEEDS);
  });
});
