// The collaborators and options of a replay of a past lifetime.

import type { Engine } from '../../../engine/engine.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { ComparingJournal } from './comparingJournal.ts';
import type { LifetimeRecords } from './lifetimeRecords.ts';

/** The engine, its journal and the records. */
export interface LifetimeReplayDeps {
  readonly engine: Engine;
  readonly plan: RunPlan;
  /** The journal that the engine writes to. */
  readonly journal: ComparingJournal;
  /** The records after the CONFIG of the first start and its warm-up. */
  readonly recorded: LifetimeRecords;
  /** True when the last write of the journal did not finish. */
  readonly isTorn: boolean;
  /** Position of the newest start that accepted changes. Differences before it do not count. -1: no start did. */
  readonly acceptedTo: number;
  /** True when the replay ends at the first difference. */
  readonly stopsAtDifference: boolean;
  /** Whether the bot notified strategies only at instants while it traded; default false. */
  readonly defersCallbacks?: boolean;
  /** Called before each record, with its position; false ends the replay there. */
  readonly onRecord?: (recordIndex: number) => boolean;
}
