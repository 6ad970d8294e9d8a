// Runs a bot with a planted difference between exchange and catalog, and compares it with its backtest (`isobar parity`).

import { join } from 'node:path';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { SYNTHETIC } from '../../src/adapters/catalog/bars/barQuality.ts';
import { RATE_DIGITS } from '../../src/adapters/catalog/series/seriesColumns.ts';
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
import type { DivergenceReport } from '../../src/tasks/parity/divergences.ts';
import { perpetualBars, PERPETUAL } from '../fixtures/perpetual.ts';
import { exchangeOf, liveComparablePlan, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { feed, planOf, spot, START_MS } from '../simulation/plans.ts';

export const HOUR_MS = 3_600_000;
/** First row that the bot decides on. */
export const FIRST_ROW = 6;
/** Number of hourly bars in a run. */
export const ROWS = 40;

/** Latency of an exchange whose orders arrive late, ms. */
export const LATENCY_MS = 600_000;

/** Returns the close time of a row. */
export const closeOf = (row: number): number => START_MS + (row + 1) * HOUR_MS;

/** Buys at the market, places a limit below it, and exits: each once in six bars. */
export class MarketAndLimitOrders extends Strategy {
  barCount = 0;
  override onBar() {
    const barInCycle = this.barCount++ % 6;
    if (barInCycle === 0) this.buy({ base: '5' });
    if (barInCycle === 2) this.buy({ base: '2' }, { limit: Math.round(this.bars.close.value * 0.985 * 100) / 100, tag: 'rest' });
    if (barInCycle === 4) this.exit();
  }
}

/** A difference that a test plants between the run of a bot and its backtest, with the bot of that run. */
export interface PlantedDifference {
  readonly strategy?: StrategyClass;
  readonly isFutures?: boolean;
  /** True if the run has a second feed, `other`, of another symbol. */
  readonly hasOtherFeed?: boolean;
  /** Feeds in two quote assets, by name. The run has cash in both, and the first feed values BTC in USDT. */
  readonly quoteAssets?: Readonly<Record<string, BarColumns>>;
  /** Changes the bars and terms of the exchange. By default they are those of the catalog and the definition. */
  readonly changeExchange?: (catalogPlan: RunPlan) => RunPlan;
  /** Changes the settings of the exchange. */
  readonly settings?: (settings: ExchangeSettings) => ExchangeSettings;
  /** Changes the bars that the catalog has once the bot has run. By default they are those of the exchange. */
  readonly changeCatalog?: (bars: BarColumns) => BarColumns;
  /** Called with the folder of the config, before the bot starts. */
  readonly beforeStart?: (folder: string) => void;
  /** Acts by the number of driven rows, from 0. An act happens before its row. */
  readonly actsByRow?: Readonly<Record<number, (world: PlantedWorld) => Promise<void> | void>>;
  /** Keys that the definition has in addition. */
  readonly definition?: Readonly<Record<string, unknown>>;
  /** Latency of the backtest. By default it is that of the definition. */
  readonly latency?: ParityOptions['latency'];
  /** Funding rates of the catalog, and those of the exchange. */
  readonly rates?: { readonly catalog: readonly number[]; readonly exchange: readonly number[] };
  /** Called once the bot has stopped, before the comparison. */
  readonly beforeComparison?: () => void;
}

/** Returns a run whose exchange fills by other terms than the definition has. */
export const withFills = (fills: Partial<RunPlan['fills']>): PlantedDifference => ({
  changeExchange: (plan) => ({ ...plan, fills: { ...plan.fills, ...fills } }),
});

/** Returns a run whose exchange takes other fees than the definition has. */
export const withFees = (fees: Partial<RunPlan['fees']>): PlantedDifference => ({
  changeExchange: (plan) => ({ ...plan, fees: { ...plan.fees, ...fees } }),
});

/** Returns acts that halt the account before `row` and resume it before the next row. */
export const haltDuringRow = (row: number, code: string, why: string): NonNullable<PlantedDifference['actsByRow']> => ({
  [row]: ({ opened: { bot } }) => {
    const { engine } = bot.deps;
    bot.driver.step(() => engine.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', code, why, engine.nowMs));
  },
  [row + 1]: ({ opened: { bot } }) => {
    const { engine } = bot.deps;
    bot.driver.step(() => void engine.risk.resume({ kind: 'account' }, code, 'the operator', engine.nowMs));
  },
});

/** The running bot, for acts during its run. */
export interface PlantedWorld {
  readonly world: RowWorld;
  readonly opened: OpenedBot;
  /** Stops the bot, lets `rows` bars pass, and starts it again. */
  readonly restart: (rows: number) => Promise<void>;
}

/** Returns ROWS hourly bars of a seeded random walk around 100. */
export function hourBars(seed = 5, symbol = 'AAAUSDT'): BarColumns {
  const rng = seededRng(seed);
  const instrument = spot(symbol);
  const column = (): Float64Array => new Float64Array(ROWS);
  const bars = { openMs: column(), closeMs: column(), open: column(), high: column(), low: column(), close: column(), volume: column() };
  // Prices in hundredths.
  let lastTicks = 10_000;
  for (let row = 0; row < ROWS; row++) {
    const open = lastTicks + Math.round((rng.next() - 0.5) * 40);
    lastTicks = open + Math.round((rng.next() - 0.5) * 400);
    bars.openMs[row] = START_MS + row * HOUR_MS;
    bars.closeMs[row] = START_MS + (row + 1) * HOUR_MS;
    bars.open[row] = open / 100;
    bars.close[row] = lastTicks / 100;
    bars.high[row] = (Math.max(open, lastTicks) + Math.round(rng.next() * 300)) / 100;
    bars.low[row] = (Math.min(open, lastTicks) - Math.round(rng.next() * 300)) / 100;
    bars.volume[row] = 1000;
  }
  return { instrument, interval: '1h', length: ROWS, ...bars };
}

/** Returns the feeds of a definition. */
const feedsOf = (bars: Readonly<Record<string, BarColumns>>): object =>
  Object.fromEntries(Object.entries(bars).map(([name, { instrument, interval }]) => [name, { symbol: instrument.wireName, interval }]));

/** Time between two funding payments, ms. */
const FUNDING_MS = 8 * HOUR_MS;

/** Returns the plan of the catalog. A contract has the funding rates of the exchange, because the bot reads those. */
function planFor(difference: PlantedDifference): RunPlan {
  const { strategy = MarketAndLimitOrders, isFutures = false, hasOtherFeed = false, quoteAssets, rates } = difference;
  if (quoteAssets !== undefined) return quoteAssetsPlan(strategy, quoteAssets);
  return isFutures ? contractPlan(strategy, rates?.exchange ?? []) : spotPlan(strategy, hasOtherFeed);
}

/** Fees of a spot run. */
const SPOT_FEES = { makerPpm: 1000, takerPpm: 1000 };

/** Cash of a run in two quote assets. */
export const QUOTE_CASH = { USDT: '50000', BTC: '1' };

/** Returns a plan with cash in two quote assets. */
function quoteAssetsPlan(strategy: StrategyClass, quoteAssets: NonNullable<PlantedDifference['quoteAssets']>): RunPlan {
  const feeds = Object.entries(quoteAssets).map(([name, bars]) => ({ ...feed(name, bars), firstRow: FIRST_ROW }));
  const { instrument, openMs } = feeds[0]!.bars;
  return planOf(strategy, feeds, { fees: SPOT_FEES, cash: QUOTE_CASH, convert: { BTC: instrument.id }, fromMs: openMs[FIRST_ROW]! });
}

/** Returns a plan of one spot pair, or of two. */
function spotPlan(strategy: StrategyClass, hasOtherFeed: boolean): RunPlan {
  const bars = hourBars();
  const feeds = [feed('bars', bars), ...(hasOtherFeed ? [feed('other', hourBars(9, 'BBBUSDT'))] : [])];
  return planOf(
    strategy,
    feeds.map((plannedFeed) => ({ ...plannedFeed, firstRow: FIRST_ROW })),
    { fees: SPOT_FEES, cash: { USDT: '10000' }, fromMs: bars.openMs[FIRST_ROW]! },
  );
}

/** Returns a plan of a contract with these funding rates. */
function contractPlan(strategy: StrategyClass, rates: readonly number[]): RunPlan {
  const closes = Array.from({ length: ROWS }, (_, index) => 100 + (index % 7));
  const bars = { ...perpetualBars(closes, 'AAA', 60), interval: '1h' as const };
  const fromMs = bars.openMs[FIRST_ROW]!;
  const fundingRows = rates.map((rate, index) => ({
    timeMs: START_MS + (index + 1) * FUNDING_MS,
    rate: Math.round(rate * 10 ** RATE_DIGITS),
    markTicks: Math.round(bars.open[8 * (index + 1)]! * 100),
  }));
  const dataById = new Map([
    [bars.instrument.id, { marks: null, funding: fundingRows.filter(({ timeMs }) => timeMs > fromMs), rates: null }],
  ]);
  const futures = { ...PERPETUAL.futures!, leverage: 3, data: dataById };
  return planOf(strategy, [{ ...feed('bars', bars), firstRow: FIRST_ROW }], { ...PERPETUAL, fromMs, cash: { USDT: '10000' }, futures });
}

/** Keys of a definition of a spot run. */
const SPOT = { market: 'spot', fees: { maker: '0.001', taker: '0.001' } };
/** Keys of a definition of a run with a contract. */
const FUTURES = { market: 'futures', futures: { leverage: 3, margin: 'cross', positions: 'net' } };

/** Runs the bot and compares it with its backtest. `inspect` gets the bot's folder before it is removed. */
export async function comparePlanted(
  difference: PlantedDifference,
  inspect: (folder: string) => void | Promise<void> = () => {},
): Promise<DivergenceReport> {
  const { changeExchange = (catalogPlan) => catalogPlan, settings = (exchangeSettings) => exchangeSettings } = difference;
  const catalogPlan = liveComparablePlan(planFor(difference));
  const exchangePlan = changeExchange(catalogPlan);
  const world = await RowWorld.open(settings(exchangeOf(exchangePlan)));
  try {
    await runBot(difference, world, catalogPlan, exchangePlan);
    difference.beforeComparison?.();
    writeCatalog(difference, catalogPlan, join(world.folder, 'catalog'));
    const botFolder = join(world.folder, 'bot');
    await inspect(botFolder);
    return await compareBot(botFolder, {
      config: null,
      ...(difference.latency === undefined ? {} : { latency: difference.latency }),
      load: () => Promise.resolve({ plan: catalogPlan.strategies[0]!, inputs: [], folder: '.' }),
    });
  } finally {
    await world.close();
  }
}

/** Returns the definition of the bot. */
function definitionOf(
  { isFutures = false, hasOtherFeed = false, quoteAssets, definition }: PlantedDifference,
  symbol: string,
): Record<string, unknown> {
  return {
    // `comparePlanted` gives the class itself. Tests of the command write this file.
    strategy: 'planted.ts',
    feeds: { bars: { symbol, interval: '1h' }, ...(hasOtherFeed ? { other: { symbol: 'BBBUSDT', interval: '1h' } } : {}) },
    cash: '10000',
    ...(isFutures ? FUTURES : SPOT),
    ...(quoteAssets === undefined ? {} : { feeds: feedsOf(quoteAssets), cash: QUOTE_CASH, convert: { BTC: symbol } }),
    ...definition,
  };
}

/** A restarted bot opens this long after the close of the last missed bar, ms. */
const RESTART_DELAY_MS = 240_000;

/** Runs the bot over all rows of the exchange, with the acts of the case, and stops it. */
async function runBot(difference: PlantedDifference, world: RowWorld, catalogPlan: RunPlan, exchangePlan: RunPlan): Promise<void> {
  const { actsByRow = {} } = difference;
  const symbol = catalogPlan.feeds[0]!.bars.instrument.wireName;
  const path = writeBot(world.folder, catalogPlan, definitionOf(difference, symbol), world.exchange.url);
  const open = async (): Promise<OpenedBot> => {
    const openedBot = await world.openBot(path, catalogPlan, () => {});
    writeBotFile(openedBot.bot.deps.config.data, botFileOf(openedBot));
    return openedBot;
  };
  difference.beforeStart?.(world.folder);
  let opened = await open();
  let driver = await world.startTrading(opened, exchangePlan);
  const restart = async (rows: number): Promise<void> => {
    await world.stop(opened);
    for (let row = 0; row < rows; row++) {
      const nextCloseMs = (Math.floor(world.time.nowMs / HOUR_MS) + 1) * HOUR_MS;
      await world.time.stepTo(nextCloseMs + RESTART_DELAY_MS);
    }
    opened = await open();
    driver = await world.startTrading(opened, exchangePlan);
  };
  for (let row = 0; ; row++) {
    await actsByRow[row]?.({ world, opened, restart });
    if (!(await driver.driveNextRows())) break;
  }
  await world.stop(opened);
}

/** Writes the bars and the funding rates of the backtest into a catalog. */
function writeCatalog(
  { changeCatalog = (bars) => bars, hasOtherFeed, quoteAssets, rates }: PlantedDifference,
  plan: RunPlan,
  folder: string,
): void {
  const [firstFeed, ...otherFeeds] = plan.feeds;
  const { bars } = firstFeed!;
  storeBars(folder, changeCatalog(bars), SYNTHETIC);
  if (hasOtherFeed) storeBars(folder, otherFeeds[0]!.bars, SYNTHETIC);
  if (quoteAssets !== undefined) for (const otherFeed of otherFeeds) storeBars(folder, changeCatalog(otherFeed.bars), SYNTHETIC);
  if (rates === undefined) return;
  const timeMs = Float64Array.from(rates.catalog, (_, index) => START_MS + (index + 1) * FUNDING_MS);
  const columns = { length: rates.catalog.length, timeMs, figures: [Float64Array.from(rates.catalog)], digits: RATE_DIGITS };
  const isSynthetic = true;
  storeSeries(folder, { kind: 'funding', symbol: bars.instrument.wireName }, columns, isSynthetic);
}
