// Real bars of many markets give no warning about their prices; without the folder of real data these tests are skipped.

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

const FOLDER = fileURLToPath(new URL('../../../shared/data/klines/', import.meta.url));
const files = existsSync(FOLDER) ? readdirSync(FOLDER).flatMap((set) => readdirSync(join(FOLDER, set)).map((file) => join(set, file))) : [];

function barsOf(file: string): BarColumns {
  const [, symbol = '', text = ''] = /([A-Z]+)-(\w+)\.csv\.gz$/.exec(file)!;
  const interval = parseInterval(text)!;
  const rows = gunzipSync(readFileSync(join(FOLDER, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1);
  const columns = Array.from({ length: 6 }, () => new Float64Array(rows.length));
  rows.forEach((row, at) => row.split(',').forEach((cell, column) => columns[column] && (columns[column][at] = Number(cell))));
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

test.skipIf(files.length === 0)('real bars have no price that jumps, no change of level and no dead stretch', () => {
  const found = files.flatMap((file) => priceWarnings(barsOf(file)).map(({ code, text }) => `${file}: ${code} ${text}`));
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(30);
});

const MARKS = fileURLToPath(new URL('../../../shared/data/mark/', import.meta.url));
const marks = existsSync(MARKS) ? readdirSync(MARKS).flatMap((set) => readdirSync(join(MARKS, set)).map((file) => join(set, file))) : [];

test.skipIf(marks.length === 0)('nor have real mark prices', () => {
  const found = marks.flatMap((file) => {
    const [, symbol = '', interval = ''] = /([A-Z]+)-(\w+)\.csv\.gz$/.exec(file)!;
    const rows = gunzipSync(readFileSync(join(MARKS, file)))
      .toString()
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(',').map(Number));
    const column = (at: number) => Float64Array.from(rows, (row) => row[at]!);
    const openMs = column(0);
    const closeMs = openMs.map((ms) => ms + markLengthMs(parseMarkInterval(interval)!));
    const klines = { openMs, closeMs, open: column(1), high: column(2), low: column(3), close: column(4) };
    return markWarnings(symbol, interval, klines).map(({ code, text }) => `${file}: ${code} ${text}`);
  });
  expect(found).toEqual([]);
  expect(marks.length).toBeGreaterThan(10);
});
