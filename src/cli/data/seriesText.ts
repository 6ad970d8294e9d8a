// Output of `isobar data` for mark prices and funding rates.

import { basename } from 'node:path';
import type { ImportedSeries } from '../../adapters/catalog/import/importSeries.ts';
import type { CheckedSeries, SeriesEntry } from '../../adapters/catalog/series/seriesStore.ts';
import type { SeriesKey } from '../../adapters/catalog/files/paths.ts';
import { formatMinute, formatTime } from '../../model/time.ts';
import type { SeriesColumns } from '../../adapters/catalog/series/seriesColumns.ts';
import { markLengthMs } from '../../adapters/catalog/files/markInterval.ts';
import type { Warning } from '../../model/warning.ts';
import { markWarnings } from '../../report/warnings/dataWarnings.ts';
import { wholeText, counted } from '../../base/text/format.ts';

/** Number of characters of a hash that the table of `check` shows. */
const HASH_LETTERS = 10;

/** Returns `mark 1h` or `funding`, shown in the interval column. */
const seriesName = (key: SeriesKey): string => (key.kind === 'mark' ? `mark ${key.interval}` : 'funding');
/** Returns a time as `2024-01-01 08:30`. */
const minuteText = (ms: number): string => formatMinute(ms).slice(0, 16);

/** Returns the warnings about a series of mark prices. Empty for funding rates. */
export function seriesWarnings(key: SeriesKey, { timeMs, figures }: SeriesColumns): readonly Warning[] {
  const [open, high, low, close] = figures;
  if (key.kind !== 'mark') return [];
  if (open === undefined || high === undefined || low === undefined || close === undefined) return [];
  const closeMs = timeMs.map((ms) => ms + markLengthMs(key.interval));
  return markWarnings(key.symbol, key.interval, { openMs: timeMs, closeMs, open, high, low, close });
}

/** True when the file is unchanged since isobar wrote it and none of its rows breaks a rule. */
export function isSoundSeries({ unchanged, wrong }: CheckedSeries<unknown>): boolean {
  return unchanged && wrong === 0;
}

/** Returns the row of `list` for a series. */
export function seriesListRow({ key, rows, firstMs, lastMs, gaps, missing, synthetic }: SeriesEntry): string[] {
  const source = synthetic ? 'synthetic' : 'import';
  return [
    'futures',
    key.symbol,
    seriesName(key),
    wholeText(rows),
    minuteText(firstMs),
    minuteText(lastMs),
    wholeText(gaps),
    wholeText(missing),
    source,
  ];
}

/** Returns the row of `check` for a series. Two columns are empty, because they apply only to bars. */
export function seriesCheckRow({ key, rows, gaps, missing, unchanged, wrong, dataSha256 }: CheckedSeries<unknown>): string[] {
  const stateOfRows = wrong > 0 ? 'BAD' : 'ok';
  const state = unchanged ? stateOfRows : 'CHANGED';
  return [
    'futures',
    key.symbol,
    seriesName(key),
    wholeText(rows),
    wholeText(gaps),
    wholeText(missing),
    '',
    '',
    wholeText(wrong),
    state,
    dataSha256.slice(0, HASH_LETTERS),
  ];
}

/** Returns a note if another program has changed the file. */
export function seriesNotes({ key, unchanged }: CheckedSeries<unknown>): string[] {
  return unchanged ? [] : [`  ${key.symbol} ${seriesName(key)}: changed by another program since isobar wrote it; import the data again`];
}

/** Returns a series as `--json` prints it. */
export function seriesJson({ key, firstMs, lastMs, ...otherFields }: SeriesEntry) {
  return { market: 'futures', ...key, ...otherFields, first: formatTime(firstMs), last: formatTime(lastMs) };
}

/** Maximum number of files that are listed by name. */
const MAX_NAMED_FILES = 3;

/** Returns the text about an imported series. Funding rates have no line about gaps. */
export function importedSeriesText({ files, fileRows, newRows, entry }: ImportedSeries): string {
  const { key, rows, firstMs, lastMs, gaps, missing, path } = entry;
  const filesText = files.length > MAX_NAMED_FILES ? counted(files.length, 'file') : files.map((file) => basename(file)).join(', ');
  const gapText = gaps === 0 ? 'none' : `${wholeText(gaps)}  (${counted(missing, 'row')} missing)`;
  return [
    `  ${key.symbol} ${seriesName(key)} futures  ${counted(rows, 'row')}  ${minuteText(firstMs)} – ${minuteText(lastMs)} UTC`,
    `    from        ${filesText}  (${counted(fileRows, 'row')}, ${wholeText(newRows)} of them new)`,
    ...(key.kind === 'mark' ? [`    gaps        ${gapText}`] : []),
    `    written     ${path}`,
  ].join('\n');
}

/** Returns the text about a series that was generated with bars. */
export function writtenSeriesText({ key, rows, path }: SeriesEntry): string {
  const label = key.kind === 'mark' ? 'marks' : 'funding';
  return `    ${label.padEnd(12)}${path}  (${counted(rows, 'row')})`;
}
