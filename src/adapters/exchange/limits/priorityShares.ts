// Divides a rate limit among priorities. Cancels, and klines of bars that have just closed, may use all of it. The other priorities share a
// part, each with a reserve.

/**
 * In the order in which waiting calls are served. `cancel`: ends orders. `reconcile`: finds out the state of an order, or the server time.
 * `order`: creates, tests and settings. `bars`: klines of bars that strategies wait for. `steady`: polling, and all else that can wait.
 */
export const PRIORITIES = ['cancel', 'reconcile', 'order', 'bars', 'steady'] as const;
/** What a call is for. Each priority has its share of the rate limit. */
export type Priority = (typeof PRIORITIES)[number];

/** As fractions of a limit. */
export const SHARES = {
  /** For everything except cancels and bars together. The rest is for cancels, for other users of the account, and for uncertainty. */
  common: 0.8,
  /** Maximum for steady traffic, so that the same amount is free for reconciliation at once. */
  steady: 0.4,
  /** Reserved for orders and for steady traffic while they wait behind higher priorities. */
  floor: 0.1,
} as const;

/** The used part of a limit, in weights. */
export interface Usage {
  /** Weight that the venue may still count. */
  readonly used: number;
  /** Weight of orders or steady traffic sent within the last window. */
  sentBy(priority: Priority): number;
  /** Weight of the first waiting call of a priority; 0 if none waits. */
  firstOf(priority: Priority): number;
}

/** True if a call of `weight`, the first of its priority, may be sent now. `allowance`: the limit in force. */
export function fitsShare(priority: Priority, weight: number, usage: Usage, allowance: number): boolean {
  const usedAfter = usage.used + weight;
  if (priority === 'cancel') return usedAfter <= allowance;
  if (priority === 'bars') return fitsBars(weight, usedAfter, usage, allowance);
  const common = shareOf(allowance, SHARES.common, weight);
  if (usedAfter > common) return false;
  const sentAfter = usage.sentBy(priority) + weight;
  if (priority !== 'reconcile' && sentAfter <= shareOf(allowance, SHARES.floor, weight)) return true;
  if (priority === 'steady' && sentAfter > shareOf(allowance, SHARES.steady, weight)) return false;
  let isHigher = true;
  let reservedWeight = 0;
  for (const otherPriority of PRIORITIES) {
    const firstWaiting = usage.firstOf(otherPriority);
    if (otherPriority === priority) isHigher = false;
    // Waiting bars do not hold up the priorities below them, which keep their parts of the limit.
    else if (otherPriority === 'cancel' || firstWaiting === 0 || (otherPriority === 'bars' && !isHigher)) continue;
    else if (isHigher) return false;
    else reservedWeight += Math.max(0, shareOf(allowance, SHARES.floor, firstWaiting) - usage.sentBy(otherPriority));
  }
  // If the limit is so small that the reserves use it up, the order of priorities decides.
  return usedAfter <= Math.max(weight, common - reservedWeight);
}

/**
 * Klines have a rate class without orders and cancels, so bars may use all of it. While a steady call waits that has not had its floor,
 * bars leave it in the common share.
 */
function fitsBars(weight: number, usedAfter: number, usage: Usage, allowance: number): boolean {
  if (usage.firstOf('reconcile') > 0 || usage.firstOf('order') > 0) return false;
  const steady = usage.firstOf('steady');
  const reserved = steady === 0 ? 0 : shareOf(allowance, SHARES.floor, steady) - usage.sentBy('steady');
  const limit = reserved <= 0 ? allowance : Math.max(weight, shareOf(allowance, SHARES.common, weight) - reserved);
  return usedAfter <= limit;
}

/** A product such as 0.1 * 30 may lie slightly below a whole number. */
const ROUNDING = 1e-9;

/** Returns a share as a whole number, at least `weight`, so that every call is served even under a very small limit. */
const shareOf = (allowance: number, share: number, weight: number): number => Math.max(weight, Math.floor(allowance * share + ROUNDING));
