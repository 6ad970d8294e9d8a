// Computes the funding payments of a run from its fills and the files of real data, independently of the code under test.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Decimal } from 'decimal.js';
import type { BacktestResult } from 'isobar/run';
import { sharedFile } from '../fixtures/sharedData.ts';

/** Returns the cells of the rows of a packed CSV file, without its header. */
function rowsOf(...path: string[]): string[][] {
  const [, ...lines] = gunzipSync(readFileSync(sharedFile(...path)!))
    .toString('utf8')
    .trim()
    .split('\n');
  return lines.map((line) => line.split(','));
}

/** Returns the funding that a run received in one contract: the sum of contracts x face value x mark price x rate over all funding times. */
export function fundingByHand({ fills, orders, summary, record }: BacktestResult, symbol: string): Decimal {
  const {
    contract,
    id,
    priceDigits: tickDigits,
  } = record.instruments.find((instrument) => instrument.wireName === symbol && instrument.market === 'futures')!;
  const faceValue = new Decimal(contract!.multiplier).div(Decimal.pow(10, contract!.multiplierDigits));
  const marks = new Map(rowsOf('mark', 'binance-um-2024', `${symbol}-1h.csv.gz`).map(([time, open]) => [Number(time), open!]));
  let received = new Decimal(0);
  for (const [time, rate] of rowsOf('funding', 'binance-um-2024', `${symbol}.csv.gz`)) {
    const fundingMs = Number(time);
    if (fundingMs <= summary.run.fromMs || fundingMs > summary.run.toMs) continue;
    let contracts = new Decimal(0);
    for (let row = 0; row < fills.length; row++) {
      // At the funding time a stop of the bar that ends has filled, but a market order at the next open has not.
      const isDuringBar = orders.role[fills.orderId[row]! - 1] !== 'market';
      const isBefore = isDuringBar ? fills.timeMs[row]! <= fundingMs : fills.timeMs[row]! < fundingMs;
      if (!isBefore || fills.instrument[row] !== id) continue;
      contracts = contracts.plus(new Decimal(fills.quantity[row]!).times(fills.side[row] === 'buy' ? 1 : -1));
    }
    const mark = new Decimal(marks.get(Math.round(fundingMs / 3_600_000) * 3_600_000)!).toDecimalPlaces(tickDigits, Decimal.ROUND_HALF_UP);
    const payment = contracts.abs().times(faceValue).times(mark).times(new Decimal(rate!).abs()).toDecimalPlaces(8, Decimal.ROUND_HALF_UP);
    received = contracts.isNegative() === rate!.startsWith('-') ? received.minus(payment) : received.plus(payment);
  }
  return received;
}
