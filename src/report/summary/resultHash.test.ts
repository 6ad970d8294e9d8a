// Tests the result hash: it is recomputed from the run folder's files by docs/run-folder.md alone.

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { MINUTE, randomScript, runRecord, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { runPython } from '../../../test/fixtures/python.ts';
import { writeArrowColumns } from '../../adapters/catalog/arrow/arrowWriter.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { csvText } from './csvFile.ts';
import { plainReading } from './plainReading.ts';
import { equityToWrite, resultHash } from './resultHash.ts';
import { summaryText, writeRunFiles } from './runFiles.ts';
import { buildSummary } from './summary.ts';
import { fillsTable, ordersTable, tradesTable } from './tables.ts';
import { tradesOf } from '../trades/trades.ts';

const DOCS = new URL('../../../docs/run-folder.md', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'isobar-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secondInstrument = testInstrument({ wireName: 'XYZUSD', priceDigits: 4, quantityDigits: 2, baseDigits: 6 });
const baseRecord = runRecord({
  bars: [testBars(testInstrument(), 2000, 1), testBars(secondInstrument, 2000, 2)],
  script: randomScript(5, { rows: 2000, fills: 200, strategies: 2, instruments: 2, feesInBase: true }),
  strategies: 2,
  feesInBase: true,
});
/** A record with empty cells, text that needs quotes, and every kind of ending. */
const record: RunRecord = {
  ...baseRecord,
  orders: {
    ...baseRecord.orders,
    ending: baseRecord.orders.ending.map((_, row) => row % 9),
    arrivedMs: baseRecord.orders.arrivedMs.map((ms, row) => (row % 5 === 0 ? NaN : ms)),
    parent: baseRecord.orders.parent.map((_, row) => (row % 4 === 3 ? row : 0)),
    texts: baseRecord.orders.texts.map((text) => (text === 'exit' ? 'exit, "late"' : text)),
  },
};

test('the result hash can be recomputed from the files of the run folder', () => {
  const summary = buildSummary(record, { versions: { isobar: '0.1.0' } });
  writeRunFiles(record, summary, folder);
  writeArrowColumns(join(folder, 'equity.arrow'), equityToWrite(record));

  // From here on: the steps of docs/run-folder.md, without code of the project.
  const summaryFile: { resultHash: string; run: { instruments: { id: string }[] } } = JSON.parse(
    readFileSync(join(folder, 'summary.json'), 'utf8'),
  );
  const instrument = summaryFile.run.instruments.map(({ id }) => id);
  const codes: Record<string, string[]> = {
    instrument,
    side: ['buy', 'sell'],
    role: ['market', 'limit', 'takeProfit', 'stopLoss', 'trailing'],
    ending: ['open', 'denied', 'notSent', 'refused', 'noEffect', 'filled', 'canceled', 'rejected', 'expired'],
    reduce_only: ['0', '1'],
    was_unknown: ['0', '1'],
    is_maker: ['0', '1'],
    fee_in: ['quote', 'base'],
  };
  const texts = new Set(['slot', 'code', 'fee_asset']);
  const hash = createHash('sha256');
  for (const file of ['orders.csv', 'fills.csv']) {
    const [header = [], ...rows] = parseCsv(readFileSync(join(folder, file), 'utf8'));
    header.forEach((name, column) => {
      const cells = rows.map((row) => row[column]!);
      if (texts.has(name)) return;
      const list = codes[name];
      if (list) hash.update(Buffer.from(cells.map((cell) => list.indexOf(cell))));
      else hash.update(doubles(cells.map((cell) => (cell === '' ? NaN : Number(cell)))));
    });
  }
  const equity = tableFromIPC(readFileSync(join(folder, 'equity.arrow')));
  for (const name of ['time_ms', 'equity']) {
    const values: ArrayLike<bigint | number> = equity.getChild(name)!.toArray();
    hash.update(doubles(Array.from(values, Number)));
  }
  expect(hash.digest('hex')).toBe(summaryFile.resultHash);
  expect(summaryFile.resultHash).toBe(resultHash(record));
});

test('the Python recipe in docs/run-folder.md gives the recorded result hash', () => {
  const pythonRecipe = /```python\n([\s\S]*?)```/.exec(readFileSync(DOCS, 'utf8'))?.[1] ?? '';
  const printed = runPython(['pyarrow'], `import os, sys\nos.chdir(sys.argv[1])\n${pythonRecipe}`, folder);
  if (printed !== null) expect(printed).toEqual(['True']);
});

/** Returns the name under which a figure is documented. Figures with these endings share the row of their sibling. */
const documentedName = (name: string) => name.replace(/(Fraction|Max)$/, '');

test('docs/run-folder.md and docs/metrics.md describe every column and every figure', () => {
  const text = readFileSync(DOCS, 'utf8') + readFileSync(new URL('metrics.md', DOCS), 'utf8');
  const { metrics, trades, orders } = buildSummary(record, { versions: {} });
  const tables = [ordersTable(record), fillsTable(record), tradesTable(record, tradesOf(record))];
  const names = [
    ...tables.flatMap(({ columns }) => columns.map(({ name }) => name)),
    ...[metrics, trades, orders].flatMap((figures) => Object.keys(figures)),
  ];
  const structural = ['basis', 'reasons', 'flags'];
  expect(names.filter((name) => !structural.includes(name) && !text.includes(`\`${documentedName(name)}\``))).toEqual([]);
});

/** Returns values as little-endian float64; an empty cell is 7ff8000000000000. */
function doubles(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  values.forEach((value, i) => {
    if (Number.isNaN(value)) bytes.writeBigUInt64LE(0x7ff8000000000000n, i * 8);
    else bytes.writeDoubleLE(value, i * 8);
  });
  return bytes;
}

/** Returns the cells of each line of a CSV text. */
function parseCsv(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((cell) => cell[1]?.replaceAll('""', '"') ?? cell[2] ?? ''),
    );
}

test('the result hash changes with any number, and not with text, capacity or names', () => {
  const baseHash = resultHash(record);
  const { orders, fills, equity } = record;
  const pricesWithCapacity = new Float64Array(fills.length + 7);
  pricesWithCapacity.set(fills.price);
  expect(
    resultHash({
      ...record,
      name: 'another',
      seed: 9,
      fills: { ...fills, price: pricesWithCapacity },
      orders: { ...orders, slot: orders.slot.map(() => 0) },
    }),
  ).toBe(baseHash);
  const units = equity.units.slice();
  units[1000]! += 1;
  expect(resultHash({ ...record, equity: { ...equity, units } })).not.toBe(baseHash);
  expect(resultHash({ ...record, fills: { ...fills, isMaker: fills.isMaker.map((bit, row) => (row === 3 ? 1 - bit : bit)) } })).not.toBe(
    baseHash,
  );
});

test('a CSV cell is the exact decimal, and is read back as the hashed double', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 12 }), (value, digits) => {
      const text = csvText({
        length: 1,
        columns: [{ kind: 'number', name: 'x', values: Float64Array.of(value), digits: [digits], digitsAt: null, emptyAt: NaN }],
      }).split('\n')[1]!;
      expect(BigInt(text.replace('.', ''))).toBe(BigInt(value));
      expect(text.includes('.') ? text.split('.')[1]!.length : 0).toBe(digits);
      expect(Number(text)).toBe(value / 10 ** digits + 0);
    }),
  );
});

