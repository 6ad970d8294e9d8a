// The client of the trading service: one call in, one outcome out, within a time limit; what is not a read is sent at most once.

import { assertNever } from '../../../base/assert.ts';
import type { TimeMs } from '../../../base/brand.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';
import type { Given } from '../../../protocol/arguments.ts';
import { SECURITY, type Effect } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op, type OpArgs, type OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { buildChecked, buildRequest, type UnsignedRequest } from '../../../protocol/request.ts';
import type { Priority } from '../limits/limiter.ts';
import type { ClockSample } from '../time/offset.ts';
import { checkedOrigin } from '../wire/origin.ts';
import { RestCall, type RestCallDeps, type CallTerms } from './call.ts';
import { UniqueTimestamps } from './uniqueTimestamps.ts';
import type { RestClientDeps } from './clientParts.ts';

export interface CallOptions {
  /** Place in the queue for the rate limit; default by what the call does: cancels first, then orders, reads last. */
  readonly priority?: Priority;
  /** ms for the whole call, waiting for its turn and further attempts included; default 10 000. */
  readonly timeoutMs?: number;
  /** Of a read, 1 to 5; default 3. Everything else has one. */
  readonly attempts?: number;
  /**
   * Of a call that is no read: told, at most once, what its answer says when that comes after the time limit or a cancel. It is listened
   * for during `LATE_MS`.
   */
  readonly late?: (outcome: Outcome<unknown>) => void;
  /** Signed with this time of the exchange in place of the time at which it leaves: of an order, what its journal says (ms UTC). */
  readonly signMs?: TimeMs;
}

const TIMEOUT_MS = 10_000;
const ATTEMPTS = { default: 3, max: 5 } as const;
const SAMPLE_TIMEOUT_MS = 5000;

export class RestClient {
  readonly #parts: RestCallDeps;
  readonly #origins: Readonly<Record<Market, string>>;

  /** Throws ConfigError for base URLs that are neither https nor of this computer. */
  constructor(parts: RestClientDeps) {
    const { spot, futures } = parts.baseUrls;
    this.#origins = { spot: checkedOrigin(spot, 'the base URL of spot'), futures: checkedOrigin(futures, 'the base URL of futures') };
    this.#parts = { ...parts, times: new UniqueTimestamps() };
    parts.clock.attach((market, done) => this.#askTime(market, done));
  }

  /**
   * Calls `op`. `done` is called exactly once and never within the call. Returns a function that ends the waiting: what had not left
   * never leaves and ends `notSent`; of what had, the outcome is `unknown`. Throws ConfigError, before anything is sent, for arguments
   * that are not to be sent and for a signed call without credentials.
   */
  call<O extends Op>(op: O, args: OpArgs<O>, done: (outcome: Outcome<OpResult<O>>) => void, options: CallOptions = {}): () => void {
    return this.#start(op, args, buildRequest(op, args, this.#parts.dialect), done, this.#terms(op, options));
  }

  /** The same for arguments that nobody has checked, such as those of a command line. */
  callChecked(op: Op, args: Given, done: (outcome: Outcome<unknown>) => void, options: CallOptions = {}): () => void {
    return this.#start(op, args, buildChecked(op, args, this.#parts.dialect), done, this.#terms(op, options));
  }

  #start<O extends Op>(
    op: O,
    args: Given,
    request: UnsignedRequest,
    done: (outcome: Outcome<OpResult<O>>) => void,
    terms: CallTerms,
  ): () => void {
    const { market, security } = endpointOf(op);
    if (SECURITY[security].key && this.#parts.credentials === null) {
      throw new ConfigError(`${op}: expected an API key and secret, got none`, 'set ISOBAR_API_KEY and ISOBAR_API_SECRET');
    }
    const call = new RestCall<O>(this.#parts, { op, args, request, origin: this.#origins[market] }, terms, (outcome) => done(outcome));
    call.start();
    return () => call.cancel();
  }

  #terms(op: Op, { priority, timeoutMs = TIMEOUT_MS, attempts = ATTEMPTS.default, late, signMs }: CallOptions): CallTerms {
    const { effect } = endpointOf(op);
    const max = effect === 'read' ? Math.min(Math.max(1, Math.floor(attempts)), ATTEMPTS.max) : 1;
    return { priority: priority ?? priorityOf(effect), timeoutMs, attempts: max, late: effect === 'read' ? undefined : late, signMs };
  }

  #askTime(market: Market, done: (sample: ClockSample | null) => void): void {
    const { scheduler, dialect } = this.#parts;
    const op = market === 'spot' ? 'spot.serverTime' : 'futures.serverTime';
    const terms: CallTerms = { priority: 'reconcile', timeoutMs: SAMPLE_TIMEOUT_MS, attempts: 1, late: undefined, signMs: undefined };
    const target = { op, args: {}, request: buildRequest(op, {}, dialect), origin: this.#origins[market] } as const;
    const call = new RestCall<typeof op>(this.#parts, target, terms, (outcome, sentMs) =>
      done(
        outcome.kind === 'acked' && sentMs !== null ? { sentMs, receivedMs: scheduler.nowMs, serverMs: outcome.value.serverTimeMs } : null,
      ),
    );
    call.start();
  }
}

function priorityOf(effect: Effect): Priority {
  switch (effect) {
    case 'cancel':
      return 'cancel';
    case 'create':
    case 'test':
    case 'setting':
      return 'order';
    case 'read':
      return 'steady';
    default:
      return assertNever(effect);
  }
}
