// Tests of bars given in code: they equal an import of the same bars, and each error in them has a message.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { loadBars } from './catalog.ts';
import { synthesizeBars } from '../generate/generate.ts';
import { givenBars, typedBars, type Bars } from './givenBars.ts';
import { importFiles } from '../import/importFiles.ts';
import { SYNTHETIC } from './barQuality.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const FROM = Date.UTC(2024, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'isobar-given-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('bars in code equal an import of the same rows: instrument, columns and quality', async () => {
  const options = fc.record({
    price: fc.constantFrom(0.0001, 0.7, 45, 3000, 65_000),
    gapShare: fc.constantFrom(0, 0.1),
    seed: fc.nat(1e6),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(options, async (some) => {
      const { openMs, open, high, low, close, volume } = synthesizeBars({
        symbol: 'XUSDT',
        interval: '5m',
        fromMs: FROM,
        bars: 60,
        ...some,
      });
      const rows = Array.from(openMs, (ms, row) => [ms, open[row], high[row], low[row], close[row], volume[row]].join(','));
      const file = join(folder, 'XUSDT-5m.csv');
      const catalog = join(folder, `data${run++}`);
      writeFileSync(file, `open_time_ms,open,high,low,close,volume\n${rows.join('\n')}\n`);
      const [set] = await importFiles([file], { catalog, nowMs: NOW_MS });
      const bars: Bars = { symbol: 'XUSDT', interval: '5m', openMs: [...openMs], open, high, low, close, volume };
      expect(givenBars(bars, NOW_MS)).toEqual(loadBars(catalog, set!));
    }),
    { numRuns: 20 },
  );
});

test('bars in code become columns, and a last bar that has not closed is marked', () => {
  const bars = synthesizeBars({ symbol: 'XUSDT', interval: '1h', fromMs: FROM, bars: 10, seed: 1 });
  const typed = typedBars({ bars, facts: SYNTHETIC });
  expect(typed).toMatchObject({ symbol: 'XUSDT', interval: '1h', length: 10, synthetic: true });
  expect(givenBars(typed, NOW_MS).bars.close).toBe(bars.close);
  const lastClose = FROM + 10 * 3_600_000;
  expect([lastClose - 1, lastClose].map((now) => givenBars(typed, now).quality.openLastBar)).toEqual([true, false]);
});

const good: Bars = {
  symbol: 'XUSDT',
  interval: '1h',
  openMs: [FROM, FROM + 3_600_000],
  open: [10, 11],
  high: [12, 12],
  low: [9, 10],
  close: [11, 10.5],
  volume: [0, 5],
};

test('valid bars are accepted', () => expect(givenBars(good, NOW_MS).bars).toMatchObject({ length: 2, instrument: { priceDigits: 1 } }));

test.each<[string, object, string]>([
  [
    'an invalid interval',
    { interval: '7s' },
    'data XUSDT interval: expected a length such as 15s, 1m, 3h, 1d, 1w or 1M (seconds divide a minute, weeks at most a year), got 7s',
  ],
  ['an invalid symbol', { symbol: 'btc' }, 'symbol: expected capital letters'],
  [
    'an unknown quote asset',
    { symbol: 'FOOBAR' },
    'data FOOBAR symbol: expected a name that ends in a known quote asset, or BASE-QUOTE, got FOOBAR',
  ],
  ['no rows', { openMs: [] }, 'data XUSDT openMs: expected one bar or more, got none'],
  ['a missing column', { volume: undefined }, 'data XUSDT volume: expected an array of numbers, got undefined'],
  ['a short column', { close: [1] }, 'data XUSDT close: expected 2 values, as many as openMs has, got 1'],
  [
    'a time off the grid',
    { openMs: [FROM, FROM + 1] },
    'data XUSDT openMs[1]: expected ms UTC at which a bar of 1h opens, got 1704067200001',
  ],
  ['seconds in place of ms', { openMs: [FROM / 1000, FROM] }, 'data XUSDT openMs[0]: expected ms UTC at which a bar of 1h opens'],
  ['a time twice', { openMs: [FROM, FROM] }, 'data XUSDT openMs[1]: expected a time after 2024-01-01T00:00:00.000Z, got 1704067200000'],
  [
    'a low above the close',
    { low: [9, 10.75] },
    'data XUSDT row 1: expected prices above 0 with low <= open, close <= high, got low 10.75, open 11',
  ],
  ['a NaN', { close: [11, NaN] }, 'data XUSDT row 1: expected prices above 0'],
  ['a price of 0', { low: [0, 10] }, 'data XUSDT row 0: expected prices above 0'],
  ['an infinite price', { high: [12, Infinity] }, 'data XUSDT row 1: expected prices above 0'],
  ['a negative volume', { volume: [0, -1] }, 'data XUSDT volume[1]: expected a volume of 0 or more, got -1'],
  ['a price with too many decimals', { open: [10 + 1 / 3, 11] }, 'such as open[0] = 10.333333333333334'],
  [
    'a small price that is not a decimal',
    { open: [0.1 + 0.2, 0.3], high: [0.5, 0.5], low: [0.2, 0.2], close: [0.3, 0.3] },
    'such as open[0] = 0.30000000000000004',
  ],
])('refuses %s', (_, change, message) => expect(() => givenBars({ ...good, ...change }, NOW_MS)).toThrow(message));
