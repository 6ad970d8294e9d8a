// Futures orders and own trades: the fields that spot does not have.

import { InvariantError } from '../../base/errors.ts';
import type { RowKind } from '../orders/orderRows.ts';
import { type OrderStart, type OwnTrade, UserOrder } from '../orders/userOrder.ts';

/** The terms of a futures order that a spot order does not have. */
export interface FuturesTerms {
  readonly leverage: number;
  readonly isCross: boolean;
  /** True when the exchange closed a position by liquidation; no user placed the order. */
  readonly isLiquidation: boolean;
}

/** An order of a user, or a liquidation, on a contract. */
export class FuturesUserOrder extends UserOrder {
  /** The terms when the order was placed. */
  readonly terms: FuturesTerms;

  constructor(start: OrderStart, terms: FuturesTerms) {
    super(start);
    this.terms = terms;
  }
}

/** An own trade of an account on a contract. */
export interface FuturesTrade extends OwnTrade {
  /** Value, in units of the settlement asset. */
  readonly valueUnits: number;
  /** Uids of the two parties. */
  readonly bidUid: string;
  readonly askUid: string;
}

/** Makes futures orders and trades from stored records, and returns the terms to be stored. */
export const FUTURES_ROWS: RowKind<FuturesUserOrder, FuturesTrade> = {
  order: (start, terms) => new FuturesUserOrder(start, requireTerms(terms)),
  termsOf: ({ terms, ended, averageTicks }) => ({ ...terms, averageTicks: ended?.averageTicks ?? averageTicks }),
  trade: (common, terms) => ({ ...common, ...requireTerms(terms) }),
  tradeTermsOf: ({ valueUnits, bidUid, askUid }) => ({ valueUnits, bidUid, askUid }),
};

/** Returns the futures terms of a record. Throws InvariantError without them. */
function requireTerms<T>(terms: T | null): T {
  if (terms === null) throw new InvariantError('a futures record has no futures terms');
  return terms;
}
