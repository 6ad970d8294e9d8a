// Runs one call: waits for the server clock and the rate limit, signs and sends the request, and returns the outcome. Retries failed reads.

import type { TimeMs } from '../../../base/brand.ts';
import type { Market } from '../../../model/instrument.ts';
import type { CallArguments } from '../../../protocol/arguments.ts';
import { SECURITY, type Effect } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op, type OpResult } from '../../../protocol/endpoints/endpoints.ts';
import { errorCodeOf, outcomeOf, type Outcome } from '../../../protocol/outcome.ts';
import { signRequest, type UnsignedRequest } from '../../../protocol/request.ts';
import type { WireOutcome } from '../../../ports/wire.ts';
import type { LimitRefusal, Priority, Ticket } from '../limits/limiter.ts';
import type { WireReply } from '../wire/lateReplyWire.ts';
import { checkSubject } from './checkSubject.ts';
import type { LastReplies } from './lastReplies.ts';
import type { UniqueTimestamps } from './uniqueTimestamps.ts';
import type { RestClientDeps } from './restClientDeps.ts';
import { isWrongTime, mayRetry, retryPauseMs } from './readRetry.ts';
import { retryAfterMs } from './retryAfter.ts';

/** How long to keep listening for a reply after the caller has timed out. */
export const LATE_MS = 60_000;

/** The operation that is called, its request, and the service that gets it. */
export interface CallTarget<O extends Op> {
  readonly op: O;
  readonly request: UnsignedRequest;
  readonly origin: string;
  /** The arguments of the call. The reply to a read is compared with them. */
  readonly args: CallArguments;
}

/** How a call is queued and how long its caller waits. */
export interface CallTerms {
  readonly priority: Priority;
  readonly timeoutMs: number;
  /** How much longer the first attempt may wait for the rate limit, ms. */
  readonly queueMs: number;
  readonly attempts: number;
  readonly late: ((outcome: Outcome<unknown>) => void) | undefined;
  /** Signing time; undefined means the time of sending. */
  readonly signMs: TimeMs | undefined;
}

/** Collaborators that all calls of a client share. */
export interface RestCallDeps extends RestClientDeps {
  readonly times: UniqueTimestamps;
  readonly replies: LastReplies;
}

type Done<O extends Op> = (outcome: Outcome<OpResult<O>>, sentMs: number | null) => void;

/** One call, from its start to its outcome. It reports exactly one outcome. */
export class RestCall<O extends Op> {
  readonly #deps: RestCallDeps;
  readonly #target: CallTarget<O>;
  readonly #terms: CallTerms;
  readonly #done: Done<O>;
  readonly #market: Market;
  readonly #effect: Effect;
  readonly #isSigned: boolean;
  readonly #isPublic: boolean;
  /** Attempts started. */
  #attempt = 0;
  #deadlineMs = 0;
  #timer: number | null = null;
  #pauseTimer: number | null = null;
  /** Leaves the queue, or stops waiting for the wire. */
  #leave: (() => void) | null = null;
  /** Why the caller or the time limit ended the call. */
  #endCause: string | null = null;
  /** Our time at which the last attempt was sent. */
  #sentMs: number | null = null;
  #isOnWire = false;
  /** Timer that ends the listening for a late reply. */
  #listenTimer: number | null = null;
  #hasCorrectedTime = false;
  #isOver = false;
  /** Outcome of the previous attempt. */
  #lastOutcome: Outcome<OpResult<O>> | null = null;

  constructor(deps: RestCallDeps, target: CallTarget<O>, terms: CallTerms, done: Done<O>) {
    this.#deps = deps;
    this.#target = target;
    this.#terms = terms;
    this.#done = done;
    const { market, effect, security } = endpointOf(target.op);
    this.#market = market;
    this.#effect = effect;
    this.#isSigned = SECURITY[security].signature;
    this.#isPublic = effect === 'read' && !SECURITY[security].key;
  }

  /** Starts the call and its time limit. Called once. */
  start(): void {
    const { timeoutMs, queueMs } = this.#terms;
    this.#endWithin(timeoutMs + queueMs);
    this.#startAttempt();
  }

