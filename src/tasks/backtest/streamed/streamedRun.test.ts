// A run over bars that are read block by block leaves the same folder, byte by byte, as the same run over bars in memory.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { generateInto } from '../../../adapters/catalog/generate/generateInto.ts';
import { openRequest } from '../../../definition/request.ts';
import type { ResolveOptions } from '../../../definition/resolve.ts';
import { closingTable, drawnEquity } from '../../../report/terminal/closingTable.ts';
import { writeRunFolder } from '../folder/write.ts';
import { NO_WATCHER, runBacktestRequest } from '../run/executeDefinition.ts';
import { strategyPlanOf } from '../../../definition/load/strategies.ts';
import type { StrategyClass } from '../../../strategy/strategy.ts';
import BollingerGrid from '../../../../strategies/bollingerGrid.ts';
import DonchianBreakout from '../../../../strategies/donchianBreakout.ts';
import RsiMeanReversion from '../../../../strategies/rsiMeanReversion.ts';
import SmaCross from '../../../../strategies/smaCross.ts';
import SmaCrossOnBar from '../../../../strategies/smaCrossOnBar.ts';

// The shipped strategies import the built package by its name.
vi.mock('isobar', () => import('../../../index.ts'));

const CLASSES: Readonly<Record<string, StrategyClass>> = {
  bollingerGrid: BollingerGrid,
  donchianBreakout: DonchianBreakout,
  rsiMeanReversion: RsiMeanReversion,
  smaCross: SmaCross,
  smaCrossOnBar: SmaCrossOnBar,
};

const ROOT = new URL('../../../..', import.meta.url).pathname;
const ROWS = 210_000;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-streamed-'));
  const fromMs = Date.UTC(2024, 0, 1);
  const catalog = join(folder, 'data');
  generateInto(catalog, { symbol: 'LONGUSDT', interval: '1m', fromMs, bars: ROWS, seed: 5 });
  generateInto(catalog, { symbol: 'GAPSUSDT', interval: '1m', fromMs: fromMs + 61_000, bars: ROWS, seed: 6, gapShare: 0.2, price: 2 });
  generateInto(catalog, { symbol: 'DAYSUSDT', interval: '1h', fromMs, bars: 3000, seed: 7, gapShare: 0.05 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Wanted {
  readonly strategy: string;
  readonly params?: string;
  readonly symbol?: string;
  readonly interval?: string;
  readonly more?: string;
}

let count = 0;

function definition({ strategy, params = '{}', symbol = 'LONGUSDT', interval = '1m', more = '' }: Wanted): string {
  const file = join(folder, `run${count++}.yaml`);
  writeFileSync(
    file,
    `strategy: ${ROOT}strategies/${strategy}.ts\nparams: ${params}\n` +
      `feeds: { bars: { symbol: ${symbol}, interval: ${interval} } }\ncash: { USDT: '1000000' }\nseed: 3\ncatalog: ${join(folder, 'data')}\n${more}\n`,
  );
  return file;
}

interface Written {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly table: string;
  readonly wasStreamed: boolean;
}

async function written(file: string, isStreamed: boolean): Promise<Written> {
  const name = `${isStreamed ? 'streamed' : 'whole'}${count++}`;
  const out = join(folder, name);
  mkdirSync(out);
  const staging = join(folder, `.${name}`);
  const streams = isStreamed ? { folder: join(staging, 'streamed'), minRows: 1 } : null;
  const run = await runBacktestRequest(
    await openRequest({ kind: 'file', file, settings: [] }),
    { load: loadClass },
    { ...NO_WATCHER, findsEnvelope: false, streams },
  );
  const table = closingTable(drawnEquity(run.record), run.summary, { colour: false });
  const place = await writeRunFolder(out, staging, run, false);
  expect(existsSync(staging)).toBe(false);
  const files = readdirSync(place).filter((each) => each !== 'run.log' && each !== 'manifest.json');
  const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  const known = Buffer.from(JSON.stringify({ ...manifest, writtenAt: '', startedIn: '' }));
  return {
    files: new Map([...files.map((each) => [each, readFileSync(join(place, each))] as const), ['manifest', known]]),
    table,
    wasStreamed: run.record.streamed !== undefined,
  };
}

/** The sources have strategies as classes: a file of strategies is bundled with the built package. */
const loadClass: NonNullable<ResolveOptions['load']> = async (entry, source) => {
  const name = basename(entry.file, '.ts');
  const loaded = { strategy: CLASSES[name]!, name, hash: name };
  return { plan: strategyPlanOf(entry, loaded, source), inputs: [], folder: ROOT };
};

async function compare(wanted: Wanted, isStreamed = true): Promise<Written> {
  const file = definition(wanted);
  const whole = await written(file, false);
  const streamed = await written(file, true);
  expect(streamed.wasStreamed).toBe(isStreamed);
  expect(whole.wasStreamed).toBe(false);
  expect(streamed.table).toBe(whole.table);
  expect([...streamed.files.keys()]).toEqual([...whole.files.keys()]);
  for (const [name, bytes] of whole.files) {
    const other = streamed.files.get(name)!;
    if (bytes.equals(other)) continue;
    const at = bytes.findIndex((byte, index) => byte !== other[index]);
    const around = (of: Buffer): string => `${name}, byte ${at}: ${of.toString('latin1', Math.max(0, at - 60), at + 60)}`;
    expect(around(other)).toBe(around(bytes));
  }
  return whole;
}

const RISK = "risk: { maxLeverage: '3' }\n";
const LATE =
  "fills: { limit: through, latencyMs: 90000, maxVolumeShare: '0.05' }\nfees: { maker: '0.0008', taker: '0.001', in: received }\n" + RISK;

describe('the same folder as in memory', () => {
  it.each<[string, Wanted]>([
    ['crossings', { strategy: 'smaCross', params: '{ fast: 10, slow: 30 }', more: RISK }],
    [
      'crossings seen by onBar, over gaps',
      { strategy: 'smaCrossOnBar', params: '{ fast: 100, slow: 300 }', symbol: 'GAPSUSDT', more: RISK },
    ],
    ['a grid of limits with brackets', { strategy: 'bollingerGrid', params: '{ bandBars: 300, levels: 2, minStep: 0.01 }', more: RISK }],
    [
      'the same late and in parts',
      { strategy: 'bollingerGrid', params: '{ bandBars: 384, levels: 2, minStep: 0.01 }', symbol: 'GAPSUSDT', more: LATE },
    ],
    ['stops and trailing stops', { strategy: 'donchianBreakout', params: '{ entryBars: 200, exitBars: 100 }', more: RISK }],
    ['the same late, over gaps', { strategy: 'donchianBreakout', symbol: 'GAPSUSDT', more: LATE }],
    [
      'a range with a warm-up before it',
      { strategy: 'rsiMeanReversion', more: `from: 2024-02-01T00:17:00Z\nto: 2024-05-03T12:00:00Z\n${RISK}` },
    ],
    ['a look-back of 20,000 rows', { strategy: 'smaCross', params: '{ fast: 500, slow: 20000 }', more: RISK }],
    ['few rows', { strategy: 'smaCross', params: '{ fast: 3, slow: 8 }', symbol: 'DAYSUSDT', interval: '1h', more: RISK }],
  ])('%s', async (_, wanted) => {
    const { files } = await compare(wanted);
    expect(files.get('fills.csv')!.toString().split('\n').length).toBeGreaterThan(20);
  });
});
