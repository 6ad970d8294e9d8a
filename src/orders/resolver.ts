// What became of a create whose answer was lost: decided by ordered evidence, never by time alone (order-safety, section 7.1). Pure.

import type { Channel, Evidence } from '../ports/exchange.ts';

/** Bounds, ms, that make a negative read mean something. */
export interface Fence {
  /** How long after its timestamp the venue may still admit a request. */
  readonly recvWindowMs: number;
  /** Longest assumed time from admission to visibility in lists. */
  readonly busDelayMs: number;
  /** How old a list may be when it is read. */
  readonly readLagMs: number;
  /** After this long beyond the fence a person must look. */
  readonly humanAfterMs: number;
}

/** The venue of a replay answers from its own books: nothing lags, and nothing is admitted late. */
export const REPLAY_FENCE: Fence = { recvWindowMs: 0, busDelayMs: 0, readLagMs: 0, humanAfterMs: 600_000 };

export type Finding =
  | { readonly kind: 'placed' | 'noEffect' }
  | { readonly kind: 'read'; readonly channel: Channel }
  | { readonly kind: 'human'; readonly why: string };

/** Orders move from open to done only: open orders are read first, trades second, balances last; the reverse order has a hole. */
const ROUND: readonly Channel[] = ['openOrders', 'myTrades', 'balances'];
const ROUNDS_FOR_NO_EFFECT = 2;

/**
 * The finding of all evidence so far about an order signed at `signMs`, oldest first. `placed` needs one sighting; `noEffect` two complete
 * rounds that begin after the fence, at least the read lag apart, with balances that agree with the ledger in both.
 */
export function reconcile(signMs: number, evidence: readonly Evidence[], fence: Fence): Finding {
  const fenceMs = signMs + fence.recvWindowMs + fence.busDelayMs + fence.readLagMs;
  let step = 0;
  let rounds = 0;
  let disagreed = false;
  let notBeforeMs = fenceMs;
  let lastMs = signMs;
  for (const seen of evidence) {
    lastMs = Math.max(lastMs, seen.venueMs);
    if (seen.channel !== 'balances' && seen.found) return { kind: 'placed' };
    const counts = seen.complete && seen.channel === ROUND[step] && seen.venueMs >= notBeforeMs;
    if (!counts) {
      step = 0;
      continue;
    }
    notBeforeMs = Math.max(notBeforeMs, seen.venueMs + (step === 1 ? 0 : fence.readLagMs));
    if (++step < ROUND.length) continue;
    step = 0;
    if (seen.found) disagreed = true;
    else if (++rounds === ROUNDS_FOR_NO_EFFECT) return { kind: 'noEffect' };
  }
  if (lastMs >= fenceMs + fence.humanAfterMs) {
    return { kind: 'human', why: disagreed ? 'balances differ from the ledger, yet no list shows the order' : 'no complete round of reads since the fence' };
  }
  return { kind: 'read', channel: ROUND[step]! };
}
