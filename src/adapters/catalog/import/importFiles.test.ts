// Tests the import of files into a catalog: names, joins, records, rounding, and that a rejected file changes nothing.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { processesHere } from '../../disk/processLock.ts';
import { loadBars, readInstrument, storeBars } from '../bars/catalog.ts';
import { type BarKey } from '../files/paths.ts';
import { synthesizeBars } from '../generate/generate.ts';
import { importFiles } from './importFiles.ts';
import type { ImportOptions } from './importResult.ts';
import { SYNTHETIC } from '../bars/barQuality.ts';

const START_MS = Date.UTC(2024, 0, 1);
const LATER_MS = Date.UTC(2025, 0, 1);
const BAR_KEY: BarKey = { market: 'spot', symbol: 'BTCUSDT', interval: '1m' };
const HEADER = 'open_time_ms,open,high,low,close,volume';
const barLine = (i: number, price = String(100 + i)) => `${START_MS + i * 60_000},${price},${price},${price},${price},1.5`;
const barLines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => barLine(from + i));

let folder = '';
const folders: string[] = [];
beforeEach(() => {
  folders.push((folder = mkdtempSync(join(tmpdir(), 'isobar-import-'))));
});
afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

/** Writes a file of bars with a header. */
function fileOf(rows: readonly string[], name = 'BTCUSDT-1m.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, [HEADER].concat(rows).join('\n'));
  return path;
}
const catalog = () => join(folder, 'data');
const importBars = (files: string | string[], options: Partial<ImportOptions> = {}) =>
  importFiles([files].flat(), { catalog: catalog(), nowMs: LATER_MS, ...options });
const storedMinutes = () => [...loadBars(catalog(), BAR_KEY).bars.openMs].map((ms) => (ms - START_MS) / 60_000);
/** Writes an instrument record, and returns its path. */
const instrumentFile = (record: Record<string, unknown> = {}) => {
  const path = join(folder, 'record.json');
  const whole = {
    base: 'BTC',
    quote: 'USDT',
    pricePrecision: 1,
    quantityPrecision: 3,
    minQuantity: '0.001',
    makerFee: '0.0002',
    takerFee: '0.0005',
    ...record,
  };
  writeFileSync(path, JSON.stringify(whole));
  return path;
};

/** Returns the bytes of every file below the catalog by name, without the lists of imported files. */
const snapshot = () =>
  existsSync(catalog())
    ? Object.fromEntries(
        readdirSync(catalog(), { recursive: true, withFileTypes: true })
          .filter((file) => file.isFile() && !file.name.endsWith('.imports.json'))
          .map((file) => [file.name, readFileSync(join(file.parentPath, file.name)).toString('base64')]),
      )
    : {};

