// The REST client of the venue: each call has one outcome within a time limit. Only reads are sent more than once.

import { assertNever } from '../../../base/assert.ts';
import type { TimeMs } from '../../../base/brand.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';
import type { CallArguments } from '../../../protocol/arguments.ts';
import { SECURITY, type Effect } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op, type OpArgs, type OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { buildUntypedRequest, buildRequest, type UnsignedRequest } from '../../../protocol/request.ts';
import type { Priority } from '../limits/limiter.ts';
import type { ClockSample } from '../time/clockOffset.ts';
import { checkedOrigin } from '../wire/origin.ts';
import { RestCall, type RestCallDeps, type CallTerms } from './restCall.ts';
import { LastReplies } from './lastReplies.ts';
import { PageLimits } from './pageLimits.ts';
import { UniqueTimestamps } from './uniqueTimestamps.ts';
import type { RestClientDeps } from './restClientDeps.ts';

/** How to send a call. */
export interface CallOptions {
  /** Place in the rate-limit queue. The default depends on the call: cancels first, then orders, reads last. */
  readonly priority?: Priority;
  /** Limit of the whole call in ms, including the queue and further attempts; default 10 000. */
  readonly timeoutMs?: number;
  /** Reads: how much longer the first attempt may wait in the rate-limit queue, ms; default 0. */
  readonly queueMs?: number;
  /** Attempts of a read, 1 to 5; default 3. All other calls have one. */
  readonly attempts?: number;
  /** For calls that are not reads: receives, at most once, a reply that comes after the time limit or a cancel, up to `LATE_MS` later. */
  readonly late?: (outcome: Outcome<unknown>) => void;
  /** Sign with this venue time (ms UTC) instead of the time of sending. For an order it is the time in its journal. */
  readonly signMs?: TimeMs;
}

const TIMEOUT_MS = 10_000;
const ATTEMPTS = { default: 3, max: 5 } as const;
/** Time limit of one reading of the server time. */
const SAMPLE_TIMEOUT_MS = 5000;

/** Sends the calls of one key to both markets. Rate limits, signing, time limits and repetitions are decided here, for every caller alike. */
export class RestClient {
  readonly #deps: RestCallDeps;
  readonly #origins: Readonly<Record<Market, string>>;
  readonly #pageLimits = new PageLimits();

  /** Throws ConfigError for base URLs that are neither https nor on this computer. */
  constructor(deps: RestClientDeps) {
    const { spot, futures } = deps.baseUrls;
    this.#origins = { spot: checkedOrigin(spot, 'the base URL of spot'), futures: checkedOrigin(futures, 'the base URL of futures') };
    this.#deps = { ...deps, times: new UniqueTimestamps(), replies: new LastReplies() };
    deps.clock.attach((market, done) => this.#readTime(market, done));
  }

  /** The call that has the positions of contracts. */
  get positionsFrom(): Dialect['positionsFrom'] {
    return this.#deps.dialect.positionsFrom;
  }

  /**
   * Calls `op`. A list of more rows than the exchange allows is asked for again with fewer; the reply then has fewer rows than `args` asks for.
   * `done` is called exactly once, never before this returns. Returns a function that ends the call: an unsent request is never
   * sent and ends `notSent`; a sent one ends `unknown`. Throws ConfigError, before anything is sent, for invalid arguments and for a signed
   * call without credentials.
   */
  call<O extends Op>(op: O, args: OpArgs<O>, done: (outcome: Outcome<OpResult<O>>) => void, options: CallOptions = {}): () => void {
    const { dialect, scheduler } = this.#deps;
    const endMs = scheduler.nowMs + (options.timeoutMs ?? TIMEOUT_MS);
    /** Asks for a page. If the exchange does not allow it, asks once more for a shorter one, within the time limit of the whole call. */
    const ask = (askedArgs: OpArgs<O>, askedOptions: CallOptions): (() => void) => {
      const onOutcome = (outcome: Outcome<OpResult<O>>): void => {
        const timeoutMs = endMs - scheduler.nowMs;
        const shorterArgs = timeoutMs > 0 ? this.#pageLimits.shorter(op, askedArgs, outcome) : null;
        if (shorterArgs !== null) end = ask(shorterArgs, { ...options, timeoutMs });
        else {
          if (outcome.kind === 'acked') this.#pageLimits.noteAnswered(op, askedArgs, askedArgs !== args);
          done(outcome);
        }
      };
      return this.#start(op, askedArgs, buildRequest(op, askedArgs, dialect), onOutcome, this.#terms(op, askedOptions));
    };
    let end = ask(this.#pageLimits.fit(op, args), options);
    return () => end();
  }

  /** Like `call`, for arguments without static types, such as those of a command line. */
  callChecked(op: Op, args: CallArguments, done: (outcome: Outcome<unknown>) => void, options: CallOptions = {}): () => void {
    return this.#start(op, args, buildUntypedRequest(op, args, this.#deps.dialect), done, this.#terms(op, options));
  }

  /** Starts a call. Returns a function that cancels it. Throws ConfigError if the call needs a key and has none. */
  #start<O extends Op>(
    op: O,
    args: CallArguments,
    request: UnsignedRequest,
    done: (outcome: Outcome<OpResult<O>>) => void,
    terms: CallTerms,
  ): () => void {
    const { market, security } = endpointOf(op);
    if (SECURITY[security].key && this.#deps.credentials === null) {
      throw new ConfigError(`${op}: expected an API key and secret, got none`, 'set ISOBAR_API_KEY and ISOBAR_API_SECRET');
    }
    const call = new RestCall<O>(this.#deps, { op, args, request, origin: this.#origins[market] }, terms, (outcome) => done(outcome));
    call.start();
    return () => call.cancel();
  }

  #terms(op: Op, { priority, timeoutMs = TIMEOUT_MS, queueMs = 0, attempts = ATTEMPTS.default, late, signMs }: CallOptions): CallTerms {
    const { effect } = endpointOf(op);
    const isRead = effect === 'read';
    const maxAttempts = isRead ? Math.min(Math.max(1, Math.floor(attempts)), ATTEMPTS.max) : 1;
    const waits = { timeoutMs, queueMs: isRead ? queueMs : 0 };
    return { priority: priority ?? priorityOf(effect), ...waits, attempts: maxAttempts, late: isRead ? undefined : late, signMs };
  }

  /** Reads the server time once, as a sample for the clock. */
  #readTime(market: Market, done: (sample: ClockSample | null) => void): void {
    const { scheduler, dialect } = this.#deps;
    const op = market === 'spot' ? 'spot.serverTime' : 'futures.serverTime';
    const terms: CallTerms = {
      priority: 'reconcile',
      timeoutMs: SAMPLE_TIMEOUT_MS,
      queueMs: 0,
      attempts: 1,
      late: undefined,
      signMs: undefined,
    };
    const target = { op, args: {}, request: buildRequest(op, {}, dialect), origin: this.#origins[market] } as const;
    const call = new RestCall<typeof op>(this.#deps, target, terms, (outcome, sentMs) =>
      done(
        outcome.kind === 'acked' && sentMs !== null ? { sentMs, receivedMs: scheduler.nowMs, serverMs: outcome.value.serverTimeMs } : null,
      ),
    );
    call.start();
  }
}

/** Returns the priority of a call by its effect. */
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
