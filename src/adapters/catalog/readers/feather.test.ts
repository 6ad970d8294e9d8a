// Tests feather files as freqtrade writes them: two files that are checked in, and what pandas and polars write if installed.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { barsFrom, plainCsv } from '../../../../test/fixtures/barFiles.ts';
import { freqtradeFile } from '../../../../test/fixtures/freqtradeFiles.ts';
import { runPython } from '../../../../test/fixtures/python.ts';
import { RAW } from '../files/columns.ts';
import { readBarFile } from './readBars.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-feather-'));
afterAll(() => rmSync(folder, { recursive: true }));
const START_MS = Date.UTC(2025, 0, 1);

/** Reads a file, and returns the hashes of its columns and the figures seen in them. */
async function columnsOf(path: string) {
  const rules = {
    file: path,
    interval: '1h',
    priceDigits: null,
    roundToTick: false,
    skipBad: false,
    baseAsset: null,
    format: null,
  } as const;
  const { columns, seen } = await readBarFile(path, rules);
  return { seen, sha256: RAW.map((name) => createHash('sha256').update(columns[name]).digest('hex')) };
}

it.each(['lz4', 'zstd'] as const)('a file that freqtrade wrote is read like the same bars in CSV: %s', async (codec) => {
  const path = join(folder, codec);
  const plain = join(folder, 'plain');
  writeFileSync(path, freqtradeFile(codec));
  writeFileSync(plain, plainCsv(barsFrom(START_MS, 60, '1h')));
  expect(await columnsOf(path)).toEqual(await columnsOf(plain));
});

// More rows than a batch, so that compressed blocks and batches both occur in numbers.
const WRITE_SCRIPT = `
import sys, os
import pandas as pd, polars as pl
folder, source = sys.argv[1], sys.argv[2]
df = pd.read_csv(source)
df['date'] = pd.to_datetime(df.pop('open_time_ms'), unit='ms', utc=True)
df = df[['date', 'open', 'high', 'low', 'close', 'volume']]
at = lambda name: os.path.join(folder, name + '.feather')
for codec in ('lz4', 'zstd', 'uncompressed'):
    for unit in ('ms', 'us', 'ns', 's'):
        df.astype({'date': f'datetime64[{unit}, UTC]'}).to_feather(at(f'pandas-{codec}-{unit}'), compression=codec)
    pl.from_pandas(df).with_columns(pl.lit('spot').alias('kind')).write_ipc(at(f'polars-{codec}'), compression=codec)
    df.to_feather(at(f'chunks-{codec}'), compression=codec, chunksize=1000)
for unit in ('s', 'ms', 'us', 'ns'):
    df.assign(date=df['date'].astype(f'datetime64[{unit}, UTC]').astype('int64')).to_feather(at(f'integers-{unit}'), compression='lz4')
wide = df.assign(quote=df['close'] * df['volume'], pair='BTC/USDT', trades=7)
wide.to_feather(at('wide'))
for name in sorted(os.listdir(folder)):
    if name.endswith('.feather'): print(name)
`;

// Columns that bars do not have: a list, and a second close.
const OTHER_COLUMNS_SCRIPT = `
import sys, os
import pyarrow as pa, pyarrow.feather as feather
columns = [pa.array([1704067200000])] + [pa.array([1.0])] * 5
names = ['open_time', 'open', 'high', 'low', 'close', 'volume']
for name, column in (('tags', pa.array([['a']])), ('close', pa.array([2.0]))):
    table = pa.Table.from_arrays(columns + [column], names=names + [name])
    feather.write_feather(table, os.path.join(sys.argv[1], name + '.other'))
print('written')
`;

it('a feather file with a column that cannot be stepped over, or with a column twice, is rejected by the name of the column', async ({
  skip,
}) => {
  skip(runPython(['pyarrow'], OTHER_COLUMNS_SCRIPT, folder) === null);
  await expect(columnsOf(join(folder, 'tags.other'))).rejects.toThrow('cannot step over column tags, such as one of lists');
  await expect(columnsOf(join(folder, 'close.other'))).rejects.toThrow('column close is there more than once');
});

it('feather files written by pandas and polars are read', async ({ skip }) => {
  const plain = join(folder, 'many.csv');
  writeFileSync(plain, plainCsv(barsFrom(START_MS, 20_000, '1h')));
  const names = runPython(['pandas', 'polars', 'pyarrow'], WRITE_SCRIPT, folder, plain);
  skip(names === null);
  expect(names).toHaveLength(23);
  const expected = await columnsOf(plain);
  for (const name of names ?? []) expect(await columnsOf(join(folder, name)), name).toEqual(expected);
});
