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

/** What the reads of a status prove about an order. */
export type StatusVerdict =
  /** The order may still fill. */
  | { readonly kind: 'live' }
  /** The terminal status must be read again at `againMs` or later. `needsTrades`: the status includes fills that are not booked yet. */
  | { readonly kind: 'unconfirmed'; readonly first: StatusReading; readonly againMs: number; readonly needsTrades: boolean }
  | { readonly kind: 'confirmed'; readonly reason: 'filled' | 'canceled' | 'rejected' | 'expired' };

/**
 * Returns what the read `newReading` proves. `firstReading`: the earliest of the preceding equal terminal reads, or null. `filledLots`:
 * sum of the booked fills. `lagMs`: how old a read may be (docs/order-safety.md).
 * Invariants: confirmed only after two terminal reads with equal status and quantity, at least `lagMs` apart, whose quantity is
 * `filledLots`. After an open or unknown status, two new terminal reads are needed.
 */
export function assessStatus(
  firstReading: StatusReading | null,
  newReading: StatusReading,
  filledLots: number,
  lagMs: number,
): StatusVerdict {
  const { kind, reason } = STATUS_MEANING[newReading.status.word];
  if (kind !== 'terminal') return { kind: 'live' };
  const isSame =
    firstReading !== null && firstReading.status.word === newReading.status.word && firstReading.executedLots === newReading.executedLots;
  const firstRead = isSame ? firstReading : newReading;
  const needsTrades = newReading.executedLots !== filledLots;
  const isFarEnough = isSame && newReading.atMs >= firstRead.atMs + lagMs;
  if (isFarEnough && !needsTrades && (reason === 'filled' || reason === 'canceled' || reason === 'rejected' || reason === 'expired')) {
    return { kind: 'confirmed', reason };
  }
  const againMs = (isFarEnough ? newReading.atMs : firstRead.atMs) + lagMs;
  return { kind: 'unconfirmed', first: firstRead, againMs, needsTrades };
}
