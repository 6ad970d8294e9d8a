// Decides which halt causes outlive the process that raised them.

import type { HaltCause, HaltBoard } from '../../../risk/live/halts.ts';
import { HALT_CAUSES } from '../../../risk/live/haltCauses.ts';

/** Raised when the bot starts, cleared by two clean audits. */
export const STARTING = 'STARTING';
/** Causes that the engine itself clears, order by order, once it knows the orders again. */
const ORDER_CAUSES: ReadonlySet<string> = new Set(['UNKNOWN_OUTCOME', 'NEEDS_PERSON']);

/** True when a halt cause stays after a restart. Causes in exchange, clock or disk are detected again; causes for the operator stay. */
export function outlivesProcess({ code }: HaltCause): boolean {
  if (code === STARTING) return false;
  return ORDER_CAUSES.has(code) || (HALT_CAUSES[code]?.needsPerson ?? true);
}

/**
 * Halts the account until its start is complete. Call it in a step, so that drafts wait for the end of the start and are sent then. After a
 * clean stop the journal holds such drafts.
 */
export function raiseStarting(halts: HaltBoard, venueMs: number): void {
  halts.raise({ kind: 'account' }, 'HALT_NEW', STARTING, 'the start is not complete: two clean audits are needed', venueMs);
}
