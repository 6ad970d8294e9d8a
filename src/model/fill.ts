// One fill, as the venue passes it to all code that books it.

/**
 * Whole units throughout. The venue reuses one record: copy what is needed after the call. Hot: docs/performance.md#out-parameters and
 * docs/performance.md#double-fields.
 */
export class Fill {
  tradeId = 0.5;
  /** Ticks. */
  price = 0.5;
  lots = 0.5;
  /** Quote units; for futures, units of the settlement asset. */
  notional = 0.5;
  /** Units of the base asset if `feeInBase`, else of the quote asset; for futures, of the settlement asset. */
  fee = 0.5;
  feeInBase = false;
  /** Futures: the part of its loss that the account could not pay and others covered, in settlement units. */
  covered = 0.5;
  isMaker = false;
  /** ms UTC. */
  timeMs = 0.5;

  constructor() {
    this.covered = 0;
  }
}
