// Tests which bars of a catalog a live bot takes at its start.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { storeBars } from '../../../adapters/catalog/bars/catalog.ts';
import { synthesizeBars } from '../../../adapters/catalog/generate/generate.ts';
import { SYNTHETIC } from '../../../adapters/catalog/bars/barQuality.ts';
import type { Interval } from '../../../model/interval.ts';
import { catalogBars } from './catalogBars.ts';

const FROM_MS = Date.UTC(2024, 0, 1);
const MINUTE_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'isobar-catalog-bars-'));
const minutes = synthesizeBars({ symbol: 'OLDUSDT', interval: '1m', fromMs: FROM_MS, bars: 100, seed: 8 });
storeBars(folder, minutes, SYNTHETIC);
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the open times of the bars that the bot takes at `minute`, in minutes from the first bar of the catalog; null: none. */
function openMinutesOf(interval: Interval, minute: number, symbol = 'OLDUSDT'): readonly number[] | null {
  const bars = catalogBars(folder, { market: 'spot', symbol, interval }, minutes.instrument, FROM_MS + minute * MINUTE_MS);
  return bars === null ? null : Array.from(bars.openMs, (ms) => (ms - FROM_MS) / MINUTE_MS);
}

test('bars that the exchange has not closed yet are left out', () => {
  expect(openMinutesOf('1m', 3)).toEqual([0, 1, 2]);
  expect(openMinutesOf('1m', 0)).toEqual([]);
  expect(openMinutesOf('1m', 1000)).toHaveLength(100);
});

test('bars of an interval that the catalog lacks are built from shorter ones', () => {
  expect(openMinutesOf('5m', 17)).toEqual([0, 5, 10]);
  expect(openMinutesOf('5m', 1000)).toHaveLength(20);
  expect(openMinutesOf('5m', 15)).toEqual([0, 5, 10]);
});

test('a catalog without bars of the symbol, or without a whole one, gives none', () => {
  expect(openMinutesOf('5m', 50, 'NEWUSDT')).toBeNull();
  expect(openMinutesOf('4h', 50)).toBeNull();
  expect(openMinutesOf('5m', -10)).toBeNull();
});
