// Implements `isobar data import --as series`, and the external series in `list` and `check`.

import { basename } from 'node:path';
import { expandFiles } from '../../adapters/catalog/import/globs.ts';
import { importExternal, type ImportedExternal } from '../../adapters/catalog/external/importExternal.ts';
import { listExternal, type ExternalKey } from '../../adapters/catalog/external/externalSeries.ts';
import { readExternalManifest, type CheckedExternal, type ExternalManifest } from '../../adapters/catalog/external/externalStore.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { ConfigError } from '../../base/errors.ts';
import { wholeText, counted, spanText } from '../../base/text/format.ts';
import { indentedTable } from '../terminal/tables.ts';
import { print, printJson } from '../terminal/print.ts';

/** Options of `isobar data import --as series`. */
interface ExternalArgs {
  readonly file: readonly string[];
  readonly name?: string | undefined;
  readonly time?: string | undefined;
  readonly knownAt?: string | undefined;
  readonly value?: string | undefined;
  readonly symbol?: string | undefined;
  readonly catalog: string;
  readonly json: boolean;
}

/** Options that apply only to other kinds of data. With series they are an error, because ignoring them would surprise the user. */
const OTHER_OPTIONS = ['interval', 'market', 'instrument', 'format', 'rejects', 'roundToTick', 'skipBad'] as const;
/** Options that apply only to series. */
const SERIES_OPTIONS = ['name', 'time', 'knownAt', 'value'] as const;

/** Returns an option as the user types it: `--known-at` for `knownAt`. */
const optionText = (option: string): string => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const isGiven = (value: unknown): boolean => value !== undefined && value !== false;

/** Throws ConfigError if an option for series was given with data of another kind. */
export function checkNotOfSeries(args: Readonly<Record<string, unknown>>, kind: string): void {
  const unusable = SERIES_OPTIONS.find((option) => isGiven(args[option]));
  if (unusable !== undefined)
    throw new ConfigError(
      `${optionText(unusable)}: expected only with --as series, got it with --as ${kind}`,
      `remove ${optionText(unusable)}`,
    );
}

/** Runs `isobar data import --as series`. Throws ConfigError for a missing option, and for an option of another kind of data. */
export async function importExternalData(args: ExternalArgs & Partial<Record<(typeof OTHER_OPTIONS)[number], unknown>>): Promise<void> {
  const unusable = OTHER_OPTIONS.find((option) => isGiven(args[option]));
  if (unusable !== undefined)
    throw new ConfigError(`${optionText(unusable)}: expected not to be given with --as series`, `remove ${optionText(unusable)}`);
  const requireOption = (option: 'name' | 'time' | 'knownAt', purpose: string): string => {
    const text = args[option];
    if (text !== undefined) return text;
    throw new ConfigError(
      `${optionText(option)}: expected ${purpose}`,
      `add it: ${optionText(option)} ${option === 'name' ? 'openInterest' : 'COLUMN'}`,
    );
  };
  const name = requireOption('name', 'the name of the series, by which strategies read it');
  const time = requireOption('time', 'the column of the times of the values');
  const knownAt = requireOption('knownAt', 'the column of the times at which the values were known; it can be the column of --time');
  const { catalog, symbol, value } = args;
  checkOutFolder('--catalog', catalog);
  const imported = await importExternal(expandFiles(args.file), { catalog, name, symbol, time, knownAt, value });
  if (args.json) {
    const { manifest, ...otherFields } = imported;
    return printJson({ ...otherFields, ...externalJson(manifest) });
  }
  print(importedText(imported));
  // The last line is for scripts: plain numbers in a permanent format.
  const { rows, revisions, gaps } = imported.manifest;
  print(`${rows} rows, ${imported.newRows} new, ${revisions} revisions, ${gaps} gaps`);
}

