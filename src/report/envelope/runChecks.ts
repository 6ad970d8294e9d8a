// Checks whether the followed paths equal those of the run, and whether money, margin and decision times allow a bound.

import { ROLES, type RunRecord } from '../../model/run/run.ts';
import type { Entry } from './entries.ts';
import type { Followed } from './entryFollower.ts';
import { firstFrom } from '../../base/number/search.ts';
import type { PathRows } from './pathRows.ts';
import type { EnvelopeTerms } from './terms.ts';

const LIQUIDATION = ROLES.indexOf('liquidation');
/** Converts ppm to a fraction. */
const MILLION = 1_000_000;
/** A position may lose this part of its margin before a liquidation counts as possible. */
const SAFE_MARGIN = 0.4;

/** Fills of the bracket legs, by the id of their entry. */
export type Legs = ReadonlyMap<number, { lots: number; units: number }>;

/** Returns the fills of the bracket legs of a run. */
export function legsOf({ orders }: RunRecord): Legs {
  const legs = new Map<number, { lots: number; units: number }>();
  for (let row = 0; row < orders.length; row++) {
    const parent = orders.parent[row]!;
    if (parent === 0 || orders.filledLots[row] === 0) continue;
    const filled = legs.get(parent) ?? { lots: 0, units: 0 };
    filled.lots += orders.filledLots[row]!;
    filled.units += orders.filledUnits[row]!;
    legs.set(parent, filled);
  }
  return legs;
}

/** An entry, what was followed of it, and what the run did with it. */
export interface FollowedEntry {
  readonly record: RunRecord;
  readonly rows: PathRows;
  readonly entry: Entry;
  /** One path, or one for each of several targets. */
  readonly paths: readonly Followed[];
  readonly legs: Legs;
}

/** True when the fills of an entry and its legs in the run equal those of the followed paths. */
export function isAsRun({ record: { orders }, rows: { money }, entry, paths, legs }: FollowedEntry): boolean {
  const [followed] = paths;
  if (followed === undefined) return false;
  // Order ids count from 1.
  const row = entry.id - 1;
  if (row >= orders.length) return true;
  const lots = orders.filledLots[row]!;
  const { entryPrice, exitPrice, isClosedByBracket } = followed;
  const isFilledInRun = lots !== 0;
  const isFilledOnPath = !Number.isNaN(entryPrice);
  if (!isFilledInRun || !isFilledOnPath) return isFilledInRun === isFilledOnPath;
  if (!isNear(orders.filledUnits[row]!, money.valueOf(lots, Math.abs(entryPrice)))) return false;
  const leg = legs.get(entry.id);
  if (entry.rungs !== null) {
    const closed = { lots: 0, value: 0 };
    paths.forEach((path, index) => {
      if (!path.isClosedByBracket) return;
      const rungLots = entry.rungs![index]!.lots;
      closed.lots += rungLots;
      closed.value += money.valueOf(rungLots, Math.abs(path.exitPrice));
    });
    return closed.lots === (leg?.lots ?? 0) && isNear(leg?.units ?? 0, closed.value, paths.length);
  }
  if (leg === undefined) return !isClosedByBracket;
  return isClosedByBracket && isNear(leg.units, money.valueOf(leg.lots, Math.abs(exitPrice)));
}

/** Maximum difference in units that the rounding of the amounts of one fill makes. */
const ROUNDING_OF_FILL = 4;
/** Maximum relative error of a value that is computed with doubles. */
const RELATIVE_ERROR = 1e-12;

/** True when two amounts are equal up to rounding. The value of each fill is rounded to a unit. */
function isNear(units: number, value: number, fills = 1): boolean {
  return Math.abs(units - value) <= ROUNDING_OF_FILL * fills + value * RELATIVE_ERROR;
}

/** True when a time is inside a row. A decision at that time cannot change the part of the row before it. */
export function isInsideRow({ bars: { openMs, closeMs, length } }: PathRows, timeMs: number): boolean {
  if (!Number.isFinite(timeMs)) return false;
  const next = firstFrom(openMs, length, timeMs);
  return next > 0 && closeMs[next - 1]! > timeMs;
}

/** True when the exchange liquidated a position in the run. */
export function isLiquidated({ orders }: RunRecord): boolean {
  for (let row = 0; row < orders.length; row++) if (orders.role[row] === LIQUIDATION) return true;
  return false;
}

/** Returns the largest amount of money that an entry can reserve, in units. `lastTicks` is the price at which it was decided. */
export function maxReservedUnits({ money, bars }: PathRows, entry: Entry, lastTicks: number, terms: EnvelopeTerms): number {
  const { kind, level, collar, entryMaker, entryTaker } = entry.terms;
  const cap = Number.isFinite(collar) ? collar : lastTicks * (1 + terms.collarPpm / MILLION);
  const price = kind === 'limit' ? level : cap;
  const value = money.valueOf(entry.lots, Math.max(Math.abs(price), Math.abs(lastTicks)));
  const fees = (value * Math.max(entryMaker, entryTaker)) / MILLION;
  const isContract = bars.instrument.contract !== undefined;
  return (isContract ? value / terms.leverage : value) + 2 * fees;
}

/** True when a position may have come close to its liquidation. */
export const isNearLiquidation = ({ adverse }: Followed, { leverage }: EnvelopeTerms): boolean => adverse >= SAFE_MARGIN / leverage;
