// The subject of a check: the request that it sends to the service. The fix for a failure depends on it.

import type { Market } from '../../../model/instrument.ts';

/**
 * The kind of a request. `public`: without a key. `account`: the first signed read, without a query. `query`: a signed read with a query. `order`: the test order.
 */
export type SubjectKind = 'public' | 'account' | 'query' | 'order';

/** A request, as fixes describe it. */
export interface CheckSubject {
  readonly kind: SubjectKind;
  readonly market: Market;
  /** What the request reads, as text for messages: `the balances`, `open orders of BTCUSDT`. */
  readonly subjectText: string;
}

/** Returns the option that sets the address of a market; `addressText` also names all other settings for it. */
export const addressOption = (market: Market): string => (market === 'spot' ? '--spot-url' : '--futures-url');
/** Returns the option, the environment variable and the config key that set the address of a market. */
export const addressText = (market: Market): string =>
  market === 'spot' ? '--spot-url (ISOBAR_SPOT_URL, dialect.baseUrl)' : '--futures-url (ISOBAR_FUTURES_URL, dialect.futuresBaseUrl)';
