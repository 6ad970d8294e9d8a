// Bots with one planted cause of divergence: each trades over HTTP on an in-process exchange, then its catalog is completed, and the two compared.

import { join } from 'node:path';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { SYNTHETIC } from '../../src/adapters/catalog/bars/quality.ts';
import { RATE_DIGITS } from '../../src/adapters/catalog/series/series.ts';
import { storeSeries } from '../../src/adapters/catalog/series/seriesStore.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { Strategy } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { ExchangeSettings } from '../../src/paperExchange/process/file/settings.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { compareBot, type ParityOptions } from '../../src/tasks/parity/parity.ts';
import type { DivergenceReport } from '../../src/tasks/parity/model.ts';
import { perpetualBars, PERPETUAL } from '../fixtures/perpetual.ts';
import { exchangeOf, onTheWire, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { feed, planOf, spot, START_MS } from '../simulation/plans.ts';

export const HOUR = 3_600_000;
export const FIRST_ROW = 6;
export const ROWS = 40;

/** Buys at the market, rests a limit below it, and exits, by a count of the bars that it has seen. */
export class Counter extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++ % 6;
    if (at === 0) this.buy({ base: '5' });
    if (at === 2) this.buy({ base: '2' }, { limit: Math.round(this.bars.close.value * 0.985 * 100) / 100, tag: 'rest' });
    if (at === 4) this.exit();
  }
}

export interface Planted {
  readonly strategy?: StrategyClass;
  readonly isFutures?: boolean;
  /** A second feed, `other`, of another symbol. */
  readonly isPaired?: boolean;
  /** The bars and terms of the exchange; default those of the catalog and of the definition. */
  readonly exchange?: (plan: RunPlan) => RunPlan;
  readonly settings?: (settings: ExchangeSettings) => ExchangeSettings;
  /** What is in the catalog once the bot has run; default the bars of the exchange. */
  readonly catalog?: (bars: BarColumns) => BarColumns;
  /** Called with the folder of the config, before the bot starts. */
  readonly before?: (folder: string) => void;
  /** What happens before the row at this position, from 0. */
  readonly acts?: Readonly<Record<number, (world: PlantedWorld) => Promise<void> | void>>;
  readonly definition?: Readonly<Record<string, unknown>>;
  /** Latency of the backtest that it is compared with; default that of the definition. */
  readonly latency?: ParityOptions['latency'];
  /** Funding rates of the catalog, and those of the exchange. */
  readonly rates?: { readonly catalog: readonly number[]; readonly exchange: readonly number[] };
  readonly afterwards?: () => void;
}

export interface PlantedWorld {
  readonly world: RowWorld;
  readonly opened: OpenedBot;
  /** Stops the bot, lets rows go by, and starts it again. */
  readonly restart: (rows: number) => Promise<void>;
}

export function hourBars(seed = 5, symbol = 'AAAUSDT'): BarColumns {
  const [random, rows] = [seededRng(seed), ROWS];
  const instrument = spot(symbol);
  const column = (): Float64Array => new Float64Array(rows);
  const bars = { openMs: column(), closeMs: column(), open: column(), high: column(), low: column(), close: column(), volume: column() };
  let last = 10_000;
  for (let row = 0; row < rows; row++) {
    const open = last + Math.round((random.next() - 0.5) * 40);
    last = open + Math.round((random.next() - 0.5) * 400);
    bars.openMs[row] = START_MS + row * HOUR;
    bars.closeMs[row] = START_MS + (row + 1) * HOUR;
    bars.open[row] = open / 100;
    bars.close[row] = last / 100;
    bars.high[row] = (Math.max(open, last) + Math.round(random.next() * 300)) / 100;
    bars.low[row] = (Math.min(open, last) - Math.round(random.next() * 300)) / 100;
    bars.volume[row] = 1000;
  }
  return { instrument, interval: '1h', length: rows, ...bars };
}

const FUNDING = 8 * HOUR;

