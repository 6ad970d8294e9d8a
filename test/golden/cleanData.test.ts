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
const klineFiles = existsSync(KLINES_FOLDER)
  ? readdirSync(KLINES_FOLDER).flatMap((set) => readdirSync(join(KLINES_FOLDER, set)).map((file) => join(set, file)))
  : [];

/** Reads the bars of a packed file. Its name has the symbol and the interval. */
function barsOf(file: string): BarColumns {
  const [, symbol = '', intervalText = ''] = /([A-Z]+)-(\w+)\.csv\.gz$/.exec(file)!;
  const interval = parseInterval(intervalText)!;
  const rows = gunzipSync(readFileSync(join(KLINES_FOLDER, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1);
  const columns = Array.from({ length: 6 }, () => new Float64Array(rows.length));
  rows.forEach((row, index) => {
    const cells = row.split(',');
    // Further columns of the file are not needed.
    columns.forEach((column, field) => (column[index] = Number(cells[field])));
  });
  const [openMs, open, high, low, close, volume] = columns as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const closeMs = openMs.map((ms) => ms + typicalLengthMs(interval));
  return {
    instrument: testInstrument({ wireName: symbol }),
    interval,
    length: rows.length,
    openMs,
    closeMs,
    open,
    high,
    low,
    close,
    volume,
  };
}

test.skipIf(klineFiles.length === 0)('real bars have no jump of a price, no change of level and no stretch without trades', () => {
  const warnings = klineFiles.flatMap((file) => priceWarnings(barsOf(file)).map(({ code, text }) => `${file}: ${code} ${text}`));
  expect(warnings).toEqual([]);
  expect(klineFiles.length).toBeGreaterThan(30);
});

const MARKS_FOLDER = fileURLToPath(new URL('../../../shared/data/mark/', import.meta.url));
const markFiles = existsSync(MARKS_FOLDER)
  ? readdirSync(MARKS_FOLDER).flatMap((set) => readdirSync(join(MARKS_FOLDER, set)).map((file) => join(set, file)))
  : [];

test.skipIf(markFiles.length === 0)('real mark prices have no jump, no change of level and no stretch without changes', () => {
  const warnings = markFiles.flatMap((file) => {
    const [, symbol = '', interval = ''] = /([A-Z]+)-(\w+)\.csv\.gz$/.exec(file)!;
    const rows = gunzipSync(readFileSync(join(MARKS_FOLDER, file)))
      .toString()
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(',').map(Number));
    const column = (field: number) => Float64Array.from(rows, (row) => row[field]!);
    const openMs = column(0);
    const closeMs = openMs.map((ms) => ms + markLengthMs(parseMarkInterval(interval)!));
    const klines = { openMs, closeMs, open: column(1), high: column(2), low: column(3), close: column(4) };
    return markWarnings(symbol, interval, klines).map(({ code, text }) => `${file}: ${code} ${text}`);
  });
  expect(warnings).toEqual([]);
  expect(markFiles.length).toBeGreaterThan(10);
});
