// Implements the commands of `isobar data`: each calls the catalog and prints the result.

import { existsSync, statSync } from 'node:fs';
import { checkBars, listCatalog } from '../../adapters/catalog/bars/catalog.ts';
import { parseMarkInterval } from '../../adapters/catalog/files/markInterval.ts';
import { checkSeries, listSeriesEntries } from '../../adapters/catalog/series/seriesStore.ts';
import { type BarKey, barsPath, instrumentPath, listKeys, listSeries, type SeriesKey } from '../../adapters/catalog/files/paths.ts';
import { listExternal, type ExternalKey } from '../../adapters/catalog/external/externalSeries.ts';
import { checkExternal } from '../../adapters/catalog/external/externalStore.ts';
import { listTradeKeys, type TradeKey } from '../../adapters/catalog/trades/trades.ts';
import { checkTrades } from '../../adapters/catalog/trades/tradeStore.ts';
import { resampleInto } from '../../adapters/catalog/bars/loadFeed.ts';
import { generateInto } from '../../adapters/catalog/generate/generateInto.ts';
import { expandFiles } from '../../adapters/catalog/import/globs.ts';
import type { BarFormat } from '../../adapters/catalog/rows/formats.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import { priceWarnings } from '../../report/warnings/dataWarnings.ts';
import { checkText, importText, isSound, catalogListText, writtenBarsText, manifestFigures, dataWarningsOf } from './barsText.ts';
import { printFailure } from '../terminal/failure.ts';
import { dateOf, intervalOption, parseNumber } from '../options/values.ts';
import { print, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { isSoundExternal, externalCheckText, externalJson, externalListings, externalListText } from './externalSeries.ts';
import { isSoundTrades, tradeListings, tradesJson } from './importTrades.ts';
import { isSoundSeries, writtenSeriesText, seriesJson, seriesWarnings } from './seriesText.ts';

/** Options of every command of `isobar data`. */
interface CatalogArgs {
  readonly catalog: string;
  readonly json: boolean;
}
/** Options of `isobar data import`. */
interface ImportArgs extends CatalogArgs {
  readonly file: readonly string[];
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly market?: Market | undefined;
  readonly format?: BarFormat | undefined;
  readonly instrument?: string | undefined;
  readonly roundToTick: boolean;
  readonly skipBad: boolean;
  readonly rejects?: string | undefined;
}
/** Options of `isobar data check`. */
interface CheckArgs extends CatalogArgs {
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly market?: Market | undefined;
}
/** Options of `isobar data resample`. */
interface ResampleArgs extends CatalogArgs {
  readonly symbol: string;
  readonly interval: string;
  readonly from?: string | undefined;
  readonly minCoverage: string;
  readonly market: Market;
}
/** Options of `isobar data generate`. */
interface GenerateArgs extends CatalogArgs {
  /** One symbol, or several separated by commas. */
  readonly symbol: string;
  readonly interval: string;
  readonly from: string;
  readonly bars: string;
  readonly seed: string;
  readonly price: string;
  readonly gapShare: string;
  readonly market: Market;
}

/** Runs `isobar data import` for bars. */
export async function importData(args: ImportArgs): Promise<void> {
  if (args.rejects !== undefined && !args.skipBad) {
    throw new ConfigError(
      '--rejects: expected only with --skip-bad, which writes bad rows to a reject file',
      'add --skip-bad, or remove --rejects',
    );
  }
  checkOutFolder('--catalog', args.catalog);
  const line = progressLine('rows');
  // Imported here, because the other commands of this file do without its 22 modules.
  const { importFiles } = await import('../../adapters/catalog/import/importFiles.ts');
  const sets = await importFiles(expandFiles(args.file), {
    symbol: args.symbol,
    interval: args.interval === undefined ? undefined : intervalOption('--interval', args.interval),
    market: args.market,
    format: args.format,
    catalog: args.catalog,
    instrumentFile: args.instrument,
    roundToTick: args.roundToTick,
    skipBad: args.skipBad,
    rejectsFile: args.rejects,
    nowMs: nowMs(),
    onProgress: line.show,
  }).finally(line.clear);
  if (args.json) return printJson(sets.map(({ manifest, ...set }) => ({ ...set, ...manifestFigures(manifest) })));
  for (const set of sets) print(importText(set));
  // The last line is for scripts: plain numbers in a permanent format.
  const total = (figure: 'rows' | 'gaps' | 'missingBars') => sets.reduce((sum, { manifest }) => sum + manifest[figure], 0);
  print(`${total('rows')} rows, ${total('gaps')} gaps, ${total('missingBars')} missing bars`);
}

/** Runs `isobar data list`. */
export function listData(args: CatalogArgs): void {
  checkFolder(args.catalog);
  const entries = listCatalog(args.catalog);
  const series = listSeriesEntries(args.catalog);
  const trades = tradeListings(args.catalog);
  const external = externalListings(args.catalog);
  if (args.json) return printJson([...entries, ...series.map(seriesJson), ...trades.map(tradesJson), ...external.map(externalJson)]);
  const hasOtherData = entries.length + series.length + trades.length > 0;
  if (external.length === 0 || hasOtherData) print(catalogListText(args.catalog, entries, series, trades));
  if (external.length > 0) print(externalListText(external));
}

/** Throws ConfigError when the path of the catalog is that of a file. A missing folder is an empty catalog. */
function checkFolder(catalog: string): void {
  if (!existsSync(catalog) || statSync(catalog).isDirectory()) return;
  throw new ConfigError(`--catalog ${catalog}: expected a folder, got a file`, 'give the folder of the catalog');
}

/** What `isobar data check` checks: the keys of bars and series, and the filters of trades and external series. */
interface CheckSelection {
  readonly keys: readonly BarKey[];
  readonly seriesKeys: readonly SeriesKey[];
  readonly isWantedTrades: (key: TradeKey) => boolean;
  readonly isWantedExternal: (key: ExternalKey) => boolean;
}

/** Returns what the options select; an option that is not given selects everything. Throws ConfigError when nothing is selected. */
function selectionOf({ catalog, ...args }: CheckArgs): CheckSelection {
  // Mark prices have more intervals than bars.
  const markInterval = args.interval === undefined ? null : parseMarkInterval(args.interval);
  const interval = args.interval === undefined ? undefined : (markInterval ?? intervalOption('--interval', args.interval));
  const isSymbol = (symbol: string | null) => (args.symbol ?? symbol) === symbol;
  const isMarket = (market: Market) => (args.market ?? market) === market;
  const isWantedBars = (key: BarKey) => isSymbol(key.symbol) && isMarket(key.market) && (interval ?? key.interval) === key.interval;
  const isWantedTrades = (key: TradeKey) => args.interval === undefined && isSymbol(key.symbol) && isMarket(key.market);
  const isWantedExternal = (key: ExternalKey) => args.interval === undefined && args.market === undefined && isSymbol(key.symbol);
  const isWantedSeries = (key: SeriesKey) => {
    const hasInterval = args.interval === undefined || (key.kind === 'mark' && key.interval === markInterval);
    return isSymbol(key.symbol) && isMarket('futures') && hasInterval;
  };
  const keys = listKeys(catalog).filter(isWantedBars);
  const seriesKeys = listSeries(catalog).filter(isWantedSeries);
  const hasTrades = listTradeKeys(catalog).some(isWantedTrades);
  const hasExternal = listExternal(catalog).some(isWantedExternal);
  if (keys.length + seriesKeys.length > 0 || hasExternal || hasTrades) return { keys, seriesKeys, isWantedTrades, isWantedExternal };
  if (existsSync(catalog)) throw new ConfigError(`${catalog}: the catalog has no such bars`, 'isobar data list shows what it has');
  throw new ConfigError(`${catalog}: there is no such folder`, 'give the folder of the catalog with --catalog');
}

/** Checks sets of bars and shows the progress. Leaves out a set that cannot be read. */
function checkBarSets(catalog: string, keys: readonly BarKey[]) {
  const line = progressLine('bars');
  let checkedRows = 0;
  const checked = checkReadable([...keys.entries()], ([index, key]) => {
    line.show(`check ${key.symbol} ${key.interval}`, checkedRows, index / keys.length);
    const result = checkBars(catalog, key, priceWarnings);
    checkedRows += result.manifest.rows;
    return result;
  });
  line.clear();
  return checked;
}

/** Runs `isobar data check` and sets the exit code: 1 when a file is damaged or has a wrong row. */
export function checkData(args: CheckArgs): void {
  const { catalog } = args;
  checkFolder(catalog);
  const { keys, seriesKeys, isWantedTrades, isWantedExternal } = selectionOf(args);
  const tradeKeys = listTradeKeys(catalog).filter(isWantedTrades);
  const externalKeys = listExternal(catalog).filter(isWantedExternal);
  const bars = checkBarSets(catalog, keys);
  const series = checkReadable(seriesKeys, (key) => checkSeries(catalog, key, seriesWarnings));
  const trades = checkReadable(tradeKeys, (key) => checkTrades(catalog, key));
  const external = checkReadable(externalKeys, (key) => checkExternal(catalog, key));
  if (args.json)
    printJson([
      ...bars.map((set) => ({ ...manifestFigures(set.manifest), unchanged: set.unchanged, warnings: dataWarningsOf(set) })),
      ...series.map(({ seen, ...set }) => ({ ...seriesJson(set), warnings: seen })),
      ...trades.map((set) => ({ ...tradesJson(set.manifest), unchanged: set.changed.length === 0, wrong: set.wrong, warnings: [] })),
      ...external.map((set) => ({ ...externalJson(set.manifest), unchanged: set.unchanged, wrong: set.wrong, warnings: [] })),
    ]);
  else {
    const hasOtherData = bars.length + series.length + trades.length > 0;
    if (external.length === 0 || hasOtherData) print(checkText(bars, series, trades));
    if (external.length > 0) print(externalCheckText(external));
  }
  const readable = bars.length + series.length + trades.length + external.length;
  const areAllReadable = readable === keys.length + seriesKeys.length + tradeKeys.length + externalKeys.length;
  const areBarsSound = bars.every(isSound) && series.every(isSoundSeries);
  const areAllSound = areBarsSound && trades.every(isSoundTrades) && external.every(isSoundExternal);
  if (!areAllReadable || !areAllSound) process.exitCode = EXIT.failed;
}

/** Returns the result of `check` for each key. A key whose files cannot be read is left out, after its reason was printed. */
function checkReadable<Key, Result>(keys: readonly Key[], check: (key: Key) => Result): Result[] {
  return keys.flatMap((key) => {
    try {
      return [check(key)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      printFailure(error);
      return [];
    }
  });
}

/** Runs `isobar data resample`. */
export function resampleData(args: ResampleArgs): void {
  const minCoverage = parseNumber('--min-coverage', args.minCoverage);
  if (minCoverage < 0 || minCoverage > 1) {
    throw new ConfigError(`--min-coverage: expected a fraction from 0 to 1, got ${minCoverage}`, 'for example --min-coverage 0.9');
  }
  const key = { market: args.market, symbol: args.symbol, interval: intervalOption('--interval', args.interval) };
  const from = args.from === undefined ? undefined : intervalOption('--from', args.from);
  const resampled = resampleInto(args.catalog, key, { from, minCoverage });
  if (args.json) return printJson({ ...manifestFigures(resampled.manifest), from: resampled.from, droppedBars: resampled.dropped });
  const coverage = { thin: resampled.thin, dropped: resampled.dropped };
  print(writtenBarsText(resampled.manifest, barsPath(args.catalog, key), `resampled from ${resampled.from}`, coverage));
}

/** Runs `isobar data generate`. */
export function generateData(args: GenerateArgs): void {
  const fromMs = dateOf('--from', args.from);
  const { catalog, market } = args;
  const bars = parseNumber('--bars', args.bars);
  const firstSeed = parseNumber('--seed', args.seed);
  const price = parseNumber('--price', args.price);
  const gapShare = parseNumber('--gap-share', args.gapShare);
  const interval = intervalOption('--interval', args.interval);
  checkOutFolder('--catalog', catalog);
  const line = progressLine('bars');
  const generated = args.symbol.split(',').map((symbol, index) => {
    const key = { market, symbol, interval };
    const seed = firstSeed + index;
    const onProgress = (rows: number) => line.show(`generate ${symbol} ${interval}`, rows, rows / bars);
    return { key, seed, ...generateInto(catalog, { ...key, fromMs, bars, seed, price, gapShare, onProgress }) };
  });
  line.clear();
  if (args.json) {
    const summaries = generated.map(({ key, seed, manifest }) => ({
      ...manifestFigures(manifest),
      seed,
      instrument: instrumentPath(catalog, market, key.symbol),
    }));
    return printJson(summaries.length === 1 ? summaries[0] : summaries);
  }
  for (const { key, seed, manifest, series } of generated) {
    print(writtenBarsText(manifest, barsPath(catalog, key), `synthetic, seed ${seed}`, null));
    for (const seriesEntry of series) print(writtenSeriesText(seriesEntry));
  }
}
