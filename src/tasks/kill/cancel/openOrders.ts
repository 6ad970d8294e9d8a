// Reads the open orders of one instrument and cancels them, on both markets.

import { futuresOrderRow, spotOrderRow } from '../../../adapters/exchange/calls/venueRows.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { batches, type SeenOrder } from '../plan/killPlan.ts';
import type { KillVenue } from '../plan/killVenue.ts';

/** Maximum length of a list. A list of this length may be cut. */
const MAX_ROWS = 1000;

/** One read of a list of open orders. */
export interface OpenList {
  readonly orders: readonly SeenOrder[];
  /** False: rows may be missing, so an empty list proves nothing. */
  readonly isComplete: boolean;
}

/** Reads the open orders of an instrument. */
export async function readOpenOrders(venue: KillVenue, { market, wireName }: Instrument): Promise<OpenList> {
  if (market === 'spot') {
    const { rows, refused } = await venue.read('spot.openOrders', { symbol: wireName, limit: MAX_ROWS });
    return { orders: rows.map(spotOrderRow), isComplete: refused.length === 0 && rows.length < MAX_ROWS };
  }
  const { rows, refused } = await venue.read('futures.openOrders', { contractName: wireName });
  return { orders: rows.map(futuresOrderRow), isComplete: refused.length === 0 && rows.length < MAX_ROWS };
}

/**
 * Sends cancels. The next read of the list shows whether they took effect. Returns the ids whose cancel was refused; if the exchange does not
 * report them, none.
 */
export async function cancelOrders(venue: KillVenue, instrument: Instrument, ids: readonly string[]): Promise<readonly string[]> {
  const { market, wireName } = instrument;
  if (market === 'futures') {
    return refusedOf(ids, (orderId) => venue.once('futures.cancelOrder', { contractName: wireName, orderId }));
  }
  const refused = await Promise.all(
    batches(ids).map(async (orderIds) => {
      const outcome = await venue.once('spot.batchCancel', { symbol: wireName, orderIds });
      if (outcome.kind === 'acked') return outcome.value.failed ?? [];
      if (outcome.kind !== 'refused') return [];
      // The service does not support batches: cancel the orders one by one.
      return refusedOf(orderIds, (orderId) => venue.once('spot.cancelOrder', { symbol: wireName, orderId }));
    }),
  );
  return refused.flat();
}

/** Cancels orders one by one. Returns those whose cancel is refused. */
async function refusedOf(ids: readonly string[], cancel: (id: string) => Promise<{ readonly kind: string }>): Promise<readonly string[]> {
  const outcomes = await Promise.all(ids.map(cancel));
  return ids.filter((_, index) => outcomes[index]!.kind === 'refused');
}

/** Returns client order ids by venue order id, for futures: their list of open orders does not have them. */
export async function clientIdsOf(venue: KillVenue, { wireName }: Instrument): Promise<ReadonlyMap<string, string>> {
  const { rows } = await venue.read('futures.orderHistory', { contractName: wireName, limit: MAX_ROWS });
  return new Map(rows.flatMap(({ orderId, clientId }) => (clientId === null ? [] : [[orderId, clientId] as const])));
}
