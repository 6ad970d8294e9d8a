// Joins the spot and futures tables into one list of all 38 endpoints.

import type { Endpoint } from './endpoint.ts';
import { FUTURES } from './futuresTable.ts';
import { SPOT } from './spotTable.ts';

/** All endpoints, spot first. */
export const ENDPOINTS: readonly Endpoint[] = [...SPOT, ...FUTURES];
/** Rate limits of an exchange on which no call is limited. The public calls of a market share a limit, so it has a name of its own. */
export const NO_LIMITS = Object.fromEntries(
  [...ENDPOINTS.map(({ op }) => op), 'spot.public', 'futures.public'].map((name) => [name, null]),
);
