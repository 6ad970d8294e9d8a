// Tests the curves of a comparison against a walk over all instants, and the text about two runs.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomScript, runRecord, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { equityColumns } from '../summary/resultHash.ts';
import { csvText } from '../summary/csvFile.ts';
import { buildSummary } from '../summary/summary.ts';
import { fillsTable } from '../summary/tables.ts';
import { compareRuns, reportedInputs } from './comparison.ts';
import { curvesOf, type Curve } from './curves.ts';
import type { ComparedRun } from './input.ts';
import { compareTable } from './terminal.ts';

const MINUTE_MS = 60_000;

/** Returns a run over random bars with random orders. */
function recordOf(rows: number, seed: number): RunRecord {
  return runRecord({ bars: [testBars(testInstrument(), rows, 1)], script: randomScript(seed, { rows, fills: 40 }) });
}

/** Returns a run as the comparison takes it. */
function comparedRun(record: RunRecord, changes: Partial<ComparedRun> = {}): ComparedRun {
  const [{ values: timeMs }, { values: equity }] = equityColumns(record);
  return {
    name: 'run',
    path: 'runs/run',
    summary: buildSummary(record, { versions: {} }),
    timeMs,
    equity,
    fills: csvText(fillsTable(record))
      .trimEnd()
      .split('\n')
      .map((line) => line.split(',')),
    definition: new Map([['seed', '1']]),
    inputs: [],
    ...changes,
  };
}

test('each instant of a comparison has the last equity before it and the deepest drawdown since the instant before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 50, max: 900 }), fc.integer({ min: 50, max: 900 }), fc.nat(1000), (rowsA, rowsB, seed) => {
      const a = comparedRun(recordOf(rowsA, seed));
      const b = comparedRun(recordOf(rowsB, seed + 1));
      const curves = curvesOf(a, b);
      expect(curves.ms[0]).toBe(Math.min(a.summary.run.fromMs, b.summary.run.fromMs));
      expect(curves.ms.at(-1)).toBe(Math.max(a.summary.run.toMs, b.summary.run.toMs));
      expectCurve(a, curves.a, curves.ms);
      expectCurve(b, curves.b, curves.ms);
    }),
    { numRuns: 10 },
  );
});

/** Expects the curve of a run at each instant, from all rows of the run up to it. */
function expectCurve(run: ComparedRun, curve: Curve, instantsMs: Float64Array): void {
  const { fromMs, toMs, startEquity } = run.summary.run;
  const start = Number(startEquity);
  let peak = start;
  const drawdowns = Array.from(run.equity, (equity) => {
    peak = Math.max(peak, equity);
    return equity / peak - 1;
  });
  instantsMs.forEach((instantMs, instant) => {
    const previousMs = instantsMs[instant - 1] ?? -Infinity;
    const isInRun = instantMs >= fromMs && !(instantMs > toMs && previousMs >= toMs);
    const rows = Array.from(run.timeMs.keys()).filter((row) => run.timeMs[row]! <= instantMs);
    const lastRow = rows.at(-1);
    const growth = lastRow === undefined ? 1 : run.equity[lastRow]! / start;
    expect(curve.growth[instant]).toBe(isInRun ? growth : NaN);
    const drawdownsSince = rows.filter((row) => run.timeMs[row]! > previousMs).map((row) => drawdowns[row]!);
    const lastRowBefore = rows.filter((row) => run.timeMs[row]! <= previousMs).at(-1);
    const drawdownBefore = lastRowBefore === undefined ? 0 : drawdowns[lastRowBefore]!;
    if (isInRun) expect(curve.depth[instant]).toBeCloseTo(Math.min(drawdownBefore, ...drawdownsSince), 12);
    else expect(curve.depth[instant]).toBe(NaN);
  });
}

