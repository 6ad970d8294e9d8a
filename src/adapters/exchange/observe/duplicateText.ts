// The text of a halt about one second copy of an order.

import { Decimal } from '../../../base/number/decimal.ts';
import type { UnattributedFill } from '../client/referenceBook.ts';

/** A duplicate of one of our orders, created by an intermediary. */
export interface DuplicateOrder {
  readonly instrument: number;
  readonly clientOrderId: string;
  /** True if the latest list shows it as open. */
  isOpen: boolean;
  /** Its fills. They are a position of the account. */
  readonly fills: UnattributedFill[];
}

/** What the text shows of a second copy. `clientOrderId`: that of our order. */
interface DuplicateDetails {
  readonly venueId: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly fills: readonly UnattributedFill[];
}

/** A halt lists at most this many trades of a duplicate, and names at most this many duplicates with their trades: the newest. */
export const MAX_NAMED_TRADES = 10;

/** Returns what the operator must know about a second copy: its order, what it has filled, and on request the trades. */
export function duplicateText({ venueId, symbol, clientOrderId, fills }: DuplicateDetails, withTrades: boolean): string {
  const text = `order ${venueId} of ${symbol} is a second copy of ${clientOrderId}`;
  if (fills.length === 0) return text;
  const withSum = `${text}; it has ${boughtOrSoldText(fills)}`;
  return withTrades ? `${withSum} (trades ${tradeIdsText(fills)}): a position of the account, of no strategy` : withSum;
}

/** Returns the sum of the fills, such as `bought 0.2 for 18000`. */
function boughtOrSoldText(fills: readonly UnattributedFill[]): string {
  const sumOf = (amountOf: (fill: UnattributedFill) => string): string =>
    fills.reduce((total, fill) => total.plus(amountOf(fill)), new Decimal(0)).toFixed();
  const [{ side }] = fills as readonly [UnattributedFill];
  return `${side === 'buy' ? 'bought' : 'sold'} ${sumOf(({ qty }) => qty)} for ${sumOf(({ notional }) => notional)}`;
}

/** Returns the trade ids, at most `MAX_NAMED_TRADES`. */
function tradeIdsText(fills: readonly UnattributedFill[]): string {
  const ids = fills.map(({ tradeId }) => tradeId);
  return ids.length > MAX_NAMED_TRADES ? `${ids.slice(0, MAX_NAMED_TRADES).join(', ')} ...` : ids.join(', ');
}
