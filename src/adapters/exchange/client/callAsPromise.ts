// Wraps a call in a promise, for commands that do nothing else meanwhile.

import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CallOptions, RestClient } from './restClient.ts';

/** Resolves with the outcome, also that of a failed call. Rejects with ConfigError if the call must not be sent. */
export function callAsPromise<O extends Op>(
  client: RestClient,
  op: O,
  args: OpArgs<O>,
  options: CallOptions = {},
): Promise<Outcome<OpResult<O>>> {
  return new Promise((resolve) => {
    client.call(op, args, resolve, options);
  });
}
