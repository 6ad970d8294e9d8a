// Gives reads longer to wait for the rate limit if a bot has many instruments, because an audit reads all instruments at once.

import type { CallOptions, RestClient } from '../../../adapters/exchange/client/restClient.ts';
import type { Limiter } from '../../../adapters/exchange/limits/limiter.ts';
import { SHARES } from '../../../adapters/exchange/limits/priorityShares.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';

/** A call that waits at most this long, ms, gets its turn within its usual time limit. It needs no longer wait in the queue. */
const MAX_UNQUEUED_MS = 5000;

/**
 * Returns the client with longer waits for reads. Each read may wait in the queue of its rate limit until each of the `instrumentCount`
 * instruments was read once. With few instruments nothing changes.
 */
export function readsInTurn(client: RestClient, limiter: Limiter, instrumentCount: number): Pick<RestClient, 'call'> {
  const queueMs = (op: Op): number => {
    const { limit, weight } = limiter.limitOf(op);
    const callsPerWindow = Math.max(1, Math.floor((limit.count * SHARES.common) / weight));
    const waitMs = Math.floor((instrumentCount - 1) / callsPerWindow) * limit.windowMs;
    return waitMs <= MAX_UNQUEUED_MS ? 0 : waitMs;
  };
  return {
    call: <O extends Op>(op: O, args: OpArgs<O>, done: (outcome: Outcome<OpResult<O>>) => void, options?: CallOptions) =>
      client.call(op, args, done, { queueMs: queueMs(op), ...options }),
  };
}
