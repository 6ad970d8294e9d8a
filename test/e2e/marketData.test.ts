// Tests `isobar data download` and `record` from the command line: their output, and what Ctrl-C and kill -9 leave.

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { CliFixture, COMMAND } from '../fixtures/cliFixture.ts';
import { KlinesService } from '../fixtures/klinesService.ts';

const MINUTE_MS = 60_000;
const BTC = { market: 'spot', symbol: 'BTCUSDT', interval: '1m' } as const;

const exchange = new KlinesService();
const fixture = new CliFixture();
const urlOptions = () => ['--spot-url', exchange.url, '--futures-url', exchange.url];
beforeAll(async () => void (await exchange.start()));
afterAll(async () => {
  await exchange.stop();
  fixture.remove();
});

/** Runs `isobar data ...` on a catalog of its own. */
const dataCommand = (catalog: string, ...args: readonly string[]) => fixture.run('data', ...args, '--catalog', catalog, ...urlOptions());

describe('isobar data download', () => {
  it('isobar data download says what it stored, and the last line for scripts', async () => {
    exchange.setClock(Date.UTC(2026, 0, 5, 8, 0, 30));
    const firstDownload = await dataCommand('a', 'download', '--symbol', 'BTCUSDT', '--interval', '1m');
    expect(firstDownload).toMatchObject({ code: 0, stderr: '' });
    expect(firstDownload.stdout).toBe(
      [
        '  BTCUSDT 1m spot  299 bars  2026-01-05 03:01 – 2026-01-05 07:59 UTC',
        '    exchange    299 closed bars: 299 new, 0 unchanged',
        '    gaps        none',
        '    no volume   0 bars',
        '    instrument  BTC/USDT, price 2 and quantity 5 digits, minimum 0.00001, fees 0.1 % / 0.1 %',
        '    written     a/spot/BTCUSDT/1m.arrow',
        '299 new bars, 0 revised, 0 sets failed',
        '',
      ].join('\n'),
    );
    exchange.setClock(exchange.nowMs + 400 * MINUTE_MS);
    exchange.change('1m', exchange.nowMs - 30_000 - 10 * MINUTE_MS, { missing: true });
    const secondDownload = await dataCommand('a', 'download', '--symbol', 'btcusdt', '--interval', '1m,4h');
    expect(secondDownload.code).toBe(0);
    expect(secondDownload.stdout).toContain('    hole        100 bars from 2026-01-05 08:00 on, older than the newest 300 klines\n');
    expect(secondDownload.stdout).toContain('    made        75 bars of 4h: a/spot/BTCUSDT/4h.arrow\n');
    expect(Math.max(...secondDownload.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    exchange.changes.clear();
    const thirdDownload = await dataCommand('a', 'download', '--symbol', 'BTCUSDT', '--interval', '1m', '--json');
    expect(JSON.parse(thirdDownload.stdout)).toMatchObject([
      { kind: 'stored', newRows: 1, filledRows: 1, revised: [], rows: 599, missingBars: 100, hole: null },
    ]);
  });

  it('isobar data download ends with 2 for an impossible request, and with 1 when no reply comes', async () => {
    const old = await dataCommand('b', 'download', '--symbol', 'BTCUSDT', '--interval', '1m', '--from', '2020-01-01');
    expect(old).toMatchObject({ code: 2, stdout: '' });
    expect(old.stderr).toMatch(
      /^--from: expected .* for BTCUSDT 1m, got 2020-01-01 00:00 UTC: the API gives the newest 300 klines .*\n {2}leave --from out/,
    );
    expect(existsSync(join(fixture.folder, 'b'))).toBe(false);
    const none = await fixture.run('data', 'download', '--symbol', 'BTCUSDT', '--interval', '1m', '--spot-url', 'http://127.0.0.1:9');
    expect(none).toMatchObject({ code: 1, stdout: '0 new bars, 0 revised, 1 sets failed\n' });
    expect(none.stderr).toMatch(/^BTCUSDT 1m spot: spot.symbols: .*\n {2}isobar doctor/);
  });

  it('isobar data download refreshes the records of the catalog', async () => {
    const listed = await dataCommand('a', 'instruments', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ isNew: false, changes: [], instrument: { wireName: 'BTCUSDT' } }]);
    expect(await dataCommand('c', 'instruments')).toMatchObject({
      code: 2,
      stderr: 'c: the catalog has no instruments\n  name some by --symbol\n',
    });
  });
});

