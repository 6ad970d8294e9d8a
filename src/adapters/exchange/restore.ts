// Restores tracked orders, booked trades, holdings and funding from the journal of an earlier run.

import { Decimal } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderId, Side } from '../../model/order.ts';
import type { HoldingBook, PositionBook } from './order/expectedHoldings.ts';
import type { FundingWatch } from './account/funding.ts';
import type { BelievedOrder, RestoredTrackedOrder, RestoredTracking } from './calls/types.ts';
import type { BookedTradeIds } from './observe/bookedTradeIds.ts';
import type { ReferenceBook } from './client/unattributed.ts';
import { restoreTrackedOrder, type TrackedOrder, type TrackedOrders } from './order/trackedOrder.ts';
import type { VenueHolding } from './calls/venueCalls.ts';

export interface RestoreInto {
  readonly instruments: readonly Instrument[];
  readonly own: readonly number[];
  readonly tracks: TrackedOrders;
  readonly holdings: HoldingBook;
  readonly positions: PositionBook;
  readonly funding: FundingWatch;
  readonly externalBook: ReferenceBook;
  readonly seen: (instrument: number) => BookedTradeIds;
  readonly orderOf: (id: OrderId) => BelievedOrder | undefined;
}

export function restoreTracking({ orders, trades, cursors, unattributedFills = [] }: RestoredTracking, into: RestoreInto): void {
  for (const fill of unattributedFills)
    if (into.own.some((index) => into.instruments[index]!.id === fill.symbol)) into.externalBook.book(fill);
  for (const order of orders) {
    const track = restoreTrackedOrder(order, into.orderOf(order.request.id) ?? forgottenOrder(order));
    into.tracks.add(track);
    if (order.venueId !== null && unattributedFills.length > 0) track.restLots = restOf(track, order.venueId, into);
  }
  // The journal records a contested id only for the acknowledged order. The other order is one of those with an unknown outcome.
  if (orders.some(({ contestedId }) => contestedId != null))
    for (const { request, state } of orders) if (state === 'unknown') into.tracks.byId(request.id)!.isContested = true;
  const byId = new Map(into.own.map((index) => [into.instruments[index]!.id as string, index]));
  for (const key of trades) {
    const [symbol = '', tradeId = '', side = ''] = key.split(' ');
    const index = byId.get(symbol);
    if (index !== undefined && isSide(side) && /^\d+$/.test(tradeId)) into.seen(index).restore(tradeId, side);
  }
  const held: VenueHolding[] = [];
  for (const [key, value] of cursors) {
    const at = key.indexOf(' ');
    const [symbol, channel] = [key.slice(0, at), key.slice(at + 1)];
    if (channel === 'total') held.push({ asset: symbol, total: value });
    const index = byId.get(symbol);
    if (index === undefined) continue;
    if (channel === 'position') into.positions.set(index, new Decimal(value));
    else if (channel === 'counted') into.seen(index).noteTotalsUpTo(value);
    else if (channel === 'funding buy' || channel === 'funding sell')
      into.funding.restore(index, channel === 'funding buy' ? 'buy' : 'sell', Number(value));
  }
  if (held.length > 0) into.holdings.set(held);
}

/** Returns the record of an order that the order manager no longer has: as the journal has it. */
function forgottenOrder({ request, state }: RestoredTrackedOrder): BelievedOrder {
  if (state === 'provenAbsent') return { id: request.id, lifecycle: 'done', reason: 'noEffect' };
  return { id: request.id, lifecycle: state === 'unconfirmed' ? 'working' : state, reason: null };
}

/** Returns the part of the order's fills that is smaller than a lot. The account holds it, not the strategy. */
function restOf({ request }: TrackedOrder, venueId: string, { externalBook }: RestoreInto): Decimal {
  const lots = externalBook.qtyOf(venueId).times(Decimal.pow(10, request.instrument.quantityDigits));
  return request.side === 'buy' ? lots : lots.negated();
}

const isSide = (text: string): text is Side => text === 'buy' || text === 'sell';
