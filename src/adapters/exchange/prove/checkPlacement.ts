// Checks the id that the operator names for an order of unknown outcome. With the id of another order, the bot would not recognise its own
// order again. It would take its own order for a second copy, and cancel it.

import type { Work } from '../../../base/task.ts';
import type { OrderId } from '../../../model/order.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { CallOptions } from '../client/restClient.ts';
import { isTriggerOrder, matchesTrigger, triggerTrackId } from '../calls/triggers.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import { mayBeRowOf } from '../order/matchRow.ts';
import type { TrackedOrder } from '../order/trackedOrder.ts';
import type { DecisionDeps } from './decisionDeps.ts';

/** What the exchange says about the order that the operator names. */
export type PlacementCheck =
  /** It may be the order. `venueId`: its id, or the tracking id of a waiting trigger order. */
  { readonly isPossible: true; readonly venueId: string } | { readonly isPossible: false; readonly reason: string };

const RECONCILE: CallOptions = { priority: 'reconcile' };
const NO_ANSWER = 'the exchange does not say what this order is: try again';

const impossible = (reason: string): PlacementCheck => ({ isPossible: false, reason });

/** Returns whether `venueId` may be the id of our order, by what the exchange says about it now. */
export function* checkPlacement(
  id: OrderId,
  venueId: string,
  { venue, trackedOrders, attribution, readers }: Pick<DecisionDeps, 'venue' | 'trackedOrders' | 'attribution' | 'readers'>,
): Work<PlacementCheck> {
  const tracked = trackedOrders.byId(id);
  if (tracked === undefined) return impossible('its outcome is not unknown');
  const { request, clientOrderId } = tracked;
  if (isTriggerOrder(request)) {
    const triggers = yield* venue.readTriggerOrders(request.instrument, RECONCILE);
    if (triggers === null) return impossible(NO_ANSWER);
    const namedTrigger = triggers.find(({ triggerOrderId }) => triggerOrderId === venueId);
    if (namedTrigger !== undefined) {
      const trackId = triggerTrackId(venueId, clientOrderId);
      const owner = trackedOrders.byVenueId(trackId);
      if (owner !== undefined && owner !== tracked) return impossible(`trigger order ${venueId} is ${owner.clientOrderId}`);
      return matchesTrigger(namedTrigger, request)
        ? { isPossible: true, venueId: trackId }
        : impossible(
            `trigger order ${venueId} has other terms: ${namedTrigger.side} ${namedTrigger.volume} at ${namedTrigger.triggerPrice}`,
          );
    }
  }
  const owner = trackedOrders.byVenueId(venueId);
  if (owner !== undefined && owner !== tracked) return impossible(`order ${venueId} is ${owner.clientOrderId}`);
  if (attribution.duplicates.has(venueId)) return impossible(`order ${venueId} is a second copy of another order`);
  if (attribution.hasEndedBeforeStart(venueId, request.instrumentIndex)) return impossible(`order ${venueId} is an order that has ended`);
  const row = yield* readOrder(venue, request.instrument, venueId);
  if (row === null) return impossible(NO_ANSWER);
  if (row !== 'none') return orderCheck(tracked, row);
  // The exchange may have dropped an order that has ended, and still list its trades.
  const hasTrades = readers.trades(request.instrumentIndex).mayHaveFilled(tracked, venueId);
  return hasTrades ? { isPossible: true, venueId } : impossible(`the exchange shows no order ${venueId} of ${request.instrument.wireName}`);
}

/** Returns the row of an order. Of contracts only the order history has client order ids. */
function* readOrder(venue: VenueCalls, instrument: Instrument, venueId: string): Work<OrderRow | 'none' | null> {
  if (instrument.contract !== undefined) {
    const history = yield* venue.history(instrument, null, RECONCILE);
    if (history === null || !history.isReadable) return null;
    const listedRow = history.rows.find((row) => row.venueId === venueId);
    if (listedRow !== undefined) return listedRow;
  }
  return yield* venue.findOrder(instrument, venueId, RECONCILE);
}

/** Compares the order that the exchange shows with ours. */
function orderCheck(tracked: TrackedOrder, row: OrderRow): PlacementCheck {
  const { venueId, cid, side, qty, price } = row;
  if (cid !== null && cid.toUpperCase() !== tracked.clientOrderId.toUpperCase())
    return impossible(`order ${venueId} has the client order id ${cid}`);
  if (cid !== null || mayBeRowOf(row, tracked)) return { isPossible: true, venueId };
  const priceText = price === null ? '' : ` at ${price}`;
  return impossible(`order ${venueId} has other terms, or is older: ${side} ${qty}${priceText}`);
}
