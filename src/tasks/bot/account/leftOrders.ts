// Finds orders of earlier bots at the exchange, when a bot starts without a journal. No ledger has their orders and trades.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { ownOrder } from '../../../protocol/shapes/spot.ts';
import { callAsPromise } from '../../../adapters/exchange/client/callAsPromise.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { isClientOrderId } from '../../../protocol/clientOrderId.ts';
import { HTTP_STATUS } from '../../../protocol/errors/httpStatus.ts';
import { answerTo, NoAnswer, type MarketService } from '../../download/marketService.ts';

/** Maximum number of rows that one list returns. */
const MAX_ROWS = 1000;
/** Maximum number of orders that are queried one by one, because spot trades have no client order id. */
const MAX_QUERIED = 20;
/** Maximum number of orders that the halt reason names. */
const MAX_NAMED = 5;
/** Maximum length of an id in the halt reason. Ids are text of the exchange, so they are not trusted. */
const MAX_ID_LENGTH = 40;

/**
 * Returns orders of bots as text, such as `BTCUSDT 123 (01K...)`. They are recognised by the form of their client order ids. Throws
 * NoAnswer if the exchange does not reply.
 */
export async function readLeftOrders(service: MarketService, instruments: readonly Instrument[]): Promise<readonly string[]> {
  const leftOrders: string[] = [];
  for (const instrument of instruments) {
    const ordersOfInstrument = instrument.market === 'spot' ? spotOrders(service, instrument) : futuresOrders(service, instrument);
    appendAll(leftOrders, await ordersOfInstrument);
  }
  return leftOrders;
}

/** Returns the halt reason of a start that has found orders of an earlier bot. */
export function leftOrdersReason(leftOrders: readonly string[]): string {
  const namedOrders = leftOrders.slice(0, MAX_NAMED).join(', ');
  const more = leftOrders.length > MAX_NAMED ? ` and ${leftOrders.length - MAX_NAMED} more` : '';
  return `the data folder has no journal, and the exchange has orders of a bot: ${namedOrders}${more}`;
}

const leftOrderText = (symbol: string, orderId: string, clientOrderId: string): string =>
  `${symbol} ${sanitizeText(orderId, MAX_ID_LENGTH)} (${sanitizeText(clientOrderId, MAX_ID_LENGTH)})`;

/** Returns the bots' open spot orders, and their orders behind recent trades, as text. */
async function spotOrders(service: MarketService, { wireName: symbol }: Instrument): Promise<readonly string[]> {
  const textByOrderId = new Map<string, string>();
  const addIfOfBot = (orderId: string, clientOrderId: string | null): void => {
    if (clientOrderId === null || !isClientOrderId(clientOrderId)) return;
    textByOrderId.set(orderId, leftOrderText(symbol, orderId, clientOrderId));
  };
  const open = await answerTo(service, 'spot.openOrders', { symbol, limit: MAX_ROWS });
  for (const { orderId, clientOrderId } of open.rows) addIfOfBot(orderId, clientOrderId);
  const trades = await answerTo(service, 'spot.myTrades', { symbol, limit: MAX_ROWS });
  const tradedIds = new Set(trades.rows.map((row) => ownOrder(row).orderId));
  const unlistedIds = [...tradedIds].filter((orderId) => !textByOrderId.has(orderId));
  for (const orderId of unlistedIds.slice(0, MAX_QUERIED)) {
    const order = await answerTo(service, 'spot.queryOrder', { symbol, orderId });
    addIfOfBot(orderId, order?.clientOrderId ?? null);
    // One order is reason enough for the halt.
    if (textByOrderId.size > 0) break;
  }
  return [...textByOrderId.values()];
}

/** Returns the bots' orders in the order history of a contract, as text. */
async function futuresOrders(service: MarketService, { wireName: contractName }: Instrument): Promise<readonly string[]> {
  const outcome = await callAsPromise(service.client, 'futures.orderHistory', { contractName, limit: MAX_ROWS });
  // Some services do not have this list. Open orders there are foreign orders, and these halt new risk anyway.
  if (outcome.kind === 'refused' || (outcome.kind === 'unknown' && outcome.status === HTTP_STATUS.notFound)) return [];
  if (outcome.kind !== 'acked') throw new NoAnswer(`futures.orderHistory: ${outcome.cause}`, 'run isobar doctor to find the reason');
  return outcome.value.rows.flatMap(({ orderId, clientId }) =>
    clientId !== null && isClientOrderId(clientId) ? [leftOrderText(contractName, orderId, clientId)] : [],
  );
}
