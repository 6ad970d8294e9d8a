// A contract book that never fills more than exact numbers can hold. A service must keep running where a backtest may end with an error.

import { MAX_EXACT } from '../../base/number/exact.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import { ContractBook } from '../../venue/futures/contractBook.ts';
import type { VenuePosition } from '../../venue/futures/position.ts';

export class CountableContractBook extends ContractBook {
  protected override computeFillableLots(order: VenueOrder, price: number): number {
    const wanted = super.computeFillableLots(order, price);
    const { money } = this.terms;
    const isBuy = order.side === 'buy';
    const from = this.opposite(order.account, isBuy, order.closes);
    const into = this.wallets.position(order.account, this.index, isBuy);
    const room = Math.min(this.room(into), from === null ? Infinity : this.room(from));
    const lotsRoom = MAX_EXACT - into.lots;
    const entry = from?.entryUnits ?? 0;
    this.isCapped = money.value(wanted, price) > room || entry > room || wanted > lotsRoom;
    if (!this.isCapped) return wanted;
    const byEntry = from === null || entry <= room ? Infinity : Math.floor((from.lots * room) / entry);
    return Math.max(0, Math.min(wanted, lotsRoom, byEntry, money.lotsWithin(room, price)));
  }

  /** Returns the price of a liquidation. If the loss at `worst` is too large to book, it is the last price that the margin covers. */
  protected override liquidationPrice(position: VenuePosition, worst: number, backing: number): number {
    const { money } = this.terms;
    const { isLong, lots, entryUnits, averageTicks } = position;
    const room = this.room(position);
    const value = money.value(lots, worst);
    if (value <= MAX_EXACT && Math.abs(money.profit(isLong, entryUnits, value)) <= room) return worst;
    return money.lastCovered(isLong, lots, entryUnits, averageTicks, Math.min(Math.max(0, backing), room));
  }

  /**
   * Returns the units that one execution may move: a quarter of what remains of the largest sum that it changes. Fees and losses come on
   * top.
   */
  private room(position: Readonly<VenuePosition>): number {
    return Math.floor((MAX_EXACT - this.wallets.largestSum(position, this.terms.asset)) / 4);
  }
}
