// Take-profit ladders: how many whole lots of an entry each target closes.

import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import type { Ticks } from '../../base/brand.ts';
import { mulDiv } from '../../base/number/exact.ts';
import type { Ladder } from '../../model/order.ts';

const MILLION = 1_000_000;

/** The lots that one target closes. */
export interface RungLots {
  /** The price of the target, in ticks. */
  readonly targetTicks: Ticks;
  lots: number;
}

/** Returns the target that is reached first: the lowest one of a long, in ticks. NaN if one of them is not a number. */
export function nearestOf(ladder: Ladder, isLong: boolean): number {
  const prices = ladder.map(({ at }) => at);
  return isLong ? smallestOf(prices) : largestOf(prices);
}

/** True when the shares sum to 100 %, except for what rounding them to millionths has lost. */
export function isWhole(ladder: Ladder): boolean {
  const totalPpm = ladder.reduce((sumPpm, { sharePpm }) => sumPpm + sharePpm, 0);
  return MILLION - totalPpm < ladder.length;
}

/** Returns the lots of each target of an entry of `lots`, rounded down. If the shares sum to 100 %, the last target gets the remainder. */
export function lotsOfRungs(ladder: Ladder, lots: number): number[] {
  const rungLots = ladder.map(({ sharePpm }) => mulDiv(lots, sharePpm, MILLION, 'down'));
  const assignedLots = rungLots.reduce((sumLots, lotsOfRung) => sumLots + lotsOfRung, 0);
  if (isWhole(ladder)) rungLots[rungLots.length - 1]! += lots - assignedLots;
  return rungLots;
}

/**
 * Returns the lots that the targets get when an entry of `lots` fills from its `from`th to its `to`th lot. The first target gets its lots
 * first, then the second. A part below the smallest order is added to the next target, or, for the last one, to the target before it.
 */
export function rungsOfFill(ladder: Ladder, lots: number, from: number, to: number, minLots: number): readonly RungLots[] {
  const rungs: RungLots[] = [];
  let rungStart = 0;
  // Lots that were too few for an order, and that the next target gets.
  let carriedLots = 0;
  lotsOfRungs(ladder, lots).forEach((rungLots, rung) => {
    const rungEnd = rungStart + rungLots;
    const filledInRung = Math.max(0, Math.min(to, rungEnd) - Math.max(from, rungStart));
    const orderLots = carriedLots + filledInRung;
    rungStart = rungEnd;
    carriedLots = orderLots < minLots ? orderLots : 0;
    if (orderLots >= minLots) rungs.push({ targetTicks: ladder[rung]!.at, lots: orderLots });
  });
  const lastRung = rungs.at(-1);
  if (lastRung !== undefined) lastRung.lots += carriedLots;
  return rungs;
}
