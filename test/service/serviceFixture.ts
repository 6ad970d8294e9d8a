// Runs a paper exchange without a network. An independent caller signs its requests, so that no production client code is under test.

import { createHmac } from 'node:crypto';
import { lots } from '../../src/base/brand.ts';
import { instrumentId, type Instrument } from '../../src/model/instrument.ts';
import { SERVICE_DEFAULTS, type AccountConfig, type ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import { profileOf, type SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import { openMemoryService } from '../../src/paperExchange/storage/historyArchiver.ts';
import type { Service } from '../../src/paperExchange/service.ts';
import type { ServiceResponse } from '../../src/paperExchange/api/message.ts';

/** Start of the clock: 2026-01-05T00:00Z, a Monday. */
export const START_MS = 1_767_571_200_000;

/** A spot pair with fees. */
export const BTC: Instrument = {
  id: instrumentId('spot', 'BTCUSDT'),
  market: 'spot',
  wireName: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  priceDigits: 2,
  quantityDigits: 4,
  quoteDigits: 8,
  baseDigits: 8,
  minLots: lots(10),
  makerFeePpm: 1000,
  takerFeePpm: 2000,
};
/** A spot pair without a maker fee. */
export const ETH: Instrument = { ...BTC, id: instrumentId('spot', 'ETHUSDT'), wireName: 'ETHUSDT', base: 'ETH', makerFeePpm: 0 };

/** A key that may do everything. */
export const ALL_PERMISSIONS = { read: true, trade: true, markets: ['spot', 'futures'] } as const;

/** Returns the config of an account with one key. */
const accountConfig = (name: string, uid: string, overrides: Partial<AccountConfig> = {}): AccountConfig => ({
  name,
  uid,
  balances: { USDT: '100000', BTC: '10', ETH: '100' },
  keys: [{ apiKey: `${name}-Key`, secret: `${name}-Secret`, permissions: ALL_PERMISSIONS, ips: null }],
  ...overrides,
});

/** Two accounts with spot money. */
export const ACCOUNTS: readonly AccountConfig[] = [accountConfig('alice', '10001'), accountConfig('bob', '10002')];

/** Options of one request: the signing account, and values that replace the usual ones. */
export interface RequestOptions {
  /** The account whose key signs (default alice). */
  readonly as?: string;
  readonly secret?: string;
  /** Timestamp in ms. The default is the time of the exchange. */
  readonly timestamp?: number | string;
  readonly ip?: string;
  /** Replace the usual headers. A header that is undefined is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The text to sign instead of the text that is sent. */
  readonly signedText?: string;
}

/** One exchange in this process, on a clock that the test moves. */
export class ServiceFixture {
  readonly service: Service;
  nowMs = START_MS;

  constructor(overrides: Partial<ServiceConfig> = {}, switches: SwitchValues = {}) {
    this.service = openMemoryService(
      { ...SERVICE_DEFAULTS, instruments: [BTC, ETH], accounts: ACCOUNTS, profile: profileOf(switches), ...overrides },
      START_MS,
    );
  }

  /** Moves the clock forward. */
  passTime(ms: number): void {
    this.nowMs += ms;
    this.service.advance(this.nowMs);
  }

  /** Sends a GET without credentials. */
  getPublic(target: string, { headers = {}, ip = '127.0.0.1' }: RequestOptions = {}): ServiceResponse {
    return this.service.handle(
      { method: 'GET', target, headers: { 'content-type': 'application/json', ...headers }, body: new Uint8Array(0), ip },
      this.nowMs,
    );
  }

  /** Sends a signed GET. `target` is the path with its query. */
  get(target: string, options: RequestOptions = {}): ServiceResponse {
    return this.send('GET', target, '', options);
  }

  /** Sends a signed POST: `body` as it is if it is text, else as JSON. */
  post(target: string, body: unknown, options: RequestOptions = {}): ServiceResponse {
    return this.send('POST', target, typeof body === 'string' ? body : JSON.stringify(body), options);
  }

  /** Signs and sends a request. */
  send(
    method: string,
    target: string,
    body: string,
    { as: account = 'alice', secret, timestamp, ip = '127.0.0.1', headers = {}, signedText }: RequestOptions,
  ): ServiceResponse {
    const stamp = String(timestamp ?? this.nowMs);
    const textToSign = signedText ?? stamp + method + target + (method === 'POST' ? body : '');
    const defaultHeaders = {
      'content-type': 'application/json',
      'x-ch-apikey': `${account}-Key`,
      'x-ch-ts': stamp,
      'x-ch-sign': createHmac('sha256', secret ?? `${account}-Secret`)
        .update(textToSign)
        .digest('hex'),
    };
    return this.service.handle(
      { method, target, headers: { ...defaultHeaders, ...headers }, body: new TextEncoder().encode(body), ip },
      this.nowMs,
    );
  }

  /** Creates a limit order. Returns its id on the wire. Volume and price are put in as text, so that their digits stay as written. */
  placeLimit(account: string, side: 'BUY' | 'SELL', volume: string, price: string, extraFields: object = {}): string {
    const text = JSON.stringify({ symbol: 'BTCUSDT', side, type: 'LIMIT', ...extraFields }).slice(0, -1);
    const answer = this.post('/sapi/v1/order', `${text},"volume":${volume},"price":${price}}`, { as: account });
    const id = /"orderId":\[?"?(\d+)/.exec(answer.body)?.[1];
    if (id === undefined) throw new Error(`no order: ${answer.status} ${answer.body}`);
    return id;
  }

  /** Returns the spot balance of an asset, with the digits of the reply. */
  balance(account: string, asset: string): { free: string; locked: string } {
    const { body } = this.get('/sapi/v1/account', { as: account });
    const match = new RegExp(`"asset":"${asset}","free":([\\d.]+),"locked":([\\d.]+)`).exec(body);
    if (!match) throw new Error(`no ${asset}: ${body}`);
    return { free: match[1]!, locked: match[2]! };
  }

  /** Returns the reply to a query of an order. */
  queryOrder(id: string, account = 'alice'): Readonly<Record<string, unknown>> {
    return JSON.parse(this.get(`/sapi/v1/order?orderId=${id}&symbol=BTCUSDT`, { as: account }).body) as Readonly<Record<string, unknown>>;
  }
}

/** Returns the code of an error reply, or 0 for a success. */
export function codeOf({ body }: ServiceResponse): number {
  const match = /^\{"code":"?(-?\d+)/.exec(body)?.[1];
  return Number(match ?? 0);
}
