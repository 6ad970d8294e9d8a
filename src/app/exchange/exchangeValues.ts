// The values that stand in the file of an exchange: texts, amounts, rates, prices; each with what is said of one that is wrong.

import { z } from 'zod';
import { INTERVAL_NAMES } from '../../model/interval.ts';
import { parseTime } from '../../model/time.ts';

// Every `error` below is the second half of "expected ...", as in the schema of run definitions.

export const map = <T extends z.ZodRawShape>(shape: T, what: string) => z.strictObject(shape, { error: what });
export const text = (what: string, pattern: RegExp, help: string) =>
  z.string({ error: what }).regex(pattern, { error: what }).describe(help);
export const flag = (help: string) => z.boolean({ error: 'true or false' }).describe(help);
export const whole = (unit: string, help: string, min: number, max = Number.MAX_SAFE_INTEGER) => {
  const error = `a whole number (${unit}, from ${min} on)`;
  return z.int({ error }).min(min, { error }).max(max, { error }).describe(`${help} (${unit})`);
};
export const decimal = (help: string) => text('a quoted decimal', /^\d+(\.\d+)?$/, help);
export const rate = (help: string) =>
  text('a quoted decimal (fraction below 1 with at most 6 decimals: 0.001 is 0.1 %)', /^0(\.\d{1,6})?$/, help);
/** A fraction that may be below 0. */
export const signedRate = (help: string) => text('a quoted decimal (fraction below 1 with at most 8 decimals)', /^-?0(\.\d{1,8})?$/, help);
export const asset = text('the name of an asset, such as BTC', /^[A-Z0-9]{1,16}$/, 'an asset');
export const ip = text('an address, or a network such as 10.0.0.0/8', /^[\da-fA-F.:]+(\/\d{1,2})?$/, 'an address');
export const digits = (help: string) => whole('decimals', help, 0, 15);

export const prices = z.union(
  [
    map(
      { price: decimal('price at the beginning'), quantity: decimal('what trades at a time and rests at a level, at most').optional() },
      'a price',
    ),
    map(
      {
        catalog: text('a folder', /\S/, 'folder of the catalog; relative to this file').optional(),
        interval: z.enum(INTERVAL_NAMES, { error: `one of ${INTERVAL_NAMES.join(', ')}` }).describe('bars to replay'),
        from: z
          .string({ error: 'a UTC date or date-time' })
          .refine((value) => parseTime(value) !== null, { error: 'a UTC date or date-time, such as 2024-01-01' })
          .describe('the first bar that is replayed'),
        symbol: text('a symbol of the catalog', /\S/, 'whose bars; default: the name on the wire').optional(),
        match: z.literal('bars', { error: 'bars' }).describe('every order trades with the bars, by the rules of a backtest').optional(),
      },
      'bars',
    ),
    map({ trades: text('the path of a file', /\S/, 'recorded trades: time,price,quantity; relative to this file') }, 'trades'),
  ],
  { error: "prices: { price: '65000' } for synthetic ones, { interval: 1m, from: 2024-01-01 } for bars of the catalog, or { trades: FILE }" },
);
