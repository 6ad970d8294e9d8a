// Calls of the REST client: counts those on the wire, sends nothing after a stop, and never throws.

import { ConfigError } from '../../../base/errors.ts';
import type { Given } from '../../../protocol/arguments.ts';
import { SECURITY } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op, type OpArgs, type OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CallOptions, RestClient } from '../client/restClient.ts';

/** Receives each outcome and its arguments before the caller does. */
export type OutcomeListener = (op: Op, outcome: Outcome<unknown>, args: Given) => void;

export class Calls {
  readonly #client: Pick<RestClient, 'call'>;
  readonly #onOutcome: OutcomeListener;
  /** Calls without a reply yet. */
  #open = 0;
  #isStopped = false;
  /** The venue has rejected the key. Further calls with it would look like an attack. */
  isLocked = false;
  #whenQuiet: (() => void) | null = null;

  constructor(client: Pick<RestClient, 'call'>, onOutcome: OutcomeListener) {
    this.#client = client;
    this.#onOutcome = onOutcome;
  }

  get open(): number {
    return this.#open;
  }
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Calls `done` once. If the call must not be sent (ConfigError), calls it with `notSent` before returning. */
  call<O extends Op>(op: O, args: OpArgs<O>, done: (outcome: Outcome<OpResult<O>>) => void, options: CallOptions = {}): void {
    if (this.#isStopped || (this.isLocked && SECURITY[endpointOf(op).security].key)) {
      done({ kind: 'notSent', cause: this.#isStopped ? 'the exchange is being left' : 'the exchange does not take the key' });
      return;
    }
    this.#open++;
    try {
      this.#client.call(
        op,
        args,
        (outcome) => {
          this.#open--;
          this.#onOutcome(op, outcome, args);
          done(outcome);
          if (this.#open === 0) this.#whenQuiet?.();
        },
        options,
      );
    } catch (error) {
      this.#open--;
      if (!(error instanceof ConfigError)) throw error;
      done({ kind: 'notSent', cause: error.message });
    }
  }

  /** Passes the value of a read, or null if the read failed. */
  read<O extends Op>(op: O, args: OpArgs<O>, done: (value: OpResult<O> | null) => void, options: CallOptions): void {
    this.call(op, args, (outcome) => done(outcome.kind === 'acked' ? outcome.value : null), options);
  }

  /** Stops sending. Calls `done` when all calls on the wire have ended. */
  stop(done: () => void): void {
    this.#isStopped = true;
    if (this.#open === 0) done();
    else this.#whenQuiet = done;
  }
}
