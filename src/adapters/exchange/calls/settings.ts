// The times that the live order path goes by (order safety, section 18): waits, bounds and periods, all of which a time scale may divide.

/** All in ms of our clock. A time scale has divided them already, but for `windowMs`, which the exchange counts on its own clock. */
export interface OrderSettings {
  /** A create is signed so far back: late ones are refused sooner, at the price of more refusals on slow links; 0 to 4000. */
  readonly backdateMs: number;
  /** Ends our waiting for the answer to a create, never the order. */
  readonly createTimeoutMs: number;
  /** How long after its timestamp the exchange may still admit a request: its rule, in its time. */
  readonly windowMs: number;
  /** The floor of L: how old a list may be when it is read. */
  readonly readLagMs: number;
  /** The first pause before a cancel is sent again; it doubles up to the longest. */
  readonly cancelRetryMs: number;
  readonly cancelRetryMaxMs: number;
  /** From an answer that shows no end of an order that may end at once to the first read of what became of it; doubles up to `fastMs`. */
  readonly followMs: number;
  /** Period of the fast audit; what follows single orders asks no more rarely. */
  readonly fastMs: number;
  /** How often a fast audit reads balances or positions. */
  readonly balanceMs: number;
  /** No create is signed while the clock of the exchange is less certain than this. */
  readonly maxUncertaintyMs: number;
  /** A time of the exchange that is further from what was expected voids all negative evidence. */
  readonly clockJumpMs: number;
  /** How long a refused create is looked for all the same. */
  readonly refusedWatchMs: number;
  /** So many answers of the kind "outcome unknown" within `incidentWindowMs` are an incident; it is over after `incidentCleanMs` without one. */
  readonly incidentCount: number;
  readonly incidentWindowMs: number;
  readonly incidentCleanMs: number;
}

export const ORDER_SETTINGS: OrderSettings = {
  backdateMs: 0,
  createTimeoutMs: 10_000,
  windowMs: 5000,
  readLagMs: 3000,
  cancelRetryMs: 2000,
  cancelRetryMaxMs: 30_000,
  followMs: 250,
  fastMs: 3000,
  balanceMs: 10_000,
  maxUncertaintyMs: 400,
  clockJumpMs: 2000,
  refusedWatchMs: 1_800_000,
  incidentCount: 3,
  incidentWindowMs: 300_000,
  incidentCleanMs: 600_000,
};
