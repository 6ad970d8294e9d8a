// Finds out whether decisions depend on what packages read of the machine, the clock and the time zone, by runs with other ones.

import { DAY_MS } from '../../../base/calendar.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { Warning } from '../../../model/warning.ts';
import { OTHER_ZONES, withOtherZone } from '../surroundings/otherZone.ts';
import { withOtherClock, type OtherClock } from '../surroundings/surroundings.ts';
import { firstDifference, type DecisionTrace } from './decisionTrace.ts';
import type { ImpureUses } from './purityProof.ts';
import { barCountOf } from './samplePlans.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';

/** Maximum number of bars of all feeds with which a whole run is repeated on other machines. Only runs whose packages read the machine are. */
const MAX_REPEATED_BARS = 65_536;
/** Maximum duration of the loop of such a run, ms. It is repeated up to five times for each kind of read. */
const MAX_REPEATED_MS = 2000;

/** The kinds of reads of the machine by packages. */
const READ_CODES = ['IMPURE_CLOCK', 'IMPURE_LOCAL_TIME'] as const;
type ReadCode = (typeof READ_CODES)[number];

/** Clocks with which decisions are compared: decades away, in another season and at another time of the day. The first one leaps at each read. */
const OTHER_CLOCKS: readonly OtherClock[] = [
  { aheadMs: 61.7 * 365 * DAY_MS + 34_567_891, stepMs: 100 * DAY_MS + 5_678_901 },
  { aheadMs: -(30.3 * 365 * DAY_MS + 12_345_678), stepMs: 1 },
];

/** Runs a function on another machine. Returns its result, and how often its code has read what differs. */
type OnMachine = <T>(run: () => Promise<T>) => Promise<{ readonly result: T; readonly reads: number }>;
/** The machines with which runs are compared, by the kind of read. */
const MACHINES: Readonly<Record<ReadCode, readonly OnMachine[]>> = {
  IMPURE_CLOCK: OTHER_CLOCKS.map(
    (clock): OnMachine =>
      (run) =>
        withOtherClock(clock, run),
  ),
  IMPURE_LOCAL_TIME: OTHER_ZONES.map(
    (zone): OnMachine =>
      (run) =>
        withOtherZone(zone, run),
  ),
};
/** How a message names what a package reads, and the machines of MACHINES. */
const READ_NAMES: Readonly<Record<ReadCode, readonly [read: string, others: string]>> = {
  IMPURE_CLOCK: ['the clock', 'other clocks'],
  IMPURE_LOCAL_TIME: ['the local time', 'other time zones'],
};

/**
 * What other machines do to the decisions and log lines of a run: nothing, or a change. `unclear`: something else makes equal runs differ, or the
 * other runs do not read the machine at all.
 */
type MachineEffect = 'none' | 'change' | 'unclear';

/** Compares the decisions of a run with those of runs on other machines. `expected`: the decisions on the true one. */
async function effectOfMachine(tracer: Tracer, plan: RunPlan, expected: DecisionTrace, code: ReadCode): Promise<MachineEffect> {
  if (expected.error !== null) return 'unclear';
  const run: TracedRun = { plan, isFresh: true };
  const isLike = (a: DecisionTrace, b: DecisionTrace): boolean => firstDifference(a, b, Infinity) === null;
  for (const onMachine of MACHINES[code]) {
    const { result: trace, reads } = await onMachine(() => tracer.run(run));
    if (!isLike(expected, trace)) {
      // A package outside of the bundle is loaded only once, so what it keeps may make the difference, and not the machine.
      const isRepeated = isLike(trace, (await onMachine(() => tracer.run(run))).result);
      return isRepeated && !isLike(trace, await tracer.run(run)) ? 'change' : 'unclear';
    }
    // Such a package may also keep what it reads first.
    if (reads === 0) return 'unclear';
  }
  return 'none';
}

/** The inputs of the comparison with other machines. */
export interface PackageReadTask {
  /** The whole run. */
  readonly plan: RunPlan;
  /** The part of the run whose decisions are `expected`; `plan` itself for `isobar prove`. */
  readonly comparedPlan: RunPlan;
  readonly expected: DecisionTrace;
  /** False for the first bars of a run that was read block by block. */
  readonly hasAllBars: boolean;
  /** Time that the run took for its bars, ms; 0: it may be repeated whatever it took. */
  readonly runMs: number;
  /** The warnings of the run about reads of the machine by packages. */
  readonly runReads: readonly Warning[];
  readonly uses: ImpureUses;
}

/**
 * Finds out whether a decision depends on what packages read of the machine. If one does, the read counts as a use. The rows of the sample are not
 * enough: a strategy may read the clock early and use it late. So the whole run is compared. Returns why the result is not known; null: it is.
 */
export async function whyReadsUnclear(tracer: Tracer, task: PackageReadTask): Promise<string | null> {
  for (const code of READ_CODES) {
    const reason = await whyUnclear(tracer, task, code);
    if (reason !== null) return reason;
  }
  return null;
}

/** Does the work of `whyReadsUnclear` for one kind of read. */
async function whyUnclear(tracer: Tracer, task: PackageReadTask, code: ReadCode): Promise<string | null> {
  const { plan, comparedPlan, expected, hasAllBars, runMs, runReads, uses } = task;
  const comparedRead = uses.packageRead(code);
  const read = runReads.find((each) => each.code === code) ?? comparedRead;
  if (read === undefined) return null;
  const [name, others] = READ_NAMES[code];
  // A package whose class the author extends is called by isobar, so no line of the author shows the read.
  const place = read.file === null ? '' : ` at ${read.file}:${read.line}`;
  const unclear = (why: string): string => `a package reads ${name}${place}, ${why}`;
  const unsteady = `and runs with ${others} do not show whether a decision depends on it`;
  const isWholeRun = hasAllBars && barCountOf(comparedPlan) === barCountOf(plan);
  // The run has read the machine, and the same rows again have not: a package outside of the bundle keeps what it has read.
  if (comparedRead === undefined && isWholeRun) return unclear(unsteady);
  let effect = comparedRead === undefined ? 'none' : await effectOfMachine(tracer, comparedPlan, expected, code);
  if (effect === 'none' && !isWholeRun) {
    if (!hasAllBars || barCountOf(plan) > MAX_REPEATED_BARS || runMs > MAX_REPEATED_MS)
      return unclear(`and the run is too long to be repeated with ${others} here`);
    effect = await effectOfMachine(tracer, plan, await tracer.run({ plan, isFresh: true }), code);
  }
  if (effect === 'unclear') return unclear(unsteady);
  if (effect === 'change') {
    uses.add(read);
    uses.countPackageRead(code);
  }
  return null;
}
