// Tests the command `isobar backtest` as a user runs it: what it prints and writes. Tests that every command rejects an invalid command line.

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliFixture, COMMAND, STRATEGIES, withoutProgress } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
/** Runs the command in this process, which saves its start. Some tests start a process with `fixture.run`. */
const isobar = (...args: readonly string[]) => commandIn(fixture.folder, args);

const DEFINITION = `strategy: ${STRATEGIES}/smaCross.ts
params: { fast: 5, slow: 20 }
feeds: { bars: { symbol: TESTUSDT, interval: 1m } }
from: 2024-01-01T02:00
cash: { USDT: '10000' }
fees: { maker: '0.001', taker: '0.001' }
`;

beforeAll(() => {
  fixture.bars('TESTUSDT', '1m', 3000);
  fixture.write('x.yaml', DEFINITION);
});
afterAll(() => fixture.remove());

/** Returns the result hash of a printed summary. */
function hashOf(summary: string): unknown {
  return JSON.parse(summary).resultHash;
}

describe('isobar backtest', () => {
  test('isobar backtest prints a table, names its run folder, and writes every file into it', async () => {
    const { code, stdout, stderr } = await fixture.run('backtest', 'x.yaml');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/SmaCross {2}TESTUSDT 1m/);
    const [folder = ''] = fixture.runs();
    expect(folder).toMatch(/^\d{8}-\d{6}-smaCross$/);
    expect(stdout).toContain(`runs/${folder}/report.html`);
    expect(readdirSync(join(fixture.folder, 'runs', folder)).toSorted()).toEqual([
      'definition.yaml',
      'equity.arrow',
      'fills.csv',
      'manifest.json',
      'orders.csv',
      'report.html',
      'run.log',
      'summary.json',
      'trades.csv',
    ]);
    const read = (name: string) => readFileSync(join(fixture.folder, 'runs', folder, name), 'utf8');
    const manifest: unknown = JSON.parse(read('manifest.json'));
    expect(manifest).toMatchObject({
      format: 'isobar run 1',
      seed: 1,
      definition: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      strategies: [
        { name: 'SmaCross', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), params: { fast: 5, slow: 20 }, inputs: ['smaCross.ts'] },
      ],
      data: [{ feed: 'bars', instrument: 'spot:TESTUSDT', synthetic: true, manifestSha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      versions: { node: process.versions.node },
    });
    expect(read('definition.yaml')).toContain("size: { equity: '0.95' }");
    for (const line of read('run.log').trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  test('--json prints summary.json, and the definition in the run folder gives the same result', async () => {
    const firstRun = await fixture.run('backtest', 'x.yaml', '--json', '--out', 'a');
    expect(firstRun.code).toBe(0);
    const [folder = ''] = readdirSync(join(fixture.folder, 'a'));
    expect(firstRun.stdout).toBe(readFileSync(join(fixture.folder, 'a', folder, 'summary.json'), 'utf8'));
    const again = await isobar('backtest', `a/${folder}/definition.yaml`, '--json', '--out', 'b', '--quiet', '--no-report');
    expect(again.stderr).toBe('');
    expect(hashOf(again.stdout)).toBe(hashOf(firstRun.stdout));
  });

  test('--no-report writes every file except the report', async () => {
    const { code, stdout } = await isobar('backtest', 'x.yaml', '--no-report', '--out', 'noReport');
    expect(code).toBe(0);
    expect(stdout).not.toContain('Report');
    const [folder = ''] = readdirSync(join(fixture.folder, 'noReport'));
    const files = readdirSync(join(fixture.folder, 'noReport', folder));
    expect(files.toSorted()).toEqual([
      'definition.yaml',
      'equity.arrow',
      'fills.csv',
      'manifest.json',
      'orders.csv',
      'run.log',
      'summary.json',
      'trades.csv',
    ]);
    const report = await isobar('report', `noReport/${folder}`);
    expect(report.code).toBe(0);
    expect(report.stdout).not.toContain('Report');
    const opened = await isobar('report', `noReport/${folder}`, '--quiet');
    expect(opened.code).toBe(2);
    expect(opened.stderr).toContain('the run has no report');
  });

  test('--no-envelope changes only that summary, table and page have no envelope', async () => {
    const summaryOf = (outFolder: string): Record<string, unknown> => {
      const [run = ''] = readdirSync(join(fixture.folder, outFolder));
      const read = (file: string) => readFileSync(join(fixture.folder, outFolder, run, file), 'utf8');
      const hasEnvelopeOnPage = read('report.html').includes('id="envelope"');
      return { ...(JSON.parse(read('summary.json')) as object), hasEnvelopeOnPage };
    };
    const full = await isobar('backtest', 'x.yaml', '--out', 'full');
    const withoutEnvelope = await isobar('backtest', 'x.yaml', '--no-envelope', '--out', 'without');
    const { envelope, hasEnvelopeOnPage, ...rest } = summaryOf('full');
    expect(summaryOf('without')).toEqual({ ...rest, hasEnvelopeOnPage: false });
    expect(hasEnvelopeOnPage).toBe(true);
    expect(full.stdout).toContain('Envelope');
    expect(withoutEnvelope.stdout).not.toContain('Envelope');
    const { netProfit } = rest['metrics'] as { netProfit: string };
    expect(envelope).toMatchObject({
      netProfit: { low: netProfit, asRun: netProfit, high: netProfit },
      ambiguousFills: 0,
      ambiguousShare: 0,
      refinedWith: null,
      kind: 'bound',
    });
  });

  test('--set changes values of the definition, and --quiet prints only the run folder', async () => {
    const { code, stdout, stderr } = await isobar(
      'backtest',
      'x.yaml',
      '--set',
      'params.fast=7',
      '--set',
      'name=seven',
      '--set',
      'fees.taker=0.0005',
      '--quiet',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^runs\/\d{8}-\d{6}-seven\n$/);
    const text = readFileSync(join(fixture.folder, stdout.trim(), 'definition.yaml'), 'utf8');
    expect(text).toContain('params: { fast: 7, slow: 20 }');
    expect(text).toContain("taker: '0.0005'");
  });

  test('a backtest of a strategy on a file of bars needs no definition, and prints the one that it generated', async () => {
    const rows = Array.from(
      { length: 300 },
      (_, row) => `${Date.UTC(2024, 0, 1) + row * 60_000},${100 + (row % 7)},108,99,${101 + (row % 5)},2.5`,
    );
    fixture.write('MADEUSDT-1m.csv', `open_time_ms,open,high,low,close,volume\n${rows.join('\n')}\n`);
    const { code, stdout, stderr } = await isobar(
      'backtest',
      `${STRATEGIES}/smaCross.ts`,
      '--data',
      'MADEUSDT-1m.csv',
      '--cash',
      '500',
      '--params',
      'fast=3',
      '--params',
      'slow=9',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('MADEUSDT 1m');
    expect(stderr).toContain('# isobar data import MADEUSDT-1m.csv');
    expect(stderr).toContain("cash: { USDT: '500' }");
    expect(stderr).toContain('params: { fast: 3, slow: 9 }');
  });

  test('--demo runs a shipped strategy on synthetic bars, and says so', async () => {
    const { code, stdout } = await commandIn(fixture.folder, ['backtest', '--demo', '--out', 'demo']);
    expect(code).toBe(0);
    expect(stdout).toContain('DEMOUSDT 15m');
    expect(stdout).toContain('synthetic');
  });

  test('a strategy file beside --demo runs on the same bars, and its run can be repeated', async () => {
    const file = `${STRATEGIES}/donchianBreakout.ts`;
    const { code, stdout } = await commandIn(fixture.folder, [
      'backtest',
      file,
      '--demo',
      '--out',
      'own',
      '--quiet',
      '--params',
      'entryBars=30',
    ]);
    expect(code).toBe(0);
    const folder = stdout.trim();
    expect(readFileSync(join(fixture.folder, folder, 'definition.yaml'), 'utf8')).toMatch(
      /donchianBreakout\.ts[^]*entryBars: 30[^]*DEMOUSDT/,
    );
    expect((await commandIn(fixture.folder, ['verify', folder])).code).toBe(0);
  });
});

describe('an invalid command line', () => {
  test.each([
    [['backtst'], 'backtst: unknown command, the nearest valid one is backtest'],
    [['data', 'imprt'], 'imprt: unknown command, the nearest valid one is data import'],
    [['backtest', 'x.yaml', '--sett', 'a=1'], '--sett: unknown option, the nearest valid one is --set'],
    [['backtest', 'x.yaml', '--out'], '--out: expected a value, got nothing'],
    [['backtest', 'x.yaml', '--out', 'a', '--out', 'b'], '--out: expected one value, got several'],
    [['backtest', 'x.yaml', '--bar-timeout', 'soon'], "--bar-timeout: expected seconds (0 to 86400), got 'soon'"],
    [['backtest', 'x.yaml', '--out', ''], '--out: expected a value, got nothing'],
    [['backtest', 'x.yaml', '--quiet=1'], '--quiet: expected true or false, got "1"'],
    [['data', 'import', 'x.csv', '--catalog'], '--catalog: expected a value, got nothing'],
    [['data', 'import', 'x.csv', '--catalog', ''], '--catalog: expected a value, got nothing'],
    [['data', 'import', 'x.csv', '--catalog', '--json'], '--catalog: expected a value, got nothing'],
    [['data', 'import', 'x.csv', '--rejects', 'y.csv'], '--rejects: expected only with --skip-bad, which writes bad rows to a reject file'],
    [['data', 'import', 'x.csv', '--market', 'perp'], '--market: expected one of spot, futures, got "perp"'],
    [['data', 'import', '--', '--symbol', 'X'], '--: expected nothing after it, got --symbol X'],
    [['data', 'import', 'x.csv', '--', '--symbol', 'X'], '--: expected nothing after it, got --symbol X'],
    [['data', 'list', '--', '--json'], '--: expected nothing after it, got --json'],
    [['completion', 'tcsh'], 'shell: expected one of bash, zsh, fish, got "tcsh"'],
    [['backtest', 'a.yaml', 'b.yaml'], 'b.yaml: unexpected argument'],
    [['backtest'], 'backtest: expected a run definition or a strategy file, got nothing'],
    [['backtest', 'x.ts'], 'x.ts: expected --data FILE with a strategy file'],
    [['report'], 'isobar report: expected <run>, got nothing'],
    [['data', 'generate', '--symbol', 'AUSDT'], 'isobar data generate: expected --interval, --from, --bars, --seed, got nothing'],
    [[], 'Name a command, such as backtest; isobar --help lists them'],
  ])('isobar with the arguments %j ends with code 2 and names the mistake', async (args, message) => {
    const { code, stdout, stderr } = await commandIn(fixture.folder, args);
    expect(stderr.split('\n')[0]).toBe(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('the error about an invalid command line refers to the help of the command', async () => {
    expect((await commandIn(fixture.folder, ['data', 'list', 'x'])).stderr).toContain('see isobar data list --help');
    expect((await commandIn(fixture.folder, ['nosuch'])).stderr).toContain(', sweep, sweep-worker, prove, why, verify,');
  });

  test('the error about a superfluous run folder shows its name if the folder exists, and otherwise masks it like a key', async () => {
    const name = 'runs/20240131-120000-sweep-smaCross';
    const ended = await commandIn(fixture.folder, ['report', 'a', 'b', name]);
    expect(ended.stderr).toContain('[redacted]');
    fixture.write(`${name}/summary.json`, '{}');
    const { stderr } = await commandIn(fixture.folder, ['report', 'a', 'b', name]);
    expect(stderr.split('\n')[0]).toBe(`${name}: unexpected argument`);
  });

  test('the error about an invalid command line is English, whatever the language of the terminal', async () => {
    vi.stubEnv('LC_ALL', 'de_DE.UTF-8');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, stdout, stderr } = await fixture.run('backtest', 'x.yaml', '--sett', 'a=1');
    expect(stderr.split('\n')[0]).toBe('--sett: unknown option, the nearest valid one is --set');
    expect([code, stdout]).toEqual([2, '']);
  });
});

test('--version prints the version of the package, and --help lists the commands', async () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const version = await fixture.run('--version');
  expect(manifest).toMatchObject({ version: version.stdout.trim() });
  const help = await fixture.run('--help');
  expect(help.stdout).toContain('isobar backtest');
  expect(help.stdout).toContain('isobar data');
});

// Only Linux has a device that is always full.
test.runIf(existsSync('/dev/full'))('output that cannot be written is reported without a stack', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, '--version'], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
  closeSync(full);
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^stdout: cannot be written: ENOSPC.*\n {2}make room, or write elsewhere\n$/),
  ]);
});

test('a temporary folder that does not exist is reported by its name', () => {
  const none = fixture.write('afile', '');
  // The names of the variable on Linux, macOS and Windows.
  const env = { ...process.env, TMPDIR: none, TEMP: none, TMP: none };
  fixture.write('AAAUSDT-1m.csv', 'open_time_ms,open,high,low,close,volume\n1704067200000,1,1,1,1,1\n');
  const args = [COMMAND, 'backtest', `${STRATEGIES}/smaCross.ts`, '--data', 'AAAUSDT-1m.csv', '--cash', '100'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: fixture.folder, env, encoding: 'utf8' });
  expect([status, withoutProgress(stderr)]).toEqual([
    2,
    expect.stringContaining(`${none}: cannot be written: a part of the path is a file`),
  ]);
});
