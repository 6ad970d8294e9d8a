// When a loss is so far beyond its limit that halting is not enough: one and a half times the limit closes everything.

import type { BotView } from '../control/botView.ts';

const TIMES = 1.5;
const LIMITS: ReadonlySet<string> = new Set(['maxDailyLoss', 'maxDrawdown']);

/** Why everything is to be closed; null: nothing is. What cannot be read as a number closes nothing. */
export function lossKill({ headroom, kill }: Pick<BotView, 'headroom' | 'kill'>): string | null {
  if (kill !== null) return null;
  const over = headroom.find(({ limit, used, most }) => LIMITS.has(limit) && Number(most) > 0 && Number(used) >= TIMES * Number(most));
  return over ? `${over.limit}: ${over.used} is more than ${TIMES} times the limit of ${over.most}` : null;
}
