// Computes the value of contracts in whole units of their settlement asset, and the margin that a value requires.

import { ConfigError, InvariantError } from '../../base/errors.ts';
import { exact, MAX_EXACT, mulDiv, pow10 } from '../../base/number/exact.ts';
import { highestTrue, lowestTrue } from '../../base/number/search.ts';
import type { Contract } from '../../model/contract.ts';
import { MAX_PRICE_TICKS, type Instrument } from '../../model/instrument.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

/** A value that was estimated in doubles may be wrong by some units. Up to this estimate, the exact value is countable. */
const MAX_ESTIMATE = MAX_EXACT - 8;
const MILLION = 1_000_000;
// hot: docs/performance.md#imported-constants
const HIGHEST_TICKS = MAX_PRICE_TICKS;

/** One tier of maintenance margins. */
interface Tier {
  /** Largest value of a position in this tier, in settlement units; Infinity for the last tier. */
  readonly upToUnits: number;
  readonly maintenancePpm: number;
  /** The amount by which the lower rates of the lower tiers reduce the maintenance margin. */
  readonly deductUnits: number;
  readonly maxLeverage: number;
}

/** Values, profits and margins of one contract. All money is in whole units of its settlement asset. */
export class ContractMoney {
  /** The terms of the contract. */
  readonly contract: Contract;
  /** True when the contract settles in its quote asset, false when it is inverse. */
  readonly isLinear: boolean;
  /** Face value of one lot, in 10^-(multiplierDigits + quantityDigits) of its coin. */
  private readonly face: number;
  /**
   * Scales between face values and settlement units. Linear: value = face x lots x ticks x multiplyBy / divideBy. Inverse: value = face x
   * lots x multiplyBy / (ticks x divideBy). One of the two is 1.
   */
  private readonly multiplyBy: number;
  private readonly divideBy: number;
  private readonly tiers: readonly Tier[];

  /** Throws ConfigError when the instrument has no contract, or when its scales or tiers cannot be computed exactly. */
  constructor({ id, contract, priceDigits, quantityDigits }: Instrument) {
    if (contract === undefined) throw new ConfigError(`instrument ${id}: expected the terms of a contract, got none`, 'refresh its record');
    this.contract = contract;
    this.isLinear = contract.kind === 'linear';
    this.face = contract.multiplier;
    if (!(Number.isSafeInteger(this.face) && this.face > 0)) {
      throw new ConfigError(`instrument ${id} multiplier: expected a face value above 0, got ${this.face}`, 'refresh its record');
    }
    const faceDigits = contract.multiplierDigits + quantityDigits;
    const exponent = this.isLinear ? contract.marginDigits - priceDigits - faceDigits : contract.marginDigits + priceDigits - faceDigits;
    this.multiplyBy = exponent > 0 ? pow10(exponent) : 1;
    this.divideBy = exponent < 0 ? pow10(-exponent) : 1;
    this.tiers = tiersOf(id, contract);
  }

  /**
   * Returns the value of `lots` at a price in ticks (> 0), in settlement units, rounded half up at the unit. Both sides of a trade use the
   * same rounded value. Infinity above 2^53 - 1: no balance covers it.
   */
  value(lots: number, ticks: number): number {
    const faces = this.face * lots;
    if (faces > MAX_EXACT) return INFINITY;
    if (this.isLinear) {
      const product = faces * ticks;
      if (this.divideBy === 1) return product * this.multiplyBy <= MAX_EXACT ? product * this.multiplyBy : INFINITY;
      return product / this.divideBy <= MAX_ESTIMATE ? mulDiv(faces, ticks, this.divideBy, 'halfUp') : INFINITY;
    }
    const price = ticks * this.divideBy;
    return (faces * this.multiplyBy) / price <= MAX_ESTIMATE ? mulDiv(faces, this.multiplyBy, price, 'halfUp') : INFINITY;
  }

