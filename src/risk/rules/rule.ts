// Defines the interfaces of risk rules, the state that rules read, and the model that computes exposure.

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
  /** A number that changes whenever a price may have changed. If it is undefined, each check reads all prices. */
  readonly changes?: number | undefined;
  /** Unfinished orders of all strategies. */
  openOrders?(): readonly Order[];
}

/** The worst case of an account when every open order fills at its worst, in units of money. */
export class AccountWorstCase {
  /** The worst notional of all instruments. In two-way mode both sides of a contract count. */
  gross = 0.5;
  /**
   * Cash and positions at the marks, rounded down, minus taker fees. The fees are those of the order and of every open order that may open
   * a position. Not finite when the equity cannot be counted.
   */
  equity = 0.5;
}

/**
 * Computes the exposure of an account when every open order fills at its worst: of coins, of contracts (linear and inverse), or of both.
 * Each figure includes the order, unless it is null. A missing mark gives NaN or Infinity, which exceeds every limit.
 */
export interface ExposureModel {
  /** The words of a denial for the instruments of the account, such as `all symbols`. */
  readonly scopeWords: string;
  /** The word of a denial for one instrument, such as `symbol`. */
  readonly instrumentWord: string;
  /** True when positions may be short. Without shorts the net is the gross. */
  readonly hasShorts: boolean;
  /** The contracts of the account; null if it has none. */
  readonly contracts: ContractModel | null;
  /** True when the order cannot add to a position: a sell of coins, or an order that can only reduce the position in a contract. */
  addsNothing(order: Draft, state: RiskState): boolean;
  /** Returns the largest position of the order's instrument that may result: base units of coins, or lots of a contract. */
  position(order: Draft): number;
  /** Returns a figure of `position` as text. */
  positionText(quantity: number, order: Draft): string;
  /** Returns the worst notional of an instrument, in units of money. */
  notional(instrumentIndex: number, order: Draft | null, state: RiskState): number;
  /** Writes the worst case of the account into `state.account`, and returns that. Hot: docs/performance.md#out-parameters. */
  computeWorstCase(order: Draft | null, state: RiskState): AccountWorstCase;
  /** Returns the net notional in the direction of the order, when every order of its side fills and no other order does. */
  net(order: Draft, state: RiskState): number;
  /** True when the strategy has the money for the order, or the position to close, after its other orders have taken theirs. */
  isBacked(order: Draft, state: RiskState): boolean;
  /** Returns the figures of `isBacked`. */
  backingText(order: Draft, state: RiskState): string;
}

/** The additional figures for contracts. */
export interface ContractModel extends ExposureModel {
  readonly ledger: FuturesLedger;
  /** Returns the cash that open orders of a strategy may still take from the account. */
  reservedCash(strategyIndex: number): number;
  /** Returns the money that the order's strategy can use at the marks: its cash minus margins and losses of cross positions. */
  available(order: Draft, state: RiskState): number;
  /** Returns margin and fee of the lots of the order that close nothing. */
  requiredMargin(order: Draft): number;
  /** Returns the lots of one side of the order's contract when every order that can open it fills. */
  lotsAtWorst(isLong: boolean, order: Draft): number;
}

/** The inputs of a check. There is one object for each module; `tradable`, `nowMs` and `mark` belong to the current order. */
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
  /** The time of the check, ms UTC. */
  nowMs: number;
  /** The newest price of the order's instrument, in ticks. */
  mark: number;
}

/** What a rule reads besides the order and its instrument. */
export type RuleInput = 'ledger' | 'orders' | 'marks';

/** The members that rules of every kind have. */
interface AnyRule {
  /** Stable: strategies, reports and the journal identify the rule by it. */
  readonly code: string;
  /** The limits that switch it on; one is enough. With an empty list it is always on. */
  readonly keys: readonly LimitKey[];
  readonly needs: readonly RuleInput[];
}

/** Checks an order. A missing input (NaN) fails the check. A rule for one market passes all orders of the other market. */
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
  /** Returns a watch under these limits. `moneyText`: writes an amount of the account. */
  watch(limits: ResolvedLimits, halt: Halt, moneyText: (units: number) => string): EquityWatch;
}

/** A rule of any kind: one that checks orders, one that watches equity, or one that watches a live bot. */
export type RiskRule = OrderRule | EquityRule | LiveRule;

/** Halts new risk on the account, or clears the halt, as of a time. */
export type Halt = (isHalted: boolean, atMs: number, reason: string) => void;

/** A running loss rule. */
export interface EquityWatch {
  /** Passes the account's equity before the run's first mark. */
  begin(units: number, nowMs: number): void;
  /** Passes the rows of the equity columns from `firstRow` to before `endRow`, each once and in order. The number of calls changes nothing. */
  scan(timeMs: Float64Array, units: Float64Array, firstRow: number, endRow: number): void;
  /** Reports that time has reached `nowMs` without a row since. */
  roll(nowMs: number): void;
  /** Sets the baseline to the newest equity, because the operator has cleared the halt. */
  reset(): void;
  /** The equity that losses are measured from: the equity at 00:00 UTC, or the peak. */
  readonly baselineUnits: number;
  /** The fraction of that equity that may be lost. */
  readonly share: Ratio;
  /** Sets a tighter limit from now on. */
  setLimit(limits: ResolvedLimits): void;
  /** Returns the baseline for a restart. */
  snapshot(): readonly number[];
  /** Sets a baseline of `snapshot`, after `begin`. Ignores what is out of date. */
  restore(memory: readonly number[]): void;
}
