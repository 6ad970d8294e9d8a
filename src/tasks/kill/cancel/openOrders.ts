// The open orders of one instrument, as both markets list them, and how they are cancelled.

import { futuresOrderRow, spotOrderRow } from '../../../adapters/exchange/calls/rows.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { batches, type SeenOrder } from '../plan/killPlan.ts';
import type { KillVenue } from '../plan/venue.ts';

/** The longest list that a service gives: one of that length may have been cut. */
const MAX_ROWS = 1000;

export interface OpenList {
  readonly orders: readonly SeenOrder[];
  /** False: rows may be missing, so that an empty list proves nothing. */
  readonly complete: boolean;
}

export async function readOpen(venue: KillVenue, { market, wireName }: Instrument): Promise<OpenList> {
  if (market === 'spot') {
    const { rows, refused } = await venue.read('spot.openOrders', { symbol: wireName, limit: MAX_ROWS });
    return { orders: rows.map(spotOrderRow), complete: refused.length === 0 && rows.length < MAX_ROWS };
  }
  const { rows, refused } = await venue.read('futures.openOrders', { contractName: wireName });
  return { orders: rows.map(futuresOrderRow), complete: refused.length === 0 && rows.length < MAX_ROWS };
}

/** Asks for these to be cancelled; whether they are is for the next look at the list to tell. */
export async function cancelOpen(venue: KillVenue, { market, wireName }: Instrument, ids: readonly string[]): Promise<void> {
  if (market === 'futures') {
    await Promise.all(ids.map((orderId) => venue.once('futures.cancelOrder', { contractName: wireName, orderId })));
    return;
  }
  await Promise.all(
    batches(ids).map(async (orderIds) => {
      const outcome = await venue.once('spot.batchCancel', { symbol: wireName, orderIds });
      // A service that knows no batch is asked for each by itself.
      if (outcome.kind === 'refused') {
        await Promise.all(orderIds.map((orderId) => venue.once('spot.cancelOrder', { symbol: wireName, orderId })));
      }
    }),
  );
}

/** Client ids by order id, of futures, whose list of open orders has none. */
export async function clientIdsOf(venue: KillVenue, { wireName }: Instrument): Promise<ReadonlyMap<string, string>> {
  const { rows } = await venue.read('futures.orderHistory', { contractName: wireName, limit: MAX_ROWS });
  return new Map(rows.flatMap(({ orderId, clientId }) => (clientId === null ? [] : [[orderId, clientId] as const])));
}
