// Compares two runs that must make the same decisions, and describes the first decision in which they differ.

import { formatTime } from '../../../model/time.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { firstDifference, type TracedDecision, type DecisionTrace } from './decisionTrace.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';
import type { Proof, ProofName } from '../../../model/run/proof.ts';

/** A run and its decisions. */
export interface ComparedSide {
  readonly run: TracedRun;
  readonly trace: DecisionTrace;
  /** Repeats the run and records one decision in full. Given when a plain repetition of `run` could make other decisions. */
  readonly repeat?: (recordedIndex: number) => Promise<DecisionTrace>;
}

/** The first decision in which two runs differ; null on a side that makes no further decision. */
export interface Difference {
  readonly timeMs: number;
  /** The decision of each side in full; null: that side decides nothing there. */
  readonly expected: TracedDecision | null;
  readonly actual: TracedDecision | null;
}

/** How a proof names the side that makes no further decision. */
const NO_DECISION = 'no decision';

/**
 * Returns the first difference up to `untilMs`; null: the decisions are the same. Repeats both runs to record the differing decisions in full.
 * `ignoresTexts`: log lines may have other texts.
 */
export async function traceDifference(
  tracer: Tracer,
  expected: ComparedSide,
  actual: ComparedSide,
  untilMs = Infinity,
  ignoresTexts = false,
): Promise<Difference | null> {
  const index = firstDifference(expected.trace, actual.trace, untilMs, ignoresTexts);
  if (index === null) return null;
  const timeOf = ({ trace }: ComparedSide): number => trace.timeMs[index] ?? Infinity;
  const inFull = async (side: ComparedSide): Promise<TracedDecision | null> => {
    if (timeOf(side) > untilMs) return null;
    const { run, repeat = (recordedIndex: number) => tracer.run(run, recordedIndex) } = side;
    return (await repeat(index)).recordedDecision;
  };
  return { timeMs: Math.min(timeOf(expected), timeOf(actual)), expected: await inFull(expected), actual: await inFull(actual) };
}

/** Returns the proof with the given verdict and text, and with the difference as its evidence. */
export function proofOf(
  name: ProofName,
  verdict: Proof['verdict'],
  text: string,
  { timeMs, expected, actual }: Difference,
  plan: RunPlan,
): Proof {
  // The other side does not make the earlier decision. If both decide at the same time, report the decision of `actual`.
  const isExpectedFirst = actual === null || (expected !== null && expected.timeMs < actual.timeMs);
  const [first, second] = isExpectedFirst ? [expected, actual] : [actual, expected];
  const place = first?.place ?? second?.place ?? null;
  const isSameTime = expected !== null && actual !== null && expected.timeMs === actual.timeMs;
  const hasExpected = isSameTime || isExpectedFirst;
  const hasActual = isSameTime || !isExpectedFirst;
  return {
    name,
    verdict,
    text,
    first: {
      time: Number.isFinite(timeMs) ? formatTime(timeMs) : null,
      feed: first?.feed ?? leadName(plan),
      what: first?.call ?? NO_DECISION,
      expected: (hasExpected ? expected?.text : null) ?? NO_DECISION,
      actual: (hasActual ? actual?.text : null) ?? NO_DECISION,
    },
    file: place?.file ?? null,
    line: place?.line ?? null,
  };
}

/** Returns symbol and interval of the first feed that strategies see. */
export function leadName({ feeds }: RunPlan): string | null {
  const lead = feeds.find(({ isExecutionOnly }) => isExecutionOnly !== true);
  return lead === undefined ? null : `${lead.bars.instrument.wireName} ${lead.bars.interval}`;
}
