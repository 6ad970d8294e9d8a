// Where a live bot gets its series from outside: the keys of a config, and what they mean.

import { resolve } from 'node:path';
import { z } from 'zod';
import { SERIES_NAME, symbol } from '../../../definition/text/schema.ts';
import { integerValue, map, textValue } from '../../../definition/text/values.ts';

const column = (help: string) => textValue('the name of a column', help);
const everySeconds = (help: string, min: number) => integerValue('s', help, min, 86_400).optional();

const fileSource = map(
  {
    path: textValue('the path of a file', 'CSV file to which another program appends; from the folder of the config'),
    time: column('column of the times that the values are of'),
    knownAt: column('column of the times at which they were known; what was known before the bot began counts from then on'),
    value: column('column of the values; without it the one called like the series, or value, or the only one left').optional(),
    everySeconds: everySeconds('from one look to the next; default 1', 1),
  },
  'a file that grows, such as { path: oi.csv, time: t, knownAt: k }',
).describe('a file that grows');

const liveSeriesEntry = map(
  {
    name: textValue(
      'the name of a series in the catalog',
      'series in the catalog with the past; without it this key',
      SERIES_NAME,
    ).optional(),
    symbol: symbol.optional().describe('the symbol whose past the catalog has; without it the series of no symbol'),
    file: fileSource,
  },
  'a series with its source, such as { file: { path: oi.csv, time: t, knownAt: k } }',
);

export const liveSeriesSchema = z
  .record(z.string().regex(SERIES_NAME, { error: 'a letter, then letters, digits and _' }), liveSeriesEntry, {
    error: 'series by name, such as openInterest: { file: { path: oi.csv, time: t, knownAt: k } }',
  })
  .describe('series from outside by the name under which strategies ask for them, each with its source');

export type LiveSeriesEntries = z.output<typeof liveSeriesSchema>;

/** A file that grows. */
export interface FileBinding {
  readonly kind: 'file';
  /** Absolute. */
  readonly path: string;
  readonly time: string;
  readonly knownAt: string;
  readonly value: string | null;
  readonly everyMs: number;
}

/** A series of a live bot. */
export interface BoundSeries {
  readonly name: string;
  /** What the catalog may have of its past. */
  readonly archive: { readonly name: string; readonly symbol: string | null };
  readonly binding: FileBinding;
}

export function boundSeries(entries: LiveSeriesEntries | undefined, folder: string): readonly BoundSeries[] {
  return Object.entries(entries ?? {}).map(([name, { name: stored = name, symbol: of = null, file }]): BoundSeries => {
    const { path, everySeconds: seconds = 1, value = null, ...columns } = file;
    return {
      name,
      archive: { name: stored, symbol: of },
      binding: { kind: 'file', path: resolve(folder, path), ...columns, value, everyMs: seconds * 1000 },
    };
  });
}

/** Returns what of the entries belongs to the run definition: by where the values come from no decision changes. */
export function withoutSources(entries: unknown): unknown {
  if (typeof entries !== 'object' || entries === null) return entries;
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]: [string, unknown]) => {
      if (typeof entry !== 'object' || entry === null) return [name, entry];
      return [name, Object.fromEntries(Object.entries(entry).filter(([key]) => key === 'name' || key === 'symbol'))];
    }),
  );
}
