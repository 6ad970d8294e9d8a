// Custom models of a backtest, each in its own file: slippage, fees, and risk rules.

import type { Side } from '../model/order.ts';

/** The bar in which an order fills, as a whole: also what comes after the fill, because it is the exchange that decides. */
export interface BarOfFill {
  /** In quote per base. */
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Traded in the bar, in the unit of `qty`. */
  readonly volume: number;
}

/** A taker fill before its slippage. */
export interface TakerFill {
  /** Name on the wire, such as BTCUSDT. */
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

export interface SlippageSpec {
  readonly kind: 'slippage';
  readonly worse: (fill: TakerFill) => number;
}

/**
 * Returns a slippage model: `worse` says by how much, in price and >= 0, a taker fill is worse than quoted. The result is rounded up to
 * whole ticks, and a fill never passes its limit. It must depend on the fill only: no clock, no randomness, no file.
 */
export function slippageModel(worse: (fill: TakerFill) => number): SlippageSpec {
  return { kind: 'slippage', worse };
}

/** A fill whose fee is to be computed. */
export interface ChargedFill {
  readonly symbol: string;
  readonly side: Side;
  readonly isMaker: boolean;
  /** In quote per base. */
  readonly price: number;
  /** Base quantity. */
  readonly qty: number;
  /** In the quote asset. */
  readonly notional: number;
  /** Notional of all earlier fills of the account in this run, in the quote asset. */
  readonly turnover: number;
}

export interface FeeSpec {
  readonly kind: 'fees';
  readonly rate: (fill: ChargedFill) => number;
}

/**
 * Returns a fee model: `rate` is the fee of a fill as a fraction (0.001 is 0.1 %), rounded to a millionth. `fees.maker` and `fees.taker` of
 * the definition are upper bounds, because orders hold cash at those rates: a model that returns more is an error.
 */
export function feeModel(rate: (fill: ChargedFill) => number): FeeSpec {
  return { kind: 'fees', rate };
}

/** An order that needs approval, at its worst case. */
export interface ProposedOrder {
  readonly symbol: string;
  readonly side: Side;
  /** The most that it may fill, in the base asset. */
  readonly qty: number;
  /** Its worst notional, in the quote asset. */
  readonly notional: number;
  /** Limit price; NaN for a market order. */
  readonly limit: number;
  readonly tag: string;
  /** True when it can only reduce the position. */
  readonly isReduction: boolean;
}

/** The state of the strategy when the order is checked. */
export interface AccountSnapshot {
  /** ms UTC. */
  readonly timeMs: number;
  /** Newest price of the order's symbol. */
  readonly price: number;
  /** In the quote asset: cash, and cash plus holdings at their newest prices. */
  readonly cash: number;
  readonly equity: number;
  /** Base quantity held of the order's symbol. */
  readonly position: number;
  /** Number of unfinished orders of the symbol, over all strategies. */
  readonly openOrders: number;
}

export interface RiskRuleSpec {
  readonly kind: 'risk';
  readonly code: string;
  readonly check: (order: ProposedOrder, account: AccountSnapshot) => string | null;
  readonly reductionsToo: boolean;
}

export interface RiskRuleOptions {
  /** Stable code of its denials: capitals, digits and underscores, from 3 to 32 characters. */
  readonly code: string;
  /** Returns null if the order passes, or else the reason why it does not. */
  readonly check: (order: ProposedOrder, account: AccountSnapshot) => string | null;
  /** True: reductions are checked as well. By default they pass, because a rule must not block a strategy's exit. */
  readonly reductionsToo?: boolean;
}

/** Returns a risk rule that is checked after the built-in ones (docs/risk.md). */
export function riskRule({ code, check, reductionsToo = false }: RiskRuleOptions): RiskRuleSpec {
  return { kind: 'risk', code, check, reductionsToo };
}
