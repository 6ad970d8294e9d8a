// The known values of a bot's external series: from the records of its journal, and at a first start from the catalog and from files.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { loadExternal } from '../../../adapters/catalog/external/externalStore.ts';
import { GrowingFile, type FileRow } from '../../../adapters/external/growingFile.ts';
import type { JournalRecord, RecordBody } from '../../../adapters/journal/records/records.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { SeriesPlan } from '../../../definition/plan/plan.ts';
import { GrowingValues } from '../../../model/bars/growingValues.ts';
import type { BoundSeries, FileBinding } from './seriesSources.ts';

/** A record of values of one series. */
export type SeriesRecord = RecordBody<'SERIES'>;

/** Returns the series of a plan with every value of the records, in the order in which they became known. */
export function knownSeriesPlans(
  series: readonly BoundSeries[],
  records: readonly (JournalRecord | SeriesRecord)[],
): readonly SeriesPlan[] {
  return series.map(({ name }): SeriesPlan => {
    const rows = records.flatMap((record) => recordOfSeries(record, name)?.rows ?? []);
    const values = new GrowingValues();
    // A row is [timeMs, knownMs, value].
    const rowsAsKnown = rows.toSorted(([timeA = 0, knownA = 0], [timeB = 0, knownB = 0]) => knownA - knownB || timeA - timeB);
    for (const [timeMs = NaN, knownMs = NaN, value = NaN] of rowsAsKnown) values.add(knownMs, timeMs, value);
    return { name, symbol: null, values, input: { name, sha256: '' }, file: '' };
  });
}

/** Returns a record if it belongs to the series `name`; else null. */
function recordOfSeries(record: JournalRecord | SeriesRecord, name: string): SeriesRecord | null {
  if ('k' in record && record.k !== 'SERIES') return null;
  return record.name === name ? record : null;
}

/** Returns the values that a source has already reported, by `valueKey`. */
export function reportedValuesOf(name: string, records: readonly (JournalRecord | SeriesRecord)[]): Map<string, number> {
  const reportedValues = new Map<string, number>();
  for (const record of records) {
    const body = recordOfSeries(record, name);
    if (body === null || body.from === 'start') continue;
    for (const [row, [timeMs = NaN, , value = NaN]] of body.rows.entries()) {
      const key = valueKey(body.from, timeMs, body.ids[row] ?? '');
      reportedValues.set(key, value);
    }
  }
  return reportedValues;
}

/**
 * Returns the key by which a repeated value is recognised. A webhook has a nonce, which is never used twice. A file has ids for the values
 * of one time. A URL has neither: the newest value of a time counts.
 */
export const valueKey = (from: SeriesRecord['from'], timeMs: number, id: string): string => (from === 'webhook' ? id : `${timeMs} ${id}`);

/** Maximum number of rows in a record: about 40 KB a line. */
const MAX_RECORD_ROWS = 1000;

/** Returns records of all values known at `atMs`, when a lifetime begins: from the catalog and from files. Throws ConfigError for an invalid file. */
export function firstRecords(series: readonly BoundSeries[], catalog: string, atMs: number): readonly SeriesRecord[] {
  return series.flatMap(({ name, archive, binding }) => {
    const { columns } = loadExternal(catalog, archive) ?? {};
    const storedRows = Array.from({ length: columns?.length ?? 0 }, (_, row): FileRow => {
      const { timeMs, knownMs, value } = columns!;
      return { timeMs: timeMs[row]!, knownMs: knownMs[row]!, value: value[row]! };
    });
    const fileRows = binding.kind === 'file' ? readWholeFile(name, binding) : [];
    const knownAtStart = ({ knownMs }: FileRow): boolean => knownMs <= atMs;
    return [...recordsOf(name, 'start', storedRows.filter(knownAtStart)), ...recordsOf(name, 'file', fileRows.filter(knownAtStart))];
  });
}

/** Returns the journal records of values, each with at most `MAX_RECORD_ROWS` rows. */
function recordsOf(name: string, from: 'start' | 'file', rows: readonly FileRow[]): readonly SeriesRecord[] {
  const records: SeriesRecord[] = [];
  for (let row = 0; row < rows.length; row += MAX_RECORD_ROWS) {
    const recordRows = rows.slice(row, row + MAX_RECORD_ROWS);
    records.push({
      name,
      from,
      rows: recordRows.map(({ timeMs, knownMs, value }) => [timeMs, knownMs, value]),
      ids: recordRows.map(({ knownMs }) => (from === 'file' ? String(knownMs) : '')),
    });
  }
  return records;
}

/** Reads a file to its end. Throws ConfigError if it does not exist, because a wrong path would otherwise go unnoticed. */
function readWholeFile(name: string, { path, time, knownAt, value }: FileBinding): readonly FileRow[] {
  const file = new GrowingFile(path, { time, knownAt, value, series: name });
  const rows: FileRow[] = [];
  for (;;) {
    const reading = file.readNew();
    appendAll(rows, reading.rows);
    const [problem] = reading.problems;
    if (problem !== undefined)
      throw new ConfigError(
        `series.${name}: ${problem}`,
        'correct the file, or create it with its header line: a bot begins with a complete file',
      );
    if (reading.isAtEnd) return rows;
  }
}
