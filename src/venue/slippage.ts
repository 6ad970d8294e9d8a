// Slippage models: how many ticks worse than the quoted price a taker fill is.

import { InvariantError } from '../base/errors.ts';
import { mulDiv, pow10 } from '../base/number/exact.ts';
import { MAX_PRICE_TICKS, type Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';
import { amountTooLarge } from './money.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** The bar in which an order fills: prices in ticks, volume in lots, which may have a fraction. */
export interface FillBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volumeLots: number;
}

/** The bar of a book before its first row, and of a call without a bar. A model that reads it returns NaN, which is an error. */
export const NO_BAR: FillBar = { open: NAN, high: NAN, low: NAN, close: NAN, volumeLots: NAN };

/** Decides how much worse than the quoted price a taker fills. */
export interface SlippageModel {
  /** False: `ticks` never reads the bar, which is then not kept. Default: true. */
  readonly readsBar?: boolean;
  /**
   * Returns the whole ticks >= 0 by which a taker's fill of `lots` is worse than `price`. The venue caps the result at the limit of the
   * order. `bar`: the whole bar in which the order fills. The venue always passes it; a wrapper of this model may leave it out.
   */
  ticks(instrument: Instrument, side: Side, price: number, lots: number, bar?: FillBar): number;
}

/** Fills takers at the quoted price. */
export const NO_SLIPPAGE: SlippageModel = { readsBar: false, ticks: () => 0 };

/**
 * Returns a model with a fixed number of ticks plus a share of the price in ppm. The share is rounded up to the tick, against the taker.
 */
export function fixedSlippage(ticks: number, ppm: number): SlippageModel {
  if (ticks === 0 && ppm === 0) return NO_SLIPPAGE;
  return { readsBar: false, ticks: (_instrument, _side, price) => ticks + mulDiv(price, ppm, pow10(6), 'up') };
}

/** Returns `model` with a share of the price in ppm added to its ticks, rounded up to the tick. */
export function withAddedPpm(model: SlippageModel, ppm: number): SlippageModel {
  return ppm === 0 ? model : sumOf(model, fixedSlippage(0, ppm));
}

/** Returns `model` with market impact added to its ticks; `coefficientPpm` 0: the model itself. */
export function withImpact(model: SlippageModel, coefficientPpm: number): SlippageModel {
  if (coefficientPpm === 0) return model;
  return sumOf(model, { ticks: (_instrument, _side, price, lots, bar) => impactTicks(coefficientPpm, price, lots, bar!) });
}

/** Returns a model whose slippage is the sum of both. */
function sumOf(first: SlippageModel, second: SlippageModel): SlippageModel {
  if (first === NO_SLIPPAGE) return second;
  return {
    readsBar: first.readsBar !== false || second.readsBar !== false,
    ticks: (instrument, side, price, lots, bar) =>
      first.ticks(instrument, side, price, lots, bar) + second.ticks(instrument, side, price, lots, bar),
  };
}

/** An excess of at most this fraction of a tick above a whole number is a rounding error of doubles. */
const ROUNDING_NOISE = 1e-9;
/** sqrt(4 ln 2): the range of a bar in logarithms, divided by it, is Parkinson's volatility. */
const PARKINSON_DIVISOR = Math.sqrt(4 * Math.LN2);

/**
 * Returns the ticks of the square-root model of market impact, rounded up: coefficient x volatility x sqrt(order volume / bar volume) x
 * price. The volatility is Parkinson's, from the range of the bar; volume below a lot counts as one lot. docs/matching.md#market-impact has
 * the sources. The result is the same on every machine: of the functions of `Math` it uses only the square root, which is exactly rounded.
 */
export function impactTicks(coefficientPpm: number, price: number, lots: number, { high, low, volumeLots }: FillBar): number {
  const volatility = logOfRatio(high, low) / PARKINSON_DIVISOR;
  const ticks = (coefficientPpm / 1_000_000) * volatility * Math.sqrt(lots / Math.max(1, volumeLots)) * price;
  return Math.min(Math.max(0, Math.ceil(ticks - ROUNDING_NOISE)), MAX_PRICE_TICKS);
}

/** Returns ln(high / low) for high >= low > 0. Unlike `Math.log`, it has the same last digit in every version of Node. */
function logOfRatio(high: number, low: number): number {
  let [divisor, halvings] = [low, 0];
  while (high > 2 * divisor) {
    divisor *= 2;
    halvings++;
  }
  // ln(a / b) = 2 (z + z^3 / 3 + z^5 / 5 + ...) with z = (a - b) / (a + b), here at most 1/3.
  const z = (high - divisor) / (high + divisor);
  let [sum, power] = [0, z];
  for (let index = 1; sum + power / index !== sum; index += 2) {
    sum += power / index;
    power *= z * z;
  }
  return 2 * sum + halvings * Math.LN2;
}

/** The fields of a taker's order on which its price depends. */
interface TakingOrder {
  readonly side: Side;
  /** In ticks; 0: a market order. */
  readonly limit: number;
}

/** Returns the fill price in ticks of `lots` that a taker fills at `quoted`: worse by the model, but within its limit and at least 1. */
export function slippedPrice(
  model: SlippageModel,
  instrument: Instrument,
  { side, limit }: TakingOrder,
  quoted: number,
  lots: number,
  bar: FillBar,
): number {
  if (lots === INFINITY) throw amountTooLarge();
  const worseTicks = model.ticks(instrument, side, quoted, lots, bar);
  if (!(Number.isInteger(worseTicks) && worseTicks >= 0))
    throw new InvariantError(`slippage model: expected a whole number of ticks >= 0, got ${worseTicks}`);
  if (side === 'buy') return limit > 0 && quoted + worseTicks > limit ? limit : quoted + worseTicks;
  return Math.max(quoted - worseTicks, limit, 1);
}
