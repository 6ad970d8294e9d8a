// The schema of the exchange config: instruments and their prices, accounts and their keys, limits, delays, switches.

import { z } from 'zod';
import { DELAYS } from '../../dialect/config.ts';
import { PROFILES } from '../../dialect/profile.ts';
import { contractEntry } from './contractEntry.ts';
import { rowFills } from '../../../definition/text/fills.ts';
import { flagValue, mapValue, rateValue, textValue, integerValue } from '../../../definition/text/values.ts';
import { asset, decimalValue, digits, ip, marketKeys } from './values.ts';

const instrument = mapValue(
  {
    symbol: textValue('a name on the wire, such as BTCUSDT', 'name on the wire', /^[A-Z0-9/_-]{2,32}$/),
    base: asset,
    quote: asset,
    priceDigits: digits('decimals of a price'),
    quantityDigits: digits('decimals of a quantity'),
    minQuantity: decimalValue('smallest order').optional(),
    baseDigits: digits('decimals in which the base asset is held').optional(),
    ...marketKeys,
  },
  'an instrument, such as { symbol: BTCUSDT, base: BTC, quote: USDT, priceDigits: 2, quantityDigits: 5 }',
);

const apiKey = mapValue(
  {
    keyFile: textValue('the path of a file', 'file with the API key, mode 0600; relative to this file', /\S/),
    secretFile: textValue('the path of a file', 'file with the API secret, mode 0600; relative to this file', /\S/),
    read: flagValue('the key may read').optional(),
    trade: flagValue('the key may create and cancel orders').optional(),
    markets: z.array(z.enum(['spot', 'futures'], { error: 'spot or futures' }), { error: 'a list of markets' }).optional(),
    ips: z.array(ip, { error: 'a list of addresses' }).describe('addresses from which the key may be used; default: any').optional(),
  },
  'a key, such as { keyFile: key, secretFile: secret }',
);

const futuresAccount = mapValue(
  {
    balances: z
      .record(z.string(), decimalValue('amount'), { error: "balances, such as { USDT: '10000' }" })
      .describe('opening balances on futures'),
    leverage: integerValue('times', 'leverage on every contract, capped at its maximum', 1).optional(),
    margin: z.enum(['cross', 'isolated'], { error: 'cross or isolated' }).optional(),
    positions: z.enum(['net', 'twoWay'], { error: 'net or twoWay' }).optional(),
  },
  "an account on futures, such as { balances: { USDT: '10000' }, leverage: 5 }",
);

const account = mapValue(
  {
    name: textValue('a name', 'name of the account', /^\S{1,64}$/),
    uid: integerValue('digits', 'uid on the wire', 1),
    balances: z
      .record(z.string(), decimalValue('amount'), { error: "balances, such as { USDT: '10000' }" })
      .describe('opening balances on spot')
      .optional(),
    futures: futuresAccount.optional(),
    keys: z.array(apiKey, { error: 'a list of keys' }).optional(),
    maxOpenOrders: integerValue('orders', 'maximum of unfinished orders on one market', 1).optional(),
    closed: flagValue('every signed call is answered with -1004').optional(),
    restricted: flagValue('the account may not place orders: 35').optional(),
  },
  "an account, such as { name: alice, uid: 10001, balances: { USDT: '10000' } }",
);

const durationMs = (help: string) => integerValue('ms', help, 0);
const delays = z.union(
  [
    z.enum(['zero', 'realistic'], { error: Object.keys(DELAYS).join(' or ') }),
    mapValue(
      {
        admissionMs: durationMs('from create to matching'),
        visibilityMs: durationMs('from change to reads'),
        cancelMs: durationMs('from cancel to end'),
      },
      'delays',
    ),
  ],
  { error: `${Object.keys(DELAYS).join(' or ')}, or { admissionMs, visibilityMs, cancelMs }` },
);

const rateLimit = mapValue(
  { count: integerValue('calls', 'calls in a window', 1, 1_000_000), windowMs: integerValue('ms', 'length of the window', 1) },
  'a limit',
);

const fills = mapValue(
  {
    ...rowFills.shape,
    graceMs: integerValue('ms', 'orders that arrive at most this long after the open of a bar count as arrived at its open', 0).optional(),
  },
  'fills, such as { limit: through }',
);

/** The keys of the config. */
export const exchangeSchema = mapValue(
  {
    instruments: z.array(instrument, { error: 'a list of instruments' }).describe('spot instruments').optional(),
    contracts: z.array(contractEntry, { error: 'a list of contracts' }).describe('futures contracts').optional(),
    accounts: z.array(account, { error: 'a list of accounts' }).optional(),
    profile: z
      .enum(['seed', 'strict', 'lenient'], { error: `one of ${Object.keys(PROFILES).join(', ')}` })
      .describe('values of the switches')
      .optional(),
    switches: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]), { error: 'switches by name' })
      .describe('switches that replace those of the profile')
      .optional(),
    fills: fills.describe('how bars fill orders, for instruments with match: bars').optional(),
    delays: delays.describe('internal delays of the exchange').optional(),
    limits: z
      .record(z.string(), rateLimit.nullable(), { error: 'limits by class; null: none' })
      .describe("limits that replace the specification's")
      .optional(),
    denyIps: z.array(ip, { error: 'a list of addresses' }).describe('addresses that are rejected with -2200').optional(),
    off: z.array(z.string(), { error: 'a list of operations' }).describe('operations that are switched off and answer -1020').optional(),
    heartbeat: mapValue(
      { everyMs: durationMs('time between pings'), pongTimeoutMs: durationMs('longest time without a pong') },
      'the heartbeat of /ws',
    ).optional(),
    maxOpenOrders: integerValue('orders', 'maximum of unfinished orders of one account on one market', 1).optional(),
    maxOpenOrdersPerSymbol: integerValue('orders', 'maximum of open orders of one account on one instrument (200)', 1).optional(),
    maxConnections: integerValue('connections', 'maximum of simultaneous connections (1000)', 1).optional(),
    requestTimeoutMs: integerValue('ms', 'time limit for receiving a complete request (10000)', 1).optional(),
    maxTriggers: integerValue('orders', 'maximum of waiting trigger orders of one account', 1).optional(),
    liquidationFee: rateValue("fee from the remaining margin of a liquidation, as a fraction of the position's value").optional(),
    seed: integerValue('number', 'seed of synthetic prices and background liquidity', 0, 2 ** 31).optional(),
  },
  'the exchange config: instruments, accounts',
);

/** A checked exchange config. */
export type ExchangeFile = z.output<typeof exchangeSchema>;
