// Take-profit ladders: which lots of an entry each target closes, in whole lots.

import type { Ticks } from '../../base/brand.ts';
import { mulDiv } from '../../base/number/exact.ts';
import type { Ladder } from '../../model/order.ts';

const MILLION = 1_000_000;

/** The lots that one target closes. */
export interface RungLots {
  /** The price of the target. */
  readonly at: Ticks;
  lots: number;
}

/** Returns the price that is reached first: the lowest target of a long. NaN if one of them is not a number. */
export function nearestOf(ladder: Ladder, isLong: boolean): number {
  const prices = ladder.map(({ at }) => at);
  return isLong ? Math.min(...prices) : Math.max(...prices);
}

/** True when the shares sum to 100 %, except for what rounding them to millionths has lost. */
export const isWhole = (ladder: Ladder): boolean => MILLION - ladder.reduce((sum, { sharePpm }) => sum + sharePpm, 0) < ladder.length;

/** Returns the lots of each target of an entry of `lots`, rounded down. If the shares sum to 100 %, the last target gets the remainder. */
export function lotsOfRungs(ladder: Ladder, lots: number): number[] {
  const rungLots = ladder.map(({ sharePpm }) => mulDiv(lots, sharePpm, MILLION, 'down'));
  if (isWhole(ladder)) rungLots[rungLots.length - 1]! += lots - rungLots.reduce((sum, each) => sum + each, 0);
  return rungLots;
}

/**
 * Returns the lots that the targets get when an entry of `lots` fills from its `from`th to its `to`th lot. The first target gets its lots
 * first, then the second. A part below the smallest order is added to the next target, or, for the last one, to the target before it.
 */
export function rungsOfFill(ladder: Ladder, lots: number, from: number, to: number, minLots: number): readonly RungLots[] {
  const rungs: RungLots[] = [];
  let start = 0;
  let small = 0;
  lotsOfRungs(ladder, lots).forEach((rungLots, rung) => {
    const part = small + Math.max(0, Math.min(to, start + rungLots) - Math.max(from, start));
    start += rungLots;
    small = part < minLots ? part : 0;
    if (part >= minLots) rungs.push({ at: ladder[rung]!.at, lots: part });
  });
  const last = rungs.at(-1);
  if (last !== undefined) last.lots += small;
  return rungs;
}
