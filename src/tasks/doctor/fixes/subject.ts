// What a check asked the service for: a fix depends on that as much as on the answer.

import type { Market } from '../../../model/instrument.ts';

/**
 * `public`: without key. `account`: the first signed read, which has no query. `query`: a signed read with one. `order`: the test order.
 */
export type SubjectKind = 'public' | 'account' | 'query' | 'order';

export interface CheckSubject {
  readonly kind: SubjectKind;
  readonly market: Market;
  /** In words: `the balances`, `open orders of BTCUSDT`. */
  readonly what: string;
}

/** The option that names the address of a market, and whatever else can. */
export const addressOption = (market: Market): string => (market === 'spot' ? '--spot-url' : '--futures-url');
export const addressText = (market: Market): string =>
  market === 'spot' ? '--spot-url (ISOBAR_SPOT_URL, dialect.baseUrl)' : '--futures-url (ISOBAR_FUTURES_URL, dialect.futuresBaseUrl)';
