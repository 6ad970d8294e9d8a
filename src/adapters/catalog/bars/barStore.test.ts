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
import { expectEqual } from '../../../../test/fixtures/alike.ts';

const FROM = Date.UTC(2024, 0, 1);
const HOUR = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'isobar-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bars = synthesizeBars({ symbol: 'XUSDT', interval: '15m', fromMs: FROM, bars: 2000, seed: 5, gapShare: 0.05 });
const facts = { ...SYNTHETIC, openLastBar: true };
storeBars(folder, bars, facts);
const stores = [catalogStore(folder), memoryStore([wholeSet(bars, facts)])] as const;
const key: BarKey = { market: 'spot', symbol: 'XUSDT', interval: '15m' };

test('the same bars, quality and warm-up in any range, made coarser where they are', () => {
  const time = fc.integer({ min: FROM - HOUR, max: bars.closeMs.at(-1)! + HOUR });
  const range = fc.record({
    fromMs: fc.option(time, { nil: undefined }),
    toMs: fc.option(time, { nil: undefined }),
    warmupRows: fc.nat(50),
  });
  const interval = fc.constantFrom(...INTERVALS.filter((name) => ['15m', '30m', '1h', '4h', '1d'].includes(name)));
  fc.assert(
    fc.property(range, interval, (some, of) => {
      const [stored, memory] = stores.map((store) => {
        try {
          return loadFeed(store, { ...key, interval: of }, some);
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

test('a few rows at a time are those of the whole set, in any order and over gaps', () => {
  const time = fc.integer({ min: FROM - HOUR, max: bars.closeMs.at(-1)! + HOUR });
  const readers = stores.map((store) => store.openRowReader(key)!);
  expect(stores.map((store) => store.openRowReader({ ...key, symbol: 'YUSDT' }))).toEqual([null, null]);
  let behindMs = FROM;
  fc.assert(
    fc.property(fc.option(time), fc.nat(4 * HOUR), fc.integer({ min: 1, max: 20 }), (some, span, limit) => {
      // Null: the rows behind those read last.
      const fromMs = some ?? behindMs;
      const toMs = fromMs + span;
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
      if (rows.length > 0) behindMs = bars.closeMs[rows.at(-1)!]!;
    }),
    { numRuns: 300 },
  );
  for (const reader of readers) reader.close();
});

test('a whole set is not copied', () => expect(stores[1].load(key, {}).bars).toBe(bars));

test('the error of a store names what it lacks', () => {
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
  expect(() => stores[1].load(key, { toMs: FROM })).toThrow('the bars of XUSDT 15m: none from the start to 2024-01-01 00:00');
});
