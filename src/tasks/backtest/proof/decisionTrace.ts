// The decisions of a strategy in a run, as times and hashes, so that runs over millions of bars can be compared in little memory.

import { callText } from '../../../engine/host/callText.ts';
import type { HostCallLog } from '../../../engine/host/recordingHost.ts';
import type { StrategyRun } from '../../../engine/host/strategyRun.ts';
import { nearestAuthorPlace, type Place } from '../purity/callSite.ts';

/** The calls that are decisions. What a strategy reads may depend on when it reads; what it does must not. */
const DECISION_CALLS: ReadonlySet<string> = new Set([
  'buy', 'sell', 'exit', 'target', 'rebalance', 'cancel', 'amend', 'oco', 'closeAt', 'every', 'at', 'cron', 'log',
]); // prettier-ignore
/** The decisions that change, or could change, a holding or a position. */
const ORDER_CALLS: ReadonlySet<string> = new Set(['buy', 'sell', 'exit', 'target', 'rebalance', 'cancel', 'amend', 'oco', 'closeAt']);
/** The start value and the factor of the 32-bit FNV-1a hash. */
const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/** One decision in full. */
export interface TracedDecision {
  readonly timeMs: number;
  readonly call: string;
  readonly text: string;
  /** Symbol and interval of the feed that the call names; null: it names none. */
  readonly feed: string | null;
  readonly place: Place | null;
}

/** Records what a strategy decides, as one hash and time for each call, so that two runs can be compared. */
export class DecisionTrace implements HostCallLog {
  readonly timeMs: number[] = [];
  readonly hashes: number[] = [];
  /** Times of the decisions that are orders, exits, targets, rebalances and cancels. */
  readonly orderMs: number[] = [];
  /** For each time in `orderMs`, the name of the call. It includes the arguments if they say which holding is wanted. */
  readonly orderCalls: string[] = [];
  /** Indices of the decisions that are log lines. Their texts have no effect on the run. */
  readonly logIndices = new Set<number>();
  /** The decision with the index that was given to the constructor; null until the run has made it. */
  recordedDecision: TracedDecision | null = null;
  /** The error that ended the run; null: none did. */
  error: Error | null = null;
  /** The error of the last calls, such as `onStop`; null: none. It does not count as a decision: a run that ends earlier makes no such call. */
  endError: Error | null = null;
  /** True when a timer follows the calendar. */
  usesCalendar = false;
  /** True once the run has ended. Later calls are not decisions. */
  hasEnded = false;
  private readonly recordedIndex: number;

  /** `recordedIndex`: the index of the decision to keep in full; -1: none. */
  constructor(recordedIndex = -1) {
    this.recordedIndex = recordedIndex;
  }

  /** Records a call of strategy code, if it is a decision. */
  note(run: StrategyRun, name: string, args: readonly unknown[]): void {
    if (this.hasEnded || !DECISION_CALLS.has(name)) return;
    if (name === 'cron') this.usesCalendar = true;
    const text = callText(run, name, args);
    if (this.timeMs.length === this.recordedIndex) {
      this.recordedDecision = { timeMs: run.nowMs, call: name, text, feed: feedIn(args), place: nearestAuthorPlace() };
    }
    if (ORDER_CALLS.has(name)) {
      this.orderMs.push(run.nowMs);
      this.orderCalls.push(name === 'target' || name === 'rebalance' ? text : name);
    }
    if (name === 'log') this.logIndices.add(this.timeMs.length);
    this.add(run.nowMs, text);
  }

  /** Notes that the strategy threw an error. One of its last calls is kept apart from the decisions. */
  noteError(timeMs: number, error: unknown, place: Place | null): void {
    const text = `throws ${error instanceof Error ? error.message : String(error)}`;
    if (this.timeMs.length === this.recordedIndex) this.recordedDecision = { timeMs, call: 'an error', text, feed: null, place };
    if (!this.hasEnded) this.add(timeMs, text);
  }

  /** Adds the time and the hash of a decision. */
  private add(timeMs: number, text: string): void {
    this.timeMs.push(timeMs);
    this.hashes.push(hashOf(text));
  }
}

/** Returns the index of the first decision up to `untilMs` in which two runs differ; null: none. `ignoresTexts`: log lines may have other texts. */
export function firstDifference(a: DecisionTrace, b: DecisionTrace, untilMs: number, ignoresTexts = false): number | null {
  const countA = countUntil(a, untilMs);
  const countB = countUntil(b, untilMs);
  for (let index = 0; index < Math.max(countA, countB); index++) {
    if (index >= countA || index >= countB || a.timeMs[index] !== b.timeMs[index]) return index;
    if (a.hashes[index] === b.hashes[index]) continue;
    const areLogLines = a.logIndices.has(index) && b.logIndices.has(index);
    if (!ignoresTexts || !areLogLines) return index;
  }
  // Only whole runs make the last calls.
  const haveEnded = a.hasEnded && b.hasEnded && untilMs === Infinity;
  return haveEnded && a.endError?.message !== b.endError?.message ? countA : null;
}

/** Returns the number of decisions up to `untilMs`. */
export function countUntil({ timeMs }: DecisionTrace, untilMs: number): number {
  let count = timeMs.length;
  while (count > 0 && timeMs[count - 1]! > untilMs) count--;
  return count;
}

/** Returns the FNV-1a hash of a text, 32 bits. */
function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return hash >>> 0;
}

/** A feed as an argument of a call. */
interface NamedFeed {
  readonly instrument: { readonly wireName: string };
  readonly interval: string;
}

/** Returns the argument if it is a feed, else the feed in an object of options; null if it names no feed. */
function feedOfArgument(argument: object): unknown {
  if ('instrument' in argument) return argument;
  return 'feed' in argument ? argument.feed : null;
}

/** Returns the feed that the arguments of a call name, as text; null if they name none. */
function feedIn(args: readonly unknown[]): string | null {
  for (const argument of args) {
    if (typeof argument !== 'object' || argument === null) continue;
    const feed = feedOfArgument(argument);
    if (isFeed(feed)) return `${feed.instrument.wireName} ${feed.interval}`;
  }
  return null;
}

/** True for a feed. */
const isFeed = (value: unknown): value is NamedFeed =>
  typeof value === 'object' && value !== null && 'instrument' in value && 'interval' in value;
