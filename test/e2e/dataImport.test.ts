// Tests `isobar data import` as a user runs it: many files, a kill and a second run, bad rows, and altered bars.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { barsFrom, binanceCsv, feather, plainCsv, zipOf } from '../fixtures/barFiles.ts';
import { CliFixture, COMMAND, STRATEGIES } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';

const SEED = 20_260_101;
const START_MS = Date.UTC(2024, 0, 1);
const NEW_ROWS_PER_FILE = 3000;
const FILES_PER_SYMBOL = 12;
/** Each file begins with the last rows of the previous one. */
const REPEATED_ROWS_PER_FILE = 50;
/** Rows of one symbol that appear in two files: those at the start of each file but the first. */
const REPEATED_ROWS = REPEATED_ROWS_PER_FILE * (FILES_PER_SYMBOL - 1);
const NEW_ROWS = NEW_ROWS_PER_FILE * FILES_PER_SYMBOL;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT'];

const fixture = new CliFixture();
const isobar = (...args: readonly string[]) => commandIn(fixture.folder, args);
afterAll(() => fixture.remove());
for (const [index, symbol] of SYMBOLS.entries()) {
  for (let month = 0; month < FILES_PER_SYMBOL; month++) {
    const bars = barsFrom(START_MS, NEW_ROWS, '1m', index + 1).slice(
      Math.max(0, month * NEW_ROWS_PER_FILE - REPEATED_ROWS_PER_FILE),
      (month + 1) * NEW_ROWS_PER_FILE,
    );
    const name = `${symbol}-1m-2024-${String(month + 1).padStart(2, '0')}`;
    fixture.write(`klines/${name}.zip`, zipOf({ [`${name}.csv`]: binanceCsv(bars, '1m') }));
  }
}

/** Returns every file below `folder` with the hash of its bytes. */
function hashesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  return Object.fromEntries(
    entries.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length), hash(join(parentPath, name))]),
  );
}
/** Returns the names in a folder that another process may create, fill or remove at any time. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true }).map(String);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return [];
    throw error;
  }
}
/**
 * Returns the progress of an import: one for each file that was read, and one for each set of a symbol that was stored. The import removes the
 * temporary files of a set once the set is stored. So a stored set counts for its files and for itself.
 */
function progressOf(catalog: string): number {
  const count = (folder: string) => namesIn(folder).filter((name) => name.endsWith('.arrow')).length;
  return count(join(catalog, '.import')) + (FILES_PER_SYMBOL + 1) * count(join(catalog, 'spot'));
}
/** Kills the import with SIGKILL when it has reached `progress`. Resolves with false if it ended before. */
function importKilledAt(catalog: string, progress: number): Promise<boolean> {
  const child = spawn(process.execPath, [COMMAND, 'data', 'import', 'klines/*.zip', '--catalog', catalog], {
    cwd: fixture.folder,
    stdio: 'ignore',
  });
  const watch = setInterval(() => {
    if (progressOf(catalog) >= progress) child.kill('SIGKILL');
  }, 1);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(watch);
      resolve(code === null);
    });
  });
}

