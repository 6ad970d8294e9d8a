// Tests a run of futures as a user does it: imported files, a definition, a run folder, and `verify` after a change.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backtest } from 'isobar/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/base/errors.ts';
import { loadSeries, storeSeries } from '../../src/adapters/catalog/series/seriesStore.ts';
import type { Summary } from '../../src/report/summary/summary.ts';
import { backtestIn } from '../fixtures/inProcess.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = `${ROOT}dist/cli/isobar.js`;
const folder = mkdtempSync(join(tmpdir(), 'isobar-futures-'));
const startFolder = process.cwd();
afterAll(() => {
  process.chdir(startFolder);
  rmSync(folder, { recursive: true });
});

/** Runs a command that must succeed, and returns its output. */
const isobar = (...words: string[]) =>
  execFileSync(process.execPath, [COMMAND, ...words], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
/** Runs a command that may fail. */
const runCommand = (...words: string[]) => spawnSync(process.execPath, [COMMAND, ...words], { cwd: folder, encoding: 'utf8' });

const DEFINITION = `strategy: ${ROOT}strategies/fundingFade.ts
params: { bandBars: 40 }
feeds: { bars: { symbol: SYNUSDT, interval: 15m } }
market: futures
cash: '10000'
`;
const writeFile = (name: string, text: string) => writeFileSync(join(folder, name), text);
const summaryOf = (...words: string[]) => JSON.parse(isobar('backtest', ...words, '--json')) as Summary;

/** Runs the definition in this process, and writes nothing. */
const summaryInProcess = async (definition: string, ...set: string[]) => (await backtest({ definition, set })).summary;

/** The run folder of the first test. */
const keptRun = () => readdirSync(join(folder, 'kept'))[0]!;

beforeAll(() => {
  process.chdir(folder);
  isobar(...'data generate --market futures --symbol SYNUSDT --interval 15m --from 2024-01-01 --bars 2000 --seed 3'.split(' '));
  writeFile('run.yaml', DEFINITION);
});

describe('a run of futures', () => {
  it('a run of futures uses the defaults of its definition, names the source of its marks, and pays funding', async () => {
    const { run, costBridge, resultHash } = summaryOf('run.yaml', '--out', 'kept');
    expect(run.instruments).toMatchObject([{ id: 'futures:SYNUSDT', markSource: 'mark klines 15m' }]);
    expect(Number(costBridge.funding)).not.toBe(0);
    const settled = readFileSync(join(folder, 'kept', keptRun(), 'definition.yaml'), 'utf8');
    expect(settled).toContain("futures: { leverage: 1, margin: cross, positions: net, liquidationFee: '0.005', marks: auto }");
    expect(settled).toContain("fees: { in: quote, rounding: halfUp, maker: '0.0002', taker: '0.0005' }");
    // A definition that writes the defaults out gives the same run.
    writeFile('again.yaml', settled);
    expect((await summaryInProcess('again.yaml')).resultHash).toBe(resultHash);
  });

  it('a run of futures that is marked with the bars has another hash, and says so', async () => {
    const { run } = await summaryInProcess('run.yaml', 'futures.marks=bars');
    expect(run.instruments).toMatchObject([{ markSource: 'last price' }]);
  });

  it.each([
    ['futures.leverage=126', 'futures.leverage: expected 1 to 125 for futures:SYNUSDT, got 126'],
    ['fees.in=received', 'fees.in: expected quote: fees of futures are in the margin coin'],
  ])('a run of futures with %s is rejected with its place', async (change, message) => {
    const { code, stderr } = await backtestIn(folder, 'run.yaml', [change]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('a run of futures and `data check` report an impossible mark that would liquidate a position', async () => {
    const key = { kind: 'mark', symbol: 'SYNUSDT', interval: '15m' } as const;
    const { columns } = loadSeries(join(folder, 'data'), key)!;
    const figures = columns.figures.map((figure, columnIndex) =>
      columnIndex === 2 ? figure.with(1200, Math.round(figure[1200]!) / 100) : figure,
    );
    storeSeries(join(folder, 'data'), key, { ...columns, figures, digits: Math.max(columns.digits, 2) }, true);
    const expected = { code: 'DATA_JUMP', text: expect.stringContaining('SYNUSDT mark 15m: 1 bar with a price that jumps and returns') };
    const { warnings } = await summaryInProcess('run.yaml');
    expect(warnings.filter(({ code }) => code === 'DATA_JUMP')).toMatchObject([expected]);
    const checked = JSON.parse(isobar('data', 'check', '--json')) as { readonly kind?: string; readonly warnings: readonly unknown[] }[];
    expect(checked.find(({ kind }) => kind === 'mark')!.warnings).toMatchObject([expected]);
    expect(isobar('data', 'check')).toContain('SYNUSDT mark 15m: 1 bar with a price that jumps');
    storeSeries(join(folder, 'data'), key, columns, true);
  });

  it('a run of futures is checked for later changes: verify names the marks and the funding', () => {
    for (const key of [
      { kind: 'mark', symbol: 'SYNUSDT', interval: '15m' },
      { kind: 'funding', symbol: 'SYNUSDT' },
    ] as const) {
      const { columns } = loadSeries(join(folder, 'data'), key)!;
      const figures = columns.figures.map((figure) => figure.map((value) => (key.kind === 'mark' ? value * 2 : -value)));
      storeSeries(join(folder, 'data'), key, { ...columns, figures }, true);
    }
    const { status, stdout, stderr } = runCommand('verify', join('kept', keptRun()));
    expect(status).toBe(EXIT.differs);
    for (const file of ['mark-15m.arrow', 'funding.arrow']) expect(`${stdout}${stderr}`).toContain(file);
  });
});

describe('a run over both markets', () => {
  const carry = `strategy: ${ROOT}strategies/fundingCarry.ts
params: { rates: 3, enterRate: 0.0001, leaveRate: 0 }
feeds:
  spot: { market: spot, symbol: PAIRUSDT, interval: 1h }
  perp: { market: futures, symbol: PAIRUSDT, interval: 1h }
cash: '10000'
`;
  beforeAll(() => {
    for (const market of ['spot', 'futures']) {
      isobar(...`data generate --market ${market} --symbol PAIRUSDT --interval 15m --from 2024-01-01 --bars 3000 --seed 3`.split(' '));
    }
    writeFile('carry.yaml', carry);
  });

  it('a run over both markets has two accounts, distinguishes its instruments, fills inside the hours, and can be repeated from its definition', async () => {
    const { run, resultHash, costBridge } = summaryOf('carry.yaml', '--out', 'pair');
    expect(run.feeds).toMatchObject([
      { name: 'spot', instrument: 'spot:PAIRUSDT', interval: '1h', execution: false },
      { name: 'perp', instrument: 'futures:PAIRUSDT', interval: '1h', execution: false },
      { instrument: 'spot:PAIRUSDT', interval: '15m', execution: true, inside: true },
      { instrument: 'futures:PAIRUSDT', interval: '15m', execution: true, inside: true },
    ]);
    expect(Number(costBridge.funding)).not.toBe(0);
    const [runFolder] = readdirSync(join(folder, 'pair'));
    const settled = readFileSync(join(folder, 'pair', runFolder!, 'definition.yaml'), 'utf8');
    expect(settled).toContain("spot: { USDT: '5000' }");
    writeFile('carryAgain.yaml', settled);
    expect((await summaryInProcess('carryAgain.yaml')).resultHash).toBe(resultHash);
    const { stdout } = runCommand('backtest', 'carry.yaml');
    expect(stdout).toContain('PAIRUSDT (spot) 1h 15m, PAIRUSDT (futures) 1h 15m');
    // Without the finer bars the run differs.
    expect((await summaryInProcess('carry.yaml', 'fills.inside=off')).run.feeds).toHaveLength(2);
  });

  it('a run over both markets says whose balance is missing', () => {
    const { status, stderr } = runCommand('backtest', 'carry.yaml', '--set', 'cash={ spot: { USDT: "5" } }');
    expect(status).toBe(2);
    expect(stderr).toContain('cash.futures: expected balances by asset, got nothing');
  });
});
