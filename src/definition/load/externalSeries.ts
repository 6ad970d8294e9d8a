// Loads the external series of a definition from the catalog.

import { listExternal, externalLabel, type ExternalKey } from '../../adapters/catalog/external/externalSeries.ts';
import { loadExternal } from '../../adapters/catalog/external/externalStore.ts';
import type { BarStore } from '../../adapters/catalog/bars/barStore.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { newestValues } from '../../model/bars/knownValues.ts';
import { formatMinute } from '../../model/time.ts';
import type { FeedPlan, SeriesPlan } from '../plan/plan.ts';
import type { Definition } from '../text/schema.ts';
import { displayPath } from '../text/paths.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';

/** Returns the values of each series that were known by `toMs`. Throws ConfigError for a series that the catalog does not have. */
export function loadExternalSeries(
  { series }: Definition,
  source: DefinitionSource,
  feeds: readonly FeedPlan[],
  store: BarStore | null,
  toMs: number,
): readonly SeriesPlan[] {
  const entries = Object.entries(series ?? {});
  const [firstEntry] = entries;
  if (firstEntry === undefined) return [];
  const folder = store?.folder ?? null;
  if (folder === null)
    throw new ConfigError(
      `${whereIs(source, ['series', firstEntry[0]])}: expected feeds from a catalog, because series are stored there, got bars of files or code`,
      'import the bars into the catalog that has the series, and name them by feeds',
    );
  const available = listExternal(folder);
  const symbols = [...new Set(feeds.filter(({ isExecutionOnly }) => isExecutionOnly !== true).map(({ bars }) => bars.instrument.wireName))];
  // Without `symbol`, a series without a symbol comes first; else each symbol of the feeds that has one gets its own.
  return entries.flatMap(([name, { name: catalogName = name, symbol }]) => {
    const exists = (seriesSymbol: string | null): boolean =>
      available.some((key) => key.name === catalogName && key.symbol === seriesSymbol);
    const load = (seriesSymbol: string | null, feedSymbol: string | null): SeriesPlan =>
      loadSeries(folder, name, { name: catalogName, symbol: seriesSymbol }, feedSymbol, toMs);
    if (symbol !== undefined && exists(symbol)) return [load(symbol, null)];
    if (symbol === undefined && exists(null)) return [load(null, null)];
    const feedSymbols = symbol === undefined ? symbols.filter(exists) : [];
    if (feedSymbols.length > 0) return feedSymbols.map((feedSymbol) => load(feedSymbol, feedSymbol));
    throw missingSeries(whereIs(source, ['series', name]), folder, { name: catalogName, symbol: symbol ?? null }, available);
  });
}

/** Loads one series of the catalog, with the values that were known by `toMs`. */
function loadSeries(folder: string, name: string, key: ExternalKey, symbol: string | null, toMs: number): SeriesPlan {
  const { columns, dataSha256, path } = loadExternal(folder, key)!;
  const values = newestValues(columns.knownMs, columns.timeMs, columns.value, toMs);
  return { name, symbol, values, input: { name: externalLabel(key), sha256: dataSha256 }, file: path };
}

/** Returns the error for a series that the catalog does not have. It names series with the same name. */
function missingSeries(where: string, folder: string, key: ExternalKey, available: readonly ExternalKey[]): ConfigError {
  const message = `${where}: the catalog ${displayPath(folder)} has no series ${externalLabel(key)}`;
  const sameName = available.filter(({ name }) => name === key.name);
  if (sameName.length > 0) {
    return new ConfigError(message, `name one by symbol, or import the other: the catalog has ${sameName.map(externalLabel).join(', ')}`);
  }
  const nearest = nearestName(key.name, [...new Set(available.map(({ name }) => name))]);
  const importCommand = `isobar data import FILE --as series --name ${key.name} --time COLUMN --known-at COLUMN adds it`;
  return new ConfigError(message, nearest === null ? importCommand : `did you mean name: ${nearest}?`);
}

/** A series gets a note if it ends this many average steps before the end of the run. */
const STALE_STEPS = 10;

/** Returns a note for each series that does not cover the run. */
export function externalNotes(
  series: readonly SeriesPlan[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly string[] {
  return series.flatMap(({ name, input, values: { length, knownMs } }) => {
    const label = `series ${name === input.name ? name : `${name} (${input.name})`}`;
    if (length === 0) return [`${label}: no value was known before ${formatMinute(toMs)}`];
    const firstMs = knownMs[0]!;
    const lastMs = knownMs[length - 1]!;
    const isStale = length > 1 && toMs - lastMs > (STALE_STEPS * (lastMs - firstMs)) / (length - 1);
    return [
      ...(firstMs > fromMs ? [`${label}: the first value was known at ${formatMinute(firstMs)}, after the start of the run`] : []),
      ...(isStale ? [`${label}: the last value was known at ${formatMinute(lastMs)}, long before the end of the run`] : []),
    ];
  });
}
