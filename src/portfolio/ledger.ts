// The bot's own books: cash, holdings, cost and fees of each strategy, from fills alone, exact to the last unit.

import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import { exact, mulDiv, pow10 } from '../base/exact.ts';
import type { Instrument } from '../model/instrument.ts';
import { Scale, valueAt, valueDownAt, valueUpAt, type Factor } from './scale.ts';

export { markSegment } from './scale.ts';

/**
 * One book a strategy, over one account with one quote asset. Money is in units of the quote asset, holdings in units of each base
 * asset. Of every book, and so of the account, at any time and to the unit:
 *
 *     cash + cost of what is held = deposits + realised - fees
 *
 * A fee in the base asset leaves the holding at its cost and counts as a fee of that worth.
 */
export class Ledger {
  readonly instruments: readonly Instrument[];
  readonly strategies: number;
  readonly #scales: readonly Scale[];
  readonly #minUnits: Float64Array;
  /** By strategy. */
  readonly #quote: Float64Array;
  readonly #deposits: Float64Array;
  readonly #realised: Float64Array;
  readonly #fees: Float64Array;
  /** By strategy and instrument. */
  readonly #base: Float64Array;
  readonly #cost: Float64Array;
  /** Of the account: the cash, then each instrument's holding. */
  readonly #totals: Float64Array;

  /** Throws ConfigError when the instruments differ in their quote asset or one of them stands there twice. */
  constructor(instruments: readonly Instrument[], strategies: number) {
    checkOneQuote(instruments);
    this.instruments = instruments;
    this.strategies = strategies;
    this.#scales = instruments.map((instrument) => new Scale(instrument));
    this.#minUnits = Float64Array.from(instruments, ({ minLots }, index) => minLots * this.#scales[index]!.unitsPerLot);
    this.#quote = new Float64Array(strategies);
    this.#deposits = new Float64Array(strategies);
    this.#realised = new Float64Array(strategies);
    this.#fees = new Float64Array(strategies);
    this.#base = new Float64Array(strategies * instruments.length);
    this.#cost = new Float64Array(strategies * instruments.length);
    this.#totals = new Float64Array(1 + instruments.length);
  }

  /**
   * Adds `units` (of that asset) to a strategy's book. Base holdings come in at `costUnits` of quote money, what they are worth at the
   * time: with 0 their whole proceeds would count as profit. Throws ConfigError for an asset that no instrument trades.
   */
  deposit(strategy: number, asset: string, units: number, costUnits = 0): void {
    assert(exact(units) >= 0 && exact(costUnits) >= 0, `a deposit is not negative: ${units} ${asset}`);
    if (asset === this.instruments[0]!.quote) {
      this.#addQuote(strategy, units);
      this.#deposits[strategy] = exact(this.#deposits[strategy]! + units);
      return;
    }
    const index = this.instruments.findIndex(({ base }) => base === asset);
    if (index < 0) throw new ConfigError(`cash: no instrument of the run trades ${asset}`, `deposit ${this.#assets().join(' or ')}`);
    const at = this.#at(strategy, index);
    this.#addBase(at, index, units);
    this.#cost[at] = exact(this.#cost[at]! + costUnits);
    this.#deposits[strategy] = exact(this.#deposits[strategy]! + costUnits);
  }

  /**
   * Books an execution of `lots` whose notional is `notionalUnits`. `feeUnits` is in base units where `feeInBase`, else in quote units.
   * `ticks` is the price: it stands in messages only, the notional is the venue's. Throws InvariantError when more is sold than held.
   */
  fill(
    strategy: number,
    index: number,
    isBuy: boolean,
    ticks: number,
    lots: number,
    notionalUnits: number,
    feeUnits: number,
    feeInBase: boolean,
  ): void {
    const at = strategy * this.#minUnits.length + index;
    const units = lots * this.#scales[index]!.unitsPerLot;
    const baseFee = feeInBase ? feeUnits : 0;
    const held = this.#base[at]!;
    const cost = this.#cost[at]!;
    let feeCost = feeInBase ? 0 : feeUnits;
    if (isBuy) {
      if (baseFee > 0) feeCost = mulDiv(notionalUnits, baseFee, units, 'halfUp');
      this.#addBase(at, index, units - baseFee);
      this.#cost[at] = cost + notionalUnits - (feeInBase ? feeCost : 0);
      this.#addQuote(strategy, -notionalUnits - (feeInBase ? 0 : feeUnits));
    } else {
      if (!(units + baseFee <= held)) throw oversold(this.instruments[index]!, strategy, ticks, units + baseFee, held);
      const costOut = units === held ? cost : mulDiv(cost, units, held, 'halfUp');
      if (baseFee > 0) feeCost = mulDiv(cost - costOut, baseFee, held - units, 'halfUp');
      this.#addBase(at, index, -units - baseFee);
      this.#cost[at] = cost - costOut - (feeInBase ? feeCost : 0);
      this.#realised[strategy]! += notionalUnits - costOut;
      this.#addQuote(strategy, notionalUnits - (feeInBase ? 0 : feeUnits));
    }
    this.#fees[strategy]! += feeCost;
  }

