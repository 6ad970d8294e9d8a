// The spot side of the exchange: coins against coins, on top of the spot venue.

import type { Scheduler } from '../../ports/scheduler.ts';
import { CountableSpotBook } from './countableSpotBook.ts';
import { Venue } from '../../venue/venue.ts';
import { type AccountConfig, Amounts, type ServiceConfig, statesOf } from '../dialect/config.ts';
import type { IsSpent } from '../matching/matcher.ts';
import { ExchangeSide } from '../orders/exchangeSide.ts';
import type { RowKind, ArchiveSource } from '../orders/orderRows.ts';
import { type OrderStart, type OwnTrade, UserOrder } from '../orders/userOrder.ts';

/** Prefix of the ids of spot orders. */
const ORDER_PREFIX = '1322';
/** Stored spot orders and trades have no terms of their own. */
const SPOT_ROWS: RowKind<UserOrder, OwnTrade> = {
  order: (start) => new UserOrder(start),
  termsOf: () => null,
  trade: (common) => common,
  tradeTermsOf: () => null,
};

/** The spot side of one exchange. */
export class SpotExchange extends ExchangeSide<UserOrder, OwnTrade> {
  /** The venue that holds balances and matches orders. */
  readonly venue: Venue;
  readonly #amounts: Amounts;

  constructor(config: ServiceConfig, scheduler: Scheduler, archive: ArchiveSource) {
    super({ ...config, market: 'spot', prefix: ORDER_PREFIX, scheduler, archive }, SPOT_ROWS);
    const instruments = config.instruments.filter(({ market }) => market === 'spot');
    this.venue = new Venue(
      {
        instruments,
        fees: { in: config.profile.lockedFormula === 'amountPlusFee' ? 'quote' : 'received', rounding: config.feeRounding },
        ...config.fills,
        maxOpenOrders: config.maxOpenOrders,
        state: statesOf(config, 'spot'),
      },
      this,
      CountableSpotBook,
    );
    for (const instrument of instruments) {
      const { money } = this.venue.book(instrument);
      const isSpent: IsSpent = ({ quoteUnits, filledUnits }, price, lots, nextPrice) => {
        const unitsLeft = quoteUnits - filledUnits - money.notional(price, lots);
        return money.affordable(unitsLeft, nextPrice) === 0;
      };
      this.openMarket(instrument, isSpent);
    }
    this.#amounts = new Amounts(this.assets());
  }

  /** Opens the account with the next index, with its balances. Throws ConfigError if they are invalid. */
  openAccount({ name, balances, maxOpenOrders }: AccountConfig): void {
    const accountIndex = this.venue.openAccount(name);
    if (maxOpenOrders !== undefined) this.venue.accounts.all[accountIndex]!.maxOpen = maxOpenOrders;
    for (const [asset, amount] of Object.entries(balances)) {
      this.venue.deposit(accountIndex, asset, this.#amounts.units(amount, asset, `account ${name} balances`));
    }
  }

  /** Returns the assets of the market with the digits of their units, in order of appearance. */
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
