// Calls of the exchange behind REST: counted while they are on the wire, silent after its end, and none of them throws.

import { ConfigError } from '../../../base/errors.ts';
import type { Given } from '../../../protocol/arguments.ts';
import { SECURITY } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op, type OpArgs, type OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CallOptions, RestClient } from '../client/restClient.ts';

/** Told of each outcome, and of what was asked, before those who asked. */
export type OutcomeListener = (op: Op, outcome: Outcome<unknown>, args: Given) => void;

export class Calls {
  readonly #client: Pick<RestClient, 'call'>;
  readonly #onOutcome: OutcomeListener;
  /** Calls that nobody has answered yet. */
  #open = 0;
  #isStopped = false;
  /** The key is not taken: whoever goes on asking looks like an attacker. */
  isLocked = false;
  #whenQuiet: (() => void) | null = null;

  constructor(client: Pick<RestClient, 'call'>, receive: OutcomeListener) {
    this.#client = client;
    this.#onOutcome = receive;
  }

  get open(): number {
    return this.#open;
  }
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** `done` is called once; of a call that is not to be sent (ConfigError), within this call, with `notSent`. */
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

  /** The value of a read, or null where there is none. */
  read<O extends Op>(op: O, args: OpArgs<O>, done: (value: OpResult<O> | null) => void, options: CallOptions): void {
    this.call(op, args, (outcome) => done(outcome.kind === 'acked' ? outcome.value : null), options);
  }

  /** Nothing is sent any more; `done` is called when what was sent has its answers. */
  stop(done: () => void): void {
    this.#isStopped = true;
    if (this.#open === 0) done();
    else this.#whenQuiet = done;
  }
}