test('the curves of a long run have at most 20,002 instants, on the grid of their step', () => {
  const record = recordOf(60_000, 3);
  const { stepMs, ms } = curvesOf(comparedRun(record), comparedRun(record));
  expect(stepMs).toBe(5 * MINUTE_MS);
  expect(ms.length).toBeLessThanOrEqual(20_002);
  expect(ms.slice(1, -1).every((time) => time % stepMs === 0)).toBe(true);
});

test('a run compared with itself has no difference', () => {
  const run = comparedRun(recordOf(2000, 7));
  const comparison = compareRuns(run, run);
  expect(comparison).toMatchObject({ isIdentical: true, keys: [], inputs: [], firstFill: null });
  expect(comparison.figures.every(({ difference, better }) => (difference === 0 || difference === null) && better === null)).toBe(true);
  expect(comparison.figures.length).toBeGreaterThan(60);
  expect(compareTable(comparison, { colour: false, report: 'x.html' })).toContain('The results are identical');
});

test('equal figures make neither run better, also in an asset whose name has a digit', () => {
  const inDollars = comparedRun(recordOf(2000, 7));
  const { summary } = inDollars;
  const run = { ...inDollars, summary: { ...summary, run: { ...summary.run, reportingAsset: 'USD1' } } };
  expect(compareRuns(run, run).figures.filter(({ better }) => better !== null)).toEqual([]);
});

test('a comparison of two runs reports figures with their direction, keys, inputs and the first different fill', () => {
  const recordA = recordOf(3000, 7);
  const recordB = recordOf(3000, 8);
  const inputFile = (name: string, value: string) => ({ use: 'code', name, value: value.repeat(64) });
  const a = comparedRun(recordA, {
    definition: new Map([
      ['params.fast', '5'],
      ['seed', '1'],
    ]),
    inputs: [inputFile('x.ts', 'a'), inputFile('only.ts', 'c')],
  });
  const b = comparedRun(recordB, {
    definition: new Map([
      ['params.fast', '8'],
      ['seed', '1'],
      ['risk.maxLeverage', '1'],
    ]),
    inputs: [inputFile('x.ts', 'b')],
  });
  const comparison = compareRuns(a, b);
  expect(comparison.keys).toEqual([
    { use: 'definition', name: 'params.fast', a: '5', b: '8' },
    { use: 'definition', name: 'risk.maxLeverage', a: null, b: '1' },
  ]);
  expect(comparison.inputs.map(({ name }) => name)).toEqual(['x.ts', 'only.ts']);
  expect(reportedInputs(comparison).map(({ name }) => name)).toEqual(['x.ts']);
  const figure = (name: string) => comparison.figures.find((candidate) => candidate.name === name)!;
  const [sharpe, volume, net] = ['sharpe', 'volume', 'totalReturn'].map(figure);
  expect(sharpe?.difference).toBe(sharpe!.b! - sharpe!.a!);
  expect(sharpe?.better).toBe(sharpe!.difference! > 0 ? 'b' : 'a');
  expect(volume).toMatchObject({ better: null, difference: expect.any(Number) });
  expect(net).toMatchObject({ better: null, text: { difference: expect.stringContaining('0.00') } });
  const { row } = comparison.firstFill!;
  expect(a.fills.slice(1, row).map((cells) => cells.slice(2))).toEqual(b.fills.slice(1, row).map((cells) => cells.slice(2)));
  const table = compareTable(comparison, { colour: false, report: 'runs/compare.html' });
  expect(table).toMatch(/^ {2}Sharpe .* [+−]\d+\.\d\d [▲▼]$/m);
  expect(table).toMatch(/params\.fast +definition +5 +8/);
  for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test('a fill that only one of two runs has is the first different fill', () => {
  const run = comparedRun(recordOf(2000, 7));
  const shorter = { ...run, fills: run.fills.slice(0, -1) };
  const { firstFill } = compareRuns(shorter, run);
  expect(firstFill).toMatchObject({ row: run.fills.length - 1, a: null });
  expect(firstFill?.b?.['price']).toBe(run.fills.at(-1)?.[run.fills[0]!.indexOf('price')]);
});
