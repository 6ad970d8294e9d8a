// Output of `isobar data` for people: at most 100 columns, numbers right-aligned, with units.

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { appendAll } from '../../base/memory/appendAll.ts';
import type { CatalogEntry, CheckedBars } from '../../adapters/catalog/bars/catalog.ts';
import type { CheckedSeries, SeriesEntry } from '../../adapters/catalog/series/seriesStore.ts';
import type { ImportedSet } from '../../adapters/catalog/import/importResult.ts';
import type { GapManifest } from '../../adapters/catalog/bars/barQuality.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import type { Contract } from '../../model/contract.ts';
import type { Instrument } from '../../model/instrument.ts';
import { formatMinute } from '../../model/time.ts';
import { warningText, type Warning } from '../../model/warning.ts';
import { wholeText, counted } from '../../base/text/format.ts';
import { COLUMNS, withLead } from '../../report/terminal/lines.ts';
import { countWarnings } from '../../report/warnings/dataWarnings.ts';
import { indentedTable } from '../terminal/tables.ts';
import type { CheckedTrades, TradeManifest } from '../../adapters/catalog/trades/tradeStore.ts';
import { tradeCheckRow, tradeListRow, tradeNotes } from './importTrades.ts';
import { seriesCheckRow, seriesListRow, seriesNotes } from './seriesText.ts';

/** Maximum number of wrong rows that are listed for one set of bars. */
const MAX_WRONG_ROWS = 5;
/** Maximum number of files that are listed by name. */
const MAX_NAMED_FILES = 3;
/** Number of characters of a hash that a table shows. */
const HASH_LETTERS = 10;

/** Returns the figures of a manifest without its lists. */
export function manifestFigures({ missing: _missing, zeroVolume: _zeroVolume, wrong: _wrong, sha256, ...figures }: GapManifest) {
  return { manifestSha256: sha256, ...figures };
}

/** True when the file is unchanged since isobar wrote it and none of its rows breaks a rule. Gaps are allowed. */
export function isSound({ unchanged, manifest }: CheckedBars): boolean {
  return unchanged && manifest.wrong.length === 0;
}

/** Returns the warnings about bars. The codes are those in the summary of a run. */
export function dataWarningsOf({ manifest, seen }: CheckedBars<readonly Warning[]>): readonly Warning[] {
  return [...seen, ...countWarnings(manifest)];
}

/** Returns the text about imported bars. */
export function importText(set: ImportedSet): string {
  const { manifest, instrument } = set;
  const { priceDigits } = instrument;
  const instrumentOrigins = {
    proposed: `proposed from the data; to change it, edit ${set.instrumentPath}`,
    catalog: `from ${set.instrumentPath}`,
    file: `as given; kept in ${set.instrumentPath}`,
  };
  const roundedLine = `    rounded     ${counted(set.roundedPrices, 'price')} to ${priceDigits} digits`;
  const hasMoreDigits = set.digitsBefore !== null && set.digitsBefore < priceDigits;
  const widenedLine = `                widened from ${set.digitsBefore} to ${priceDigits} price digits: these files have more precise prices`;
  return [
    barsHeading(manifest),
    ...fileLines(set),
    ...qualityLines(manifest),
    ...(set.roundedPrices > 0 ? [roundedLine] : []),
    `    instrument  ${instrumentLine(instrument)}`,
    `                ${instrumentOrigins[set.instrumentFrom]}`,
    ...(hasMoreDigits ? [widenedLine] : []),
    `    written     ${set.path}`,
  ].join('\n');
}

