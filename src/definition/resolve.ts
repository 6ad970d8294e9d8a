// Resolves a definition to a run plan: loads strategies, models and bars, and converts text to numbers.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { largestOf, smallestOf } from '../base/number/extremes.ts';
import { catalogStore, type BarStore } from '../adapters/catalog/bars/barStore.ts';
import type { Streaming } from '../adapters/catalog/bars/streamedBars.ts';
import { ConfigError } from '../base/errors.ts';
import { closeMsOf, openMsOf } from '../model/bars/bars.ts';
import { TRADE_ROWS, typicalLengthMs } from '../model/interval.ts';
import { formatMinute, formatTime, parseTime } from '../model/time.ts';
import { warning, type Warning } from '../model/warning.ts';
import type { Bundler } from '../adapters/plugins/bundler.ts';
import type { Importer } from '../adapters/plugins/loadModule.ts';
import { instrumentNames } from '../report/words/names.ts';
import { deferOutcome } from '../base/deferOutcome.ts';
import { loadModels } from './models/loadModels.ts';
import type { ModuleOptions } from './models/modules.ts';
import { loadContracts, type LoadedContracts } from './marks/loadContracts.ts';
import { finestFeeds } from './plan/finestFeeds.ts';
import type { FeedPlan, FuturesPlan, ModelsPlan, RunPlan, SeriesPlan, StrategyPlan } from './plan/plan.ts';
import { loadFeeds } from './load/feeds.ts';
import { streamingStore } from './load/streaming.ts';
import { tradeWarnings } from './load/tradeWarnings.ts';
import { checkImpactVolume } from './load/impactVolume.ts';
import { conversionNotes } from './load/conversion.ts';
import { settledFeesOf, startingBalances } from './load/money.ts';
import { loadExternalSeries, externalNotes } from './load/externalSeries.ts';
import { settledFills } from './text/fills.ts';
import { parseDefinition } from './text/parse.ts';
import { locate } from './text/paths.ts';
import type { Definition } from './text/schema.ts';
import { DEFINITION_DEFAULTS, runName, textWithDefaults, strategyEntries, type StrategyEntry } from './load/withDefaults.ts';
import { whereIs, type DefinitionSource } from './text/source.ts';
import { ppmOf } from './text/values.ts';
import { loadEntry, type LoadedEntry } from './load/strategies.ts';

/** A run plan, and facts about its origin. */
export interface ResolvedRun {
  readonly plan: RunPlan;
  /** The definition as YAML with every default written out. */
  readonly text: string;
  /** sha-256 of `text`. */
  readonly hash: string;
  /** Files in the bundle of each strategy. */
  readonly inputs: readonly (readonly string[])[];
  /** All files that the run read, except its definition. */
  readonly files: readonly UsedFile[];
  /** Notes for a reader of the results, for example about missing data. */
  readonly notes: readonly string[];
  /** Warnings that a reader of the results must see. */
  readonly warnings: readonly Warning[];
  /** The store of its bars; null for feeds that were loaded before. */
  readonly store: BarStore | null;
  /** Marks and funding; null for a run without futures. */
  readonly contracts: LoadedContracts | null;
}

/** A file that the run used, and its use. */
export interface UsedFile {
  readonly use: 'strategy' | 'model' | 'data';
  /** Absolute. */
  readonly path: string;
}

/** How a definition is resolved. Every member has a default. */
export interface ResolveOptions {
  /** Rows of a block. A setting for tests; it does not affect the result. */
  readonly blockRows?: number;
  /** Bars that replace the definition's catalog folder. */
  readonly bars?: BarStore | null | undefined;
  /** Number of rows from which on bars are read block by block, where that is possible. Missing: bars are always loaded whole. */
  readonly streaming?: Streaming | undefined;
  /** Feeds of the definition that were loaded before. Then no bars are read. */
  readonly feeds?: readonly FeedPlan[];
  /** External series that were loaded with these feeds. */
  readonly series?: readonly SeriesPlan[] | undefined;
  /** Contract data that were loaded with these feeds. */
  readonly contracts?: LoadedContracts | undefined;
  /** Replaces the loading of strategy files, for classes that were loaded before. */
  readonly load?: (entry: StrategyEntry, source: DefinitionSource, importer?: Importer) => Promise<LoadedEntry>;
  /** Runs the top-level code of users' files. */
  readonly importer?: Importer;
  /** Bundles users' files; by default in this process. */
  readonly bundler?: Bundler | undefined;
  /** Modules given in code, by their index in the definition's list. */
  readonly modules?: ModuleOptions['modules'];
}

