// Value of contracts in units of their settlement asset. The bot computes it without the venue's code, so that the two check each other.

import { InvariantError } from '../base/errors.ts';
import { mulDiv, pow10 } from '../base/number/exact.ts';
import type { Contract } from '../model/contract.ts';
import type { Instrument } from '../model/instrument.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

const MAX_EXACT = Number.MAX_SAFE_INTEGER;

export class ContractScale {
  readonly contract: Contract;
  readonly isInverse: boolean;
  /** linear: units of one lot for each tick of price, as a fraction. inverse: units of one lot at a price of one tick, as a fraction. */
  private readonly over: number;
  private readonly under: number;
  /** over = face x times. For an inverse contract, many lots times `over` exceed a double long before their value does. */
  private readonly face: number;
  private readonly times: number;

  constructor(instrument: Instrument) {
    const { contract, priceDigits, quantityDigits } = instrument;
    if (contract === undefined) throw new InvariantError(`${instrument.id} is not a contract`);
    this.contract = contract;
    this.isInverse = contract.kind === 'inverse';
    const shift = contract.marginDigits - contract.multiplierDigits - quantityDigits + (this.isInverse ? priceDigits : -priceDigits);
    this.face = contract.multiplier;
    this.times = shift > 0 ? pow10(shift) : 1;
    this.over = this.face * this.times;
    this.under = shift < 0 ? pow10(-shift) : 1;
  }

  /** Returns the value of `lots` at `ticks`, rounded half up. Infinity above 2^53 - 1. */
  valueOfLots(lots: number, ticks: number): number {
    return this.rounded(lots, ticks, 'halfUp');
  }
  /** Returns the units of `lots` for each tick of price if that is whole, so that every value is exact without rounding; else 0. */
  unitsPerTick(lots: number): number {
    return this.isInverse || this.under !== 1 ? 0 : this.over * lots;
  }
  /** Returns the notional rounded up; `notionalDown` rounds it down. For limits. */
  notionalUp(ticks: number, lots: number): number {
    return this.rounded(lots, ticks, 'up');
  }
  notionalDown(ticks: number, lots: number): number {
    return this.rounded(lots, ticks, 'down');
  }
  /** Returns the most lots that `units` buy at `ticks`, rounded up to a whole lot: the worst case of an order by value. */
  lotsUp(units: number, ticks: number): number {
    const exactly = this.isInverse ? (units * ticks * this.under) / this.over : (units * this.under) / (ticks * this.over);
    return exactly <= MAX_EXACT ? Math.ceil(exactly) + 1 : INFINITY;
  }

  /** Returns the lots that are worth at most `units` at `ticks`, except for the rounding of a unit; NaN if the result is invalid. */
  lotsWithin(units: number, ticks: number): number {
    const lots = this.isInverse ? (units * ticks * this.under) / this.over : (units * this.under) / (ticks * this.over);
    return ticks > 0 && lots < MAX_EXACT ? Math.floor(lots) : NAN;
  }

  /**
   * Returns the average price, in ticks with a fraction, of lots at one price and more at another. Lots of an inverse contract are weighted
   * by the coins that each is worth. Values are whole units, so an average computed from values would differ from the traded prices.
   */
  averageTicks(lots: number, ticks: number, more: number, moreTicks: number): number {
    if (lots === 0 || ticks === moreTicks) return moreTicks;
    const sum = this.isInverse ? lots / ticks + more / moreTicks : lots * ticks + more * moreTicks;
    return this.isInverse ? (lots + more) / sum : sum / (lots + more);
  }

  private rounded(lots: number, ticks: number, how: 'halfUp' | 'up' | 'down'): number {
    if (lots === 0) return 0;
    const many = (this.isInverse ? this.face : this.over) * lots;
    const by = this.isInverse ? this.under * ticks : this.under;
    const times = this.isInverse ? this.times : ticks;
    if (!(many <= MAX_EXACT && (many * times) / by <= MAX_EXACT - 8)) return INFINITY;
    return mulDiv(many, times, by, how);
  }

  /** Returns the profit of lots that came in for `inUnits`, at a value of `outUnits`. */
  profit(isLong: boolean, inUnits: number, outUnits: number): number {
    const change = outUnits - inUnits;
    return isLong === this.isInverse ? -change : change;
  }

  /** Returns the margin that opens a value, rounded up. */
  initial(units: number, leverage: number): number {
    return Math.ceil(units / leverage);
  }

  /** Returns the largest leverage for a position of this value. */
  maxLeverage(units: number): number {
    const { tiers, maxLeverage } = this.contract;
    const tier = tiers.find(({ upToUnits }) => upToUnits === null || units <= upToUnits);
    return Math.min(maxLeverage, tier?.maxLeverage ?? 0);
  }

  /** Returns the maintenance margin, rounded up: the parts of the value in each tier at the tier's rate. */
  maintenance(units: number): number {
    const { tiers } = this.contract;
    let at = 0;
    let less = 0;
    let from = 0;
    while (tiers[at]!.upToUnits !== null && units > tiers[at]!.upToUnits!) {
      from = tiers[at]!.upToUnits!;
      at++;
      less += mulDiv(from, tiers[at]!.maintenancePpm - tiers[at - 1]!.maintenancePpm, 1_000_000, 'down');
    }
    return mulDiv(units, tiers[at]!.maintenancePpm, 1_000_000, 'up') - less;
  }
}
