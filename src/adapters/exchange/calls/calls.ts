// Calls the REST client for the exchange: counts the calls on the wire, sends nothing after a stop, and returns errors as outcomes.

import { ConfigError } from '../../../base/errors.ts';
import { pending, type Work } from '../../../base/task.ts';
import type { CallArguments } from '../../../protocol/arguments.ts';
import { SECURITY } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op, type OpArgs, type OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CallOptions, RestClient } from '../client/restClient.ts';

/** Receives each outcome and its arguments before the caller does. */
export type OutcomeListener = (op: Op, outcome: Outcome<unknown>, args: CallArguments) => void;

/** The calls of one market's exchange. Every part of the exchange calls the venue through it. */
export class Calls {
  readonly #client: Pick<RestClient, 'call'>;
  readonly #onOutcome: OutcomeListener;
  /** Calls without a reply yet. */
  #openCount = 0;
  #isStopped = false;
  /** True once the venue has rejected the key. Further calls with the key would look like an attack. */
  isLocked = false;
  #onIdle: (() => void) | null = null;

  constructor(client: Pick<RestClient, 'call'>, onOutcome: OutcomeListener) {
    this.#client = client;
    this.#onOutcome = onOutcome;
  }

  /** Number of calls without a reply. */
  get openCount(): number {
    return this.#openCount;
  }
  /** True once the exchange was stopped: no further call is sent. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Sends a call and returns its outcome. A call that must not be sent (ConfigError) returns `notSent` at once. */
  *call<O extends Op>(op: O, args: OpArgs<O>, options: CallOptions = {}): Work<Outcome<OpResult<O>>> {
    if (this.#isStopped || (this.isLocked && SECURITY[endpointOf(op).security].key))
      return { kind: 'notSent', cause: this.#isStopped ? 'the exchange is being left' : 'the exchange does not take the key' };
    try {
      return yield* pending<Outcome<OpResult<O>>>((done) => this.#send(op, args, done, options));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { kind: 'notSent', cause: error.message };
    }
  }

  /** Returns the value of a read, or null if the read failed. */
  *read<O extends Op>(op: O, args: OpArgs<O>, options: CallOptions): Work<OpResult<O> | null> {
    const outcome = yield* this.call(op, args, options);
    return outcome.kind === 'acked' ? outcome.value : null;
  }

  /** Returns a function that cancels the call. `done` runs before the end of the last call is reported to `stop`. */
  #send<O extends Op>(op: O, args: OpArgs<O>, done: (outcome: Outcome<OpResult<O>>) => void, options: CallOptions): () => void {
    const onEnd = (outcome: Outcome<OpResult<O>>): void => {
      this.#openCount--;
      this.#onOutcome(op, outcome, args);
      done(outcome);
      if (this.#openCount === 0) this.#onIdle?.();
    };
    const cancel = this.#client.call(op, args, onEnd, options);
    this.#openCount++;
    return cancel;
  }

  /** Stops sending. Calls `done` when all calls on the wire have ended. */
  stop(done: () => void): void {
    this.#isStopped = true;
    if (this.#openCount === 0) done();
    else this.#onIdle = done;
  }
}