/** Starts a command that keeps running, and returns it with its current output. */
function startCommand(...args: readonly string[]): {
  readonly child: ChildProcess;
  /** What it has already printed. */
  readonly output: () => string;
  readonly ended: Promise<number | null>;
} {
  const child = spawn(process.execPath, [COMMAND, ...args, ...urlOptions()], { cwd: fixture.folder });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output, ended: new Promise((resolve) => void child.on('close', resolve)) };
}

/** Waits until a condition is true, at most `maxMs`. */
async function until(isTrue: () => boolean, maxMs: number): Promise<void> {
  for (const untilMs = Date.now() + maxMs; !isTrue() && Date.now() < untilMs;) await setTimeout(1);
}

/** Starts a recording `leftS` seconds before the exchange's first minute ends. */
function startRecording(leftS: number, catalog: string) {
  exchange.runAt(Date.UTC(2026, 0, 5, 8, 0, 60 - leftS));
  return startCommand('data', 'record', '--symbol', 'BTCUSDT', '--interval', '1m', '--catalog', catalog);
}

describe('isobar data record', () => {
  it('isobar data record records the bar that closes, and ends in order by Ctrl-C', async () => {
    // The exchange's minute ends in two seconds, or later on a slow computer, because its clock starts with the command.
    let catalog = 'd';
    let recording = startRecording(2, catalog);
    for (const leftS of [8, 25]) {
      await until(() => recording.output().includes(' in all'), 60_000);
      if (recording.output().includes('299 in all')) break;
      recording.child.kill('SIGKILL');
      await recording.ended;
      catalog = `d${leftS}`;
      recording = startRecording(leftS, catalog);
    }
    const { child, output, ended } = recording;
    await until(() => output().includes('bar 2026-01-05 08:00'), 40_000);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(output()).toMatch(
      /^recording BTCUSDT 1m \(spot\) into d\d*; Ctrl-C ends it\n\d\d:\d\d:\d\d {2}BTCUSDT 1m {2}299 new bars, 299 in all\n/,
    );
    expect(output()).toMatch(/bar 2026-01-05 08:00 {2}close [\d.]+\nended; 1 bar recorded and written\n$/);
    expect(checkBars(join(fixture.folder, catalog), BTC)).toMatchObject({ unchanged: true, manifest: { rows: 300, gaps: 0, wrong: [] } });
  });

  it('isobar data record leaves a sound catalog when it is killed in the middle of a write', async () => {
    const catalog = join(fixture.folder, 'e');
    const folder = join(catalog, 'spot/BTCUSDT');
    const isWriting = () => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.tmp'));
    exchange.setClock(Date.UTC(2026, 0, 5, 8, 0, 30));
    await dataCommand('e', 'download', '--symbol', 'BTCUSDT', '--interval', '1m');
    let killsDuringWrite = 0;
    for (let round = 0; round < 4; round++) {
      exchange.setClock(exchange.nowMs + 60 * MINUTE_MS);
      const { child, ended } = startCommand('data', 'record', '--symbol', 'BTCUSDT', '--interval', '1m', '--catalog', 'e');
      await until(isWriting, 60_000);
      child.kill('SIGKILL');
      await ended;
      if (isWriting()) killsDuringWrite++;
      expect(checkBars(catalog, BTC)).toMatchObject({ unchanged: true, manifest: { gaps: 0, wrong: [] } });
    }
    expect(killsDuringWrite).toBeGreaterThan(0);
    const after = await dataCommand('e', 'download', '--symbol', 'BTCUSDT', '--interval', '1m');
    expect(after.code).toBe(0);
    expect(checkBars(catalog, BTC).manifest).toMatchObject({ rows: 299 + 240, gaps: 0 });
    expect(isWriting()).toBe(false);
  });
});
