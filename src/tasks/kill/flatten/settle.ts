// Settles a slice: its terminal status must show the same quantity twice, a read lag apart. Until then it is cancelled and polled.

import { STATUS_MEANING, type OrderStatus, type StatusMeaning } from '../../../protocol/shapes/codes.ts';
import type { KillVenue } from '../plan/venue.ts';

/** Result of a query for an order. A query returns null if the service reports nothing. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly executedQty: string;
}

export interface SettleCalls {
  readonly query: () => Promise<OrderState | null>;
  readonly cancel: () => Promise<unknown>;
}

const meaningOf = ({ status }: OrderState): StatusMeaning['kind'] => STATUS_MEANING[status].kind;

/** Resolves with the executed quantity. A resting order gets a moment in the book, then it is cancelled. Throws KillStopped. */
export async function settleSlice(venue: KillVenue, { query, cancel }: SettleCalls): Promise<string> {
  const { pollEveryMs, readLagMs, cancelAgainMs } = venue.deps.settings;
  let cancelledMs = -Infinity;
  const timeLimit = venue.timeLimit('a slice does not come to its end');
  let certain: { readonly executedQty: string; readonly sinceMs: number } | null = null;
  for (;;) {
    const askedMs = venue.nowMs;
    const found = await query();
    if (found === null || meaningOf(found) !== 'terminal') {
      certain = null;
      await timeLimit.wait(pollEveryMs);
      if (venue.nowMs - cancelledMs >= cancelAgainMs) {
        cancelledMs = venue.nowMs;
        await cancel();
      }
      continue;
    }
    if (certain === null || certain.executedQty !== found.executedQty) certain = { executedQty: found.executedQty, sinceMs: askedMs };
    else if (askedMs - certain.sinceMs >= readLagMs) return found.executedQty;
    await timeLimit.wait(Math.max(0, certain.sinceMs + readLagMs - venue.nowMs));
  }
}
