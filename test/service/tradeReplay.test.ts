// Tests an exchange whose prices are recorded trades: their order, their speed, and the errors of an invalid file.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { assembleExchange } from '../../src/paperExchange/process/assemble.ts';
import { readExchange } from '../../src/paperExchange/process/file/readExchange.ts';
import { START_MS } from './serviceFixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-trades-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FROM_MS = Date.UTC(2024, 0, 1);
const CSV_HEADER = 'id,price,quantity,time\n';

/** Returns the config of an exchange that replays these trades. */
function readExchangeWithTrades(trades: string, speed: number | null = null) {
  writeFileSync(join(folder, 'trades.csv'), trades);
  const path = join(folder, 'exchange.yaml');
  const symbol = '{ symbol: BTCUSDT, base: BTC, quote: USDT, priceDigits: 2, quantityDigits: 4, prices: { trades: trades.csv } }';
  writeFileSync(path, `instruments:\n  - ${symbol}\n`);
  // A config file that others may write is rejected, whatever the umask of this process.
  chmodSync(path, 0o644);
  return readExchange(path, { profileFile: null, speed });
}

it.each([
  [null, 1],
  [10, 10],
])('an exchange of recorded trades trades each one at its price and time, at speed %s', (speed, speedFactor) => {
  const prices = ['100.00', '100.50', '99.25', '99.25', '101.10'];
  // Times alternate between milliseconds and ISO text, because a file may have either.
  const rows = prices.map(
    (price, index) =>
      `${index},${price},0.5000,${index % 2 === 0 ? FROM_MS + index * 1000 : new Date(FROM_MS + index * 1000).toISOString()}`,
  );
  const service = assembleExchange(readExchangeWithTrades(CSV_HEADER + rows.join('\n'), speed), START_MS);
  const { tape } = service.spot.markets[0]!;
  const tradedPrices = prices.map((_, index) => {
    service.advance(START_MS + Math.floor((index * 1000) / speedFactor));
    return (tape.latest(1)[0]!.price / 100).toFixed(2);
  });
  expect(tradedPrices).toEqual(prices);
  const bar = tape.klines.bars('1h', service.nowMs).at(-1)!;
  expect([bar.high, bar.low, bar.close]).toEqual([10_110, 9925, 10_110]);
});

it.each([
  ['', /trades\.csv:1: expected columns time, price and quantity/],
  ['time,price\n1704067200000,1', /trades\.csv:1: expected columns/],
  [CSV_HEADER, /expected trades, got none/],
  [`${CSV_HEADER}1,100.001,1,1704067200000`, /trades\.csv:2: expected a price above 0 with at most 2 decimals/],
  [`${CSV_HEADER}1,100,0,1704067200000`, /trades\.csv:2: expected a quantity above 0/],
  [`${CSV_HEADER}1,100,1,yesterday`, /trades\.csv:2: expected a time/],
  [`${CSV_HEADER}1,100,1,1704067200000\n2,100,1,1704067199999`, /trades\.csv:3: expected a time that is not before/],
])('an invalid trade file %j is rejected with its line', (text, message) => {
  expect(() => readExchangeWithTrades(text)).toThrow(message);
});
