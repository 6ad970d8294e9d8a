// Counts earlier trials on the same market data: every run and every set of every sweep, without repeats.

import { sha256 } from '../../adapters/runtime/sha256.ts';
import type { LedgerContent } from './trialLedger.ts';
import type { RunLine, SetLine, SweepHeader, TrialInputs } from './ledgerLine.ts';

/** Parts that say which sets a sweep has and how figures are computed, but nothing about a single set. */
const SWEEP_ONLY_PARTS: ReadonlySet<string> = new Set(['--grid', '--random', 'figures', 'isobar']);

/** Matches a SHA-256. */
const HASH = /^[0-9a-f]{64}$/;

/** Prefix of the name of a parameter that is not swept. */
export const FIXED_PARAM_PREFIX = 'params.';

/** Numbers of trials on the same market data. A family is a named group of trials; trials without a name are one family too. */
export interface Trials {
  /** Number of different trials of the family, including the current sweep. */
  readonly count: number;
  /** Number of trials of the family that only earlier sweeps and runs made. */
  readonly earlier: number;
  /** Number of different trials of all families on these data. */
  readonly all: number;
  /** The figure for the selection bias, one value for each trial of the family that has the figure. */
  readonly values: Float64Array;
}

/** The content of the ledger that may contain earlier trials. */
export interface EarlierTrials {
  readonly sweeps: readonly LedgerContent[];
  readonly runs: readonly RunLine[];
}

/**
 * Returns the trials on the instruments and intervals of `header`, by any strategy or definition, because each of them has used the same
 * prices. Code, parameters and definition only identify repeats: the same trial counts once.
 */
export function countTrials(header: SweepHeader, results: Iterable<SetLine>, earlier: EarlierTrials, figure: string): Trials {
  const trials = new Map<string, { value: number | null; isOfFamily: boolean }>();
  const add = (runInputs: TrialInputs, params: SetLine['params'], figures: SetLine['figures']) => {
    if (figures === null) return;
    const key = trialKey(runInputs, params);
    const earlierTrial = trials.get(key);
    trials.set(key, {
      value: earlierTrial?.value ?? figures[figure] ?? null,
      isOfFamily: earlierTrial?.isOfFamily === true || familyOf(runInputs) === familyOf(header),
    });
  };
  for (const { params, figures } of results) add(header, params, figures);
  const ownCount = trials.size;
  for (const sweep of earlier.sweeps) {
    if (!isOnSameData(sweep.header, header)) continue;
    for (const { params, figures } of sweep.results.values()) add(sweep.header, params, figures);
  }
  for (const run of earlier.runs) if (isOnSameData(run, header)) add(run, {}, run.figures);
  const ofFamily = [...trials.values()].filter(({ isOfFamily }) => isOfFamily);
  const values = ofFamily.flatMap(({ value }) => (value === null ? [] : [value]));
  return { count: ofFamily.length, earlier: ofFamily.length - ownCount, all: trials.size, values: Float64Array.from(values) };
}

/**
 * Returns the key of a trial, equal for equal code, parameters and definition. A swept parameter and one in the definition count the same.
 */
function trialKey({ parts }: TrialInputs, params: SetLine['params']): string {
  const partsOfSet = parts.filter(({ name }) => !SWEEP_ONLY_PARTS.has(name));
  const isFixed = ({ name }: { readonly name: string }) => name.startsWith(FIXED_PARAM_PREFIX);
  const fixedParams = partsOfSet.filter(isFixed).map(({ name, value }): [string, string] => [name.slice(FIXED_PARAM_PREFIX.length), value]);
  // Files are identified by their content alone, not by their names.
  const settings = partsOfSet.filter((part) => !isFixed(part)).map(({ name, value }) => (HASH.test(value) ? value : [name, value]));
  const sweptParams = Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]);
  const allParams = [...fixedParams, ...sweptParams].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([settings, allParams]));
}

/** Returns the family; null: none, as in lines of an earlier isobar version. */
const familyOf = ({ family }: TrialInputs): string | null => family ?? null;

/** True when two trials used the same instruments and intervals. */
function isOnSameData(one: TrialInputs, other: TrialInputs): boolean {
  const dataKey = ({ bars }: TrialInputs) => [...new Set(bars)].toSorted().join('\n');
  return dataKey(one) === dataKey(other);
}
