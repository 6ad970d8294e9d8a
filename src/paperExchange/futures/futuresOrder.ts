// Futures orders and own trades: the fields that spot does not have.

import { ContractMoney } from '../../venue/futures/contractMoney.ts';
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
  order: (start, terms) =>
    new FuturesUserOrder(start, { leverage: terms?.[0] ?? 1, isCross: terms?.[1] === 1, isLiquidation: terms?.[2] === 1 }),
  termsOf: ({ terms: { leverage, isCross, isLiquidation }, ended, averageTicks }) => {
    return [leverage, isCross ? 1 : 0, isLiquidation ? 1 : 0, ended?.averageTicks ?? averageTicks];
  },
  trade: (common, value) => ({ ...common, valueUnits: value?.[0] ?? 0, bidUid: value?.[1] ?? '', askUid: value?.[2] ?? '' }),
  averageTicks: (instrument, lots, valueUnits) => new ContractMoney(instrument).averageTicks(lots, valueUnits),
  valueOf: ({ valueUnits, bidUid, askUid }) => [valueUnits, bidUid, askUid],
};
