// Tests external series in the catalog: what is read from which file, what is kept, what is rejected, and which changes are found.

import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { writeArrowColumns } from '../arrow/arrowWriter.ts';
import { importExternal, type ExternalImport } from './importExternal.ts';
import { listExternal, externalManifestPath, externalPath } from './externalSeries.ts';
import { checkExternal, loadExternal, readExternalManifest } from './externalStore.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-external-'));
afterAll(() => rmSync(folder, { recursive: true }));
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = Date.UTC(2024, 0, 1);
let fileCount = 0;

/** Writes a file under a name that no other test uses. */
function newFile(text: string | Buffer, name = 'oi.csv'): string {
  const path = join(folder, `${++fileCount}-${name}`);
  writeFileSync(path, text);
  return path;
}
const newCatalog = (): string => join(folder, `catalog-${++fileCount}`);
const OPEN_INTEREST = { name: 'openInterest', time: 't', knownAt: 'k' } as const;
const importRows = (paths: readonly string[], options: Partial<ExternalImport> = {}) =>
  importExternal(paths, { catalog: newCatalog(), ...OPEN_INTEREST, ...options });
/** Rows of the catalog: time and known-at in hours since the start, and the value. */
function storedRows(catalog: string, symbol: string | null = null, name = 'openInterest'): number[][] {
  const { columns } = loadExternal(catalog, { name, symbol })!;
  return Array.from({ length: columns.length }, (_, row) => [
    (columns.timeMs[row]! - START_MS) / HOUR_MS,
    (columns.knownMs[row]! - START_MS) / HOUR_MS,
    columns.value[row]!,
  ]);
}
const iso = (hour: number): string => new Date(START_MS + hour * HOUR_MS).toISOString();
const csv = (rows: readonly (readonly [number, number, string])[], head = 't,k,openInterest'): string =>
  [head, ...rows.map(([time, known, value]) => `${iso(time)},${iso(known)},${value}`)].join('\n');

