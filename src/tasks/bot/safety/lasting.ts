// Which causes of a halt outlive the process that found them.

import type { Cause } from '../../../risk/live/halts.ts';
import { TROUBLES } from '../../../risk/live/troubles.ts';

/** Raised as the bot starts, taken away by two clean audits. */
export const STARTING = 'STARTING';
/** Cleared by the engine itself, order by order, once it knows the orders again. */
const OF_ORDERS: ReadonlySet<string> = new Set(['UNKNOWN_OUTCOME', 'NEEDS_PERSON']);

/** What the exchange, the clock or the disk had done to the last process is seen anew; what a person has to look at stays. */
export function lasts({ code }: Cause): boolean {
  if (code === STARTING) return false;
  return OF_ORDERS.has(code) || (TROUBLES[code]?.needsPerson ?? true);
}
