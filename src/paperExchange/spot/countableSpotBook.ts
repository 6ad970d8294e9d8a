// A spot book that never fills more than exact numbers can hold. A service must keep running where a backtest may end with an error.

import { MAX_EXACT } from '../../base/number/exact.ts';
import type { Balance, ExternalFlows } from '../../venue/accounts.ts';
import { SpotBook } from '../../venue/spotBook.ts';
import type { VenueOrderRecord, VenueOrder } from '../../venue/venueOrder.ts';

/** Caps fills so that every sum stays exact. */
export class CountableSpotBook extends SpotBook {
  override fillableLots(order: VenueOrder, price: number): number {
    return this.capLots(order, price, super.fillableLots(order, price));
  }

  protected override computeFillableLots(order: VenueOrderRecord, price: number): number {
    return this.capLots(order, price, super.computeFillableLots(order, price));
  }

  /** Returns at most `lots`, such that every sum stays below 2^53 units. */
  private capLots({ instrumentAccount }: VenueOrder, price: number, lots: number): number {
    const { base, quote } = instrumentAccount!;
    const baseUnitsLeft = unitsLeftFor(base, this.externalBase);
    const quoteUnitsLeft = unitsLeftFor(quote, this.externalQuote);
    const { unitsPerLot } = this.money;
    this.isCapped = lots * unitsPerLot > baseUnitsLeft || this.money.notional(price, lots) > quoteUnitsLeft;
    if (!this.isCapped) return lots;
    // Rounding a notional adds at most half a unit.
    const maxByQuote = this.money.affordable(Math.max(0, quoteUnitsLeft - 1), price);
    return Math.max(0, Math.min(lots, Math.floor(baseUnitsLeft / unitsPerLot), maxByQuote));
  }
}

/**
 * Returns the units of an asset that an execution may add, both to the account and to the external flows. It is a quarter of the space
 * left, because fees come on top.
 */
function unitsLeftFor({ free, locked }: Balance, { market, fees }: ExternalFlows): number {
  return Math.floor((MAX_EXACT - Math.max(free + locked, Math.abs(market), fees)) / 4);
}
