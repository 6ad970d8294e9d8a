// Builds tick, volume, dollar and range bars from the trades of one UTC day, with exact sums.

import { ConfigError } from '../../../base/errors.ts';
import { MAX_EXACT, pow10 } from '../../../base/number/exact.ts';
import type { FigureColumns } from '../../../model/bars/aggregateBars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TradeBarRule } from '../../../model/tradeBars.ts';
import { gapsOf } from './tradeDays.ts';
import { DAY_MS, type TradeColumns } from './trades.ts';

/** Bars of a day without gaps: each opens at the time at which the previous one ends. */
export interface TradeBarRows extends FigureColumns {
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  /** 1 for a bar with missing trade ids. */
  readonly thin: Uint8Array;
}

/** The position of a day among the other days. */
export interface DayContext {
  /** Opening time of the first bar of the day, ms UTC. */
  readonly openMs: number;
  readonly startMs: number;
  /** True if a later day has trades, so that the last bar ends with the day. Otherwise the last bar may still be open, and is left out. */
  readonly isOver: boolean;
  /** The last trade id of the previous day. Null for the oldest day. */
  readonly lastId: number | null;
}

/**
 * Returns the bars of a day. A bar ends with the millisecond in which it reaches its amount, so all trades of one ms are in one bar.
 * Throws ConfigError for a price between two ticks.
 */
export function barsOfDay(trades: TradeColumns, rule: TradeBarRule, instrument: Instrument, context: DayContext): TradeBarRows {
  const { length, timeMs, id, price, quantity, priceDigits, quantityDigits } = trades;
  const { kind } = rule;
  const digits = { ticks: 0, volume: quantityDigits, dollar: priceDigits + quantityDigits, range: priceDigits }[kind];
  const size = new ExactSum(amountIn(rule, digits));
  const volume = new ExactSum();
  const afterGaps = idsAfterGaps(trades, context.lastId);
  const decimalOf = decimals(trades, instrument);
  const rows: number[][] = [];
  let [count, open, high, low, isThin, openMs] = [0, 0, 0, 0, 0, context.openMs];
  const end = (close: number, closeMs: number): void => {
    rows.push([
      openMs,
      closeMs,
      decimalOf(open),
      decimalOf(high),
      decimalOf(low),
      decimalOf(close),
      volume.decimal(quantityDigits),
      isThin,
    ]);
    size.clear();
    volume.clear();
    count = isThin = 0;
    openMs = closeMs;
  };
  for (let row = 0; row < length; row++) {
    const units = price[row]!;
    const amount = quantity[row]!;
    if (Number.isNaN(decimalOf(units))) {
      throw new ConfigError(
        `the price of the trade ${id[row]!} of ${instrument.id} lies between two ticks of ${instrument.priceDigits} digits`,
        'raise pricePrecision in the instrument record',
      );
    }
    if (count === 0) open = high = low = units;
    high = Math.max(high, units);
    low = Math.min(low, units);
    count++;
    volume.add(amount, 1);
    if (kind === 'range') size.set(high - low);
    else size.add(kind === 'ticks' ? 1 : amount, kind === 'dollar' ? units : 1);
    if (afterGaps.has(id[row]!)) isThin = 1;
    if (timeMs[row + 1] !== timeMs[row] && size.isReached) end(units, timeMs[row]! + 1);
  }
  if (count > 0 && context.isOver) end(price[length - 1]!, context.startMs + DAY_MS);
  const column = (index: number): Float64Array => Float64Array.from(rows, (row) => row[index]!);
  return {
    openMs: column(0),
    closeMs: column(1),
    open: column(2),
    high: column(3),
    low: column(4),
    close: column(5),
    volume: column(6),
    thin: Uint8Array.from(rows, (row) => row[7]!),
  };
}

/** Returns the ids of the first trades after gaps of ids. */
function idsAfterGaps(trades: TradeColumns, lastId: number | null): ReadonlySet<number> {
  const afterGaps = new Set(gapsOf(trades).map(({ beforeId }) => beforeId));
  const firstId = trades.id.reduce((min, id) => Math.min(min, id), Infinity);
  if (lastId !== null && firstId > lastId + 1) afterGaps.add(firstId);
  return afterGaps;
}

/** Returns a function that converts a price in units of the trades to a double. It returns NaN for a price between two ticks. */
function decimals({ priceDigits }: TradeColumns, instrument: Instrument): (units: number) => number {
  const perTick = pow10(instrument.priceDigits);
  const factor = pow10(Math.abs(instrument.priceDigits - priceDigits));
  const isFiner = priceDigits > instrument.priceDigits;
  return (units) => {
    const ticks = isFiner ? units / factor : units * factor;
    return Number.isInteger(ticks) ? ticks / perTick : NaN;
  };
}

/** Returns the amount in whole units of 10^-digits. It is rounded up, so that each bar has at least the amount. */
function amountIn({ amount, digits: ruleDigits }: TradeBarRule, digits: number): bigint {
  if (digits >= ruleDigits) return amount * 10n ** BigInt(digits - ruleDigits);
  const unit = 10n ** BigInt(ruleDigits - digits);
  return (amount + unit - 1n) / unit;
}

/** An exact sum of products of whole numbers, and the amount that it must reach. */
class ExactSum {
  readonly #target: bigint;
  readonly #targetNumber: number;
  #large = 0n;
  #small = 0;

  constructor(target = 0n) {
    this.#target = target;
    this.#targetNumber = target <= BigInt(MAX_EXACT) ? Number(target) : Infinity;
  }

  /** Adds the product of two factors. */
  add(a: number, b: number): void {
    const product = a * b;
    const sum = this.#small + product;
    if (sum <= MAX_EXACT) this.#small = sum;
    else this.#large += BigInt(a) * BigInt(b);
  }

  set(value: number): void {
    this.#large = 0n;
    this.#small = value;
  }

  clear(): void {
    this.set(0);
  }

  /** True when the sum has reached the target. */
  get isReached(): boolean {
    return this.#small >= this.#targetNumber || (this.#large > 0n && this.#large + BigInt(this.#small) >= this.#target);
  }

  /** Returns the nearest double of the sum in units of 10^-digits. */
  decimal(digits: number): number {
    return this.#large === 0n ? this.#small / pow10(digits) : Number(`${this.#large + BigInt(this.#small)}e-${digits}`);
  }
}
