// A call as a promise, for commands that have nothing else to do meanwhile.

import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CallOptions, RestClient } from './restClient.ts';

/** Resolves with the outcome, whatever it is; rejects with ConfigError where nothing was to be sent. */
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
