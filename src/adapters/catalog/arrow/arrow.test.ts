// Tests Arrow files against apache-arrow, pandas and polars: each reads what the other wrote.

import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Float64,
  Int32,
  makeTable,
  makeVector,
  Table,
  tableFromIPC,
  tableToIPC,
  TimestampMillisecond,
  vectorFromArray,
} from 'apache-arrow';
import { afterAll, describe, expect, it } from 'vitest';
import { runPython } from '../../../../test/fixtures/python.ts';
import { ConfigError, InvariantError } from '../../../base/errors.ts';
import { ArrowWriter, BATCH_ROWS, writeArrowColumns, type ArrowColumn } from './arrowWriter.ts';
import { ArrowFile, withArrowFile } from './arrowReader.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-arrow-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pathOf = (name: string) => join(folder, name);
const hasSameBytes = (a: Float64Array | Int32Array, b: Float64Array | Int32Array) =>
  a.length === b.length && Buffer.from(a.buffer).equals(Buffer.from(b.buffer));

/** Returns columns of every kind, with values at the edges of their types. */
function sampleColumns(rows: number): ArrowColumn[] {
  const time = Float64Array.from({ length: rows }, (_, i) => 1_700_000_000_000 + i * 60_000);
  if (rows > 2) time[0] = -86_400_000_123; // before 1970: both halves of the int64 carry a sign
  return [
    { name: 'open_time', kind: 'timestamp', values: time },
    { name: 'close', kind: 'float64', values: Float64Array.from({ length: rows }, (_, i) => 1 / (i + 1)) },
    { name: 'bars_in', kind: 'int32', values: Int32Array.from({ length: rows }, (_, i) => i - 5) },
    { name: 'seen', kind: 'timestamp', values: Float64Array.from({ length: rows }, (_, i) => i) },
  ];
}

const columnPair = (a: Float64Array, b: Float64Array): ArrowColumn[] => [
  { name: 'a', kind: 'float64', values: a },
  { name: 'b', kind: 'float64', values: b },
];

