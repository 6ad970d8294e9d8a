// Resolves a checked definition to a run plan: loads strategies and bars, and converts text to numbers.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { catalogStore, type BarStore } from '../adapters/catalog/bars/store.ts';
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
import { loadModels } from './models/load.ts';
import type { ModuleOptions } from './models/modules.ts';
import { loadContracts, type LoadedContracts } from './marks/load.ts';
import { finestFeeds } from './plan/finestFeeds.ts';
import type { FeedPlan, FuturesPlan, ModelsPlan, RunPlan, SeriesPlan, StrategyPlan } from './plan/plan.ts';
import { loadFeeds } from './load/feeds.ts';
import { streamingStore } from './load/streaming.ts';
import { tradeWarnings } from './load/tradeWarnings.ts';
import { checkImpactVolume } from './load/impactVolume.ts';
import { feesOf, startingBalances } from './load/money.ts';
import { loadExternalSeries, externalNotes } from './load/externalSeries.ts';
import { settledFills } from './text/fills.ts';
import { parseDefinition } from './text/parse.ts';
import { locate } from './text/paths.ts';
import type { Definition } from './text/schema.ts';
import { DEFAULTS, runName, textWithDefaults, strategyEntries, type StrategyEntry } from './load/withDefaults.ts';
import { whereIs, type DefinitionSource } from './text/source.ts';
import { ppmOf } from './text/values.ts';
import { loadEntry, type LoadedEntry } from './load/strategies.ts';

export interface ResolvedRun {
  readonly plan: RunPlan;
  /** The definition as YAML with every default written out. */
  readonly text: string;
  /** sha-256 of `text`. */
  readonly hash: string;
  /** Files in each strategy bundle, in the order of the plan. */
  readonly inputs: readonly (readonly string[])[];
  /** Every file that the run read, except its definition. */
  readonly files: readonly UsedFile[];
  /** Notes on the resolution for a reader of the results. */
  readonly notes: readonly string[];
  /** Warnings that a reader of the results must see. */
  readonly warnings: readonly Warning[];
  /** Where its bars came from; null for feeds that were loaded before. */
  readonly store: BarStore | null;
  /** Null for a run without futures. */
  readonly contracts: LoadedContracts | null;
}

/** A file that the run used, and its use. */
export interface UsedFile {
  readonly use: 'strategy' | 'model' | 'data';
  /** Absolute. */
  readonly path: string;
}

export interface ResolveOptions {
  /** Rows of a block. A setting for tests; it does not affect the result. */
  readonly blockRows?: number;
  /** Bars that replace the definition's catalog folder. */
  readonly bars?: BarStore | null | undefined;
  /** From which number of rows on bars are read block by block, where that is possible; missing: bars are always loaded whole. */
  readonly streaming?: Streaming | undefined;
  /** Feeds of the definition that are already loaded; then nothing is read. */
  readonly feeds?: readonly FeedPlan[];
  /** External series that are already loaded, with those feeds. */
  readonly series?: readonly SeriesPlan[] | undefined;
  /** Contracts of those feeds that are already loaded. */
  readonly contracts?: LoadedContracts | undefined;
  /** Replaces the loading of strategy files, for classes that are already loaded. */
  readonly load?: (entry: StrategyEntry, source: DefinitionSource, importer?: Importer) => Promise<LoadedEntry>;
  /** Runs the top-level code of users' files. */
  readonly importer?: Importer;
  /** Bundles users' files; by default in this process. */
  readonly bundler?: Bundler | undefined;
  /** Modules given in code, by their index in the definition's list. */
  readonly modules?: ModuleOptions['modules'];
}

const CATALOG = { what: 'a catalog folder', kind: 'folder' as const, remedy: 'isobar data import FILE --catalog FOLDER makes one' };

/**
 * Default block size: short enough for ten progress reports a second and for windows that fit the cache. Sizes from 512 to 4096 differ by a
 * tenth.
 */
export const BLOCK_ROWS = 2048;

