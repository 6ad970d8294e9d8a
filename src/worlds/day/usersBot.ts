// Prepares a user's bot for simulated days, from a run definition or a bot config: its bars, its exchange and its config.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeBars } from '../../adapters/catalog/bars/catalog.ts';
import { IMPORTED } from '../../adapters/catalog/bars/quality.ts';
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
import { readLiveConfig, type LiveConfig } from '../../tasks/bot/config/read.ts';
import type { LiveOptions } from '../../tasks/bot/openLiveBot.ts';
import { firstRowAt, type DayExchangeSpec } from './dayExchange.ts';
import { DAY_MS } from './daySchedule.ts';
import { listening, type ReportedFills } from './reportedFills.ts';
import { readUsersFile, type UsersFile } from './usersFile.ts';
import { resolveUsersRun, type WholeDays } from './usersBars.ts';

type Loader = NonNullable<LiveOptions['load']>;

export interface UsersBot {
  readonly name: string;
  readonly asset: string;
  /** Notes for the reader of the results. */
  readonly notes: readonly string[];
  /** Returns the start of the day of a seed: a midnight UTC inside the bars, ms UTC. */
  startOf(seed: number): number;
  exchangeAt(startMs: number, seed: number): DayExchangeSpec;
  /** Writes the config of a day, and the bars before the day, into a folder with the files `key` and `secret`. */
  configIn(folder: string, startMs: number): LiveConfig;
  /** Returns a loader that loads strategies like a new process: variables outside of their classes have their first values again. */
  loader(reported: ReportedFills): Loader;
  /** True while a process loads its strategies. */
  readonly isLoading: boolean;
  /** Maximum number of bars in each feed of a day. */
  readonly room: number;
}

/** Maximum number of bars before a day for the warm-up of strategies, and of further bars from the exchange. */
const WARM_ROWS = 5000;
const REPORTED_ROWS = 400;
/** Maximum length of a day, including the time until all orders are settled. */
const MAX_DAY_MS = 1.1 * DAY_MS;

/** Returns the bot of a user's file. Throws ConfigError or StrategyError for a file that cannot be simulated. */
export async function openUsersBot(file: string): Promise<UsersBot> {
  const users = readUsersFile(file);
  const bundles = new Map<string, ReturnType<Bundler>>();
  const bundler: Bundler = (path, shown) => {
    const known = bundles.get(path) ?? bundleInProcess(path, shown);
    bundles.set(path, known);
    return known;
  };
  const { plan, days, notes } = await resolveUsersRun(users, bundler);
  const finest = finestFeeds(plan.feeds).map(({ bars }) => ({ ...bars, instrument: withFeesOf(plan, bars.instrument) }));
  return new ReadyBot({ users, plan, finest, days, bundler, notes });
}

/** Returns an instrument with the fees of the run. Contracts already have them. */
function withFeesOf({ fees }: RunPlan, instrument: Instrument): Instrument {
  if (instrument.contract !== undefined) return instrument;
  return { ...instrument, makerFeePpm: fees.makerPpm, takerFeePpm: fees.takerPpm };
}

interface SharedParts {
  readonly users: UsersFile;
  readonly plan: RunPlan;
  readonly finest: readonly BarColumns[];
  readonly days: WholeDays;
  readonly bundler: Bundler;
  readonly notes: readonly string[];
}

class ReadyBot implements UsersBot {
  readonly name: string;
  readonly asset: string;
  readonly notes: readonly string[];
  readonly room: number;
  readonly #parts: SharedParts;
  #loads = 0;

  constructor(parts: SharedParts) {
    this.#parts = parts;
    this.name = parts.plan.name;
    this.asset = parts.finest[0]!.instrument.quote;
    const minIntervalMs = Math.min(...parts.plan.feeds.map(({ bars }) => typicalLengthMs(bars.interval)));
    this.room = WARM_ROWS + REPORTED_ROWS + Math.ceil(MAX_DAY_MS / minIntervalMs);
    const { firstMs, count } = parts.days;
    this.notes = [...parts.notes, `days from ${formatMinute(firstMs)} to ${formatMinute(firstMs + count * DAY_MS)}`];
  }

  startOf(seed: number): number {
    const { firstMs, count } = this.#parts.days;
    // A step without a common divisor with the number of days visits all days before a day comes again.
    let step = Math.max(1, Math.floor(count * 0.618));
    while (commonDivisor(step, count) > 1) step++;
    return firstMs + (((seed % count) * step) % count) * DAY_MS;
  }

  exchangeAt(startMs: number, seed: number): DayExchangeSpec {
    const { plan, finest } = this.#parts;
    // The plan of a run over both markets has funds for each market.
    const balances = plan.funds ?? { [finest[0]!.instrument.market]: plan.cash };
    const lengths = plan.feeds.map(({ bars }) => typicalLengthMs(bars.interval));
    const maxInterval = INTERVALS.find((interval) => typicalLengthMs(interval) >= Math.max(...lengths)) ?? '1M';
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
    const { users, plan } = this.#parts;
    const catalog = join(folder, 'data');
    storeHistory(catalog, plan.feeds, startMs);
    const file = join(folder, 'bot.yaml');
    const nowhere = 'http://127.0.0.1:1';
    const exchange = { spotUrl: nowhere, futuresUrl: nowhere, keyFile: 'key', secretFile: 'secret' };
    writeFileSync(file, JSON.stringify({ ...users.botKeys, mode: 'paper', exchange, data: 'bot', catalog }));
    const config = readLiveConfig(file, {});
    // Paths of the user's files are relative to the folder of the user's own file.
    return { ...config, source: { ...config.source, folder: users.source.folder } };
  }

  get isLoading(): boolean {
    return this.#loads > 0;
  }
  loader(reported: ReportedFills): Loader {
    const process = ++made.count;
    const importer: Importer = (url) => import(/* @vite-ignore */ `${url}?sim=${process}`);
    return async (entry: StrategyEntry, source: DefinitionSource): Promise<LoadedEntry> => {
      this.#loads++;
      try {
        const loaded = await loadEntry(entry, source, importer, this.#parts.bundler);
        return { ...loaded, plan: { ...loaded.plan, strategy: listening(loaded.plan.strategy, reported) } };
      } finally {
        this.#loads--;
      }
    };
  }
}

const made = { count: 0 };

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));

/** Stores the bars of feeds before a time in a catalog, because strategies may need more bars than an exchange gives. */
function storeHistory(catalog: string, feeds: readonly FeedPlan[], startMs: number): void {
  const seen = new Set<string>();
  for (const { bars, isHidden = false } of feeds) {
    const key = `${bars.instrument.id} ${bars.interval}`;
    const end = firstRowAt(bars, startMs);
    if (isHidden || seen.has(key) || end === 0) continue;
    seen.add(key);
    const part = rowsOf(bars, Math.max(0, end - WARM_ROWS), end);
    const copies = Object.fromEntries(COLUMNS.map((name) => [name, part[name].slice()])) as Record<(typeof COLUMNS)[number], Float64Array>;
    // The exchange gives volumes in whole lots, and a bot ignores a catalog with other volumes.
    const scale = 10 ** bars.instrument.quantityDigits;
    storeBars(catalog, { ...part, ...copies, volume: copies.volume.map((volume) => Math.round(volume * scale) / scale) }, IMPORTED);
  }
}

const COLUMNS = ['openMs', 'closeMs', 'open', 'high', 'low', 'close', 'volume'] as const;