describe('an import of many files', () => {
  /** The catalog of an import that is not interrupted. */
  const wholeCatalog = join(fixture.folder, 'whole');

  it('an import of many files accepts a pattern that no shell has expanded', async () => {
    const { code, stdout, stderr } = await fixture.run('data', 'import', 'klines/*.zip', '--catalog', 'whole');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const text = stdout.replaceAll('\u2009', ' ');
    expect(text).toContain(
      // The command separates thousands by a space.
      `from        12 files  (binance; ${NEW_ROWS + REPEATED_ROWS} rows, ${NEW_ROWS} of them new)`.replace(/(\d+)(\d{3})/g, '$1 $2'),
    );
    expect(text).toContain(`overlap     ${REPEATED_ROWS} rows appeared more than once, with equal values`);
    expect(text.trimEnd().split('\n').at(-1)).toBe(`${SYMBOLS.length * NEW_ROWS} rows, 0 gaps, 0 missing bars`);
    expect(readdirSync(wholeCatalog)).toEqual(['spot']);
  });

  it('an import of many files that is killed repeatedly continues, and ends with the same bytes', async () => {
    const rng = seededRng(SEED);
    const catalog = mkdtempSync(join(tmpdir(), 'isobar-killed-'));
    const killPoints: number[] = [];
    const maxProgress = 2 * (FILES_PER_SYMBOL + 1);
    for (let reached = 0; reached < maxProgress;) {
      const drawnSteps = 1 + Math.floor(rng.next() * 12);
      const killAt = Math.min(maxProgress, reached + drawnSteps);
      const wasKilled = await importKilledAt(catalog, killAt);
      killPoints.push(killAt);
      const reachedNow = progressOf(catalog);
      // No file that was read is lost.
      expect(reachedNow, `seed ${SEED}, killed at ${killPoints.join(', ')}`).toBeGreaterThanOrEqual(reached);
      reached = reachedNow;
      if (!wasKilled) break;
    }
    expect(killPoints.length).toBeGreaterThan(2);
    // Every file in the catalog is complete.
    const { code, stderr } = await isobar('data', 'check', '--catalog', catalog);
    expect(code, stderr).toBe(0);
    const { stdout } = await isobar('data', 'import', 'klines/*.zip', '--catalog', catalog, '--json');
    expect(JSON.parse(stdout)).toMatchObject(SYMBOLS.map((symbol) => ({ symbol, rows: NEW_ROWS, missingBars: 0 })));
    expect(hashesOf(catalog), `seed ${SEED}, killed at ${killPoints.join(', ')}`).toEqual(hashesOf(wholeCatalog));
    rmSync(catalog, { recursive: true });
  });

  it('an import of many files that was killed reads only the files that it had not read', async () => {
    const catalog = mkdtempSync(join(tmpdir(), 'isobar-killed-'));
    expect(await importKilledAt(catalog, 5)).toBe(true);
    const progress = progressOf(catalog);
    expect(existsSync(join(catalog, 'spot'))).toBe(false);
    const { stdout } = await isobar('data', 'import', 'klines/*.zip', '--catalog', catalog);
    expect(stdout).toContain(`resumed     ${progress} files had been read by an interrupted import`);
    expect(await isobar('data', 'import', 'klines/*.zip', '--catalog', catalog)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('from        12 files  (the catalog has all of it)'),
    });
    rmSync(catalog, { recursive: true });
  });
});

describe('bad rows', () => {
  const lines = plainCsv(barsFrom(START_MS, 20)).split('\n');
  lines[4] = 'oops';
  fixture.write('SOLUSDT-1m.csv', lines.join('\n'));

  it('bad rows end the import with file and line', async () =>
    expect(await isobar('data', 'import', 'SOLUSDT-1m.csv')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'SOLUSDT-1m.csv:5: expected 6 columns, got 1\n  fix or remove it, or import with --skip-bad; nothing was imported\n',
    }));

  it('bad rows are set aside by --skip-bad', async () => {
    const { code, stdout } = await isobar('data', 'import', 'SOLUSDT-1m.csv', '--skip-bad');
    expect(code).toBe(0);
    expect(stdout).toContain('    bad rows    1 set aside in data/spot/SOLUSDT/1m.rejects.csv\n');
    expect(readFileSync(join(fixture.folder, 'data/spot/SOLUSDT/1m.rejects.csv'), 'utf8')).toBe(
      'file,line,reason,text\nSOLUSDT-1m.csv,5,"expected 6 columns, got 1",oops\n',
    );
  });
});

describe('prices that are not whole ticks', () => {
  const barsWithBadHigh = barsFrom(START_MS, 300).map((bar, row) => (row === 7 ? { ...bar, high: 2000 / 3 } : bar));
  const strategy = join(STRATEGIES, 'smaCross.ts');

  it('prices that are not whole ticks in a file of --data are reported with file and bar', async () => {
    fixture.write('ADAUSDT-1m.feather', feather(barsWithBadHigh, 'lz4'));
    const { code, stderr } = await isobar('backtest', strategy, '--data', 'ADAUSDT-1m.feather', '--cash', '10000');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^ADAUSDT-1m\.feather row 8: prices of 1\d digits behind the point, up to 666\.66.*\n {2}if isobar wrote the file, isobar data check shows/,
    );
  });

  it('a file of the catalog that another program has changed is reported, with the changed bytes', async () => {
    const file = fixture.write('ADAUSDT-1m.csv', plainCsv(barsFrom(START_MS, 300)));
    await isobar('data', 'import', file);
    const path = join(fixture.folder, 'data/spot/ADAUSDT/1m.arrow');
    const bytes = readFileSync(path);
    const close = Buffer.from(Float64Array.of(barsFrom(START_MS, 300)[7]!.high).buffer);
    bytes.writeDoubleLE(2000 / 3, bytes.indexOf(close));
    fixture.write('altered.arrow', bytes);
    renameSync(join(fixture.folder, 'altered.arrow'), path);
    fixture.write('cross.yaml', `strategy: ${strategy}\nfeeds: { bars: { symbol: ADAUSDT, interval: 1m } }\ncash: { USDT: '10000' }\n`);
    const { code, stderr } = await isobar('backtest', 'cross.yaml');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /spot\/ADAUSDT\/1m\.arrow: its bytes have changed since isobar wrote it: bytes \d+ to \d+ .*\n {2}restore the file/,
    );
  });
});
