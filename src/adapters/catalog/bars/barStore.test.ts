// Tests that the catalog and the memory store return the same bars of any range, and report missing bars in the same way.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { INTERVALS } from '../../../model/interval.ts';
import { storeBars } from './catalog.ts';
import { loadFeed } from './loadFeed.ts';
import { synthesizeBars } from '../generate/generate.ts';
import type { BarKey } from '../files/paths.ts';
import { SYNTHETIC } from './barQuality.ts';
import { catalogStore, memoryStore, wholeSet } from './barStore.ts';
import { expectEqual } from '../../../../test/fixtures/quickExpect.ts';

const FROM_MS = Date.UTC(2024, 0, 1);
const HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'isobar-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bars = synthesizeBars({ symbol: 'XUSDT', interval: '15m', fromMs: FROM_MS, bars: 2000, seed: 5, gapShare: 0.05 });
const facts = { ...SYNTHETIC, openLastBar: true };
storeBars(folder, bars, facts);
const stores = [catalogStore(folder), memoryStore([wholeSet(bars, facts)])] as const;
const key: BarKey = { market: 'spot', symbol: 'XUSDT', interval: '15m' };

test('the catalog and the memory store return the same bars, quality and warm-up of any range and interval', () => {
  const time = fc.integer({ min: FROM_MS - HOUR_MS, max: bars.closeMs.at(-1)! + HOUR_MS });
  const ranges = fc.record({
    fromMs: fc.option(time, { nil: undefined }),
    toMs: fc.option(time, { nil: undefined }),
    warmupRows: fc.nat(50),
  });
  const intervals = fc.constantFrom(...INTERVALS.filter((name) => ['15m', '30m', '1h', '4h', '1d'].includes(name)));
  fc.assert(
    fc.property(ranges, intervals, (range, interval) => {
      const [stored, memory] = stores.map((store) => {
        try {
          return loadFeed(store, { ...key, interval }, range);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          return null;
        }
      });
      expect(memory?.files ?? []).toEqual([]);
      expectEqual(memory && { ...memory, files: stored?.files }, stored);
    }),
    { numRuns: 300 },
  );
});

test('a row reader of either store returns the rows of the whole set, in any order and over gaps', () => {
  const time = fc.integer({ min: FROM_MS - HOUR_MS, max: bars.closeMs.at(-1)! + HOUR_MS });
  const readers = stores.map((store) => store.openRowReader(key)!);
  expect(stores.map((store) => store.openRowReader({ ...key, symbol: 'YUSDT' }))).toEqual([null, null]);
  let nextMs = FROM_MS;
  fc.assert(
    fc.property(fc.option(time), fc.nat(4 * HOUR_MS), fc.integer({ min: 1, max: 20 }), (startMs, lengthMs, limit) => {
      // Null: the rows after those read last.
      const fromMs = startMs ?? nextMs;
      const toMs = fromMs + lengthMs;
      const inRange = Array.from(bars.openMs.keys()).filter((row) => bars.openMs[row]! >= fromMs && bars.openMs[row]! < toMs);
      const rows = inRange.slice(0, limit);
      for (const reader of readers) {
        expect(reader.countBetween(fromMs, toMs)).toBe(inRange.length);
        const read = reader.read(bars.instrument, fromMs, toMs, limit);
        expect([read.length, [...read.openMs], [...read.closeMs], [...read.high], [...read.close]]).toEqual([
          rows.length,
          rows.map((row) => bars.openMs[row]),
          rows.map((row) => bars.closeMs[row]),
          rows.map((row) => bars.high[row]),
          rows.map((row) => bars.close[row]),
        ]);
      }
      if (rows.length > 0) nextMs = bars.closeMs[rows.at(-1)!]!;
    }),
    { numRuns: 300 },
  );
  for (const reader of readers) reader.close();
});

test('the memory store returns a whole set without a copy', () => expect(stores[1].load(key, {}).bars).toBe(bars));

test('the error of a store names the bars that it lacks', () => {
  const messages = stores.map((store) => {
    try {
      return loadFeed(store, { ...key, symbol: 'YUSDT' });
    } catch (error) {
      return error instanceof ConfigError ? `${error.message.replace(folder, '')}; ${error.remedy}` : null;
    }
  });
  expect(messages).toEqual([
    '/spot/YUSDT/15m.arrow: the catalog has no bars of spot YUSDT 15m; import them: isobar data import FILE. It has: spot XUSDT 15m.',
    'data: no bars of YUSDT 15m; give them, or name another feed',
  ]);
  expect(() => stores[1].load(key, { toMs: FROM_MS })).toThrow('the bars of XUSDT 15m: none from the start to 2024-01-01 00:00');
});
