// Defines custom models of a backtest: slippage, fees and risk rules.

import type { Side } from '../model/order.ts';

/** The whole bar in which an order fills. It includes prices after the fill, because the model decides for the exchange. */
export interface BarOfFill {
  /** Prices are in quote per base. */
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Quantity traded in the bar, in the unit of `qty`. */
  readonly volume: number;
}

/** A taker fill before its slippage. */
export interface TakerFill {
  /** Symbol, such as BTCUSDT. */
  readonly symbol: string;
  readonly side: Side;
  /** Quoted price, in quote per base: the open, or the level of a stop. */
  readonly price: number;
  /** Requested base quantity. */
  readonly qty: number;
  readonly bar: BarOfFill;
  /** `qty` as a fraction of the volume of the bar, which may be above 1. A volume below one lot counts as one lot. */
  readonly share: number;
}

/** A slippage model, as `slippageModel` returns it. */
export interface SlippageSpec {
  readonly kind: 'slippage';
  readonly worse: (fill: TakerFill) => number;
}

/**
 * Returns a slippage model. `worse` returns the price difference (at least 0) by which a taker fill is worse than quoted. isobar rounds it up
 * to whole ticks, and never fills an order beyond its limit. The result must depend only on the fill, not on a clock, a random number or a file.
 */
export function slippageModel(worse: (fill: TakerFill) => number): SlippageSpec {
  return { kind: 'slippage', worse };
}

/** A fill for which a fee model returns the rate. */
export interface ChargedFill {
  readonly symbol: string;
  readonly side: Side;
  readonly isMaker: boolean;
  /** Price in quote per base. */
  readonly price: number;
  /** Base quantity. */
  readonly qty: number;
  /** Notional in the quote asset. */
  readonly notional: number;
  /** Notional of all earlier fills of the account in this run, in the quote asset. */
  readonly turnover: number;
}

/** A fee model, as `feeModel` returns it. */
export interface FeeSpec {
  readonly kind: 'fees';
  readonly rate: (fill: ChargedFill) => number;
}

/**
 * Returns a fee model. `rate` returns the fee of a fill as a fraction (0.001 is 0.1 %), which isobar rounds to a millionth. It must be at most
 * `fees.maker` or `fees.taker` of the definition, because orders reserve cash at those rates. A higher rate is an error.
 */
export function feeModel(rate: (fill: ChargedFill) => number): FeeSpec {
  return { kind: 'fees', rate };
}

/** An order that needs the approval of a risk rule, in its worst case. */
export interface ProposedOrder {
  readonly symbol: string;
  readonly side: Side;
  /** Largest quantity that can fill, in the base asset. */
  readonly qty: number;
  /** Largest notional, in the quote asset. */
  readonly notional: number;
  /** Limit price. NaN for a market order. */
  readonly limit: number;
  readonly tag: string;
  /** True when the order can only reduce the position. */
  readonly isReduction: boolean;
}

/** The state of the strategy when the order is checked. */
export interface AccountSnapshot {
  /** Time of the check, ms UTC. */
  readonly timeMs: number;
  /** Newest price of the order's symbol. */
  readonly price: number;
  /** Cash in the quote asset. */
  readonly cash: number;
  /** Cash plus holdings at their newest prices, in the quote asset. */
  readonly equity: number;
  /** Base quantity of the order's symbol that the strategy holds. */
  readonly position: number;
  /** Number of unfinished orders of the symbol, of all strategies. */
  readonly openOrders: number;
}

/** A risk rule, as `riskRule` returns it. */
export interface RiskRuleSpec {
  readonly kind: 'risk';
  readonly code: string;
  readonly check: (order: ProposedOrder, account: AccountSnapshot) => string | null;
  readonly reductionsToo: boolean;
}

/** Options of `riskRule`. */
export interface RiskRuleOptions {
  /** Code of the denials of this rule: 3 to 32 capitals, digits and underscores. It must not change between versions. */
  readonly code: string;
  /** Returns null to approve the order, or the reason to deny it. */
  readonly check: (order: ProposedOrder, account: AccountSnapshot) => string | null;
  /** True to check reductions as well. By default they pass, because a rule must not block the exit of a strategy. */
  readonly reductionsToo?: boolean;
}

/** Returns a risk rule that is checked after the built-in ones (docs/risk.md). */
export function riskRule({ code, check, reductionsToo = false }: RiskRuleOptions): RiskRuleSpec {
  return { kind: 'risk', code, check, reductionsToo };
}
