// Another account of the exchange, whose taker orders fill the bot's resting orders on days with a theme.

import { lots, ticks, units } from '../../../../src/base/brand.ts';
import type { OrderIntent } from '../../../../src/model/order.ts';
import type { AccountConfig } from '../../../../src/paperExchange/dialect/config.ts';
import type { UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { SpotExchange } from '../../../../src/paperExchange/spot/spotExchange.ts';
import type { SimulatedVenue } from '../venue.ts';

/** The index of the account at the exchange. */
const OTHER_ACCOUNT = 1;
/** Lots of such a taker order: more than the book has in front of an order of the bot. */
const TAKEN_LOTS = 60_000;

/** Returns the config of the account. It has enough of each coin. */
export const otherAccount = (bases: readonly string[]): AccountConfig => ({
  name: 'other',
  uid: '10002',
  balances: { USDT: '50000000', ...Object.fromEntries(bases.map((base) => [base, '1000000'])) },
  keys: [],
});

/** Fills the rest of an open order of the bot, and first the book in front of that order. */
export function takeFromBook(venue: SimulatedVenue, { intent, venueOrder }: UserOrder): void {
  if (venueOrder === null || intent.limit === 0) return;
  withoutDelays(venue, () => takeAtOnce(venue, intent, TAKEN_LOTS));
}

/** Fills the rest of an open order of the bot in `pieces` trades, and first the book in front of that order. */
export function takeInPieces(venue: SimulatedVenue, { intent, venueOrder }: UserOrder, pieces: number): void {
  if (venueOrder === null || intent.limit === 0) return;
  const betterLimit = ticks(intent.side === 'buy' ? intent.limit + 1 : intent.limit - 1);
  const pieceLots = Math.max(1, Math.ceil((venueOrder.lots - venueOrder.filledLots) / pieces));
  withoutDelays(venue, () => {
    takeAtOnce(venue, { ...intent, limit: betterLimit }, TAKEN_LOTS);
    for (let piece = 0; piece < pieces; piece++) takeAtOnce(venue, intent, pieceLots);
  });
}

/** Places a taker order of the account against `intent`, at its limit. What does not fill at once is cancelled. */
function takeAtOnce({ service, side }: SimulatedVenue, intent: OrderIntent, takenLots: number): void {
  const takerTerms = {
    side: intent.side === 'buy' ? 'sell' : 'buy',
    role: 'limit',
    lots: lots(takenLots),
    quoteUnits: units(0),
  } as const;
  const order = (side as SpotExchange).place(OTHER_ACCOUNT, { ...intent, ...takerTerms, reduceOnly: false }, null);
  service.advance(side.nowMs);
  if (order !== null) side.cancel(order as never, false);
  service.advance(side.nowMs);
}

/** Runs `act` while the exchange admits and cancels orders at once. */
function withoutDelays({ side }: SimulatedVenue, act: () => void): void {
  const usualDelays = side.delays;
  side.delays = { ...usualDelays, admissionMs: 0, cancelMs: 0 };
  act();
  side.delays = usualDelays;
}
