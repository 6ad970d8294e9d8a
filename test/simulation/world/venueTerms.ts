// The instruments of the exchange of a simulated day, and the balances of its accounts.

import { lots } from '../../../src/base/brand.ts';
import { instrumentId, type Instrument, type Market } from '../../../src/model/instrument.ts';
import type { AccountConfig, ServiceConfig } from '../../../src/paperExchange/dialect/config.ts';
import type { OwnTrade, UserOrder } from '../../../src/paperExchange/orders/userOrder.ts';

/** Units in a coin, and in one of the cash asset. */
export const UNITS_PER_COIN = 1e8;
/** Lots in a coin. */
export const LOTS_PER_COIN = 1e4;
/** Units of a coin in a lot. */
export const UNITS_PER_LOT = 1e4;
/** Units of cash that a lot is worth at a price of one tick. */
export const CASH_UNITS_PER_LOT_AND_TICK = 100;
/** The coins of a day. Each is traded against USDT. */
export const SYMBOLS = ['AAA', 'BBB', 'CCC', 'DDD'] as const;
/** Start cash of an account, USDT. */
export const CASH = 1_000_000;
/** Coins of each symbol on the account that do not belong to the bot. */
export const FOREIGN_COINS = 50;
/** First price of each market, ticks. */
export const FIRST_TICKS = 10_000;
/** Length of the history of prices before the day, ms. */
export const HISTORY_MS = 7_200_000;

/** Returns the spot pair of a coin. */
const spotInstrument = (base: string): Instrument => ({
  id: instrumentId('spot', `${base}USDT`),
  market: 'spot',
  wireName: `${base}USDT`,
  base,
  quote: 'USDT',
  priceDigits: 2,
  quantityDigits: 4,
  quoteDigits: 8,
  baseDigits: 8,
  minLots: lots(1),
  makerFeePpm: 1000,
  takerFeePpm: 1000,
});

/** An order of the bot in the exchange's books, with its trades. */
export interface TrueOrder {
  /** After a crash of the exchange this is the restored order. */
  order: UserOrder;
  readonly clientOrderId: string;
  readonly placedMs: number;
  readonly trades: OwnTrade[];
}

/** What the exchange of a day trades, and what the account of the bot has. */
export interface VenueTerms {
  readonly market: Market;
  readonly instruments: readonly Instrument[];
  readonly funds: Pick<AccountConfig, 'balances' | 'futures'>;
  readonly config?: Partial<ServiceConfig>;
  /** Lots of a level of the book. */
  readonly levelLots: number;
}

/** The index of the account of a second bot that has its own. The account before it takes orders from the book. */
export const SECOND_ACCOUNT = 2;
/** The index of the second bot's own account at an exchange of contracts, which has no account that takes orders from the book. */
export const SECOND_CONTRACT_ACCOUNT = 1;

/** The terms of a day on spot. */
export const SPOT_TERMS: VenueTerms = {
  market: 'spot',
  instruments: SYMBOLS.map(spotInstrument),
  funds: { balances: { USDT: String(CASH), ...Object.fromEntries(SYMBOLS.map((base) => [base, String(FOREIGN_COINS)])) } },
  levelLots: 4000,
};
