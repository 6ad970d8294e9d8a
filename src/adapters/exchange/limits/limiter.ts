// Keeps the exchange's rate limits: every call of every part of a process asks here first, and never hears 429 for it.

import { ConfigError } from '../../../base/errors.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import { BAN_MIN_MS, IpBan, type BanEvent } from '../bans/ipBan.ts';
import type { BanStore } from '../bans/banStore.ts';
import { limitTable, type LimitOverrides, type OpLimit } from './limitTable.ts';
import { RateClass, type ClassEvent, type ClassState, type SharedLimits, type Ticket } from './rateClass.ts';
import type { LimitRefusal } from './refusal.ts';
import type { Priority } from './shares.ts';

export type { Priority, Ticket, LimitRefusal };

export type LimitEvent = BanEvent | ClassEvent;

export interface LimiterOptions {
  /** What the user knows better than the endpoint table. */
  readonly limits?: LimitOverrides;
  /** ms, 300 000 (default) or more: the first pause after a 418. */
  readonly banMinMs?: number;
  /** Where a ban outlives the process; null (default): nowhere, for simulated exchanges. */
  readonly bans?: BanStore | null;
  /** Public calls carry the key too, and count on it; default false: they count on the address. */
  readonly publicOnKey?: boolean;
  /** Calls that may wait at one priority of one class, 1 or more; default 256. */
  readonly maxWaiting?: number;
  /** The limiter of another key on the same address: public calls and bans are counted together with it, `bans` and `banMinMs` are its. */
  readonly sameAddressAs?: Limiter;
  /** Told when the exchange has refused: a ban is a matter for a person. */
  readonly onEvent?: (event: LimitEvent) => void;
}

/** Times are of the Scheduler. */
export interface LimiterState {
  /** The classes used so far. */
  readonly classes: readonly ClassState[];
  /** Infinity: until a person has looked at the record of a ban; null: there is none. */
  readonly bannedUntilMs: number | null;
}

/** What the limiters of all keys on one address share. */
interface Address {
  readonly bans: IpBan;
  readonly classes: Map<string, RateClass>;
  /** Of the address and of every key on it. */
  readonly all: Set<RateClass>;
}

/** One for each key; all parts of a process share it. */
export class Limiter {
  readonly #scheduler: Scheduler;
  readonly #table: ReadonlyMap<Op, OpLimit>;
  readonly #address: Address;
  readonly #classes = new Map<string, RateClass>();
  readonly #common: SharedLimits;

  /** Throws ConfigError for limits that cannot be. */
  constructor(scheduler: Scheduler, options: LimiterOptions = {}) {
    const {
      limits,
      bans = null,
      banMinMs = BAN_MIN_MS,
      publicOnKey = false,
      maxWaiting = 256,
      sameAddressAs,
      onEvent = () => {},
    } = options;
    this.#scheduler = scheduler;
    this.#table = limitTable(limits, publicOnKey);
    checkOptions(banMinMs, maxWaiting);
    const newKillSwitch = () => new IpBan(bans, banMinMs, scheduler.nowMs, onEvent);
    this.#address = sameAddressAs ? sameAddressAs.#address : { bans: newKillSwitch(), classes: new Map(), all: new Set() };
    const { all, bans: killSwitch } = this.#address;
    this.#common = {
      scheduler,
      bans: killSwitch,
      maxWaiting,
      banned: () => all.forEach((each) => each.refuseAll()),
      unbanned: () => all.forEach((each) => each.pump()),
      onEvent,
    };
  }

  /**
   * Calls `go` with a ticket when the budget allows it: within this call where it does now. Calls `refused` instead, perhaps within this
   * call too, while the address is banned and when too many wait already. Returns what gives the place up; after that neither is called.
   */
  acquire(op: Op, priority: Priority, go: (ticket: Ticket) => void, refused: (why: LimitRefusal) => void): () => void {
    const row = this.#table.get(op);
    if (!row) throw new TypeError(`no limit of ${op}`);
    return this.#classOf(row).enter({ op, priority, weight: row.weight, go, refused });
  }

  get state(): LimiterState {
    const classes = [...this.#address.classes.values(), ...this.#classes.values()];
    return { classes: classes.map((each) => each.state), bannedUntilMs: this.#address.bans.untilMs(this.#scheduler.nowMs) };
  }

  #classOf({ limit }: OpLimit): RateClass {
    const classes = limit.scope === 'key' ? this.#classes : this.#address.classes;
    const known = classes.get(limit.rateClass);
    if (known) return known;
    const made = new RateClass(limit, this.#common);
    classes.set(limit.rateClass, made);
    this.#address.all.add(made);
    return made;
  }
}

function checkOptions(banMinMs: number, maxWaiting: number): void {
  if (!Number.isSafeInteger(banMinMs) || banMinMs < BAN_MIN_MS) {
    throw new ConfigError(
      `limits.banMinMs: expected ${BAN_MIN_MS} ms or more, got ${banMinMs}`,
      'a ban that is tested too early grows: leave it out',
    );
  }
  if (!Number.isSafeInteger(maxWaiting) || maxWaiting < 1) {
    throw new ConfigError(`mostWaiting: expected a whole number of 1 or more, got ${maxWaiting}`, 'leave it out for the default');
  }
}
