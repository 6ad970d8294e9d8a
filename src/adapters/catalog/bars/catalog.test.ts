// Tests the catalog: stored bars are read back exactly, in any range, with little memory, and damage by other programs is found.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHash } from 'node:crypto';
import { buildSync } from 'esbuild';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runPython } from '../../../../test/fixtures/python.ts';
import { ConfigError, InvariantError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { BATCH_ROWS, writeArrowColumns } from '../arrow/arrowWriter.ts';
import { checkBars, listCatalog, loadBars, storeBars } from './catalog.ts';
import { type BarKey, barsPath, listSeries, manifestPath } from '../files/paths.ts';
import { RAW } from '../files/columns.ts';
import { loadFeed, resampleInto } from './loadFeed.ts';
import { synthesizeBars } from '../generate/generate.ts';
import { IMPORTED, manifestOf, SYNTHETIC } from './barQuality.ts';
import { hashOfRead } from './readHashes.ts';
import { catalogStore } from './barStore.ts';

let catalog = '';
const folders: string[] = [];
beforeEach(() => folders.push((catalog = mkdtempSync(join(tmpdir(), 'isobar-catalog-')))));
afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

const FROM = Date.UTC(2024, 0, 1);
const BAR_KEY: BarKey = { market: 'spot', symbol: 'SYNUSDT', interval: '1m' };
const generate = (bars: number, gapShare = 0.02, seed = 1) =>
  synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: FROM, bars, seed, gapShare });
const rowsOf = (bars: BarColumns, from = 0, to = bars.length) =>
  [...RAW, 'closeMs' as const].map((name) => [...bars[name].subarray(from, to)]);

