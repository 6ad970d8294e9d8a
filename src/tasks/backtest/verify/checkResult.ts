// Compares the results of a repeated run with its run folder: orders, fills, equity, trades, figures.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readInputFile } from '../../../adapters/disk/regularFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import { equityColumns, tablesHash } from '../../../report/summary/resultHash.ts';
import { summaryText } from '../../../report/summary/runFiles.ts';
import { withProof, type Summary } from '../../../report/summary/summary.ts';
import { fillsTable, ordersTable, tradesTable, type Table } from '../../../report/summary/tables.ts';
import { fixed, timeText } from '../../../base/text/format.ts';
import { METRICS, TRADES } from '../../../report/words/glossary.ts';
import { tradesOf } from '../../../report/trades/trades.ts';
import { writeEquity, type Manifest } from '../folder/writeRunFolder.ts';
import { proofIn, readStoredEquity, readRunFile, type StoredEquity, type StoredRun } from '../folder/readRunFolder.ts';
import { numberColumn, storedTable } from './storedTable.ts';
import { tableDifference, type TableDifference } from './tableDifference.ts';

/** The result of a comparison of a repeated run with the run folder. */
export interface ResultCheck {
  /** In the order of cause: orders, fills, equity, trades, figures; the first difference of each file. */
  readonly differences: readonly TableDifference[];
  /** Orders, fills and equity in the folder do not match the recorded hash: they or the hash were changed after the run. */
  readonly isFolderAltered: boolean;
}

/** Compares a repeated run with its run folder. `temporary`: path of a file that may be written meanwhile. */
export function checkResult(stored: StoredRun, record: RunRecord, summary: Summary, temporary: string): ResultCheck {
  const { folder, manifest } = stored;
  const isSame = summary.resultHash === manifest.resultHash;
  const orders = ordersTable(record);
  const fills = fillsTable(record);
  const path = (file: string) => join(folder, file);
  const tables = [
    tableDifference(path('orders.csv'), orders, { file: 'orders.csv', row: 'order' }),
    tableDifference(path('fills.csv'), fills, { file: 'fills.csv', row: 'fill' }),
    equityDifference(folder, record, isSame ? { hash: summary.resultHash, temporary } : null),
    tableDifference(path('trades.csv'), tradesTable(record, tradesOf(record)), { file: 'trades.csv', row: 'trade' }),
  ];
  const summaryPath = path('summary.json');
  const repeatedSummary = withStoredEnvelope(withRecordedInputs(summary, manifest), summaryPath);
  const proof = proofIn(readRunFile(summaryPath));
  const differences = [
    ...tables,
    summaryDifference(summaryPath, proof === null ? repeatedSummary : withProof(repeatedSummary, proof)),
  ].filter((difference) => difference !== null);
  const hashDifference = { file: 'manifest.json', what: 'resultHash', where: '', recorded: manifest.resultHash, now: summary.resultHash };
  // All tables are equal, and only the recorded hash differs.
  if (!isSame && differences.every(({ file }) => file === 'summary.json'))
    return { differences: [hashDifference, ...differences], isFolderAltered: true };
  const isAltered = differences.length > 0 && folderHash(folder, orders, fills) !== manifest.resultHash;
  return { differences, isFolderAltered: isAltered };
}

/** Returns the result hash of the tables in the folder; null: they cannot be read. */
function folderHash(folder: string, orders: Table, fills: Table): string | null {
  try {
    const { run } = JSON.parse(readRunFile(join(folder, 'summary.json'))) as Summary;
    const instruments = run.instruments.map(({ id }) => id);
    const { timeMs, equity } = readStoredEquity(folder);
    return tablesHash([
      storedTable(join(folder, 'orders.csv'), orders, instruments),
      storedTable(join(folder, 'fills.csv'), fills, instruments),
      { length: timeMs.length, columns: [numberColumn('time_ms', timeMs), numberColumn('equity', equity)] },
    ]);
  } catch {
    // Whatever the error is, the tables are not as the run wrote them.
    return null;
  }
}

/**
 * Returns the first difference between the stored equity and that of the repeated run; null: equal. With `byteCheck`, the file must also equal
 * the file of the repeated run, byte by byte.
 */
function equityDifference(
  folder: string,
  record: RunRecord,
  byteCheck: { hash: string; temporary: string } | null,
): TableDifference | null {
  const file = 'equity.arrow';
  let stored: StoredEquity;
  try {
    stored = readStoredEquity(folder);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { file, what: 'the file', where: '', recorded: 'cannot be read', now: 'whole' };
  }
  const [{ values: timeMs }, { values: equity }] = equityColumns(record);
  const { length } = timeMs;
  for (let row = 0; row < Math.max(length, stored.timeMs.length); row++) {
    const instant = { file, what: `equity, instant ${row + 1}`, where: timeText(stored.timeMs[row] ?? timeMs[row] ?? NaN) };
    if (row >= length) return { ...instant, recorded: String(stored.equity[row]), now: 'no such instant' };
    if (row >= stored.timeMs.length) return { ...instant, recorded: 'no such instant', now: String(equity[row]) };
    if (stored.timeMs[row] !== timeMs[row])
      return {
        ...instant,
        what: `equity, time of instant ${row + 1}`,
        recorded: exactTime(stored.timeMs[row]!),
        now: exactTime(timeMs[row]!),
      };
    if (!Object.is(stored.equity[row], equity[row]))
      return { ...instant, recorded: moneyText(stored.equity[row]!, record), now: moneyText(equity[row]!, record) };
  }
  if (byteCheck === null) return null;
  writeEquity(byteCheck.temporary, record, byteCheck.hash);
  const storedBytes = readInputFile(join(folder, file));
  const repeatedBytes = readFileSync(byteCheck.temporary);
  if (storedBytes.equals(repeatedBytes)) return null;
  const firstDifference = storedBytes.findIndex((byte, index) => byte !== repeatedBytes[index]);
  const offset = firstDifference < 0 ? storedBytes.length : firstDifference;
  return {
    file,
    what: `byte ${offset}`,
    where: 'outside of its values',
    recorded: byteText(storedBytes[offset]),
    now: byteText(repeatedBytes[offset]),
  };
}

