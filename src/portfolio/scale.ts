// Converts lots and base units of a spot instrument at prices in ticks to quote money, and writes the equity of a holding for many rows.

import * as numbers from '../base/number/exact.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Instrument } from '../model/instrument.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const { mulDiv, pow10, ROW_MASK } = numbers;

// hot: docs/performance.md#imported-constants
const MAX_EXACT = Number.MAX_SAFE_INTEGER;
const HALF_EXACT = MAX_EXACT / 2;
const { ceil } = Math;

/** A power of ten as an exact factor: money = price x quantity x times / by. `times` or `by` is 1. */
export interface Factor {
  readonly times: number;
  readonly by: number;
}

/** The factors of one spot instrument. */
export class InstrumentScale {
  /** Units of the base asset in one lot. */
  readonly unitsPerLot: number;
  /** From ticks x lots to quote units. */
  readonly ofLots: Factor;
  /** From ticks x base units to quote units. */
  readonly ofUnits: Factor;

  constructor(instrument: Instrument) {
    const { priceDigits, quantityDigits, quoteDigits, baseDigits } = instrument;
    this.unitsPerLot = pow10(baseDigits - quantityDigits);
    this.ofLots = powerOf10(quoteDigits - priceDigits - quantityDigits);
    this.ofUnits = powerOf10(quoteDigits - priceDigits - baseDigits);
  }

  /** Returns the notional of `lots` at `ticks` in quote units, rounded up if the unit is too coarse. Infinity above 2^53 - 1. */
  notionalUp(ticks: number, lots: number): number {
    const { times, by } = this.ofLots;
    const product = ticks * lots;
    if (by === 1) {
      const units = product * times;
      return units <= MAX_EXACT ? units : INFINITY;
    }
    return product < HALF_EXACT ? ceil(product / by) : mulDivUp(ticks, lots, by);
  }

  /** Returns the most lots that `units` of quote money can buy at `ticks`, rounded up to a whole lot. Infinity above 2^53 - 1. */
  lotsUp(units: number, ticks: number): number {
    const { times, by } = this.ofLots;
    return mulDivUp(units, by, ticks * times);
  }
}

/** Returns `multiplicand` x `multiplier` / `divisor` rounded up, for a product of any size. Infinity above 2^53 - 1. */
function mulDivUp(multiplicand: number, multiplier: number, divisor: number): number {
  return (multiplicand * multiplier) / divisor <= MAX_EXACT - 8 ? mulDiv(multiplicand, multiplier, divisor, 'up') : INFINITY;
}

/** Returns the lots that `units` of quote money buy at `ticks`, rounded down; NaN if the result is invalid. */
export function lotsFor(units: number, ticks: number, instrument: Instrument): number {
  const shift = instrument.quoteDigits - instrument.priceDigits - instrument.quantityDigits;
  if (!(ticks > 0 && (units / ticks) * pow10(Math.max(0, -shift)) < MAX_EXACT)) return NAN;
  return shift >= 0 ? Math.floor(units / (ticks * pow10(shift))) : mulDiv(units, pow10(-shift), ticks, 'down');
}

/**
 * Returns the value of `baseUnits` at `ticks` in quote units: exact if it divides, else rounded half up. Above 2^53 it is the nearest
 * double, for display only. Holdings must not be negative.
 */
export function quoteValueAt(baseUnits: number, ticks: number, { times, by }: Factor): number {
  if (baseUnits === 0) return 0;
  const product = baseUnits * ticks;
  if (by === 1) return product * times;
  if (product < MAX_EXACT / 2) return Math.floor((product + by / 2) / by);
  return product / by <= MAX_EXACT - 8 ? mulDiv(baseUnits, ticks, by, 'halfUp') : product / by;
}

/** Returns the value of base units at a price in ticks, rounded down to the quote unit, for limits. */
export function valueDownAt(baseUnits: number, ticks: number, { times, by }: Factor): number {
  if (baseUnits === 0) return 0;
  const product = baseUnits * ticks;
  if (by === 1) return product * times;
  if (product < MAX_EXACT / 2) return Math.floor(product / by);
  return product / by <= MAX_EXACT - 8 ? mulDiv(baseUnits, ticks, by, 'down') : product / by;
}
/** Returns the value of base units at a price in ticks, rounded up to the quote unit, for limits. */
export function valueUpAt(baseUnits: number, ticks: number, { times, by }: Factor): number {
  if (baseUnits === 0) return 0;
  const product = baseUnits * ticks;
  if (by === 1) return product * times;
  if (product < MAX_EXACT / 2) return Math.ceil(product / by);
  return product / by <= MAX_EXACT - 8 ? mulDiv(baseUnits, ticks, by, 'up') : product / by;
}

/** Cash and base units of an account over rows without a fill. hot: docs/performance.md#out-parameters */
export class CashAndBase {
  /** Cash, in quote units. */
  cash = 0.5;
  /** Units of the base asset. */
  baseUnits = 0.5;
}

/** Number of rows from which on a call of `fill` is faster than a loop. */
const MANY_ROWS = 200;
/** Rows that are written in one turn of a loop, a power of two. */
const TURN_ROWS = 8;

/**
 * Writes the equity of rows [from, to) into `out`: the cash plus the base units, valued by `quoteValueAt` at `ticks[row + tickOffset]`.
 * `held` is what the account has in these rows. Up to seven rows after `to` may be overwritten, so the caller must mark them later.
 */
