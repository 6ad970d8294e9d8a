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

/**
 * Sends the decisions of the last process, or denies them if it is too late. The end of one must not send a draft whose record is still to be
 * written, so drafts wait until all decisions are complete.
 */
export function completeHeldDecisions(deps: ReleaseDeps, nowMs: number): void {
  deps.engine.drafts.holdDuring(() => {
    for (const decision of deps.held) complete(decision, deps, nowMs);
  });
}

/** Completes one decision. An order that has ended since, or whose record now holds another order, is left alone. */
function complete(decision: HeldDecision, deps: ReleaseDeps, nowMs: number): void {
  const { narratedJournal, services } = deps;
  const { kind, order, id, code, waits } = decision;
  if (kind === 'denied') {
    narratedJournal.denied(order, code);
    return;
  }
  if (order.id !== id) return;
  if (kind === 'draft') {
    if (order.state === STATE.draft && waits !== null) narratedJournal.drafted(order, waits);
    return;
  }
  if (kind === 'sent') return completeOrder(decision, deps, nowMs);
  if (order.state !== STATE.cancelSent) return;
  narratedJournal.cancelSent(order);
  services.cancel(order);
}

/** Sends an order that the last process has approved, or drops it once the grace period of its bar has ended. */
function completeOrder({ order, id, decidedMs }: HeldDecision, deps: ReleaseDeps, nowMs: number): void {
  const { engine, narratedJournal, services, config } = deps;
  if (order.state !== STATE.sent) return;
  if (nowMs - decidedMs > config.bars.graceMs) dropUnsent(engine, order);
  else if (engine.risk.hasApproved(order)) services.submit(order, narratedJournal.submitted(order));
  else throw new InvariantError(`order ${id} must not be sent without approval`);
}
