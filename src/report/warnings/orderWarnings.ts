// Warnings about individual orders of a run.

import { CAPPED } from '../../model/order.ts';
import { ENDINGS, type RunRecord } from '../../model/run/run.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { count } from '../../base/text/format.ts';

const MARKET_ORDER = 'a size in quote or equity is a plain market order without a cap';

/** Returns the warning about market buys that their price cap turned into resting limit orders. Empty when there were none. */
export function cappedBuys({ orders, fills }: Pick<RunRecord, 'orders' | 'fills'>): readonly Warning[] {
  const capped = new Set<number>();
  const code = orders.texts.indexOf(CAPPED);
  for (let row = 0; row < orders.length; row++)
    if (code > 0 && orders.code[row] === code && orders.ending[row] !== ENDINGS.indexOf('denied')) capped.add(orders.id[row]!);
  if (capped.size === 0) return [];
  const filled = new Set<number>();
  for (let row = 0; row < fills.length; row++)
    if (fills.isMaker[row] === 1 && capped.has(fills.orderId[row]!)) filled.add(fills.orderId[row]!);
  const buys = capped.size === 1 ? '1 market buy by quantity' : `${count(capped.size)} market buys by quantity`;
  const rested = `${buys} opened above the price cap (fills.collar) and rested as ${capped.size === 1 ? 'a limit order' : 'limit orders'}`;
  return [warning('ORDER_CAPPED_BUY', `${rested}, ${count(filled.size)} filled inside the bar as maker; ${MARKET_ORDER}`)];
}