const CATALOG_FOLDER = {
  description: 'a catalog folder',
  kind: 'folder' as const,
  remedy: 'isobar data import FILE --catalog FOLDER makes one',
};

/**
 * Default number of rows of a block. It is short enough for ten progress reports a second, and for data that fit the cache. Between 512 and
 * 4096 rows, the speed differs by a tenth.
 */
export const BLOCK_ROWS = 2048;

/** Resolves a definition. Throws ConfigError for an invalid part, and StrategyError for a strategy file that throws when it is loaded. */
export async function resolveRun(source: DefinitionSource, options: ResolveOptions = {}): Promise<ResolvedRun> {
  const definition = parseDefinition(source);
  const entries = strategyEntries(definition, source);
  const range = rangeOf(definition, source);
  // Load the bars while another process bundles the strategies. Problems of a strategy are reported first.
  const loading = Promise.allSettled(
    entries.map((entry) => (options.load ? options.load(entry, source) : loadEntry(entry, source, options.importer, options.bundler))),
  );
  const data = deferOutcome(() => loadData(definition, source, range, options));
  const strategies = (await loading).map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  const models = await loadModels(definition, source, options);
  return assembleRun({
    authored: definition,
    source,
    entries,
    strategies,
    data: data(),
    models,
    blockRows: options.blockRows ?? BLOCK_ROWS,
  });
}

/** The loaded data of a run. */
interface LoadedData {
  readonly store: BarStore | null;
  readonly feeds: readonly FeedPlan[];
  /** The times of the run, and those of its bars. */
  readonly span: { readonly run: Span; readonly bars: Span };
  readonly warnings: readonly Warning[];
  readonly contracts: LoadedContracts | null;
  readonly series: readonly SeriesPlan[];
}

/** The times that a definition sets, ms UTC; null where it sets none. */
interface RunRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Loads the feeds of a run, its contracts and its external series, unless `options` has them. Throws ConfigError for missing bars. */
function loadData(definition: Definition, source: DefinitionSource, range: RunRange, options: ResolveOptions): LoadedData {
  const store = options.feeds ? null : (options.bars ?? catalogOf(definition, source));
  const feedStore = store === null || options.streaming === undefined ? store : streamingStore(store, definition, options.streaming);
  const allFeeds = options.feeds ?? loadFeeds(definition, source, feedStore!, range);
  const span = spanOf(allFeeds, range);
  const widest = widestSpan(allFeeds);
  // Load the feeds again for the narrower span, because the recorded definition has its `from` and `to`.
  const isNarrowed = options.feeds === undefined && (widest.fromMs < span.run.fromMs || widest.toMs > span.run.toMs);
  const runFeeds = isNarrowed ? loadFeeds(definition, source, store!, span.run) : allFeeds;
  return {
    store,
    feeds: runFeeds,
    span,
    warnings: isNarrowed ? [rangeWarning(runFeeds, widest, span.run)] : [],
    contracts: options.contracts ?? contractsOf(definition, runFeeds, store, span.run),
    series: options.feeds === undefined ? loadExternalSeries(definition, source, runFeeds, store, span.run.toMs) : (options.series ?? []),
  };
}

/** A span of time. Both times are ms UTC, and `toMs` is exclusive. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns the times of the run, and those of its bars. Unless the definition sets them, they are the times of the bars in which orders
 * fill. If another feed is longer by less than one of its bars, such as a day around the first minutes, its times count.
 */
function spanOf(feeds: readonly FeedPlan[], range: RunRange): LoadedData['span'] {
  const widest = widestSpan(feeds);
  const executionSpan = widestSpan(finestFeeds(feeds));
  const maxBarMs = largestOf(feeds.map(({ bars }) => typicalLengthMs(bars.interval)));
  const fromMs = executionSpan.fromMs - widest.fromMs >= maxBarMs ? executionSpan.fromMs : widest.fromMs;
  const toMs = widest.toMs - executionSpan.toMs >= maxBarMs ? executionSpan.toMs : widest.toMs;
  return { run: { fromMs: range.fromMs ?? fromMs, toMs: range.toMs ?? toMs }, bars: { fromMs, toMs } };
}

