// One fill, as the venue passes it to all code that books it.

/**
 * Whole units throughout. The venue reuses one record, because nine numbers through eight calls cost more than the fill itself (each that
 * is no small integer is boxed at each call): copy what is needed after the call. Numbers start as a fraction, so that V8 keeps each as a
 * double that is written in place.
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
