// Waits, limits and periods of live order handling (order safety, section 18).

/** Times are ms of our clock, already divided by the time scale. Only `windowMs` is ms of the venue's clock. */
export interface OrderSettings {
  /** How far a create's timestamp is set back, 0 to 4000. Late creates are refused sooner, but slow links get more refusals. */
  readonly backdateMs: number;
  /** Ends our wait for the reply to a create, never the order. */
  readonly createTimeoutMs: number;
  /** The admission window: how long after its timestamp the venue may still admit a request, in venue time. */
  readonly windowMs: number;
  /** Minimum of L, the age that a list may have when it is read. */
  readonly readLagMs: number;
  /** Pause before a cancel is first resent. It doubles up to `cancelRetryMaxMs`. */
  readonly cancelRetryMs: number;
  readonly cancelRetryMaxMs: number;
  /** Pause before the first read of an acknowledged order that may end at once. It doubles up to `fastMs`. */
  readonly followMs: number;
  /** Period of the fast audit. Polling of single orders is at least as frequent. */
  readonly fastMs: number;
  /** Period in which fast audits read balances or positions. */
  readonly balanceMs: number;
  /** No create is signed while the clock uncertainty is above this. */
  readonly maxUncertaintyMs: number;
  /** If a venue time is further than this from the expected time, all negative evidence is void. */
  readonly clockJumpMs: number;
  /** How long to keep looking for a refused create. */
  readonly refusedWatchMs: number;
  /** This many `unknown` outcomes within `incidentWindowMs` start an incident. It ends after `incidentCleanMs` without one. */
  readonly incidentCount: number;
  readonly incidentWindowMs: number;
  readonly incidentCleanMs: number;
}

/** The settings by default. */
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
