// The value types of the exchange config: texts, amounts, rates, prices, each with its error message.

import { z } from 'zod';
import { parseTime } from '../../../model/time.ts';
import { flagValue, intervalValue, mapValue, rateValue, textValue, integerValue } from '../../../definition/text/values.ts';

/** A decimal in quotes, from 0 on. */
export const decimalValue = (help: string) => textValue('a quoted decimal', help, /^\d+(\.\d+)?$/);
/** A fraction below 1, which may be negative. */
export const signedRate = (help: string) =>
  textValue('a quoted decimal (fraction below 1 with at most 8 decimals)', help, /^-?0(\.\d{1,8})?$/);
/** The name of an asset. */
export const asset = textValue('the name of an asset, such as BTC', 'an asset', /^[A-Z0-9]{1,16}$/);
/** An address or a network. */
export const ip = textValue('an address, or a network such as 10.0.0.0/8', 'an address', /^[\da-fA-F.:]+(\/\d{1,2})?$/);
/** A number of decimals, 0 to 15. */
export const digits = (help: string) => integerValue('decimals', help, 0, 15);

/** The price source of an instrument. */
export const prices = z.union(
  [
    mapValue(
      {
        price: decimalValue('price at the beginning'),
        quantity: decimalValue('maximum of one trade and of one level').optional(),
      },
      'a price',
    ),
    mapValue(
      {
        catalog: textValue('a folder', 'folder of the catalog; relative to this file', /\S/).optional(),
        interval: intervalValue('bars to replay'),
        from: z
          .string({ error: 'a UTC date or date-time' })
          .refine((value) => parseTime(value) !== null, { error: 'a UTC date or date-time, such as 2024-01-01' })
          .describe('the first bar that is replayed'),
        symbol: textValue('a symbol of the catalog', 'symbol of the bars; default: the name on the wire', /\S/).optional(),
        match: z.literal('bars', { error: 'bars' }).describe('every order trades with the bars, by the rules of a backtest').optional(),
      },
      'bars',
    ),
    mapValue({ trades: textValue('the path of a file', 'recorded trades: time,price,quantity; relative to this file', /\S/) }, 'trades'),
  ],
  {
    error:
      "prices: { price: '65000' } for synthetic prices, { interval: 1m, from: 2024-01-01 } for bars of the catalog, or { trades: FILE }",
  },
);

/** Keys that spot instruments and contracts have in common: fees, and what the service rejects. */
export const marketKeys = {
  makerFee: rateValue('fee of a resting fill').optional(),
  takerFee: rateValue('fee of a taking fill').optional(),
  frozen: flagValue('every order is refused with -2016').optional(),
  marketOrders: flagValue('false: MARKET orders are refused with -1139').optional(),
  priceBand: rateValue('largest distance of a limit from the last price; beyond it: -1138').optional(),
  prices: prices.optional(),
};
