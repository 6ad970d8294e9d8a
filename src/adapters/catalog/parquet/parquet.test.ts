// Tests the Parquet reader on checked-in files, which test/fixtures/parquet/make.py wrote with pandas and pyarrow, and on damaged copies.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { ConfigError } from '../../../base/errors.ts';
import { packageFolder } from '../../runtime/version.ts';
import { readExternal, type ReadRows } from '../external/externalFile.ts';
import { readBarFile } from '../readers/readBars.ts';

const fixtures = join(packageFolder(), 'test/fixtures/parquet');
const folder = mkdtempSync(join(tmpdir(), 'isobar-parquet-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One row of the checked-in files. */
interface Row {
  readonly timeMs: number;
  readonly knownMs: number;
  readonly openInterest: number;
  readonly up: number;
  readonly count: number;
}
const ROWS = JSON.parse(readFileSync(join(fixtures, 'rows.json'), 'utf8')) as readonly Row[];
const pathOf = (name: string): string => join(fixtures, `${name}.parquet`);
const read = (path: string, value: string | null = null, time = 't', knownAt = 'k'): Promise<ReadRows> =>
  readExternal(path, { time, knownAt, value, series: 'openInterest' });
const listRows = ({ timeMs, knownMs, value }: ReadRows): number[][] => [...timeMs].map((ms, row) => [ms, knownMs[row]!, value[row]!]);
const expectedRows = (of: keyof Row): number[][] => ROWS.map((row) => [row.timeMs, row.knownMs, row[of]]);

describe('a series in a Parquet file', () => {
  it.each(['pandas', 'none', 'gzip', 'brotli', 'zstd', 'lz4', 'pages2', 'int96', 'micros', 'delta'])(
    'a series in a Parquet file has the rows that pandas wrote: %s',
    async (name) => {
      const rows = await read(pathOf(name));
      expect(rows.kind).toBe('number');
      expect(listRows(rows)).toEqual(expectedRows('openInterest'));
      expect(listRows(await read(pathOf(name), 'count'))).toEqual(expectedRows('count'));
      const flags = await read(pathOf(name), 'up');
      expect(flags.kind).toBe('flag');
      expect(listRows(flags)).toEqual(expectedRows('up'));
    },
  );

  it('a series in a Parquet file may have times as whole numbers of ms or s', async () => {
    for (const time of ['ms', 'seconds']) expect(listRows(await read(pathOf('pandas'), null, time))).toEqual(expectedRows('openInterest'));
  });

  it('a missing value, a column of text, and a column that is not there are refused with their place', async () => {
    await expect(read(pathOf('pandas'), 'some')).rejects.toThrow('pandas.parquet:8: expected a value, got none');
    await expect(read(pathOf('pandas'), 'text')).rejects.toThrow('column text: expected numbers');
    await expect(read(pathOf('pandas'), null, 'text')).rejects.toThrow('column text: expected times');
    await expect(read(pathOf('pandas'), 'none')).rejects.toThrow('expected a column none (--value), found t, k, openInterest');
  });
});

it('bars in a Parquet file are read with their times and prices', async () => {
  const file = join(fixtures, 'BTCUSDT-1m.parquet');
  const rules = { file, interval: '1m', priceDigits: null, roundToTick: false, skipBad: false, baseAsset: null, format: null } as const;
  const { columns, format, seen } = await readBarFile(file, rules);
  expect(format).toBe('parquet');
  expect(seen.priceDigits).toBe(2);
  expect([...columns.openMs]).toEqual(Array.from({ length: 50 }, (_, row) => Date.UTC(2026, 0, 1, 0, row)));
  expect([...columns.low]).toEqual(Array.from({ length: 50 }, (_, row) => 99.25 + row));
});

it('damaged files are refused as such, and none of them hangs', { timeout: 120_000 }, async () => {
  const seed = 411;
  const rng = seededRng(seed);
  const randomBelow = (limit: number): number => Math.floor(rng.next() * limit);
  const outcomes = { read: 0, refused: 0 };
  const damagedFile = join(folder, 'damaged.parquet');
  for (const name of ['pandas', 'gzip', 'zstd', 'lz4', 'brotli', 'pages2', 'delta', 'int96']) {
    const whole = readFileSync(pathOf(name));
    for (let round = 0; round < 60; round++) {
      const bytes = Buffer.from(whole);
      const length = round % 4 === 0 ? randomBelow(bytes.length) : bytes.length;
      // The first four bytes stay: they say that the file is Parquet.
      for (let change = 0; change <= round % 3; change++) {
        const position = 4 + randomBelow(bytes.length - 4);
        bytes[position] = randomBelow(256);
      }
      writeFileSync(damagedFile, bytes.subarray(0, length));
      try {
        await read(damagedFile);
        outcomes.read++;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw new Error(`seed ${seed}, ${name}, round ${round}`, { cause: error });
        outcomes.refused++;
      }
    }
  }
  expect(outcomes.refused).toBeGreaterThan(100);
});