/** Returns the time from the first bar to the last one of any feed. */
function widestSpan(feeds: readonly FeedPlan[]): Span {
  return {
    fromMs: smallestOf(feeds.map(({ bars, firstRow }) => timeOrDefault(openMsOf(bars, firstRow), Infinity))),
    toMs: largestOf(feeds.map(({ bars }) => timeOrDefault(closeMsOf(bars, bars.length - 1), -Infinity))),
  };
}

/** A row that does not exist has no time (NaN). */
const timeOrDefault = (ms: number, defaultMs: number): number => (Number.isNaN(ms) ? defaultMs : ms);

/** Returns the warning that the bars in which orders fill do not cover all bars. */
function rangeWarning(feeds: readonly FeedPlan[], widest: Span, run: Span): Warning {
  const names = finestFeeds(feeds).map(({ bars }) => `${bars.instrument.wireName} ${bars.interval}`);
  const range = ({ fromMs, toMs }: Span) => `${formatMinute(fromMs)} to ${formatMinute(toMs)}`;
  return warning(
    'DATA_PARTIAL',
    `orders fill in bars of ${names.join(', ')}, which cover ${range(run)} of ${range(widest)}: the run is where they are`,
  );
}

/** Returns marks and funding of the contracts; null without contracts. Bars that were given in code have neither. */
function contractsOf({ futures }: Definition, feeds: readonly FeedPlan[], store: BarStore | null, run: Span): LoadedContracts | null {
  const ofContracts = feeds.filter(({ bars }) => bars.instrument.contract !== undefined);
  if (ofContracts.length === 0) return null;
  return loadContracts(ofContracts, store?.series ?? null, futures?.marks ?? DEFINITION_DEFAULTS.futures.marks, run);
}

/** Returns the bars of the definition's catalog folder. */
function catalogOf(definition: Definition, source: DefinitionSource): BarStore {
  return catalogStore(locate(source, ['catalog'], definition.catalog ?? DEFINITION_DEFAULTS.catalog, CATALOG_FOLDER));
}

/** Returns the times of the definition. Throws ConfigError if the run would end before it starts. */
function rangeOf({ from, to }: Definition, source: DefinitionSource): RunRange {
  const fromMs = from === undefined ? null : parseTime(from);
  const toMs = to === undefined ? null : parseTime(to);
  if (fromMs !== null && toMs !== null && toMs <= fromMs) {
    throw new ConfigError(
      `${whereIs(source, ['to'])}: expected a time after from (${from}), got ${to}`,
      'the run ends before `to`, which itself is not part of it',
    );
  }
  return { fromMs, toMs };
}

/** The loaded parts of a run. */
interface RunParts {
  /** The definition as its author wrote it. */
  readonly authored: Definition;
  readonly source: DefinitionSource;
  readonly entries: readonly StrategyEntry[];
  /** The loaded strategies, in the order of `entries`. */
  readonly strategies: readonly LoadedEntry[];
  readonly data: LoadedData;
  readonly models: ModelsPlan;
  readonly blockRows: number;
}