  /** Cash of a strategy in quote units. */
  quote(strategy: number): number {
    return this.#quote[strategy]!;
  }
  get quoteTotal(): number {
    return this.#totals[0]!;
  }
  /** Holding of a strategy in base units. */
  base(strategy: number, index: number): number {
    return this.#base[strategy * this.#minUnits.length + index]!;
  }
  baseTotal(index: number): number {
    return this.#totals[1 + index]!;
  }
  /** What a strategy holds in whole lots: what it can sell when nothing else is being sold. */
  sellableLots(strategy: number, index: number): number {
    return Math.floor(this.base(strategy, index) / this.#scales[index]!.unitsPerLot);
  }
  /** Less is held than the smallest order: nothing, or dust that cannot be sold. */
  isFlat(strategy: number, index: number): boolean {
    return this.base(strategy, index) < this.#minUnits[index]!;
  }
  /** Base units that are left over: held, but less than the smallest order. 0 while a position is open. */
  dust(strategy: number, index: number): number {
    return this.isFlat(strategy, index) ? this.base(strategy, index) : 0;
  }
  /** What the holding cost, in quote units, fees not counted. Exact; a part of a holding leaves at its share, rounded half up. */
  cost(strategy: number, index: number): number {
    return this.#cost[this.#at(strategy, index)]!;
  }
  /** Average price of the holding in quote per base, fees not counted; NaN while nothing is held. A reading. */
  entryPrice(strategy: number, index: number): number {
    const at = this.#at(strategy, index);
    const { quoteDigits, baseDigits } = this.instruments[index]!;
    return this.#cost[at]! / pow10(quoteDigits) / (this.#base[at]! / pow10(baseDigits));
  }
  /** Profit of what was sold over what it had cost, fees not counted, in quote units. */
  realised(strategy: number): number {
    return this.#realised[strategy]!;
  }
  /** Fees paid, in quote units; those in a base asset at what it had cost. */
  fees(strategy: number): number {
    return this.#fees[strategy]!;
  }
  /** Cash and cost of holdings brought in. */
  deposits(strategy: number): number {
    return this.#deposits[strategy]!;
  }

  /** From ticks x base units to quote units, for `markSegment`. */
  scale(index: number): Factor {
    return this.#scales[index]!.ofUnits;
  }
  /** Worth of the account's holding at a price in ticks: exact where it divides, else rounded half up. In quote units. */
  value(index: number, ticks: number): number {
    return valueAt(this.#totals[1 + index]!, ticks, this.#scales[index]!.ofUnits);
  }
  /** The same rounded down, and rounded up: for limits. */
  valueDown(index: number, ticks: number): number {
    return valueDownAt(this.#totals[1 + index]!, ticks, this.#scales[index]!.ofUnits);
  }
  valueUp(index: number, ticks: number): number {
    return valueUpAt(this.#totals[1 + index]!, ticks, this.#scales[index]!.ofUnits);
  }
  /**
   * Cash plus holdings at `marks` (ticks by instrument), in quote units. Each holding is rounded for itself. A mark is read only where
   * something is held; a missing one (NaN) makes the equity NaN: unknown. Above 2^53 a reading.
   */
  equityUnits(strategy: number, marks: ArrayLike<number>): number {
    let equity = this.#quote[strategy]!;
    for (let index = 0; index < this.#scales.length; index++) {
      const held = this.base(strategy, index);
      if (held !== 0) equity += valueAt(held, marks[index]!, this.#scales[index]!.ofUnits);
    }
    return equity;
  }
  /** The same of the whole account. */
  equityTotalUnits(marks: ArrayLike<number>): number {
    let equity = this.quoteTotal;
    for (let index = 0; index < this.#scales.length; index++) if (this.baseTotal(index) !== 0) equity += this.value(index, marks[index]!);
    return equity;
  }

  /** Throws InvariantError when a book does not add up, or the books do not add up to the account. Not for the hot path. */
  assertReconciled(): void {
    const totals = Array.from({ length: 1 + this.instruments.length }, () => 0);
    for (let strategy = 0; strategy < this.strategies; strategy++) {
      totals[0]! += this.quote(strategy);
      let cost = 0;
      for (let index = 0; index < this.instruments.length; index++) {
        totals[1 + index]! += this.base(strategy, index);
        cost += this.cost(strategy, index);
      }
      const left = this.quote(strategy) + cost;
      const right = this.deposits(strategy) + this.realised(strategy) - this.fees(strategy);
      assert(left === right, `book ${strategy}: cash + cost ${left} is not deposits + realised - fees ${right}`);
    }
    totals.forEach((sum, at) => assert(sum === this.#totals[at], `the books add up to ${sum}, the account has ${this.#totals[at]}`));
  }

  #addQuote(strategy: number, units: number): void {
    this.#quote[strategy] = exact(this.#quote[strategy]! + units);
    this.#totals[0] = exact(this.#totals[0]! + units);
  }
  #addBase(at: number, index: number, units: number): void {
    this.#base[at] = exact(this.#base[at]! + units);
    this.#totals[1 + index] = exact(this.#totals[1 + index]! + units);
  }
  #at(strategy: number, index: number): number {
    return strategy * this.#minUnits.length + index;
  }
  #assets(): string[] {
    return [this.instruments[0]!.quote, ...this.instruments.map(({ base }) => base)];
  }
}

function oversold({ id, base }: Instrument, strategy: number, ticks: number, units: number, held: number): InvariantError {
  return new InvariantError(`book ${strategy}: a fill of ${id} at ${ticks} ticks sells ${units} units of ${base}, ${held} are held`);
}

function checkOneQuote(instruments: readonly Instrument[]): void {
  const [first] = instruments;
  assert(first !== undefined, 'a ledger has an instrument');
  for (const { id, base, quote, quoteDigits } of instruments) {
    if (quote !== first.quote || quoteDigits !== first.quoteDigits) {
      const remedy = 'run instruments of one quote asset together, with the same quoteDigits';
      throw new ConfigError(
        `${id}: expected money in ${first.quote} of ${first.quoteDigits} digits, got ${quote} of ${quoteDigits}`,
        remedy,
      );
    }
    if (instruments.filter((other) => other.base === base).length > 1 || base === quote) {
      throw new ConfigError(`${id}: ${base} is held through two instruments`, 'name each instrument once');
    }
  }
}