  /** Returns the largest number of lots whose value at `ticks` is within `units`; 0 for 0 units, even if a lot rounds to 0 units. */
  lotsWithin(units: number, ticks: number): number {
    if (!(units > 0)) return 0;
    const estimatedLots = this.isLinear
      ? (units * this.divideBy) / (ticks * this.multiplyBy * this.face)
      : (units * ticks * this.divideBy) / (this.multiplyBy * this.face);
    const maxCountableLots = Math.floor(MAX_EXACT / this.face);
    // The quotient is only an estimate, because values are rounded. The search compares the values themselves.
    return highestTrue((lots) => this.value(lots, ticks) <= units, Math.floor(Math.min(estimatedLots, maxCountableLots)), maxCountableLots);
  }

  /** Returns the price, in ticks with a fraction, at which `lots` have a value of `units`; NaN for 0 lots. For display only. */
  averageTicks(lots: number, units: number): number {
    if (lots === 0) return NAN;
    const faces = this.face * lots;
    return this.isLinear ? ((units / faces) * this.divideBy) / this.multiplyBy : ((faces / units) * this.multiplyBy) / this.divideBy;
  }

  /**
   * Returns the average price, in ticks, of lots at one price and more lots at another. The weights are lots for linear contracts, and the
   * value of a lot for inverse ones. It is computed from prices, because values are rounded.
   */
  averageOf(lots: number, ticks: number, moreLots: number, moreTicks: number): number {
    if (lots === 0 || ticks === moreTicks) return moreTicks;
    const totalLots = lots + moreLots;
    return this.isLinear ? (lots * ticks + moreLots * moreTicks) / totalLots : totalLots / (lots / ticks + moreLots / moreTicks);
  }

  /** Returns the profit of lots opened at a value of `inUnits` and closed at `outUnits`; negative for a loss. */
  profit(isLong: boolean, inUnits: number, outUnits: number): number {
    return isLong === this.isLinear ? outUnits - inUnits : inUnits - outUnits;
  }

  /** Returns the margin that opening a value requires, rounded up. */
  initial(valueUnits: number, leverage: number): number {
    return Math.ceil(valueUnits / leverage);
  }

  /** Returns the maintenance margin of a position of this value, rounded up: each part of the value at the rate of its tier. */
  maintenance(valueUnits: number): number {
    const tier = this.tierOf(valueUnits);
    return mulDiv(valueUnits, tier.maintenancePpm, MILLION, 'up') - tier.deductUnits;
  }

  /** Returns the maintenance rate of the tier of a value, in ppm. */
  maintenancePpm(valueUnits: number): number {
    return this.tierOf(valueUnits).maintenancePpm;
  }

  /** Returns the largest leverage at which a position of this value may be held. */
  maxLeverage(valueUnits: number): number {
    return Math.min(this.contract.maxLeverage, this.tierOf(valueUnits).maxLeverage);
  }

  /**
   * Returns the liquidation price of a position, in ticks. It is the first price on its losing side at which `backing` plus its profit is
   * at most its maintenance margin. 0 for a long, Infinity for a short, if no price leads to liquidation. `backing`: the funds behind it in
   * settlement units, without its own unrealised profit.
   */
  liquidationTicks(isLong: boolean, lots: number, entryUnits: number, backing: number): number {
    const isLiquidated = (ticks: number): boolean => {
      const value = this.value(lots, ticks);
      // The value is too large for a double. For linear contracts this happens at high prices, where shorts lose; for inverse ones at low
      // prices, where longs lose.
      if (value === INFINITY) return this.isLinear !== isLong;
      return backing + this.profit(isLong, entryUnits, value) <= this.maintenance(value);
    };
    // If the rule holds at a price, it holds at every price beyond, because the maintenance margin changes by less than the value.
    const startTicks = this.estimateLiquidation(isLong, lots, entryUnits, backing);
    return isLong ? highestTrue(isLiquidated, startTicks, HIGHEST_TICKS) : lowestTrue(isLiquidated, startTicks, HIGHEST_TICKS);
  }

