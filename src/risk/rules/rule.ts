// What a risk rule is, and what rules look at.

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

/** An order that asks for approval: a fresh record, its worst case already assessed when rules see it. */
export type Draft = ReservedOrder;

/** Newest price of each instrument of the run, in ticks; NaN before its first. The engine is one. */
export interface MarkPrices {
  lastTicks(instrumentIndex: number): number;
  /** Orders of all strategies that are not over. */
  openOrders?(): readonly Order[];
}

/** What a spot account may come to when every open order fills at its worst, in quote units. */
export class AccountWorstCase {
  /** The worst notional of all symbols. */
  gross = 0.5;
  /** Cash and holdings at the marks, rounded down, less the taker fees of every open buy and of the order; not finite when it cannot be counted. */
  equity = 0.5;
}

/** One object for the life of a module; `tradable`, `nowMs` and `mark` are those of the order in hand. */
export interface RiskState<Books extends Ledger = Ledger> {
  readonly instruments: readonly Instrument[];
  /** The run has more of them than one. */
  readonly isOfMany: boolean;
  readonly ledger: Books;
  readonly reservations: Reservations;
  limits: ResolvedLimits;
  sent: SentOrders;
  /** Something is kept there: asked at each order. */
  keepsSent: boolean;
  /** Written by the rule that needs it. */
  readonly account: AccountWorstCase;
  marks: MarkPrices;
  /** Average true range of an instrument's newest bars, in ticks with a fraction; NaN until there are enough. */
  rangeTicks: (instrumentIndex: number) => number;
  /** The instrument of the run that the order's index names; null where the books are those of another market. */
  tradable: Instrument | null;
  nowMs: number;
  mark: number;
}

/** Inputs beyond the order and its instrument. */
export type RuleInput = 'ledger' | 'orders' | 'marks';

interface AnyRule {
  /** Stable: strategies, reports and the journal know the rule by it. */
  readonly code: string;
  /** The limits that turn it on, one being enough. None: always on. */
  readonly keys: readonly LimitKey[];
  readonly needs: readonly RuleInput[];
}

/** Judges an order, against the books of its market. Pure; a missing input (NaN) fails the check. */
export interface OrderRule<Books extends Ledger = Ledger> extends AnyRule {
  readonly kind: 'order';
  /** True: the order may pass. Allocates nothing. */
  check(this: void, order: Draft, state: RiskState<Books>): boolean;
  /** The inputs of a refusal, as text: called only when somebody reads it. */
  detail(order: Draft, state: RiskState<Books>): string;
}

/** Watches the account's equity, row by row, and halts new risk. */
export interface EquityRule extends AnyRule {
  readonly kind: 'equity';
  /** `money`: an amount of the account as text. */
  watch(limits: ResolvedLimits, halt: Halt, money: (units: number) => string): EquityWatch;
}

export type RiskRule = OrderRule | EquityRule | LiveRule;

/** Halts new risk on the account, or lets it go on again, as of a time. */
export type Halt = (isHalted: boolean, atMs: number, why: string) => void;

export interface EquityWatch {
  /** The account's equity before the run's first mark. */
  begin(units: number, nowMs: number): void;
  /** Rows [from, to) of the equity columns, each seen once and in order: how they are cut into calls changes nothing. */
  scan(timeMs: Float64Array, units: Float64Array, from: number, to: number): void;
  /** Time has come to `nowMs` without a row since. */
  roll(nowMs: number): void;
  /** A person has cleared the halt: what it measures from begins anew. */
  reset(): void;
  /** The equity that losses are measured from: of 00:00 UTC, the peak. */
  readonly from: number;
  /** The fraction of it that may be lost. */
  readonly share: Ratio;
  /** The limit is a tighter one from now on. */
  setLimit(limits: ResolvedLimits): void;
  /** What it measures from, for a restart to go on with; `recall` takes it back after `begin`, and leaves out what is out of date. */
  snapshot(): readonly number[];
  restore(memory: readonly number[]): void;
}