describe('import', () => {
  it('import refuses a FIFO and a device, and does not wait for them', async () => {
    const fifo = join(folder, 'BTCUSDT-1m.csv');
    execFileSync('mkfifo', [fifo]);
    await expect(importBars(fifo)).rejects.toThrow(`${fifo}: expected a file, got a FIFO`);
    await expect(importBars('/dev/zero', { symbol: 'BTCUSDT', interval: '1m' })).rejects.toThrow(
      '/dev/zero: expected a file, got a device',
    );
    expect(snapshot()).toEqual({});
  });

  it('import refuses a socket', async () => {
    const path = join(folder, 'BTCUSDT-1m.csv');
    const server = createServer().listen(path);
    await once(server, 'listening');
    await expect(importBars(path)).rejects.toThrow(`${path}: cannot be read: it is a socket or a device`);
    server.close();
  });

  it('import stores bars and proposes an instrument record from them', async () => {
    const [set] = await importBars(fileOf([barLine(0, '100.10'), barLine(2, '99.5')]));
    expect(set).toMatchObject({
      ...BAR_KEY,
      instrumentFrom: 'proposed',
      fileRows: 2,
      newRows: 2,
      roundedPrices: 0,
      manifest: { rows: 2, gaps: 1, missingBars: 1, source: 'import' },
    });
    expect(set!.instrument).toMatchObject({ base: 'BTC', quote: 'USDT', priceDigits: 1, quantityDigits: 1, takerFeePpm: 1000 });
    expect([...loadBars(catalog(), BAR_KEY).bars.open]).toEqual([100.1, 99.5]);
  });

  it('import joins files of one call in order of time, and keeps other symbols apart', async () => {
    const files = [
      fileOf(barLines(60, 90), 'BTCUSDT-1m-2024-02.csv'),
      fileOf(barLines(0, 65), 'BTCUSDT-1m-2024-01.csv'),
      fileOf(barLines(0, 5), 'ETHUSDT-1m.csv'),
    ];
    const sets = await importBars(files);
    expect(sets.map((set) => [set.symbol, set.fileRows, set.newRows, set.manifest.gaps])).toEqual([
      ['BTCUSDT', 95, 90, 0],
      ['ETHUSDT', 5, 5, 0],
    ]);
    expect(storedMinutes()).toEqual(barLines(0, 90).map((_, i) => i));
  });

  it('import joins with the catalog, before, after and over what is there', async () => {
    await importBars(fileOf(barLines(50, 100)));
    expect((await importBars(fileOf(barLines(120, 130))))[0]).toMatchObject({
      newRows: 10,
      instrumentFrom: 'catalog',
      manifest: { rows: 60, gaps: 1, missingBars: 20 },
    });
    expect((await importBars(fileOf(barLines(0, 60))))[0]).toMatchObject({ newRows: 50, manifest: { rows: 110 } });
    expect((await importBars(fileOf(barLines(90, 125))))[0]).toMatchObject({ newRows: 20, manifest: { rows: 130, gaps: 0 } });
    const before = snapshot();
    expect((await importBars(fileOf(barLines(3, 9))))[0]).toMatchObject({ fileRows: 6, newRows: 0 });
    expect(snapshot()).toEqual(before);
    expect(storedMinutes()).toEqual(barLines(0, 130).map((_, i) => i));
  });

  it('import refuses rows that differ from those of the same time, naming the first', async () => {
    await importBars(fileOf(barLines(0, 10)));
    const before = snapshot();
    const file = fileOf([...barLines(0, 4), barLine(4, '7'), barLine(5, '8')]);
    await expect(importBars(file)).rejects.toThrow(
      `${file}:6: the bar of 2024-01-01T00:04:00.000Z differs from that of ${catalog()}/spot/BTCUSDT/1m.arrow: open 7 against 104`,
    );
    expect(snapshot()).toEqual(before);
    const a = fileOf([barLine(0)], 'ETHUSDT-1m-2024-01.csv');
    const b = fileOf([barLine(0, '5')], 'ETHUSDT-1m-2024-02.csv');
    await expect(importBars([a, b])).rejects.toThrow(
      `${b}:2: the bar of 2024-01-01T00:00:00.000Z differs from that of ${a}:2: open 5 against 100`,
    );
  });

  it('import lets a later file restate a last bar that had not closed', async () => {
    const nowMs = START_MS + 9.5 * 60_000;
    expect((await importBars(fileOf(barLines(0, 10)), { nowMs }))[0]!.manifest.openLastBar).toBe(true);
    expect(loadBars(catalog(), BAR_KEY).quality.openLastBar).toBe(true);
    const [set] = await importBars(fileOf([...barLines(0, 9), barLine(9, '5'), barLine(10)]));
    expect(set).toMatchObject({ newRows: 1, manifest: { openLastBar: false, rows: 11 } });
    expect(loadBars(catalog(), BAR_KEY).bars.close[9]).toBe(5);
    // In the reverse order, an old download does not replace a closed bar.
    await importBars(fileOf([...barLines(3, 9), barLine(9, '4')]), { nowMs });
    expect(loadBars(catalog(), BAR_KEY).bars.close[9]).toBe(5);
    expect(loadBars(catalog(), BAR_KEY).quality.openLastBar).toBe(false);
  });
});

describe('the record of an import', () => {
  it('the record of an import gets more price digits from finer prices, and keeps its other fields', async () => {
    await importBars(fileOf(barLines(0, 3)), { instrumentFile: instrumentFile() });
    const [set] = await importBars(fileOf([barLine(3, '100.1'), barLine(4, '100.25')]));
    expect(set).toMatchObject({ instrumentFrom: 'catalog', digitsBefore: 1, instrument: { priceDigits: 2, takerFeePpm: 500 } });
    expect(loadBars(catalog(), BAR_KEY).bars.close.at(-1)).toBe(100.25);
    expect(readInstrument(catalog(), 'spot', 'BTCUSDT')).toMatchObject({ priceDigits: 2, takerFeePpm: 500 });
    // The coarser bars are the same prices in finer ticks, and a file of them changes nothing.
    expect((await importBars(fileOf([barLine(5, '100.1')])))[0]).toMatchObject({ digitsBefore: 2, instrument: { priceDigits: 2 } });
    const tooFine = fileOf([barLine(6, '99999999999.12345')]);
    await expect(importBars(tooFine)).rejects.toThrow('finer than exact money can be');
    expect(loadBars(catalog(), BAR_KEY).bars.length).toBe(6);
  });

  it('the record of an import, if given with the files, rejects finer prices with row and column, or rounds them', async () => {
    await importBars(fileOf([barLine(0, '100.1')]));
    const file = fileOf([barLine(1, '100.1'), barLine(2, '100.25')]);
    await expect(importBars(file, { instrumentFile: instrumentFile() })).rejects.toThrow(
      `${file}:3 open: "100.25" is finer than the instrument's precision of 1 digits`,
    );
    const [set] = await importBars(file, { roundToTick: true });
    expect(set).toMatchObject({ roundedPrices: 4, manifest: { roundedPrices: 4 } });
    expect([...loadBars(catalog(), BAR_KEY).bars.close]).toEqual([100.1, 100.1, 100.3]);
    expect(loadBars(catalog(), BAR_KEY).quality.roundedPrices).toBe(4);
    // The same rows again are the same rounded prices, not more of them.
    expect((await importBars(file, { roundToTick: true }))[0]!.manifest.roundedPrices).toBe(4);
  });

  it('the record of an import can be given by a file, which the catalog then keeps', async () => {
    const [set] = await importBars(fileOf(barLines(0, 3)), { instrumentFile: instrumentFile() });
    expect(set).toMatchObject({
      instrumentFrom: 'file',
      instrument: { priceDigits: 1, minLots: 1, makerFeePpm: 200, takerFeePpm: 500, quoteDigits: 8 },
    });
    expect(loadBars(catalog(), BAR_KEY).bars.instrument.takerFeePpm).toBe(500);
    expect((await importBars(fileOf(barLines(3, 6))))[0]).toMatchObject({ instrumentFrom: 'catalog', instrument: { takerFeePpm: 500 } });
  });

  it('the record of an import, if given by a file, needs the price digits of all stored bars of the symbol', async () => {
    await importBars(fileOf([barLine(0, '100.25')]));
    const hour = fileOf([barLine(0)], 'BTCUSDT-1h.csv');
    await expect(importBars(hour, { instrumentFile: instrumentFile() })).rejects.toThrow(
      'pricePrecision: expected at least 2, the digits of the prices in',
    );
    expect((await importBars(hour, { instrumentFile: instrumentFile({ pricePrecision: 2 }) }))[0]!.instrumentFrom).toBe('file');
  });

  it('the record of an import is asked for where the quote asset is unknown', async () => {
    const file = fileOf([barLine(0)], 'FOOBAR-1m.csv');
    const error: unknown = await importBars(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      message: expect.stringContaining('FOOBAR: the quote asset must be one of'),
      remedy: expect.stringContaining('--instrument FILE'),
    });
    expect((await importBars(file, { instrumentFile: instrumentFile({ base: 'FOO', quote: 'BAR' }) }))[0]!.instrument.quote).toBe('BAR');
  });
});

