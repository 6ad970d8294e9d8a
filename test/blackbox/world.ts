// An exchange with accounts and instruments of every condition, made ready by orders over HTTP, and what the tests ask of it.

import { expect } from 'vitest';
import { Caller, type Given, raw, type Reply, type Sending, keyOf, secretOf } from './caller.ts';
import { notTheError } from './codes.ts';
import type { Coverage } from './coverage.ts';
import type { Endpoint } from './endpoint.ts';
import { Exchange, type Files } from './exchange.ts';

/** Not served at all, and the only one that the key of `home` may be used from. On Linux all of 127.0.0.0/8 is this computer. */
export const DENIED = '127.0.0.66';
export const HOME = '127.0.0.5';

const instrument = (symbol: string, more: object = {}) => ({
  symbol,
  base: symbol.slice(0, -4),
  quote: 'USDT',
  priceDigits: 2,
  quantityDigits: 4,
  minQuantity: '0.001',
  ...more,
});
const contract = (coin: string, more: object = {}) => ({
  contractName: `E-${coin}-USDT`,
  multiplier: '0.01',
  priceDigits: 1,
  maxMarketVolume: 1_000_000,
  ...more,
});

const MONEY = { USDT: '1000000', BTC: '10000', BND: '10000' };
const KEY = { read: true, trade: true, markets: ['spot', 'futures'] };
const ACCOUNTS: Readonly<Record<string, { readonly key?: object; readonly account?: object }>> = {
  alice: {},
  bob: {},
  /** For what must not meet the limits of alice. */
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

/** The files of an exchange without prices of its own: what trades is what these tests bring. */
export function filesOf(more: object): Files {
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
      keys: [{ keyFile: `${account}.key`, secretFile: `${account}.secret`, ...KEY, ...ACCOUNTS[account]!.key }],
      ...ACCOUNTS[account]!.account,
    })),
    denyIps: [DENIED],
    maxTriggers: 5000,
    ...more,
  };
  const keys = names.flatMap((account) => [
    [`${account}.key`, `${keyOf(account)}\n`],
    [`${account}.secret`, `${secretOf(account)}\n`],
  ]);
  return { 'exchange.yaml': JSON.stringify(config), ...Object.fromEntries(keys) };
}

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
  static async open(more: object, coverage: Coverage | null = null): Promise<World> {
    const world = new World(await Exchange.start(filesOf(more)), coverage);
    for (const symbol of ['BTCUSDT', 'BNDUSDT']) {
      await world.spotOrder({ symbol, side: 'SELL', volume: 1000, price: 100 }, 'bob');
      await world.spotOrder({ symbol, side: 'BUY', volume: 1, price: 100 });
    }
    for (const contractName of ['E-BTC-USDT', 'E-BND-USDT']) {
      await world.futuresOrder({ contractName, side: 'SELL', volume: 100_000, price: 100 }, 'bob');
      await world.futuresOrder({ contractName, side: 'BUY', volume: 10, price: 100 });
      await world.futuresOrder({ contractName, side: 'BUY', volume: 10, price: 99 }, 'bob');
      await world.futuresOrder({ contractName, side: 'SELL', open: 'CLOSE', volume: 2, price: 99 });
    }
    await world.restingOrder();
    await world.restingFutures();
    await world.exchange.step(2000);
    return world;
  }

  async close(): Promise<void> {
    this.caller.close();
    await this.exchange.stop();
  }

  call({ method, path, isSigned }: Endpoint, given: Given, sending: Sending = {}): Promise<Reply> {
    const usual = isSigned ? sending : { as: null, ...sending };
    return method === 'GET' ? this.caller.get(path, given, usual) : this.caller.post(path, given, usual);
  }

  /** Asks, and fails the test where the answer is not a success. */
  async succeeds(endpoint: Endpoint, given: Given, what: string, sending: Sending = {}): Promise<Reply> {
    const reply = await this.call(endpoint, given, sending);
    expect([reply.status, reply.code], `${endpoint.op}, ${what}: ${reply.text}`).toEqual([200, 0]);
    return reply;
  }

  /** Asks, and fails the test where the answer is not the error `code`, in the envelope and with the status of the specification. */
  async fails(endpoint: Endpoint, given: Given, code: number, what: string, sending: Sending = {}): Promise<Reply> {
    return this.isError(endpoint, await this.call(endpoint, given, sending), code, what);
  }

  isError({ op, path }: Endpoint, reply: Reply, code: number, what: string, isFault = false): Reply {
    expect(notTheError(reply, path, code), `${op}, ${what}: ${reply.text}`).toEqual([]);
    this.#coverage?.saw(op, code, isFault);
    return reply;
  }

  /** Orders a fault that answers `code`, and meets it. */
  async failsByFault(endpoint: Endpoint, given: Given, code: number): Promise<void> {
    await this.exchange.faults([{ point: 'GW.code', op: endpoint.op, nth: 1, params: { code } }]);
    this.isError(endpoint, await this.call(endpoint, given), code, 'a fault on order', true);
    await this.exchange.faults([]);
  }

  /** The code of 0 or of an error, whichever `code` says. */
  async answers(endpoint: Endpoint, given: Given, code: number, what: string, sending: Sending = {}): Promise<void> {
    if (code === 0) await this.succeeds(endpoint, given, what, sending);
    else await this.fails(endpoint, given, code, what, sending);
  }

  /** A number on the wire, however long. */
  number(id: string): unknown {
    return raw(id);
  }

  /** A new order of alice far below the market. */
  restingOrder(): Promise<string> {
    return this.spotOrder({ side: 'BUY', volume: 1, price: 10, newClientOrderId: 'resting' });
  }

  restingFutures(): Promise<string> {
    return this.futuresOrder({ side: 'BUY', volume: 1, price: 10 });
  }

  /** A new trigger order of alice whose price is far away. */
  waitingTrigger(): Promise<string> {
    return this.#trigger('9');
  }

  /** A trigger order of alice that fires at once. */
  firedTrigger(): Promise<string> {
    return this.#trigger('1000');
  }

  async #trigger(triggerPrice: string): Promise<string> {
    const given = { ...TRIGGER, side: 'BUY', volume: 1, price: 10, triggerPrice };
    return idIn(await this.caller.post('/fapi/v1/conditionOrder/', given), /"triggerIds":\["(\d+)"\]/);
  }

  /** Gives an account as many open orders and trigger orders as it may have. */
  async fillUp(as: string): Promise<void> {
    const price = { side: 'BUY', volume: 1, price: 10 };
    for (const [path, given] of [
      ['/sapi/v1/order', { ...SPOT_ORDER, ...price }],
      ['/fapi/v1/order', { ...FUTURES_ORDER, ...price, positionType: 1 }],
      ['/fapi/v1/conditionOrder/', { ...TRIGGER, ...price }],
    ] as const) {
      let code = 0;
      for (let placed = 0; code === 0; placed++) {
        if (placed > 100) throw new Error(`${as} may have more than ${placed} orders`);
        ({ code } = await this.caller.post(path, given, { as }));
      }
    }
  }

  async spotOrder(overrides: Given, as = 'alice'): Promise<string> {
    return idIn(await this.caller.post('/sapi/v1/order', { ...SPOT_ORDER, ...overrides }, { as }), /"orderId":(\d+)/);
  }

  async futuresOrder(overrides: Given, as = 'alice'): Promise<string> {
    const given = { ...FUTURES_ORDER, positionType: 1, ...overrides };
    return idIn(await this.caller.post('/fapi/v1/order', given, { as }), /"orderId":"(\d+)"/);
  }
}

const SPOT_ORDER = { symbol: 'BTCUSDT', type: 'LIMIT' };
const FUTURES_ORDER = { contractName: 'E-BTC-USDT', type: 'LIMIT', open: 'OPEN' };
/** When the price falls to 9. */
const TRIGGER = { ...FUTURES_ORDER, positionType: 1, triggerType: '4', triggerPrice: '9' };

function idIn({ status, text }: Reply, pattern: RegExp): string {
  const id = pattern.exec(text)?.[1];
  if (id === undefined) throw new Error(`no id: ${status} ${text}`);
  return id;
}
