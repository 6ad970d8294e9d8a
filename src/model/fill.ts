// One execution, as it goes from the venue to everybody who books it.

/**
 * Whole units throughout. The venue writes one record again and again, because nine numbers through eight calls cost more than the fill
 * itself (each that is no small integer is boxed at each call): copy what is needed beyond the call.
 * Numbers start as a fraction, so that V8 keeps each as a double that is written in place.
 */
export class Fill {
  tradeId = 0.5;
  /** Ticks. */
  price = 0.5;
  lots = 0.5;
  /** Quote units; of futures, units of the settlement asset. */
  notional = 0.5;
  /** Units of the base asset where `feeInBase`, else of the quote asset; of futures, of the settlement asset. */
  fee = 0.5;
  feeInBase = false;
  /** Futures: what others bore of its loss, because the account could not, in settlement units. */
  covered = 0.5;
  isMaker = false;
  /** ms UTC. */
  timeMs = 0.5;

  constructor() {
    this.covered = 0;
  }
}
