// External series in the catalog, such as open interest or predictions of a model: their keys, paths and facts.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';

export interface ExternalKey {
  readonly name: string;
  /** The symbol that the values are of; null: of none. */
  readonly symbol: string | null;
}

/** `flag`: every value is 0 or 1 and was written as false or true. */
export type ValueKind = 'number' | 'flag';

/** Columns of equal length, in the order in which the values became known; of one time known, by the time that they are of. */
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

export interface ExternalFacts {
  readonly rows: number;
  /** Distinct times that values are of. */
  readonly times: number;
  /** Rows that follow an earlier one of their time. */
  readonly revisions: number;
  readonly first: string;
  readonly last: string;
  readonly firstKnown: string;
  readonly lastKnown: string;
  /** From the time of a value until its first row was known, ms. Below 0: it was known before, as a forecast is. */
  readonly lateness: { readonly minMs: number; readonly medianMs: number; readonly maxMs: number };
  /** The median span between the times of two values, ms; 0 for fewer than two. */
  readonly usualStepMs: number;
  /** Spans longer than 1.5 times the usual one, and how many values would fill them. */
  readonly gaps: number;
  readonly missing: number;
  readonly gapList: readonly ExternalGap[];
}

/** More gaps than this are counted, not listed. */
const MAX_GAPS = 10_000;
const LONG = 1.5;

const FOLDER = 'series';
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;
const FILE = /^([A-Za-z][A-Za-z0-9_]{0,59})(?:@([A-Z0-9][A-Z0-9_-]{0,39}))?\.arrow$/;

const stemOf = ({ name, symbol }: ExternalKey): string => (symbol === null ? name : `${name}@${symbol}`);
export const externalPath = (catalog: string, key: ExternalKey): string => join(catalog, FOLDER, `${stemOf(key)}.arrow`);
export const externalManifestPath = (catalog: string, key: ExternalKey): string => join(catalog, FOLDER, `${stemOf(key)}.json`);
export const externalLockPath = (catalog: string, { name }: ExternalKey): string => join(catalog, '.import', `series-${name}.lock`);
/** As it stands in messages: `openInterest of BTCUSDT`. */
export const externalLabel = ({ name, symbol }: ExternalKey): string => (symbol === null ? name : `${name} of ${symbol}`);

/** Throws ConfigError for a name that a strategy could not ask for. */
export function checkSeriesName(name: string, place: string): string {
  if (NAME.test(name)) return name;
  throw new ConfigError(
    `${place}: expected a letter, then letters, digits and _ (openInterest), got ${JSON.stringify(name)}`,
    'give the series such a name',
  );
}

/** Returns the keys of all external series, by name and symbol. */
export function listExternal(catalog: string): ExternalKey[] {
  const folder = join(catalog, FOLDER);
  return (existsSync(folder) ? readdirSync(folder) : []).toSorted().flatMap((file) => {
    const [, name, symbol] = FILE.exec(file) ?? [];
    return name === undefined ? [] : [{ name, symbol: symbol ?? null }];
  });
}

/** Returns what the manifest says about the rows. */
export function externalFacts({ length, knownMs, timeMs }: ExternalColumns): ExternalFacts {
  const firstKnown = new Map<number, number>();
  for (let row = 0; row < length; row++) if (!firstKnown.has(timeMs[row]!)) firstKnown.set(timeMs[row]!, knownMs[row]!);
  const times = Float64Array.from(firstKnown.keys()).toSorted();
  const late = Float64Array.from(firstKnown, ([time, known]) => known - time).toSorted();
  const steps = times.subarray(1).map((time, i) => time - times[i]!);
  const usualStepMs = median(steps.toSorted());
  const gapList: ExternalGap[] = [];
  let [gaps, missing] = [0, 0];
  steps.forEach((step, i) => {
    if (step <= LONG * usualStepMs) return;
    gaps++;
    missing += Math.round(step / usualStepMs) - 1;
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
    lateness: { minMs: late[0]!, medianMs: median(late), maxMs: late.at(-1)! },
    usualStepMs,
    gaps,
    missing,
    gapList,
  };
}

/** Returns the middle of sorted values, the lower one of two; 0 without values. */
const median = (sorted: Float64Array): number => sorted[(sorted.length - 1) >> 1] ?? 0;
