// Restores tracked orders, booked trades, holdings and funding from the journal of an earlier run. `RestExchange.restore` calls it.

import { Decimal } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderId, Side } from '../../model/order.ts';
import type { HoldingBook, PositionBook } from './order/expectedHoldings.ts';
import type { FundingWatch } from './account/funding.ts';
import { INCIDENT_CURSOR, type BelievedOrder, type RestoredTrackedOrder, type RestoredTracking } from './calls/types.ts';
import { restoredWhy, type ForeignOrder } from './observe/foreignOrder.ts';
import type { BookedTradeIds } from './observe/bookedTradeIds.ts';
import type { ReferenceBook } from './client/referenceBook.ts';
import { restoreTrackedOrder, type TrackedOrders } from './order/trackedOrder.ts';
import type { VenueHolding } from './calls/venueCalls.ts';

/** The objects that are restored, and what restoring needs. */
export interface RestoreTarget {
  readonly instruments: readonly Instrument[];
  /** Indices of this market's instruments. */
  readonly ownInstruments: readonly number[];
  readonly trackedOrders: TrackedOrders;
  readonly holdings: HoldingBook;
  readonly positions: PositionBook;
  readonly funding: FundingWatch;
  readonly externalBook: ReferenceBook;
  readonly bookedIdsOf: (instrumentIndex: number) => BookedTradeIds;
  readonly restoreForeign: (foreign: ForeignOrder) => void;
  readonly orderOf: (id: OrderId) => BelievedOrder | undefined;
  readonly onIncident: (venueMs: number) => void;
}

const INCIDENT_KEY = `${INCIDENT_CURSOR.symbol} ${INCIDENT_CURSOR.channel}`;

/** Restores everything that the journal knows. Cursors, trades and fills of other instruments are ignored. */
export function restoreTracking({ orders, trades, cursors, unattributedFills = [] }: RestoredTracking, target: RestoreTarget): void {
  for (const fill of unattributedFills)
    if (target.ownInstruments.some((index) => target.instruments[index]!.id === fill.symbol)) target.externalBook.book(fill);
  restoreOrders(orders, target);
  const indexById = new Map(target.ownInstruments.map((index) => [target.instruments[index]!.id as string, index]));
  restoreBookedTrades(trades, indexById, target);
  const totals: VenueHolding[] = [];
  for (const [key, value] of cursors) {
    const separator = key.indexOf(' ');
    const symbol = key.slice(0, separator);
    const channel = key.slice(separator + 1);
    if (channel === 'total') totals.push({ asset: symbol, total: value });
    if (key === INCIDENT_KEY) target.onIncident(Number(value));
    const index = indexById.get(symbol);
    if (index !== undefined) restoreCursor(index, { channel, value, longValue: cursors.get(`${symbol} long`) }, target);
  }
  if (totals.length > 0) target.holdings.set(totals);
}

/** Restores tracked orders. The fills of the account must be restored before. */
function restoreOrders(orders: readonly RestoredTrackedOrder[], target: RestoreTarget): void {
  for (const order of orders) {
    const tracked = restoreTrackedOrder(order, target.orderOf(order.request.id) ?? forgottenOrder(order));
    target.trackedOrders.add(tracked);
  }
  // The journal records a contested id only for the acknowledged order. The other order is one of those with an unknown outcome.
  if (orders.some(({ contestedId }) => contestedId != null))
    for (const { request, state } of orders) if (state === 'unknown') target.trackedOrders.byId(request.id)!.isContested = true;
}

/** Restores the ids of booked trades, so that no list books one of them again. */
function restoreBookedTrades(trades: Iterable<string>, indexById: ReadonlyMap<string, number>, target: RestoreTarget): void {
  for (const key of trades) {
    const [symbol = '', tradeId = '', side = ''] = key.split(' ');
    const index = indexById.get(symbol);
    if (index !== undefined && isSide(side) && /^\d+$/.test(tradeId)) target.bookedIdsOf(index).restore(tradeId, side);
  }
}

