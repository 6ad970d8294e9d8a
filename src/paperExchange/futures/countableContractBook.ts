// A contract book that never fills more than exact numbers can hold. A service must keep running where a backtest may end with an error.

import { MAX_EXACT } from '../../base/number/exact.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import { ContractBook } from '../../venue/futures/contractBook.ts';
import type { VenuePosition } from '../../venue/futures/position.ts';

/** Caps fills and liquidations so that every sum stays exact. */
export class CountableContractBook extends ContractBook {
  protected override computeFillableLots(order: VenueOrder, price: number): number {
    const requested = super.computeFillableLots(order, price);
    const { money } = this.terms;
    const isBuy = order.side === 'buy';
    const closing = this.opposite(order.account, isBuy, order.closes);
    const opening = this.wallets.position(order.account, this.index, isBuy);
    const unitsLeft = Math.min(this.unitsLeftFor(opening), closing === null ? Infinity : this.unitsLeftFor(closing));
    const lotsLeft = MAX_EXACT - opening.lots;
    const entry = closing?.entryUnits ?? 0;
    this.isCapped = money.value(requested, price) > unitsLeft || entry > unitsLeft || requested > lotsLeft;
    if (!this.isCapped) return requested;
    const maxByEntry = closing === null || entry <= unitsLeft ? Infinity : Math.floor((closing.lots * unitsLeft) / entry);
    return Math.max(0, Math.min(requested, lotsLeft, maxByEntry, money.lotsWithin(unitsLeft, price)));
  }

  /** Returns the price of a liquidation. If the loss at `worstTicks` is too large to book, it is the last price that the margin covers. */
  protected override liquidationPrice(position: VenuePosition, worstTicks: number, backing: number): number {
    const { money } = this.terms;
    const { isLong, lots, entryUnits, averageTicks } = position;
    const unitsLeft = this.unitsLeftFor(position);
    const value = money.value(lots, worstTicks);
    if (value <= MAX_EXACT && Math.abs(money.profit(isLong, entryUnits, value)) <= unitsLeft) return worstTicks;
    return money.lastCovered(isLong, lots, entryUnits, averageTicks, Math.min(Math.max(0, backing), unitsLeft));
  }

  /**
   * Returns the units that one execution may move: a quarter of what remains of the largest sum that it changes. Fees and losses come on
   * top.
   */
  private unitsLeftFor(position: Readonly<VenuePosition>): number {
    return Math.floor((MAX_EXACT - this.wallets.largestSum(position, this.terms.asset)) / 4);
  }
}