describe('two imports at once', () => {
  it('two imports at once of one set lose no row, whichever ends first', async () => {
    const files = [0, 1, 2, 3].map((part) => fileOf(barLines(part * 500, part * 500 + 500), `BTCUSDT-1m-${part}.csv`));
    const done = await Promise.all([importBars(files.slice(2)), importBars(files[1]!), importBars(files[0]!)]);
    expect(storedMinutes()).toEqual(Array.from({ length: 2000 }, (_, i) => i));
    expect(Math.max(...done.map(([set]) => set!.manifest.rows))).toBe(2000);
    expect((await importBars(files))[0]!.knownFiles).toEqual(files);
    expect(readdirSync(catalog())).toEqual(['spot']);
  });

  it('two imports at once of different precision are both stored, with the record of the finer one', async () => {
    const coarse = fileOf([barLine(0, '5.5')], 'a.csv');
    const fine = fileOf([barLine(1, '5.25')], 'b.csv');
    const both = [coarse, fine].map((file) => importBars(file, { symbol: 'BTCUSDT', interval: '1m' }).catch((error: unknown) => error));
    expect((await Promise.all(both)).filter((result) => result instanceof ConfigError)).toEqual([]);
    expect(storedMinutes()).toEqual([0, 1]);
    expect(readInstrument(catalog(), 'spot', 'BTCUSDT')?.priceDigits).toBe(2);
  });

  it('two imports at once do not wait for one that was killed while it stored', async () => {
    const lock = join(catalog(), '.import', 'spot-BTCUSDT.lock');
    mkdirSync(lock, { recursive: true });
    const { started, namespace, boot, host } = processesHere().self;
    // No process has so high a number.
    writeFileSync(join(lock, `lock-999999999-${started}-${namespace}-${boot}-${encodeURIComponent(host)}`), '');
    await importBars(fileOf(barLines(0, 3)));
    expect([storedMinutes(), readdirSync(catalog())]).toEqual([[0, 1, 2], ['spot']]);
  });
});

describe('a refused import leaves nothing behind:', () => {
  it.each<[string, () => string]>([
    ['a bad last row', () => fileOf([...barLines(0, 1000), 'x'])],
    ['a missing file', () => join(folder, 'BTCUSDT-1m.csv')],
    ['a folder', () => (mkdirSync(join(folder, 'BTCUSDT-1m')), join(folder, 'BTCUSDT-1m'))],
    ['an empty file', () => (writeFileSync(join(folder, 'BTCUSDT-1m.csv'), ''), join(folder, 'BTCUSDT-1m.csv'))],
  ])('a refused import leaves nothing behind: %s', async (_, make) => {
    await expect(importBars(make())).rejects.toBeInstanceOf(ConfigError);
    expect(existsSync(catalog())).toBe(false);
  });

  it('a refused import leaves nothing behind: a catalog in a place that is not a folder', async () => {
    writeFileSync(join(folder, 'data'), '');
    await expect(importBars(fileOf(barLines(0, 3)))).rejects.toThrow('cannot be written');
  });

  it('a refused import leaves nothing behind: bars over synthetic ones', async () => {
    storeBars(catalog(), synthesizeBars({ symbol: 'BTCUSDT', interval: '1m', fromMs: START_MS, bars: 10, seed: 1 }), SYNTHETIC);
    await expect(importBars(fileOf(barLines(0, 3)))).rejects.toThrow('these bars are synthetic, not imported');
  });
});
