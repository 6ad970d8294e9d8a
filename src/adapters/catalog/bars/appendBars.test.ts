// Tests bars of an exchange that are joined to a set of the catalog: on real files, and against a map of rows for any two sets.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Instrument } from '../../../model/instrument.ts';
import { testInstrument } from '../../../../test/fixtures/syntheticBars.ts';
import { appendBars, joinRows, newestRows, storeInstrument } from './appendBars.ts';
import { checkBars, loadBars, readInstrument, storeBars } from './catalog.ts';
import { barsOf, emptyColumns, RAW, type RawColumns } from '../files/columns.ts';
import { generateInto } from '../generate/generateInto.ts';
import { barsPath, instrumentPath, manifestPath } from '../files/paths.ts';
import { IMPORTED } from './barQuality.ts';

const START_MS = Date.UTC(2024, 0, 1);
const BAR_KEY = { market: 'spot', symbol: 'BTCUSDT', interval: '1m' } as const;
const BTC = testInstrument();

/** Bars of the given minutes. The close identifies the version of a bar. */
function rowsOf(minutes: readonly number[], close: (minute: number) => number = (minute) => 100 + (minute % 7)): RawColumns {
  const rows = emptyColumns(minutes.length);
  for (const [i, minute] of minutes.entries()) {
    rows.openMs[i] = START_MS + minute * 60_000;
    rows.open[i] = 100;
    rows.high[i] = 1000;
    rows.low[i] = 1;
    rows.close[i] = close(minute);
    rows.volume[i] = 1.5;
  }
  return rows;
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const minutesIn = ({ openMs }: RawColumns) => Array.from(openMs, (ms) => (ms - START_MS) / 60_000);

const folders: string[] = [];
/** Returns the folder of a new catalog. */
function catalog(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-append-'));
  folders.push(folder);
  return folder;
}
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

const bytesIn = (folder: string) =>
  [barsPath(folder, BAR_KEY), manifestPath(folder, BAR_KEY), instrumentPath(folder, 'spot', 'BTCUSDT')].map((path) => readFileSync(path));
const append = (folder: string, rows: RawColumns, rule: 'keep' | 'replace' = 'keep', instrument: Instrument = BTC) =>
  appendBars(folder, { listedInstrument: instrument, interval: '1m' }, rows, rule);

describe('bars appended to the catalog', () => {
  it('bars appended to the catalog create the set, then add only new rows, and the manifest lists the remaining gap', () => {
    const folder = catalog();
    expect(append(folder, rowsOf(range(0, 300)))).toMatchObject({
      newRows: 300,
      equalRows: 0,
      isWritten: true,
      manifest: { rows: 300, gaps: 0 },
    });
    expect(append(folder, rowsOf(range(200, 310)))).toMatchObject({ newRows: 10, equalRows: 100, manifest: { rows: 310, gaps: 0 } });
    const third = append(folder, rowsOf(range(1000, 1300)));
    expect(third.manifest).toMatchObject({ rows: 610, missingBars: 690, missing: [{ after: '2024-01-01T05:09:00.000Z', bars: 690 }] });
    expect(append(folder, rowsOf([400, 401]))).toMatchObject({ newRows: 2, filledRows: 2, manifest: { missingBars: 688 } });
    expect(checkBars(folder, BAR_KEY)).toMatchObject({ unchanged: true, manifest: { wrong: [] } });
    expect(minutesIn(newestRows(folder, BAR_KEY, 302))).toEqual([400, 401, ...range(1000, 1300)]);
  });

  it('bars appended to the catalog leave every byte as it was when there is nothing new', () => {
    const folder = catalog();
    append(folder, rowsOf(range(0, 100)));
    const before = bytesIn(folder);
    expect(append(folder, rowsOf(range(20, 100)))).toMatchObject({ newRows: 0, equalRows: 80, isWritten: false });
    expect(bytesIn(folder)).toEqual(before);
  });

  it('bars appended to the catalog report revised rows, and replace them only when asked', () => {
    const folder = catalog();
    append(folder, rowsOf(range(0, 100)));
    const before = bytesIn(folder);
    const revised = rowsOf(range(50, 100), (minute) => (minute === 60 ? 7 : 100 + (minute % 7)));
    const kept = append(folder, revised);
    expect(kept).toMatchObject({ newRows: 0, equalRows: 49, isWritten: false });
    expect(kept.revised).toEqual([
      {
        openMs: START_MS + 60 * 60_000,
        was: { open: 100, high: 1000, low: 1, close: 104, volume: 1.5 },
        now: { open: 100, high: 1000, low: 1, close: 7, volume: 1.5 },
      },
    ]);
    expect(bytesIn(folder)).toEqual(before);
    expect(append(folder, revised, 'replace').isWritten).toBe(true);
    expect(loadBars(folder, BAR_KEY).bars.close[60]).toBe(7);
  });

  it('bars appended to the catalog are rejected if most stored bars differ from them, or are synthetic', () => {
    const folder = catalog();
    append(folder, rowsOf(range(0, 100)));
    const before = bytesIn(folder);
    expect(() =>
      append(
        folder,
        rowsOf(range(90, 120), () => 33),
      ),
    ).toThrow(/10 of 10 bars differ from the exchange's, the first of 2024-01-01 01:30 UTC/);
    expect(bytesIn(folder)).toEqual(before);
    generateInto(folder, { symbol: 'ETHUSDT', interval: '1m', fromMs: START_MS, bars: 10, seed: 1 });
    const ether = { ...BTC, wireName: 'ETHUSDT' };
    expect(() => append(folder, rowsOf([20]), 'keep', ether)).toThrow(/ETHUSDT.1m.arrow: these bars are synthetic, not an exchange's/);
  });

  it('bars appended to the catalog replace a bar that was open when imported, or remove it if they begin after it', () => {
    const storeWithOpenLastBar = (folder: string) =>
      storeBars(
        folder,
        barsOf(
          rowsOf(range(0, 10), (minute) => (minute === 9 ? 42 : 100 + (minute % 7))),
          BTC,
          '1m',
        ),
        { ...IMPORTED, openLastBar: true },
      );
    const near = catalog();
    storeWithOpenLastBar(near);
    expect(append(near, rowsOf(range(5, 12)))).toMatchObject({
      newRows: 2,
      equalRows: 4,
      revised: [],
      openRow: 'restated',
      manifest: { openLastBar: false },
    });
    expect(loadBars(near, BAR_KEY).bars.close[9]).toBe(102);
    const far = catalog();
    storeWithOpenLastBar(far);
    expect(append(far, rowsOf(range(20, 22)))).toMatchObject({
      newRows: 2,
      openRow: 'removed',
      manifest: { rows: 11, missingBars: 11, openLastBar: false },
    });
    const behind = catalog();
    storeWithOpenLastBar(behind);
    expect(append(behind, rowsOf([3, 4]))).toMatchObject({ openRow: null, isWritten: false, manifest: { openLastBar: true } });
    expect(minutesIn(newestRows(behind, BAR_KEY, 3))).toEqual([6, 7, 8]);
  });

  it('bars appended to the catalog raise the price digits of the instrument record to those of the bars', () => {
    const folder = catalog();
    const fine = append(
      folder,
      rowsOf([0, 1], () => 100.125),
    );
    expect(fine.instrument.priceDigits).toBe(3);
    // The other interval of the symbol counts too.
    appendBars(folder, { listedInstrument: BTC, interval: '5m' }, rowsOf([0, 5]), 'keep');
    expect(readInstrument(folder, 'spot', 'BTCUSDT')?.priceDigits).toBe(3);
    expect(storeInstrument(folder, { ...BTC, priceDigits: 3 })).toBe(false);
    expect(() =>
      append(
        folder,
        rowsOf([2], () => 1 / 3),
      ),
    ).toThrow(/finer than exact money can be/);
  });
});

describe('two sets of rows', () => {
  const minutesArbitrary = fc.uniqueArray(fc.integer({ min: 0, max: 40 })).map((all) => all.toSorted((a, b) => a - b));
  it('two sets of rows are joined as a map from time to row joins them', () => {
    fc.assert(
      fc.property(
        minutesArbitrary,
        minutesArbitrary,
        fc.array(fc.integer({ min: 0, max: 40 })),
        fc.boolean(),
        fc.constantFrom('keep', 'replace'),
        (storedMinutes, newMinutes, changed, isOpen, rule) => {
          const hasOpenRow = isOpen && storedMinutes.length > 0;
          const stored = rowsOf(storedMinutes);
          const rows = rowsOf(newMinutes, (minute) => (changed.includes(minute) ? 5 : 100 + (minute % 7)));
          const joined = joinRows(stored, hasOpenRow, rows, rule === 'keep' ? 'keep' : 'replace');
          const openMinute = hasOpenRow ? storedMinutes.at(-1)! : NaN;
          const closed = storedMinutes.filter((minute) => minute !== openMinute);
          // An open row is removed if the new rows begin after it.
          const isOpenRowRemoved = hasOpenRow && !newMinutes.includes(openMinute) && newMinutes.some((minute) => minute > openMinute);
          const expected = new Map((isOpenRowRemoved ? closed : storedMinutes).map((minute) => [minute, 100 + (minute % 7)]));
          for (const minute of newMinutes) {
            const close = changed.includes(minute) ? 5 : 100 + (minute % 7);
            if (!closed.includes(minute) || rule === 'replace') expected.set(minute, close);
          }
          const byTime = [...expected].toSorted(([x], [y]) => x - y);
          expect(minutesIn(joined.raw)).toEqual(byTime.map(([minute]) => minute));
          expect([...joined.raw.close]).toEqual(byTime.map(([, close]) => close));
          expect(RAW.every((name) => joined.raw[name].length === byTime.length)).toBe(true);
          const added = newMinutes.filter((minute) => !storedMinutes.includes(minute));
          expect(joined.newRows).toBe(added.length);
          expect(joined.filledRows).toBe(added.filter((minute) => minute < Math.max(-1, ...closed)).length);
          const shared = newMinutes.filter((minute) => closed.includes(minute));
          expect(joined.revised).toHaveLength(shared.filter((minute) => changed.includes(minute)).length);
          expect(joined.equalRows + joined.revised.length).toBe(shared.length);
          const stillOpen = newMinutes.includes(openMinute) ? 'restated' : null;
          expect(joined.openRow).toBe(isOpenRowRemoved ? 'removed' : stillOpen);
        },
      ),
    );
  });
});
