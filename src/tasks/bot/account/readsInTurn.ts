// Gives reads longer to wait for the rate limit if a bot has many instruments, because an audit reads all instruments at once.

import type { CallOptions, RestClient } from '../../../adapters/exchange/client/restClient.ts';
import type { Limiter } from '../../../adapters/exchange/limits/limiter.ts';
import { SHARES } from '../../../adapters/exchange/limits/priorityShares.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';

/** Up to this wait, ms, a call gets its turn within its usual time limit, so that it needs no longer queue. */
const SHORT_MS = 5000;

/**
 * Returns the client with longer waits for reads: each may wait in the queue of its rate limit until every one of `instruments` was read
 * once. With few instruments nothing changes.
 */
export function readsInTurn(client: RestClient, limiter: Limiter, instruments: number): Pick<RestClient, 'call'> {
  const queueMs = (op: Op): number => {
    const { limit, weight } = limiter.limitOf(op);
    const perWindow = Math.max(1, Math.floor((limit.count * SHARES.common) / weight));
    const waitMs = Math.floor((instruments - 1) / perWindow) * limit.windowMs;
    return waitMs <= SHORT_MS ? 0 : waitMs;
  };
  return {
    call: <O extends Op>(op: O, args: OpArgs<O>, done: (outcome: Outcome<OpResult<O>>) => void, options?: CallOptions) =>
      client.call(op, args, done, { queueMs: queueMs(op), ...options }),
  };
}
