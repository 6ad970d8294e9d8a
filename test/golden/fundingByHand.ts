// What a run was paid by the funding times of real data, worked out by hand from its fills and from the files: sums that know nothing of isobar.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Decimal } from 'decimal.js';
import type { BacktestResult } from 'isobar/run';
import { sharedFile } from '../fixtures/sharedData.ts';

/** The rows of a packed file as they are written. */
function rowsOf(...path: string[]): string[][] {
  const [, ...lines] = gunzipSync(readFileSync(sharedFile(...path)!))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line) => line.split(','));
}

/** What a run received for its positions in one contract, by hand: contracts x face x mark x rate at each time, from fills and files. */
export function fundingByHand({ fills, orders, summary, record }: BacktestResult, symbol: string): Decimal {
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
      const isDuringBar = orders.role[fills.orderId[row]! - 1] !== 'market';
      const isBefore = isDuringBar ? fills.timeMs[row]! <= at : fills.timeMs[row]! < at;
      if (!isBefore || fills.instrument[row] !== id) continue;
      contracts = contracts.plus(new Decimal(fills.quantity[row]!).times(fills.side[row] === 'buy' ? 1 : -1));
    }
    const mark = new Decimal(marks.get(Math.round(at / 3_600_000) * 3_600_000)!).toDecimalPlaces(tick, Decimal.ROUND_HALF_UP);
    const paid = contracts.abs().times(face).times(mark).times(new Decimal(rate!).abs()).toDecimalPlaces(8, Decimal.ROUND_HALF_UP);
    received = contracts.isNegative() === rate!.startsWith('-') ? received.minus(paid) : received.plus(paid);
  }
  return received;
}
