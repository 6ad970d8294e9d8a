// ccxt's own class with addresses of this computer, set by options of its constructor.

import ccxt from 'ccxt';

/** @param {string} origin of the service, @param {string} apiKey, @param {string} secret, @param {number} lateMs its clock is behind by */
export function plainBitrue(origin, apiKey, secret, lateMs) {
  const [spot, fapi, dapi, kline] = ['api', 'fapi', 'dapi', 'kline-api'].map((path) => `${origin}/${path}`);
  return new ccxt.bitrue({
    apiKey,
    secret,
    enableRateLimit: false,
    urls: { api: { spot, fapi, dapi, kline, open: origin } },
    // The specification wants it on every request; ccxt sends it with bodies alone.
    headers: { 'Content-Type': 'application/json' },
    options: { timeDifference: lateMs },
  });
}
