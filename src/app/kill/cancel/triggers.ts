// Protective triggers of futures: cancelled last, and only when everything that they protect is closed.

import type { KillVenue } from '../venue.ts';

/** Returns how many were taken back. Until a list shows none pending. Throws KillStopped. */
export async function cancelTriggers(venue: KillVenue): Promise<number> {
  const { instruments, settings } = venue.parts;
  const gone = new Set<string>();
  for (const { market, wireName } of instruments) {
    if (market !== 'futures') continue;
    const patience = venue.patience(`${wireName}: trigger orders do not end though they are cancelled`);
    for (;;) {
      const { rows } = await venue.read('futures.triggerOrderList', { contractName: wireName, page: 1, limit: 1000 });
      const pending = rows.filter(({ status }) => status.word === 'PENDING').map(({ triggerOrderId }) => triggerOrderId);
      if (pending.length === 0) break;
      for (const orderId of pending) {
        gone.add(orderId);
        await venue.once('futures.cancelTriggerOrder', { contractName: wireName, orderId });
      }
      await patience.wait(settings.lookEveryMs);
    }
  }
  return gone.size;
}
