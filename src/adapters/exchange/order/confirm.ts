// Decides when an order's terminal status is confirmed: by two equal reads far enough apart, and fills that add up to its quantity. Pure.

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
  /** The terminal status must be read again at `againMs` or later. `needsTrades`: the status includes fills that are not booked yet. */
  | { readonly kind: 'unconfirmed'; readonly first: StatusReading; readonly againMs: number; readonly needsTrades: boolean }
  | { readonly kind: 'confirmed'; readonly how: 'filled' | 'canceled' | 'rejected' | 'expired' };

/**
 * Returns what the read `now` proves. `first`: the earliest of the preceding equal terminal reads, or null. `filledLots`: sum of the
 * booked fills. `lagMs`: how old a read may be (order safety, section 6).
 * Invariants: confirmed only after two terminal reads with equal status and quantity, at least `lagMs` apart, whose quantity is
 * `filledLots`. After an open or unknown status, two new terminal reads are needed.
 */
export function assessStatus(first: StatusReading | null, now: StatusReading, filledLots: number, lagMs: number): StatusVerdict {
  const { kind, reason } = STATUS_MEANING[now.status.word];
  if (kind !== 'terminal') return { kind: 'live' };
  const isSame = first !== null && first.status.word === now.status.word && first.executedLots === now.executedLots;
  const firstRead = isSame ? first : now;
  const needsTrades = now.executedLots !== filledLots;
  const isFarEnough = isSame && now.atMs >= firstRead.atMs + lagMs;
  if (isFarEnough && !needsTrades && (reason === 'filled' || reason === 'canceled' || reason === 'rejected' || reason === 'expired')) {
    return { kind: 'confirmed', how: reason };
  }
  const againMs = (isFarEnough ? now.atMs : firstRead.atMs) + lagMs;
  return { kind: 'unconfirmed', first: firstRead, againMs, needsTrades };
}
