// Runs strategies as bots on stepped time and compares each with its backtest. The exit code is 1 on a difference.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { SYNTHETIC } from '../../src/adapters/catalog/bars/barQuality.ts';
import { openRequest } from '../../src/definition/request.ts';
import { resolveRun } from '../../src/definition/resolve.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { finestFeeds } from '../../src/definition/plan/finestFeeds.ts';
import { RATE_DIGITS } from '../../src/adapters/catalog/series/seriesColumns.ts';
import { storeSeries } from '../../src/adapters/catalog/series/seriesStore.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { compareBot } from '../../src/tasks/parity/parity.ts';
import { isobar } from '../fixtures/shippedDefinitions.ts';
import { definitionOf, shortenPlan } from '../parity/parity.ts';
import { exchangeOf, liveComparablePlan, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { dataCommands, STRATEGY_CASES, liveDefinition } from './definitions.ts';

/** The folder of the package, ending in a separator. The bundle sets it. */
declare const ROOT: string;

/** Options of the command line. */
export interface Options {
  /** Rows of each instrument. By default the number that `definitions.ts` has for the strategy. */
  readonly bars?: string;
  /** Names of strategies in `test/eight/strategies`. */
  readonly names: readonly string[];
}

/** Prints one line of JSON for each strategy. Returns the exit code. */
export async function main({ bars, names }: Options): Promise<number> {
  let isEqual = true;
  for (const name of names) {
    const { equal, first, cause, net } = await parityOf(name, bars === undefined ? STRATEGY_CASES[name]!.bars : Number(bars));
    process.stdout.write(`${JSON.stringify({ strategy: name, equal, cause, first, net: net.live })}\n`);
    isEqual &&= equal;
  }
  return isEqual ? 0 : 1;
}

/** Runs a strategy as a bot on `rows` rows, then compares it with its backtest. */
async function parityOf(name: string, rows: number) {
  const home = mkdtempSync(join(tmpdir(), 'isobar-eight-parity-'));
  const source = await openDefinition(name, home);
  const plan = liveComparablePlan(shortenPlan((await resolveRun(source)).plan, rows));
  const world = await RowWorld.open(exchangeOf(plan));
  // The backtest must use the latency of the exchange.
  const { latencyMs } = plan.fills;
  const definition = { ...definitionOf(source.data), ...(latencyMs > 0 ? { fills: { latencyMs } } : {}) };
  try {
    const opened = await world.openBot(writeBot(world.folder, plan, definition, world.exchange.url), plan, () => {});
    writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
    const driver = await world.startTrading(opened, plan);
    let hasMoreRows = true;
    while (hasMoreRows) hasMoreRows = await driver.driveNextRows();
    await world.stop(opened);
    storeDownload(plan, join(world.folder, 'catalog'));
    return await compareBot(join(world.folder, 'bot'), {
      config: null,
      load: () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' }),
    });
  } finally {
    await world.close();
    rmSync(home, { recursive: true });
  }
}

/** Makes the data of a strategy in `home`, and opens its definition in the form for a bot. */
async function openDefinition(name: string, home: string) {
  const entry = STRATEGY_CASES[name]!;
  for (const args of dataCommands(home, entry)) isobar(ROOT, home, args);
  const file = join(home, 'run.yaml');
  const strategy = `${ROOT}test/eight/strategies/${name}.ts`;
  writeFileSync(file, JSON.stringify({ strategy, ...liveDefinition(entry), catalog: join(home, 'data') }));
  return (await openRequest({ kind: 'file', file, settings: [] })).source;
}

/** Stores the bars and funding rates that a download would store: parity reads them from the catalog. */
function storeDownload(plan: RunPlan, catalog: string): void {
  for (const { bars } of plan.feeds) storeBars(catalog, bars, SYNTHETIC);
  for (const feed of finestFeeds(plan.feeds)) {
    const { instrument } = feed.bars;
    const rates = plan.futures?.data.get(instrument.id)?.rates;
    if (!rates) continue;
    const columns = { length: rates.timeMs.length, timeMs: rates.timeMs, figures: [rates.rate], digits: RATE_DIGITS };
    storeSeries(catalog, { kind: 'funding', symbol: instrument.wireName }, columns, true);
  }
}
