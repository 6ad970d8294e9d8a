// Warnings about individual orders of a run.

import { firstFrom } from '../../base/number/search.ts';
import { CAPPED } from '../../model/order.ts';
import { ENDINGS, ROLES, type RunRecord } from '../../model/run/run.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { wholeText } from '../../base/text/format.ts';

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
  const buys = capped.size === 1 ? '1 market buy by quantity' : `${wholeText(capped.size)} market buys by quantity`;
  const rested = `${buys} opened above the price cap (fills.collar) and rested as ${capped.size === 1 ? 'a limit order' : 'limit orders'}`;
  return [warning('ORDER_CAPPED_BUY', `${rested}, ${wholeText(filled.size)} filled inside the bar as maker; ${MARKET_ORDER}`)];
}

/** With fewer limit orders there is no warning, because a strategy may cancel a few orders within their bar on purpose. */
const FEW_ORDERS = 20;

/**
 * Returns the warning about limit orders that were cancelled before the first row in which they could fill. With latency an order can fill
 * from the first open after its arrival. A strategy that replaces its order before that open never trades. Empty when fewer than half of
 * the orders are affected.
 */
export function neverWorked({
  orders,
  feeds,
  instruments,
  warnings = [],
}: Pick<RunRecord, 'orders' | 'feeds' | 'instruments' | 'warnings'>): readonly Warning[] {
  // In a run against trades, an order can fill as soon as it arrives.
  if (warnings.some(({ code }) => code === 'RUN_TRADE_FILLS')) return [];
  /** By instrument: the opening times of its rows. */
  const opens = new Map<number, Float64Array>();
  const limit = ROLES.indexOf('limit');
  const canceled = ENDINGS.indexOf('canceled');
  let limitOrders = 0;
  let neverWorking = 0;
  for (let row = 0; row < orders.length; row++) {
    if (orders.role[row] !== limit || !(orders.arrivedMs[row]! <= orders.doneMs[row]!)) continue;
    limitOrders++;
    if (orders.ending[row] !== canceled || orders.filledLots[row] !== 0) continue;
    const instrument = orders.instrument[row]!;
    let openMs = opens.get(instrument);
    if (openMs === undefined) {
      openMs = opensOf(feeds, instruments[instrument]!.id);
      opens.set(instrument, openMs);
    }
    const firstOpenMs = openMs[firstFrom(openMs, openMs.length, orders.arrivedMs[row]!)]!;
    // There may be no such open, so the comparison must be false for it.
    if (!(firstOpenMs < orders.doneMs[row]!)) neverWorking++;
  }
  if (limitOrders < FEW_ORDERS || 2 * neverWorking < limitOrders) return [];
  const text = `${wholeText(neverWorking)} of ${wholeText(limitOrders)} limit orders were cancelled before the first bar in which they could fill; cancel an order once its lifecycle is working`;
  return [warning('ORDER_NEVER_WORKED', text)];
}

/** Returns the opening times of the rows in which orders of an instrument fill (ms UTC). */
function opensOf(feeds: RunRecord['feeds'], instrument: string): Float64Array {
  const feed = feeds.find(({ bars, execution }) => execution && bars.instrument.id === instrument);
  return feed === undefined ? new Float64Array(0) : feed.bars.openMs.subarray(0, feed.bars.length);
}
