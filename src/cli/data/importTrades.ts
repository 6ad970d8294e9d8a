// Implements `isobar data import --as trades`, and the rows of trades in `list` and `check`.

import { basename } from 'node:path';
import { importTrades, type ImportedTrades } from '../../adapters/catalog/import/importTrades.ts';
import { expandFiles } from '../../adapters/catalog/import/globs.ts';
import { readTradeManifest, type CheckedTrades, type TradeManifest } from '../../adapters/catalog/trades/tradeStore.ts';
import { listTradeKeys } from '../../adapters/catalog/trades/trades.ts';
import { ConfigError } from '../../base/errors.ts';
import { wholeText, counted } from '../../base/text/format.ts';
import type { Market } from '../../model/instrument.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { print, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';

/** Options of `isobar data import --as trades`. */
interface TradeArgs {
  readonly file: readonly string[];
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly market?: Market | undefined;
  readonly catalog: string;
  readonly json: boolean;
  readonly instrument?: string | undefined;
  readonly format?: string | undefined;
  readonly rejects?: string | undefined;
  readonly roundToTick: boolean;
  readonly skipBad: boolean;
}

/** Options that apply only to bars. With trades they are an error, because ignoring them would surprise the user. */
const BAR_OPTIONS = ['interval', 'instrument', 'format', 'rejects', 'roundToTick', 'skipBad'] as const;

/** Runs `isobar data import --as trades`. Throws ConfigError for an option that does not apply. */
export async function importTradeData(args: TradeArgs): Promise<void> {
  const unusable = BAR_OPTIONS.find((option) => args[option] !== undefined && args[option] !== false);
  if (unusable !== undefined) {
    const option = unusable.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new ConfigError(`--${option}: expected only with --as bars, got it with --as trades`, `remove --${option}`);
  }
  checkOutFolder('--catalog', args.catalog);
  const line = progressLine('trades');
  const { catalog, symbol, market } = args;
  const imported = await importTrades(expandFiles(args.file), { catalog, symbol, market, onProgress: line.show }).finally(line.clear);
  if (args.json) return printJson(imported.map(importedJson));
  let trades = 0;
  let newTrades = 0;
  let missingIds = 0;
  for (const set of imported) {
    print(importedText(set));
    trades += set.manifest.rows;
    newTrades += set.newRows;
    missingIds += set.manifest.missingIds;
  }
  // The last line is for scripts: plain numbers in a permanent format.
  print(`${trades} trades, ${newTrades} new, ${missingIds} missing ids`);
}

/** Returns imported trades as `--json` prints them. */
function importedJson({ manifest, key, instrument: _instrument, ...otherFields }: ImportedTrades) {
  return { ...key, ...otherFields, ...tradesJson(manifest) };
}

/** Returns a time as `2024-01-01 08:30`. */
const minuteText = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)}`;

/** Number of characters of a hash that the table of `check` shows. */
const HASH_LETTERS = 10;
/** Maximum number of files that are listed by name. */
const MAX_NAMED_FILES = 3;

/** Returns the text about imported trades. */
function importedText({ files, knownFiles, fileRows, newRows, path, manifest, instrumentFrom }: ImportedTrades): string {
  const { symbol, market, rows, first, last } = manifest;
  const filesText = files.length > MAX_NAMED_FILES ? counted(files.length, 'file') : files.map((file) => basename(file)).join(', ');
  const newRowsText = `${counted(fileRows, 'row')}, ${wholeText(newRows)} of them new`;
  const rowsText = knownFiles.length === files.length ? 'the catalog has all of it' : newRowsText;
  return [
    `  ${symbol} ${manifest.kind} ${market}  ${counted(rows, 'row')}  ${minuteText(first)} – ${minuteText(last)} UTC`,
    `    from        ${filesText}  (${rowsText})`,
    `    gaps        ${gapText(manifest)}`,
    ...(instrumentFrom === 'proposed' ? ['    instrument  proposed from the data; check instrument.json beside the trades'] : []),
    `    written     ${path}`,
  ].join('\n');
}

/** Returns the text about missing ids. */
function gapText({ gaps, missingIds, gapList: [firstGap], sharedIds }: TradeManifest): string {
  if (sharedIds === true) return 'not known: the ids are a series that several symbols share';
  if (firstGap === undefined) return 'none';
  return `${counted(gaps, 'run')} of ids, ${counted(missingIds, 'id')} missing, the first ${firstGap.afterId + 1} to ${firstGap.beforeId - 1}`;
}

/** Returns the figures of a manifest without its lists. */
export function tradesJson({ days, gapList: _gapList, files: _files, sha256, ...figures }: TradeManifest) {
  return { manifestSha256: sha256, days: days.length, ...figures };
}

/** Returns the manifests of all trades of the catalog. */
export function tradeListings(catalog: string): TradeManifest[] {
  return listTradeKeys(catalog).map((key) => readTradeManifest(catalog, key));
}

/** Returns the row of `list` for trades. */
export function tradeListRow({ market, symbol, kind, rows, first, last, gaps, missingIds }: TradeManifest): string[] {
  return [market, symbol, kind, wholeText(rows), minuteText(first), minuteText(last), wholeText(gaps), wholeText(missingIds), 'import'];
}

/** True when all files are unchanged since isobar wrote them and none of their rows breaks a rule. */
export const isSoundTrades = ({ changed, wrong }: CheckedTrades): boolean => changed.length === 0 && wrong === 0;

/** Returns the row of `check` for trades. Two columns are empty, because they apply only to bars. */
export function tradeCheckRow({ manifest, changed, wrong }: CheckedTrades): string[] {
  const { market, symbol, kind, rows, gaps, missingIds, sha256 } = manifest;
  const stateOfRows = wrong > 0 ? 'BAD' : 'ok';
  const state = changed.length > 0 ? 'CHANGED' : stateOfRows;
  return [
    market,
    symbol,
    kind,
    wholeText(rows),
    wholeText(gaps),
    wholeText(missingIds),
    '',
    '',
    wholeText(wrong),
    state,
    sha256.slice(0, HASH_LETTERS),
  ];
}

/** Returns a note for each file that another program has changed. */
export function tradeNotes({ manifest, changed }: CheckedTrades): string[] {
  const name = `${manifest.symbol} ${manifest.kind}`;
  const remedy = 'remove that file and import the data again';
  return changed.map((day) => `  ${name}: ${day} was changed by another program since isobar wrote it; ${remedy}`);
}
