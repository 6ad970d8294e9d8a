// The terms of a futures contract: what one lot stands for, in what it settles, what it costs and how much may be borrowed on it.

/** A step of the maintenance table: what part of a position's value has to be left of its margin. */
export interface MarginTier {
  /** The largest value that the step covers, in units of the settlement asset; null: it has no end. */
  readonly upToUnits: number | null;
  /** Maintenance rate of the part of the value inside the step, in millionths. */
  readonly maintenancePpm: number;
  /** Largest leverage of a position whose value lies in the step. */
  readonly maxLeverage: number;
}

/** Part 2.2 of the specification, in whole numbers. Rates are in millionths of the value. */
export interface Contract {
  readonly contractId: number;
  /** `linear`: face value in the coin that is priced, settled in the coin of the price. `inverse`: the other way round. */
  readonly kind: 'linear' | 'inverse';
  /** E perpetual, S test, as the service has it. */
  readonly type: string;
  /** Settlement asset: margin, profit, fees and funding are in it, whole in 10^-marginDigits. The instrument's `quote` and `quoteDigits`. */
  readonly marginCoin: string;
  readonly marginDigits: number;
  /** Face value of one contract: `multiplier` x 10^-multiplierDigits of `multiplierCoin`. */
  readonly multiplier: number;
  readonly multiplierDigits: number;
  /** The instrument's `base`. */
  readonly multiplierCoin: string;
  readonly minLeverage: number;
  readonly maxLeverage: number;
  /** Largest MARKET order in lots; 0: none. */
  readonly maxMarketLots: number;
  readonly openMakerFeePpm: number;
  readonly openTakerFeePpm: number;
  readonly closeMakerFeePpm: number;
  readonly closeTakerFeePpm: number;
  /** Status 1. One that is not refuses OPEN. */
  readonly isTrading: boolean;
  /** By rising `upToUnits`; the last has none. */
  readonly tiers: readonly MarginTier[];
  /** Keys of the record whose figures nobody has said: made up on the careful side. None: all of them were given. */
  readonly assumed?: readonly string[];
}