export function markSegment(
  out: Float64Array,
  from: number,
  to: number,
  held: CashAndBase,
  ticks: TickColumn,
  tickOffset: number,
  scale: Factor,
): void {
  if (to - from === 1) out[from] = held.cash + quoteValueAt(held.baseUnits, ticks[from + tickOffset]!, scale);
  else if (held.baseUnits === 0) markFlat(out, from, to, held);
  else markMany(out, from, to, held, ticks, tickOffset, scale);
}

/** True when a quotient of whole numbers below 2^53 is whole. Any other quotient is further from whole than its rounding error. */
function isWhole(quotient: number): boolean {
  return quotient <= MAX_EXACT && Math.floor(quotient) === quotient;
}

/** Marks several rows with a holding. It has a separate loop for each kind of column and holding, so that each loop stays small. */
function markMany(
  out: Float64Array,
  from: number,
  to: number,
  held: CashAndBase,
  ticks: TickColumn,
  tickOffset: number,
  scale: Factor,
): void {
  const { cash, baseUnits } = held;
  const perTick = (baseUnits * scale.times) / scale.by;
  if (isWhole(perTick)) {
    if (ticks instanceof Int32Array) markPerTick(out, from, to, held, perTick, ticks, tickOffset);
    else markWhole(out, from, to, held, perTick, ticks, tickOffset);
  } else if (ticks instanceof Int32Array) {
    markRoundedInt(out, from, to, held, ticks, tickOffset, scale);
  } else {
    for (let row = from; row < to; row++) out[row] = cash + quoteValueAt(baseUnits, ticks[row + tickOffset]!, scale);
  }
}

/** Writes the cash only. Hot: docs/performance.md#full-turns. */
function markFlat(out: Float64Array, from: number, to: number, { cash }: CashAndBase): void {
  const end = endOfTurns(from, to);
  if (to - from > MANY_ROWS || end > out.length || end > ROW_MASK) {
    out.fill(cash, from, to);
    return;
  }
  for (let turnRow = from; turnRow < end; turnRow += TURN_ROWS) {
    const row = turnRow & ROW_MASK;
    out[row] = cash;
    out[row + 1] = cash;
    out[row + 2] = cash;
    out[row + 3] = cash;
    out[row + 4] = cash;
    out[row + 5] = cash;
    out[row + 6] = cash;
    out[row + 7] = cash;
  }
}

/**
 * Writes the cash plus `perTick` for each tick of a row; the caller knows that no product passes 2^53. Writes whole turns of eight rows.
 * Hot: docs/performance.md#full-turns.
 */
export function markPerTick(
  out: Float64Array,
  from: number,
  to: number,
  { cash }: CashAndBase,
  perTick: number,
  ticks: Int32Array,
  offset: number,
): void {
  const end = endOfTurns(from, to);
  if (end > out.length || end + offset > ticks.length || ticks.length > ROW_MASK) {
    for (let row = from; row < to; row++) out[row] = cash + ticks[row + offset]! * perTick;
    return;
  }
  for (let turnRow = from; turnRow < end; turnRow += TURN_ROWS) {
    const row = turnRow & ROW_MASK;
    const index = (turnRow + offset) & ROW_MASK;
    out[row] = cash + ticks[index]! * perTick;
    out[row + 1] = cash + ticks[index + 1]! * perTick;
    out[row + 2] = cash + ticks[index + 2]! * perTick;
    out[row + 3] = cash + ticks[index + 3]! * perTick;
    out[row + 4] = cash + ticks[index + 4]! * perTick;
    out[row + 5] = cash + ticks[index + 5]! * perTick;
    out[row + 6] = cash + ticks[index + 6]! * perTick;
    out[row + 7] = cash + ticks[index + 7]! * perTick;
  }
}

/** Returns the end of the rows from `from` on in whole turns. */
function endOfTurns(from: number, to: number): number {
  return to + ((from - to) & (TURN_ROWS - 1));
}

/** Writes cash plus the value of a holding into rows [from, to), like `markPerTick`, for prices that are doubles. */
function markWhole(
  out: Float64Array,
  from: number,
  to: number,
  { cash }: CashAndBase,
  perTick: number,
  ticks: Float64Array,
  offset: number,
): void {
  for (let row = from; row < to; row++) out[row] = cash + ticks[row + offset]! * perTick;
}

/**
 * Marks rows whose values must be rounded. It computes the whole part and the remainder of a tick's value separately. So both products stay
 * exact for 31-bit ticks without a check of each row.
 */
function markRoundedInt(
  out: Float64Array,
  from: number,
  to: number,
  { cash, baseUnits }: CashAndBase,
  ticks: Int32Array,
  offset: number,
  scale: Factor,
): void {
  const { by } = scale;
  const wholeUnits = Math.floor(baseUnits / by);
  const remainder = baseUnits - wholeUnits * by;
  const half = by / 2;
  if (remainder * 2 ** 31 >= MAX_EXACT / 2 || wholeUnits * 2 ** 31 >= MAX_EXACT) {
    for (let row = from; row < to; row++) out[row] = cash + quoteValueAt(baseUnits, ticks[row + offset]!, scale);
    return;
  }
  for (let row = from; row < to; row++) {
    const rowTicks = ticks[row + offset]!;
    out[row] = cash + (rowTicks * wholeUnits + Math.floor((rowTicks * remainder + half) / by));
  }
}

/** Returns 10^exponent as a factor. */
function powerOf10(exponent: number): Factor {
  return exponent >= 0 ? { times: pow10(exponent), by: 1 } : { times: 1, by: pow10(-exponent) };
}
