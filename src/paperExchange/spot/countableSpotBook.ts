// A spot book that fills no more than can be counted: an exchange for strangers lives on where a backtest ends with an error.

import { MAX_EXACT } from '../../base/number/exact.ts';
import type { Balance, ExternalFlows } from '../../venue/accounts.ts';
import { SpotBook } from '../../venue/spotBook.ts';
import type { VenueOrderRecord, VenueOrder } from '../../venue/venueOrder.ts';

export class CountableSpotBook extends SpotBook {
  override fillableLots(order: VenueOrder, price: number): number {
    return this.countable(order, price, super.fillableLots(order, price));
  }

  protected override computeFillableLots(order: VenueOrderRecord, price: number): number {
    return this.countable(order, price, super.computeFillableLots(order, price));
  }

  /** At most `lots`: as many as keep every sum below 2^53 units. */
  private countable({ instrumentAccount }: VenueOrder, price: number, lots: number): number {
    const { base, quote } = instrumentAccount!;
    const baseRoom = roomOf(base, this.base);
    const quoteRoom = roomOf(quote, this.quote);
    const { unitsPerLot } = this.money;
    this.isCapped = lots * unitsPerLot > baseRoom || this.money.notional(price, lots) > quoteRoom;
    if (!this.isCapped) return lots;
    // A notional is rounded by half a unit at most.
    const byQuote = this.money.affordable(Math.max(0, quoteRoom - 1), price);
    return Math.max(0, Math.min(lots, Math.floor(baseRoom / unitsPerLot), byQuote));
  }
}

/** Units that can be added to what an account has of an asset, and to what nobody has of it; a quarter of them, for fees come on top. */
function roomOf({ free, locked }: Balance, { market, fees }: ExternalFlows): number {
  return Math.floor((MAX_EXACT - Math.max(free + locked, Math.abs(market), fees)) / 4);
}
