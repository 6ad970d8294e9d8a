// Judges orders that come at the same times over other bars (proof/otherDataProof.ts). It finds those whose holdings match the moves of the run's
// own bars far better than the same holdings at other times do. Such times come from a table, or from a formula that was fitted to these bars.

import { instrumentsOf } from '../../../app/bot.ts';
import { DAY_MS } from '../../../base/calendar.ts';
import { firstFrom } from '../../../base/number/search.ts';
import type { FeedPlan, RunPlan } from '../../../definition/plan/plan.ts';
import { finestFeeds } from '../../../definition/plan/finestFeeds.ts';
import { SIDES, type FillColumns } from '../../../model/run/run.ts';

const WEEK_MS = 7 * DAY_MS;
/** Number of other times with which the holdings are compared. */
const SHIFTS = 128;
/** Minimum number of changes of the holding. Fewer can match the moves by accident. */
const MIN_CHANGES = 16;
/** Minimum gain above the mean gain at other times, in standard deviations. One in 100,000 lists of random times has it. */
const MIN_DEVIATIONS = 4.25;
/** Share of the rows with the holding of a day or a week before from which the times are those of a calendar. */
const CALENDAR_SHARE = 0.9;
/** A holding below this share of the largest one is a remainder, as fees in the coin leave it. */
const REMAINDER_SHARE = 0.05;
/** Calls whose effect on a holding is known without the price. */
const HOLDING_CALLS: ReadonlySet<string> = new Set(['buy', 'sell', 'exit']);
const BUY = SIDES.indexOf('buy');

/** What a run held of one instrument: the holding after each change, in lots, with its time, ms UTC. */
export interface HeldChanges {
  /** The feed in whose bars the orders fill. */
  readonly feed: FeedPlan;
  readonly timeMs: readonly number[];
  readonly held: readonly number[];
}

/** A holding that matches the moves of its bars. */
export interface MatchedHolding extends HeldChanges {
  /** Gain above the mean gain of the same holdings at other times, in standard deviations. */
  readonly deviations: number;
}

/** The calls of a strategy that are orders: their times, ms UTC, and their names. */
interface OrderCalls {
  readonly orderMs: readonly number[];
  readonly orderCalls: readonly string[];
}

/** Returns what the fills of a run held of each instrument. */
export function heldByFills(plan: RunPlan, fills: FillColumns): readonly HeldChanges[] {
  const feeds = finestFeeds(plan.feeds);
  return instrumentsOf(plan).map(({ id }, instrumentIndex): HeldChanges => {
    const timeMs: number[] = [];
    const held: number[] = [];
    for (let fill = 0; fill < fills.length; fill++) {
      if (fills.instrument[fill] !== instrumentIndex) continue;
      timeMs.push(fills.timeMs[fill]!);
      held.push((held.at(-1) ?? 0) + (fills.side[fill] === BUY ? 1 : -1) * fills.lots[fill]!);
    }
    return { feed: feeds.find(({ bars }) => bars.instrument.id === id)!, timeMs, held };
  });
}

/**
 * Returns what the calls of a strategy would hold of the only instrument of a plan, one lot at most. Empty for other plans, and where a
 * call names a holding itself.
 */
export function heldByCalls(plan: RunPlan, { orderMs, orderCalls }: OrderCalls): readonly HeldChanges[] {
  const [feed, ...others] = finestFeeds(plan.feeds);
  if (feed === undefined || others.length > 0 || orderCalls.some((call) => !HOLDING_CALLS.has(call))) return [];
  const minHeld = feed.bars.instrument.market === 'spot' ? 0 : -1;
  let lots = 0;
  const held = orderCalls.map((call) => {
    if (call === 'buy') lots = Math.min(1, lots + 1);
    else if (call === 'sell') lots = Math.max(minHeld, lots - 1);
    else lots = 0;
    return lots;
  });
  return [{ feed, timeMs: orderMs, held }];
}

/** Returns the first holding that matches the moves of its bars; null: none does. */
export function matchedHolding(all: readonly HeldChanges[]): MatchedHolding | null {
  // The more instruments there are, the more likely one of them matches by chance.
  const minDeviations = Math.sqrt(MIN_DEVIATIONS ** 2 + 2 * Math.log(Math.max(1, all.length)));
  for (const holding of all) {
    const deviations = deviationsOf(holding);
    if (deviations >= minDeviations) return { ...holding, deviations };
  }
  return null;
}

/** Returns the gain above that of the same holdings at other times, in standard deviations; 0 where too little is held to decide. */
function deviationsOf({ feed: { bars, firstRow }, timeMs, held }: HeldChanges): number {
  if (timeMs.length < MIN_CHANGES || bars.window !== undefined) return 0;
  const openMs = bars.openMs.subarray(firstRow, bars.length);
  const rows = openMs.length - 1;
  const shares = heldByRow(openMs, timeMs, held);
  const sides = shares.map(Math.sign);
  // A strategy that is always in the market decides on the size alone.
  const heldAt = changesOf(sides) < MIN_CHANGES ? shares : sides;
  if (changesOf(heldAt) < MIN_CHANGES || isCalendar(openMs, heldAt)) return 0;
  const moves = Float64Array.from({ length: rows }, (_, row) => Math.log(bars.open[firstRow + row + 1]! / bars.open[firstRow + row]!));
  const gainAt = (shift: number): number => {
    let gain = 0;
    for (let row = 0, from = shift; row < rows; row++, from = from + 1 === rows ? 0 : from + 1) gain += heldAt[from]! * moves[row]!;
    return gain;
  };
  const others = Array.from({ length: SHIFTS }, (_, index) => gainAt(Math.floor((rows * (index + 1)) / (SHIFTS + 1))));
  const mean = others.reduce((sum, gain) => sum + gain, 0) / SHIFTS;
  const deviation = Math.sqrt(others.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (SHIFTS - 1));
  return deviation > 0 ? (gainAt(0) - mean) / deviation : 0;
}

/** Returns how many rows have another holding than the row before. */
const changesOf = (heldAt: Float64Array): number =>
  heldAt.reduce((changes, held, row) => changes + Number(row > 0 && held !== heldAt[row - 1]), 0);

/** Returns what is held during each row but the last one, as a share of the largest holding. */
function heldByRow(openMs: Float64Array, timeMs: readonly number[], held: readonly number[]): Float64Array {
  const largest = held.reduce((max, lots) => Math.max(max, Math.abs(lots)), 0);
  const heldAt = new Float64Array(openMs.length - 1);
  let change = 0;
  for (let row = 0; row < heldAt.length; row++) {
    while (change < timeMs.length && timeMs[change]! <= openMs[row]!) change++;
    const share = change === 0 ? 0 : held[change - 1]! / largest;
    heldAt[row] = Math.abs(share) < REMAINDER_SHARE ? 0 : share;
  }
  return heldAt;
}

/** True when most rows have the side of the holding of a week before, or in a run of less than two weeks that of a day before. */
function isCalendar(openMs: Float64Array, heldAt: Float64Array): boolean {
  const rows = heldAt.length;
  const periodMs = openMs[rows - 1]! - openMs[0]! >= 2 * WEEK_MS ? WEEK_MS : DAY_MS;
  const first = firstFrom(openMs, rows, openMs[0]! + periodMs);
  let equal = 0;
  let before = 0;
  for (let row = first; row < rows; row++) {
    while (openMs[before]! < openMs[row]! - periodMs) before++;
    if (Math.sign(heldAt[row]!) === Math.sign(heldAt[before]!)) equal++;
  }
  return first < rows && equal >= CALENDAR_SHARE * (rows - first);
}
