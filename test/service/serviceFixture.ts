// A paper exchange without a network, and a caller with a signature of its own: none of the client's code takes part.

import { createHmac } from 'node:crypto';
import { lots } from '../../src/base/brand.ts';
import { instrumentId, type Instrument } from '../../src/model/instrument.ts';
import { SERVICE_DEFAULTS, type AccountConfig, type ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import { profileOf, type SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import { openService } from '../../src/paperExchange/storage/persistence.ts';
import type { Service } from '../../src/paperExchange/service.ts';
import type { ServiceResponse } from '../../src/paperExchange/api/message.ts';

/** 2026-01-05T00:00Z, a Monday. */
export const START_MS = 1_767_571_200_000;

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
export const ETH: Instrument = { ...BTC, id: instrumentId('spot', 'ETHUSDT'), wireName: 'ETHUSDT', base: 'ETH', makerFeePpm: 0 };

export const ALL = { read: true, trade: true, markets: ['spot', 'futures'] } as const;
const account = (name: string, uid: string, more: Partial<AccountConfig> = {}): AccountConfig => ({
  name,
  uid,
  balances: { USDT: '100000', BTC: '10', ETH: '100' },
  keys: [{ apiKey: `${name}-Key`, secret: `${name}-Secret`, permissions: ALL, ips: null }],
  ...more,
});

export const ACCOUNTS: readonly AccountConfig[] = [account('alice', '10001'), account('bob', '10002')];

/** Whose key signs, and what a request may have that an ordinary one has not. */
export interface Sending {
  readonly as?: string;
  readonly secret?: string;
  readonly ts?: number | string;
  readonly ip?: string;
  /** Over the usual ones; undefined: left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** What is signed in place of what is sent. */
  readonly signed?: string;
}

export class Fixture {
  readonly service: Service;
  nowMs = START_MS;

  constructor(over: Partial<ServiceConfig> = {}, switches: SwitchValues = {}) {
    this.service = openService(
      { ...SERVICE_DEFAULTS, instruments: [BTC, ETH], accounts: ACCOUNTS, profile: profileOf(switches), ...over },
      START_MS,
    );
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.service.advance(this.nowMs);
  }

  /** Without credentials. */
  open(target: string, { headers = {}, ip = '127.0.0.1' }: Sending = {}): ServiceResponse {
    return this.service.handle(
      { method: 'GET', target, headers: { 'content-type': 'application/json', ...headers }, body: new Uint8Array(0), ip },
      this.nowMs,
    );
  }

  get(target: string, sending: Sending = {}): ServiceResponse {
    return this.send('GET', target, '', sending);
  }

  /** `body`: its text, or what JSON makes of it. */
  post(target: string, body: unknown, sending: Sending = {}): ServiceResponse {
    return this.send('POST', target, typeof body === 'string' ? body : JSON.stringify(body), sending);
  }

  send(
    method: string,
    target: string,
    body: string,
    { as = 'alice', secret, ts, ip = '127.0.0.1', headers = {}, signed }: Sending,
  ): ServiceResponse {
    const stamp = String(ts ?? this.nowMs);
    const text = signed ?? stamp + method + target + (method === 'POST' ? body : '');
    const usual = {
      'content-type': 'application/json',
      'x-ch-apikey': `${as}-Key`,
      'x-ch-ts': stamp,
      'x-ch-sign': createHmac('sha256', secret ?? `${as}-Secret`)
        .update(text)
        .digest('hex'),
    };
    return this.service.handle({ method, target, headers: { ...usual, ...headers }, body: new TextEncoder().encode(body), ip }, this.nowMs);
  }

  /** A limit order; the id on the wire. */
  limit(as: string, side: 'BUY' | 'SELL', volume: string, price: string, more: object = {}): string {
    const text = JSON.stringify({ symbol: 'BTCUSDT', side, type: 'LIMIT', ...more }).slice(0, -1);
    const answer = this.post('/sapi/v1/order', `${text},"volume":${volume},"price":${price}}`, { as });
    const id = /"orderId":\[?"?(\d+)/.exec(answer.body)?.[1];
    if (id === undefined) throw new Error(`no order: ${answer.status} ${answer.body}`);
    return id;
  }

  balance(as: string, asset: string): { free: string; locked: string } {
    const { body } = this.get('/sapi/v1/account', { as });
    const found = new RegExp(`"asset":"${asset}","free":([\\d.]+),"locked":([\\d.]+)`).exec(body);
    if (!found) throw new Error(`no ${asset}: ${body}`);
    return { free: found[1]!, locked: found[2]! };
  }

  query(id: string, as = 'alice'): Readonly<Record<string, unknown>> {
    return JSON.parse(this.get(`/sapi/v1/order?orderId=${id}&symbol=BTCUSDT`, { as }).body) as Readonly<Record<string, unknown>>;
  }
}

/** The code of an error, 0 for a success. */
export function codeOf({ body }: ServiceResponse): number {
  const found = /^\{"code":"?(-?\d+)/.exec(body)?.[1];
  return Number(found ?? 0);
}
