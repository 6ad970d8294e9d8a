// Provides the bars of simulated days: from the catalog, or generated ones if the catalog has less than a whole day.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import { catalogStore, memoryStore, wholeSet, type BarStore } from '../../adapters/catalog/bars/barStore.ts';
import { SYNTHETIC } from '../../adapters/catalog/bars/barQuality.ts';
import { synthesizeBars } from '../../adapters/catalog/generate/generate.ts';
import type { Bundler } from '../../adapters/plugins/bundler.ts';
import { monthStart, DAY_MS } from '../../base/calendar.ts';
import { ConfigError } from '../../base/errors.ts';
import { finestFeeds } from '../../definition/plan/finestFeeds.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import { resolveRun } from '../../definition/resolve.ts';
import { DEFINITION_DEFAULTS } from '../../definition/load/withDefaults.ts';
import { parseDefinition } from '../../definition/text/parse.ts';
import type { Definition } from '../../definition/text/schema.ts';
import { whereIs } from '../../definition/text/source.ts';
import type { Market } from '../../model/instrument.ts';
import { parseFeedInterval, typicalLengthMs, type Interval } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import { isTradeBars } from '../../model/tradeBars.ts';
import type { UsersFile } from './usersFile.ts';

/** Consecutive days, from midnight to midnight UTC. */
export interface WholeDays {
  /** Start of the first day, ms UTC. */
  readonly firstMs: number;
  readonly count: number;
}

/** The run of a user's file, with its bars. */
export interface UsersRun {
  readonly plan: RunPlan;
  readonly days: WholeDays;
  readonly notes: readonly string[];
}

/** Number of generated days. */
const GENERATED_DAYS = 120;
/** Number of generated bars of the longest interval before the first day, for the warm-up. */
const GENERATED_WARM_BARS = 400;
/** Time of the first generated bar, ms UTC. */
const GENERATED_FROM_MS = monthStart(2024, 1);
/** Maximum number of generated bars of one symbol. */
const MAX_ROWS = 2_000_000;

/** Returns the run of a user's file with its bars. Throws ConfigError or StrategyError for a definition that cannot run. */
export async function resolveUsersRun({ source, isBot }: UsersFile, bundler: Bundler): Promise<UsersRun> {
  const definition = parseDefinition(source);
  const requiredBars = requiredBarsOf(definition, (name) => whereIs(source, ['feeds', name, 'interval']));
  const store = catalogIn(definition, source.folder);
  const missing = requiredBars.find(({ market, symbol }) => (store?.intervalsOf({ market, symbol }) ?? []).length === 0);
  let reason = missing === undefined ? '' : `the catalog has no bars of ${missing.symbol}`;
  if (missing === undefined) {
    const { plan } = await resolveRun(source, { bundler });
    const days = wholeDays(plan);
    if (days.count > 0) return { plan, days, notes: [] };
    reason = 'the catalog has less than a whole day of bars, from midnight to midnight UTC';
  }
  const { sets, fromMs } = generateBars(requiredBars, store);
  const { from: _from, to: _to, ...otherKeys } = source.data as Record<string, unknown>;
  const datedSource = { ...source, data: { ...otherKeys, from: formatTime(fromMs) } };
  const { plan } = await resolveRun(datedSource, { bundler, bars: memoryStore(sets) });
  const remedy = isBot ? 'add bars with isobar data download' : 'add bars with isobar data import or isobar data download';
  return { plan, days: wholeDays(plan), notes: [`${reason}: the bars are generated (${remedy})`] };
}

/** Returns the days, from midnight to midnight UTC, on which all instruments have bars. */
function wholeDays({ fromMs, feeds }: RunPlan): WholeDays {
  const finest = finestFeeds(feeds).map(({ bars }) => bars);
  const startsMs = finest.map(({ openMs }) => openMs[0]!);
  const endsMs = finest.map(({ closeMs, length }) => closeMs[length - 1]!);
  const firstMs = Math.ceil(Math.max(fromMs, largestOf(startsMs)) / DAY_MS) * DAY_MS;
  return { firstMs, count: Math.max(0, Math.floor((smallestOf(endsMs) - firstMs) / DAY_MS)) };
}

/** The intervals of one symbol that the feeds of a definition need. */
interface RequiredBars {
  readonly market: Market;
  readonly symbol: string;
  readonly intervals: readonly Interval[];
}

/** Returns the bars that the feeds of a definition need, by symbol. Throws ConfigError for bars from trades. `where` locates a feed. */
function requiredBarsOf(
  { feeds, market: defaultMarket = DEFINITION_DEFAULTS.market }: Definition,
  where: (feed: string) => string,
): readonly RequiredBars[] {
  const bySymbol = new Map<string, { market: Market; symbol: string; intervals: Interval[] }>();
  for (const [name, feed] of Object.entries(feeds)) {
    const interval = parseFeedInterval(feed.interval);
    if (interval === null || isTradeBars(interval))
      throw new ConfigError(
        `${where(name)}: expected bars of a fixed length of time, got ${feed.interval}`,
        'use an interval such as 1h, because an exchange has no other bars',
      );
    for (const symbol of feed.symbols ?? [feed.symbol ?? '']) {
      const market = feed.market ?? defaultMarket;
      const required = bySymbol.get(`${market} ${symbol}`) ?? { market, symbol, intervals: [] };
      required.intervals.push(interval);
      bySymbol.set(`${market} ${symbol}`, required);
    }
  }
  return [...bySymbol.values()];
}

/** Returns generated bars of the shortest interval of each symbol, and the start of the first day. */
function generateBars(requiredBars: readonly RequiredBars[], store: BarStore | null) {
  const lengths = requiredBars.flatMap(({ intervals }) => intervals.map(typicalLengthMs));
  const warmMs = Math.ceil((GENERATED_WARM_BARS * largestOf(lengths)) / DAY_MS) * DAY_MS;
  const fromMs = GENERATED_FROM_MS + warmMs;
  const sets = requiredBars.map(({ market, symbol, intervals }, index) => {
    const interval = intervals.toSorted((a, b) => typicalLengthMs(a) - typicalLengthMs(b))[0]!;
    const bars = Math.min(MAX_ROWS, Math.ceil((warmMs + GENERATED_DAYS * DAY_MS) / typicalLengthMs(interval)));
    const price = lastClose(store, { market, symbol });
    return wholeSet(synthesizeBars({ symbol, market, interval, fromMs: GENERATED_FROM_MS, bars, seed: 1 + index, price }), SYNTHETIC);
  });
  return { sets, fromMs };
}

/** Returns the newest price of a symbol in the catalog. Undefined if the catalog has none. */
function lastClose(store: BarStore | null, symbol: Pick<RequiredBars, 'market' | 'symbol'>): number | undefined {
  const [interval] = store?.intervalsOf(symbol) ?? [];
  if (store === null || interval === undefined) return undefined;
  const { bars } = store.load({ ...symbol, interval }, {});
  return bars.close[bars.length - 1];
}

/**
 * Returns the catalog of the definition. A relative path is looked up in the current folder and then in `folder`, that of the file, as a bot
 * does it. Null if neither exists.
 */
function catalogIn({ catalog = DEFINITION_DEFAULTS.catalog }: Definition, folder: string): BarStore | null {
  const path = [resolve(catalog), resolve(folder, catalog)].find((candidate) => existsSync(candidate));
  return path === undefined ? null : catalogStore(path);
}
