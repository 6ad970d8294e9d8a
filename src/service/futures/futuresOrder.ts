// Futures orders and own trades: what they have beyond those of spot.

import { type OrderStart, type OwnTrade, UserOrder } from '../orders/userOrder.ts';

export interface FuturesTerms {
  readonly leverage: number;
  readonly isCross: boolean;
  /** The exchange closed a position: nobody ordered it. */
  readonly isLiquidation: boolean;
}

export class FuturesOrder extends UserOrder {
  /** As they were when it was placed. */
  readonly terms: FuturesTerms;

  constructor(start: OrderStart, terms: FuturesTerms) {
    super(start);
    this.terms = terms;
  }
}

export interface FuturesTrade extends OwnTrade {
  /** Value, in units of the settlement asset. */
  readonly valueUnits: number;
  /** Who the two are. */
  readonly bidUid: string;
  readonly askUid: string;
}
