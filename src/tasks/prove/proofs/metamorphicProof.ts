// Checks whether decisions stay the same under changes that should not matter: later weeks, prices times ten, other symbols, another order of feeds.

import { compareAscending } from '../../../base/text/compareAscending.ts';
import { joinedByAnd } from '../../../base/text/format.ts';
import { formatTime } from '../../../model/time.ts';
import { ENDINGS, SIDES, type OrderColumns } from '../../../model/run/run.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { spanLoop } from '../../../engine/loop/spanLoop.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { leadFeed, slicePlan } from '../../backtest/proof/dataSlices.ts';
import { DecisionTrace } from '../../backtest/proof/decisionTrace.ts';
import { CHANGES, type ChangedPlan, type PlanChange } from './planChanges.ts';
import type { Tracer } from '../../backtest/proof/tracedRun.ts';
import { plainProof, type Proof } from '../../../model/run/proof.ts';

/** Maximum number of rows of the lead feed that are run. */
const RUN_ROWS = 20_000;

/** An order in the form in which both runs must have it: with the time and the symbol of the unchanged run. */
interface ComparedOrder {
  readonly timeMs: number;
  readonly text: string;
}

/** The result of one change. */
interface ChangeOutcome {
  readonly change: PlanChange;
  /** Why the change cannot be applied to the plan; null: it was applied. */
  readonly notAppliedBecause: string | null;
  /** The first differing order; null: the orders are the same. */
  readonly first: Proof['first'];
}

/** Returns the metamorphic proof. `usesCalendar`: a timer of the strategies follows the calendar. */
export async function informOnChanges(
  tracer: Tracer,
  plan: RunPlan,
  usesCalendar: boolean,
  isFresh: boolean,
  onRun: (share: number) => void,
): Promise<Proof> {
  const { bars, firstRow } = leadFeed(plan);
  const span = { fromMs: plan.fromMs, toMs: bars.closeMs[Math.min(bars.length, firstRow + RUN_ROWS) - 1]!, warmUpRows: () => Infinity };
  const base = slicePlan(plan, span) ?? plan;
  const unchanged: ChangedPlan = { plan: base, shiftMs: 0, before: (instrument) => instrument };
  const expected = await ordersOf(tracer, unchanged, isFresh);
  const outcomes: ChangeOutcome[] = [];
  for (const [index, change] of CHANGES.entries()) {
    onRun(index / CHANGES.length);
    const changedRun = change.apply(base, usesCalendar);
    if (typeof changedRun === 'string') {
      outcomes.push({ change, notAppliedBecause: changedRun, first: null });
      continue;
    }
    const actual = await ordersOf(tracer, changedRun, isFresh);
    outcomes.push({ change, notAppliedBecause: null, first: differenceIn(expected, actual, change) });
  }
  const namesOf = (selected: readonly ChangeOutcome[]): string => joinedByAnd(selected.map(({ change }) => change.name));
  const notApplied = outcomes.filter(({ notAppliedBecause }) => notAppliedBecause !== null);
  const notAppliedNames = notApplied.map(({ change, notAppliedBecause }) => `${change.name} (${notAppliedBecause})`).join(', ');
  const notAppliedText = notApplied.length === 0 ? '' : `; not applied: ${notAppliedNames}`;
  const different = outcomes.filter(({ first }) => first !== null);
  if (different.length > 0) {
    return {
      ...plainProof('metamorphic', 'depends', `decisions depend on ${namesOf(different)}${notAppliedText}`),
      first: different[0]!.first,
    };
  }
  if (expected.length === 0) return plainProof('metamorphic', 'not-applicable', 'the strategy places no order in these data');
  const same = outcomes.filter(({ notAppliedBecause }) => notAppliedBecause === null);
  return plainProof('metamorphic', 'holds', `the orders are the same with ${namesOf(same)}${notAppliedText}`);
}

/** Returns the first difference between two lists of orders; null if they are equal. */
function differenceIn(expected: readonly ComparedOrder[], actual: readonly ComparedOrder[], { name }: PlanChange): Proof['first'] {
  for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
    const expectedRow = expected[index];
    const actualRow = actual[index];
    if (expectedRow?.text === actualRow?.text && expectedRow?.timeMs === actualRow?.timeMs) continue;
    const timeMs = Math.min(expectedRow?.timeMs ?? Infinity, actualRow?.timeMs ?? Infinity);
    const textAt = (row: ComparedOrder | undefined): string => (row?.timeMs === timeMs ? row.text : 'no order');
    return { time: formatTime(timeMs), feed: null, what: name, expected: textAt(expectedRow), actual: textAt(actualRow) };
  }
  return null;
}

/** Returns the orders of a run in order of time, with the times and names of the run before the change. */
async function ordersOf(tracer: Tracer, { plan, shiftMs, before }: ChangedPlan, isFresh: boolean): Promise<readonly ComparedOrder[]> {
  try {
    return await tracer.withBot({ plan, isFresh }, new DecisionTrace(), ({ engine }) => {
      spanLoop(engine, Infinity);
      return rowsOf(engine.orders.columns(), engine.instruments.map(before), shiftMs);
    });
  } catch (error) {
    return [{ timeMs: plan.fromMs - shiftMs, text: `an error: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

/** Returns the orders as rows, sorted by time. `instruments`: those before the change; their digits format the amounts. */
function rowsOf(orders: OrderColumns, instruments: readonly Instrument[], shiftMs: number): readonly ComparedOrder[] {
  const { length, createdMs, instrument, side, lots, quoteUnits, limit, ending } = orders;
  const rows = Array.from({ length }, (_, row): ComparedOrder => {
    const { base, quote, quantityDigits, quoteDigits, priceDigits, wireName } = instruments[instrument[row]!]!;
    const size =
      lots[row]! > 0 ? `${fromScaled(lots[row]!, quantityDigits)} ${base}` : `${fromScaled(quoteUnits[row]!, quoteDigits)} ${quote}`;
    const price = limit[row]! > 0 ? ` at ${fromScaled(limit[row]!, priceDigits)}` : '';
    return {
      timeMs: createdMs[row]! - shiftMs,
      text: `${SIDES[side[row]!]} ${size} of ${wireName}${price}, ${ENDINGS[ending[row]!]}`,
    };
  });
  // The sequence within one instant does not count, because the sequence of the feeds is one of the changes. So sort by text.
  return rows.toSorted((a, b) => a.timeMs - b.timeMs || compareAscending(a.text, b.text));
}