/** Returns a time as `2024-01-01 08:30`. */
const minuteText = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)}`;
/** Returns how long after its time a value was known. */
const latenessText = (ms: number): string => (ms < 0 ? `${spanText(-ms)} before` : spanText(ms));
const symbolOf = ({ symbol }: ExternalKey): string => symbol ?? '';

/** Maximum number of files that are listed by name. */
const MAX_NAMED_FILES = 3;

/** Returns the text about an imported series. */
function importedText({ files, fileRows, newRows, path, manifest }: ImportedExternal): string {
  const { name, kind, rows, first, last, revisions, lateness } = manifest;
  const filesText = files.length > MAX_NAMED_FILES ? counted(files.length, 'file') : files.map((file) => basename(file)).join(', ');
  const symbolPrefix = manifest.symbol === null ? '' : `${manifest.symbol} `;
  const knownText = `${latenessText(lateness.minMs)} to ${latenessText(lateness.maxMs)} after their times`;
  return [
    `  ${symbolPrefix}series ${name} (${kind}s)  ${counted(rows, 'row')}  ${minuteText(first)} – ${minuteText(last)} UTC`,
    `    from        ${filesText}  (${counted(fileRows, 'row')}, ${wholeText(newRows)} of them new)`,
    `    known       ${knownText}, the middle one ${latenessText(lateness.medianMs)}`,
    `    revisions   ${revisions === 0 ? 'none' : wholeText(revisions)}`,
    `    gaps        ${gapText(manifest)}`,
    `    written     ${path}`,
  ].join('\n');
}

/** Returns the number of gaps, how many values they lack, and where the first one is. */
function gapText({ gaps, missing, gapList: [firstGap], usualStepMs }: ExternalManifest): string {
  if (firstGap === undefined) return 'none';
  const missingText = `about ${counted(missing, 'value')} missing, one each ${spanText(usualStepMs)} is usual`;
  return `${wholeText(gaps)}  (${missingText}; the first after ${minuteText(firstGap.from)})`;
}

/** Returns the figures of a manifest without its list. */
export function externalJson({ gapList: _gapList, name, ...figures }: ExternalManifest) {
  return { series: name, ...figures };
}

/** Returns the manifests of all external series of the catalog. */
export function externalListings(catalog: string): ExternalManifest[] {
  return listExternal(catalog).map((key) => readExternalManifest(catalog, key));
}

/** True when the file is unchanged since isobar wrote it and none of its rows breaks a rule. */
export const isSoundExternal = ({ unchanged, wrong }: CheckedExternal): boolean => unchanged && wrong === 0;

/** Number of characters of a hash that the table shows. */
const HASH_LETTERS = 10;
/** Headings of the table of external series. */
const HEADINGS = ['series', 'symbol', 'rows', 'first (UTC)', 'last (UTC)', 'revisions', 'latest', 'gaps', 'missing'];

/** Returns the cells of a series under HEADINGS. */
const tableRow = (manifest: ExternalManifest): string[] => [
  manifest.name,
  symbolOf(manifest),
  wholeText(manifest.rows),
  minuteText(manifest.first),
  minuteText(manifest.last),
  wholeText(manifest.revisions),
  latenessText(manifest.lateness.maxMs),
  wholeText(manifest.gaps),
  wholeText(manifest.missing),
];

/** Returns the table of external series, which `list` prints after the table of other data. */
export function externalListText(manifests: readonly ExternalManifest[]): string {
  return indentedTable([HEADINGS, ...manifests.map(tableRow)], 'llrllrrrr');
}

/** Returns the table of checked external series, and notes about the changed ones. */
export function externalCheckText(checked: readonly CheckedExternal[]): string {
  const stateOf = ({ unchanged, wrong }: CheckedExternal): string => {
    if (!unchanged) return 'CHANGED';
    return wrong > 0 ? 'BAD' : 'ok';
  };
  const rows = checked.map((series) => [
    ...tableRow(series.manifest),
    wholeText(series.wrong),
    stateOf(series),
    series.manifest.dataSha256.slice(0, HASH_LETTERS),
  ]);
  const notes = checked.flatMap(({ manifest, unchanged }) =>
    unchanged ? [] : [`  series ${manifest.name}: changed by another program since isobar wrote it; delete it and import the data again`],
  );
  return [indentedTable([[...HEADINGS, 'wrong', 'state', 'data'], ...rows], 'llrllrrrrrll'), ...notes].join('\n');
}
