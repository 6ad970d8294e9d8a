// Tests the possible paths of one entry inside bars against every path of a few ticks.

import { describe, expect, it } from 'vitest';
import { OrderPath, type EntryTerms } from './orderPath.ts';

const PLAIN: EntryTerms = {
  kind: 'market',
  level: 0,
  isChasing: false,
  collar: Infinity,
  target: Infinity,
  stop: -Infinity,
  trailing: 0,
  fillsAtTouch: false,
  entryMaker: 0,
  entryTaker: 0,
  exitMaker: 0,
  exitTaker: 0,
};
const MONEY = { closed: (entry: number, exit: number) => exit - entry, slip: () => 0 };

/** What became of an entry on one path, tick by tick: a limit fills when the price comes to it. */
function outcomeOf(ticks: readonly number[], { kind, level, isChasing, target, stop, trailing }: EntryTerms) {
  let entry: number | null = null;
  let best = 0;
  for (const price of ticks) {
    if (entry === null) {
      const isReached = kind === 'market' || (kind === 'trigger' && isChasing ? price >= level : price <= level);
      if (!isReached) continue;
      entry = best = price;
    }
    const out = Math.max(stop, trailing > 0 ? best - trailing : -Infinity);
    if (price >= target || price <= out) return { profit: price - entry };
    best = Math.max(best, price);
  }
  return entry === null ? 'pending' : { entry, best };
}

/** Every path of `length` ticks from 0, each step one tick down, none, or one up. */
function* pathsOf(length: number): Generator<readonly number[]> {
  for (let code = 0; code < 3 ** (length - 1); code++) {
    const path = [0];
    // The digits of the number in base 3 are the steps.
    for (let digits = code; path.length < length; digits = Math.floor(digits / 3)) path.push(path.at(-1)! + (digits % 3) - 1);
    yield path;
  }
}

const ENTRIES: readonly Partial<EntryTerms>[] = [
  { kind: 'market' },
  { kind: 'limit', level: -1 },
  { kind: 'limit', level: -2 },
  { kind: 'trigger', level: 1, isChasing: true },
  { kind: 'trigger', level: -1, isChasing: false },
];
const BRACKETS: readonly ((level: number) => Partial<EntryTerms>)[] = [
  (level) => ({ stop: level - 2 }),
  (level) => ({ target: level + 2 }),
  (level) => ({ stop: level - 1, target: level + 1 }),
  () => ({ trailing: 2 }),
  (level) => ({ trailing: 2, target: level + 3, stop: level - 2 }),
];
const CASES = ENTRIES.flatMap((entry) => BRACKETS.map((bracket): EntryTerms => ({ ...PLAIN, ...entry, ...bracket(entry.level ?? 0) })));

describe('the path of an entry contains every outcome that the entry may have', () => {
  it.each(CASES)(
    'the hull of an entry contains its state on every path of seven ticks in one bar: $kind at $level, stop $stop, target $target, trailing $trailing',
    (terms) => {
      for (const ticks of pathsOf(7)) {
        const path = new OrderPath(terms, MONEY);
        path.step(ticks[0]!, Math.max(...ticks), Math.min(...ticks), ticks.at(-1)!);
        expectAllowed(path, ticks, terms);
      }
    },
  );

  it('the hull of an entry contains its state on every path of eight ticks in two bars', () => {
    for (const terms of CASES) {
      for (const ticks of pathsOf(8)) {
        const path = new OrderPath(terms, MONEY);
        for (const bar of [ticks.slice(0, 4), ticks.slice(4)]) path.step(bar[0]!, Math.max(...bar), Math.min(...bar), bar.at(-1)!);
        expectAllowed(path, ticks, terms);
      }
    }
  });

  it.each<[string, number, boolean]>([
    ['comes back to it', 2, true],
    ['stays beyond it', 3, false],
  ])('a row that opens beyond the highest price and %s', (_, low, isCapped) => {
    const path = new OrderPath({ ...PLAIN, collar: 2 }, MONEY);
    path.step(4, 6, low, 5);
    expect([path.isOver, path.isCapped]).toEqual([true, isCapped]);
  });

  it('the hull is one state where a bar leaves nothing open', () => {
    const path = new OrderPath({ ...PLAIN, stop: -5, target: 5 }, MONEY);
    path.step(0, 3, -2, 1);
    path.step(1, 7, 0, 6);
    expect([path.isOver, path.isEntryAmbiguous, path.isExitAmbiguous, path.doneLow, path.doneHigh]).toEqual([true, false, false, 5, 5]);
  });
});

/** Expects that the path allows the true outcome of these ticks. */
function expectAllowed(path: OrderPath, ticks: readonly number[], terms: EntryTerms): void {
  const outcome = outcomeOf(ticks, terms);
  const where = `${ticks.join(' ')}: ${JSON.stringify({ outcome, path })}`;
  if (outcome === 'pending') {
    if (!path.isPending) expect.fail(where);
    return;
  }
  if ('profit' in outcome) {
    const isProfitInRange = path.doneLow <= outcome.profit && outcome.profit <= path.doneHigh;
    if (!isProfitInRange) expect.fail(where);
    return;
  }
  const { open } = path;
  if (open === null) return expect.fail(where);
  const isEntryInRange = open.entryLow <= outcome.entry && outcome.entry <= open.entryHigh;
  const isBestInRange = open.bestLow <= outcome.best && outcome.best <= open.bestHigh;
  // The best price matters only to a trailing stop.
  if (!isEntryInRange || (terms.trailing > 0 && !isBestInRange)) expect.fail(where);
}
