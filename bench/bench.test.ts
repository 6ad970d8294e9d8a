// Tests the benchmark itself: the engine has the same figures as its C programs, the copy of a strategy file is removed, and the command line is read.
// The strategies of cliffs.ts are slow in the engine for a reason that each title names. pairs.ts computes twenty series.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { loadBars } from '../dist/adapters/catalog/bars/catalog.js';
import { importFiles } from '../dist/adapters/catalog/import/importFiles.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import { sharedFile } from '../test/fixtures/sharedData.ts';
import { readArguments } from './arguments.ts';
import { cliffRunner, CLIFFS, prepareCliffs, runCliffReference, type Cliff } from './cliffs.ts';
import { assertEqualColumns, columnsOfC, columnsOfEngine, pairBars, preparePairs } from './pairs.ts';
import { buildReference, runReference, writeUnits, type Workload } from './reference.ts';
import { benchInstrument, randomWalk } from './series.ts';
import { feedPlan, loadStrategyFile, benchPlan, runTimed } from './workloads.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const program = buildReference(folder);
/** Time of the import, after the last bar. */
const NOW_MS = Date.UTC(2033, 4, 18);

/** Lots of an order, cash and fee of every run here. */
const ACCOUNT_TERMS = { lots: 1, cashUnits: 1e14, feePpm: 400 };

/** Expects the figures of the C reference from the SMA cross with `when` and from the one with `onBar`. */
async function expectReferenceFigures(bars: BarColumns, work: Workload): Promise<void> {
  const file = join(folder, 'units.bin');
  writeUnits(file, bars);
  const { nsPerBar: _, ...expected } = runReference(program!, file, work, 1);
  expect(expected.fills).toBeGreaterThan(10);
  for (const strategyFile of ['strategies/smaCross.ts', 'strategies/smaCrossOnBar.ts']) {
    const windows = { fast: work.fast, slow: work.slow };
    const plan = benchPlan(await loadStrategyFile(strategyFile), [feedPlan('bars', bars)], work, windows);
    const { figures } = await runTimed(plan);
    expect(figures, strategyFile).toEqual(expected);
  }
}

describe.skipIf(program === null)('SMA cross', () => {
  it.each([
    [10, 30],
    [100, 300],
    [1, 2],
  ])('the engine equals the C reference on synthetic bars: SMA %i/%i', async (fast, slow) => {
    await expectReferenceFigures(randomWalk('AAAUSDT', 60_000, 7), { fast, slow, ...ACCOUNT_TERMS });
  });

  const realBars = sharedFile('klines/binance-um-2024/BTCUSDT-15m.csv.gz');
  it.skipIf(realBars === null)('the engine equals the C reference on real 15-minute bars', async () => {
    await importFiles([realBars!], { catalog: folder, nowMs: NOW_MS });
    const { bars } = loadBars(folder, { market: 'spot', symbol: 'BTCUSDT', interval: '15m' });
    await expectReferenceFigures({ ...bars, instrument: benchInstrument('BTCUSDT') }, { fast: 10, slow: 30, ...ACCOUNT_TERMS });
  });
});

describe.skipIf(program === null)('strategies of cliffs.ts', () => {
  const bars = randomWalk('AAAUSDT', 60_000, 7);
  const inputs = program === null ? null : prepareCliffs(folder, bars);
  it.each(Object.keys(CLIFFS) as Cliff[])('the engine equals cliffs.c: %s', async (name) => {
    const { nsPerBar: _, ...expected } = runCliffReference(inputs!, name, 1);
    const run = await cliffRunner(name, bars);
    expect((await run()).figures).toEqual(expected);
  });
});

describe.skipIf(program === null)('twenty series over two feeds', () => {
  it.each([1, 2048])('no value of the engine differs from pairs.c by more than a billionth, in blocks of %i rows', async (blockRows) => {
    const pair = pairBars(20_000);
    const inputs = preparePairs(folder, pair);
    const columns = await columnsOfEngine(pair, blockRows);
    for (const windowsOfC of ['rolling', 'windows'] as const) assertEqualColumns(columns, columnsOfC(inputs, windowsOfC));
  });

  it('the comparison with pairs.c finds one value that differs by 1e-8', async () => {
    const pair = pairBars(20_000);
    const inputs = preparePairs(folder, pair);
    const columns = await columnsOfEngine(pair);
    const changedColumn = columns[9]!.map((value, row) => value + (row === 15_000 ? 1e-8 : 0));
    expect(() => assertEqualColumns(columns.with(9, changedColumn), columnsOfC(inputs, 'rolling'))).toThrow('series 9 at row 15000');
  });
});

it('the copy of a strategy file that is loaded under an alias is removed', async () => {
  const temporaryFolder = join(folder, 'temporary');
  mkdirSync(temporaryFolder);
  vi.stubEnv('TMPDIR', temporaryFolder);
  const { strategy, file } = await loadStrategyFile('strategies/smaCrossOnBar.ts', 'AnotherCross').finally(() => vi.unstubAllEnvs());
  expect([strategy.name, file]).toEqual(['AnotherCross', 'strategies/smaCrossOnBar.ts']);
  expect(readdirSync(temporaryFolder).filter((name) => name.startsWith('isobar-bench-'))).toEqual([]);
});

describe('the command line of the benchmark', () => {
  it('parts named with or without hyphens are run in the order of the list of parts', () => {
    expect(readArguments(['sweep', '--orders', '--json'])).toMatchObject({ parts: ['orders', 'sweep'], isJson: true, isHelp: false });
  });

  it('without a word, no part is named', () => {
    expect(readArguments([])).toMatchObject({ parts: [], isJson: false, isOnBothNodes: false, isHelp: false });
  });

  it('a number after --long is its number of bars', () => {
    expect(readArguments(['--long', '20000000'])).toMatchObject({ parts: ['long'], longRows: 20_000_000 });
  });

  const runBench = (word: string) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'run.mjs'), word], { encoding: 'utf8', timeout: 20_000 });

  it('--help prints the usage and measures nothing', () => {
    expect(runBench('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('sweep'), stderr: '' });
  });

  it('an unknown word is an error, and nothing is measured', () => {
    expect(runBench('swep')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining("'swep' is no part of the benchmark"),
    });
  });
});
