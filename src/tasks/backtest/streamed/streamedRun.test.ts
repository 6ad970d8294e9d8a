// Tests that a run over bars that are read block by block writes the same folder, byte by byte, as the same run over bars in memory.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { storeBars } from '../../../adapters/catalog/bars/catalog.ts';
import { SYNTHETIC } from '../../../adapters/catalog/bars/barQuality.ts';
import { synthesizeBars } from '../../../adapters/catalog/generate/generate.ts';
import { generateInto } from '../../../adapters/catalog/generate/generateInto.ts';
import { openRequest } from '../../../definition/request.ts';
import type { ResolveOptions } from '../../../definition/resolve.ts';
import { closingTable, drawnEquity } from '../../../report/terminal/closingTable.ts';
import { writeRunFolder } from '../folder/writeRunFolder.ts';
import { NO_WATCHER, runBacktestRequest } from '../run/executeDefinition.ts';
import { custom, dailyVwap, Strategy } from '../../../index.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { strategyPlanOf } from '../../../definition/load/strategies.ts';
import type { StrategyClass } from '../../../strategy/strategy.ts';
import BollingerGrid from '../../../../strategies/bollingerGrid.ts';
import DonchianBreakout from '../../../../strategies/donchianBreakout.ts';
import RsiMeanReversion from '../../../../strategies/rsiMeanReversion.ts';
import SmaCross from '../../../../strategies/smaCross.ts';
import SmaCrossOnBar from '../../../../strategies/smaCrossOnBar.ts';

// The shipped strategies import the built package by its name.
vi.mock('isobar', () => import('../../../index.ts'));

/** Casts a shipped strategy, whose base class comes from the built package, to the class of the sources. */
const shipped = (strategyFile: unknown): StrategyClass => strategyFile as StrategyClass;

/** Returns the strategy classes of the cases by name. */
const CLASSES = (): Readonly<Record<string, StrategyClass>> => ({
  byDay: ByDay,
  ownIndicator: OwnIndicator,
  bollingerGrid: shipped(BollingerGrid),
  donchianBreakout: shipped(DonchianBreakout),
  rsiMeanReversion: shipped(RsiMeanReversion),
  smaCross: shipped(SmaCross),
  smaCrossOnBar: shipped(SmaCrossOnBar),
});

const ROOT = new URL('../../../..', import.meta.url).pathname;
const ROWS = 210_000;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-streamed-'));
  const fromMs = Date.UTC(2024, 0, 1);
  const catalog = join(folder, 'data');
  generateInto(catalog, { symbol: 'LONGUSDT', interval: '1m', fromMs, bars: ROWS, seed: 5 });
  generateInto(catalog, { symbol: 'GAPSUSDT', interval: '1m', fromMs: fromMs + 61_000, bars: ROWS, seed: 6, gapShare: 0.2, price: 2 });
  storeBars(catalog, plantFlaws(synthesizeBars({ symbol: 'FLAWUSDT', interval: '1m', fromMs, bars: 150_000, seed: 8 })), SYNTHETIC);
  generateInto(catalog, { symbol: 'DAYSUSDT', interval: '1h', fromMs, bars: 3000, seed: 7, gapShare: 0.05 });
});