/** Returns a byte as hexadecimal text. */
function byteText(byte: number | undefined): string {
  return byte === undefined ? 'the end' : `0x${byte.toString(16).padStart(2, '0')}`;
}

/** Returns a time as text; in ms if a changed byte has made it invalid. */
function exactTime(timeMs: number): string {
  return Math.abs(timeMs) < 8.64e15 ? formatTime(timeMs) : `${timeMs} ms`;
}

/** Returns an amount with all digits of the asset, or more if a changed byte has added some. */
function moneyText(value: number, { reportingAsset, reportingDigits }: RunRecord): string {
  const text = fixed(value, reportingDigits);
  const hasMoreDigits = Number(value.toFixed(reportingDigits)) !== value;
  return `${hasMoreDigits ? String(value) : text} ${reportingAsset}`;
}

/** Returns the summary with the recorded inputs in place of the current ones. Inputs are compared separately. */
function withRecordedInputs(summary: Summary, manifest: Manifest): Summary {
  const strategies = [summary.run.strategy]
    .flat()
    .map((strategy, index) => ({ ...strategy, hash: manifest.strategies[index]?.sha256 ?? strategy.hash }));
  const [onlyStrategy] = strategies;
  return {
    ...summary,
    run: {
      ...summary.run,
      versions: manifest.versions,
      strategy: strategies.length === 1 && onlyStrategy !== undefined ? onlyStrategy : strategies,
    },
    dataQuality: {
      ...summary.dataQuality,
      feeds: summary.dataQuality.feeds.map((feed, index) => ({
        ...feed,
        manifestHash: manifest.data[index]?.manifestSha256 ?? feed.manifestHash,
      })),
    },
  };
}

/**
 * Returns the summary with the envelope that is compared: none if the run was made without one. If finer bars refined the stored or the new
 * envelope, it is the stored one. Finer bars are not inputs of the run, and the catalog may have more of them by now.
 */
function withStoredEnvelope(summary: Summary, path: string): Summary {
  const { envelope, ...withoutEnvelope } = summary;
  let stored: Summary['envelope'];
  try {
    ({ envelope: stored } = JSON.parse(readRunFile(path)) as Summary);
  } catch {
    return summary;
  }
  if (stored === undefined) return { ...withoutEnvelope, warnings: summary.warnings };
  const isRefined = (stored.refinedWith ?? null) !== null || (envelope?.refinedWith ?? null) !== null;
  return isRefined ? { ...summary, envelope: stored } : summary;
}

/** Parts of a summary, the most important first. */
const RESULT_PARTS = ['metrics', 'trades', 'orders', 'breakEven', 'run', 'dataQuality'];

/** Returns the first difference between the stored summary and the computed one; null if they are equal. */
function summaryDifference(path: string, summary: Summary): TableDifference | null {
  const file = 'summary.json';
  const storedText = readRunFile(path);
  const repeatedText = summaryText(summary);
  if (storedText === repeatedText) return null;
  let stored: unknown;
  try {
    stored = JSON.parse(storedText);
  } catch {
    return { file, what: 'the file', where: '', recorded: 'no JSON', now: 'whole' };
  }
  const leaves = leafDifferences(stored, JSON.parse(repeatedText), []);
  const first = RESULT_PARTS.flatMap((part) => leaves.find(({ path: [key] }) => key === part) ?? [])[0] ?? leaves[0];
  if (first === undefined) return { file, what: 'spaces', where: 'between its values', recorded: 'others', now: 'as written' };
  return { file, what: labelOf(first.path), where: '', recorded: leafText(first.stored), now: leafText(first.repeated) };
}

/** Most characters of a value in a difference. */
const MAX_TEXT_LENGTH = 60;

/** A value of summary.json that differs, by its path in the JSON. */
interface LeafDifference {
  readonly path: readonly string[];
  readonly stored: unknown;
  readonly repeated: unknown;
}

/** Returns the values that differ, in the order of their keys. `path`: where both values are in the JSON. */
function leafDifferences(stored: unknown, repeated: unknown, path: readonly string[]): readonly LeafDifference[] {
  if (!isMap(stored) || !isMap(repeated)) return Object.is(stored, repeated) ? [] : [{ path, stored, repeated }];
  const keys = new Set([...Object.keys(stored), ...Object.keys(repeated)]);
  return [...keys].flatMap((key) => leafDifferences(stored[key], repeated[key], [...path, key]));
}

/** True for an object or a list. */
function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The figures of summary.json that have a label, by the member that contains them. */
const LABELLED: Readonly<Record<string, Readonly<Record<string, { readonly label: string }>>>> = { metrics: METRICS, trades: TRADES };

/** Returns a path with the label of its figure, such as `Sharpe (metrics.sharpe)`. */
function labelOf(path: readonly string[]): string {
  const [part = '', name = ''] = path;
  const label = LABELLED[part]?.[name]?.label;
  return label === undefined ? path.join('.') : `${label} (${path.join('.')})`;
}

/** Returns a value of summary.json as text, cut to a line. */
function leafText(value: unknown): string {
  const definedText = typeof value === 'string' ? value : JSON.stringify(value);
  const text = value === undefined ? 'nothing' : definedText;
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 3)}...` : text;
}
