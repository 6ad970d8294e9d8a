// What persons have done by hand on the account of a bot: trades, deposits and withdrawals. None of it belongs to the bot.

import { orderNumberOf, type OwnTrade } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { FuturesExchange } from '../../../../src/paperExchange/futures/futuresExchange.ts';
import type { SpotExchange } from '../../../../src/paperExchange/spot/spotExchange.ts';
import { UNITS_PER_COIN } from '../venueTerms.ts';
import { coinUnitsOf, retainFilled } from './tradeUnits.ts';

/** The orders and transfers of persons on one account. To a bot, an order of another bot is one that a person has placed. */
export class ManualActivity {
  /** Trades of each manual order, by venue order id. */
  readonly tradesById = new Map<string, OwnTrade[]>();
  /** Units of each asset that a person has deposited; below 0: withdrawn. */
  readonly transferredUnits = new Map<string, number>();

  /** All trades of manual orders. */
  get trades(): readonly OwnTrade[] {
    return Array.from(this.tradesById.values()).flat();
  }
  /** Returns the units of a coin that persons have moved onto the account: by trades, deposits and withdrawals. */
  coinUnits(base: string): number {
    let movedUnits = this.transferredUnits.get(base) ?? 0;
    for (const trade of this.trades) if (trade.instrument.base === base) movedUnits += coinUnitsOf(trade);
    return movedUnits;
  }
  /** Returns the lots of a coin that persons have bought, minus the lots that they have sold. */
  tradedLots(base: string): number {
    const tradesOfCoin = this.trades.filter(({ instrument }) => instrument.base === base);
    return tradesOfCoin.reduce((sum, { isBuyer, lots }) => sum + (isBuyer ? lots : -lots), 0);
  }

  /** Compares the records with a restored exchange, and removes what it has lost. `startBalances`: the coins of the account at first. */
  forgetLost(side: SpotExchange | FuturesExchange, startBalances: Readonly<Record<string, string>>): void {
    for (const [id, trades] of this.tradesById) {
      const restored = side.orders.orderNumbered(orderNumberOf(id));
      if (restored === null) this.tradesById.delete(id);
      else retainFilled(trades, (restored.venueOrder ?? restored.ended)!.filledLots);
    }
    const { accounts } = (side as SpotExchange).venue;
    for (const asset of this.transferredUnits.keys()) {
      const startUnits = Number(startBalances[asset] ?? '0') * UNITS_PER_COIN;
      this.transferredUnits.set(asset, accounts.external[accounts.asset(asset)]!.deposited - startUnits);
    }
  }
}