/** Returns the lines about the files: their names, their rows, and remarks. */
function fileLines(set: ImportedSet): string[] {
  const { files, formats, fileGaps } = set;
  const knownCount = set.knownFiles.length;
  const formatText = formats.every((format) => format === 'csv') ? '' : `${formats.join(', ')}; `;
  const newRowsText = `${formatText}${counted(set.fileRows, 'row')}, ${wholeText(set.newRows)} of them new`;
  const rowsText = knownCount === files.length ? 'the catalog has all of it' : newRowsText;
  const fromLine = (filesText: string): string => `    from        ${filesText}  (${rowsText})`;
  const lineOfNames = fromLine(files.map((file) => basename(file)).join(', '));
  const isShort = files.length <= MAX_NAMED_FILES && lineOfNames.length <= COLUMNS;
  const lines = [isShort || files.length === 1 ? lineOfNames : fromLine(counted(files.length, 'file'))];
  const addLine = (name: string, text: string) => lines.push(`    ${name.padEnd(12)}${text}`);
  if (knownCount > 0 && knownCount < files.length)
    addLine('known', `${counted(knownCount, 'file')} not read again: the catalog has the content`);
  if (set.resumedFiles.length > 0) addLine('resumed', `${counted(set.resumedFiles.length, 'file')} had been read by an interrupted import`);
  if (set.repeatedRows > 0) addLine('overlap', `${counted(set.repeatedRows, 'row')} appeared more than once, with equal values`);
  const [gap] = fileGaps;
  if (gap)
    addLine(
      'between',
      `${counted(fileGaps.length, 'gap')} between files, the first of ${counted(gap.bars, 'bar')} after ${basename(gap.after)}`,
    );
  if (set.rejectsPath !== null) addLine('bad rows', `${wholeText(set.badRows)} set aside in ${set.rejectsPath}`);
  return lines;
}

/** Returns the text about bars that were generated or resampled. `sourceText` says how. `coverage` is null for generated bars. */
export function writtenBarsText(
  manifest: GapManifest,
  path: string,
  sourceText: string,
  coverage: { thin: number; dropped: number } | null,
): string {
  const lines = [barsHeading(manifest), `    source      ${sourceText}`, ...qualityLines(manifest)];
  if (coverage) lines.push(`    coverage    ${wholeText(coverage.thin)} thin bars kept, ${wholeText(coverage.dropped)} left out`);
  return [...lines, `    written     ${path}`].join('\n');
}

/** Returns the first line about a set of bars: its name, its number of bars and its span. */
export function barsHeading({ market, symbol, interval, rows, first, last }: GapManifest): string {
  const span = first === null || last === null ? '' : `  ${minuteText(first)} – ${minuteText(last)} UTC`;
  return `  ${symbol} ${interval} ${market}  ${counted(rows, 'bar')}${span}`;
}

/** Returns the lines about gaps, bars without volume and an open last bar. */
export function qualityLines(manifest: GapManifest): string[] {
  const gaps = `${wholeText(manifest.gaps)}  (${counted(manifest.missingBars, 'bar')} missing, longest ${wholeText(manifest.longestGapBars)})`;
  const lines = [`    gaps        ${manifest.gaps === 0 ? 'none' : gaps}`, `    no volume   ${counted(manifest.zeroVolumeRows, 'bar')}`];
  if (manifest.openLastBar) lines.push('    open bar    the last bar had not closed yet');
  return lines;
}

/** Returns the terms of an instrument: assets, digits, minimum quantity and fees. */
export function instrumentLine(instrument: Instrument): string {
  if (instrument.contract) return contractLine(instrument, instrument.contract);
  const { base, quote, priceDigits, quantityDigits, minLots, makerFeePpm, takerFeePpm } = instrument;
  const digits = `price ${priceDigits} and quantity ${quantityDigits} digits`;
  const fees = `${percentText(makerFeePpm)} / ${percentText(takerFeePpm)}`;
  return `${base}/${quote}, ${digits}, minimum ${fromScaled(minLots, quantityDigits)}, fees ${fees}`;
}

/** Returns a rate as a percentage. A percent is 10,000 ppm, so the decimal point moves by four digits. */
const percentText = (ppm: number): string => `${fromScaled(ppm, 4)} %`;

/** Returns the terms of a contract, and which of them are assumed. */
function contractLine({ base, quote, priceDigits }: Instrument, contract: Contract): string {
  const face = `${fromScaled(contract.multiplier, contract.multiplierDigits)} ${base}`;
  const fees = `${percentText(contract.openMakerFeePpm)} / ${percentText(contract.openTakerFeePpm)}`;
  const assumed = contract.assumed === undefined ? '' : `\n                assumed: ${wrapWords(contract.assumed)}`;
  const leverage = `${contract.minLeverage} to ${contract.maxLeverage}`;
  return `${contract.kind} contract of ${face} in ${quote}, price ${priceDigits} digits, fees ${fees}, leverage ${leverage}${assumed}`;
}

/** Length of the lines of `wrapWords`, about. A longer word has a line of its own. */
const MAX_WORDS_LENGTH = 70;

