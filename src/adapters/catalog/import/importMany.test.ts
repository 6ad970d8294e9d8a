// Tests the import of many files: the split of a series does not matter, no file is read twice, and bad rows are set aside.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  barsFrom,
  binanceCsv,
  downloadedCsv,
  feather,
  klinesJson,
  plainCsv,
  zipOf,
  type FileBar,
} from '../../../../test/fixtures/barFiles.ts';
import { checkBars, loadBars } from '../bars/catalog.ts';
import { importsPath, rejectsPath, stagingPath, type BarKey } from '../files/paths.ts';
import { importFiles } from './importFiles.ts';
import type { ImportOptions } from './importResult.ts';
import { recordImports } from '../bars/importRecord.ts';

const START_MS = Date.UTC(2024, 0, 1);
const BAR_KEY: BarKey = { market: 'spot', symbol: 'BTCUSDT', interval: '1m' };

let folder = '';
const folders: string[] = [];
beforeEach(() => {
  folders.push((folder = mkdtempSync(join(tmpdir(), 'isobar-many-'))));
});
afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

const catalog = () => join(folder, 'data');
const importAll = async (files: readonly string[], options: Partial<ImportOptions> = {}) => {
  const [set] = await importFiles(files, { catalog: catalog(), nowMs: Date.UTC(2026, 0, 1), ...options });
  return set!;
};

/** Writes a file of the test, and returns its path. */
function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
/** Returns the hash of each file below a path, by name. The lists of imported files are left out, because they contain their names. */
function bytesOf(path: string): Record<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (item) => item.isFile() && !item.name.endsWith('.imports.json'),
  );
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return Object.fromEntries(
    entries.map(({ parentPath, name }) => [join(parentPath, name).slice(path.length), hash(join(parentPath, name))]),
  );
}

const FILE_FORMS: readonly (readonly [end: string, (bars: readonly FileBar[]) => string | Uint8Array])[] = [
  ['csv', plainCsv],
  ['zip', (bars) => zipOf({ 'a.csv': binanceCsv(bars, '1m', { us: true }) })],
  ['d.csv', (bars) => downloadedCsv(bars, 's')],
  ['json', (bars) => klinesJson(bars, 'futures')],
  ['feather', (bars) => feather(bars, 'lz4')],
];

