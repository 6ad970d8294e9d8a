// What an author may replace in the world of a backtest, each in a file of its own: slippage, fees, and rules of risk.

import type { Side } from '../model/order.ts';

/** A taking fill before its slippage. */
export interface TakerFill {
  /** Name on the wire, such as BTCUSDT. */
  readonly symbol: string;
  readonly side: Side;
  /** Quoted price, in quote per base: the open, or the level of a stop. */
  readonly price: number;
  /** Base quantity that is wanted. */
  readonly qty: number;
}

export interface SlippageSpec {
  readonly kind: 'slippage';
  readonly worse: (fill: TakerFill) => number;
}

/**
 * A slippage model: by how much, in price and >= 0, a taking fill is worse than quoted. What it says is rounded up to whole ticks; a limit
 * is never passed. It must depend on the fill alone: no clock, no randomness, no file.
 */
export function slippageModel(worse: (fill: TakerFill) => number): SlippageSpec {
  return { kind: 'slippage', worse };
}

/** A fill whose fee is asked for. */
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
 * A fee model: the rate of a fill as a fraction (0.001 is 0.1 %), rounded to a millionth. `fees.maker` and `fees.taker` of the definition
 * bound it from above, because orders hold cash at those rates: a model that wants more is an error.
 */
export function feeModel(rate: (fill: ChargedFill) => number): FeeSpec {
  return { kind: 'fees', rate };
}

/** An order that asks for approval, at its worst. */
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
  /** It can only lower the position. */
  readonly isReduction: boolean;
}

/** The strategy's own affairs as the order asks. */
export interface AccountSnapshot {
  /** ms UTC. */
  readonly timeMs: number;
  /** Newest price of the order's symbol. */
  readonly price: number;
  /** In the quote asset: cash, and cash with holdings at their newest prices. */
  readonly cash: number;
  readonly equity: number;
  /** Base quantity held of the order's symbol. */
  readonly position: number;
  /** Unfinished orders of the symbol, all strategies together. */
  readonly openOrders: number;
}

export interface RiskRuleSpec {
  readonly kind: 'risk';
  readonly code: string;
  readonly check: (order: ProposedOrder, account: AccountSnapshot) => string | null;
  readonly reductionsToo: boolean;
}

export interface RiskRuleOptions {
  /** Stable code of its refusals: capitals, digits and underscores, from 3 to 32 of them. */
  readonly code: string;
  /** Null lets the order pass; a text is why it does not. */
  readonly check: (order: ProposedOrder, account: AccountSnapshot) => string | null;
  /** Reductions are asked about as well. By default they pass: a rule should not stand between a strategy and its exit. */
  readonly reductionsToo?: boolean;
}

/** A rule of risk beside the built-in ones (docs/risk.md), which are asked first. */
export function riskRule({ code, check, reductionsToo = false }: RiskRuleOptions): RiskRuleSpec {
  return { kind: 'risk', code, check, reductionsToo };
}
