// Creates ccxt's own exchange class for a service on this computer. Only options of its constructor are used.

import ccxt from 'ccxt';

/**
 * Returns the exchange of ccxt.
 * @param {string} origin Address of the service, such as http://127.0.0.1:8080.
 * @param {string} apiKey
 * @param {string} secret
 * @param {number} lateMs How far the service's clock is behind the clock of this computer.
 */
export function plainBitrue(origin, apiKey, secret, lateMs) {
  const [spot, fapi, dapi, kline] = ['api', 'fapi', 'dapi', 'kline-api'].map((path) => `${origin}/${path}`);
  return new ccxt.bitrue({
    apiKey,
    secret,
    enableRateLimit: false,
    urls: { api: { spot, fapi, dapi, kline, open: origin } },
    // The specification requires this header on every request; ccxt sends it only with a body.
    headers: { 'Content-Type': 'application/json' },
    options: { timeDifference: lateMs },
  });
}
