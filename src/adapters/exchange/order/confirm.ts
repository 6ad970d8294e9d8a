// Decides when a terminal status is confirmed: two equal reads far enough apart, and fills that add up to it. Pure.

import { STATUS_MEANING, type OrderStatus, type CodeReading } from '../../../protocol/shapes/codes.ts';

/** One reply to a query of an order by its id. */
export interface StatusReading {
  readonly status: CodeReading<OrderStatus>;
  /** Base lots or contracts that the reply reports as filled. */
  readonly executedLots: number;
  /** Our time when the reply arrived, ms. */
  readonly atMs: number;
}

export type StatusVerdict =
  /** The order may still fill. */
  | { readonly kind: 'live' }
  /** A terminal status must be read again, not before `againMs`. `needsTrades`: fills that it includes are missing. */
  | { readonly kind: 'unconfirmed'; readonly first: StatusReading; readonly againMs: number; readonly needsTrades: boolean }
  | { readonly kind: 'confirmed'; readonly how: 'filled' | 'canceled' | 'rejected' | 'expired' };

/**
 * Returns the meaning of a read after `first`, the earliest of the preceding equal terminal reads (null: none). `filledLots`: sum of the
 * booked fills. `lagMs`: how old a read may be (order safety, section 6).
 * Invariants: confirmed only after two terminal reads with equal status and quantity, at least `lagMs` apart, whose quantity is
 * `filledLots`. An open or unknown status confirms nothing and starts again.
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
