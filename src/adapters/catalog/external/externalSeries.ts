// Defines external series in the catalog, such as open interest or predictions of a model: keys, paths and facts.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';

/** Identifies an external series. */
export interface ExternalKey {
  readonly name: string;
  /** The symbol to which the values belong; null if they belong to none. */
  readonly symbol: string | null;
}

/** Kind of the values of a series. `flag`: every value is 0 or 1, which the file had as false or true. */
export type ValueKind = 'number' | 'flag';

/** Columns of equal length, sorted by the time at which a value became known, then by the time that it describes. */
export interface ExternalColumns {
  readonly length: number;
  readonly knownMs: Float64Array;
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
}

/** A span between two values that is longer than usual. */
export interface ExternalGap {
  readonly from: string;
  readonly to: string;
}

/** Counts and first and last times of an external series. */
export interface ExternalFacts {
  readonly rows: number;
  /** Number of distinct times that values describe. */
  readonly times: number;
  /** Number of rows that revise an earlier row of the same time. */
  readonly revisions: number;
  readonly first: string;
  readonly last: string;
  readonly firstKnown: string;
  readonly lastKnown: string;
  /** Delay from the time of a value until its first row was known, ms. Negative for a forecast. */
  readonly lateness: { readonly minMs: number; readonly medianMs: number; readonly maxMs: number };
  /** The median span between the times of two values, ms; 0 for fewer than two. */
  readonly usualStepMs: number;
  /** Number of gaps: spans that are longer than usual. */
  readonly gaps: number;
  /** Number of values that would fill the gaps. */
  readonly missing: number;
  readonly gapList: readonly ExternalGap[];
}

/** Further gaps are counted but not listed. */
const MAX_GAPS = 10_000;
/** A span longer than this many usual steps is a gap. */
const GAP_STEPS = 1.5;

const SERIES_FOLDER = 'series';
const SERIES_NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;
const FILE_NAME = /^([A-Za-z][A-Za-z0-9_]{0,59})(?:@([A-Z0-9][A-Z0-9_-]{0,39}))?\.arrow$/;

/** Returns the name of a file of the series, without its ending. */
const stemOf = ({ name, symbol }: ExternalKey): string => (symbol === null ? name : `${name}@${symbol}`);
/** Returns the path of the values of a series. */
export const externalPath = (catalog: string, key: ExternalKey): string => join(catalog, SERIES_FOLDER, `${stemOf(key)}.arrow`);
/** Returns the path of the manifest of a series. */
export const externalManifestPath = (catalog: string, key: ExternalKey): string => join(catalog, SERIES_FOLDER, `${stemOf(key)}.json`);
/** Returns the path of the lock that an import of the series holds. All symbols of the series share it. */
export const externalLockPath = (catalog: string, { name }: ExternalKey): string => join(catalog, '.import', `series-${name}.lock`);
/** Returns the name for messages, such as `openInterest of BTCUSDT`. */
export const externalLabel = ({ name, symbol }: ExternalKey): string => (symbol === null ? name : `${name} of ${symbol}`);

/** Returns `name`. Throws ConfigError for a name that a strategy cannot use. */
export function checkSeriesName(name: string, place: string): string {
  if (SERIES_NAME.test(name)) return name;
  throw new ConfigError(
    `${place}: expected a letter, then letters, digits and _ (openInterest), got ${JSON.stringify(name)}`,
    'give the series such a name',
  );
}

/** Returns the keys of all external series, by name and symbol. */
export function listExternal(catalog: string): ExternalKey[] {
  const folder = join(catalog, SERIES_FOLDER);
  return (existsSync(folder) ? readdirSync(folder) : []).toSorted().flatMap((file) => {
    const [, name, symbol] = FILE_NAME.exec(file) ?? [];
    return name === undefined ? [] : [{ name, symbol: symbol ?? null }];
  });
}

/** Returns the facts about the rows for the manifest. */
export function externalFacts({ length, knownMs, timeMs }: ExternalColumns): ExternalFacts {
  const knownByTime = new Map<number, number>();
  for (let row = 0; row < length; row++) {
    const time = timeMs[row]!;
    // The rows of a time are in the order in which they became known.
    if (!knownByTime.has(time)) knownByTime.set(time, knownMs[row]!);
  }
  const times = Float64Array.from(knownByTime.keys()).toSorted();
  const latenessMs = Float64Array.from(knownByTime, ([time, known]) => known - time).toSorted();
  const stepsMs = times.subarray(1).map((time, i) => time - times[i]!);
  const usualStepMs = medianOf(stepsMs.toSorted());
  const gapList: ExternalGap[] = [];
  let gaps = 0;
  let missing = 0;
  stepsMs.forEach((stepMs, i) => {
    if (stepMs <= GAP_STEPS * usualStepMs) return;
    gaps++;
    missing += Math.round(stepMs / usualStepMs) - 1;
    if (gapList.length < MAX_GAPS) gapList.push({ from: formatTime(times[i]!), to: formatTime(times[i + 1]!) });
  });
  return {
    rows: length,
    times: times.length,
    revisions: length - times.length,
    first: formatTime(times[0]!),
    last: formatTime(times.at(-1)!),
    firstKnown: formatTime(knownMs[0]!),
    lastKnown: formatTime(knownMs[length - 1]!),
    lateness: { minMs: latenessMs[0]!, medianMs: medianOf(latenessMs), maxMs: latenessMs.at(-1)! },
    usualStepMs,
    gaps,
    missing,
    gapList,
  };
}

/** Returns the middle of sorted values, the lower one of two; 0 without values. */
const medianOf = (sorted: Float64Array): number => sorted[(sorted.length - 1) >> 1] ?? 0;
