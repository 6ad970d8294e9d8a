// One fill of an order, in whole units.

/**
 * One fill. All figures are whole units. The venue reuses one record, so a callback must copy the figures that it keeps. The fields begin
 * with 0.5, so that they are stored as doubles. Hot: docs/performance.md#out-parameters and docs/performance.md#double-fields.
 */
export class Fill {
  /** The venue's id of the trade. A fill is booked once, by this id. */
  tradeId = 0.5;
  /** Price in ticks. */
  price = 0.5;
  /** Quantity in lots. */
  lots = 0.5;
  /** Notional in units of the quote asset, or of the settlement asset of a contract. */
  notional = 0.5;
  /** Fee in units of the base asset if `feeInBase`, otherwise of the quote asset, or of the settlement asset of a contract. */
  fee = 0.5;
  /** True when the fee was taken in the base asset. */
  feeInBase = false;
  /** Futures only: the part of the loss that the account could not pay and the exchange has covered, in units of the settlement asset. */
  covered = 0.5;
  /** True for a fill of a resting order. */
  isMaker = false;
  /** Time of the fill, ms UTC. */
  timeMs = 0.5;

  constructor() {
    this.covered = 0;
  }
}
