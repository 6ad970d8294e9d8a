// Instruments that leave the run: when their last bar opens, their positions are closed, and from then on only closing orders are sent.

import { openOf } from '../../model/interval.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { FeedRun } from './feed.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Deny code: the symbol is leaving the run. */
const DELISTED = 'DELISTED';

/** Returns the deny code of an order that opens or adds to a position once its instrument leaves; null for any other order. */
export function delistedCode(order: BotOrder, exitsMs: readonly number[], nowMs: number): string | null {
  if (nowMs < exitsMs[order.instrumentIndex]!) return null;
  const closes = order.instrument.contract === undefined ? order.sign < 0 : order.reduceOnly;
  return closes ? null : DELISTED;
}

/** Returns when the last whole bar of an execution feed opens before `leavesMs`; Infinity if the instrument stays. */
export function exitMsOf({ bars: { interval } }: FeedRun, leavesMs: number): number {
  return leavesMs < INFINITY ? openOf(interval, openOf(interval, leavesMs) - 1) : leavesMs;
}
