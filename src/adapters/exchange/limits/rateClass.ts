// Runs one rate class of a key or address: queues its calls, sends them within the limit, and pauses when the venue refuses.

import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import { HTTP_STATUS } from '../../../protocol/errors/httpStatus.ts';
import { Allowance } from './allowance.ts';
import type { IpBan } from '../bans/ipBan.ts';
import type { ClassLimit } from './limitTable.ts';
import { bannedByRecord, bannedUntil, queueFull, type LimitRefusal } from './limitRefusal.ts';
import { fitsShare, PRIORITIES, type Priority, type Usage } from './priorityShares.ts';
import { RateStop, type Pass } from '../bans/rateStop.ts';
import { WindowUse, type Flight } from './windowUse.ts';

const STOP_RULES = { firstMs: 2000, maxMs: 300_000, forgivenMs: 300_000 } as const;
/**
 * Windows for which a process waits that may follow another one, ms. They are longer than those of the endpoint table: a start seldom uses up
 * these. They are not so long that a start would stand still.
 */
const AWAITED_WINDOW_MS = { above: 2000, max: 10_000 } as const;

/** Permission for one call. */
export interface Ticket {
  readonly op: Op;
  /**
   * Must be called once when the call has ended: the HTTP status and the service's code, null if absent, both null if no reply came.
   * `retryAfterMs`: the pause that the reply demands. Without this call, the ticket counts permanently.
   */
  finish(status: number | null, code: number | null, retryAfterMs: number | null): void;
}

/** A call that waits for its turn. */
export interface QueuedCall {
  readonly op: Op;
  readonly priority: Priority;
  readonly weight: number;
  readonly onTurn: (ticket: Ticket) => void;
  readonly onRefused: (reason: LimitRefusal) => void;
}

/** Collaborators and settings that the rate classes of one address share. */
export interface SharedLimits {
  readonly scheduler: Scheduler;
  readonly bans: IpBan;
  /** Maximum number of waiting calls for each class and priority. */
  readonly maxWaiting: number;
  /** When this process began. */
  readonly startMs: number;
  /** Returns true while calls wait for a window that began before this process: another one may have used it up. */
  readonly awaitsWindows: () => boolean;
  /** Called when the address is banned. */
  readonly onBan: () => void;
  /** Called when the first call after a ban got a reply. */
  readonly onBanEnd: () => void;
  readonly onEvent: (event: ClassEvent) => void;
}

/** The venue replied 429 or -1003, so the class pauses. `allowance`: the limit from now on. */
export interface ClassEvent {
  readonly kind: 'limited';
  readonly rateClass: string;
  readonly untilMs: number;
  readonly strikes: number;
  readonly allowance: number;
}

/** The state of a rate class, for status pages. */
export interface ClassState {
  readonly rateClass: string;
  readonly scope: ClassLimit['scope'];
  readonly source: ClassLimit['source'];
  readonly windowMs: number;
  /** Weight in a window that the table or the configuration allows. */
  readonly limit: number;
  /** The part of the limit that may be used: less after the venue has refused calls under an unpublished limit. */
  readonly allowance: number;
  /** Weight that the venue may count now. */
  readonly used: number;
  readonly waiting: number;
  /** End of the pause after a 429; null if there is no pause. */
  readonly stoppedUntilMs: number | null;
}

interface Reply {
  readonly status: number | null;
  readonly code: number | null;
  readonly retryAfterMs: number | null;
}

/** One rate class with its queues, one queue for each priority. */
export class RateClass implements Usage {
  readonly #limit: ClassLimit;
  readonly #shared: SharedLimits;
  readonly #use: WindowUse;
  readonly #stop = new RateStop(STOP_RULES);
  readonly #allowance: Allowance;
  readonly #queues: Readonly<Record<Priority, QueuedCall[]>> = { cancel: [], reconcile: [], order: [], bars: [], steady: [] };
  /** The end of a window that began before this process. */
  readonly #firstMs: number;
  #timer: number | null = null;
  #timerMs = Infinity;

