// When a terminal status may be believed: two equal reads, far enough apart, and fills that add up to what it says. Pure.

import { STATUS_MEANING, type OrderStatus, type CodeReading } from '../../../protocol/shapes/codes.ts';

/** One answer to the question for an order by its id. */
export interface StatusReading {
  readonly status: CodeReading<OrderStatus>;
  /** Base lots, or contracts, that the answer says are filled. */
  readonly executedLots: number;
  /** Our time at which the answer was there, ms. */
  readonly atMs: number;
}

export type StatusVerdict =
  /** It may still fill. */
  | { readonly kind: 'live' }
  /** A terminal status is to be read again, not before `againMs`. `needsTrades`: fills are missing that it speaks of. */
  | { readonly kind: 'unconfirmed'; readonly first: StatusReading; readonly againMs: number; readonly needsTrades: boolean }
  | { readonly kind: 'confirmed'; readonly how: 'filled' | 'canceled' | 'rejected' | 'expired' };

/**
 * What a reading means after `first`, the earliest of the equal terminal readings before it (null: none), where `filledLots` is the sum of
 * the fills that were booked and `lagMs` how old a read may be (order safety, section 6).
 *
 * Invariants: confirmed only with two terminal readings of the same status and quantity at least `lagMs` apart, whose quantity is
 * `filledLots`; a status of nobody's table, or one that is open, confirms nothing and begins anew.
 */
export function assessStatus(first: StatusReading | null, now: StatusReading, filledLots: number, lagMs: number): StatusVerdict {
  const { kind, reason } = STATUS_MEANING[now.status.word];
  if (kind !== 'terminal') return { kind: 'live' };
  const isSame = first !== null && first.status.word === now.status.word && first.executedLots === now.executedLots;
  const since = isSame ? first : now;
  const needsTrades = now.executedLots !== filledLots;
  const isLater = isSame && now.atMs >= since.atMs + lagMs;
  if (isLater && !needsTrades && (reason === 'filled' || reason === 'canceled' || reason === 'rejected' || reason === 'expired')) {
    return { kind: 'confirmed', how: reason };
  }
  return { kind: 'unconfirmed', first: since, againMs: isLater ? now.atMs + lagMs : since.atMs + lagMs, needsTrades };
}
