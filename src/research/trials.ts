// Counts what was tried before: every different set of a strategy on the same bars, from all sweeps of the ledger.

import { sha256 } from './identity.ts';
import type { LedgerContent } from './ledger.ts';
import type { SetLine, SweepHeader } from './ledgerLine.ts';

/** Trials of one strategy on the same bars. */
export interface Trials {
  /** Different trials that ran, those of the present sweep among them. */
  readonly count: number;
  /** Those that only earlier sweeps ran. */
  readonly earlier: number;
  /** The figure by which chance is judged, of every trial that has it. */
  readonly values: Float64Array;
}

/**
 * Trials of `header`'s strategy on its bars. A trial is told apart by everything that decides its result: code, bars, definition and
 * parameters. The strategy goes by its name and the bars by instrument and interval: a changed strategy, or bars of a month more, looks
 * at mostly the same prices again.
 */
export function countTrials(header: SweepHeader, results: Iterable<SetLine>, ledgers: readonly LedgerContent[], figure: string): Trials {
  const found = new Map<string, number | null>();
  const add = (of: SweepHeader, lines: Iterable<SetLine>) => {
    const decisive = of.parts.filter(({ name }) => !SAMPLING.has(name));
    const fixed = decisive
      .filter(({ name }) => name.startsWith(FIXED))
      .map(({ name, value }): [string, string] => [name.slice(FIXED.length), value]);
    const settings = decisive.filter(({ name }) => !name.startsWith(FIXED)).map(({ name, value }) => [name, value]);
    for (const { params, figures } of lines) {
      if (figures === null) continue;
      // A parameter counts alike whether it was swept or stood in the definition.
      const all = [...fixed, ...Object.entries(params).map(([name, value]): [string, string] => [name, String(value)])];
      found.set(sha256(JSON.stringify([settings, all.toSorted(([a], [b]) => (a < b ? -1 : 1))])), figures[figure] ?? null);
    }
  };
  add(header, results);
  const own = found.size;
  for (const ledger of ledgers)
    if (ledger.header.id !== header.id && isAlike(ledger.header, header)) add(ledger.header, ledger.results.values());
  const values = [...found.values()].filter((value) => value !== null);
  return { count: found.size, earlier: found.size - own, values: Float64Array.from(values) };
}

/** Parts of a sweep that say which sets it has, and nothing about what one of them does. */
export const SAMPLING: ReadonlySet<string> = new Set(['--grid', '--random']);

/** How a parameter that is not swept stands among the parts. */
export const FIXED = 'params.';

function isAlike(one: SweepHeader, other: SweepHeader): boolean {
  return one.strategy === other.strategy && one.bars.length === other.bars.length && one.bars.every((bars, at) => bars === other.bars[at]);
}
