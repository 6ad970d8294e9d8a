// What reads for a decision of the operator need.

import type { Instrument } from '../../../model/instrument.ts';
import type { OrderAttribution } from '../observe/attribution.ts';
import type { Readers } from '../observe/readers.ts';
import type { TrackedOrders } from '../order/trackedOrder.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** Collaborators of a read for a decision of the operator. */
export interface DecisionDeps {
  readonly venue: VenueCalls;
  readonly instruments: readonly Instrument[];
  readonly trackedOrders: TrackedOrders;
  readonly attribution: OrderAttribution;
  readonly readers: Readers;
  /** Time of our clock. */
  readonly nowMs: () => number;
  /** L: how old a list may be when it is read. */
  readonly lagMs: () => number;
}