/** The newest value of one channel of an instrument. */
interface RestoredCursor {
  readonly channel: string;
  readonly value: string;
  /** The lots of the long side, in two-way mode. */
  readonly longValue: string | undefined;
}

/** Begins the channel of the cursor of a foreign order. Its venue order id follows. */
const FOREIGN_PREFIX = 'foreign ';

/** Restores what the cursor of an instrument notes: its position, a foreign order, counted trades, or booked funding. */
function restoreCursor(index: number, { channel, value, longValue }: RestoredCursor, target: RestoreTarget): void {
  if (channel === 'position') target.positions.restore(index, new Decimal(value), longValue === undefined ? null : new Decimal(longValue));
  else if (channel.startsWith(FOREIGN_PREFIX)) restoreForeignOrder(foreignFrom(index, channel, value), target);
  else if (channel === 'counted') target.bookedIdsOf(index).noteTotalsUpTo(value);
  else if (channel === 'funding buy' || channel === 'funding sell')
    target.funding.restore(index, channel === 'funding buy' ? 'buy' : 'sell', value);
}

/** A foreign order as its cursor notes it. */
interface NotedForeignOrder {
  readonly foreign: ForeignOrder;
  /** A trade before all of its trades; null without one. */
  readonly lastBookedId: string | null;
}

/** Restores a foreign order that waits for a decision, and from which trade on its own ones follow; null: it waits no longer. */
function restoreForeignOrder(noted: NotedForeignOrder | null, target: RestoreTarget): void {
  if (noted === null) return;
  target.restoreForeign(noted.foreign);
  target.bookedIdsOf(noted.foreign.instrument).noteForeignAfter(noted.lastBookedId);
}

/** Begins the value of that cursor, by the kind of the order. */
const ORDER = 'order';
const TRIGGER = 'trigger';
/** Ends the value for an order that may be no order of ours. */
const NO_ORDER = '-';

/**
 * Returns the cursor of a foreign order. `lastBookedId`: a trade before all of its trades, or null without one; undefined: the order no longer
 * waits for a decision.
 */
export function foreignCursor(
  { venueId, instrument, isTrigger, mayBeIds }: ForeignOrder,
  instruments: readonly Instrument[],
  lastBookedId: string | null | undefined,
): { readonly symbol: string; readonly channel: string; readonly value: string } {
  const mayBeText = mayBeIds === undefined ? '' : ` ${mayBeIds.length === 0 ? NO_ORDER : mayBeIds.join(',')}`;
  const value = lastBookedId === undefined ? '' : `${isTrigger ? TRIGGER : ORDER} ${lastBookedId ?? ''}${mayBeText}`;
  return { symbol: instruments[instrument]!.id, channel: FOREIGN_PREFIX + venueId, value };
}

/** Reads the cursor of a foreign order. Returns null for an order that no longer waits for a decision. */
function foreignFrom(instrumentIndex: number, channel: string, value: string): NotedForeignOrder | null {
  if (value === '') return null;
  const [orderKind, lastBookedId = '', mayBeText = ''] = value.split(' ');
  const venueId = channel.slice(FOREIGN_PREFIX.length);
  const mayBeIds = mayBeText === NO_ORDER ? [] : mayBeText.split(',');
  return {
    foreign: {
      venueId,
      instrument: instrumentIndex,
      why: restoredWhy(mayBeText === '' ? [] : mayBeIds),
      isTrigger: orderKind === TRIGGER,
      ...(mayBeText === '' ? {} : { mayBeIds }),
    },
    lastBookedId: lastBookedId === '' ? null : lastBookedId,
  };
}

/** Returns the journal's state of an order that the order manager has already forgotten. */
function forgottenOrder({ request, state }: RestoredTrackedOrder): BelievedOrder {
  if (state === 'provenAbsent') return { id: request.id, lifecycle: 'done', reason: 'noEffect' };
  return { id: request.id, lifecycle: state === 'unconfirmed' ? 'working' : state, reason: null };
}

const isSide = (text: string): text is Side => text === 'buy' || text === 'sell';
