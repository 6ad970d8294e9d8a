// Runs one strategy as a bot on stepped time, then `isobar parity` compares it with its backtest: they must be equal.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { SYNTHETIC } from '../../src/adapters/catalog/bars/quality.ts';
import { openRequest } from '../../src/definition/request.ts';
import { resolveRun } from '../../src/definition/resolve.ts';
import { finestFeeds } from '../../src/definition/plan/finestFeeds.ts';
import { RATE_DIGITS } from '../../src/adapters/catalog/series/series.ts';
import { storeSeries } from '../../src/adapters/catalog/series/seriesStore.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { compareBot } from '../../src/tasks/parity/parity.ts';
import { isobar } from '../fixtures/shippedDefinitions.ts';
import { definitionOf, shortened } from '../parity/parity.ts';
import { exchangeOf, onTheWire, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { dataCommands, EIGHT, liveDefinition } from './definitions.ts';

/** The folder of the package, ending in a separator. The bundle sets it. */
declare const ROOT: string;

export interface Options {
  /** Rows of each instrument; default: as the strategy needs them. */
  readonly bars?: string;
  readonly names: readonly string[];
}

export async function main({ bars, names }: Options): Promise<number> {
  let isEqual = true;
  for (const name of names) {
    const { equal, first, cause, net } = await parityOf(name, bars === undefined ? EIGHT[name]!.bars : Number(bars));
    process.stdout.write(`${JSON.stringify({ strategy: name, equal, cause, first, net: net.live })}\n`);
    isEqual &&= equal;
  }
  return isEqual ? 0 : 1;
}

async function parityOf(name: string, rows: number) {
  const each = EIGHT[name]!;
  const home = mkdtempSync(join(tmpdir(), 'isobar-eight-parity-'));
  for (const words of dataCommands(home, each)) isobar(ROOT, home, words);
  const file = join(home, 'run.yaml');
  const strategy = `${ROOT}test/eight/strategies/${name}.ts`;
  writeFileSync(file, JSON.stringify({ strategy, ...liveDefinition(each), catalog: join(home, 'data') }));
  const { source } = await openRequest({ kind: 'file', file, settings: [] });
  const plan = onTheWire(shortened((await resolveRun(source)).plan, rows));
  const world = await RowWorld.open(exchangeOf(plan));
  // What the exchange takes, the backtest of parity takes too.
  const { latencyMs } = plan.fills;
  const definition = { ...definitionOf(source.data), ...(latencyMs > 0 ? { fills: { latencyMs } } : {}) };
  try {
    const opened = await world.openBot(writeBot(world.folder, plan, definition, world.exchange.url), plan, () => {});
    writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
    const driver = await world.trading(opened, plan);
    while (await driver.next());
    await world.stop(opened);
    // What a download would bring.
    const catalog = join(world.folder, 'catalog');
    for (const { bars } of plan.feeds) storeBars(catalog, bars, SYNTHETIC);
    for (const {
      bars: { instrument },
    } of finestFeeds(plan.feeds)) {
      const rates = plan.futures?.data.get(instrument.id)?.rates;
      if (!rates) continue;
      const columns = { length: rates.timeMs.length, timeMs: rates.timeMs, figures: [rates.rate], digits: RATE_DIGITS };
      storeSeries(catalog, { kind: 'funding', symbol: instrument.wireName }, columns, true);
    }
    return await compareBot(join(world.folder, 'bot'), {
      config: null,
      load: () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' }),
    });
  } finally {
    await world.close();
    rmSync(home, { recursive: true });
  }
}
