// Starts an exchange with accounts and instruments in every state, and offers the calls and checks of the tests.

import { expect } from 'vitest';
import { Caller, type CallArgs, raw, type Reply, type SendOptions, keyOf, secretOf } from './caller.ts';
import { errorProblems } from './codes.ts';
import type { Coverage } from './coverage.ts';
import type { Endpoint } from './endpoint.ts';
import { Exchange, type Files } from './exchange.ts';

/** An address that the exchange rejects. Linux serves all of 127.0.0.0/8. */
export const DENIED = '127.0.0.66';
/** The only address from which the key of `home` is valid. */
export const HOME = '127.0.0.5';

/** Returns a spot instrument of the config. */
const instrument = (symbol: string, overrides: object = {}) => ({
  symbol,
  base: symbol.slice(0, -4),
  quote: 'USDT',
  priceDigits: 2,
  quantityDigits: 4,
  minQuantity: '0.001',
  ...overrides,
});

/** Returns a contract of the config. */
const contract = (coin: string, overrides: object = {}) => ({
  contractName: `E-${coin}-USDT`,
  multiplier: '0.01',
  priceDigits: 1,
  maxMarketVolume: 1_000_000,
  ...overrides,
});

/** Balances of each account. */
const MONEY = { USDT: '1000000', BTC: '10000', BND: '10000' };
/** Permissions of each key. */
const PERMISSIONS = { read: true, trade: true, markets: ['spot', 'futures'] };
/** The accounts, and what differs in their keys and in themselves. */
const ACCOUNTS: Readonly<Record<string, { readonly key?: object; readonly account?: object }>> = {
  alice: {},
  bob: {},
  /** Used where calls must not count towards the limits of alice. */
  busy: {},
  closed: { account: { closed: true } },
  restricted: { account: { restricted: true } },
  poor: { account: { balances: {}, futures: { balances: {} } } },
  reader: { key: { trade: false } },
  trader: { key: { read: false } },
  spotless: { key: { markets: ['futures'] } },
  coinless: { key: { markets: ['spot'] } },
  home: { key: { ips: [HOME] } },
};

/** Returns the files of an exchange without prices. Only the orders of the tests trade. */
export function filesOf(overrides: object): Files {
  const names = Object.keys(ACCOUNTS);
  const config = {
    instruments: [
      instrument('BTCUSDT'),
      instrument('FRZUSDT', { frozen: true }),
      instrument('NOMUSDT', { marketOrders: false }),
      instrument('BNDUSDT', { priceBand: '0.1' }),
    ],
    contracts: [
      contract('BTC'),
      contract('ETH'),
      contract('FRZ', { frozen: true }),
      contract('NOM', { marketOrders: false }),
      contract('BND', { priceBand: '0.1' }),
      contract('SHT', { closed: true }),
    ],
    accounts: names.map((account, index) => ({
      name: account,
      uid: 10_001 + index,
      balances: MONEY,
      futures: { balances: { USDT: MONEY.USDT }, leverage: 5 },
      keys: [{ keyFile: `${account}.key`, secretFile: `${account}.secret`, ...PERMISSIONS, ...ACCOUNTS[account]!.key }],
      ...ACCOUNTS[account]!.account,
    })),
    denyIps: [DENIED],
    maxTriggers: 5000,
    ...overrides,
  };
  const keys = names.flatMap((account) => [
    [`${account}.key`, `${keyOf(account)}\n`],
    [`${account}.secret`, `${secretOf(account)}\n`],
  ]);
  return { 'exchange.yaml': JSON.stringify(config), ...Object.fromEntries(keys) };
}

/** The code that a call should get, and a description of the call for messages. */
export interface ExpectedCode {
  readonly code: number;
  readonly description: string;
  readonly sendOptions?: SendOptions;
}

/** The error that a reply should be. */
interface ExpectedError {
  readonly code: number;
  readonly description: string;
  readonly isFault?: boolean;
}

const SPOT_ORDER = { symbol: 'BTCUSDT', type: 'LIMIT' };
const FUTURES_ORDER = { contractName: 'E-BTC-USDT', type: 'LIMIT', open: 'OPEN' };

/** Triggers when the price falls to 9. */
const TRIGGER = { ...FUTURES_ORDER, positionType: 1, triggerType: '4', triggerPrice: '9' };

/** An exchange with its caller, and the checks that tests make on replies. */
export class World {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly #coverage: Coverage | null;

  private constructor(exchange: Exchange, coverage: Coverage | null) {
    this.exchange = exchange;
    this.caller = new Caller(exchange);
    this.#coverage = coverage;
  }

  /** Opens the exchange with resting sales of bob in its books, and with rows of alice in every list. */
  static async open(overrides: object, coverage: Coverage | null = null): Promise<World> {
    const world = new World(await Exchange.start(filesOf(overrides)), coverage);
    for (const symbol of ['BTCUSDT', 'BNDUSDT']) {
      await world.placeSpotOrder({ symbol, side: 'SELL', volume: 1000, price: 100 }, 'bob');
      await world.placeSpotOrder({ symbol, side: 'BUY', volume: 1, price: 100 });
    }
    for (const contractName of ['E-BTC-USDT', 'E-BND-USDT']) {
      await world.placeFuturesOrder({ contractName, side: 'SELL', volume: 100_000, price: 100 }, 'bob');
      await world.placeFuturesOrder({ contractName, side: 'BUY', volume: 10, price: 100 });
      await world.placeFuturesOrder({ contractName, side: 'BUY', volume: 10, price: 99 }, 'bob');
      await world.placeFuturesOrder({ contractName, side: 'SELL', open: 'CLOSE', volume: 2, price: 99 });
    }
    await world.placeRestingOrder();
    await world.placeRestingFuturesOrder();
    await world.exchange.stepClock(2000);
    return world;
  }

