// Interfaces of risk rules, the state that rules read, and the model of exposure that they ask.

import type { Ratio } from '../../base/number/decimalText.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { Order } from '../../model/order.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { ReservedOrder } from '../../orders/reserve/worstCase.ts';
import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
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
  /** Number that differs whenever one of the prices may have changed; undefined: not known, so that each order reads them all. */
  readonly changes?: number | undefined;
  /** Unfinished orders of all strategies. */
  openOrders?(): readonly Order[];
}

/** The worst case of an account when every open order fills at its worst, in units of money. */
export class AccountWorstCase {
  /** The worst notional of all instruments. In two-way mode both sides of a contract count. */
  gross = 0.5;
  /**
   * Cash and positions at the marks, rounded down, minus the taker fees of the order and of every open order that may open a position; not
   * finite when it cannot be counted.
   */
  equity = 0.5;
}

/**
 * What orders and positions of an account may come to when every open order fills at its worst: of coins, of contracts (linear and inverse),
 * or the sum of both. Each figure includes the order; null: the account as it is. A missing mark gives NaN or Infinity, which exceeds
 * every limit.
 */
export interface ExposureModel {
  /** What a denial calls the instruments of the account, and one of them: `all symbols`, `symbol`. */
  readonly scopeWords: string;
  readonly instrumentWord: string;
  /** True when positions may be short. Without shorts the net is the gross. */
  readonly hasShorts: boolean;
  /** The contracts of the account; null if it has none. */
  readonly contracts: ContractModel | null;
  /** True when the order adds to no position in any case: a sale of coins, or an order that can only reduce the position in a contract. */
  addsNothing(order: Draft, state: RiskState): boolean;
  /** Returns the largest position to which the order's instrument may come: base units of coins, or lots of a contract. */
  position(order: Draft): number;
  positionText(quantity: number, order: Draft): string;
  /** Returns the worst notional of an instrument, in units of money. */
  notional(index: number, order: Draft | null, state: RiskState): number;
  /** Writes the worst case of the account into `state.account`, and returns that. Hot: docs/performance.md#out-parameters. */
  computeWorstCase(order: Draft | null, state: RiskState): AccountWorstCase;
  /** Returns longs minus shorts, in the direction of the order, when every order of its side fills and none of the other. */
  net(order: Draft, state: RiskState): number;
  /** True when the strategy can pay for the order, or has what it closes, beside what its other orders may take. */
  isBacked(order: Draft, state: RiskState): boolean;
  /** Returns the figures of `isBacked`. */
  backingText(order: Draft, state: RiskState): string;
}

/** What rules on contracts ask besides. `contracts` is the model itself. */
export interface ContractModel extends ExposureModel {
  readonly ledger: FuturesLedger;
  /** Returns the cash that open orders of a strategy may still take from the account. */
  reservedCash(strategy: number): number;
  /** Returns what the order's strategy can still use at the marks: its cash minus margins and losses of cross positions. */
  available(order: Draft, state: RiskState): number;
  /** Returns margin and fee of the lots of the order that close nothing. */
  requiredMargin(order: Draft): number;
  /** Returns the lots of one side of the order's contract when every order that can open it fills. */
  lotsAtWorst(isLong: boolean, order: Draft): number;
}

/** One object for the life of a module; `tradable`, `nowMs` and `mark` are those of the current order. */
export interface RiskState {
  readonly instruments: readonly Instrument[];
  readonly ledger: Ledger;
  readonly reservations: Reservations;
  readonly exposure: ExposureModel;
  limits: ResolvedLimits;
  sent: SentOrders;
  /** True when sent orders are recorded; read at each order. */
  keepsSent: boolean;
  /** Written by `exposure.computeWorstCase`. */
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

/** Checks an order. Pure; a missing input (NaN) fails the check. In a run over both markets a rule of one passes orders of the other. */
export interface OrderRule extends AnyRule {
  readonly kind: 'order';
  /** The market whose orders it checks; without one, it checks those of both. */
  readonly market?: Market;
  /** True when the order passes. Allocates nothing. */
  check(this: void, order: Draft, state: RiskState): boolean;
  /** Returns the inputs of a denial as text; called only when the text is read. */
  detail(order: Draft, state: RiskState): string;
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
