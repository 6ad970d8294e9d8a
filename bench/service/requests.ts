// Requests of the load as bytes, signed before they are sent: the load must cost less than what it measures.

import { createHmac } from 'node:crypto';

/** Who orders what. */
export interface Who {
  readonly symbol: string;
  readonly key: string;
  readonly secret: string;
}
/** Two accounts, each with a market of its own. */
export const ALICE: Who = {
  symbol: 'BTCUSDT',
  key: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  secret: '902ae3cb34ecee2779aa4d3e1d226686',
};
export const BOB: Who = { symbol: 'ETHUSDT', key: 'bob-of-the-benchmark', secret: 'another-secret-of-the-benchmark' };

export const PING = '/sapi/v1/ping';
export const DEPTH = '/sapi/v1/depth?symbol=BTCUSDT&limit=100';
export const ORDER = '/sapi/v1/order';

export type Kind = 'ping' | 'depth' | 'create';

const get = (target: string): Buffer => Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\r\n`);

/** A limit order far below the market, which rests: each at one of many prices. */
function create(at: number, timestampMs: number, { symbol, key, secret }: Who): Buffer {
  const price = (20_000 + (at % 5000) * 2).toFixed(2);
  const body = JSON.stringify({ symbol, side: 'BUY', type: 'LIMIT', volume: '0.001', price });
  const sign = createHmac('sha256', secret).update(`${timestampMs}POST${ORDER}${body}`).digest('hex');
  const head = [
    `POST ${ORDER} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `X-CH-APIKEY: ${key}`,
    `X-CH-TS: ${timestampMs}`,
    `X-CH-SIGN: ${sign}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** `count` requests of a kind. Signed ones may be sent within the five seconds that the specification gives them. */
export function requestsOf(kind: Kind, count: number, who = ALICE): readonly Buffer[] {
  if (kind !== 'create') {
    const bytes = get(kind === 'ping' ? PING : DEPTH);
    return Array.from({ length: count }, () => bytes);
  }
  const nowMs = Date.now();
  return Array.from({ length: count }, (_, at) => create(at, nowMs, who));
}
