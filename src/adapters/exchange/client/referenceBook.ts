// Keeps the fills that belong to the account and to no strategy. With them, the books equal the venue's figures.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Side } from '../../../model/order.ts';

/** A fill that is booked to the account, not to a strategy. Decimals are text; `qty` is above 0. */
export interface UnattributedFill {
  readonly tradeId: string;
  readonly orderId: string;
  /** Id of the instrument, such as `spot:BTCUSDT`. */
  readonly symbol: string;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
  /** In the quote asset, or in the settlement asset of a contract. */
  readonly notional: string;
  readonly fee: string;
  readonly feeCoin: string;
  readonly maker: boolean;
  readonly executedMs: number;
  /** In two-way mode: the side of the contract's position that it changes. */
  readonly long?: boolean | undefined;
  /** True when it is a part of a trade, and the fill of the order's part follows. */
  readonly split?: boolean | undefined;
}

/** What the account holds of an instrument beyond its strategies. */
export interface ReferencePosition {
  readonly symbol: string;
  /** In two-way mode: the side of the contract. Undefined: the account has one position of the instrument. */
  readonly isLong: boolean | undefined;
  /** In the base asset or contracts; below 0 is short. A long side below 0: others have closed a part of it. */
  readonly qty: string;
  /** Quote asset received, without fees; below 0 is paid. */
  readonly quote: string;
  readonly fees: readonly { readonly coin: string; readonly amount: string }[];
  readonly fills: number;
}

/** The fills of the account, and the positions that they add up to. */
export class ReferenceBook {
  readonly #fills: UnattributedFill[] = [];
  /** The fills by instrument and venue order id. */
  readonly #fillsByOrder = new Map<string, UnattributedFill[]>();

  /** The fills in the order of booking. */
  get fills(): readonly UnattributedFill[] {
    return this.#fills;
  }
  /** Adds a fill. */
  book(fill: UnattributedFill): void {
    this.#fills.push(fill);
    const key = `${fill.symbol} ${fill.orderId}`;
    const ofOrder = this.#fillsByOrder.get(key);
    if (ofOrder === undefined) this.#fillsByOrder.set(key, [fill]);
    else ofOrder.push(fill);
  }
  /** Returns the quantity of one order of an instrument, bought minus sold. */
  qtyOf(symbol: string, orderId: string): Decimal {
    const ofOrder = this.#fillsByOrder.get(`${symbol} ${orderId}`) ?? [];
    return ofOrder.reduce((sum, { side, qty }) => (side === 'buy' ? sum.plus(qty) : sum.minus(qty)), new Decimal(0));
  }
  /** Returns the position in each instrument that has such fills. In two-way mode long and short are apart. */
  positions(): readonly ReferencePosition[] {
    const byPosition = new Map<string, UnattributedFill[]>();
    for (const fill of this.#fills) {
      const key = fill.long === undefined ? fill.symbol : `${fill.symbol} ${fill.long}`;
      const fills = byPosition.get(key) ?? [];
      fills.push(fill);
      byPosition.set(key, fills);
    }
    return Array.from(byPosition.values(), positionOf);
  }
}

/** Returns the sum of the fills of one position: quantity, quote money and fees by coin. */
function positionOf(fills: readonly UnattributedFill[]): ReferencePosition {
  const [{ symbol, long: isLong }] = fills as readonly [UnattributedFill];
  let qty = new Decimal(0);
  let quote = new Decimal(0);
  const fees = new Map<string, Decimal>();
  for (const { side, qty: size, notional, fee, feeCoin } of fills) {
    const sign = side === 'buy' ? 1 : -1;
    qty = qty.plus(new Decimal(size).times(sign));
    quote = quote.minus(new Decimal(notional).times(sign));
    fees.set(feeCoin, new Decimal(fee).plus(fees.get(feeCoin) ?? 0));
  }
  return {
    symbol,
    isLong,
    qty: qty.toFixed(),
    quote: quote.toFixed(),
    fees: Array.from(fees, ([coin, amount]) => ({ coin, amount: amount.toFixed() })),
    fills: fills.length,
  };
}