  /** Returns the last price, in ticks, on the losing side of a position at which it loses at most `units` and its value is countable. */
  lastCovered(isLong: boolean, lots: number, entryUnits: number, averageTicks: number, units: number): number {
    const isCovered = (ticks: number): boolean => {
      const value = this.value(lots, ticks);
      if (value === INFINITY) return false;
      return this.profit(isLong, entryUnits, value) >= -units;
    };
    const startTicks = Math.min(Math.max(1, Math.round(averageTicks)), HIGHEST_TICKS);
    // On the winning side the value may be too large to count. The search begins at the entry price, where it is countable.
    const price = isLong
      ? startTicks + 1 - highestTrue((down) => isCovered(startTicks + 1 - down), 1, startTicks)
      : startTicks - 1 + highestTrue((up) => isCovered(startTicks - 1 + up), 1, HIGHEST_TICKS - startTicks + 1);
    return Math.min(Math.max(price, 1), HIGHEST_TICKS);
  }

  /** Estimates the liquidation price without rounding: margin and maintenance are equal, in the first tier that contains the value. */
  private estimateLiquidation(isLong: boolean, lots: number, entryUnits: number, backing: number): number {
    const sign = isLong === this.isLinear ? 1 : -1;
    let value = entryUnits;
    for (const { upToUnits, maintenancePpm, deductUnits } of this.tiers) {
      // backing + sign x (value - entry) = value x rate - deduct
      value = (sign * entryUnits - backing - deductUnits) / (sign - maintenancePpm / MILLION);
      if (value <= upToUnits) break;
    }
    const faces = this.face * lots;
    const ticks = this.isLinear ? ((value / faces) * this.divideBy) / this.multiplyBy : ((faces / value) * this.multiplyBy) / this.divideBy;
    return ticks >= 1 && ticks < HIGHEST_TICKS ? Math.round(ticks) : 1;
  }

  /** Returns the first tier that contains a value. Throws InvariantError for NaN; the last tier has no end. */
  private tierOf(valueUnits: number): Tier {
    for (const tier of this.tiers) if (valueUnits <= tier.upToUnits) return tier;
    throw new InvariantError(`a value of ${valueUnits} units is in no tier of contract ${this.contract.contractId}`);
  }
}

/** Returns the risk tiers of a contract, each with its deduction. Throws ConfigError unless they rise in value and rate. */
function tiersOf(id: string, { tiers, contractId }: Contract): Tier[] {
  const tierList: Tier[] = [];
  let lowerUnits = 0;
  let deductUnits = 0;
  let lastPpm = 0;
  tiers.forEach(({ upToUnits, maintenancePpm, maxLeverage }, index) => {
    const isLast = index === tiers.length - 1;
    const upperUnits = upToUnits ?? INFINITY;
    const isValid =
      Number.isInteger(maintenancePpm) &&
      maintenancePpm >= lastPpm &&
      maintenancePpm < MILLION &&
      upperUnits > lowerUnits &&
      maxLeverage >= 1;
    if (!isValid || isLast !== (upToUnits === null)) {
      throw new ConfigError(
        `instrument ${id}: tier ${index + 1} of contract ${contractId} does not follow the one before it`,
        'let tiers rise in value and rate, keep rates below 1, and leave only the last without an end',
      );
    }
    deductUnits = exact(deductUnits + mulDiv(lowerUnits, maintenancePpm - lastPpm, MILLION, 'down'));
    tierList.push({ upToUnits: upperUnits, maintenancePpm, deductUnits, maxLeverage });
    lowerUnits = upperUnits;
    lastPpm = maintenancePpm;
  });
  if (tierList.length === 0) {
    throw new ConfigError(
      `instrument ${id}: contract ${contractId} has no maintenance tiers`,
      'give at least one tier, the last without an end',
    );
  }
  return tierList;
}
