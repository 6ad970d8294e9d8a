// Futures orders and own trades: the fields that spot does not have.

import { InvariantError } from '../../base/errors.ts';
import type { RowKind } from '../orders/orderRows.ts';
import { type OrderStart, type OwnTrade, UserOrder } from '../orders/userOrder.ts';

export interface FuturesTerms {
  readonly leverage: number;
  readonly isCross: boolean;
  /** True when the exchange closed a position by liquidation; no user placed the order. */
  readonly isLiquidation: boolean;
}

export class FuturesUserOrder extends UserOrder {
  /** The terms when the order was placed. */
  readonly terms: FuturesTerms;

  constructor(start: OrderStart, terms: FuturesTerms) {
    super(start);
    this.terms = terms;
  }
}

export interface FuturesTrade extends OwnTrade {
  /** Value, in units of the settlement asset. */
  readonly valueUnits: number;
  /** Uids of the two parties. */
  readonly bidUid: string;
  readonly askUid: string;
}

export const FUTURES_ROWS: RowKind<FuturesUserOrder, FuturesTrade> = {
  order: (start, terms) => new FuturesUserOrder(start, makeRecord(terms)),
  termsOf: ({ terms, ended, averageTicks }) => ({ ...terms, averageTicks: ended?.averageTicks ?? averageTicks }),
  trade: (common, terms) => ({ ...common, ...makeRecord(terms) }),
  tradeTermsOf: ({ valueUnits, bidUid, askUid }) => ({ valueUnits, bidUid, askUid }),
};

function makeRecord<T>(terms: T | null): T {
  if (terms === null) throw new InvariantError('a record of futures has the terms of futures');
  return terms;
}