/** Changes prices around the ends of the blocks that are read at once, and once far from them. */
function plantFlaws(bars: BarColumns): BarColumns {
  const { open, high, low, close, length } = bars;
  const columns = [open, high, low, close];
  const scale = (from: number, to: number, factor: number): void => {
    for (const column of columns) for (let row = from; row < to; row++) column[row] = Math.round(column[row]! * factor * 100) / 100;
  };
  const flatten = (from: number, to: number): void => columns.forEach((column) => column.fill(open[from]!, from, to));
  flatten(65_436, 65_520);
  scale(65_530, 65_560, 3);
  scale(65_600, 65_601, 0.4);
  flatten(131_000, 131_400);
  scale(131_500, length, 2.5);
  scale(140_000, 140_030, 0.3);
  return bars;
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a case runs: a strategy of strategies/, or a class of this file, over bars of the catalog. */
interface StreamedCase {
  readonly strategy: string;
  readonly params?: string;
  readonly symbol?: string;
  readonly interval?: string;
  readonly extraYaml?: string;
}

/** Number of written definitions and run folders, for names that differ. */
let nameCount = 0;

/** Writes the definition of a case, and returns its path. */
function definition({ strategy, params = '{}', symbol = 'LONGUSDT', interval = '1m', extraYaml = '' }: StreamedCase): string {
  const file = join(folder, `run${nameCount++}.yaml`);
  writeFileSync(
    file,
    `strategy: ${ROOT}strategies/${strategy}.ts\nparams: ${params}\n` +
      `feeds: { bars: { symbol: ${symbol}, interval: ${interval} } }\ncash: { USDT: '1000000' }\nseed: 3\ncatalog: ${join(folder, 'data')}\n${extraYaml}\n`,
  );
  return file;
}

/** What a run has written. */
interface WrittenRun {
  /** The content of each file of the run folder; the manifest without its times. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The closing table that the terminal shows. */
  readonly table: string;
  readonly wasStreamed: boolean;
}

/** Runs a definition, streamed or in memory, and returns the files of its run folder. */
async function runAndRead(file: string, { isStreamed }: { readonly isStreamed: boolean }): Promise<WrittenRun> {
  const name = `${isStreamed ? 'streamed' : 'whole'}${nameCount++}`;
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
  const files = readdirSync(place).filter((fileName) => fileName !== 'run.log' && fileName !== 'manifest.json');
  const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  const comparableManifest = Buffer.from(JSON.stringify({ ...manifest, writtenAt: '', startedIn: '' }));
  return {
    files: new Map([
      ...files.map((fileName) => [fileName, readFileSync(join(place, fileName))] as const),
      ['manifest', comparableManifest],
    ]),
    table,
    wasStreamed: run.record.streamed !== undefined,
  };
}

/** Loads a strategy as a class of the sources. A strategy file would be bundled with the built package. */
const loadClass: NonNullable<ResolveOptions['load']> = async (entry, source) => {
  const name = basename(entry.file, '.ts');
  const loaded = { strategy: CLASSES()[name]!, name, hash: name };
  return { plan: strategyPlanOf(entry, loaded, source), inputs: [], folder: ROOT };
};

/** Runs a case streamed and in memory, and expects the same bytes in every file. */
async function compare(options: StreamedCase, { isStreamed } = { isStreamed: true }): Promise<WrittenRun> {
  const file = definition(options);
  const inMemory = await runAndRead(file, { isStreamed: false });
  const streamed = await runAndRead(file, { isStreamed: true });
  expect(streamed.wasStreamed).toBe(isStreamed);
  expect(inMemory.wasStreamed).toBe(false);
  expect(streamed.table).toBe(inMemory.table);
  expect([...streamed.files.keys()]).toEqual([...inMemory.files.keys()]);
  for (const [name, bytes] of inMemory.files) {
    const streamedBytes = streamed.files.get(name)!;
    if (bytes.equals(streamedBytes)) continue;
    const differingByte = bytes.findIndex((byte, index) => byte !== streamedBytes[index]);
    const around = (fileBytes: Buffer): string =>
      `${name}, byte ${differingByte}: ${fileBytes.toString('latin1', Math.max(0, differingByte - 60), differingByte + 60)}`;
    expect(around(streamedBytes)).toBe(around(bytes));
  }
  return inMemory;
}

/** Uses an average that reads the times of rows to find the start of each day. */
class ByDay extends Strategy {
  average = this.use(dailyVwap(this.bars));
  override onBar(): void {
    if (this.position().isFlat) this.buy({ base: '1' });
    else if (this.bars.close.value < this.average.value) this.exit();
  }
}

/** Uses a custom indicator, which needs the whole column of closes. */
class OwnIndicator extends Strategy {
  own = this.use(custom(this.bars.close, () => (close) => close / 2));
  override onBar(): void {
    if (this.position().isFlat) this.buy({ base: '1' });
    else if (this.own.value < this.own.prev) this.exit();
  }
}

const RISK = "risk: { maxLeverage: '3' }\n";
const LATE_AND_PARTIAL =
  "fills: { limit: through, latencyMs: 90000, maxVolumeShare: '0.05' }\nfees: { maker: '0.0008', taker: '0.001', in: received }\n" + RISK;

describe('the same folder as in memory', () => {
  it.each<[string, StreamedCase]>([
    ['crossings', { strategy: 'smaCross', params: '{ fast: 10, slow: 30 }', extraYaml: RISK }],
    [
      'crossings seen by onBar, over gaps',
      { strategy: 'smaCrossOnBar', params: '{ fast: 100, slow: 300 }', symbol: 'GAPSUSDT', extraYaml: RISK },
    ],
    [
      'a grid of limits with brackets',
      { strategy: 'bollingerGrid', params: '{ bandBars: 300, levels: 2, minStep: 0.01 }', extraYaml: RISK },
    ],
    [
      'a grid of limits whose orders arrive late and fill in parts',
      { strategy: 'bollingerGrid', params: '{ bandBars: 384, levels: 2, minStep: 0.01 }', symbol: 'GAPSUSDT', extraYaml: LATE_AND_PARTIAL },
    ],
    ['stops and trailing stops', { strategy: 'donchianBreakout', params: '{ entryBars: 200, exitBars: 100 }', extraYaml: RISK }],
    ['stops of orders that arrive late, over gaps', { strategy: 'donchianBreakout', symbol: 'GAPSUSDT', extraYaml: LATE_AND_PARTIAL }],
    [
      'a range with a warm-up before it',
      { strategy: 'rsiMeanReversion', extraYaml: `from: 2024-02-01T00:17:00Z\nto: 2024-05-03T12:00:00Z\n${RISK}` },
    ],
    [
      'a range that begins and ends inside of a bar',
      {
        strategy: 'smaCross',
        params: '{ fast: 3, slow: 8 }',
        extraYaml: `from: 2024-01-02T00:00:00.001Z\nto: 2024-01-03T00:00:30Z\n${RISK}`,
      },
    ],
    ['a look-back of 20,000 rows', { strategy: 'smaCross', params: '{ fast: 500, slow: 20000 }', extraYaml: RISK }],
    ['few rows', { strategy: 'smaCross', params: '{ fast: 3, slow: 8 }', symbol: 'DAYSUSDT', interval: '1h', extraYaml: RISK }],
  ])('a streamed run writes the folder of the run in memory: %s', async (_, options) => {
    const { files } = await compare(options);
    expect(files.get('fills.csv')!.toString().split('\n').length).toBeGreaterThan(20);
  });
});

it('warnings about flaws over the ends of blocks are the same as in memory', async () => {
  const { files } = await compare({ strategy: 'smaCross', symbol: 'FLAWUSDT', extraYaml: RISK });
  const { warnings } = JSON.parse(files.get('summary.json')!.toString()) as { warnings: { code: string; text: string }[] };
  const warningText = (code: string) => warnings.find((warning) => warning.code === code)?.text;
  expect(warningText('DATA_JUMP')).toContain('61 bars');
  expect(warningText('DATA_LEVEL')).toContain('× 2.5');
  expect(warningText('DATA_DEAD')).toContain('2 stretches');
});

describe('what needs whole columns is run in memory', () => {
  it.each<[string, StreamedCase]>([
    ['an indicator that reads times', { strategy: 'byDay' }],
    ['a custom indicator', { strategy: 'ownIndicator' }],
    ['a risk limit that watches equity', { strategy: 'donchianBreakout', extraYaml: "risk: { maxLeverage: '3', maxDrawdown: '0.3' }" }],
    ['overrides of the instrument', { strategy: 'smaCross', extraYaml: `instruments: { DAYSUSDT: { quotePrecision: 6 } }\n${RISK}` }],
  ])('a run that needs whole columns stays in memory: %s', async (_, options) => {
    await compare({ symbol: 'DAYSUSDT', interval: '1h', ...options }, { isStreamed: false });
  });
});

it('a byte of the catalog that has changed ends the run, and leaves no file', async () => {
  const path = join(folder, 'data', 'spot', 'GAPSUSDT', '1m.arrow');
  const bytes = readFileSync(path);
  const changedByte = Math.floor(bytes.length * 0.9);
  const changed = Buffer.from(bytes);
  changed[changedByte] = changed[changedByte]! ^ 1;
  writeFileSync(path, changed);
  const before = readdirSync(folder);
  const file = definition({ strategy: 'smaCross', symbol: 'GAPSUSDT', extraYaml: RISK });
  await expect(runAndRead(file, { isStreamed: true })).rejects.toThrow('its bytes have changed since isobar wrote it');
  writeFileSync(path, bytes);
  const leftFolders = readdirSync(folder).filter(
    (fileName) => !before.includes(fileName) && existsSync(join(folder, fileName, 'streamed')),
  );
  expect(leftFolders).toEqual([]);
});

it('a run that starts again with its bars in memory loads the modules of its strategy again', async () => {
  const loads: string[] = [];
  const importer: NonNullable<ResolveOptions['importer']> = (url) => Promise.resolve(loads.push(url));
  const load: NonNullable<ResolveOptions['load']> = async (entry, source, importModule) => {
    await importModule?.('file:///module.js', []);
    return loadClass(entry, source);
  };
  const request = await openRequest({ kind: 'file', file: definition({ strategy: 'ownIndicator' }), settings: [] });
  const streams = { folder: join(folder, '.again', 'streamed'), minRows: 1 };
  await runBacktestRequest(request, { load, importer }, { ...NO_WATCHER, findsEnvelope: false, streams });
  expect(loads).toEqual(['file:///module.js', 'file:///module.js?whole']);
});