describe('an import', () => {
  it('an import keeps every revision, by the time at which it became known, with lateness and gaps', async () => {
    const catalog = newCatalog();
    const rows = [[3, 3.5, '7'], [0, 0.25, '1'], [1, 1.5, '2'], [0, 2, '1.5'], [5, 9, '9'], [2, 2.25, '-3e2']] as const; // prettier-ignore
    const done = await importRows([newFile(csv(rows))], { catalog });
    expect(storedRows(catalog)).toEqual([[0, 0.25, 1], [1, 1.5, 2], [0, 2, 1.5], [2, 2.25, -300], [3, 3.5, 7], [5, 9, 9]]); // prettier-ignore
    expect(done).toMatchObject({ fileRows: 6, newRows: 6 });
    expect(done.manifest).toMatchObject({
      kind: 'number',
      rows: 6,
      times: 5,
      revisions: 1,
      first: iso(0),
      last: iso(5),
      firstKnown: iso(0.25),
      lastKnown: iso(9),
      lateness: { minMs: 15 * MINUTE_MS, medianMs: 30 * MINUTE_MS, maxMs: 4 * HOUR_MS },
      usualStepMs: HOUR_MS,
      gaps: 1,
      missing: 1,
      gapList: [{ from: iso(3), to: iso(5) }],
    });
    expect(JSON.parse(readFileSync(externalManifestPath(catalog, { name: 'openInterest', symbol: null }), 'utf8'))).toEqual(done.manifest);
  });

  it('an import joins files with earlier imports, adds no row twice, and writes the same bytes in any order', async () => {
    const rng = seededRng(4);
    const rows = Array.from({ length: 500 }, (_, at) => [at % 170, at + rng.next() / 3, String(rng.next())] as const);
    const atOnce = newCatalog();
    const inParts = newCatalog();
    await importRows([newFile(csv(rows))], { catalog: atOnce });
    await importRows([newFile(csv(rows.toReversed().slice(0, 300)))], { catalog: inParts });
    const last = await importRows([newFile(csv(rows.slice(0, 250))), newFile(csv(rows))], { catalog: inParts });
    expect(last).toMatchObject({ fileRows: 750, newRows: 200 });
    const key = { name: 'openInterest', symbol: null };
    expect(readFileSync(externalPath(inParts, key))).toEqual(readFileSync(externalPath(atOnce, key)));
    expect(await importRows([newFile(csv(rows))], { catalog: inParts })).toMatchObject({ newRows: 0, manifest: { rows: 500 } });
  });

  it('an import reads decimal commas, tabs, quotes, gzip, any line end, Unix times and one column among others', async () => {
    const expected = [[0, 1, 1.5], [1, 2, 2]]; // prettier-ignore
    const texts: readonly (readonly [string | Buffer, Partial<ExternalImport>])[] = [
      ['t;k;openInterest\n2024-01-01;2024-01-01 01:00;1,5\n2024-01-01 01:00;2024-01-01 02:00;2\n', {}],
      ['\uFEFFt\tk\tx\r\n2024-01-01\t2024-01-01 01:00\t1.5\r\n2024-01-01 01:00\t2024-01-01 02:00\t2,0\r\n'.replace('2,0', '2.0'), {}],
      ['"k","note","t","value"\n"2024-01-01 02:00+01:00","a, ""b""","2024-01-01","1.5"\n1704074400,,1704070800,2', {}],
      [gzipSync(`t,k,a,b\r${START_MS},${START_MS + HOUR_MS},9,1.5\r${START_MS + HOUR_MS},${START_MS + 2 * HOUR_MS},9,2`), { value: 'b' }],
    ];
    for (const [text, options] of texts) {
      const catalog = newCatalog();
      await importRows([newFile(text)], { catalog, ...options });
      expect(storedRows(catalog), String(text).slice(0, 40)).toEqual(expected);
    }
  });

  it('an import reads the times and values of an Arrow file', async () => {
    const path = join(folder, 'oi.feather');
    writeArrowColumns(path, [
      { name: 't', kind: 'timestamp', values: Float64Array.of(START_MS) },
      { name: 'k', kind: 'timestamp', values: Float64Array.of(START_MS + 5) },
      { name: 'openInterest', kind: 'float64', values: Float64Array.of(3) },
    ]);
    const catalog = newCatalog();
    await importRows([path], { catalog });
    const { columns } = loadExternal(catalog, { name: 'openInterest', symbol: null })!;
    expect([...columns.timeMs]).toEqual([START_MS]);
    expect([...columns.knownMs]).toEqual([START_MS + 5]);
  });

  it('a value that was known within a ms counts as known from the next ms on', async () => {
    const catalog = newCatalog();
    await importRows([newFile('t,k,value\n2024-01-01 01:00:00.000900,2024-01-01 01:00:00.000100,4\n')], { catalog });
    const { columns } = loadExternal(catalog, { name: 'openInterest', symbol: null })!;
    expect([...columns.timeMs]).toEqual([START_MS + HOUR_MS]);
    expect([...columns.knownMs]).toEqual([START_MS + HOUR_MS + 1]);
  });

  it('an import reads flags, separates symbols, and may use one column for both times', async () => {
    const catalog = newCatalog();
    const done = await importRows([newFile('t,up\n2024-01-01,true\n2024-01-02,False\n')], {
      catalog,
      name: 'up',
      knownAt: 't',
      symbol: 'BTCUSDT',
    });
    await importRows([newFile('t,up\n2024-01-01,false\n')], { catalog, name: 'up', knownAt: 't', symbol: 'ETHUSDT' });
    expect(done.manifest).toMatchObject({ kind: 'flag', symbol: 'BTCUSDT', lateness: { maxMs: 0 } });
    expect(listExternal(catalog)).toEqual([{ name: 'up', symbol: 'BTCUSDT' }, { name: 'up', symbol: 'ETHUSDT' }]); // prettier-ignore
    expect(storedRows(catalog, 'BTCUSDT', 'up')).toEqual([[0, 0, 1], [24, 24, 0]]); // prettier-ignore
    const numbers = importRows([newFile('t,up\n2024-01-03,1\n')], { catalog, name: 'up', knownAt: 't', symbol: 'BTCUSDT' });
    await expect(numbers).rejects.toThrow(/its values are numbers, those of .*up@BTCUSDT.arrow flags/);
  });

  it.each([
    ['t,k,openInterest\n2024-01-01,2024-01-01,x\n', ':2: expected a number, true or false, got "x"'],
    ['t,k,openInterest\n2024-01-01,2024-01-01,\n', ':2: expected a number, true or false, got ""'],
    ['t,k,openInterest\n2024-01-01,2024-01-01,NaN\n', ':2: expected a number'],
    ['t,k,openInterest\n2024-01-01,2024-01-01,1e999\n', ':2: the value is too large'],
    ['t,k,openInterest\n2024-01-01,2024-01-01,1,5\n', ':2: expected 3 cells as in the header, got 4'],
    ['t,k,openInterest\n2024-01-01,2024-01-01,1\n2024-01-01,never,1\n', ':3: expected the time at which it was known, got "never"'],
    ['t,k,openInterest\n01/02/2024,2024-01-01,1\n', ':2: expected a time, got "01/02/2024"'],
    ['t,k,openInterest\n1999-01-01,2024-01-01,1\n', ':2: expected a time of the years 2000 to 2099'],
    ['t,k,openInterest\n2024-01-01,2024-01-01,1\n2024-01-02,2024-01-02,true\n', ':3: expected a number as in the rows before, got a flag'],
    ['t;k;openInterest\n2024-01-01;2024-01-01;1,5\n2024-01-02;2024-01-02;1.5\n', ':3: the decimal sign before was ","'],
    [
      't,k,openInterest\n2024-01-01,2024-01-01,1\n2024-01-01,2024-01-01,2\n',
      /-oi.csv:3: the value of 2024-01-01.* is 2, but 1 in .*-oi.csv:2/,
    ],
    ['t,known,openInterest\n2024-01-01,2024-01-01,1\n', 'expected a column k (--known-at), found t, known, openInterest'],
    ['t,k,a,b\n2024-01-01,2024-01-01,1,2\n', 'expected a column openInterest or value, or one column beside the times'],
    ['t,k,k,value\n2024-01-01,2024-01-01,1,2\n', 'expected one column k, got several'],
    ['t,k,openInterest\n', 'there are no rows in it'],
    ['{"a": 1}', 'expected text with a header'],
    ['PAR1....', 'not a whole Parquet file'],
  ])('an import refuses %j and stores nothing', async (text, message) => {
    const catalog = newCatalog();
    await expect(importRows([newFile('t,k,value\n2024-01-01,2024-01-01,1\n'), newFile(text)], { catalog })).rejects.toThrow(message);
    expect(listExternal(catalog)).toEqual([]);
    expect(existsSync(catalog)).toBe(false);
  });

  it.each([
    [{ name: '9x' }, '--name: expected a letter'],
    [{ name: '../x' }, '--name: expected a letter'],
    [{ symbol: 'btc' }, 'symbol: expected capital letters'],
  ])('an import refuses the names %j', async (options, message) => {
    await expect(importRows([newFile('t,k,v\n2024-01-01,2024-01-01,1\n')], options)).rejects.toThrow(message);
  });

  it('an import refuses a name that differs by capitals alone, which are one file on some disks', async () => {
    const catalog = newCatalog();
    await importRows([newFile('t,k,v\n2024-01-01,2024-01-01,1\n')], { catalog });
    const other = importRows([newFile('t,k,v\n2024-01-01,2024-01-01,1\n')], { catalog, name: 'OpenInterest' });
    await expect(other).rejects.toThrow('the catalog has a series openInterest');
  });
});

