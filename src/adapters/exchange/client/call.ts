// One call on its way: the exchange's clock, its turn, the signature, the wire, what came of it, and for a read perhaps once more.

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
import { believed } from './asked.ts';
import type { UniqueTimestamps } from './uniqueTimestamps.ts';
import type { RestClientDeps } from './clientParts.ts';
import { isWrongTime, mayPass, retryPauseMs } from './retry.ts';
import { retryAfterMs } from './retryAfter.ts';

/** How long an answer is listened for that nobody waits for any more. */
export const LATE_MS = 60_000;

export interface CallTarget<O extends Op> {
  readonly op: O;
  readonly request: UnsignedRequest;
  readonly origin: string;
  /** What was asked: an answer to a read is held against it. */
  readonly args: Given;
}

export interface CallTerms {
  readonly priority: Priority;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly late: ((outcome: Outcome<unknown>) => void) | undefined;
  /** Undefined: the time at which it leaves. */
  readonly signMs: TimeMs | undefined;
}

/** What a client has for its calls. */
export interface RestCallDeps extends RestClientDeps {
  readonly times: UniqueTimestamps;
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
  /** Attempts begun. */
  #attempt = 0;
  #deadlineMs = 0;
  #timer: number | null = null;
  #pause: number | null = null;
  /** Gives up the place in the queue or the waiting for the wire. */
  #giveUp: (() => void) | null = null;
  /** Why the waiting was ended by the caller or the time limit. */
  #ended: string | null = null;
  /** Our time at which the last attempt left. */
  #sentMs: number | null = null;
  #isOnWire = false;
  /** The end of listening for an answer that nobody waits for. */
  #listening: number | null = null;
  #hasCorrectedTime = false;
  #isOver = false;
  /** Of the attempt before. */
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
  }

  start(): void {
    const { scheduler } = this.#parts;
    const { timeoutMs } = this.#terms;
    this.#deadlineMs = scheduler.nowMs + timeoutMs;
    this.#timer = scheduler.at(this.#deadlineMs, () => this.#end(`no answer within ${timeoutMs} ms`));
    this.#begin();
  }

  cancel(): void {
    this.#end('cancelled');
  }

  /** One attempt. What is signed wants the service's time, which is measured where it has not been yet. */
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
    // Where its turn came within the call, the wire's own is there already.
    if (!hasLeft) this.#giveUp = giveUp;
  }

  #send(ticket: Ticket): void {
    const { scheduler, wire, clock, times, credentials, dialect } = this.#parts;
    const { request, origin } = this.#target;
    const signMs = this.#terms.signMs ?? times.next(request, clock.now(this.#market).ms);
    const signed = signRequest(request, credentials, signMs, dialect);
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
    const stop = wire({ method, url: origin + target, headers, body }, (outcome) => this.#answered(outcome, ticket), late && received);
    this.#giveUp = () => {
      stop();
      if (late) this.#listening = scheduler.at(scheduler.nowMs + LATE_MS, stop);
    };
  }

  #stopListening(): void {
    if (this.#listening !== null) this.#parts.scheduler.cancel(this.#listening);
    this.#listening = null;
  }

  #answered(transport: WireOutcome, ticket: Ticket): void {
    const { clock } = this.#parts;
    this.#isOnWire = false;
    this.#giveUp = null;
    const isReply = transport.kind === 'reply';
    const found = outcomeOf(this.#target.op, this.#explained(transport));
    // What an acknowledgement of an order echoes is compared with the order itself.
    const outcome = this.#effect === 'read' ? believed(found, this.#target.args) : found;
    const waitMs = isReply ? retryAfterMs(transport.headers['retry-after'], clock.now(this.#market).ms) : null;
    ticket.answered(isReply ? transport.status : null, errorCodeOf(outcome), waitMs);
    this.#log(outcome, transport, false);
    // What never left is never answered, and a reply that overtook the cancel is all there is.
    if (isReply || outcome.kind === 'notSent') this.#stopListening();
    if (this.#ended !== null) this.#finish(outcome);
    else if (this.#isSigned && isWrongTime(outcome)) this.#correctTime(outcome);
    else if (this.#attempt < this.#maxAttempts && mayPass(this.#effect, outcome)) this.#again(outcome);
    else this.#finish(outcome);
  }

  /** One that corrected the time does not count. */
  get #maxAttempts(): number {
    return this.#terms.attempts + (this.#hasCorrectedTime ? 1 : 0);
  }

  /** A failure that we brought about is told as what it was. */
  #explained(transport: WireOutcome): WireOutcome {
    return transport.kind === 'failed' && this.#ended !== null ? { ...transport, cause: this.#ended } : transport;
  }

  /** The clocks differ by more than the service allows: measured again, which helps the next call; a read is asked once more itself. */
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

  #again(outcome: Outcome<OpResult<O>>): void {
    const { scheduler, random } = this.#parts;
    const atMs = scheduler.nowMs + retryPauseMs(this.#attempt, random());
    // An attempt for which no time is left would only make the caller wait.
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
    this.#later(() => this.#finish(outcome));
  }

  /** Ends the waiting. On the wire, the wire says how far it had come. */
  #end(why: string): void {
    if (this.#isOver || this.#ended !== null) return;
    this.#ended = why;
    const giveUp = this.#giveUp;
    this.#giveUp = null;
    giveUp?.();
    if (this.#isOnWire) return;
    // What an attempt before it brought says more than that the time is over.
    this.#later(() => this.#finish(this.#last ?? { kind: 'notSent', cause: why }));
  }

  #later(run: () => void): void {
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
