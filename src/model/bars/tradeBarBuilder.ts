// Builds bars from trades one by one, with exact sums. Backtests and live bots use it, so both end their bars at the same trade.

import { ConfigError } from '../../base/errors.ts';
import { MAX_EXACT, pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../instrument.ts';
import type { TradeBarRule } from '../tradeBars.ts';

/** A bar from trades. It opens at the time at which the previous one ended. Times are ms UTC, `closeMs` is exclusive. */
export interface TradeBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** True if trades are missing in it or before it. */
  readonly isThin: boolean;
}

/** Numbers of decimals: prices and quantities are whole numbers in units of 10^-digits. */
export interface TradeDigits {
  readonly priceDigits: number;
  readonly quantityDigits: number;
}

/**
 * Takes trades in the order of their times and ids. A bar ends with the millisecond in which it reaches its amount, so all trades of one ms
 * are in one bar. The bars do not depend on the numbers of decimals.
 */
export class TradeBarBuilder {
  readonly #kind: TradeBarRule['kind'];
  readonly #instrument: Instrument;
  readonly #quantityDigits: number;
  readonly #priceOf: (units: number) => number;
  readonly #size: ThresholdSum;
  readonly #volume = new ThresholdSum();
  readonly #onBar: (bar: TradeBar) => void;
  #openMs: number;
  #lastMs = NaN;
  #count = 0;
  #open = 0;
  #high = 0;
  #low = 0;
  #close = 0;
  #isThin = false;

  /** `openMs`: opening time of the first bar. `onBar` gets each bar that has ended. */
  constructor(rule: TradeBarRule, instrument: Instrument, digits: TradeDigits, openMs: number, onBar: (bar: TradeBar) => void) {
    const { priceDigits, quantityDigits } = digits;
    this.#kind = rule.kind;
    this.#instrument = instrument;
    this.#quantityDigits = quantityDigits;
    this.#priceOf = priceConverter(priceDigits, instrument);
    // Decimals of what the rule counts: trades, quantities, notionals or prices.
    const sizeDigits = { ticks: 0, volume: quantityDigits, dollar: priceDigits + quantityDigits, range: priceDigits }[rule.kind];
    this.#size = new ThresholdSum(amountInUnits(rule, sizeDigits));
    this.#openMs = openMs;
    this.#onBar = onBar;
  }

  /** Adds a trade. Throws ConfigError for a price between two ticks; `id` names the trade in its message. */
  add(timeMs: number, price: number, quantity: number, id: number | string): void {
    if (this.#count > 0 && timeMs !== this.#lastMs) this.endReached();
    if (Number.isNaN(this.#priceOf(price))) {
      throw new ConfigError(
        `the price of the trade ${id} of ${this.#instrument.id} lies between two ticks of ${this.#instrument.priceDigits} digits`,
        'raise pricePrecision in the instrument record',
      );
    }
    if (this.#count === 0) this.#open = this.#high = this.#low = price;
    this.#high = Math.max(this.#high, price);
    this.#low = Math.min(this.#low, price);
    this.#close = price;
    this.#lastMs = timeMs;
    this.#count++;
    this.#volume.add(quantity, 1);
    if (this.#kind === 'range') this.#size.set(this.#high - this.#low);
    else this.#size.add(this.#kind === 'ticks' ? 1 : quantity, this.#kind === 'dollar' ? price : 1);
  }

  /** Notes that trades are missing in the open bar, or before its first trade. */
  markThin(): void {
    this.#isThin = true;
  }

  /** Time of the newest trade of the open bar, ms UTC. NaN without one. */
  get lastMs(): number {
    return this.#count === 0 ? NaN : this.#lastMs;
  }

  /** Ends the open bar if it has its amount. Call it when no more trade of the same ms can follow. */
  endReached(): void {
    if (this.#count > 0 && this.#size.isReached) this.#end(this.#lastMs + 1);
  }

  /** Ends the day at `endMs`: the open bar ends, whatever it holds, and the next one opens there. */
  endDay(endMs: number): void {
    this.endReached();
    if (this.#count > 0) this.#end(endMs);
    this.#openMs = endMs;
  }

  /** Ends the current bar at `closeMs`, and begins the next one there. */
  #end(closeMs: number): void {
    this.#onBar({
      openMs: this.#openMs,
      closeMs,
      open: this.#priceOf(this.#open),
      high: this.#priceOf(this.#high),
      low: this.#priceOf(this.#low),
      close: this.#priceOf(this.#close),
      volume: this.#volume.decimal(this.#quantityDigits),
      isThin: this.#isThin,
    });
    this.#size.clear();
    this.#volume.clear();
    this.#count = 0;
    this.#isThin = false;
    this.#openMs = closeMs;
  }
}

/** Returns a function that converts a price in units of the trades to a double. It returns NaN for a price between two ticks. */
function priceConverter(priceDigits: number, instrument: Instrument): (units: number) => number {
  const perTick = pow10(instrument.priceDigits);
  const factor = pow10(Math.abs(instrument.priceDigits - priceDigits));
  const isFiner = priceDigits > instrument.priceDigits;
  return (units) => {
    const ticks = isFiner ? units / factor : units * factor;
    return Number.isInteger(ticks) ? ticks / perTick : NaN;
  };
}

/** Returns the amount in whole units of 10^-digits. It is rounded up, so that each bar has at least the amount. */
function amountInUnits({ amount, digits: ruleDigits }: TradeBarRule, digits: number): bigint {
  if (digits >= ruleDigits) return amount * 10n ** BigInt(digits - ruleDigits);
  const unit = 10n ** BigInt(ruleDigits - digits);
  return (amount + unit - 1n) / unit;
}

/**
 * An exact sum of products of whole numbers, and the amount that it must reach. A double holds the sum up to 2^53, which is fast. What does
 * not fit there is added to a second part, a BigInt.
 */
class ThresholdSum {
  readonly #target: bigint;
  readonly #targetNumber: number;
  /** The sum is `#large` + `#small`. */
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

  /** Replaces the sum. */
  set(value: number): void {
    this.#large = 0n;
    this.#small = value;
  }

  /** Sets the sum to 0. */
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