test('a reading is written as plain text that is read back unchanged', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(plainReading(value)).not.toContain('e');
      expect(Number(plainReading(value))).toBe(value + 0);
    }),
  );
  expect(plainReading(NaN)).toBe('');
});

test('CSV cells of readings are their plain texts', () => {
  const decimal = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 9 })).map(([whole, digits]) => whole / 10 ** digits);
  const special = fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 214_748.3647, 214_748.3648, -214_748.3648, -214_748.3649, 1e21);
  fc.assert(
    fc.property(fc.array(fc.oneof(decimal, fc.double(), special), { maxLength: 20 }), (values) => {
      const text = csvText({ length: values.length, columns: [{ kind: 'reading', name: 'x', values: Float64Array.from(values) }] });
      expect(text).toBe(`x\n${values.map((value) => `${plainReading(value)}\n`).join('')}`);
    }),
    { numRuns: 1000 },
  );
});

test('CSV cells of numbers have every digit of whole numbers up to 2^53, with their decimals and their sign', () => {
  // Numbers of all lengths, and those beside the bounds of a length.
  const sized = fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: -1, max: 8 })).map(([power, more]) => 10 ** power + more);
  const size = fc.oneof(sized, fc.maxSafeInteger(), fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER));
  const row = fc.tuple(size, fc.boolean(), fc.integer({ min: 0, max: 12 }));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
      const values = Float64Array.from(rows, ([value, isNegative]) => (isNegative ? 0 - value : value));
      const digits = Array.from({ length: 13 }, (_, index) => index);
      const digitsAt = rows.map(([, , count]) => count);
      const column = { kind: 'number', name: 'x', values, digits, digitsAt, emptyAt: NaN } as const;
      const cells = rows.map(([, , count], index) => {
        const value = BigInt(values[index]!);
        const text = String(value < 0n ? -value : value).padStart(count + 1, '0');
        const point = text.length - count;
        return `${value < 0n ? '-' : ''}${text.slice(0, point)}${count === 0 ? '' : `.${text.slice(point)}`}\n`;
      });
      expect(csvText({ length: rows.length, columns: [column] })).toBe(`x\n${cells.join('')}`);
    }),
    { numRuns: 1000 },
  );
});

test('a CSV of many rows and long labels is written without an error at the chunks of the writer', () => {
  const rows = 30_000;
  const labels = ['x'.repeat(70_000), 'short'];
  const table = csvText({
    length: rows,
    columns: [
      { kind: 'number', name: 'n', values: Float64Array.from({ length: rows }, (_, i) => i), digits: [0], digitsAt: null, emptyAt: NaN },
      { kind: 'text', name: 'label', values: Array.from({ length: rows }, (_, i) => (i % 10_000 === 0 ? 0 : 1)), labels },
    ],
  });
  const expected = Array.from({ length: rows }, (_, i) => `${i},${labels[i % 10_000 === 0 ? 0 : 1]}`);
  expect(table === `n,label\n${expected.join('\n')}\n`).toBe(true);
});

test('summary.json contains the summary, with each series on one line', () => {
  const summary = buildSummary(record, { versions: {} });
  const text = summaryText(summary);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(summary)));
  expect(text).toMatch(/"days": \[ ?\d/);
  expect(Object.keys(summary)).toEqual(['resultHash', 'run', 'metrics', 'trades', 'orders', 'dataQuality', 'costBridge', 'warnings']);
  expect(text).not.toMatch(/NaN|Infinity/);
  expect(summary.run).toMatchObject({
    from: '2024-01-01T00:00:00.000Z',
    toMs: record.fromMs + 2000 * MINUTE,
    instruments: [{ markSource: 'close' }, {}],
  });
  // The change of equity is the sum of closed, open and held profit.
  const sum = [summary.trades.closedPnl, summary.trades.openPnl, summary.trades.heldPnl].reduce(
    (total, profit) => total + Math.round(Number(profit) * 1e8),
    0,
  );
  expect(sum).toBe(Math.round(Number(summary.metrics.netProfit) * 1e8));
});