/** Returns the run that consists of these parts, with all defaults filled in. Throws ConfigError if they do not fit together. */
function assembleRun({ authored, source, entries, strategies, data, models, blockRows }: RunParts): ResolvedRun {
  const { store, feeds, span, warnings, contracts, series } = data;
  const { cash, funds, convert } = startingBalances(authored, source, feeds);
  const definition = { ...authored, cash: funds ?? cash };
  const { plan: fees, rates } = settledFeesOf(definition, source, feeds);
  checkImpactVolume(definition, source, feeds);
  const { fromMs, toMs } = span.run;
  const plan: RunPlan = {
    name: runName(definition, entries),
    strategies: strategies.map((entry): StrategyPlan => entry.plan),
    feeds,
    ...(series.length === 0 ? {} : { series }),
    fromMs,
    toMs,
    cash,
    ...(funds === null ? {} : { funds }),
    ...(convert === null ? {} : { convert }),
    size: sizeOf(definition),
    fees,
    fills: settledFills(definition.fills),
    risk: Object.fromEntries(Object.entries(definition.risk ?? {}).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
    models,
    ...(contracts === null ? {} : { futures: futuresOf(definition, contracts) }),
    seed: definition.seed ?? DEFINITION_DEFAULTS.seed,
    ...(definition.decide === undefined ? {} : { decide: definition.decide }),
    blockRows,
  };
  const text = textWithDefaults(definition, entries, { from: formatTime(fromMs), to: formatTime(toMs), rates });
  const hash = createHash('sha256').update(text).digest('hex');
  return {
    plan,
    text,
    hash,
    inputs: strategies.map((entry) => entry.inputs),
    files: [...filesOf(strategies, models, feeds), ...dataFiles(data)],
    notes: [...dataNotes(data), ...conversionNotes(convert, feeds), ...(contracts?.notes ?? [])],
    warnings: [...warnings, ...tradeWarnings(feeds, definition.fills), ...(contracts?.warnings ?? [])],
    contracts,
    store,
  };
}

/** Returns the files of external series and of contracts. */
const dataFiles = ({ series, contracts }: LoadedData): readonly UsedFile[] =>
  [...series.map(({ file }) => file), ...(contracts?.files ?? [])].map((file) => ({ use: 'data', path: resolve(file) }));

/** Returns the notes about the range, the bars and the external series. */
const dataNotes = ({ feeds, span, series }: LoadedData): readonly string[] => [
  ...rangeNotes(span.run, span.bars),
  ...feeds.flatMap(({ note }) => note ?? []),
  ...externalNotes(series, span.run),
  ...executionIntervalNotes(feeds),
];

/** Returns the files of strategies, models and bars, each with its use. */
function filesOf(strategies: readonly LoadedEntry[], models: ModelsPlan, feeds: readonly FeedPlan[]): readonly UsedFile[] {
  const bundledFiles = (use: UsedFile['use'], bundle: { readonly folder: string; readonly inputs: readonly string[] }) =>
    bundle.inputs.map((name): UsedFile => ({ use, path: resolve(bundle.folder, name) }));
  return [
    ...strategies.flatMap((entry) => bundledFiles('strategy', entry)),
    ...models.records.flatMap((record) => bundledFiles('model', record)),
    ...feeds.flatMap(({ files = [] }) => files.map((file): UsedFile => ({ use: 'data', path: resolve(file) }))),
  ];
}

/** Returns the sizes of orders, without members that are undefined. */
function sizeOf({ size = DEFINITION_DEFAULTS.size }: Definition): RunPlan['size'] {
  return Object.fromEntries(Object.entries(size).filter(([, amount]) => amount !== undefined));
}

/** Returns the terms of the futures account, with the defaults for keys that the definition does not have. */
function futuresOf({ futures }: Definition, { data }: LoadedContracts): FuturesPlan {
  const { leverage, margin, positions, liquidationFee } = DEFINITION_DEFAULTS.futures;
  return {
    leverage: futures?.leverage ?? leverage,
    isCross: (futures?.margin ?? margin) === 'cross',
    isNet: (futures?.positions ?? positions) === 'net',
    liquidationFeePpm: ppmOf(futures?.liquidationFee ?? liquidationFee),
    data,
  };
}

/** Returns notes about execution-only feeds, in which orders fill and which the strategy does not see. */
function executionIntervalNotes(feeds: readonly FeedPlan[]): readonly string[] {
  const names = instrumentNames(feeds.map(({ bars }) => bars.instrument.id));
  const settings = finestFeeds(feeds.filter(({ isExecutionOnly }) => !isExecutionOnly)).flatMap(({ bars: { instrument, interval } }) => {
    const finer = feeds.find(({ isExecutionOnly, bars }) => isExecutionOnly && bars.instrument.id === instrument.id);
    if (finer === undefined) return [];
    const fillsInTrades = finer.bars.interval === TRADE_ROWS;
    const how = fillsInTrades
      ? `orders fill against trades inside the bars of ${interval}`
      : `orders fill in bars of ${finer.bars.interval} inside those of ${interval}`;
    return [{ name: names.get(instrument.id)!, how }];
  });
  return [...new Set(settings.map(({ how }) => how))].map((how) => {
    const sharing = settings.filter((setting) => setting.how === how).map(({ name }) => name);
    return `${sharing.join(', ')}: ${how}`;
  });
}

/** Returns notes about bars that are missing at the start or at the end. */
function rangeNotes(run: Span, bars: Span): readonly string[] {
  const notes: string[] = [];
  if (bars.fromMs > run.fromMs) notes.push(`the bars begin at ${formatTime(bars.fromMs)}, after the start of the run`);
  if (bars.toMs < run.toMs) notes.push(`the bars end at ${formatTime(bars.toMs)}, before the end of the run`);
  return notes;
}
