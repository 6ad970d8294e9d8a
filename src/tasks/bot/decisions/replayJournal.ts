// Replays the journal of a live bot: feeds its bars and events to a new engine, and compares every decision with the recorded one.

import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { MeasuredAbsenceBounds } from '../../../orders/prove/absenceBounds.ts';
import type { ResolveOptions } from '../../../definition/resolve.ts';
import type { LiveBehaviour } from '../config/liveConfig.ts';
import { knownSeriesPlans } from '../external/seriesRecords.ts';
import { plansFor } from '../feeds/liveFeeds.ts';
import { livePlan } from '../lifetime/liveEngine.ts';
import type { ReplayDifference } from '../lifetime/decisionComparison.ts';
import { newestLifetime, maxRowsOf, type Lifetime } from '../lifetime/lifetime.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { replayLifetime } from '../lifetime/replayLifetime.ts';
import { changesSince } from '../lifetime/startRecords.ts';

/** What a replay needs beside the journal. */
export interface ReplayOptions {
  readonly instruments: readonly Instrument[];
  readonly load?: ResolveOptions['load'];
}

/** The result of a replay. */
export interface ReplayResult {
  /** Number of starts of the bot. */
  readonly processes: number;
  readonly instants: number;
  readonly bars: number;
  /** Verdicts, orders and cancels that the replay decided again. */
  readonly decisions: number;
  readonly difference: ReplayDifference | null;
  /** True when every decision is the same, and no start changed anything compared with a bot that never stopped. */
  readonly equalToUnstopped: boolean;
  /** Why the run differs from one that never stopped; null: it does not. */
  readonly interruption: string | null;
  /** Bars that closed while the bot was down. */
  readonly missedBars: number;
  /** Changes of code, parameters and version since the newest start, as sentences. A difference may come from them. */
  readonly changes: readonly string[];
}

/** The newest lifetime of a bot, and the plan with which it is replayed. */
export interface PlannedLifetime {
  readonly lifetime: Lifetime;
  readonly plan: RunPlan;
}

/** Returns the beginning of a hash, enough to distinguish two configs. */
const shortHash = (hash: string): string => hash.slice(0, 12);

/** Returns the newest lifetime in a journal with its plan. Throws ConfigError for a journal without a start, or if the config has changed. */
export async function planLifetime(
  records: readonly JournalRecord[],
  behaviour: LiveBehaviour,
  { instruments, load }: ReplayOptions,
): Promise<PlannedLifetime> {
  const lifetime = newestLifetime(records);
  if (lifetime === null)
    throw new ConfigError('expected a journal with the start of a bot, got one without', 'name the journal of a bot that has run');
  const { file, hash: behaviourHash } = behaviour;
  const { hash } = lifetime.newest;
  if (hash !== behaviourHash) {
    throw new ConfigError(
      `${file}: this is not the config that the bot ran with (${shortHash(behaviourHash)}, the journal says ${shortHash(hash)})`,
      'name the config as it was then: --config FILE',
    );
  }
  const feeds = plansFor(behaviour, instruments, { warm: lifetime.warm, rows: maxRowsOf(lifetime) });
  const series = knownSeriesPlans(behaviour.series, records);
  return { lifetime, plan: await livePlan(behaviour, feeds, lifetime.fromMs, { series, ...(load ? { load } : {}) }) };
}

/** Returns why the newest lifetime did not continue the one before it unchanged; null: it did, or it is the first. */
function interruptionOf({ acceptedTo, number }: Lifetime): string | null {
  if (acceptedTo >= 0) return 'changed code was accepted';
  return number > 1 ? 'strategies started over' : null;
}

/** Replays the newest lifetime of a journal. Throws ConfigError as `planLifetime` does. */
export async function replayJournal(
  records: readonly JournalRecord[],
  behaviour: LiveBehaviour,
  options: ReplayOptions,
): Promise<ReplayResult> {
  const { lifetime, plan } = await planLifetime(records, behaviour, options);
  const { replay } = await replayLifetime(lifetime, plan, {
    absenceBounds: new MeasuredAbsenceBounds(behaviour.proof),
    isTorn: false,
    stopsAtDifference: true,
  });
  const { comparison, restarts, instants, bars, missedBars, interruption } = replay;
  const interruptedBy = interruption ?? interruptionOf(lifetime);
  return {
    processes: restarts + 1,
    instants,
    bars: bars + lifetime.warm.length,
    decisions: comparison.decisions,
    difference: comparison.difference,
    equalToUnstopped: comparison.difference === null && interruptedBy === null,
    interruption: interruptedBy,
    missedBars,
    changes: changesSince(lifetime, plan),
  };
}