describe('a series in many files', () => {
  it('a series in many files makes the same catalog for any split, order and format of the files', async () => {
    // With gaps, and figures that not every part has: digits and extremes are those of all files together.
    const bars = barsFrom(START_MS, 120).filter((_, i) => i % 17 !== 3);
    const wholeSet = await importAll([write('BTCUSDT-1m.csv', plainCsv(bars))], { catalog: join(folder, 'whole') });
    const expected = bytesOf(join(folder, 'whole'));
    expect(Object.keys(expected).toSorted()).toEqual([
      '/spot/BTCUSDT/1m.arrow',
      '/spot/BTCUSDT/1m.gaps.json',
      '/spot/BTCUSDT/instrument.json',
    ]);
    const partArbitrary = fc.record({
      from: fc.nat(bars.length - 1),
      length: fc.integer({ min: 1, max: 60 }),
      form: fc.nat(FILE_FORMS.length - 1),
    });
    let round = 0;
    const property = fc.asyncProperty(
      fc.array(partArbitrary, { maxLength: 6 }),
      fc.integer({ min: 1, max: bars.length - 1 }),
      fc.infiniteStream(fc.nat()),
      async (extraParts, middle, order) => {
        const parts = [
          { from: 0, length: middle, form: 0 },
          { from: middle, length: bars.length, form: round % FILE_FORMS.length },
          ...extraParts,
        ];
        const partFolder = join(folder, `many${round++}`);
        mkdirSync(partFolder);
        const files = parts.map(({ from, length, form }, i) => {
          const [end, text] = FILE_FORMS[form]!;
          const path = join(partFolder, `BTCUSDT-1m-${2000 + i}-01.${end}`);
          writeFileSync(path, text(bars.slice(from, from + length)));
          return { path, rank: order.next().value };
        });
        const names = files.toSorted((a, b) => a.rank - b.rank).map(({ path }) => path);
        const set = await importAll(names, { catalog: join(partFolder, 'data') });
        expect(bytesOf(join(partFolder, 'data'))).toEqual(expected);
        const rows = parts.reduce((sum, { from, length }) => sum + Math.min(length, bars.length - from), 0);
        expect(set).toMatchObject({ newRows: bars.length, fileRows: rows, manifest: wholeSet.manifest });
        // Rows of a copy of a file count as repeated, too.
        expect(set.repeatedRows).toBe(rows - bars.length);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('a series in many files reports what is missing between the files', async () => {
    const part = (from: number, to: number) => write(`BTCUSDT-1m-${2020 + from}-01.csv`, plainCsv(barsFrom(START_MS, 200).slice(from, to)));
    const files = [part(150, 200), part(0, 60), part(60, 100)];
    expect((await importAll(files)).fileGaps).toEqual([{ after: files[2], before: files[0], afterMs: START_MS + 99 * 60_000, bars: 50 }]);
  });

  it('a series in many files of several intervals proposes the record from the shortest, whose prices have the most digits', async () => {
    const coarse = barsFrom(START_MS, 3, '1h').map(({ ms }) => ({ ms, open: 100, high: 100, low: 100, close: 100, volume: 1 }));
    const files = [write('BTCUSDT-1h.csv', plainCsv(coarse)), write('BTCUSDT-1m.csv', plainCsv(barsFrom(START_MS, 60)))];
    const sets = await importFiles(files, { catalog: catalog(), nowMs: Date.UTC(2026, 0, 1) });
    expect(sets.map(({ interval, instrumentFrom, instrument }) => [interval, instrumentFrom, instrument.priceDigits])).toEqual([
      ['1h', 'catalog', 2],
      ['1m', 'proposed', 2],
    ]);
  });
});

describe('a file that was read', () => {
  const bars = barsFrom(START_MS, 90);
  const parts = () => [0, 1, 2].map((i) => write(`BTCUSDT-1m-2024-0${i + 1}.csv`, plainCsv(bars.slice(i * 30, (i + 1) * 30))));

  it('a file that was read is not read again while the catalog has its rows, not even under another name', async () => {
    const files = parts();
    await importAll(files.slice(0, 2));
    const before = bytesOf(catalog());
    const copy = write('BTCUSDT-1m-2023-01.csv', readFileSync(files[0]!));
    expect(await importAll([...files.slice(0, 2), copy])).toMatchObject({
      knownFiles: [...files.slice(0, 2), copy],
      fileRows: 0,
      newRows: 0,
      manifest: { rows: 60 },
    });
    expect(bytesOf(catalog())).toEqual(before);
    expect(await importAll(files)).toMatchObject({ knownFiles: files.slice(0, 2), fileRows: 30, newRows: 30, manifest: { rows: 90 } });
    // A file that has grown is a new file.
    write('BTCUSDT-1m-2024-03.csv', plainCsv(barsFrom(START_MS, 95).slice(60)));
    expect(await importAll(files)).toMatchObject({ knownFiles: files.slice(0, 2), fileRows: 35, newRows: 5 });
  });

  it('a file that was read is read again when the stored bars are missing, or the list of imported files is damaged', async () => {
    const files = parts();
    await importAll(files);
    writeFileSync(importsPath(catalog(), BAR_KEY), '{ "format": ');
    expect(await importAll(files)).toMatchObject({ knownFiles: [], fileRows: 90, newRows: 0 });
    rmSync(join(catalog(), 'spot', 'BTCUSDT', '1m.arrow'));
    expect(await importAll(files)).toMatchObject({ knownFiles: [], fileRows: 90, newRows: 90 });
  });

  it('a file that was read stays known if the import ended before its bars were stored, until other bars are stored', async () => {
    const files = parts();
    await importAll(files.slice(0, 1));
    const knownFileCount = async () => (await importAll(files.slice(0, 1))).knownFiles.length;
    expect(() =>
      recordImports(catalog(), BAR_KEY, { dataSha256: 'of bars that never came', files: [] }, () => {
        throw new Error('cut');
      }),
    ).toThrow('cut');
    expect(await knownFileCount()).toBe(1);
    recordImports(catalog(), BAR_KEY, { dataSha256: 'of bars that are elsewhere', files: [] }, () => {});
    expect(await knownFileCount()).toBe(0);
  });

  it('a file that was read is taken from the staging folder when another file has ended the import', async () => {
    const files = parts();
    const goodText = readFileSync(files[2]!, 'utf8');
    write('BTCUSDT-1m-2024-03.csv', `${goodText}x\n`);
    await expect(importAll(files)).rejects.toThrow(`${files[2]}:32: expected 6 columns, got 1`);
    expect(existsSync(join(catalog(), 'spot'))).toBe(false);
    expect(readdirSync(stagingPath(catalog(), BAR_KEY))).toHaveLength(2);
    write('BTCUSDT-1m-2024-03.csv', goodText);
    // A staged file that another program has changed is not used.
    const staged = readdirSync(stagingPath(catalog(), BAR_KEY)).map((name) => join(stagingPath(catalog(), BAR_KEY), name));
    const firstOpenBytes = Buffer.from(Float64Array.of(bars[0]!.open).buffer);
    const path = staged.find((name) => readFileSync(name).includes(firstOpenBytes))!;
    const damaged = readFileSync(path);
    damaged.writeDoubleLE(5, damaged.indexOf(firstOpenBytes));
    writeFileSync(path, damaged);
    const set = await importAll(files);
    expect(set.resumedFiles).toHaveLength(1);
    expect(set).toMatchObject({ newRows: 90, fileRows: 90 });
    expect([...loadBars(catalog(), BAR_KEY).bars.open]).toEqual(bars.map(({ open }) => open));
    expect(readdirSync(catalog())).toEqual(['spot']);
  });

  it('a file that was read with a coarser instrument record is read again with a finer one', async () => {
    const [file] = parts();
    const record = {
      base: 'BTC',
      quote: 'USDT',
      pricePrecision: 1,
      quantityPrecision: 3,
      minQuantity: '0.001',
      makerFee: '0.001',
      takerFee: '0.001',
    };
    const instrumentFile = (pricePrecision: number) => write('record.json', JSON.stringify({ ...record, pricePrecision }));
    await expect(importAll([file!], { instrumentFile: instrumentFile(1) })).rejects.toThrow(
      "finer than the instrument's precision of 1 digits",
    );
    const rounded = await importAll([file!], { instrumentFile: instrumentFile(1), roundToTick: true });
    expect(rounded.roundedPrices).toBeGreaterThan(0);
    // The stored bars were rounded, so they differ from those of the file.
    await expect(importAll([file!], { instrumentFile: instrumentFile(2) })).rejects.toThrow('differs from that of');
  });
});

describe('--skip-bad', () => {
  const lines = () => plainCsv(barsFrom(START_MS, 30)).split('\n');
  const rejects = () => readFileSync(rejectsPath(catalog(), BAR_KEY), 'utf8');

  it('--skip-bad sets bad rows aside with file, line and reason, and counts them permanently', async () => {
    const firstLines = lines();
    const secondLines = plainCsv(barsFrom(START_MS, 60).slice(20)).split('\n');
    firstLines[7] = 'x,"y"';
    secondLines[3] = firstLines[24]!.replace(/,[^,]*$/, ',-1');
    const files = [write('BTCUSDT-1m-2024-01.csv', firstLines.join('\n')), write('BTCUSDT-1m-2024-02.csv', secondLines.join('\n'))];
    await expect(importAll(files)).rejects.toThrow(`${files[0]}:8: expected 6 columns, got 2`);
    const set = await importAll(files, { skipBad: true });
    expect(set).toMatchObject({
      badRows: 2,
      rejectsPath: rejectsPath(catalog(), BAR_KEY),
      manifest: { rows: 59, missingBars: 1, rejectedRows: 2 },
    });
    expect(rejects()).toBe(
      `file,line,reason,text\n${files[0]},8,"expected 6 columns, got 2","x,""y"""\n` +
        `${files[1]},4,"volume: expected 0 or more, got ""-1""","${secondLines[3]}"\n`,
    );
    expect(checkBars(catalog(), BAR_KEY)).toMatchObject({ unchanged: true, manifest: { sha256: set.manifest.sha256, rejectedRows: 2 } });
    // A second import knows the files. Without the option, the bad row ends it again.
    expect(await importAll(files, { skipBad: true })).toMatchObject({ knownFiles: files, badRows: 0, manifest: { rejectedRows: 2 } });
    await expect(importAll(files)).rejects.toThrow(`${files[0]}:8: expected`);
    // The corrected file has no bad row.
    write('BTCUSDT-1m-2024-01.csv', lines().join('\n'));
    expect(await importAll(files, { skipBad: true })).toMatchObject({
      newRows: 1,
      badRows: 0,
      manifest: { rows: 60, missingBars: 0, rejectedRows: 1 },
    });
    expect(rejects().split('\n')).toHaveLength(3);
    write('BTCUSDT-1m-2024-02.csv', plainCsv(barsFrom(START_MS, 60).slice(20)));
    expect(await importAll(files)).toMatchObject({ newRows: 0, rejectsPath: null, manifest: { rejectedRows: 0 } });
    expect(existsSync(rejectsPath(catalog(), BAR_KEY))).toBe(false);
  });

  it('--skip-bad writes bad rows to the given path, but never over a file that is not a reject file', async () => {
    const badLines = lines();
    badLines[5] = 'x';
    const file = write('BTCUSDT-1m.csv', badLines.join('\n'));
    const other = write('notes.csv', 'mine\n');
    await expect(importAll([file], { skipBad: true, rejectsFile: other })).rejects.toThrow(
      `${other}: there is a file that is not a reject file`,
    );
    expect(readFileSync(other, 'utf8')).toBe('mine\n');
    expect(existsSync(catalog())).toBe(false);
    const rejectsFile = join(folder, 'bad.csv');
    expect(await importAll([file], { skipBad: true, rejectsFile })).toMatchObject({ badRows: 1, rejectsPath: rejectsFile });
    expect(readFileSync(rejectsFile, 'utf8').split('\n')).toHaveLength(3);
  });
});
