// The terms of a futures contract: its face value, settlement asset, fees and margin tiers.

/** A margin tier: the maintenance margin for a range of position values. */
export interface MarginTier {
  /** Largest position value that the tier covers, in units of the settlement asset. Null for no upper end. */
  readonly upToUnits: number | null;
  /** Maintenance rate for the part of the value inside the tier, ppm. */
  readonly maintenancePpm: number;
  /** Largest leverage of a position whose value is in the tier. */
  readonly maxLeverage: number;
}

/** A futures contract in whole numbers (specification, part 2.2). Rates are in ppm of the value. */
export interface Contract {
  readonly contractId: number;
  /**
   * A price of BTC in USDT as an example. `linear`: the face value is in BTC, and the contract settles in USDT. `inverse`: the face value is in
   * USDT, and the contract settles in BTC.
   */
  readonly kind: 'linear' | 'inverse';
  /** The type by the service's code: E for a perpetual contract, S for a test contract. */
  readonly type: string;
  /**
   * Settlement asset. Margin, profit, fees and funding are whole numbers of 10^-marginDigits of this asset. Equal to `quote` and `quoteDigits`
   * of the instrument.
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
  /** Largest MARKET order in lots. 0 for no limit. */
  readonly maxMarketLots: number;
  readonly openMakerFeePpm: number;
  readonly openTakerFeePpm: number;
  readonly closeMakerFeePpm: number;
  readonly closeTakerFeePpm: number;
  /** True for status 1. With any other status, the venue refuses orders that open a position. */
  readonly isTrading: boolean;
  /** Margin tiers in the order of their `upToUnits`, which is null in the last tier. */
  readonly tiers: readonly MarginTier[];
  /** Members whose figures are unknown, so that isobar assumes cautious ones. Absent when all figures are known. */
  readonly assumed?: readonly string[];
}
