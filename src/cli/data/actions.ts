// Implements the commands of `isobar data`: each calls the catalog and prints the result.

import { existsSync, statSync } from 'node:fs';
import { checkBars, listCatalog, readEntry } from '../../adapters/catalog/bars/catalog.ts';
import { parseMarkInterval } from '../../adapters/catalog/files/markInterval.ts';
import { checkSeries, listSeriesEntries } from '../../adapters/catalog/series/seriesStore.ts';
import { type BarKey, barsPath, instrumentPath, listKeys, listSeries } from '../../adapters/catalog/files/paths.ts';
import { listExternal, type ExternalKey } from '../../adapters/catalog/external/external.ts';
import { listTradeKeys, type TradeKey } from '../../adapters/catalog/trades/trades.ts';
import { resampleInto } from '../../adapters/catalog/bars/feed.ts';
import { generateInto } from '../../adapters/catalog/generate/generateInto.ts';
import { expandFiles } from '../../adapters/catalog/import/globs.ts';
import type { BarFormat } from '../../adapters/catalog/rows/formats.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import { checkOutFolder } from '../../adapters/disk/folders/out.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import { priceWarnings } from '../../report/warnings/dataWarnings.ts';
import { checkText, importText, isSound, catalogListText, madeText, summaryOf, warningsOf } from './text.ts';
import { printFailure } from '../terminal/failure.ts';
import { dateOf, intervalOf, parseNumber } from '../options/values.ts';
import { print, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { checkExternalSets, isSoundExternal, externalCheckText, externalJson, externalListings, externalListText } from './external.ts';
import { checkTradeSets, isSoundTrades, tradeListings, tradesJson } from './importTrades.ts';
import { isSoundSeries, madeSeriesText, seriesJson, seriesWarnings } from './seriesText.ts';

interface Common {
  readonly catalog: string;
  readonly json: boolean;
}
interface ImportArgs extends Common {
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
interface CheckArgs extends Common {
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly market?: Market | undefined;
}
interface ResampleArgs extends Common {
  readonly symbol: string;
  readonly interval: string;
  readonly from?: string | undefined;
  readonly minCoverage: string;
  readonly market: Market;
}
interface GenerateArgs extends Common {
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

export async function importData(args: ImportArgs): Promise<void> {
  if (args.rejects !== undefined && !args.skipBad) {
    throw new ConfigError(
      '--rejects: expected only with --skip-bad, which writes bad rows to a reject file',
      'add --skip-bad, or remove --rejects',
    );
  }
  checkOutFolder('--catalog', args.catalog);
  const line = progressLine('rows');
  // Loads 22 modules that no other command of this file needs.
  const { importFiles } = await import('../../adapters/catalog/import/importFiles.ts');
  const sets = await importFiles(expandFiles(args.file), {
    symbol: args.symbol,
    interval: args.interval === undefined ? undefined : intervalOf('--interval', args.interval),
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
  if (args.json) return printJson(sets.map(({ manifest, ...set }) => ({ ...set, ...summaryOf(manifest) })));
  for (const set of sets) print(importText(set));
  // The last line is for scripts: plain numbers in a permanent format.
  const total = (count: (set: (typeof sets)[number]) => number) => sets.reduce((sum, set) => sum + count(set), 0);
  const [rows, gaps, missing] = [
    total((set) => set.manifest.rows),
    total((set) => set.manifest.gaps),
    total((set) => set.manifest.missingBars),
  ];
  print(`${rows} rows, ${gaps} gaps, ${missing} missing bars`);
}

export function listData(args: Common): void {
  checkFolder(args.catalog);
  const entries = listCatalog(args.catalog);
  const series = listSeriesEntries(args.catalog);
  const trades = tradeListings(args.catalog);
  const external = externalListings(args.catalog);
  if (args.json) return printJson([...entries, ...series.map(seriesJson), ...trades.map(tradesJson), ...external.map(externalJson)]);
  if (external.length === 0 || entries.length + series.length + trades.length > 0)
    print(catalogListText(args.catalog, entries, series, trades));
  if (external.length > 0) print(externalListText(external));
}

/** Throws ConfigError when the catalog is a file. A missing catalog is empty. */
function checkFolder(catalog: string): void {
  if (!existsSync(catalog) || statSync(catalog).isDirectory()) return;
  throw new ConfigError(`--catalog ${catalog}: expected a folder, got a file`, 'give the folder of the catalog');
}

export function checkData(args: CheckArgs): void {
  checkFolder(args.catalog);
  // Mark prices have more intervals than bars.
  const markInterval = args.interval === undefined ? null : parseMarkInterval(args.interval);
  const interval = args.interval === undefined ? undefined : (markInterval ?? intervalOf('--interval', args.interval));
  const isWanted = (key: BarKey) =>
    (args.symbol ?? key.symbol) === key.symbol && (interval ?? key.interval) === key.interval && (args.market ?? key.market) === key.market;
  const keys = listKeys(args.catalog).filter(isWanted);
  const isWantedTrade = ({ symbol, market }: TradeKey) =>
    args.interval === undefined && (args.symbol ?? symbol) === symbol && (args.market ?? market) === market;
  const series = listSeries(args.catalog).filter(
    (key) =>
      (args.symbol ?? key.symbol) === key.symbol &&
      (args.market ?? 'futures') === 'futures' &&
      (args.interval === undefined || (key.kind === 'mark' && key.interval === markInterval)),
  );
  const hasTrades = listTradeKeys(args.catalog).some(isWantedTrade);
  const isWantedExternal = ({ symbol }: ExternalKey) =>
    args.interval === undefined && args.market === undefined && (args.symbol ?? symbol) === symbol;
  const externalKeys = listExternal(args.catalog).filter(isWantedExternal);
  if (keys.length + series.length + externalKeys.length === 0 && !hasTrades) {
    if (existsSync(args.catalog))
      throw new ConfigError(`${args.catalog}: the catalog has no such bars`, 'isobar data list shows what it has');
    throw new ConfigError(`${args.catalog}: there is no such folder`, 'give the folder of the catalog with --catalog');
  }
  const line = progressLine('bars');
  let rows = 0;
  let isReadableAll = true;
  const checked = keys.flatMap((key, i) => {
    line.show(`check ${key.symbol} ${key.interval}`, rows, i / keys.length);
    if (!isReadable(args.catalog, key)) {
      isReadableAll = false;
      return [];
    }
    const result = checkBars(args.catalog, key, priceWarnings);
    rows += result.manifest.rows;
    return [result];
  });
  line.clear();
  const others = series.map((key) => checkSeries(args.catalog, key, seriesWarnings));
  const trades = checkTradeSets(args.catalog, isWantedTrade);
  const external = checkExternalSets(args.catalog, isWantedExternal);
  if (args.json)
    printJson([
      ...checked.map((bars) => ({ ...summaryOf(bars.manifest), unchanged: bars.unchanged, warnings: warningsOf(bars) })),
      ...others.map(({ seen, ...checkedSeries }) => ({ ...seriesJson(checkedSeries), warnings: seen })),
      ...trades.map((set) => ({ ...tradesJson(set.manifest), unchanged: set.changed.length === 0, wrong: set.wrong, warnings: [] })),
      ...external.map((set) => ({ ...externalJson(set.manifest), unchanged: set.unchanged, wrong: set.wrong, warnings: [] })),
    ]);
  else {
    if (external.length === 0 || checked.length + others.length + trades.length > 0) print(checkText(checked, others, trades));
    if (external.length > 0) print(externalCheckText(external));
  }
  if (
    !(
      isReadableAll &&
      checked.every(isSound) &&
      others.every(isSoundSeries) &&
      trades.every(isSoundTrades) &&
      external.every(isSoundExternal)
    )
  )
    process.exitCode = EXIT.failed;
}

/** Returns false after it has printed why a file has no readable rows, so that the remaining files are still checked. */
function isReadable(catalog: string, key: BarKey): boolean {
  try {
    readEntry(catalog, key);
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printFailure(error);
    return false;
  }
}

export function resampleData(args: ResampleArgs): void {
  const minCoverage = parseNumber('--min-coverage', args.minCoverage);
  if (minCoverage < 0 || minCoverage > 1) {
    throw new ConfigError(`--min-coverage: expected a fraction from 0 to 1, got ${minCoverage}`, 'for example --min-coverage 0.9');
  }
  const key = { market: args.market, symbol: args.symbol, interval: intervalOf('--interval', args.interval) };
  const from = args.from === undefined ? undefined : intervalOf('--from', args.from);
  const resampled = resampleInto(args.catalog, key, { from, minCoverage });
  if (args.json) return printJson({ ...summaryOf(resampled.manifest), from: resampled.from, droppedBars: resampled.dropped });
  print(
    madeText(resampled.manifest, barsPath(args.catalog, key), `resampled from ${resampled.from}`, {
      thin: resampled.thin,
      dropped: resampled.dropped,
    }),
  );
}

export function generateData(args: GenerateArgs): void {
  const fromMs = dateOf('--from', args.from);
  const { catalog, market } = args;
  const bars = parseNumber('--bars', args.bars);
  const firstSeed = parseNumber('--seed', args.seed);
  const price = parseNumber('--price', args.price);
  const gapShare = parseNumber('--gap-share', args.gapShare);
  const interval = intervalOf('--interval', args.interval);
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
    const all = generated.map(({ key, seed, manifest }) => ({
      ...summaryOf(manifest),
      seed,
      instrument: instrumentPath(catalog, market, key.symbol),
    }));
    return printJson(all.length === 1 ? all[0] : all);
  }
  for (const { key, seed, manifest, series } of generated) {
    print(madeText(manifest, barsPath(catalog, key), `synthetic, seed ${seed}`, null));
    for (const entry of series) print(madeSeriesText(entry));
  }
}
