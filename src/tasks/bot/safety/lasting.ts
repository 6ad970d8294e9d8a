// Which causes of a halt outlive the process that found them.

import type { HaltCause } from '../../../risk/live/halts.ts';
import { HALT_CAUSES } from '../../../risk/live/haltCauses.ts';

/** Raised as the bot starts, taken away by two clean audits. */
export const STARTING = 'STARTING';
/** Cleared by the engine itself, order by order, once it knows the orders again. */
const OF_ORDERS: ReadonlySet<string> = new Set(['UNKNOWN_OUTCOME', 'NEEDS_PERSON']);

/** What the exchange, the clock or the disk had done to the last process is seen anew; what a person has to look at stays. */
export function lasts({ code }: HaltCause): boolean {
  if (code === STARTING) return false;
  return OF_ORDERS.has(code) || (HALT_CAUSES[code]?.needsPerson ?? true);
}
