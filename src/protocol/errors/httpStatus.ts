// HTTP statuses of a service of the exchange that mean something to its clients.

/** The statuses by their meaning. */
export const HTTP_STATUS = {
  /** The service does not have this path. */
  notFound: 404,
  /** The service did not receive the whole request in time. */
  requestTimeout: 408,
  /** The address has used up a rate limit many times. Nothing may be sent for a while. */
  banned: 418,
  /** A rate limit is used up. */
  tooManyRequests: 429,
  /** The service of the exchange did not get an answer from what is behind it, so the outcome is not known. */
  gatewayTimeout: 504,
} as const;
