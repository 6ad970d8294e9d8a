// Defines the interfaces of live rules: the facts that they read, the events that they receive, and how they halt trading.

import type { Fill } from '../../model/fill.ts';
import type { Order } from '../../model/order.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { HaltState, Scope } from './halts.ts';
import type { LimitKey } from '../limits/limits.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';

/** Facts that only a live process knows. Times are venue time, ms. NaN means unknown, and counts as too old. */
export interface LiveFacts {
  readonly instruments: number;
  /** Time of the newest price of an instrument, as stated in the data and not as received. */
  priceMs(instrument: number): number;
  /** Close of its newest bar, and the length of its bars. */
  barCloseMs(instrument: number): number;
  barLengthMs(instrument: number): number;
  /** True when the newest price is above zero, its book is not crossed, and its high is not below its low. */
  isSound(instrument: number): boolean;
  /** When orders and balances last matched those of the exchange. */
  readonly auditMs: number;
  /** Uncertainty of the exchange's clock, ms: it grows until the clock is measured again. */
  readonly clockErrorMs: number;
  /** The last sign of presence of the operator; Infinity if none is required. */
  readonly heartbeatMs: number;
  /** The oldest unacknowledged alert; Infinity without one. */
  readonly alertMs: number;
  /** Lots of an instrument that are held, long or short, and the number of them that a stop known to exist protects. */
  heldLots(instrument: number): number;
  guardedLots(instrument: number): number;
}

/** Raises and clears causes as of a time. Raising a cause that is in force changes nothing. */
export interface Raiser {
  raise(scope: Scope, why: string, atMs: number, state?: HaltState): void;
  clear(scope: Scope, atMs: number): void;
}

/** Callbacks of a live rule. Each is called only if the rule defines it. */
export interface LiveWatch {
  /** Called when time has reached `nowMs`. */
  tick?(facts: LiveFacts, nowMs: number): void;
  /** Called when the outcome of an order has become unknown (`lost`), or known. `open`: all unfinished orders. */
  outcome?(open: readonly Order[], lost: Order | null, nowMs: number): void;
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
  watch(limits: ResolvedLimits, ledger: Ledger, raiser: Raiser): LiveWatch;
}

/** The scope of the whole account. */
export const ACCOUNT: Scope = { kind: 'account' };
