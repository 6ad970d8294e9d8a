// What one of an instrument is worth at a price. Without imports: pages of reports have it too.

/** How a quantity becomes an amount of the reporting asset. */
export interface ContractFace {
  /** What one of the quantity stands for: 1 of a coin; of a contract its face value. */
  readonly face: number;
  /** The face value is in the currency of the price, and the worth in the coin: it is divided by the price. */
  readonly isInverse: boolean;
}

export function contractValueAt({ face, isInverse }: ContractFace, price: number): number {
  return isInverse ? face / price : face * price;
}