it('a file that another program has changed fails the check, and no run loads it', async () => {
  const catalog = newCatalog();
  await importRows([newFile(csv([[0, 1, '101'], [1, 2, '102']]))], { catalog }); // prettier-ignore
  const key = { name: 'openInterest', symbol: null };
  expect(checkExternal(catalog, key)).toMatchObject({ unchanged: true, wrong: 0 });
  const path = externalPath(catalog, key);
  const bytes = readFileSync(path);
  bytes.set(Buffer.from(new Float64Array([100.5]).buffer), bytes.indexOf(Buffer.from(new Float64Array([101]).buffer)));
  writeFileSync(path, bytes);
  expect(checkExternal(catalog, key)).toMatchObject({ unchanged: false, wrong: 0 });
  expect(() => loadExternal(catalog, key)).toThrow('its bytes have changed since isobar wrote it');
});

it('a manifest that is missing or damaged is written again', async () => {
  const catalog = newCatalog();
  const { manifest } = await importRows([newFile(csv([[0, 1, '1']]))], { catalog });
  const key = { name: 'openInterest', symbol: null };
  for (const text of ['{', '[]', '']) {
    writeFileSync(externalManifestPath(catalog, key), text);
    expect(readExternalManifest(catalog, key)).toEqual(manifest);
  }
  rmSync(externalManifestPath(catalog, key));
  expect(readExternalManifest(catalog, key)).toEqual(manifest);
});