/** Returns words between commas, in several lines if they are long. */
function wrapWords(words: readonly string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line.length + word.length > MAX_WORDS_LENGTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line}, ${word}`;
  }
  return [...lines, line].join(',\n                ');
}

/**
 * Returns the table of `isobar data list`: bars, then mark prices and funding rates (`series`), then recorded trades. External series have
 * a table of their own in externalSeries.ts.
 */
export function catalogListText(
  catalog: string,
  entries: readonly CatalogEntry[],
  series: readonly SeriesEntry[] = [],
  trades: readonly TradeManifest[] = [],
): string {
  if (entries.length + series.length + trades.length === 0) {
    const reason = existsSync(catalog) ? '' : 'there is no such folder; ';
    return `  ${catalog} has no bars yet: ${reason}isobar data import FILE`;
  }
  const headings = ['market', 'symbol', 'interval', 'bars', 'first (UTC)', 'last (UTC)', 'gaps', 'missing', 'source'];
  const rows = entries.map((entry) => [
    entry.market,
    entry.symbol,
    entry.interval,
    wholeText(entry.rows),
    formatMinute(entry.firstMs).slice(0, 16),
    formatMinute(entry.lastMs).slice(0, 16),
    wholeText(entry.gaps),
    wholeText(entry.missingBars),
    entry.synthetic ? 'synthetic' : entry.source,
  ]);
  return indentedTable([headings, ...rows, ...series.map(seriesListRow), ...trades.map(tradeListRow)], 'lllrllrrl');
}

/**
 * Returns the output of `isobar data check` for bars, mark prices and funding rates (`series`), and recorded trades. It is a table, then
 * notes about changed and wrong data, then the warnings. External series have an output of their own in externalSeries.ts.
 */
export function checkText(
  checked: readonly CheckedBars<readonly Warning[]>[],
  series: readonly CheckedSeries<readonly Warning[]>[] = [],
  trades: readonly CheckedTrades[] = [],
): string {
  const headings = ['market', 'symbol', 'interval', 'bars', 'gaps', 'missing', 'no volume', 'thin', 'wrong', 'state', 'manifest'];
  const rows = checked.map(({ key, manifest, unchanged }) => [
    key.market,
    key.symbol,
    key.interval,
    wholeText(manifest.rows),
    wholeText(manifest.gaps),
    wholeText(manifest.missingBars),
    wholeText(manifest.zeroVolumeRows),
    wholeText(manifest.thinBars),
    wholeText(manifest.wrong.length),
    stateText(manifest, unchanged),
    manifest.sha256.slice(0, HASH_LETTERS),
  ]);
  const notes = checked.flatMap(({ key, manifest, unchanged }) => [
    ...(unchanged ? [] : [`  ${key.symbol} ${key.interval}: changed by another program since isobar wrote it; import the data again`]),
    ...manifest.wrong.slice(0, MAX_WRONG_ROWS).map(({ at, what }) => `  ${key.symbol} ${key.interval}: ${what} at ${at}`),
  ]);
  const warnings = checked.flatMap((bars) => {
    const name = `${bars.key.symbol} ${bars.key.interval}: `;
    const texts = dataWarningsOf(bars).map(warningText);
    const namedTexts = texts.map((text) => (text.startsWith(name) ? text : `${name}${text}`));
    return namedTexts.length === 0 ? [] : withLead('  Look here first: ', `${namedTexts.join('; ')}.`);
  });
  // The warning texts of series already name the series.
  for (const { seen } of series)
    if (seen.length > 0) appendAll(warnings, withLead('  Look here first: ', `${seen.map(warningText).join('; ')}.`));
  return [
    indentedTable([headings, ...rows, ...series.map(seriesCheckRow), ...trades.map(tradeCheckRow)], 'lllrrrrrrll'),
    ...notes,
    ...series.flatMap(seriesNotes),
    ...trades.flatMap(tradeNotes),
    ...warnings,
  ].join('\n');
}

/** Returns the state of checked bars, the worst one first. */
function stateText({ wrong, openLastBar }: GapManifest, unchanged: boolean): string {
  if (!unchanged) return 'CHANGED';
  if (wrong.length > 0) return 'BAD';
  return openLastBar ? 'open bar' : 'ok';
}

/** Returns a time of a manifest (ISO 8601) as `2024-01-01 08:30`. */
function minuteText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}
