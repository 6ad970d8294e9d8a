// The terms of a futures contract: its face value, settlement asset, fees and margin tiers.

/** A margin tier: the maintenance margin for a range of position values. */
export interface MarginTier {
  /** The largest value that the tier covers, in units of the settlement asset; null: no upper end. */
  readonly upToUnits: number | null;
  /** Maintenance rate of the part of the value inside the tier, ppm. */
  readonly maintenancePpm: number;
  /** Largest leverage of a position whose value lies in the tier. */
  readonly maxLeverage: number;
}

/** A futures contract in whole numbers (specification, part 2.2). Rates are in ppm of the value. */
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
   * Settlement asset. Margin, profit, fees and funding are whole numbers of 10^-marginDigits of it. Equal to the instrument's `quote` and
   * `quoteDigits`.
   */
  readonly marginCoin: string;
  readonly marginDigits: number;
  /** Face value of one contract: `multiplier` x 10^-multiplierDigits of `multiplierCoin`. */
  readonly multiplier: number;
  readonly multiplierDigits: number;
  /** Equal to the instrument's `base`. */
  readonly multiplierCoin: string;
  readonly minLeverage: number;
  readonly maxLeverage: number;
  /** Largest MARKET order in lots; 0: no limit. */
  readonly maxMarketLots: number;
  readonly openMakerFeePpm: number;
  readonly openTakerFeePpm: number;
  readonly closeMakerFeePpm: number;
  readonly closeTakerFeePpm: number;
  /** True for status 1. With any other status, the venue refuses orders that open a position. */
  readonly isTrading: boolean;
  /** Margin tiers by rising `upToUnits`, which is null in the last tier. */
  readonly tiers: readonly MarginTier[];
  /** Members whose figures are not known, so that cautious figures were assumed. Absent: all figures are known. */
  readonly assumed?: readonly string[];
}
