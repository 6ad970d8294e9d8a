// Tests that real bars and mark prices of many markets give no price warning. Without the folder of real data the tests are skipped.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { markLengthMs, parseMarkInterval } from '../../src/adapters/catalog/files/markInterval.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { parseInterval, typicalLengthMs } from '../../src/model/interval.ts';
import { markWarnings, priceWarnings } from '../../src/report/warnings/dataWarnings.ts';
import { testInstrument } from '../fixtures/runRecord.ts';

const KLINES_FOLDER = fileURLToPath(new URL('../../../shared/data/klines/', import.meta.url));
const MARKS_FOLDER = fileURLToPath(new URL('../../../shared/data/mark/', import.meta.url));
const klineFiles = filesOfSets(KLINES_FOLDER);
const markFiles = filesOfSets(MARKS_FOLDER);

/** Returns the files in the subfolders of a folder, by their paths in it. Returns none if the folder does not exist. */
function filesOfSets(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((set) => readdirSync(join(folder, set)).map((file) => join(set, file)));
}

/** Returns the symbol and the interval in the name of a packed file. */
function symbolAndInterval(file: string): readonly [symbol: string, interval: string] {
  const [, symbol = '', interval = ''] = /([A-Z]+)-(\w+)\.csv\.gz$/.exec(file)!;
  return [symbol, interval];
}

/** Reads a packed CSV file of numbers. Returns a function that returns the column at a position. */
function readColumns(path: string): (position: number) => Float64Array {
  const [, ...lines] = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  return (position) => Float64Array.from(rows, (row) => row[position]!);
}

/** Reads the bars of a packed file. */
function barsOf(file: string): BarColumns {
  const [symbol, intervalText] = symbolAndInterval(file);
  const interval = parseInterval(intervalText)!;
  const columnAt = readColumns(join(KLINES_FOLDER, file));
  const openMs = columnAt(0);
  return {
    instrument: testInstrument({ wireName: symbol }),
    interval,
    length: openMs.length,
    openMs,
    closeMs: openMs.map((ms) => ms + typicalLengthMs(interval)),
    open: columnAt(1),
    high: columnAt(2),
    low: columnAt(3),
    close: columnAt(4),
    volume: columnAt(5),
  };
}

test.skipIf(klineFiles.length === 0)('real bars have no jump of a price, no change of level and no stretch without trades', () => {
  const warnings = klineFiles.flatMap((file) => priceWarnings(barsOf(file)).map(({ code, text }) => `${file}: ${code} ${text}`));
  expect(warnings).toEqual([]);
  expect(klineFiles.length).toBeGreaterThan(30);
});

test.skipIf(markFiles.length === 0)('real mark prices have no jump, no change of level and no stretch without changes', () => {
  const warnings = markFiles.flatMap((file) => {
    const [symbol, interval] = symbolAndInterval(file);
    const columnAt = readColumns(join(MARKS_FOLDER, file));
    const openMs = columnAt(0);
    const closeMs = openMs.map((ms) => ms + markLengthMs(parseMarkInterval(interval)!));
    const klines = { openMs, closeMs, open: columnAt(1), high: columnAt(2), low: columnAt(3), close: columnAt(4) };
    return markWarnings(symbol, interval, klines).map(({ code, text }) => `${file}: ${code} ${text}`);
  });
  expect(warnings).toEqual([]);
  expect(markFiles.length).toBeGreaterThan(10);
});
