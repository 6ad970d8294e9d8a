// Another account of the exchange, which takes orders of the bot from the book on days with a theme.

import { lots, units } from '../../../../src/base/brand.ts';
import type { AccountConfig } from '../../../../src/paperExchange/dialect/config.ts';
import type { UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { SpotExchange } from '../../../../src/paperExchange/spot/spotExchange.ts';
import type { SimulatedVenue } from '../venue.ts';

/** The index of the account at the exchange. */
const OTHER_ACCOUNT = 1;
/** Lots of an order by which the account takes: more than the book has in front of an order of the bot. */
const TAKEN_LOTS = 60_000;

/** Returns the config of the account. It has enough of each coin. */
export const otherAccount = (bases: readonly string[]): AccountConfig => ({
  name: 'other',
  uid: '10002',
  balances: { USDT: '50000000', ...Object.fromEntries(bases.map((base) => [base, '1000000'])) },
  keys: [],
});

/** Makes the account take all that is left of an open order of the bot, and the book in front of that order. */
export function takeFromBook({ service, side }: SimulatedVenue, { intent, venueOrder }: UserOrder): void {
  if (venueOrder === null || intent.limit === 0) return;
  const usualDelays = side.delays;
  side.delays = { ...usualDelays, admissionMs: 0, cancelMs: 0 };
  const takingTerms = {
    side: intent.side === 'buy' ? 'sell' : 'buy',
    role: 'limit',
    lots: lots(TAKEN_LOTS),
    quoteUnits: units(0),
  } as const;
  const order = (side as SpotExchange).place(OTHER_ACCOUNT, { ...intent, ...takingTerms, reduceOnly: false }, null);
  service.advance(side.nowMs);
  if (order !== null) side.cancel(order as never, false);
  service.advance(side.nowMs);
  side.delays = usualDelays;
}
