// The calls of one class on one key or address: who waits, who may go, and what the exchange says to it.

import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import { Allowance } from './allowance.ts';
import type { IpBan } from '../bans/ipBan.ts';
import type { ClassLimit } from './limitTable.ts';
import { bannedUnread, bannedUntil, queueFull, type LimitRefusal } from './refusal.ts';
import { fits, PRIORITIES, type Priority, type Usage } from './shares.ts';
import { RateStop, type Pass } from '../bans/rateStop.ts';
import { WindowUse, type Flight } from './windowUse.ts';

const STOP_RULES = { firstMs: 2000, maxMs: 300_000, forgivenMs: 300_000 } as const;

/** A call on its way. */
export interface Ticket {
  readonly op: Op;
  /**
   * To be told once, when the call is over: the HTTP status and the code of the service, null where there was none; both null where no
   * reply came. `retryAfterMs`: as the reply asks. A ticket that nobody answers counts for ever.
   */
  answered(status: number | null, code: number | null, retryAfterMs: number | null): void;
}

export interface QueuedCall {
  readonly op: Op;
  readonly priority: Priority;
  readonly weight: number;
  readonly go: (ticket: Ticket) => void;
  readonly refused: (why: LimitRefusal) => void;
}

/** What the classes of one address have in common. */
export interface SharedLimits {
  readonly scheduler: Scheduler;
  readonly bans: IpBan;
  /** Calls that wait at one priority of one class. */
  readonly maxWaiting: number;
  /** The address was banned. */
  readonly banned: () => void;
  /** The first call after a ban was answered. */
  readonly unbanned: () => void;
  readonly onEvent: (event: ClassEvent) => void;
}

/** The exchange answered 429 or -1003: the class is stopped. `allowance`: of the limit, from now on. */
export interface ClassEvent {
  readonly kind: 'limited';
  readonly rateClass: string;
  readonly untilMs: number;
  readonly strikes: number;
  readonly allowance: number;
}

/** For status pages. */
export interface ClassState {
  readonly rateClass: string;
  readonly scope: ClassLimit['scope'];
  readonly source: ClassLimit['source'];
  readonly windowMs: number;
  /** Weights in a window that the table or the configuration allows. */
  readonly limit: number;
  /** Of those, how many are used at most: less where the exchange has refused an unpublished limit. */
  readonly allowance: number;
  /** Weights that the exchange may count now. */
  readonly used: number;
  readonly waiting: number;
  /** While a 429 is sat out; else null. */
  readonly stoppedUntilMs: number | null;
}

export class RateClass implements Usage {
  readonly #limit: ClassLimit;
  readonly #common: SharedLimits;
  readonly #use: WindowUse;
  readonly #stop = new RateStop(STOP_RULES);
  readonly #allowance: Allowance;
  readonly #lanes: Readonly<Record<Priority, QueuedCall[]>> = { cancel: [], reconcile: [], order: [], steady: [] };
  #timer: number | null = null;
  #timerMs = Infinity;

  constructor(limit: ClassLimit, common: SharedLimits) {
    this.#limit = limit;
    this.#common = common;
    this.#use = new WindowUse(limit.windowMs);
    this.#allowance = new Allowance(limit.count, limit.heaviest, limit.windowMs);
  }

