// What was decided as the last process ended and not carried out: it is sent now, or denied where it is too late.

import { InvariantError } from '../../../base/errors.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import type { LiveBotParts } from './liveBot.ts';
import { missed } from '../life/askedAgain.ts';

/** What was decided as the last process ended is sent now, or denied where it is too late for that. */
export function release({ held, engine, told, services, config }: LiveBotParts, nowMs: number): void {
  for (const { what, order, id, code, atMs, waits } of held) {
    if (what === 'denied') told.denied(order, code);
    else if (what === 'draft') {
      if (order.state === STATE.draft && waits !== null) told.drafted(order, waits);
    } else if (order.id !== id) continue;
    else if (what === 'cancel') {
      if (order.state !== STATE.cancelSent) continue;
      told.cancelSent(order);
      services.cancel(order);
    } else if (order.state === STATE.sent) {
      if (nowMs - atMs > config.bars.graceMs) missed(engine, order);
      else if (engine.risk.hasApproved(order)) services.submit(order, told.submitted(order));
      else throw new InvariantError(`order ${id} is to be sent and was not approved`);
    }
  }
}
