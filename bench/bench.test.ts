// The engine against the C reference, bit for bit: the gate of the benchmark, on synthetic and on real bars, in both forms of the SMA cross.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { loadBars } from '../dist/adapters/catalog/bars/catalog.js';
import { importFiles } from '../dist/adapters/catalog/import/importFiles.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import { sharedFile } from '../test/fixtures/sharedData.ts';
import { cliffRunner, CLIFFS, prepareCliffs, runCliff, type Cliff } from './cliffs.ts';
import { buildReference, runReference, writeUnits, type Workload } from './reference.ts';
import { benchInstrument, walk } from './series.ts';
import { feedPlan, load, planFor, timed } from './workloads.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const program = buildReference(folder);

async function expectEqual(bars: BarColumns, work: Workload): Promise<void> {
  const file = join(folder, 'units.bin');
  writeUnits(file, bars);
  const { nsPerBar: _, ...expected } = runReference(program!, file, work, 1);
  expect(expected.fills).toBeGreaterThan(10);
  for (const form of ['strategies/smaCross.ts', 'strategies/smaCrossOnBar.ts']) {
    const { figures } = await timed(planFor(await load(form), [feedPlan('bars', bars)], work, { fast: work.fast, slow: work.slow }));
    expect(figures, form).toEqual(expected);
  }
}

describe.skipIf(program === null)('the engine equals the C reference', () => {
  it.each([
    [10, 30],
    [100, 300],
    [1, 2],
  ])('on synthetic bars, SMA %i/%i', async (fast, slow) => {
    await expectEqual(walk('AAAUSDT', 60_000, 7), { fast, slow, lots: 1, cashUnits: 1e14, feePpm: 400 });
  });

  const path = sharedFile('klines/binance-um-2024/BTCUSDT-15m.csv.gz');
  it.skipIf(path === null)('on real quarter-hours', async () => {
    await importFiles([path!], { catalog: folder, nowMs: 2e12 });
    const { bars } = loadBars(folder, { market: 'spot', symbol: 'BTCUSDT', interval: '15m' });
    await expectEqual({ ...bars, instrument: benchInstrument('BTCUSDT') }, { fast: 10, slow: 30, lots: 1, cashUnits: 1e14, feePpm: 400 });
  });
});

describe.skipIf(program === null)('a strategy that leaves the common path trades as its C program', () => {
  const bars = walk('AAAUSDT', 60_000, 7);
  const prepared = program === null ? null : prepareCliffs(folder, bars);
  it.each(Object.keys(CLIFFS) as Cliff[])('%s', async (name) => {
    const { nsPerBar: _, ...expected } = runCliff(prepared!, name, 1);
    const run = await cliffRunner(name, bars);
    expect((await run()).figures).toEqual(expected);
  });
});

it('a strategy under another name leaves no copy of its file behind', async () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  vi.stubEnv('TMPDIR', temporary);
  const { strategy, file } = await load('strategies/smaCrossOnBar.ts', 'AnotherCross').finally(() => vi.unstubAllEnvs());
  expect([strategy.name, file]).toEqual(['AnotherCross', 'strategies/smaCrossOnBar.ts']);
  expect(readdirSync(temporary).filter((name) => name.startsWith('isobar-bench-'))).toEqual([]);
});
