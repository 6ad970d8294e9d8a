// Value of a quantity of an instrument at a price. The file has no imports, because the scripts of report pages include it.

/** How a quantity converts to an amount of the reporting asset. */
export interface ContractFace {
  /** Size of one unit of quantity: 1 for a coin, the face value for a contract. */
  readonly face: number;
  /** True when the face value is in the price currency and the result in the coin. The face value is then divided by the price. */
  readonly isInverse: boolean;
}

/** Returns the value of one unit of quantity at a price: in the price currency, or in coins when the contract is inverse. */
export function contractValueAt({ face, isInverse }: ContractFace, price: number): number {
  return isInverse ? face / price : face * price;
}
