// Runs of futures on real data against sums that know nothing of isobar: what was paid at each funding time, from the files themselves.

import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Decimal } from 'decimal.js';
import { backtest, type BacktestResult } from 'isobar/run';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFile } from '../fixtures/sharedData.ts';
import { definitionsIn, isobar, placed } from './definitions.ts';

const DATA = sharedFile('funding', 'binance-um-2024');
const folder = mkdtempSync(join(tmpdir(), 'isobar-funding-'));
afterAll(() => rmSync(folder, { recursive: true }));
if (DATA !== null) for (const kind of ['klines', 'mark', 'funding']) symlinkSync(sharedFile(kind)!, join(folder, kind));
const imported = new Set<string>();

/** The rows of a packed file as they are written. */
function rowsOf(...path: string[]): string[][] {
  const [, ...lines] = gunzipSync(readFileSync(sharedFile(...path)!))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line) => line.split(','));
}

/** What a run received for its positions in one contract, by hand: contracts x face x mark x rate at each time, from fills and files. */
function fundingByHand({ fills, orders, summary, record }: BacktestResult, symbol: string): Decimal {
  const { contract, id, priceDigits: tick } = record.instruments.find((of) => of.wireName === symbol && of.market === 'futures')!;
  const face = new Decimal(contract!.multiplier).div(Decimal.pow(10, contract!.multiplierDigits));
  const marks = new Map(rowsOf('mark', 'binance-um-2024', `${symbol}-1h.csv.gz`).map(([time, open]) => [Number(time), open!]));
  let received = new Decimal(0);
  for (const [time, rate] of rowsOf('funding', 'binance-um-2024', `${symbol}.csv.gz`)) {
    const at = Number(time);
    if (at <= summary.run.fromMs || at > summary.run.toMs) continue;
    let contracts = new Decimal(0);
    for (let row = 0; row < fills.length; row++) {
      // A stop that fills inside the bar that ends then comes before, a market order at the open that follows comes after.
      const isInside = orders.role[fills.orderId[row]! - 1] !== 'market';
      const isBefore = isInside ? fills.timeMs[row]! <= at : fills.timeMs[row]! < at;
      if (!isBefore || fills.instrument[row] !== id) continue;
      contracts = contracts.plus(new Decimal(fills.quantity[row]!).times(fills.side[row] === 'buy' ? 1 : -1));
    }
    const mark = new Decimal(marks.get(Math.round(at / 3_600_000) * 3_600_000)!).toDecimalPlaces(tick, Decimal.ROUND_HALF_UP);
    const paid = contracts.abs().times(face).times(mark).times(new Decimal(rate!).abs()).toDecimalPlaces(8, Decimal.ROUND_HALF_UP);
    received = contracts.isNegative() === rate!.startsWith('-') ? received.minus(paid) : received.plus(paid);
  }
  return received;
}

const REAL = definitionsIn('backtests/real').filter(({ name }) => ['perpetualTrend', 'fundingFade', 'fundingCarry'].includes(name));

describe.skipIf(DATA === null).each(REAL)('backtests/real/$name', ({ file, bars }) => {
  it('has paid and received the funding of the file, and its bridge adds up to the last unit', async () => {
    for (const command of bars.filter((each) => !imported.has(each))) isobar(folder, command);
    bars.forEach((command) => imported.add(command));
    const result = await backtest({ definition: file, set: placed(file, folder) });
    const { costBridge, run } = result.summary;
    const symbols = result.record.instruments.filter(({ market }) => market === 'futures').map(({ wireName }) => wireName);
    const byHand = symbols.reduce((sum, symbol) => sum.plus(fundingByHand(result, symbol)), new Decimal(0));
    expect(byHand.isZero()).toBe(false);
    expect(costBridge.funding).toBe(byHand.toFixed());
    const { netPnl, ...parts } = costBridge;
    expect(
      Object.values(parts)
        .reduce((sum, part) => sum.plus(part), new Decimal(0))
        .toFixed(),
    ).toBe(netPnl);
    expect(new Decimal(run.endEquity).minus(run.startEquity).toFixed()).toBe(netPnl);
    const sources = run.instruments.map(({ id, markSource }) => [id.startsWith('futures:'), markSource.includes('mark klines 1h')]);
    expect(sources.filter(([isFutures, isMarked]) => isFutures !== isMarked)).toEqual([]);
  });
});