  /** Lets the call go as soon as it may. Returns what gives its place up. */
  enter(call: QueuedCall): () => void {
    const { bans, scheduler, maxWaiting } = this.#common;
    const bannedMs = bans.untilMs(scheduler.nowMs);
    const lane = this.#lanes[call.priority];
    if (bannedMs !== null) call.refused(this.#banned(call.op, bannedMs));
    else {
      // A timer that is late must not cost anybody the place.
      if (lane.length >= maxWaiting && scheduler.nowMs >= this.#timerMs) this.pump();
      if (lane.length >= maxWaiting) call.refused(queueFull(call.op, lane.length, this.#soonestMs()));
      else {
        lane.push(call);
        this.pump();
      }
    }
    return () => {
      const at = lane.indexOf(call);
      if (at < 0) return;
      lane.splice(at, 1);
      // Whoever stood behind a heavier call may fit.
      this.pump();
    };
  }

  /** Sends whoever may go now, and sees to it that the next one is woken. */
  pump(): void {
    const { nowMs } = this.#common.scheduler;
    this.#use.settle(nowMs);
    for (const priority of PRIORITIES) {
      const lane = this.#lanes[priority];
      while (lane[0] && this.#mayGo(lane[0], nowMs)) this.#send(lane[0], nowMs);
    }
    this.#arm(nowMs);
  }

  /** The address was banned: nobody waits for that. */
  refuseAll(): void {
    const { bans, scheduler } = this.#common;
    const bannedMs = bans.untilMs(scheduler.nowMs) ?? scheduler.nowMs;
    for (const priority of PRIORITIES) {
      for (const { op, refused } of this.#lanes[priority].splice(0)) refused(this.#banned(op, bannedMs));
    }
  }

  get state(): ClassState {
    const { nowMs } = this.#common.scheduler;
    this.#use.settle(nowMs);
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

  get used(): number {
    return this.#use.all;
  }
  sentBy(priority: Priority): number {
    return this.#use.sentBy(priority);
  }
  firstOf(priority: Priority): number {
    return this.#lanes[priority][0]?.weight ?? 0;
  }

  get #waiting(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.#lanes[priority].length, 0);
  }

  #mayGo({ priority, weight }: QueuedCall, nowMs: number): boolean {
    if (!this.#common.bans.mayPass(nowMs) || !this.#stop.mayPass(nowMs)) return false;
    if (fits(priority, weight, this, this.#allowance.now)) return true;
    this.#allowance.pressed(nowMs);
    return fits(priority, weight, this, this.#allowance.now);
  }

  /** Everything is as it will be before `go` runs: it may ask for another call, or be answered, within. */
  #send(call: QueuedCall, nowMs: number): void {
    const { op, priority, weight } = call;
    this.#lanes[priority].shift();
    const flight = this.#use.sent(priority, weight, nowMs);
    const [ban, stop] = [this.#common.bans.passed(), this.#stop.passed()];
    let isOver = false;
    call.go({
      op,
      answered: (status, code, retryAfterMs) => {
        if (isOver) return;
        isOver = true;
        this.#ended(flight, { ban, stop }, { status, code, retryAfterMs });
      },
    });
  }

  #ended(flight: Flight, passes: { readonly ban: Pass; readonly stop: Pass }, { status, code, retryAfterMs }: Reply): void {
    const { bans, scheduler, banned, unbanned } = this.#common;
    const { nowMs } = scheduler;
    const isLost = status === null && code === null;
    const level = Math.max(flight.level, this.#use.all);
    this.#use.ended(flight, isLost, nowMs);
    if (status === 418) {
      this.#stop.ended(passes.stop, false);
      bans.struck(passes.ban, nowMs, retryAfterMs);
      banned();
      return;
    }
    if (status === 429 || code === VENUE_CODES.tooManyRequests.code) this.#limited(passes.stop, level, retryAfterMs);
    else this.#stop.ended(passes.stop, !isLost);
    if (bans.ended(passes.ban, !isLost)) unbanned();
    else this.pump();
  }

  #limited(pass: Pass, level: number, retryAfterMs: number | null): void {
    const { rateClass, source } = this.#limit;
    const { nowMs } = this.#common.scheduler;
    const struck = this.#stop.struck(pass, nowMs, retryAfterMs);
    if (struck === 'same') return;
    if (struck === 'new' && (source === 'dialect' || source === 'assumed')) this.#allowance.refused(level, nowMs);
    const { untilMs, strikes } = this.#stop;
    this.#common.onEvent({ kind: 'limited', rateClass, untilMs, strikes, allowance: this.#allowance.now });
  }

  /** Answers wake those who wait by themselves; time has to be asked to. */
  #arm(nowMs: number): void {
    const { scheduler } = this.#common;
    const dueMs = this.#waiting === 0 ? Infinity : this.#stop.isOn(nowMs) ? this.#stop.untilMs : this.#use.nextMs;
    if (dueMs === this.#timerMs) return;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#timerMs = dueMs;
    if (dueMs === Infinity) return;
    this.#timer = scheduler.at(dueMs, () => {
      this.#timer = null;
      this.#timerMs = Infinity;
      this.pump();
    });
  }

  /** The next moment at which a place can become free. */
  #soonestMs(): number {
    const { nowMs } = this.#common.scheduler;
    if (this.#stop.isOn(nowMs)) return this.#stop.untilMs;
    return Math.max(nowMs, Math.min(this.#use.nextMs, nowMs + this.#limit.windowMs));
  }

  #banned(op: Op, untilMs: number): LimitRefusal {
    const { unreadable } = this.#common.bans;
    return unreadable ? bannedUnread(op, unreadable) : bannedUntil(op, untilMs);
  }
}

interface Reply {
  readonly status: number | null;
  readonly code: number | null;
  readonly retryAfterMs: number | null;
}
