// What a past life is replayed with.

import type { Engine } from '../../../engine/engine.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { PastJournal } from './pastJournal.ts';
import type { PastRecords } from './pastRecords.ts';

export interface LifeParts {
  readonly engine: Engine;
  readonly plan: RunPlan;
  /** The journal that the engine writes to. */
  readonly journal: PastJournal;
  /** After the CONFIG of the first start and its warm-up. */
  readonly past: PastRecords;
  /** A write of the journal did not finish. */
  readonly isTorn: boolean;
  /** Position of the newest start that has accepted changes: differences before it are known. -1: there is none. */
  readonly acceptedTo: number;
  /** The first difference ends it. */
  readonly stopsAtDifference: boolean;
  /** Of the bot whose life it is, while it traded; default false. */
  readonly tellsAtInstants?: boolean;
}
