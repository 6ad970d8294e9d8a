// Makes tick, volume, dollar and range bars from the trades of one UTC day, with exact sums.

import { ConfigError } from '../../../base/errors.ts';
import { MAX_EXACT, pow10 } from '../../../base/number/exact.ts';
import type { FigureColumns } from '../../../model/bars/aggregateBars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TradeBarRule } from '../../../model/tradeBars.ts';
import { gapsOf } from './tradeDays.ts';
import { DAY_MS, type TradeColumns } from './trades.ts';

/** Bars of a day. They follow each other without a hole: each opens where the one before it ends. */
export interface TradeBarRows extends FigureColumns {
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  /** 1 for a bar in which ids of trades are missing. */
  readonly thin: Uint8Array;
}

/** What lies around a day. */
export interface DayAround {
  /** Where its first bar opens, ms UTC. */
  readonly openMs: number;
  readonly startMs: number;
  /** True if a later day has trades: the last bar then ends with the day. Otherwise it is not known whether the bar has ended. */
  readonly isOver: boolean;
  /** The last id of the day before; null for the oldest day. */
  readonly lastId: number | null;
}

/**
 * Returns the bars of a day. A bar ends with the millisecond in which it reaches its amount, so all trades of one ms are in one bar.
 * Throws ConfigError for a price between two ticks.
 */
export function barsOfDay(trades: TradeColumns, rule: TradeBarRule, instrument: Instrument, around: DayAround): TradeBarRows {
  const { length, timeMs, id, price, quantity, priceDigits, quantityDigits } = trades;
  const { kind } = rule;
  const digits = { ticks: 0, volume: quantityDigits, dollar: priceDigits + quantityDigits, range: priceDigits }[kind];
  const size = new ExactSum(amountIn(rule, digits));
  const volume = new ExactSum();
  const firsts = firstsAfterGaps(trades, around.lastId);
  const decimalOf = decimals(trades, instrument);
  const rows: number[][] = [];
  let [count, open, high, low, isThin, openMs] = [0, 0, 0, 0, 0, around.openMs];
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
  for (let at = 0; at < length; at++) {
    const units = price[at]!;
    const amount = quantity[at]!;
    if (Number.isNaN(decimalOf(units))) {
      throw new ConfigError(
        `the price of the trade ${id[at]!} of ${instrument.id} lies between two ticks of ${instrument.priceDigits} digits`,
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
    if (firsts.has(id[at]!)) isThin = 1;
    if (timeMs[at + 1] !== timeMs[at] && size.isReached) end(units, timeMs[at]! + 1);
  }
  if (count > 0 && around.isOver) end(price[length - 1]!, around.startMs + DAY_MS);
  const column = (at: number): Float64Array => Float64Array.from(rows, (row) => row[at]!);
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

/** Returns the ids of the trades before which ids are missing. */
function firstsAfterGaps(trades: TradeColumns, lastId: number | null): ReadonlySet<number> {
  const firsts = new Set(gapsOf(trades).map(({ beforeId }) => beforeId));
  const firstId = trades.id.reduce((min, id) => Math.min(min, id), Infinity);
  if (lastId !== null && firstId > lastId + 1) firsts.add(firstId);
  return firsts;
}

/** Returns a function from a price in units of the trades to its double; NaN for a price between two ticks. */
function decimals({ priceDigits }: TradeColumns, instrument: Instrument): (units: number) => number {
  const perTick = pow10(instrument.priceDigits);
  const factor = pow10(Math.abs(instrument.priceDigits - priceDigits));
  const isFiner = priceDigits > instrument.priceDigits;
  return (units) => {
    const ticks = isFiner ? units / factor : units * factor;
    return Number.isInteger(ticks) ? ticks / perTick : NaN;
  };
}

/** Returns the amount in whole units of 10^-digits, rounded up: a bar never ends short of it. */
function amountIn({ amount, digits: own }: TradeBarRule, digits: number): bigint {
  if (digits >= own) return amount * 10n ** BigInt(digits - own);
  const unit = 10n ** BigInt(own - digits);
  return (amount + unit - 1n) / unit;
}

/** A sum of products of whole numbers that is exact at any size. */
class ExactSum {
  readonly #wanted: bigint;
  readonly #wantedNumber: number;
  #large = 0n;
  #small = 0;

  constructor(wanted = 0n) {
    this.#wanted = wanted;
    this.#wantedNumber = wanted <= BigInt(MAX_EXACT) ? Number(wanted) : Infinity;
  }

  add(one: number, other: number): void {
    const product = one * other;
    const sum = this.#small + product;
    if (sum <= MAX_EXACT) this.#small = sum;
    else this.#large += BigInt(one) * BigInt(other);
  }

  set(value: number): void {
    this.#large = 0n;
    this.#small = value;
  }

  clear(): void {
    this.set(0);
  }

  get isReached(): boolean {
    return this.#small >= this.#wantedNumber || (this.#large > 0n && this.#large + BigInt(this.#small) >= this.#wanted);
  }

  /** Returns the nearest double of the sum in units of 10^-digits. */
  decimal(digits: number): number {
    return this.#large === 0n ? this.#small / pow10(digits) : Number(`${this.#large + BigInt(this.#small)}e-${digits}`);
  }
}
