// The life of one call: server clock, rate limit, signature, wire, outcome, and for a failed read perhaps another attempt.

import type { TimeMs } from '../../../base/brand.ts';
import type { Market } from '../../../model/instrument.ts';
import type { Given } from '../../../protocol/arguments.ts';
import { SECURITY, type Effect } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op, type OpResult } from '../../../protocol/endpoints/endpoints.ts';
import { errorCodeOf, outcomeOf, type Outcome } from '../../../protocol/outcome.ts';
import { signRequest, type UnsignedRequest } from '../../../protocol/request.ts';
import type { WireOutcome } from '../../../ports/wire.ts';
import type { LimitRefusal, Priority, Ticket } from '../limits/limiter.ts';
import type { WireReply } from '../wire/lateReplyWire.ts';
import { checkSubject } from './asked.ts';
import type { LastReplies } from './lastReplies.ts';
import type { UniqueTimestamps } from './uniqueTimestamps.ts';
import type { RestClientDeps } from './clientParts.ts';
import { isWrongTime, mayPass, retryPauseMs } from './retry.ts';
import { retryAfterMs } from './retryAfter.ts';

/** How long to keep listening for a reply after the caller has timed out. */
export const LATE_MS = 60_000;

export interface CallTarget<O extends Op> {
  readonly op: O;
  readonly request: UnsignedRequest;
  readonly origin: string;
  /** The arguments of the call. The reply to a read is compared with them. */
  readonly args: Given;
}

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

/** The parts that all calls of a client share. */
export interface RestCallDeps extends RestClientDeps {
  readonly times: UniqueTimestamps;
  readonly replies: LastReplies;
}

type Done<O extends Op> = (outcome: Outcome<OpResult<O>>, sentMs: number | null) => void;

export class RestCall<O extends Op> {
  readonly #parts: RestCallDeps;
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
  #pause: number | null = null;
  /** Leaves the queue, or stops waiting for the wire. */
  #giveUp: (() => void) | null = null;
  /** Why the caller or the time limit ended the call. */
  #ended: string | null = null;
  /** Our time at which the last attempt was sent. */
  #sentMs: number | null = null;
  #isOnWire = false;
  /** Timer that ends the listening for a late reply. */
  #listening: number | null = null;
  #hasCorrectedTime = false;
  #isOver = false;
  /** Outcome of the previous attempt. */
  #last: Outcome<OpResult<O>> | null = null;

  constructor(parts: RestCallDeps, target: CallTarget<O>, terms: CallTerms, done: Done<O>) {
    this.#parts = parts;
    this.#target = target;
    this.#terms = terms;
    this.#done = done;
    const { market, effect, security } = endpointOf(target.op);
    this.#market = market;
    this.#effect = effect;
    this.#isSigned = SECURITY[security].signature;
    this.#isPublic = effect === 'read' && !SECURITY[security].key;
  }

  start(): void {
    const { timeoutMs, queueMs } = this.#terms;
    this.#endWithin(timeoutMs + queueMs);
    this.#begin();
  }

