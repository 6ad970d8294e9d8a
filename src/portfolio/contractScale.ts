// Computes the value of contracts in units of their settlement asset. It shares no code with the simulated venue, so each checks the other.

import { InvariantError } from '../base/errors.ts';
import { mulDiv, pow10 } from '../base/number/exact.ts';
import type { Contract } from '../model/contract.ts';
import type { Instrument } from '../model/instrument.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

const MAX_EXACT = Number.MAX_SAFE_INTEGER;
const MILLION = 1_000_000;

/** Converts lots and prices of one contract to money. */
export class ContractScale {
  /** The terms of the contract. */
  readonly contract: Contract;
  /** True when the contract settles in its base asset. */
  readonly isInverse: boolean;
  /** A fraction: units of one lot for each tick of price (linear), or units of one lot at a price of one tick (inverse). */
  private readonly numerator: number;
  private readonly denominator: number;
  /** `numerator` = `multiplier` x `powerOfTen`. Kept apart, because many inverse lots times `numerator` exceed 2^53 long before their value does. */
  private readonly multiplier: number;
  private readonly powerOfTen: number;

  constructor(instrument: Instrument) {
    const { contract, priceDigits, quantityDigits } = instrument;
    if (contract === undefined) throw new InvariantError(`${instrument.id} is not a contract`);
    this.contract = contract;
    this.isInverse = contract.kind === 'inverse';
    const shift = contract.marginDigits - contract.multiplierDigits - quantityDigits + (this.isInverse ? priceDigits : -priceDigits);
    this.multiplier = contract.multiplier;
    this.powerOfTen = shift > 0 ? pow10(shift) : 1;
    this.numerator = this.multiplier * this.powerOfTen;
    this.denominator = shift < 0 ? pow10(-shift) : 1;
  }

  /** Returns the value of `lots` at `ticks`, rounded half up. Infinity above 2^53 - 1. */
  valueOfLots(lots: number, ticks: number): number {
    return this.roundedValue(lots, ticks, 'halfUp');
  }
  /** Returns the units of `lots` for each tick of price, if that is a whole number; otherwise 0. */
  unitsPerTick(lots: number): number {
    return this.isInverse || this.denominator !== 1 ? 0 : this.numerator * lots;
  }
  /** Returns the value of lots at a price in ticks, rounded up to the unit. */
  notionalUp(ticks: number, lots: number): number {
    return this.roundedValue(lots, ticks, 'up');
  }
  /** Returns the value of lots at a price in ticks, rounded down to the unit. */
  notionalDown(ticks: number, lots: number): number {
    return this.roundedValue(lots, ticks, 'down');
  }
  /** Returns the largest number of lots that `units` can buy at `ticks`, rounded up: the worst case of an order by value. */
  lotsUp(units: number, ticks: number): number {
    const lots = this.isInverse
      ? (units * ticks * this.denominator) / this.numerator
      : (units * this.denominator) / (ticks * this.numerator);
    return lots <= MAX_EXACT ? Math.ceil(lots) + 1 : INFINITY;
  }

  /** Returns the lots that are worth at most `units` at `ticks`, except for the rounding of a unit; NaN if the result is invalid. */
  lotsWithin(units: number, ticks: number): number {
    const lots = this.isInverse
      ? (units * ticks * this.denominator) / this.numerator
      : (units * this.denominator) / (ticks * this.numerator);
    return ticks > 0 && lots < MAX_EXACT ? Math.floor(lots) : NAN;
  }

  /**
   * Returns the average price, in ticks with a fraction, of lots at one price and more at another. Lots of an inverse contract are weighted
   * by the coins that each is worth. Values are whole units, so an average computed from values would differ from the traded prices.
   */
  averageTicks(lots: number, ticks: number, addedLots: number, addedTicks: number): number {
    if (lots === 0 || ticks === addedTicks) return addedTicks;
    const sum = this.isInverse ? lots / ticks + addedLots / addedTicks : lots * ticks + addedLots * addedTicks;
    return this.isInverse ? (lots + addedLots) / sum : sum / (lots + addedLots);
  }

  /** Returns the value of lots, rounded; Infinity above 2^53 - 1. */
  private roundedValue(lots: number, ticks: number, rounding: 'halfUp' | 'up' | 'down'): number {
    if (lots === 0) return 0;
    const multiplicand = (this.isInverse ? this.multiplier : this.numerator) * lots;
    const divisor = this.isInverse ? this.denominator * ticks : this.denominator;
    const multiplier = this.isInverse ? this.powerOfTen : ticks;
    if (!(multiplicand <= MAX_EXACT && (multiplicand * multiplier) / divisor <= MAX_EXACT - 8)) return INFINITY;
    return mulDiv(multiplicand, multiplier, divisor, rounding);
  }

  /** Returns the profit of lots that were opened at a value of `entryUnits` and now have a value of `exitUnits`. */
  profit(isLong: boolean, entryUnits: number, exitUnits: number): number {
    const change = exitUnits - entryUnits;
    return isLong === this.isInverse ? -change : change;
  }

  /** Returns the initial margin of a position with a value of `units`, rounded up. */
  initial(units: number, leverage: number): number {
    return Math.ceil(units / leverage);
  }

  /** Returns the largest leverage for a position of this value. */
  maxLeverage(units: number): number {
    const { tiers, maxLeverage } = this.contract;
    const tier = tiers.find(({ upToUnits }) => upToUnits === null || units <= upToUnits);
    return Math.min(maxLeverage, tier?.maxLeverage ?? 0);
  }

  /** Returns the maintenance margin of a position with a value of `units`, rounded up. Each part of the value pays the rate of its tier. */
  maintenance(units: number): number {
    const { tiers } = this.contract;
    let tier = 0;
    // The whole value pays the rate of the highest tier. Deduct what the parts in lower tiers have paid too much.
    let deduction = 0;
    while (tiers[tier]!.upToUnits !== null && units > tiers[tier]!.upToUnits!) {
      const lower = tiers[tier]!;
      tier++;
      deduction += mulDiv(lower.upToUnits!, tiers[tier]!.maintenancePpm - lower.maintenancePpm, MILLION, 'down');
    }
    return mulDiv(units, tiers[tier]!.maintenancePpm, MILLION, 'up') - deduction;
  }
}
