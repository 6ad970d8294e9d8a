// Another account of the exchange, which takes orders of the bot from the book on days with a theme.

import { lots, units } from '../../../../src/base/brand.ts';
import type { AccountConfig } from '../../../../src/paperExchange/dialect/config.ts';
import type { UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { SpotExchange } from '../../../../src/paperExchange/spot/spotExchange.ts';
import type { SimulatedVenue } from '../venue.ts';

/** Its index. */
const OTHER = 1;
/** Lots that it asks for: more than the book has in front of an order of the bot. */
const TAKEN_LOTS = 60_000;

/** Returns the account, which has enough of each coin. */
export const otherAccount = (bases: readonly string[]): AccountConfig => ({
  name: 'other',
  uid: '10002',
  balances: { USDT: '50000000', ...Object.fromEntries(bases.map((base) => [base, '1000000'])) },
  keys: [],
});

/** Has it take all that is left of an open order of the bot, and the book in front of it. */
export function takeFromBook({ service, side }: SimulatedVenue, { intent, live }: UserOrder): void {
  if (live === null || intent.limit === 0) return;
  const usual = side.delays;
  side.delays = { ...usual, admissionMs: 0, cancelMs: 0 };
  const taking = { side: intent.side === 'buy' ? 'sell' : 'buy', role: 'limit', lots: lots(TAKEN_LOTS), quoteUnits: units(0) } as const;
  const order = (side as SpotExchange).place(OTHER, { ...intent, ...taking, reduceOnly: false }, null);
  service.advance(side.nowMs);
  if (order !== null) side.cancel(order as never, false);
  service.advance(side.nowMs);
  side.delays = usual;
}