  #endWithin(ms: number): void {
    const { scheduler } = this.#parts;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#deadlineMs = scheduler.nowMs + ms;
    this.#timer = scheduler.at(this.#deadlineMs, () => this.#end(`no answer within ${this.#terms.timeoutMs} ms`));
  }

  cancel(): void {
    this.#end('cancelled');
  }

  /** Starts one attempt. A signed call needs the server time, which is measured first if that has not happened. */
  #begin(): void {
    this.#attempt++;
    if (this.#isSigned) this.#parts.clock.whenReady(this.#market, () => this.#queue());
    else this.#queue();
  }

  #queue(): void {
    if (this.#isOver || this.#ended !== null) return;
    let hasLeft = false;
    const giveUp = this.#parts.limiter.acquire(
      this.#target.op,
      this.#terms.priority,
      (ticket) => {
        hasLeft = true;
        this.#send(ticket);
      },
      (why) => {
        hasLeft = true;
        this.#giveUp = null;
        this.#refuse(why);
      },
    );
    // If the call was sent at once, `#send` has already set its own function.
    if (!hasLeft) this.#giveUp = giveUp;
  }

  #send(ticket: Ticket): void {
    const { scheduler, wire, clock, times, credentials, dialect } = this.#parts;
    const { request, origin } = this.#target;
    const signMs = this.#terms.signMs ?? times.next(request, clock.now(this.#market).ms);
    const signed = signRequest(request, credentials, signMs, dialect);
    // It has had its turn. An answer takes no longer than that of a call that did not wait.
    if (this.#terms.queueMs > 0 && this.#attempt === 1)
      this.#endWithin(Math.max(0, Math.min(this.#terms.timeoutMs, this.#deadlineMs - scheduler.nowMs)));
    const { method, target, headers, body } = signed;
    this.#isOnWire = true;
    this.#sentMs = scheduler.nowMs;
    const { late } = this.#terms;
    const received = (reply: WireReply): void => {
      this.#stopListening();
      const outcome = outcomeOf(this.#target.op, reply);
      this.#log(outcome, reply, true);
      late?.(outcome);
    };
    const wired = { method, url: origin + target, headers, body, isPublic: this.#isPublic };
    const stop = wire(wired, (outcome) => this.#onAnswer(outcome, ticket), late && received);
    this.#giveUp = () => {
      stop();
      if (late) this.#listening = scheduler.at(scheduler.nowMs + LATE_MS, stop);
    };
  }

  #stopListening(): void {
    if (this.#listening !== null) this.#parts.scheduler.cancel(this.#listening);
    this.#listening = null;
  }

  #onAnswer(transport: WireOutcome, ticket: Ticket): void {
    const { clock } = this.#parts;
    this.#isOnWire = false;
    this.#giveUp = null;
    const isReply = transport.kind === 'reply';
    const outcome =
      isReply && this.#effect === 'read' ? this.#read(transport) : outcomeOf(this.#target.op, this.#explainFailure(transport));
    const waitMs = isReply ? retryAfterMs(transport.headers['retry-after'], clock.now(this.#market).ms) : null;
    ticket.finish(isReply ? transport.status : null, errorCodeOf(outcome), waitMs);
    this.#log(outcome, transport, false);
    // A request that was never sent gets no reply. If the reply arrived before the cancel, no other follows.
    if (isReply || outcome.kind === 'notSent') this.#stopListening();
    if (this.#ended !== null) this.#finish(outcome);
    else if (this.#isSigned && isWrongTime(outcome)) this.#correctTime(outcome);
    else if (this.#attempt < this.#maxAttempts && mayPass(this.#effect, outcome)) this.#retry(outcome);
    else this.#finish(outcome);
  }

  /** Reads only: the acknowledgement of an order is compared with the order elsewhere. */
  #read(reply: WireReply): Outcome<OpResult<O>> {
    const { op, args, request } = this.#target;
    // The body of a read by POST is part of what was asked.
    return this.#parts.replies.outcomeOf(`${op} ${request.target} ${request.body}`, reply, () => checkSubject(outcomeOf(op, reply), args));
  }

  /** An attempt that only corrected the clock does not count. */
  get #maxAttempts(): number {
    return this.#terms.attempts + (this.#hasCorrectedTime ? 1 : 0);
  }

  /** Returns the outcome. If this call caused the failure itself, its own cause replaces that of the wire. */
  #explainFailure(transport: WireOutcome): WireOutcome {
    return transport.kind === 'failed' && this.#ended !== null ? { ...transport, cause: this.#ended } : transport;
  }

  /** The request time differed too much from the service's clock. Measures the clock again for later calls, and retries a read once. */
  #correctTime(outcome: Outcome<OpResult<O>>): void {
    const { clock } = this.#parts;
    const isNewer = this.#sentMs !== null && clock.isMeasuredSince(this.#market, this.#sentMs);
    const again = this.#effect === 'read' && !this.#hasCorrectedTime;
    this.#hasCorrectedTime = true;
    this.#last = outcome;
    if (again && isNewer) this.#begin();
    else if (again) clock.correct(this.#market, (isMeasured) => (isMeasured ? this.#begin() : this.#finish(outcome)));
    else {
      if (!isNewer) clock.correct(this.#market);
      this.#finish(outcome);
    }
  }

  #retry(outcome: Outcome<OpResult<O>>): void {
    const { scheduler, random } = this.#parts;
    const atMs = scheduler.nowMs + retryPauseMs(this.#attempt, random());
    // An attempt that cannot finish before the deadline would only make the caller wait.
    if (atMs >= this.#deadlineMs) {
      this.#finish(outcome);
      return;
    }
    this.#last = outcome;
    this.#pause = scheduler.at(atMs, () => {
      this.#pause = null;
      this.#begin();
    });
  }

  #refuse(why: LimitRefusal): void {
    const outcome: Outcome<never> = { kind: 'notSent', cause: why.message };
    this.#sentMs = null;
    this.#log(outcome, null, false);
    this.#schedule(() => this.#finish(outcome));
  }

  /** Ends the call. If the request is on the wire, the wire reports how far it got. */
  #end(why: string): void {
    if (this.#isOver || this.#ended !== null) return;
    this.#ended = why;
    const giveUp = this.#giveUp;
    this.#giveUp = null;
    giveUp?.();
    if (this.#isOnWire) return;
    // The outcome of an earlier attempt says more than the time-out.
    this.#schedule(() => this.#finish(this.#last ?? { kind: 'notSent', cause: why }));
  }

  #schedule(run: () => void): void {
    const { scheduler } = this.#parts;
    scheduler.at(scheduler.nowMs, run);
  }

  #finish(outcome: Outcome<OpResult<O>>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { scheduler } = this.#parts;
    for (const handle of [this.#timer, this.#pause]) if (handle !== null) scheduler.cancel(handle);
    this.#done(outcome, this.#sentMs);
  }

  #log(outcome: Outcome<unknown>, transport: WireOutcome | null, isLate: boolean): void {
    const { log, scheduler } = this.#parts;
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
