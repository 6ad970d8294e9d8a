// Prepares a user's bot for simulated days: its bars, the exchange of a day, and the config of a day.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import { DAY_MS } from '../../base/calendar.ts';
import { storeBars } from '../../adapters/catalog/bars/catalog.ts';
import { IMPORTED } from '../../adapters/catalog/bars/barQuality.ts';
import { bundleInProcess, type Bundler } from '../../adapters/plugins/bundler.ts';
import type { Importer } from '../../adapters/plugins/loadModule.ts';
import { seededRng } from '../../base/number/rng.ts';
import { loadEntry, type LoadedEntry } from '../../definition/load/strategies.ts';
import type { StrategyEntry } from '../../definition/load/withDefaults.ts';
import { finestFeeds } from '../../definition/plan/finestFeeds.ts';
import type { FeedPlan, RunPlan } from '../../definition/plan/plan.ts';
import type { DefinitionSource } from '../../definition/text/source.ts';
import { rowsOf, type BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { INTERVALS, typicalLengthMs } from '../../model/interval.ts';
import { formatMinute } from '../../model/time.ts';
import { readLiveConfig, type LiveConfig } from '../../tasks/bot/config/liveConfig.ts';
import type { LiveOptions } from '../../tasks/bot/openLiveBot.ts';
import { firstRowAt, type DayExchangeSpec } from './dayExchange.ts';
import { withRecordedFills, type ReportedFills } from './reportedFills.ts';
import { readUsersFile, type UsersFile } from './usersFile.ts';
import { resolveUsersRun, type WholeDays } from './usersBars.ts';

type Loader = NonNullable<LiveOptions['load']>;

/** A user's bot that can run simulated days. */
export interface UsersBot {
  readonly name: string;
  readonly asset: string;
  /** Notes for the reader of the results. */
  readonly notes: readonly string[];
  /** Returns the start of the day of a seed, ms UTC. It is a midnight UTC inside the bars. */
  startOf(seed: number): number;
  /** Returns the settings of the exchange of a day. */
  exchangeAt(startMs: number, seed: number): DayExchangeSpec;
  /** Writes the config of a day, and the bars before the day, into a folder with the files `key` and `secret`. */
  configIn(folder: string, startMs: number): LiveConfig;
  /** Returns a loader that loads strategies as a new process does: variables outside of their classes have their initial values. */
  loader(reported: ReportedFills): Loader;
  /** True while a process loads its strategies. */
  readonly isLoading: boolean;
  /** Maximum number of bars in each feed of a day. */
  readonly capacityRows: number;
}

/** Maximum number of bars of a feed before a day, for the warm-up of strategies. */
const WARM_ROWS = 5000;
/** Maximum number of earlier bars that the bot reads from the exchange. */
const EXCHANGE_ROWS = 400;
/** Maximum length of a day, including the time until the outcome of all orders is known. */
const MAX_DAY_MS = 1.1 * DAY_MS;

/** Returns the bot of a user's file. Throws ConfigError or StrategyError for a file that cannot be simulated. */
export async function openUsersBot(file: string): Promise<UsersBot> {
  const usersFile = readUsersFile(file);
  const bundles = new Map<string, ReturnType<Bundler>>();
  // Every process of every day loads the same files, so each file is bundled once.
  const bundler: Bundler = (path, shownPath) => {
    const bundle = bundles.get(path) ?? bundleInProcess(path, shownPath);
    bundles.set(path, bundle);
    return bundle;
  };
  const { plan, days, notes } = await resolveUsersRun(usersFile, bundler);
  const finest = finestFeeds(plan.feeds).map(({ bars }) => ({ ...bars, instrument: withFeesOf(plan, bars.instrument) }));
  return new PreparedBot({ usersFile, plan, finest, days, bundler, notes });
}

/** Returns an instrument with the fees of the run. A contract has its own fees. */
function withFeesOf({ fees }: RunPlan, instrument: Instrument): Instrument {
  if (instrument.contract !== undefined) return instrument;
  return { ...instrument, makerFeePpm: fees.makerPpm, takerFeePpm: fees.takerPpm };
}

/** Everything from which the days of a bot are prepared. */
interface PreparedBotDeps {
  readonly usersFile: UsersFile;
  readonly plan: RunPlan;
  /** The shortest bars of each instrument. */
  readonly finest: readonly BarColumns[];
  readonly days: WholeDays;
  readonly bundler: Bundler;
  readonly notes: readonly string[];
}

/** Number of loaders in this process of Node. */
const loaders = { count: 0 };

/** A bot whose bars and plan are read once for all days. */
class PreparedBot implements UsersBot {
  readonly name: string;
  readonly asset: string;
  readonly notes: readonly string[];
  readonly capacityRows: number;
  readonly #deps: PreparedBotDeps;
  /** Number of loads in progress. */
  #loads = 0;

  constructor(deps: PreparedBotDeps) {
    this.#deps = deps;
    this.name = deps.plan.name;
    this.asset = deps.finest[0]!.instrument.quote;
    const minIntervalMs = smallestOf(deps.plan.feeds.map(({ bars }) => typicalLengthMs(bars.interval)));
    this.capacityRows = WARM_ROWS + EXCHANGE_ROWS + Math.ceil(MAX_DAY_MS / minIntervalMs);
    const { firstMs, count } = deps.days;
    this.notes = [...deps.notes, `days from ${formatMinute(firstMs)} to ${formatMinute(firstMs + count * DAY_MS)}`];
  }

  startOf(seed: number): number {
    const { firstMs, count } = this.#deps.days;
    // If the step and the number of days have no common divisor, consecutive seeds visit all days before one repeats.
    // The golden ratio spreads consecutive seeds over the days.
    let step = Math.max(1, Math.floor(count * 0.618));
    while (commonDivisor(step, count) > 1) step++;
    return firstMs + (((seed % count) * step) % count) * DAY_MS;
  }

  exchangeAt(startMs: number, seed: number): DayExchangeSpec {
    const { plan, finest } = this.#deps;
    // The plan of a run over both markets has funds for each market.
    const balances = plan.funds ?? { [finest[0]!.instrument.market]: plan.cash };
    const lengths = plan.feeds.map(({ bars }) => typicalLengthMs(bars.interval));
    const maxInterval = INTERVALS.find((interval) => typicalLengthMs(interval) >= largestOf(lengths)) ?? '1M';
    return {
      bars: finest,
      startMs,
      balances,
      liquidationFeePpm: plan.futures?.liquidationFeePpm ?? 0,
      asset: this.asset,
      maxInterval,
      seed: Math.floor(seededRng(seed).next() * 2 ** 30),
    };
  }

  configIn(folder: string, startMs: number): LiveConfig {
    const { usersFile, plan } = this.#deps;
    const catalog = join(folder, 'data');
    storeHistory(catalog, plan.feeds, startMs);
    const file = join(folder, 'bot.yaml');
    // The simulated network ignores the address.
    const unusedUrl = 'http://127.0.0.1:1';
    const exchange = { spotUrl: unusedUrl, futuresUrl: unusedUrl, keyFile: 'key', secretFile: 'secret' };
    writeFileSync(file, JSON.stringify({ ...usersFile.botKeys, mode: 'paper', exchange, data: 'bot', catalog }));
    const config = readLiveConfig(file, {});
    // Paths of the user's files are relative to the folder of the user's own file.
    return { ...config, source: { ...config.source, folder: usersFile.source.folder } };
  }

  get isLoading(): boolean {
    return this.#loads > 0;
  }
  loader(reported: ReportedFills): Loader {
    // A new query makes Node load the module again.
    const loaderNumber = ++loaders.count;
    const importer: Importer = (url) => import(/* @vite-ignore */ `${url}?sim=${loaderNumber}`);
    return async (entry: StrategyEntry, source: DefinitionSource): Promise<LoadedEntry> => {
      this.#loads++;
      try {
        const loadedEntry = await loadEntry(entry, source, importer, this.#deps.bundler);
        return { ...loadedEntry, plan: { ...loadedEntry.plan, strategy: withRecordedFills(loadedEntry.plan.strategy, reported) } };
      } finally {
        this.#loads--;
      }
    };
  }
}

/** Returns the greatest common divisor of two whole numbers, by Euclid's algorithm. */
const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));

/** The columns of bars that are copied into the catalog. */
const COLUMNS = ['openMs', 'closeMs', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Stores the bars of feeds before a time in a catalog, because strategies can need more bars than an exchange offers. */
function storeHistory(catalog: string, feeds: readonly FeedPlan[], startMs: number): void {
  const storedKeys = new Set<string>();
  for (const { bars, isExecutionOnly = false } of feeds) {
    const key = `${bars.instrument.id} ${bars.interval}`;
    const end = firstRowAt(bars, startMs);
    if (isExecutionOnly || storedKeys.has(key) || end === 0) continue;
    storedKeys.add(key);
    const part = rowsOf(bars, Math.max(0, end - WARM_ROWS), end);
    const copies = Object.fromEntries(COLUMNS.map((name) => [name, part[name].slice()])) as Record<(typeof COLUMNS)[number], Float64Array>;
    // The volumes of the exchange are whole lots, and a bot ignores a catalog with other volumes.
    const scale = 10 ** bars.instrument.quantityDigits;
    storeBars(catalog, { ...part, ...copies, volume: copies.volume.map((volume) => Math.round(volume * scale) / scale) }, IMPORTED);
  }
}
