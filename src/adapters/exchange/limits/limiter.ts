// Keeps the process within the venue's rate limits. Every call waits here for its turn before it is sent.

import { ConfigError } from '../../../base/errors.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import { BAN_MIN_MS, IpBan, type BanEvent } from '../bans/ipBan.ts';
import type { BanStore } from '../bans/banStore.ts';
import { limitTable, type LimitOverrides, type OpLimit } from './limitTable.ts';
import { RateClass, type ClassEvent, type ClassState, type SharedLimits, type Ticket } from './rateClass.ts';
import type { LimitRefusal } from './limitRefusal.ts';
import type { Priority } from './priorityShares.ts';

export type { Priority, Ticket, LimitRefusal };

/** A change of the ban or of a rate class. */
export type LimitEvent = BanEvent | ClassEvent;

/** What a caller may choose. */
export interface LimiterOptions {
  /** The user's overrides of the endpoint table. */
  readonly limits?: LimitOverrides;
  /** First pause after a 418: at least 300 000 ms, which is the default. */
  readonly banMinMs?: number;
  /** Storage that keeps a ban across restarts; null (default) for simulated venues. */
  readonly bans?: BanStore | null;
  /** True if public calls also carry the key and count on it. Default false: they count on the address. */
  readonly publicOnKey?: boolean;
  /** Maximum number of waiting calls for each class and priority, at least 1; default 256. */
  readonly maxWaiting?: number;
  /**
   * Returns true while calls must wait because another process may have made calls with this key just before this one began. Default: they
   * never wait for that.
   */
  readonly awaitsWindows?: () => boolean;
  /** The limiter of another key on the same address. Public calls and bans are counted together, with its `bans` and `banMinMs`. */
  readonly sameAddressAs?: Limiter;
  /** Called when the venue has refused a call for its rate limit, or has banned the address. */
  readonly onEvent?: (event: LimitEvent) => void;
}

/** Times are of the Scheduler. */
export interface LimiterState {
  /** The classes used until now. */
  readonly classes: readonly ClassState[];
  /** End of the ban; null without a ban; Infinity until the operator has removed an unreadable ban record. */
  readonly bannedUntilMs: number | null;
}

/** State that the limiters of all keys on one address share. */
interface Address {
  readonly bans: IpBan;
  readonly classes: Map<string, RateClass>;
  /** All classes of the address and of every key on it. */
  readonly allClasses: Set<RateClass>;
}

/** Limits the calls of one API key. All parts of a process share it. */
export class Limiter {
  readonly #scheduler: Scheduler;
  readonly #table: ReadonlyMap<Op, OpLimit>;
  readonly #address: Address;
  readonly #classes = new Map<string, RateClass>();
  readonly #common: SharedLimits;

  /** Throws ConfigError for invalid limits. */
  constructor(scheduler: Scheduler, options: LimiterOptions = {}) {
    const {
      limits,
      bans = null,
      banMinMs = BAN_MIN_MS,
      publicOnKey = false,
      maxWaiting = 256,
      awaitsWindows = () => false,
      sameAddressAs,
      onEvent = () => {},
    } = options;
    this.#scheduler = scheduler;
    this.#table = limitTable(limits, publicOnKey);
    checkOptions(banMinMs, maxWaiting);
    const newBan = () => new IpBan(bans, banMinMs, scheduler.nowMs, onEvent);
    this.#address = sameAddressAs ? sameAddressAs.#address : { bans: newBan(), classes: new Map(), allClasses: new Set() };
    const { allClasses, bans: ban } = this.#address;
    this.#common = {
      scheduler,
      bans: ban,
      maxWaiting,
      startMs: scheduler.nowMs,
      awaitsWindows,
      onBan: () => allClasses.forEach((rateClass) => rateClass.refuseAll()),
      onBanEnd: () => allClasses.forEach((rateClass) => rateClass.sendWaiting()),
      onEvent,
    };
  }

  /**
   * Calls `onTurn` with a ticket as soon as the budget allows it, possibly before returning. Calls `onRefused` instead if the address is banned
   * or too many calls wait. Returns a function that gives up the place; after that, neither is called.
   */
  acquire(op: Op, priority: Priority, onTurn: (ticket: Ticket) => void, onRefused: (reason: LimitRefusal) => void): () => void {
    const row = this.limitOf(op);
    return this.#classOf(row).enter({ op, priority, weight: row.weight, onTurn, onRefused });
  }

  /** Returns the limit in force of an operation, and the weight of one call. */
  limitOf(op: Op): OpLimit {
    const row = this.#table.get(op);
    if (!row) throw new TypeError(`no limit of ${op}`);
    return row;
  }

  /** The state of all rate classes and of the ban. */
  get state(): LimiterState {
    const classes = [...this.#address.classes.values(), ...this.#classes.values()];
    return { classes: classes.map((rateClass) => rateClass.state), bannedUntilMs: this.#address.bans.untilMs(this.#scheduler.nowMs) };
  }

  /** Returns the rate class of an operation, of its key or of its address, and creates it at first use. */
  #classOf({ limit }: OpLimit): RateClass {
    const classes = limit.scope === 'key' ? this.#classes : this.#address.classes;
    const existing = classes.get(limit.rateClass);
    if (existing) return existing;
    const created = new RateClass(limit, this.#common);
    classes.set(limit.rateClass, created);
    this.#address.allClasses.add(created);
    return created;
  }
}

/** Throws ConfigError if the pause after a ban or the queue of calls is too short. */
function checkOptions(banMinMs: number, maxWaiting: number): void {
  if (!Number.isSafeInteger(banMinMs) || banMinMs < BAN_MIN_MS) {
    throw new ConfigError(
      `limits.banMinMs: expected ${BAN_MIN_MS} ms or more, got ${banMinMs}`,
      'a ban that is tested too early grows: leave it out',
    );
  }
  if (!Number.isSafeInteger(maxWaiting) || maxWaiting < 1) {
    throw new ConfigError(`maxWaiting: expected a whole number of 1 or more, got ${maxWaiting}`, 'leave it out for the default');
  }
}
