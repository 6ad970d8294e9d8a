// The spot side of the exchange: coins against coins, over the spot venue.

import type { Scheduler } from '../../ports/scheduler.ts';
import { NO_SLIPPAGE } from '../../venue/slippage.ts';
import { Venue } from '../../venue/venue.ts';
import { type ServiceConfig, statesOf, unitsOf } from '../config.ts';
import { OrderDesk } from '../orders/orderDesk.ts';
import { type OrderStart, type OwnTrade, UserOrder } from '../orders/userOrder.ts';

export class SpotExchange extends OrderDesk<UserOrder, OwnTrade> {
  readonly venue: Venue;

  constructor(config: ServiceConfig, scheduler: Scheduler) {
    super('1322', config.delays, scheduler);
    const instruments = config.instruments.filter(({ market }) => market === 'spot');
    this.venue = new Venue(
      {
        instruments,
        fees: { in: config.profile.lockedFormula === 'amountPlusFee' ? 'quote' : 'received', rounding: config.feeRounding },
        limitRule: 'touch',
        maxVolumeSharePpm: 0,
        slippage: NO_SLIPPAGE,
        maxOpenOrders: config.maxOpenOrders,
        state: statesOf(config, 'spot'),
      },
      this,
    );
    for (const instrument of instruments) {
      const { money } = this.venue.book(instrument);
      this.openMarket(
        instrument,
        ({ quoteUnits, filledUnits }, price, lots, next) =>
          money.affordable(quoteUnits - filledUnits - money.notional(price, lots), next) === 0,
      );
    }
  }

  /** Opens the account that has the next index, with its balances. Throws ConfigError at one that cannot be. */
  openAccount(name: string, balances: Readonly<Record<string, string>>): void {
    const account = this.venue.openAccount(name);
    const assets = this.assets();
    for (const [asset, amount] of Object.entries(balances)) {
      this.venue.deposit(account, asset, unitsOf(amount, asset, assets, `account ${name} balances`));
    }
  }

  /** The assets of the market and the digits of their units, in order of appearance. */
  assets(): ReadonlyMap<string, number> {
    return new Map(
      this.markets.flatMap(({ instrument: { base, baseDigits, quote, quoteDigits } }): [string, number][] => [
        [base, baseDigits],
        [quote, quoteDigits],
      ]),
    );
  }

  protected override newOrder(start: OrderStart): UserOrder {
    return new UserOrder(start);
  }

  protected override newTrade(_order: UserOrder, trade: OwnTrade): OwnTrade {
    return trade;
  }
}