  /** Closes the connections and ends the exchange. */
  async close(): Promise<void> {
    this.caller.close();
    await this.exchange.stop();
  }

  /** Sends a call. A public call is not signed unless the options name an account. */
  call({ method, path, isSigned }: Endpoint, args: CallArgs, sendOptions: SendOptions = {}): Promise<Reply> {
    const options = isSigned ? sendOptions : { as: null, ...sendOptions };
    return method === 'GET' ? this.caller.get(path, args, options) : this.caller.post(path, args, options);
  }

  /** Sends a call, and fails the test if the reply is not a success. */
  async expectSuccess(endpoint: Endpoint, args: CallArgs, description: string, sendOptions: SendOptions = {}): Promise<Reply> {
    const reply = await this.call(endpoint, args, sendOptions);
    expect([reply.status, reply.code], `${endpoint.op}, ${description}: ${reply.text}`).toEqual([200, 0]);
    return reply;
  }

  /** Sends a call, and fails the test if the reply is not the error `code` in its specified envelope and status. */
  async expectFailure(endpoint: Endpoint, args: CallArgs, { code, description, sendOptions = {} }: ExpectedCode): Promise<Reply> {
    return this.expectError(endpoint, await this.call(endpoint, args, sendOptions), { code, description });
  }

  /** Fails the test if a reply is not the error `code`, and counts the code for the endpoint. `isFault`: a planted fault caused it. */
  expectError({ op, path }: Endpoint, reply: Reply, { code, description, isFault = false }: ExpectedError): Reply {
    expect(errorProblems(reply, path, code), `${op}, ${description}: ${reply.text}`).toEqual([]);
    this.#coverage?.countReply(op, code, isFault);
    return reply;
  }

  /** Plants a fault that answers `code`, and sends the call that meets it. */
  async expectPlantedCode(endpoint: Endpoint, args: CallArgs, code: number): Promise<void> {
    await this.exchange.setFaults([{ point: 'GW.code', op: endpoint.op, nth: 1, params: { code } }]);
    this.expectError(endpoint, await this.call(endpoint, args), { code, description: 'a planted fault', isFault: true });
    await this.exchange.setFaults([]);
  }

  /** Sends a call, and fails the test if its code is not `code`. A code of 0 is a success. */
  async expectCode(endpoint: Endpoint, args: CallArgs, expected: ExpectedCode): Promise<void> {
    if (expected.code === 0) await this.expectSuccess(endpoint, args, expected.description, expected.sendOptions);
    else await this.expectFailure(endpoint, args, expected);
  }

  /** Returns a JSON number that is sent with all its digits. */
  exactNumber(id: string): unknown {
    return raw(id);
  }

  /** Places an order of alice far below the market. Returns its id. */
  placeRestingOrder(): Promise<string> {
    return this.placeSpotOrder({ side: 'BUY', volume: 1, price: 10, newClientOrderId: 'resting' });
  }

  /** Places a futures order of alice far below the market. Returns its id. */
  placeRestingFuturesOrder(): Promise<string> {
    return this.placeFuturesOrder({ side: 'BUY', volume: 1, price: 10 });
  }

  /** Places a trigger order of alice whose price is far away. Returns its id. */
  placeWaitingTrigger(): Promise<string> {
    return this.#placeTrigger('9');
  }

  /** Places a trigger order of alice that fires at once. Returns its id. */
  placeFiredTrigger(): Promise<string> {
    return this.#placeTrigger('1000');
  }

  /** Places a trigger order that fires at or below this price. Returns its id. */
  async #placeTrigger(triggerPrice: string): Promise<string> {
    const args = { ...TRIGGER, side: 'BUY', volume: 1, price: 10, triggerPrice };
    return idIn(await this.caller.post('/fapi/v1/conditionOrder/', args), /"triggerIds":\["(\d+)"\]/);
  }

  /** Places orders and trigger orders of an account until the exchange refuses more. */
  async placeUntilRefused(as: string): Promise<void> {
    const restingBuy = { side: 'BUY', volume: 1, price: 10 };
    for (const [path, args] of [
      ['/sapi/v1/order', { ...SPOT_ORDER, ...restingBuy }],
      ['/fapi/v1/order', { ...FUTURES_ORDER, ...restingBuy, positionType: 1 }],
      ['/fapi/v1/conditionOrder/', { ...TRIGGER, ...restingBuy }],
    ] as const) {
      let code = 0;
      for (let placed = 0; code === 0; placed++) {
        if (placed > 100) throw new Error(`${as} may have more than ${placed} orders`);
        ({ code } = await this.caller.post(path, args, { as }));
      }
    }
  }

  /** Places a spot order. Returns its id. */
  async placeSpotOrder(overrides: CallArgs, as = 'alice'): Promise<string> {
    return idIn(await this.caller.post('/sapi/v1/order', { ...SPOT_ORDER, ...overrides }, { as }), /"orderId":(\d+)/);
  }

  /** Places a futures order. Returns its id. */
  async placeFuturesOrder(overrides: CallArgs, as = 'alice'): Promise<string> {
    const args = { ...FUTURES_ORDER, positionType: 1, ...overrides };
    return idIn(await this.caller.post('/fapi/v1/order', args, { as }), /"orderId":"(\d+)"/);
  }
}

/** Returns the id in a reply. Throws Error without one. */
function idIn({ status, text }: Reply, pattern: RegExp): string {
  const id = pattern.exec(text)?.[1];
  if (id === undefined) throw new Error(`no id: ${status} ${text}`);
  return id;
}