describe('an Arrow file', () => {
  it.each([0, 1, 7, BATCH_ROWS, BATCH_ROWS + 1, 3 * BATCH_ROWS - 5])(
    'apache-arrow and our reader return the same rows of an Arrow file of %i rows',
    (rows) => {
      const path = pathOf(`rows${rows}.arrow`);
      const columns = sampleColumns(rows);
      writeArrowColumns(path, columns, { symbol: 'BTCUSDT', note: 'Grüße' });
      const oracle = tableFromIPC(readFileSync(path));
      expect(oracle.numRows).toBe(rows);
      expect(oracle.batches.length).toBe(Math.max(1, Math.ceil(rows / BATCH_ROWS)));
      expect(oracle.schema.metadata.get('note')).toBe('Grüße');
      withArrowFile(path, (file) => {
        expect([...file.metadata]).toEqual([...oracle.schema.metadata]);
        for (const { name, kind, values } of columns) {
          const theirs: Iterable<number | bigint> = oracle.getChild(name)?.toArray() ?? [];
          expect(hasSameBytes(Float64Array.from(theirs, Number), Float64Array.from(values)), `${name} by apache-arrow`).toBe(true);
          const ours = kind === 'int32' ? new Int32Array(rows) : new Float64Array(rows);
          if (ours instanceof Int32Array) file.readInts(name, 0, ours);
          else file[kind === 'float64' ? 'readFloats' : 'readTimes'](name, 0, ours);
          expect(hasSameBytes(ours, values), `${name} by our reader`).toBe(true);
        }
      });
    },
  );

  it('an Arrow file is read from any row to any row', () => {
    const path = pathOf('ranges.arrow');
    const rows = 2 * BATCH_ROWS + 100;
    const columns = sampleColumns(rows);
    writeArrowColumns(path, columns);
    withArrowFile(path, (file) => {
      for (const [from, to] of [
        [0, 1],
        [BATCH_ROWS - 1, BATCH_ROWS + 1],
        [5, rows],
        [rows, rows],
        [rows - 1, rows],
      ] as const) {
        const part = new Float64Array(to - from);
        file.readFloats('close', from, part);
        expect(hasSameBytes(part, columns[1]!.values.slice(from, to))).toBe(true);
        file.readTimes('open_time', from, part);
        expect(hasSameBytes(part, columns[0]!.values.slice(from, to))).toBe(true);
      }
      expect(file.rowAt('open_time', 1_700_000_000_000 + 70_000 * 60_000)).toBe(70_000);
      expect(file.rowAt('open_time', 1_700_000_000_000 + 70_000 * 60_000 + 1)).toBe(70_001);
      expect(file.rowAt('open_time', -Infinity)).toBe(0);
      expect(file.rowAt('open_time', Infinity)).toBe(rows);
      expect(() => file.readFloats('close', 1, new Float64Array(rows))).toThrow(RangeError);
    });
  });

  it('an Arrow file that apache-arrow wrote is read by our reader', () => {
    const values = Float64Array.from({ length: 5000 }, (_, i) => i * 0.1);
    const time = vectorFromArray([...values.keys()], new TimestampMillisecond('UTC'));
    const theirs = new Table({ time, x: makeVector(values), n: vectorFromArray([...values.keys()], new Int32()) });
    writeFileSync(pathOf('theirs.arrow'), tableToIPC(theirs, 'file'));
    withArrowFile(pathOf('theirs.arrow'), (file) => {
      const read = new Float64Array(5000);
      file.readFloats('x', 0, read);
      expect(read).toEqual(values);
      file.readTimes('time', 0, read);
      expect([...read]).toEqual([...values.keys()]);
    });
  });

  it('an Arrow file written batch by batch, with metadata that came last, has the bytes of one written at once', () => {
    const columns = sampleColumns(BATCH_ROWS + 5);
    const metadata = (hash: string) => ({ name: 'Grüße', hash });
    writeArrowColumns(pathOf('once.arrow'), columns, metadata('f00d'));
    const handle = openSync(pathOf('batches.arrow'), 'w+');
    const writer = new ArrowWriter(handle, columns, metadata('0000'));
    writer.writeBatch(columns, 0, BATCH_ROWS);
    writer.writeBatch(columns, BATCH_ROWS, 5);
    writer.finish(metadata('0000'));
    const close = new Float64Array(BATCH_ROWS + 5);
    new ArrowFile(pathOf('batches.arrow'), handle, null).readFloats('close', 0, close);
    expect(hasSameBytes(close, columns[1]!.values)).toBe(true);
    writer.finish(metadata('f00d'));
    expect(readFileSync(pathOf('batches.arrow')).equals(readFileSync(pathOf('once.arrow')))).toBe(true);
    expect(() => writer.finish(metadata(`f00d${'0'.repeat(64)}`))).toThrow(InvariantError);
    closeSync(handle);
  });

  it('an Arrow file is written whole or not at all', () => {
    const shared = new Float64Array(8);
    const bad = pathOf('bad.arrow');
    expect(() => writeArrowColumns(bad, columnPair(shared, shared))).toThrow(InvariantError);
    expect(() => writeArrowColumns(bad, columnPair(shared.subarray(0, 5), shared.subarray(3)))).toThrow('the columns a and b share memory');
    expect(() => writeArrowColumns(bad, columnPair(new Float64Array(3), new Float64Array(4)))).toThrow('column b has 4 rows');
    expect(() => writeArrowColumns(join(pathOf('ranges.arrow'), 'x.arrow'), columnPair(new Float64Array(3), new Float64Array(3)))).toThrow(
      ConfigError,
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('bad') || name.endsWith('.tmp'))).toEqual([]);
    writeArrowColumns(pathOf('halves.arrow'), columnPair(shared.subarray(0, 4), shared.subarray(4)));
  });

  it('an Arrow file that is damaged, foreign or compressed is refused with a reason', () => {
    const whole = pathOf('whole.arrow');
    const read = () => withArrowFile(whole, (file) => file.readFloats('close', 0, new Float64Array(file.rows)));
    for (const cut of [0, 3, 30, 700, 5000]) {
      writeArrowColumns(whole, sampleColumns(1000));
      truncateSync(whole, cut);
      expect(read, `cut at ${cut}`).toThrow(ConfigError);
    }
    writeFileSync(whole, tableToIPC(makeTable({ close: new Float32Array(3) }), 'file'));
    expect(read).toThrow('expected a column close of type float64, found close (another type)');
    writeFileSync(whole, tableToIPC(new Table({ close: vectorFromArray([1, null], new Float64()) }), 'file'));
    expect(read).toThrow('empty values in column close');
    writeArrowColumns(whole, [{ name: 'x', kind: 'float64', values: new Float64Array(3) }]);
    expect(read).toThrow('expected a column close of type float64, found x (float64)');
  });

  it('an Arrow file is read by pandas and polars', ({ skip }) => {
    const path = pathOf('python.arrow');
    writeArrowColumns(path, sampleColumns(BATCH_ROWS + 3), { symbol: 'BTCUSDT' });
    const script = `
import sys, polars, pandas
a = polars.read_ipc(sys.argv[1]); b = pandas.read_feather(sys.argv[1])
print(a.schema['open_time'], len(a), a['close'].to_list() == b['close'].to_list(), a['bars_in'][-1], a['open_time'][1].isoformat())
print(b['open_time'].dtype, len(b), b['open_time'][1].isoformat(), b['bars_in'].dtype)`;
    const text = runPython(['polars', 'pandas', 'pyarrow'], script, path);
    skip(text === null);
    expect(text).toEqual([
      `Datetime(time_unit='ms', time_zone='UTC') 65539 True 65533 2023-11-14T22:14:20+00:00`,
      'datetime64[ms, UTC] 65539 2023-11-14T22:14:20+00:00 int32',
    ]);
  });
});
