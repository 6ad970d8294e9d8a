// Whether what was followed is what the run did, and whether money, margin and times leave the statement a bound.

import { ROLES, type RunRecord } from '../../model/run/run.ts';
import type { Entry } from './entries.ts';
import type { Followed } from './followEntry.ts';
import { firstFrom } from '../../base/number/search.ts';
import type { PathRows } from './pathRows.ts';
import type { EnvelopeTerms } from './terms.ts';

const LIQUIDATION = ROLES.indexOf('liquidation');
const MILLION = 1_000_000;
/** A position may lose this part of its margin before a liquidation counts as possible. */
const SAFE_MARGIN = 0.4;

/** What the legs of an entry have filled, by the entry's id. */
export type Legs = ReadonlyMap<number, { lots: number; units: number }>;

export function legsOf({ orders }: RunRecord): Legs {
  const legs = new Map<number, { lots: number; units: number }>();
  for (let row = 0; row < orders.length; row++) {
    const parent = orders.parent[row]!;
    if (parent === 0 || orders.filledLots[row] === 0) continue;
    const known = legs.get(parent) ?? { lots: 0, units: 0 };
    known.lots += orders.filledLots[row]!;
    known.units += orders.filledUnits[row]!;
    legs.set(parent, known);
  }
  return legs;
}

/** True when the run's own fills of an entry and its legs are those of the path that was followed for it. */
export function isAsRun({ orders }: RunRecord, { money }: PathRows, entry: Entry, followed: Followed, legs: Legs): boolean {
  const row = entry.id - 1;
  if (row >= orders.length) return true;
  const lots = orders.filledLots[row]!;
  const { entryPrice, exitPrice, isClosedByBracket } = followed;
  if (lots === 0 || Number.isNaN(entryPrice)) return lots === 0 && Number.isNaN(entryPrice);
  if (!isNear(orders.filledUnits[row]!, money.valueOf(lots, Math.abs(entryPrice)))) return false;
  const leg = legs.get(entry.id);
  if (leg === undefined) return !isClosedByBracket;
  return isClosedByBracket && isNear(leg.units, money.valueOf(leg.lots, Math.abs(exitPrice)));
}

/** Values of fills are rounded at the unit. */
const isNear = (units: number, value: number): boolean => Math.abs(units - value) <= 4 + value * 1e-12;

/** Decisions inside a row, whose earlier prices they could not change. */
export function isInsideRow({ bars: { openMs, closeMs, length } }: PathRows, ms: number): boolean {
  if (!Number.isFinite(ms)) return false;
  const next = firstFrom(openMs, length, ms);
  return next > 0 && closeMs[next - 1]! > ms;
}

export function isLiquidated({ orders }: RunRecord): boolean {
  for (let row = 0; row < orders.length; row++) if (orders.role[row] === LIQUIDATION) return true;
  return false;
}

/** Returns the money that an entry holds at most, in units. */
export function needOf({ money }: PathRows, entry: Entry, lastTicks: number, terms: EnvelopeTerms, isContract: boolean): number {
  const { kind, level, collar, entryMaker, entryTaker } = entry.terms;
  const price = kind === 'market' || kind === 'trigger' ? (Number.isFinite(collar) ? collar : lastTicks * (1 + terms.collarPpm / MILLION)) : level; // prettier-ignore
  const value = money.valueOf(entry.lots, Math.max(Math.abs(price), Math.abs(lastTicks)));
  const fees = (value * Math.max(entryMaker, entryTaker)) / MILLION;
  return (isContract ? value / terms.leverage : value) + 2 * fees;
}

/** True when a position may have come near its liquidation. */
export const isNearLiquidation = ({ adverse }: Followed, { leverage }: EnvelopeTerms): boolean => adverse >= SAFE_MARGIN / leverage;
