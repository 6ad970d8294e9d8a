// What rules of a live bot look at beyond an order, and how they stop trading: evidence of age, of outcomes and of fills.

import type { Fill } from '../../model/fill.ts';
import type { Order } from '../../model/order.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { HaltState, Scope } from './halts.ts';
import type { LimitKey } from '../limits/limits.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';

/** What a live process knows and a replay does not. Times are venue time, ms; what is not known is NaN, and counts as too old. */
export interface LiveFacts {
  readonly instruments: number;
  /** Of the newest price of an instrument, by what it says and not by when it came. */
  priceMs(instrument: number): number;
  /** Close of its newest bar, and how long its bars are. */
  barCloseMs(instrument: number): number;
  barLengthMs(instrument: number): number;
  /** The newest price is above zero, its book is not crossed, its high is not below its low. */
  isSound(instrument: number): boolean;
  /** When orders and balances were last found to be those of the exchange. */
  readonly auditMs: number;
  /** Uncertainty of the exchange's clock, ms: it grows until the clock is measured anew. */
  readonly clockErrorMs: number;
  /** The last sign of life of whoever watches; Infinity where nobody has to. */
  readonly heartbeatMs: number;
  /** The oldest alert that nobody has answered; Infinity: none. */
  readonly alertMs: number;
  /** Lots of an instrument that are held, long or short, and how many of them a stop guards that is known to stand. */
  heldLots(instrument: number): number;
  guardedLots(instrument: number): number;
}

/** Raises and clears causes as of a time; raising one that holds changes nothing. */
export interface Raiser {
  raise(scope: Scope, why: string, atMs: number, state?: HaltState): void;
  clear(scope: Scope, atMs: number): void;
}

/** Every method is called only where it is there. */
export interface LiveWatch {
  /** Time has come to `nowMs`. */
  tick?(facts: LiveFacts, nowMs: number): void;
  /** The outcome of an order has become unknown (`lost`), or known; `open`: all orders that are not over. */
  outcome?(open: readonly Order[], lost: Order | null, nowMs: number): void;
  /** An execution, after it was booked. `markTicks`: the newest price of its instrument. */
  filled?(order: Order, fill: Fill, markTicks: number): void;
  /** The exchange has refused an order. */
  refused?(order: Order, code: string, nowMs: number): void;
}

/** Watches a live bot and stops new risk by itself. */
export interface LiveRule {
  readonly kind: 'live';
  readonly code: string;
  readonly keys: readonly LimitKey[];
  readonly needs: readonly ('ledger' | 'orders' | 'marks' | 'liveEvidence')[];
  watch(limits: ResolvedLimits, ledger: Ledger, raiser: Raiser): LiveWatch;
}

export const ACCOUNT: Scope = { kind: 'account' };
