// Settles a slice: cancels and polls it until a terminal status shows the same quantity twice, a read lag apart.

import { STATUS_MEANING, type OrderStatus, type StatusMeaning } from '../../../protocol/shapes/codes.ts';
import type { KillVenue } from '../plan/killVenue.ts';

/** Result of a query for an order. A query returns null if the exchange does not reply or does not find the order. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly executedQty: string;
}

/** The calls about one slice. */
export interface SettleCalls {
  readonly query: () => Promise<OrderState | null>;
  readonly cancel: () => Promise<unknown>;
}

const meaningOf = ({ status }: OrderState): StatusMeaning['kind'] => STATUS_MEANING[status].kind;

/**
 * Resolves with the executed quantity. A resting order stays in the book for `restMs`, then it is cancelled. It is cancelled, too,
 * while no query shows its state. Throws KillStopped.
 */
export async function settleSlice(venue: KillVenue, { query, cancel }: SettleCalls, restMs: number): Promise<string> {
  const { pollEveryMs, readLagMs, cancelAgainMs } = venue.deps.settings;
  const restsUntilMs = venue.nowMs + restMs;
  let cancelledMs = -Infinity;
  let isStateKnown = true;
  const timeLimit = venue.timeLimit(() => (isStateKnown ? 'a slice does not end' : 'no query shows the state of a slice'));
  // The newest terminal quantity, and when it was first read. Null: the last reading was not terminal.
  let terminal: { readonly executedQty: string; readonly sinceMs: number } | null = null;
  for (;;) {
    const queriedMs = venue.nowMs;
    const order = await query();
    isStateKnown = order !== null;
    if (order === null || meaningOf(order) !== 'terminal') {
      terminal = null;
      await timeLimit.wait(pollEveryMs);
      if (venue.nowMs >= restsUntilMs && venue.nowMs - cancelledMs >= cancelAgainMs) {
        cancelledMs = venue.nowMs;
        await cancel();
      }
      continue;
    }
    if (terminal === null || terminal.executedQty !== order.executedQty) terminal = { executedQty: order.executedQty, sinceMs: queriedMs };
    else if (queriedMs - terminal.sinceMs >= readLagMs) return order.executedQty;
    await timeLimit.wait(Math.max(0, terminal.sinceMs + readLagMs - venue.nowMs));
  }
}