function planFor({ strategy = Counter, isFutures = false, isPaired = false, rates }: Planted): RunPlan {
  if (!isFutures) {
    const terms = { fees: { makerPpm: 1000, takerPpm: 1000 }, cash: { USDT: '10000' } };
    const bars = hourBars();
    const feeds = [feed('bars', bars), ...(isPaired ? [feed('other', hourBars(9, 'BBBUSDT'))] : [])];
    return planOf(
      strategy,
      feeds.map((each) => ({ ...each, firstRow: FIRST_ROW })),
      { ...terms, fromMs: bars.openMs[FIRST_ROW]! },
    );
  }
  const shapes = Array.from({ length: ROWS }, (_, at) => 100 + (at % 7));
  const bars = { ...perpetualBars(shapes, 'AAA', 60), interval: '1h' as const };
  const fromMs = bars.openMs[FIRST_ROW]!;
  const paid = (rates?.exchange ?? []).map((rate, at) => ({
    timeMs: START_MS + (at + 1) * FUNDING,
    rate: Math.round(rate * 10 ** RATE_DIGITS),
    markTicks: Math.round(bars.open[8 * (at + 1)]! * 100),
  }));
  const data = new Map([[bars.instrument.id, { marks: null, funding: paid.filter(({ timeMs }) => timeMs > fromMs), rates: null }]]);
  const futures = { ...PERPETUAL.futures!, leverage: 3, data };
  return planOf(strategy, [{ ...feed('bars', bars), firstRow: FIRST_ROW }], { ...PERPETUAL, fromMs, cash: { USDT: '10000' }, futures });
}

const SPOT = { market: 'spot', fees: { maker: '0.001', taker: '0.001' } };
const FUTURES = { market: 'futures', futures: { leverage: 3, margin: 'cross', positions: 'net' } };

/** Runs the bot, compares it, and gives its folder to `look` before it is removed. */
export async function comparePlanted(
  planted: Planted,
  look: (folder: string) => void | Promise<void> = () => {},
): Promise<DivergenceReport> {
  const {
    exchange = (same) => same,
    settings = (same) => same,
    catalog = (bars) => bars,
    acts = {},
    isFutures = false,
    isPaired = false,
  } = planted;
  const plan = onTheWire(planFor(planted));
  const traded = exchange(plan);
  const world = await RowWorld.open(settings(exchangeOf(traded)));
  try {
    const symbol = plan.feeds[0]!.bars.instrument.wireName;
    const definition = {
      strategy: 'counter.ts',
      feeds: { bars: { symbol, interval: '1h' }, ...(isPaired ? { other: { symbol: 'BBBUSDT', interval: '1h' } } : {}) },
      cash: '10000',
      ...(isFutures ? FUTURES : SPOT),
      ...planted.definition,
    };
    const path = writeBot(world.folder, plan, definition, world.exchange.url);
    const open = async (): Promise<OpenedBot> => {
      const made = await world.openBot(path, plan, () => {});
      writeBotFile(made.bot.deps.config.data, botFileOf(made));
      return made;
    };
    planted.before?.(world.folder);
    let opened = await open();
    let driver = await world.trading(opened, traded);
    const restart = async (rows: number): Promise<void> => {
      await world.stop(opened);
      for (let row = 0; row < rows; row++) await world.time.stepTo((Math.floor(world.time.nowMs / HOUR) + 1) * HOUR + 240_000);
      opened = await open();
      driver = await world.trading(opened, traded);
    };
    for (let row = 0; ; row++) {
      await acts[row]?.({ world, opened, restart });
      if (!(await driver.next())) break;
    }
    await world.stop(opened);
    planted.afterwards?.();
    const folder = join(world.folder, 'catalog');
    storeBars(folder, catalog(plan.feeds[0]!.bars), SYNTHETIC);
    if (isPaired) storeBars(folder, plan.feeds[1]!.bars, SYNTHETIC);
    const rates = planted.rates?.catalog;
    if (rates !== undefined) {
      const timeMs = Float64Array.from(rates, (_, at) => START_MS + (at + 1) * FUNDING);
      const columns = { length: rates.length, timeMs, figures: [Float64Array.from(rates)], digits: RATE_DIGITS };
      storeSeries(folder, { kind: 'funding', symbol }, columns, true);
    }
    const bot = join(world.folder, 'bot');
    await look(bot);
    return await compareBot(bot, {
      config: null,
      ...(planted.latency === undefined ? {} : { latency: planted.latency }),
      load: () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' }),
    });
  } finally {
    await world.close();
  }
}
