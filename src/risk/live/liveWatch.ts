// Defines the interfaces of live rules: the facts that they read, the events that they receive, and how they halt trading.

import type { Fill } from '../../model/fill.ts';
import type { Order } from '../../model/order.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { HaltState, Scope } from './halts.ts';
import type { LimitKey } from '../limits/limits.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';

/** Facts that only a live process knows. Times are venue time, ms. NaN means unknown, and counts as too old. */
export interface LiveFacts {
  /** Number of instruments. They are numbered as in the run. */
  readonly instruments: number;
  /** Time of the newest price of an instrument, as stated in the data and not as received. */
  priceMs(instrumentIndex: number): number;
  /** Close of the newest bar of an instrument. */
  barCloseMs(instrumentIndex: number): number;
  /** Length of the bars of an instrument. */
  barLengthMs(instrumentIndex: number): number;
  /** True when the newest price of an instrument is above zero, its book is not crossed, and its high is not below its low. */
  isSound(instrumentIndex: number): boolean;
  /** When orders and balances last matched those of the exchange. */
  readonly auditMs: number;
  /** Uncertainty of the exchange's clock, ms: it grows until the clock is measured again. */
  readonly clockErrorMs: number;
  /** The last sign of presence of the operator; Infinity if none is required. */
  readonly heartbeatMs: number;
  /** The oldest unacknowledged alert; Infinity without one. */
  readonly alertMs: number;
  /** Lots of an instrument that are held, long or short. */
  heldLots(instrumentIndex: number): number;
  /** The part of `heldLots` that a stop known to exist protects. */
  guardedLots(instrumentIndex: number): number;
}

/** Raises and clears the halt cause of a rule, as of a time. Raising a cause that is in force changes nothing. */
export interface Raiser {
  /** Halts the scope. `state` is HALT_NEW by default. */
  raise(scope: Scope, reason: string, atMs: number, state?: HaltState): void;
  /** Clears the cause of this rule in the scope. */
  clear(scope: Scope, atMs: number): void;
}

/** Callbacks of a live rule. Each is called only if the rule defines it. */
export interface LiveWatch {
  /** Called when time has reached `nowMs`. */
  tick?(facts: LiveFacts, nowMs: number): void;
  /** Called when the outcome of `lostOrder` has become unknown; null: when one has become known. `openOrders`: all unfinished orders. */
  outcome?(openOrders: readonly Order[], lostOrder: Order | null, nowMs: number): void;
  /** Called for a fill, after it was booked. `markTicks`: the newest price of its instrument. */
  filled?(order: Order, fill: Fill, markTicks: number): void;
  /** Called when the exchange has refused an order. */
  refused?(order: Order, code: string, nowMs: number): void;
}

/** A rule that watches a live bot and halts new risk on its own. */
export interface LiveRule {
  readonly kind: 'live';
  readonly code: string;
  readonly keys: readonly LimitKey[];
  readonly needs: readonly ('ledger' | 'orders' | 'marks' | 'liveEvidence')[];
  /** Returns a watch under these limits. */
  watch(limits: ResolvedLimits, ledger: Ledger, raiser: Raiser): LiveWatch;
}

/** The scope of the whole account. */
export const ACCOUNT: Scope = { kind: 'account' };
