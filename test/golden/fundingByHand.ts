// Computes the funding payments of a run from its fills and the files of real data, independently of the code under test.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Decimal } from 'decimal.js';
import type { BacktestResult } from 'isobar/run';
import { sharedFile } from '../fixtures/sharedData.ts';

const HOUR_MS = 3_600_000;
/** Decimals of money. */
const MONEY_DIGITS = 8;

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
  const { contract, id, priceDigits } = record.instruments.find(({ wireName, market }) => wireName === symbol && market === 'futures')!;
  const faceValue = new Decimal(contract!.multiplier).div(Decimal.pow(10, contract!.multiplierDigits));
  const markRows = rowsOf('mark', 'binance-um-2024', `${symbol}-1h.csv.gz`);
  const markByHour = new Map(markRows.map(([openMs, open]) => [Number(openMs), open!]));
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
    // Funding times are some ms after the hour.
    const hourMs = Math.round(fundingMs / HOUR_MS) * HOUR_MS;
    const mark = new Decimal(markByHour.get(hourMs)!).toDecimalPlaces(priceDigits, Decimal.ROUND_HALF_UP);
    const value = contracts.abs().times(faceValue).times(mark);
    const payment = value.times(new Decimal(rate!).abs()).toDecimalPlaces(MONEY_DIGITS, Decimal.ROUND_HALF_UP);
    // A long pays a rate above 0, and a short pays one below 0.
    const isPaid = contracts.isNegative() === rate!.startsWith('-');
    received = isPaid ? received.minus(payment) : received.plus(payment);
  }
  return received;
}