describe('stored bars', () => {
  it('stored bars are found behind a link to their folder', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'isobar-linked-'));
    folders.push(elsewhere);
    storeBars(elsewhere, generate(10), SYNTHETIC);
    mkdirSync(join(catalog, 'spot'));
    symlinkSync(join(elsewhere, 'spot', 'SYNUSDT'), join(catalog, 'spot', 'SYNUSDT'));
    expect(listCatalog(catalog)).toMatchObject([{ ...BAR_KEY, rows: 10 }]);
  });

  it('a file with the name of a market in a catalog has no bars and no series', () => {
    writeFileSync(join(catalog, 'futures'), '');
    expect(listCatalog(catalog)).toEqual([]);
    expect(listSeries(catalog)).toEqual([]);
  });

  it('stored bars come back whole, with instrument and quality', () => {
    const bars = generate(70_000);
    const manifest = storeBars(catalog, bars, SYNTHETIC);
    const loaded = loadBars(catalog, BAR_KEY);
    expect(loaded.bars.instrument).toEqual(bars.instrument);
    expect(rowsOf(loaded.bars)).toEqual(rowsOf(bars));
    expect(loaded.firstRow).toBe(0);
    const { gaps, missingBars, rows } = manifest;
    expect(loaded.quality).toEqual({
      manifestHash: manifest.sha256,
      rows,
      gaps,
      missingBars,
      thinBars: 0,
      zeroVolume: 0,
      roundedPrices: 0,
      openLastBar: false,
      synthetic: true,
    });
    expect(readdirSync(join(catalog, 'spot', 'SYNUSDT')).toSorted()).toEqual(['1m.arrow', '1m.gaps.json', 'instrument.json']);
    expect(listCatalog(catalog)).toMatchObject([
      { ...BAR_KEY, source: 'synthetic', rows, gaps, missingBars, firstMs: FROM, lastMs: bars.openMs.at(-1) },
    ]);
  });

  it('stored bars come back in any range, with rows for warm-up in front', () => {
    const bars = generate(3000, 0.1);
    storeBars(catalog, bars, IMPORTED);
    const time = fc.integer({ min: FROM - 3_600_000, max: bars.closeMs.at(-1)! + 3_600_000 });
    const property = fc.property(time, time, fc.nat(50), (fromMs, toMs, warmupRows) => {
      const first = bars.openMs.findIndex((open) => open >= fromMs);
      const end = bars.closeMs.findLastIndex((close) => close <= toMs) + 1;
      if (first < 0 || end <= first) {
        expect(() => loadBars(catalog, BAR_KEY, { fromMs, toMs, warmupRows })).toThrow(/no bars from .* to .*/);
        return;
      }
      const loaded = loadBars(catalog, BAR_KEY, { fromMs, toMs, warmupRows });
      const start = Math.max(0, first - warmupRows);
      expect(loaded.firstRow).toBe(first - start);
      expect(rowsOf(loaded.bars)).toEqual(rowsOf(bars, start, end));
      const gaps = [...bars.openMs.subarray(first + 1, end)].filter((open, i) => open !== bars.closeMs[first + i]);
      expect([loaded.quality.rows, loaded.quality.gaps]).toEqual([end - first, gaps.length]);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('stored bars of months and of minutes have different files, also on a file system that ignores case', () => {
    storeBars(catalog, generate(10), SYNTHETIC);
    storeBars(catalog, synthesizeBars({ symbol: 'SYNUSDT', interval: '1M', fromMs: FROM, bars: 5, seed: 1 }), SYNTHETIC);
    expect(existsSync(join(catalog, 'spot/SYNUSDT/1month.arrow'))).toBe(true);
    expect(loadBars(catalog, { ...BAR_KEY, interval: '1M' }).bars.closeMs[1]).toBe(Date.UTC(2024, 2, 1));
    expect(listCatalog(catalog).map((entry) => entry.interval)).toEqual(['1m', '1M']);
  });

  it('stored bars are refused when two columns share memory, and nothing is left behind', () => {
    const bars = generate(10);
    expect(() => storeBars(catalog, { ...bars, low: bars.open }, SYNTHETIC)).toThrow(InvariantError);
    expect(readdirSync(dirname(barsPath(catalog, BAR_KEY)))).toEqual([]);
    // Storing bars that are already there does not change the record.
    storeBars(catalog, bars, SYNTHETIC);
    const finer = { ...bars.instrument, quantityDigits: bars.instrument.quantityDigits - 1 };
    expect(() => storeBars(catalog, { ...bars, instrument: finer, low: bars.open }, SYNTHETIC)).toThrow(InvariantError);
    expect(loadBars(catalog, BAR_KEY).bars.instrument).toEqual(bars.instrument);
  });

  it('stored bars take at most 60 bytes of memory a bar to load', () => {
    const bars = 1_500_000;
    storeBars(catalog, generate(bars, 0), SYNTHETIC);
    // A process of its own: the peak of this one has been reached by other tests.
    const script = `
      import { loadBars } from ${JSON.stringify(fileURLToPath(new URL('./catalog.ts', import.meta.url)))};
      const before = process.memoryUsage.rss();
      const { bars } = loadBars(${JSON.stringify(catalog)}, ${JSON.stringify(BAR_KEY)});
      console.log((process.resourceUsage().maxRSS * 1024 - before) / bars.length);`;
    const path = join(catalog, 'load.cjs');
    const resolveDir = fileURLToPath(new URL('.', import.meta.url));
    buildSync({ stdin: { contents: script, resolveDir }, bundle: true, platform: 'node', format: 'cjs', outfile: path });
    const bytes = Number(execFileSync(process.execPath, [path], { encoding: 'utf8' }));
    expect(bytes).toBeGreaterThan(50);
    expect(bytes).toBeLessThan(66); // 60 at 5 M bars; the start of a process weighs more on fewer
  });

  it('stored bars are read by pandas and polars', ({ skip }) => {
    const bars = generate(70_000);
    storeBars(catalog, bars, IMPORTED);
    const script = `
import sys, polars, pandas
a = polars.read_ipc(sys.argv[1]); b = pandas.read_feather(sys.argv[1])
for t in (a, b): print(list(t.columns), len(t), [repr(float(t[c][69999])) for c in ('open', 'high', 'low', 'close', 'volume')])
print(b['open_time'].dtype, int((b['open_time'].diff().dt.total_seconds() > 60).sum()))`;
    const text = runPython(['polars', 'pandas', 'pyarrow'], script, barsPath(catalog, BAR_KEY));
    skip(text === null);
    const last = RAW.slice(1)
      .map((name) => `'${bars[name].at(-1)}'`)
      .join(', ');
    const columns = `['open_time', 'open', 'high', 'low', 'close', 'volume'] 70000 [${last}]`;
    expect(text).toEqual([columns, columns, `datetime64[ms, UTC] ${manifestOf(bars, IMPORTED).gaps}`]);
  });
});

describe('loading refuses', () => {
  it('an error about missing bars names what the catalog has', () => {
    storeBars(catalog, generate(10), SYNTHETIC);
    const attempt = (key: Partial<BarKey>) => {
      try {
        loadBars(catalog, { ...BAR_KEY, ...key });
      } catch (error) {
        if (error instanceof ConfigError) return [error.message.replace(`${catalog}/`, ''), error.remedy];
      }
      return null;
    };
    expect(attempt({ interval: '1h' })).toEqual([
      'spot/SYNUSDT/1h.arrow: the catalog has no bars of spot SYNUSDT 1h',
      'import them: isobar data import FILE. It has: spot SYNUSDT 1m.',
    ]);
    expect(attempt({ symbol: 'NONE' })?.[1]).toContain('It has: spot SYNUSDT 1m.');
    rmSync(join(catalog, 'spot/SYNUSDT/instrument.json'));
    expect(attempt({})?.[0]).toContain('instrument.json: no instrument record');
  });

  it('loading refuses a file that isobar did not write, and times that do not rise', () => {
    const bars = generate(100, 0);
    storeBars(catalog, bars, IMPORTED);
    const path = barsPath(catalog, BAR_KEY);
    const columns = (names: readonly string[]) =>
      names.map((name, i) => ({ name, kind: i === 0 ? ('timestamp' as const) : ('float64' as const), values: bars[RAW[i]!] }));
    const names = ['open_time', 'open', 'high', 'low', 'close', 'volume'];
    writeArrowColumns(path, columns(names));
    expect(() => loadBars(catalog, BAR_KEY)).toThrow('it was not written by isobar');
    bars.openMs[50] = bars.openMs[49]!;
    writeArrowColumns(path, columns(names), { isobar: '2' });
    expect(() => loadBars(catalog, BAR_KEY)).toThrow('the times do not rise after 2024-01-01 00:49 UTC');
  });
});

describe('a file whose bytes have changed', () => {
  it('a load refuses a file if any of its bytes has changed, in the head, in a batch or in the foot', () => {
    storeBars(catalog, generate(40), SYNTHETIC);
    const path = barsPath(catalog, BAR_KEY);
    const whole = readFileSync(path);
    // Every third byte, to save time. The flipped bit differs from one byte to the next.
    for (let offset = 0; offset < whole.length; offset += 3) {
      const changed = Buffer.from(whole);
      changed[offset]! ^= 1 << (offset % 8);
      writeFileSync(path, changed);
      expect(() => loadBars(catalog, BAR_KEY), `byte ${offset} of ${whole.length}`).toThrow(ConfigError);
    }
    writeFileSync(path, whole);
    expect(loadBars(catalog, BAR_KEY).bars.length).toBe(40);
  });

  it('a file whose bytes have changed is found by a check, and a list shows no changed metadata', () => {
    storeBars(catalog, generate(10), SYNTHETIC);
    const path = barsPath(catalog, BAR_KEY);
    const whole = readFileSync(path);
    const statedIn = ([entry]: ReturnType<typeof listCatalog>) => ({ ...entry, firstMs: 0, lastMs: 0 });
    const stated = statedIn(listCatalog(catalog));
    const resultOrError = <T>(read: () => T): T | ConfigError => {
      try {
        return read();
      } catch (error) {
        if (error instanceof ConfigError) return error;
        throw error;
      }
    };
    // Every eleventh byte, to save time.
    for (let offset = 0; offset < whole.length; offset += 11) {
      const changed = Buffer.from(whole);
      changed[offset]! ^= 1 << (offset % 8);
      writeFileSync(path, changed);
      const place = `byte ${offset} of ${whole.length}`;
      const listed = resultOrError(() => listCatalog(catalog));
      if (!(listed instanceof ConfigError)) expect(statedIn(listed), place).toEqual(stated);
      const checked = resultOrError(() => checkBars(catalog, BAR_KEY));
      if (!(checked instanceof ConfigError)) expect(checked.unchanged, place).toBe(false);
    }
    writeFileSync(path, whole);
    expect(checkBars(catalog, BAR_KEY).unchanged).toBe(true);
  });

  it('a file whose bytes have changed is noticed although the range of the run lies in another batch', () => {
    storeBars(catalog, generate(2 * BATCH_ROWS + 10), SYNTHETIC);
    const path = barsPath(catalog, BAR_KEY);
    const { bars } = loadBars(catalog, BAR_KEY);
    const changed = readFileSync(path);
    changed[changed.length - 5000]! ^= 1;
    writeFileSync(path, changed);
    expect(() => loadBars(catalog, BAR_KEY, { toMs: bars.closeMs[100] })).toThrow('its bytes have changed since isobar wrote it');
  });

  it('the hash of the read is that of the bytes of the file', () => {
    storeBars(catalog, generate(BATCH_ROWS + 10), SYNTHETIC);
    const path = barsPath(catalog, BAR_KEY);
    loadBars(catalog, BAR_KEY, { isHashed: true });
    expect(hashOfRead(path)).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
  });
});

describe('the gap manifest', () => {
  it('the gap manifest says what is missing and wrong, and its hash is that of its content', () => {
    const bars = generate(20, 0);
    const shift = (from: number, byBars: number) => bars.openMs.forEach((ms, i) => (bars.openMs[i] = i < from ? ms : ms + byBars * 60_000));
    shift(5, 3);
    shift(9, 1);
    bars.volume.fill(0, 10, 12);
    bars.volume[14] = 0;
    storeBars(catalog, bars, { ...IMPORTED, openLastBar: true });
    const text = readFileSync(manifestPath(catalog, BAR_KEY), 'utf8');
    const parsed: Record<string, unknown> = JSON.parse(text);
    const { sha256, ...content } = parsed;
    expect(content).toMatchObject({
      rows: 20,
      gaps: 2,
      missingBars: 4,
      longestGapBars: 3,
      zeroVolumeRows: 3,
      openLastBar: true,
      wrong: [],
      missing: [
        { after: '2024-01-01T00:04:00.000Z', bars: 3 },
        { after: '2024-01-01T00:11:00.000Z', bars: 1 },
      ],
      zeroVolume: [
        { from: '2024-01-01T00:14:00.000Z', bars: 2 },
        { from: '2024-01-01T00:18:00.000Z', bars: 1 },
      ],
    });
    expect(sha256).toBe(createHash('sha256').update(JSON.stringify(content)).digest('hex'));
    expect(text).toContain('\n  { "after": "2024-01-01T00:04:00.000Z", "bars": 3 },\n');
    expect(loadBars(catalog, BAR_KEY).quality).toMatchObject({ manifestHash: sha256, openLastBar: true, gaps: 2 });
    expect(loadBars(catalog, BAR_KEY, { toMs: bars.openMs[19] }).quality.openLastBar).toBe(false);
  });

  it('the gap manifest is made again by a check, which finds what another program changed', () => {
    const bars = generate(100, 0);
    const { sha256 } = storeBars(catalog, bars, IMPORTED);
    rmSync(manifestPath(catalog, BAR_KEY));
    expect(checkBars(catalog, BAR_KEY)).toMatchObject({ unchanged: true, manifest: { sha256 } });
    expect(existsSync(manifestPath(catalog, BAR_KEY))).toBe(true);
    // The same metadata over other rows, as a careless script would leave them.
    const path = barsPath(catalog, BAR_KEY);
    const whole = readFileSync(path);
    whole.writeDoubleLE(-1, whole.indexOf(Buffer.from(bars.low.slice(50, 53).buffer)));
    writeFileSync(path, whole);
    expect(checkBars(catalog, BAR_KEY)).toMatchObject({
      unchanged: false,
      manifest: { insaneRows: 1, wrong: [{ at: '2024-01-01T00:50:00.000Z', what: 'insane' }] },
    });
    const disordered = generate(6, 0);
    disordered.openMs.set([0, 1, 1, 0, 4, 5.5].map((minute) => FROM + minute * 60_000));
    expect(manifestOf(disordered, IMPORTED)).toMatchObject({ duplicateRows: 1, outOfOrderRows: 1, offGridRows: 1, insaneRows: 0 });
  });
});

describe('loadFeed', () => {
  it('loadFeed makes bars that the catalog lacks, exactly as resample would store them, in any range', () => {
    storeBars(catalog, generate(20_000, 0.05), IMPORTED);
    const other = mkdtempSync(join(tmpdir(), 'isobar-catalog-'));
    folders.push(other);
    storeBars(other, generate(20_000, 0.05), IMPORTED);
    const hour: BarKey = { ...BAR_KEY, interval: '1h' };
    const stored = resampleInto(other, hour, { minCoverage: 0.9 });
    expect(stored).toMatchObject({ from: '1m', manifest: { source: 'resampled', thinBars: stored.thin } });
    const end = stored.bars.closeMs.at(-1)!;
    const property = fc.property(
      fc.integer({ min: FROM - 60_000, max: end }),
      fc.integer({ min: FROM, max: end }),
      fc.nat(30),
      (fromMs, toMs, warmupRows) => {
        const range = { fromMs, toMs, warmupRows };
        let expected;
        try {
          expected = loadBars(other, hour, range);
        } catch {
          expect(() => loadFeed(catalogStore(catalog), hour, range, 0.9)).toThrow(ConfigError);
          return;
        }
        const loaded = loadFeed(catalogStore(catalog), hour, range, 0.9);
        expect(loaded.firstRow).toBe(expected.firstRow);
        expect(rowsOf(loaded.bars)).toEqual(rowsOf(expected.bars));
        expect(loaded.facts).toEqual(expected.facts);
        const { manifestHash, ...counts } = expected.quality;
        expect(loaded.quality).toMatchObject(counts);
        expect(loaded.quality.manifestHash).not.toBe(manifestHash);
      },
    );
    fc.assert(property, { numRuns: 60 });
    expect(rowsOf(loadFeed(catalogStore(catalog), hour, {}, 0.9).bars)).toEqual(rowsOf(stored.bars));
    expect(loadFeed(catalogStore(other), hour).quality.manifestHash).toBe(stored.manifest.sha256);
  });

  it('a run after the last bar is reported with its own times, not those of its warm-up', () => {
    const bars = generate(5000);
    storeBars(catalog, bars, IMPORTED);
    const fromMs = Date.UTC(2050, 0, 1);
    const late = { fromMs, warmupRows: 500 };
    expect(() => loadFeed(catalogStore(catalog), { ...BAR_KEY, interval: '1h' }, late)).toThrow(
      'no bars from 2050-01-01 00:00 UTC to the end',
    );
  });

  it('half-written files of a killed process are removed by the next process, and those of a running one stay', () => {
    storeBars(catalog, generate(5000), IMPORTED);
    const hour: BarKey = { ...BAR_KEY, interval: '1h' };
    const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
    const temporaryPath = (pid: number) => `${barsPath(catalog, hour)}.${pid}.tmp`;
    const ofEndedProcess = temporaryPath(ended);
    const ofRunningProcess = temporaryPath(process.ppid);
    for (const path of [ofEndedProcess, ofRunningProcess]) writeFileSync(path, 'half');
    resampleInto(catalog, hour);
    expect([existsSync(ofEndedProcess), existsSync(ofRunningProcess)]).toEqual([false, true]);
    rmSync(ofRunningProcess);
  });

  it('resampleInto neither resamples resampled bars nor replaces imported ones', () => {
    storeBars(catalog, generate(5000), IMPORTED);
    resampleInto(catalog, { ...BAR_KEY, interval: '1h' });
    expect(resampleInto(catalog, { ...BAR_KEY, interval: '4h' }).from).toBe('1m');
    expect(() => resampleInto(catalog, { ...BAR_KEY, interval: '4h' }, { from: '1h' })).toThrow(
      'resampled bars do not show what is missing',
    );
    expect(() => resampleInto(catalog, BAR_KEY)).toThrow('there are bars that were not made by resampling');
    expect(() => resampleInto(catalog, { ...BAR_KEY, symbol: 'NONE', interval: '1h' })).toThrow('no finer bars of spot NONE');
    expect(() => loadFeed(catalogStore(catalog), { ...BAR_KEY, symbol: 'NONE', interval: '1h' })).toThrow(
      'the catalog has no bars of spot NONE 1h',
    );
  });
});
