// Looks for orders of earlier bots at the exchange, for a start without a journal: their orders and trades are in no ledger.

import { ownOrder } from '../../../protocol/shapes/spot.ts';
import { callAsPromise } from '../../../adapters/exchange/client/callAsPromise.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { isClientOrderId } from '../../../protocol/clientOrderId.ts';
import { answerTo, NoAnswer, type MarketService } from '../../download/service.ts';

/** Most rows of one list. */
const MAX_ROWS = 1000;
/** Most orders of recent trades that are queried one by one: spot trades have no client order id. */
const MAX_ASKED = 20;
/** Most orders that the halt reason names. */
const MAX_NAMED = 5;

/**
 * Returns orders of bots, recognised by the form of their client order ids: `BTCUSDT 123 (01K...)`, the newest of each instrument. Throws
 * NoAnswer.
 */
export async function readLeftOrders(service: MarketService, instruments: readonly Instrument[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const instrument of instruments)
    found.push(...(instrument.market === 'spot' ? await onSpot(service, instrument) : await onFutures(service, instrument)));
  return found;
}

/** Returns the halt reason of such a start as a sentence. */
export function leftText(left: readonly string[]): string {
  const named = left.slice(0, MAX_NAMED).join(', ');
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  return `the data folder has no journal, and the exchange has orders of a bot: ${named}${more}`;
}

const textOf = (symbol: string, orderId: string, cid: string): string =>
  `${symbol} ${sanitizeText(orderId, 40)} (${sanitizeText(cid, 40)})`;

async function onSpot(service: MarketService, { wireName: symbol }: Instrument): Promise<readonly string[]> {
  const found = new Map<string, string>();
  const take = (orderId: string, cid: string | null): void => {
    if (cid !== null && isClientOrderId(cid)) found.set(orderId, textOf(symbol, orderId, cid));
  };
  const open = await answerTo(service, 'spot.openOrders', { symbol, limit: MAX_ROWS });
  for (const { orderId, clientOrderId } of open.rows) take(orderId, clientOrderId);
  const trades = await answerTo(service, 'spot.myTrades', { symbol, limit: MAX_ROWS });
  const ids = new Set(trades.rows.map((row) => ownOrder(row).orderId).filter((id) => !found.has(id)));
  for (const orderId of [...ids].slice(0, MAX_ASKED)) {
    const order = await answerTo(service, 'spot.queryOrder', { symbol, orderId });
    take(orderId, order?.clientOrderId ?? null);
    // One order is reason enough for the halt.
    if (found.size > 0) break;
  }
  return [...found.values()];
}

const NOT_FOUND = 404;

async function onFutures(service: MarketService, { wireName: contractName }: Instrument): Promise<readonly string[]> {
  const outcome = await callAsPromise(service.client, 'futures.orderHistory', { contractName, limit: MAX_ROWS });
  // Some services do not have this list. Open orders there are foreign orders, and these halt new risk anyway.
  if (outcome.kind === 'refused' || (outcome.kind === 'unknown' && outcome.status === NOT_FOUND)) return [];
  if (outcome.kind !== 'acked') throw new NoAnswer(`futures.orderHistory: ${outcome.cause}`, 'isobar doctor looks for the reason');
  return outcome.value.rows.flatMap(({ orderId, clientId }) =>
    clientId !== null && isClientOrderId(clientId) ? [textOf(contractName, orderId, clientId)] : [],
  );
}
