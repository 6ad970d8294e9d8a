// What a bot knows of its external series: the records of its journal, and at a first start what catalog and files have.

import { loadExternal } from '../../../adapters/catalog/external/externalStore.ts';
import { GrowingFile, type FileRow } from '../../../adapters/external/growingFile.ts';
import type { JournalRecord, RecordBody } from '../../../adapters/journal/records/records.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { SeriesPlan } from '../../../definition/plan/plan.ts';
import { GrowingValues } from '../../../model/bars/growingValues.ts';
import type { BoundSeries, FileBinding } from './sources.ts';

export type SeriesRecord = RecordBody<'SERIES'>;

/** Returns the series of a plan with every value of the records, in the order in which they became known. */
export function knownSeriesPlans(
  series: readonly BoundSeries[],
  records: readonly (JournalRecord | SeriesRecord)[],
): readonly SeriesPlan[] {
  return series.map(({ name }): SeriesPlan => {
    const rows = records.flatMap((record) => ofSeries(record, name)?.rows ?? []);
    const values = new GrowingValues();
    const byTime = rows.toSorted(([timeA = 0, knownA = 0], [timeB = 0, knownB = 0]) => knownA - knownB || timeA - timeB);
    for (const [timeMs = NaN, knownMs = NaN, value = NaN] of byTime) values.add(knownMs, timeMs, value);
    return { name, symbol: null, values, input: { name, sha256: '' }, file: '' };
  });
}

/** Returns a record as one of the series `name`; null: it is another one. */
function ofSeries(record: JournalRecord | SeriesRecord, name: string): SeriesRecord | null {
  const body = !('k' in record) ? record : record.k === 'SERIES' ? record : null;
  return body?.name === name ? body : null;
}

/** Returns what a source has reported already: values by `seenKey`. */
export function seenOf(name: string, records: readonly (JournalRecord | SeriesRecord)[]): Map<string, number> {
  const seen = new Map<string, number>();
  for (const record of records) {
    const body = ofSeries(record, name);
    if (body === null || body.from === 'start') continue;
    body.rows.forEach(([timeMs = NaN, , value = NaN], at) => seen.set(seenKey(body.from, timeMs, body.ids[at] ?? ''), value));
  }
  return seen;
}
/** A nonce is never used twice. A file has ids for the values of one time; of a URL the newest value of a time counts. */
export const seenKey = (from: SeriesRecord['from'], timeMs: number, id: string): string => (from === 'webhook' ? id : `${timeMs} ${id}`);

/** Rows per record: about 40 KB a line. */
const ROWS_OF_A_RECORD = 1000;

/** Returns the records of what was known at `atMs`, as a lifetime begins: from the catalog, and from files. Throws ConfigError. */
export function firstRecords(series: readonly BoundSeries[], catalog: string, atMs: number): readonly SeriesRecord[] {
  return series.flatMap(({ name, archive, binding }) => {
    const { columns } = loadExternal(catalog, archive) ?? {};
    const stored = Array.from({ length: columns?.length ?? 0 }, (_, row): FileRow => {
      const { timeMs, knownMs, value } = columns!;
      return { timeMs: timeMs[row]!, knownMs: knownMs[row]!, value: value[row]! };
    });
    const ofFile = binding.kind === 'file' ? wholeFile(name, binding) : [];
    return [
      ...recordsOf(name, 'start', stored.filter(({ knownMs }) => knownMs <= atMs)),
      ...recordsOf(name, 'file', ofFile.filter(({ knownMs }) => knownMs <= atMs)),
    ]; // prettier-ignore
  });
}

function recordsOf(name: string, from: 'start' | 'file', rows: readonly FileRow[]): readonly SeriesRecord[] {
  const records: SeriesRecord[] = [];
  for (let at = 0; at < rows.length; at += ROWS_OF_A_RECORD) {
    const part = rows.slice(at, at + ROWS_OF_A_RECORD);
    records.push({
      name,
      from,
      rows: part.map(({ timeMs, knownMs, value }) => [timeMs, knownMs, value]),
      ids: part.map(({ knownMs }) => (from === 'file' ? String(knownMs) : '')),
    });
  }
  return records;
}

/** Reads a file as it is now. Throws ConfigError for one that is not there: a wrong path would stay silent. */
function wholeFile(name: string, { path, time, knownAt, value }: FileBinding): readonly FileRow[] {
  const file = new GrowingFile(path, { time, knownAt, value, series: name });
  const rows: FileRow[] = [];
  for (;;) {
    const look = file.look();
    rows.push(...look.rows);
    const [problem] = look.problems;
    if (problem !== undefined)
      throw new ConfigError(
        `series.${name}: ${problem}`,
        'correct the file, or make it with its header line; a bot begins with a whole file',
      );
    if (look.isAtEnd) return rows;
  }
}
