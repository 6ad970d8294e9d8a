// Interfaces of risk rules, and the state that rules read.

import type { Ratio } from '../../base/number/decimalText.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Order } from '../../model/order.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { ReservedOrder } from '../../orders/reserve/worstCase.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { LimitKey } from '../limits/limits.ts';
import type { LiveRule } from '../live/liveWatch.ts';
import type { SentOrders } from './sentOrders.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';

/** An order that needs approval: a new record whose worst case is already assessed when rules see it. */
export type Draft = ReservedOrder;

/** Newest price of each instrument of the run, in ticks; NaN before its first. The engine implements it. */
export interface MarkPrices {
  lastTicks(instrumentIndex: number): number;
  /** Unfinished orders of all strategies. */
  openOrders?(): readonly Order[];
}

/** The worst case of a spot account when every open order fills at its worst, in quote units. */
export class AccountWorstCase {
  /** The worst notional of all symbols. */
  gross = 0.5;
  /**
   * Cash and holdings at the marks, rounded down, minus the taker fees of every open buy and of the order; not finite when it cannot be
   * counted.
   */
  equity = 0.5;
}

/** One object for the life of a module; `tradable`, `nowMs` and `mark` are those of the current order. */
export interface RiskState<Books extends Ledger = Ledger> {
  readonly instruments: readonly Instrument[];
  /** True when the run has more than one instrument. */
  readonly isOfMany: boolean;
  readonly ledger: Books;
  readonly reservations: Reservations;
  limits: ResolvedLimits;
  sent: SentOrders;
  /** True when sent orders are recorded; read at each order. */
  keepsSent: boolean;
  /** Written by the rule that needs it. */
  readonly account: AccountWorstCase;
  marks: MarkPrices;
  /** Average true range of an instrument's newest bars, in ticks with a fraction; NaN until there are enough. */
  rangeTicks: (instrumentIndex: number) => number;
  /** The instrument of the run at the order's index; null if the ledger is that of another market. */
  tradable: Instrument | null;
  nowMs: number;
  mark: number;
}

/** Inputs beyond the order and its instrument. */
export type RuleInput = 'ledger' | 'orders' | 'marks';

interface AnyRule {
  /** Stable: strategies, reports and the journal identify the rule by it. */
  readonly code: string;
  /** The limits that turn it on; one is enough. An empty list: always on. */
  readonly keys: readonly LimitKey[];
  readonly needs: readonly RuleInput[];
}

/** Checks an order against the ledger of its market. Pure; a missing input (NaN) fails the check. */
export interface OrderRule<Books extends Ledger = Ledger> extends AnyRule {
  readonly kind: 'order';
  /** True when the order passes. Allocates nothing. */
  check(this: void, order: Draft, state: RiskState<Books>): boolean;
  /** Returns the inputs of a denial as text; called only when the text is read. */
  detail(order: Draft, state: RiskState<Books>): string;
}

/** Watches the account's equity, row by row, and halts new risk. */
export interface EquityRule extends AnyRule {
  readonly kind: 'equity';
  /** `money`: an amount of the account as text. */
  watch(limits: ResolvedLimits, halt: Halt, money: (units: number) => string): EquityWatch;
}

export type RiskRule = OrderRule | EquityRule | LiveRule;

/** Halts new risk on the account, or clears the halt, as of a time. */
export type Halt = (isHalted: boolean, atMs: number, why: string) => void;

export interface EquityWatch {
  /** Passes the account's equity before the run's first mark. */
  begin(units: number, nowMs: number): void;
  /** Passes rows [from, to) of the equity columns, each once and in order. How they are split into calls changes nothing. */
  scan(timeMs: Float64Array, units: Float64Array, from: number, to: number): void;
  /** Reports that time has reached `nowMs` without a row since. */
  roll(nowMs: number): void;
  /** Restarts the baseline: the operator has cleared the halt. */
  reset(): void;
  /** The equity that losses are measured from: that of 00:00 UTC, or the peak. */
  readonly from: number;
  /** The fraction of it that may be lost. */
  readonly share: Ratio;
  /** Sets a tighter limit from now on. */
  setLimit(limits: ResolvedLimits): void;
  /** Returns the baseline for a restart; `restore` sets it after `begin`, and ignores what is out of date. */
  snapshot(): readonly number[];
  restore(memory: readonly number[]): void;
}
