// Tests two processes at one symbol of the catalog: the second one waits for the first, and uses its rows.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { testInstrument } from '../../../../test/fixtures/syntheticBars.ts';
import { FileSystemDisk } from '../../disk/fileSystemDisk.ts';
import { thisProcess } from '../../disk/processes.ts';
import { lockFolder, processesHere } from '../../disk/processLock.ts';
import { appendBars } from '../bars/appendBars.ts';
import { loadBars, storeBars } from '../bars/catalog.ts';
import { barsOf, emptyColumns } from './columns.ts';
import { lockPath } from './paths.ts';
import { IMPORTED } from '../bars/barQuality.ts';
import { whileStoreLocked } from './storeLock.ts';

const START_MS = Date.UTC(2024, 0, 1);
const BAR_KEY = { market: 'spot', symbol: 'BTCUSDT', interval: '1m' } as const;
const DIST = new URL('../../../../dist/adapters/', import.meta.url);

const folders: string[] = [];
/** Returns the folder of a new catalog. */
function catalog(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-lock-'));
  folders.push(folder);
  return folder;
}
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Returns one-minute bars with a price of 100, from row `from` to `to` (exclusive). */
function rowsOf(from: number, to: number) {
  const rows = emptyColumns(to - from);
  rows.openMs.forEach((_, i) => (rows.openMs[i] = START_MS + (from + i) * 60_000));
  for (const name of ['open', 'high', 'low', 'close', 'volume'] as const) rows[name].fill(100);
  return rows;
}
const storeRows = (folder: string, rows: number) => storeBars(folder, barsOf(rowsOf(0, rows), testInstrument(), '1m'), IMPORTED);

const APPEND_CODE = `const { appendBars } = await import(dist + 'catalog/bars/appendBars.js');
const times = Float64Array.from({ length: 60 }, (_, i) => ${START_MS} + (60 + i) * 60000), flat = times.map(() => 100);
const rows = { length: 60, openMs: times, open: flat, high: flat, low: flat, close: flat, volume: flat };
run(() => appendBars(folder, { listedInstrument: ${JSON.stringify(testInstrument())}, interval: '1m' }, rows, 'keep').newRows);`;
const RESAMPLE_CODE = `const { resampleInto } = await import(dist + 'catalog/bars/loadFeed.js');
run(() => resampleInto(folder, { market: 'spot', symbol: 'BTCUSDT', interval: '1h' }).manifest.rows);`;
const GENERATE_CODE = `const { generateInto } = await import(dist + 'catalog/generate/generateInto.js');
run(() => generateInto(folder, { symbol: 'BTCUSDT', interval: '1m', fromMs: ${START_MS}, bars: 30, seed: 1 }).manifest.rows);`;

/** Starts a process that runs `code` on the catalog. `begun` resolves when it is about to store, `reported` with what it printed. */
function startProcess(folder: string, code: string) {
  const head = `const dist = ${JSON.stringify(DIST.href)}, folder = ${JSON.stringify(folder)};
const run = (work) => { console.log('begins'); try { console.log(work()); } catch (error) { console.log(error.message); } };`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${head}\n${code}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8');
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (part: string) => {
      text += part;
      if (text.includes('begins')) resolve();
    });
  });
  const reported = new Promise<string>((resolve) => void child.once('close', () => resolve(text.trim())));
  return { begun, reported, isDone: () => child.exitCode !== null };
}

/** Runs `code` in another process while this one holds the lock, and returns what the other printed. */
async function runWhileLockHeld(folder: string, code: string): Promise<string> {
  const lock = lockPath(folder, BAR_KEY);
  const release = lockFolder(new FileSystemDisk(), lock, processesHere());
  const otherProcess = startProcess(folder, code);
  await otherProcess.begun;
  await new Promise((resolve) => void setTimeout(resolve, 300));
  expect(otherProcess.isDone()).toBe(false);
  storeRows(folder, 60);
  release();
  const reported = await otherProcess.reported;
  expect(existsSync(dirname(lock))).toBe(false);
  return reported.replace('begins\n', '');
}

describe('while another process stores bars of the symbol', () => {
  it('an append waits for another process, and loses none of its rows', async () => {
    const folder = catalog();
    expect(await runWhileLockHeld(folder, APPEND_CODE)).toBe('60');
    expect(loadBars(folder, BAR_KEY).bars.length).toBe(120);
  });

  it('resampling waits for another process, and uses the rows that it has stored', async () => {
    const folder = catalog();
    storeRows(folder, 10);
    expect(await runWhileLockHeld(folder, RESAMPLE_CODE)).toBe('1');
    expect(loadBars(folder, { ...BAR_KEY, interval: '1h' }).bars.volume[0]).toBe(6000);
  });

  it('generated bars do not replace bars that another process stored in the meantime', async () => {
    const folder = catalog();
    expect(await runWhileLockHeld(folder, GENERATE_CODE)).toMatch(/there are real bars$/);
    expect(loadBars(folder, BAR_KEY).bars.length).toBe(60);
  });
});

describe('the lock', () => {
  it('the lock of a process that was killed is taken over, and leaves nothing behind', () => {
    const folder = catalog();
    const lock = lockPath(folder, BAR_KEY);
    const { namespace, boot, host } = thisProcess();
    mkdirSync(lock, { recursive: true });
    writeFileSync(join(lock, `lock-4194304-1-${namespace}-${boot}-${encodeURIComponent(host)}`), '', { mode: 0o600 });
    expect(appendBars(folder, { listedInstrument: testInstrument(), interval: '1m' }, rowsOf(0, 5), 'keep').newRows).toBe(5);
    expect(existsSync(dirname(lock))).toBe(false);
  });

  it('the lock works for a catalog that is the current folder', () => {
    const folder = catalog();
    const before = process.cwd();
    try {
      process.chdir(folder);
      expect(whileStoreLocked(lockPath('.', BAR_KEY), () => 5)).toBe(5);
    } finally {
      process.chdir(before);
    }
  });
});
