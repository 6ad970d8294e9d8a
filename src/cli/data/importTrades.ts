// Implements `isobar data import --as trades`, and the rows of trades in `list` and `check`.

import { basename } from 'node:path';
import { importTrades, type ImportedTrades } from '../../adapters/catalog/import/importTrades.ts';
import { expandFiles } from '../../adapters/catalog/import/globs.ts';
import { checkTrades, readTradeManifest, type CheckedTrades, type TradeManifest } from '../../adapters/catalog/trades/tradeStore.ts';
import { listTradeKeys, type TradeKey } from '../../adapters/catalog/trades/trades.ts';
import { ConfigError } from '../../base/errors.ts';
import { count, counted } from '../../base/text/format.ts';
import type { Market } from '../../model/instrument.ts';
import { checkOutFolder } from '../../adapters/disk/folders/out.ts';
import { print, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';

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

/** Options of the command that apply to bars only. Here they are an error, because ignoring them would surprise the user. */
const OF_BARS = ['interval', 'instrument', 'format', 'rejects', 'roundToTick', 'skipBad'] as const;

export async function importTradeData(args: TradeArgs): Promise<void> {
  const useless = OF_BARS.find((option) => args[option] !== undefined && args[option] !== false);
  if (useless !== undefined) {
    const option = useless.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new ConfigError(`--${option}: expected only with --as bars, got it with --as trades`, `remove --${option}`);
  }
  checkOutFolder('--catalog', args.catalog);
  const line = progressLine('trades');
  const { catalog, symbol, market } = args;
  const done = await importTrades(expandFiles(args.file), { catalog, symbol, market, onProgress: line.show }).finally(line.clear);
  if (args.json)
    return printJson(done.map(({ manifest, key, instrument: _instrument, ...rest }) => ({ ...key, ...rest, ...tradesJson(manifest) })));
  for (const each of done) print(importedText(each));
  // The last line is for scripts: plain numbers in a permanent format.
  const total = (valueOf: (each: ImportedTrades) => number) => done.reduce((sum, each) => sum + valueOf(each), 0);
  print(
    `${total(({ manifest }) => manifest.rows)} trades, ${total(({ newRows }) => newRows)} new, ${total(({ manifest }) => manifest.missingIds)} missing ids`,
  );
}

const minute = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)}`;

function importedText({ files, knownFiles, fileRows, newRows, path, manifest, instrumentFrom }: ImportedTrades): string {
  const { symbol, market, rows, first, last, gaps, missingIds, gapList } = manifest;
  const from = files.length > 3 ? counted(files.length, 'file') : files.map((file) => basename(file)).join(', ');
  const read =
    knownFiles.length === files.length ? 'the catalog has all of it' : `${counted(fileRows, 'row')}, ${count(newRows)} of them new`;
  const [gap] = gapList;
  const missing = gap
    ? `${counted(gaps, 'run')} of ids, ${counted(missingIds, 'id')} missing, the first ${gap.afterId + 1} to ${gap.beforeId - 1}`
    : 'none';
  return [
    `  ${symbol} ${manifest.kind} ${market}  ${counted(rows, 'row')}  ${minute(first)} – ${minute(last)} UTC`,
    `    from        ${from}  (${read})`,
    `    gaps        ${missing}`,
    ...(instrumentFrom === 'proposed' ? ['    instrument  proposed from the data; check instrument.json beside the trades'] : []),
    `    written     ${path}`,
  ].join('\n');
}

/** Returns the figures of a manifest without its lists. */
export function tradesJson({ days, gapList: _gapList, files: _files, sha256, ...figures }: TradeManifest) {
  return { manifestSha256: sha256, days: days.length, ...figures };
}

export function tradeListings(catalog: string): TradeManifest[] {
  return listTradeKeys(catalog).map((key) => readTradeManifest(catalog, key));
}

export function tradeListRow({ market, symbol, kind, rows, first, last, gaps, missingIds }: TradeManifest): string[] {
  return [market, symbol, kind, count(rows), minute(first), minute(last), count(gaps), count(missingIds), 'import'];
}

export function checkTradeSets(catalog: string, isWanted: (key: TradeKey) => boolean): CheckedTrades[] {
  return listTradeKeys(catalog)
    .filter(isWanted)
    .map((key) => checkTrades(catalog, key));
}

export const isSoundTrades = ({ changed, wrong }: CheckedTrades): boolean => changed.length === 0 && wrong === 0;

export function tradeCheckRow({ manifest, changed, wrong }: CheckedTrades): string[] {
  const { market, symbol, kind, rows, gaps, missingIds, sha256 } = manifest;
  const state = changed.length > 0 ? 'CHANGED' : wrong > 0 ? 'BAD' : 'ok';
  return [market, symbol, kind, count(rows), count(gaps), count(missingIds), '', '', count(wrong), state, sha256.slice(0, 10)];
}

export function tradeNotes({ manifest, changed }: CheckedTrades): string[] {
  return changed.map(
    (day) =>
      `  ${manifest.symbol} ${manifest.kind}: ${day} was changed by another program since isobar wrote it; remove that file and import the data again`,
  );
}
