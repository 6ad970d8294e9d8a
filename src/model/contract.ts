// The terms of a futures contract: what one lot represents, its settlement asset, its fees and its margin tiers.

/** A tier of the maintenance table: the margin that must remain, as a part of the position's value. */
export interface MarginTier {
  /** The largest value that the tier covers, in units of the settlement asset; null: no upper end. */
  readonly upToUnits: number | null;
  /** Maintenance rate of the part of the value inside the tier, ppm. */
  readonly maintenancePpm: number;
  /** Largest leverage of a position whose value lies in the tier. */
  readonly maxLeverage: number;
}

/** Part 2.2 of the specification, in whole numbers. Rates are in ppm of the value. */
export interface Contract {
  readonly contractId: number;
  /**
   * `linear`: face value in the coin that is priced, settled in the coin of the price. `inverse`: face value in the coin of the price,
   * settled in the coin that is priced.
   */
  readonly kind: 'linear' | 'inverse';
  /** E perpetual, S test, as the service has it. */
  readonly type: string;
  /**
   * Settlement asset: margin, profit, fees and funding are in it, as whole numbers of 10^-marginDigits. The instrument's `quote` and
   * `quoteDigits`.
   */
  readonly marginCoin: string;
  readonly marginDigits: number;
  /** Face value of one contract: `multiplier` x 10^-multiplierDigits of `multiplierCoin`. */
  readonly multiplier: number;
  readonly multiplierDigits: number;
  /** The instrument's `base`. */
  readonly multiplierCoin: string;
  readonly minLeverage: number;
  readonly maxLeverage: number;
  /** Largest MARKET order in lots; 0: no limit. */
  readonly maxMarketLots: number;
  readonly openMakerFeePpm: number;
  readonly openTakerFeePpm: number;
  readonly closeMakerFeePpm: number;
  readonly closeTakerFeePpm: number;
  /** True for status 1. Any other status refuses OPEN. */
  readonly isTrading: boolean;
  /** By rising `upToUnits`; null in the last tier. */
  readonly tiers: readonly MarginTier[];
  /** Keys of the record whose figures are unknown and were assumed on the careful side. Absent: all figures are known. */
  readonly assumed?: readonly string[];
}
