// Completes the decisions of the last process: sends them now, or denies them if it is too late.

import { InvariantError } from '../../../base/errors.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { MarketRouter } from '../account/marketRouter.ts';
import { dropUnsent, type HeldDecision } from '../lifetime/decisionComparison.ts';

/** The decisions, and the ports that complete them. */
interface ReleaseDeps {
  /** Decisions of the last process that were not journalled. */
  readonly held: readonly HeldDecision[];
  readonly engine: Engine;
  readonly narratedJournal: Journal;
  readonly services: Pick<MarketRouter, 'cancel' | 'submit'>;
  readonly config: { readonly bars: { readonly graceMs: number } };
}

/** Sends the decisions of the last process, or denies them if it is too late. */
export function release({ held, engine, narratedJournal, services, config }: ReleaseDeps, nowMs: number): void {
  for (const { kind, order, id, code, decidedMs, waits } of held) {
    if (kind === 'denied') narratedJournal.denied(order, code);
    else if (kind === 'draft') {
      if (order.state === STATE.draft && waits !== null) narratedJournal.drafted(order, waits);
    } else if (order.id !== id) continue;
    else if (kind === 'cancel') {
      if (order.state !== STATE.cancelSent) continue;
      narratedJournal.cancelSent(order);
      services.cancel(order);
    } else if (order.state === STATE.sent) {
      if (nowMs - decidedMs > config.bars.graceMs) dropUnsent(engine, order);
      else if (engine.risk.hasApproved(order)) services.submit(order, narratedJournal.submitted(order));
      else throw new InvariantError(`order ${id} must not be sent without approval`);
    }
  }
}
