// Implements `isobar data import --as series`, and the external series in `list` and `check`.

import { basename } from 'node:path';
import { expandFiles } from '../../adapters/catalog/import/globs.ts';
import { importExternal, type ImportedExternal } from '../../adapters/catalog/external/importExternal.ts';
import { listExternal, type ExternalKey } from '../../adapters/catalog/external/external.ts';
import {
  checkExternal,
  readExternalManifest,
  type CheckedExternal,
  type ExternalManifest,
} from '../../adapters/catalog/external/externalStore.ts';
import { checkOutFolder } from '../../adapters/disk/folders/out.ts';
import { ConfigError } from '../../base/errors.ts';
import { count, counted, spanText } from '../../base/text/format.ts';
import { alignedRows } from '../terminal/tables.ts';
import { print, printJson } from '../terminal/print.ts';

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

/** Options of the command for other kinds of data. For series they are an error, because ignoring them would surprise the user. */
const OF_OTHERS = ['interval', 'market', 'instrument', 'format', 'rejects', 'roundToTick', 'skipBad'] as const;
/** Options of the command for series only. */
const OF_SERIES = ['name', 'time', 'knownAt', 'value'] as const;

const dashed = (option: string): string => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const isGiven = (value: unknown): boolean => value !== undefined && value !== false;

/** Throws ConfigError if an option for series was given with data of another kind. */
export function checkNotOfSeries(args: Readonly<Record<string, unknown>>, kind: string): void {
  const useless = OF_SERIES.find((option) => isGiven(args[option]));
  if (useless !== undefined)
    throw new ConfigError(`${dashed(useless)}: expected only with --as series, got it with --as ${kind}`, `remove ${dashed(useless)}`);
}

export async function importExternalData(args: ExternalArgs & Partial<Record<(typeof OF_OTHERS)[number], unknown>>): Promise<void> {
  const useless = OF_OTHERS.find((option) => isGiven(args[option]));
  if (useless !== undefined)
    throw new ConfigError(`${dashed(useless)}: expected not to be given with --as series`, `remove ${dashed(useless)}`);
  const need = (option: 'name' | 'time' | 'knownAt', what: string): string => {
    const given = args[option];
    if (given !== undefined) return given;
    throw new ConfigError(
      `${dashed(option)}: expected ${what}`,
      `add it: ${dashed(option)} ${option === 'name' ? 'openInterest' : 'COLUMN'}`,
    );
  };
  const name = need('name', 'the name of the series, by which strategies read it');
  const time = need('time', 'the column of the times of the values');
  const knownAt = need('knownAt', 'the column of the times at which the values were known; it can be the column of --time');
  const { catalog, symbol, value } = args;
  checkOutFolder('--catalog', catalog);
  const done = await importExternal(expandFiles(args.file), { catalog, name, symbol, time, knownAt, value });
  if (args.json) {
    const { manifest, ...rest } = done;
    return printJson({ ...rest, ...externalJson(manifest) });
  }
  print(importedText(done));
  // The last line is for scripts: plain numbers in a permanent format.
  const { rows, revisions, gaps } = done.manifest;
  print(`${rows} rows, ${done.newRows} new, ${revisions} revisions, ${gaps} gaps`);
}

const minute = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)}`;
const lateText = (ms: number): string => (ms < 0 ? `${spanText(-ms)} before` : spanText(ms));
const symbolOf = ({ symbol }: ExternalKey): string => symbol ?? '';

function importedText({ files, fileRows, newRows, path, manifest }: ImportedExternal): string {
  const { name, kind, rows, first, last, revisions, lateness, gaps, missing, gapList, usualStepMs } = manifest;
  const from = files.length > 3 ? counted(files.length, 'file') : files.map((file) => basename(file)).join(', ');
  const [gap] = gapList;
  return [
    `  ${[symbolOf(manifest), `series ${name}`, `(${kind}s)`].filter((each) => each !== '').join(' ')}  ${counted(rows, 'row')}  ${minute(first)} – ${minute(last)} UTC`,
    `    from        ${from}  (${counted(fileRows, 'row')}, ${count(newRows)} of them new)`,
    `    known       ${lateText(lateness.minMs)} to ${lateText(lateness.maxMs)} after their times, the middle one ${lateText(lateness.medianMs)}`,
    `    revisions   ${revisions === 0 ? 'none' : count(revisions)}`,
    `    gaps        ${gap === undefined ? 'none' : `${count(gaps)}  (about ${counted(missing, 'value')} missing, one each ${spanText(usualStepMs)} is usual; the first after ${minute(gap.from)})`}`,
    `    written     ${path}`,
  ].join('\n');
}

/** Returns the figures of a manifest without its list. */
export function externalJson({ gapList: _gapList, name, ...figures }: ExternalManifest) {
  return { series: name, ...figures };
}

export function externalListings(catalog: string): ExternalManifest[] {
  return listExternal(catalog).map((key) => readExternalManifest(catalog, key));
}

export function checkExternalSets(catalog: string, isWanted: (key: ExternalKey) => boolean): CheckedExternal[] {
  return listExternal(catalog)
    .filter(isWanted)
    .map((key) => checkExternal(catalog, key));
}

export const isSoundExternal = ({ unchanged, wrong }: CheckedExternal): boolean => unchanged && wrong === 0;

const HEAD = ['series', 'symbol', 'rows', 'first (UTC)', 'last (UTC)', 'revisions', 'latest', 'gaps', 'missing'];
const rowOf = (of: ExternalManifest): string[] => [
  of.name,
  symbolOf(of),
  count(of.rows),
  minute(of.first),
  minute(of.last),
  count(of.revisions),
  lateText(of.lateness.maxMs),
  count(of.gaps),
  count(of.missing),
];

const indented = (rows: readonly (readonly string[])[], sides: string): string =>
  alignedRows(rows, sides)
    .map((line) => `  ${line}`)
    .join('\n');

/** Returns the table of external series. It follows the table of other data. */
export function externalListText(manifests: readonly ExternalManifest[]): string {
  return indented([HEAD, ...manifests.map(rowOf)], 'llrllrrrr');
}

export function externalCheckText(checked: readonly CheckedExternal[]): string {
  const stateOf = ({ unchanged, wrong }: CheckedExternal): string => (unchanged ? (wrong > 0 ? 'BAD' : 'ok') : 'CHANGED');
  const rows = checked.map((each) => [...rowOf(each.manifest), count(each.wrong), stateOf(each), each.manifest.dataSha256.slice(0, 10)]);
  const notes = checked.flatMap(({ manifest, unchanged }) =>
    unchanged ? [] : [`  series ${manifest.name}: changed by another program since isobar wrote it; delete it and import the data again`],
  );
  return [indented([[...HEAD, 'wrong', 'state', 'data'], ...rows], 'llrllrrrrrll'), ...notes].join('\n');
}
