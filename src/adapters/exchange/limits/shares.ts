// Who may use how much of a limit: cancels all of it, the others in turn and no more than a share, of which some is kept for each.

/**
 * In the order in which those who wait have their turn. `cancel`: ends orders. `reconcile`: finds out what became of an order, or what
 * time it is. `order`: creates, tests and settings. `steady`: polling, and whatever else can wait.
 */
export const PRIORITIES = ['cancel', 'reconcile', 'order', 'steady'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Shares of a limit. */
export const SHARES = {
  /** What all but cancels may use together. The rest is left for cancels, for people at other screens, and for doubt. */
  common: 0.8,
  /** What steady traffic may use at most, so that as much again is there for reconciliation at once. */
  steady: 0.4,
  /** What is kept for orders, and for steady traffic, while these wait for those before them. */
  floor: 0.1,
} as const;

/** What is used of a limit, in weights. */
export interface Usage {
  /** All that the exchange may still count. */
  readonly used: number;
  /** Of orders or steady traffic: sent within the last window. */
  sentBy(priority: Priority): number;
  /** Of the first call that waits at a priority; 0 where none does. */
  firstOf(priority: Priority): number;
}

/** Whether a call of `weight`, first of its priority, may be sent now. `allowance`: the limit in force. */
export function fits(priority: Priority, weight: number, usage: Usage, allowance: number): boolean {
  const next = usage.used + weight;
  if (priority === 'cancel') return next <= allowance;
  const common = shareOf(allowance, SHARES.common, weight);
  if (next > common) return false;
  const sent = usage.sentBy(priority) + weight;
  if (priority !== 'reconcile' && sent <= shareOf(allowance, SHARES.floor, weight)) return true;
  if (priority === 'steady' && sent > shareOf(allowance, SHARES.steady, weight)) return false;
  let isBefore = true;
  let kept = 0;
  for (const other of PRIORITIES) {
    const first = usage.firstOf(other);
    if (other === priority) isBefore = false;
    else if (other === 'cancel' || first === 0) continue;
    else if (isBefore) return false;
    else kept += Math.max(0, shareOf(allowance, SHARES.floor, first) - usage.sentBy(other));
  }
  // Where the limit is so small that nothing would be left, turns count for more than floors.
  return next <= Math.max(weight, common - kept);
}

/** A share as a whole number: at least what one call of `weight` needs, so that every call has its turn however small the limit is. */
const shareOf = (allowance: number, share: number, weight: number): number => Math.max(weight, Math.floor(allowance * share + 1e-9));