/** Throws ConfigError for any unusable part of the definition, and StrategyError for a strategy file that throws when loaded. */
export async function resolveRun(source: DefinitionSource, options: ResolveOptions = {}): Promise<ResolvedRun> {
  const definition = parseDefinition(source);
  const entries = strategyEntries(definition, source);
  const range = rangeOf(definition, source);
  // Bundling runs in another process, so the bars are loaded meanwhile. Problems of a strategy are reported first.
  const loading = Promise.allSettled(
    entries.map((entry) => (options.load ? options.load(entry, source) : loadEntry(entry, source, options.importer, options.bundler))),
  );
  const feeds = deferOutcome(() => {
    const store = options.feeds ? null : (options.bars ?? catalogOf(definition, source));
    const opened = store === null || options.streaming === undefined ? store : streamingStore(store, definition, options.streaming);
    const all = options.feeds ?? loadFeeds(definition, source, opened!, range);
    const span = spanOf(all, range);
    const widest = widestOf(all);
    // Loads the feeds as if the definition had these `from` and `to`, because the definition that the run records has them.
    const isNarrowed = options.feeds === undefined && (widest.fromMs < span.run.fromMs || widest.toMs > span.run.toMs);
    const kept = isNarrowed ? loadFeeds(definition, source, store!, span.run) : all;
    const warnings = isNarrowed ? [rangeWarning(kept, widest, span.run)] : [];
    const contracts = options.contracts ?? contractsOf(definition, kept, store, span.run);
    const series =
      options.feeds === undefined ? loadExternalSeries(definition, source, kept, store, span.run.toMs) : (options.series ?? []);
    return { store, feeds: kept, span, warnings, contracts, series };
  });
  const strategies = (await loading).map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  const models = await loadModels(definition, source, options);
  return assemble(definition, source, entries, strategies, feeds(), models, options.blockRows ?? BLOCK_ROWS);
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
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns the times of the run. Unless the definition sets them, they are those of the bars in which its orders fill. Feeds that extend
 * beyond by less than one bar of theirs, such as a day around the first minutes, are not cut off.
 */
function spanOf(feeds: readonly FeedPlan[], range: Range): LoadedData['span'] {
  const all = widestOf(feeds);
  const filled = widestOf(finestFeeds(feeds));
  const bar = Math.max(...feeds.map(({ bars }) => typicalLengthMs(bars.interval)));
  const fromMs = filled.fromMs - all.fromMs >= bar ? filled.fromMs : all.fromMs;
  const toMs = all.toMs - filled.toMs >= bar ? filled.toMs : all.toMs;
  return { run: { fromMs: range.fromMs ?? fromMs, toMs: range.toMs ?? toMs }, bars: { fromMs, toMs } };
}

function widestOf(feeds: readonly FeedPlan[]): Span {
  return {
    fromMs: Math.min(...feeds.map(({ bars, firstRow }) => timeOr(openMsOf(bars, firstRow), Infinity))),
    toMs: Math.max(...feeds.map(({ bars }) => timeOr(closeMsOf(bars, bars.length - 1), -Infinity))),
  };
}

/** A row that does not exist has no time (NaN). */
const timeOr = (ms: number, missing: number): number => (Number.isNaN(ms) ? missing : ms);

function rangeWarning(feeds: readonly FeedPlan[], all: Span, run: Span): Warning {
  const names = finestFeeds(feeds).map(({ bars }) => `${bars.instrument.wireName} ${bars.interval}`);
  const range = ({ fromMs, toMs }: Span) => `${formatMinute(fromMs)} to ${formatMinute(toMs)}`;
  return warning(
    'DATA_PARTIAL',
    `orders fill in bars of ${names.join(', ')}, which cover ${range(run)} of ${range(all)}: the run is where they are`,
  );
}

/** Returns null without contracts. Bars given in code have no marks and no funding. */
function contractsOf({ futures }: Definition, feeds: readonly FeedPlan[], store: BarStore | null, run: Span): LoadedContracts | null {
  const ofContracts = feeds.filter(({ bars }) => bars.instrument.contract !== undefined);
  if (ofContracts.length === 0) return null;
  return loadContracts(ofContracts, store?.series ?? null, futures?.marks ?? DEFAULTS.futures.marks, run);
}

function catalogOf(definition: Definition, source: DefinitionSource): BarStore {
  return catalogStore(locate(source, ['catalog'], definition.catalog ?? DEFAULTS.catalog, CATALOG));
}

interface Range {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

function rangeOf({ from, to }: Definition, source: DefinitionSource): Range {
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

function assemble(
  given: Definition,
  source: DefinitionSource,
  entries: readonly StrategyEntry[],
  strategies: readonly LoadedEntry[],
  { store, feeds, span, warnings, contracts, series }: LoadedData,
  models: ModelsPlan,
  blockRows: number,
): ResolvedRun {
  const { cash, funds } = startingBalances(given, source, feeds);
  const definition = { ...given, cash: funds ?? cash };
  const { plan: fees, rates } = feesOf(definition, source, feeds);
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
    size: sizeOf(definition),
    fees,
    fills: settledFills(definition.fills),
    risk: Object.fromEntries(Object.entries(definition.risk ?? {}).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
    models,
    ...(contracts === null ? {} : { futures: futuresOf(definition, contracts) }),
    seed: definition.seed ?? DEFAULTS.seed,
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
    files: [
      ...filesOf(strategies, models, feeds),
      ...series.map(({ file }): UsedFile => ({ use: 'data', path: resolve(file) })),
      ...(contracts?.files ?? []).map((file): UsedFile => ({ use: 'data', path: resolve(file) })),
    ],
    notes: [
      ...notesOf(span.run, span.bars),
      ...feeds.flatMap(({ note }) => note ?? []),
      ...externalNotes(series, span.run),
      ...executionIntervalNotes(feeds),
      ...(contracts?.notes ?? []),
    ],
    warnings: [...warnings, ...tradeWarnings(feeds, definition.fills), ...(contracts?.warnings ?? [])],
    contracts,
    store,
  };
}

function filesOf(strategies: readonly LoadedEntry[], models: ModelsPlan, feeds: readonly FeedPlan[]): readonly UsedFile[] {
  const bundledFiles = (use: UsedFile['use'], bundle: { readonly folder: string; readonly inputs: readonly string[] }) =>
    bundle.inputs.map((name): UsedFile => ({ use, path: resolve(bundle.folder, name) }));
  return [
    ...strategies.flatMap((entry) => bundledFiles('strategy', entry)),
    ...models.records.flatMap((record) => bundledFiles('model', record)),
    ...feeds.flatMap(({ files = [] }) => files.map((file): UsedFile => ({ use: 'data', path: resolve(file) }))),
  ];
}

function sizeOf({ size = DEFAULTS.size }: Definition): RunPlan['size'] {
  return Object.fromEntries(Object.entries(size).filter(([, amount]) => amount !== undefined));
}

function futuresOf({ futures }: Definition, { data }: LoadedContracts): FuturesPlan {
  const { leverage, margin, positions, liquidationFee } = DEFAULTS.futures;
  return {
    leverage: futures?.leverage ?? leverage,
    isCross: (futures?.margin ?? margin) === 'cross',
    isNet: (futures?.positions ?? positions) === 'net',
    liquidationFeePpm: ppmOf(futures?.liquidationFee ?? liquidationFee),
    data,
  };
}

/** Notes where orders fill in bars that the strategy does not see. */
function executionIntervalNotes(feeds: readonly FeedPlan[]): readonly string[] {
  const names = instrumentNames(feeds.map(({ bars }) => bars.instrument.id));
  const found = finestFeeds(feeds.filter(({ isHidden }) => !isHidden)).flatMap(({ bars: { instrument, interval } }) => {
    const finer = feeds.find(({ isHidden, bars }) => isHidden && bars.instrument.id === instrument.id);
    return finer === undefined
      ? []
      : [
          {
            name: names.get(instrument.id)!,
            how:
              finer.bars.interval === TRADE_ROWS
                ? `orders fill against trades inside the bars of ${interval}`
                : `orders fill in bars of ${finer.bars.interval} inside those of ${interval}`,
          },
        ];
  });
  return [...new Set(found.map(({ how }) => how))].map((how) => {
    const named = found.filter((each) => each.how === how).map(({ name }) => name);
    return `${named.join(', ')}: ${how}`;
  });
}

function notesOf(run: Span, bars: Span): readonly string[] {
  const notes: string[] = [];
  if (bars.fromMs > run.fromMs) notes.push(`the bars begin at ${formatTime(bars.fromMs)}, after the start of the run`);
  if (bars.toMs < run.toMs) notes.push(`the bars end at ${formatTime(bars.toMs)}, before the end of the run`);
  return notes;
}