  #endWithin(ms: number): void {
    const { scheduler } = this.#deps;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#deadlineMs = scheduler.nowMs + ms;
    this.#timer = scheduler.at(this.#deadlineMs, () => this.#abort(`no answer within ${this.#terms.timeoutMs} ms`));
  }

  /** Ends the call. A request that has not left is never sent. */
  cancel(): void {
    this.#abort('cancelled');
  }

  /** Starts one attempt. A signed call needs the server time, which is measured first if that has not happened. */
  #startAttempt(): void {
    this.#attempt++;
    if (this.#isSigned) this.#deps.clock.whenReady(this.#market, () => this.#queue());
    else this.#queue();
  }

  /** Waits for the rate limit, then sends. A refusal of the limiter ends the call. */
  #queue(): void {
    if (this.#isOver || this.#endCause !== null) return;
    let hasLeft = false;
    const leave = this.#deps.limiter.acquire(
      this.#target.op,
      this.#terms.priority,
      (ticket) => {
        hasLeft = true;
        this.#send(ticket);
      },
      (reason) => {
        hasLeft = true;
        this.#leave = null;
        this.#refuse(reason);
      },
    );
    // If the call was sent at once, `#send` has already set `#leave`.
    if (!hasLeft) this.#leave = leave;
  }

  /** Signs the request and sends it. A late reply, after the caller has timed out, goes to `late`. */
  #send(ticket: Ticket): void {
    const { scheduler, wire, clock, times, credentials, dialect } = this.#deps;
    const { request, origin } = this.#target;
    const signMs = this.#terms.signMs ?? times.uniqueMs(request, clock.now(this.#market).ms);
    const signed = signRequest(request, credentials, signMs, dialect);
    // The queue is left behind. From now on the call has the time limit of a call that did not wait.
    if (this.#terms.queueMs > 0 && this.#attempt === 1)
      this.#endWithin(Math.max(0, Math.min(this.#terms.timeoutMs, this.#deadlineMs - scheduler.nowMs)));
    const { method, target, headers, body } = signed;
    this.#isOnWire = true;
    this.#sentMs = scheduler.nowMs;
    const { late } = this.#terms;
    const takeReply = (reply: WireReply): void => {
      this.#stopListening();
      const outcome = outcomeOf(this.#target.op, reply);
      this.#log(outcome, reply, true);
      late?.(outcome);
    };
    const wireRequest = { method, url: origin + target, headers, body, isPublic: this.#isPublic };
    const stop = wire(wireRequest, (outcome) => this.#onTransportEnd(outcome, ticket), late && takeReply);
    this.#leave = () => {
      stop();
      if (late) this.#listenTimer = scheduler.at(scheduler.nowMs + LATE_MS, stop);
    };
  }

  #stopListening(): void {
    if (this.#listenTimer !== null) this.#deps.scheduler.cancel(this.#listenTimer);
    this.#listenTimer = null;
  }

  /** Handles the end of an attempt: the call ends, corrects its clock, or is retried. */
  #onTransportEnd(transport: WireOutcome, ticket: Ticket): void {
    const { clock } = this.#deps;
    this.#isOnWire = false;
    this.#leave = null;
    const isReply = transport.kind === 'reply';
    const outcome =
      isReply && this.#effect === 'read' ? this.#read(transport) : outcomeOf(this.#target.op, this.#explainFailure(transport));
    const waitMs = isReply ? retryAfterMs(transport.headers['retry-after'], clock.now(this.#market).ms) : null;
    ticket.finish(isReply ? transport.status : null, errorCodeOf(outcome), waitMs);
    this.#log(outcome, transport, false);
    // No reply follows: either it is here, or the request was never sent.
    if (isReply || outcome.kind === 'notSent') this.#stopListening();
    if (this.#endCause !== null) this.#finish(outcome);
    else if (this.#isSigned && isWrongTime(outcome)) this.#correctTime(outcome);
    else if (this.#attempt < this.#maxAttempts && mayRetry(this.#effect, outcome)) this.#retry(outcome);
    else this.#finish(outcome);
  }

  /** Returns the outcome of a read, and checks that the reply is about the requested symbol and order. */
  #read(reply: WireReply): Outcome<OpResult<O>> {
    const { op, args, request } = this.#target;
    // A read by POST has arguments in its body.
    return this.#deps.replies.outcomeOf(`${op} ${request.target} ${request.body}`, reply, () => checkSubject(outcomeOf(op, reply), args));
  }

  /** An attempt that only corrected the clock does not count. */
  get #maxAttempts(): number {
    return this.#terms.attempts + (this.#hasCorrectedTime ? 1 : 0);
  }

  /** Returns the wire's outcome. If the call was ended here, the failure has that cause. */
  #explainFailure(transport: WireOutcome): WireOutcome {
    return transport.kind === 'failed' && this.#endCause !== null ? { ...transport, cause: this.#endCause } : transport;
  }

  /** The request time differed too much from the service's clock. Measures the clock again for later calls, and retries a read once. */
  #correctTime(outcome: Outcome<OpResult<O>>): void {
    const { clock } = this.#deps;
    const isNewer = this.#sentMs !== null && clock.isMeasuredSince(this.#market, this.#sentMs);
    const shouldRetry = this.#effect === 'read' && !this.#hasCorrectedTime;
    this.#hasCorrectedTime = true;
    this.#lastOutcome = outcome;
    if (shouldRetry && isNewer) this.#startAttempt();
    else if (shouldRetry) clock.correct(this.#market, (isMeasured) => (isMeasured ? this.#startAttempt() : this.#finish(outcome)));
    else {
      if (!isNewer) clock.correct(this.#market);
      this.#finish(outcome);
    }
  }

  /** Starts the next attempt after a pause, or ends with `outcome` if the deadline comes first. */
  #retry(outcome: Outcome<OpResult<O>>): void {
    const { scheduler, random } = this.#deps;
    const atMs = scheduler.nowMs + retryPauseMs(this.#attempt, random());
    // An attempt that starts after the deadline cannot succeed.
    if (atMs >= this.#deadlineMs) {
      this.#finish(outcome);
      return;
    }
    this.#lastOutcome = outcome;
    this.#pauseTimer = scheduler.at(atMs, () => {
      this.#pauseTimer = null;
      this.#startAttempt();
    });
  }

  #refuse(refusal: LimitRefusal): void {
    const outcome: Outcome<never> = { kind: 'notSent', cause: refusal.message };
    this.#sentMs = null;
    this.#log(outcome, null, false);
    this.#schedule(() => this.#finish(outcome));
  }

  /** Ends the call. If the request is on the wire, the wire reports how far it got. */
  #abort(reason: string): void {
    if (this.#isOver || this.#endCause !== null) return;
    this.#endCause = reason;
    const leave = this.#leave;
    this.#leave = null;
    leave?.();
    if (this.#isOnWire) return;
    // The outcome of an earlier attempt is more precise than the time-out.
    this.#schedule(() => this.#finish(this.#lastOutcome ?? { kind: 'notSent', cause: reason }));
  }

  #schedule(run: () => void): void {
    const { scheduler } = this.#deps;
    scheduler.at(scheduler.nowMs, run);
  }

  #finish(outcome: Outcome<OpResult<O>>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { scheduler } = this.#deps;
    for (const handle of [this.#timer, this.#pauseTimer]) if (handle !== null) scheduler.cancel(handle);
    this.#done(outcome, this.#sentMs);
  }

  /** Logs one attempt. `isLate`: the caller had timed out before the reply came. */
  #log(outcome: Outcome<unknown>, transport: WireOutcome | null, isLate: boolean): void {
    const { log, scheduler } = this.#deps;
    log?.({
      op: this.#target.op,
      kind: outcome.kind,
      attempt: this.#attempt,
      latencyMs: this.#sentMs === null || outcome.kind === 'notSent' ? null : scheduler.nowMs - this.#sentMs,
      status: transport?.kind === 'reply' ? transport.status : null,
      code: errorCodeOf(outcome),
      isLate,
    });
  }
}