  constructor(limit: ClassLimit, shared: SharedLimits) {
    this.#limit = limit;
    this.#shared = shared;
    this.#use = new WindowUse(limit.windowMs);
    this.#allowance = new Allowance(limit.count, limit.heaviest, limit.windowMs);
    const { above, max } = AWAITED_WINDOW_MS;
    const isAwaited = limit.windowMs > above && limit.windowMs <= max;
    this.#firstMs = isAwaited ? shared.startMs + this.#use.holdMs : -Infinity;
  }

  /** Sends the call as soon as the limit allows. Returns a function that cancels a waiting call. */
  enter(call: QueuedCall): () => void {
    const { bans, scheduler, maxWaiting } = this.#shared;
    const bannedMs = bans.untilMs(scheduler.nowMs);
    const queue = this.#queues[call.priority];
    if (bannedMs !== null) call.onRefused(this.#banRefusal(call.op, bannedMs));
    else {
      // If the timer is late, release waiting calls first, so that the queue is not full only for that reason.
      if (queue.length >= maxWaiting && scheduler.nowMs >= this.#timerMs) this.sendWaiting();
      if (queue.length >= maxWaiting) call.onRefused(queueFull(call.op, queue.length, this.#nextFreeMs()));
      else {
        queue.push(call);
        this.sendWaiting();
      }
    }
    return () => {
      const index = queue.indexOf(call);
      if (index < 0) return;
      queue.splice(index, 1);
      // A lighter call behind the removed one may fit now.
      this.sendWaiting();
    };
  }

  /** Sends all calls that may go now, and sets the timer for the next one. */
  sendWaiting(): void {
    const { nowMs } = this.#shared.scheduler;
    this.#use.removeExpired(nowMs);
    for (const priority of PRIORITIES) {
      const queue = this.#queues[priority];
      while (queue[0] && this.#mayBeSent(queue[0], nowMs)) this.#send(queue[0], nowMs);
    }
    this.#arm(nowMs);
  }

  /** Refuses all waiting calls, because the address is banned. */
  refuseAll(): void {
    const { bans, scheduler } = this.#shared;
    const bannedMs = bans.untilMs(scheduler.nowMs) ?? scheduler.nowMs;
    for (const priority of PRIORITIES) {
      for (const { op, onRefused } of this.#queues[priority].splice(0)) onRefused(this.#banRefusal(op, bannedMs));
    }
  }

  /** The limit, its use and its waiting calls now, for the status of the bot. */
  get state(): ClassState {
    const { nowMs } = this.#shared.scheduler;
    this.#use.removeExpired(nowMs);
    const { rateClass, scope, source, windowMs, count } = this.#limit;
    return {
      rateClass,
      scope,
      source,
      windowMs,
      limit: count,
      allowance: this.#allowance.now,
      used: this.#use.all,
      waiting: this.#waiting,
      stoppedUntilMs: this.#stop.isOn(nowMs) ? this.#stop.untilMs : null,
    };
  }

  /** The weight that counts against the limit now. */
  get used(): number {
    return this.#use.all;
  }
  /** Returns the weight that calls of one priority have used in the current window. */
  sentBy(priority: Priority): number {
    return this.#use.sentBy(priority);
  }
  /** Returns the weight of the next waiting call of a priority; 0 without one. */
  firstOf(priority: Priority): number {
    return this.#queues[priority][0]?.weight ?? 0;
  }

  get #waiting(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.#queues[priority].length, 0);
  }

  #mayBeSent({ priority, weight }: QueuedCall, nowMs: number): boolean {
    if (!this.#shared.bans.mayPass(nowMs) || !this.#stop.mayPass(nowMs)) return false;
    if (nowMs < this.#firstMs && this.#shared.awaitsWindows()) return false;
    if (fitsShare(priority, weight, this, this.#allowance.now)) return true;
    this.#allowance.onDemand(nowMs);
    return fitsShare(priority, weight, this, this.#allowance.now);
  }

  /** Updates all state before `onTurn` runs, because `onTurn` may request another call or report a reply at once. */
  #send(call: QueuedCall, nowMs: number): void {
    const { op, priority, weight } = call;
    this.#queues[priority].shift();
    const flight = this.#use.addFlight(priority, weight, nowMs);
    const ban = this.#shared.bans.beginCall();
    const stop = this.#stop.beginCall();
    let isOver = false;
    call.onTurn({
      op,
      finish: (status, code, retryAfterMs) => {
        if (isOver) return;
        isOver = true;
        this.#endCall(flight, { ban, stop }, { status, code, retryAfterMs });
      },
    });
  }

  /** Counts a call as ended, and reacts to a ban (418) or a rate limit (429) in its reply. */
  #endCall(flight: Flight, passes: { readonly ban: Pass; readonly stop: Pass }, { status, code, retryAfterMs }: Reply): void {
    const { bans, scheduler, onBan, onBanEnd } = this.#shared;
    const { nowMs } = scheduler;
    const isLost = status === null && code === null;
    const usedWeight = Math.max(flight.usedWeight, this.#use.all);
    this.#use.endFlight(flight, isLost, nowMs);
    if (status === HTTP_STATUS.banned) {
      this.#stop.noteCallEnd(passes.stop, false);
      bans.onBan(passes.ban, nowMs, retryAfterMs);
      onBan();
      return;
    }
    if (status === HTTP_STATUS.tooManyRequests || code === VENUE_CODES.tooManyRequests.code)
      this.#onRateLimit(passes.stop, usedWeight, retryAfterMs);
    else this.#stop.noteCallEnd(passes.stop, !isLost);
    if (bans.endCall(passes.ban, !isLost)) onBanEnd();
    else this.sendWaiting();
  }

  /**
   * Stops the class after a 429. A first refusal below an assumed limit lowers the allowance. `usedWeight`: weight in use when the call was
   * sent.
   */
  #onRateLimit(pass: Pass, usedWeight: number, retryAfterMs: number | null): void {
    const { rateClass, source } = this.#limit;
    const { nowMs } = this.#shared.scheduler;
    const pauseChange = this.#stop.noteViolation(pass, nowMs, retryAfterMs);
    if (pauseChange === 'same') return;
    if (pauseChange === 'new' && (source === 'dialect' || source === 'assumed')) this.#allowance.onRefusal(usedWeight, nowMs);
    const { untilMs, strikes } = this.#stop;
    this.#shared.onEvent({ kind: 'limited', rateClass, untilMs, strikes, allowance: this.#allowance.now });
  }

  /** Sets the timer for the next release. Replies release waiting calls by themselves; the passing of time needs a timer. */
  #arm(nowMs: number): void {
    const { scheduler } = this.#shared;
    const releaseMs = this.#stop.isOn(nowMs) ? this.#stop.untilMs : this.#nextReleaseMs(nowMs);
    const dueMs = this.#waiting === 0 ? Infinity : releaseMs;
    if (dueMs === this.#timerMs) return;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#timerMs = dueMs;
    if (dueMs === Infinity) return;
    this.#timer = scheduler.at(dueMs, () => {
      this.#timer = null;
      this.#timerMs = Infinity;
      this.sendWaiting();
    });
  }

  /** Returns the next time at which a place can become free. */
  #nextFreeMs(): number {
    const { nowMs } = this.#shared.scheduler;
    if (this.#stop.isOn(nowMs)) return this.#stop.untilMs;
    return Math.max(nowMs, Math.min(this.#nextReleaseMs(nowMs), nowMs + this.#limit.windowMs));
  }

  /** Returns the next time at which a waiting call may fit without a reply; Infinity if none is known. */
  #nextReleaseMs(nowMs: number): number {
    return nowMs < this.#firstMs ? Math.min(this.#firstMs, this.#use.nextMs) : this.#use.nextMs;
  }

  #banRefusal(op: Op, untilMs: number): LimitRefusal {
    const { unreadable } = this.#shared.bans;
    return unreadable ? bannedByRecord(op, unreadable) : bannedUntil(op, untilMs);
  }
}
