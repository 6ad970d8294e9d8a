// Counts earlier trials on the same market data: every run and every set of every sweep, each different one once.

import { sha256 } from '../../adapters/runtime/sha256.ts';
import type { LedgerContent } from './ledger.ts';
import type { RunLine, SetLine, SweepHeader, TriedOn } from './ledgerLine.ts';

/** Trials on the same market data. */
export interface Trials {
  /** Different trials of the family, including the current sweep. */
  readonly count: number;
  /** Those that only earlier sweeps and runs made. */
  readonly earlier: number;
  /** Different trials of all families on these data. */
  readonly all: number;
  /** The figure for the selection bias, of every trial of the family that has it. */
  readonly values: Float64Array;
}

/** The content of the ledger that may contain earlier trials. */
export interface Earlier {
  readonly sweeps: readonly LedgerContent[];
  readonly runs: readonly RunLine[];
}

/**
 * Returns the trials on the instruments and intervals of `header`, by any strategy or definition, because each of them has used the same
 * prices. Code, parameters and definition only identify repeats: the same trial counts once.
 */
export function countTrials(header: SweepHeader, results: Iterable<SetLine>, earlier: Earlier, figure: string): Trials {
  const found = new Map<string, { value: number | null; isOfFamily: boolean }>();
  const add = (tried: TriedOn, params: SetLine['params'], figures: SetLine['figures']) => {
    if (figures === null) return;
    const key = trialKey(tried, params);
    const known = found.get(key);
    found.set(key, {
      value: known?.value ?? figures[figure] ?? null,
      isOfFamily: known?.isOfFamily === true || familyOf(tried) === familyOf(header),
    });
  };
  for (const { params, figures } of results) add(header, params, figures);
  const own = found.size;
  for (const sweep of earlier.sweeps) {
    if (!isOnSameData(sweep.header, header)) continue;
    for (const { params, figures } of sweep.results.values()) add(sweep.header, params, figures);
  }
  for (const run of earlier.runs) if (isOnSameData(run, header)) add(run, {}, run.figures);
  const family = [...found.values()].filter(({ isOfFamily }) => isOfFamily);
  const values = family.flatMap(({ value }) => (value === null ? [] : [value]));
  return { count: family.length, earlier: family.length - own, all: found.size, values: Float64Array.from(values) };
}

/**
 * Returns an equal key for equal code, parameters and definition. A parameter counts the same whether it was swept or in the definition.
 */
function trialKey({ parts }: TriedOn, params: SetLine['params']): string {
  const decisive = parts.filter(({ name }) => !BESIDE.has(name));
  const isFixed = ({ name }: { readonly name: string }) => name.startsWith(FIXED);
  const fixed = decisive.filter(isFixed).map(({ name, value }): [string, string] => [name.slice(FIXED.length), value]);
  // Files are identified by their content alone, not by their names.
  const settings = decisive.filter((part) => !isFixed(part)).map(({ name, value }) => (HASH.test(value) ? value : [name, value]));
  const all = [...fixed, ...Object.entries(params).map(([name, value]): [string, string] => [name, String(value)])];
  return sha256(JSON.stringify([settings, all.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}

/** Parts that say which sets a sweep has and how figures are computed, but nothing about a single set. */
const BESIDE: ReadonlySet<string> = new Set(['--grid', '--random', 'figures', 'isobar']);

const HASH = /^[0-9a-f]{64}$/;

/** Prefix of the name of a parameter that is not swept. */
export const FIXED = 'params.';

/** Lines of an earlier isobar version have no family. */
const familyOf = ({ family }: TriedOn): string | null => family ?? null;

function isOnSameData(one: TriedOn, other: TriedOn): boolean {
  const data = ({ bars }: TriedOn) => [...new Set(bars)].toSorted().join('\n');
  return data(one) === data(other);
}
