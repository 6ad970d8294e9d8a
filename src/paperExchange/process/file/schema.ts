// The schema of the exchange config: instruments and their prices, accounts and their keys, limits, delays, switches.

import { z } from 'zod';
import { DELAYS } from '../../dialect/config.ts';
import { PROFILES } from '../../dialect/profile.ts';
import { contractEntry } from './contractEntry.ts';
import { rowFills } from '../../../definition/text/fills.ts';
import { flagValue, map, rate, textValue, integerValue } from '../../../definition/text/values.ts';
import { asset, decimalValue, digits, ip, marketKeys } from './values.ts';

const instrument = map(
  {
    symbol: textValue('a name on the wire, such as BTCUSDT', 'name on the wire', /^[A-Z0-9/_-]{2,32}$/),
    base: asset,
    quote: asset,
    priceDigits: digits('decimals of a price'),
    quantityDigits: digits('decimals of a quantity'),
    minQuantity: decimalValue('smallest order').optional(),
    ...marketKeys,
  },
  'an instrument, such as { symbol: BTCUSDT, base: BTC, quote: USDT, priceDigits: 2, quantityDigits: 5 }',
);

const key = map(
  {
    keyFile: textValue('the path of a file', 'file with the API key, mode 0600; relative to this file', /\S/),
    secretFile: textValue('the path of a file', 'file with the API secret, mode 0600; relative to this file', /\S/),
    read: flagValue('it may read').optional(),
    trade: flagValue('it may order and cancel').optional(),
    markets: z.array(z.enum(['spot', 'futures'], { error: 'spot or futures' }), { error: 'a list of markets' }).optional(),
    ips: z.array(ip, { error: 'a list of addresses' }).describe('addresses from which it may be used; default: any').optional(),
  },
  'a key, such as { keyFile: key, secretFile: secret }',
);

const futuresAccount = map(
  {
    balances: z
      .record(z.string(), decimalValue('amount'), { error: "balances, such as { USDT: '10000' }" })
      .describe('what it begins with, on futures'),
    leverage: integerValue('times', 'on every contract, as far as it allows it', 1).optional(),
    margin: z.enum(['cross', 'isolated'], { error: 'cross or isolated' }).optional(),
    positions: z.enum(['net', 'twoWay'], { error: 'net or twoWay' }).optional(),
  },
  "an account on futures, such as { balances: { USDT: '10000' }, leverage: 5 }",
);

const account = map(
  {
    name: textValue('a name', 'name of the account', /^\S{1,64}$/),
    uid: integerValue('digits', 'its number on the wire', 1),
    balances: z
      .record(z.string(), decimalValue('amount'), { error: "balances, such as { USDT: '10000' }" })
      .describe('what it begins with, on spot')
      .optional(),
    futures: futuresAccount.optional(),
    keys: z.array(key, { error: 'a list of keys' }).optional(),
    maxOpenOrders: integerValue('orders', 'its unfinished orders on one market', 1).optional(),
    closed: flagValue('every signed call is answered -1004').optional(),
    restricted: flagValue('it may not order: 35').optional(),
  },
  "an account, such as { name: alice, uid: 10001, balances: { USDT: '10000' } }",
);

const ms = (help: string) => integerValue('ms', help, 0);
const delays = z.union(
  [
    z.enum(['zero', 'realistic'], { error: Object.keys(DELAYS).join(' or ') }),
    map({ admissionMs: ms('to matching'), visibilityMs: ms('to reads'), cancelMs: ms('from cancel to end') }, 'delays'),
  ],
  { error: `${Object.keys(DELAYS).join(' or ')}, or { admissionMs, visibilityMs, cancelMs }` },
);

const limit = map(
  { count: integerValue('calls', 'calls in a window', 1, 1_000_000), windowMs: integerValue('ms', 'length of the window', 1) },
  'a limit',
);

const fills = map(
  {
    ...rowFills.shape,
    graceMs: integerValue('ms', 'orders that arrive at most this long after the open of a bar count as arrived at its open', 0).optional(),
  },
  'fills, such as { limit: through }',
);

export const exchangeSchema = map(
  {
    instruments: z.array(instrument, { error: 'a list of instruments' }).describe('of spot').optional(),
    contracts: z.array(contractEntry, { error: 'a list of contracts' }).describe('of futures').optional(),
    accounts: z.array(account, { error: 'a list of accounts' }).optional(),
    profile: z
      .enum(['seed', 'strict', 'lenient'], { error: `one of ${Object.keys(PROFILES).join(', ')}` })
      .describe('values of the switches')
      .optional(),
    switches: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]), { error: 'switches by name' })
      .describe('over the profile')
      .optional(),
    fills: fills.describe('how bars fill orders, of instruments with match: bars').optional(),
    delays: delays.describe('times that the inside of the exchange takes').optional(),
    limits: z
      .record(z.string(), limit.nullable(), { error: 'limits by class; null: none' })
      .describe("over the specification's")
      .optional(),
    denyIps: z.array(ip, { error: 'a list of addresses' }).describe('addresses that are not served: -2200').optional(),
    off: z.array(z.string(), { error: 'a list of operations' }).describe('operations that are switched off: -1020').optional(),
    heartbeat: map({ everyMs: ms('from ping to ping'), pongTimeoutMs: ms('without a pong') }, 'the heartbeat of /ws').optional(),
    maxOpenOrders: integerValue('orders', 'unfinished orders of one account on one market', 1).optional(),
    maxOpenOrdersPerSymbol: integerValue('orders', 'open orders of one account on one instrument (200)', 1).optional(),
    maxConnections: integerValue('connections', 'connections at a time (1000)', 1).optional(),
    requestTimeoutMs: integerValue('ms', 'within which a request has to be there, body and all (10000)', 1).optional(),
    maxTriggers: integerValue('orders', 'futures orders of one account that wait for a price', 1).optional(),
    liquidationFee: rate("taken from what a liquidated position leaves, of the position's value").optional(),
    seed: integerValue('number', 'of synthetic prices and of what rests in the books', 0, 2 ** 31).optional(),
  },
  'the file of an exchange: instruments, accounts',
);

export type ExchangeFile = z.output<typeof exchangeSchema>;
