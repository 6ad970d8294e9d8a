// Decides which halt causes outlive the process that raised them.

import type { HaltCause } from '../../../risk/live/halts.ts';
import { HALT_CAUSES } from '../../../risk/live/haltCauses.ts';
import { STARTING } from './startHalts.ts';

/** Causes that the engine itself clears, order by order, once it knows the orders again. */
const ORDER_CAUSES: ReadonlySet<string> = new Set(['UNKNOWN_OUTCOME', 'NEEDS_PERSON']);

/** True when a halt cause stays after a restart. Causes in exchange, clock or disk are detected again; causes for the operator stay. */
export function outlivesProcess({ code }: HaltCause): boolean {
  if (code === STARTING) return false;
  return ORDER_CAUSES.has(code) || (HALT_CAUSES[code]?.needsPerson ?? true);
}
