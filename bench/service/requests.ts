// Builds the requests of the load as signed bytes in advance, because the load must cost less than what it measures.

import { createHmac } from 'node:crypto';

/** An account with its keys and the symbol that it orders. */
export interface LoadAccount {
  readonly symbol: string;
  readonly key: string;
  readonly secret: string;
}
/** Orders BTCUSDT. The benchmark uses two accounts, each with a symbol of its own. */
export const ALICE: LoadAccount = {
  symbol: 'BTCUSDT',
  key: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  secret: '902ae3cb34ecee2779aa4d3e1d226686',
};
/** Orders ETHUSDT. */
export const BOB: LoadAccount = { symbol: 'ETHUSDT', key: 'bob-of-the-benchmark', secret: 'another-secret-of-the-benchmark' };

/** Targets of the three requests. `DEPTH` asks for 100 price levels. */
export const PING = '/sapi/v1/ping';
/** The path of a request that reads the order book. */
export const DEPTH = '/sapi/v1/depth?symbol=BTCUSDT&limit=100';
/** The path of a request that creates a spot order. */
export const ORDER = '/sapi/v1/order';

/** The kinds of requests of the load: one without work, one that reads a book, one that is signed and places an order. */
export type RequestKind = 'ping' | 'depth' | 'create';

const getRequest = (target: string): Buffer =>
  Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\r\n`);

/** Returns a create request for a limit order that rests far below the market. Its price depends on `index`. */
function createRequest(index: number, timestampMs: number, { symbol, key, secret }: LoadAccount): Buffer {
  const price = (20_000 + (index % 5000) * 2).toFixed(2);
  const body = JSON.stringify({ symbol, side: 'BUY', type: 'LIMIT', volume: '0.001', price });
  const signature = createHmac('sha256', secret).update(`${timestampMs}POST${ORDER}${body}`).digest('hex');
  const head = [
    `POST ${ORDER} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `X-CH-APIKEY: ${key}`,
    `X-CH-TS: ${timestampMs}`,
    `X-CH-SIGN: ${signature}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Returns `count` requests of a kind. Signed ones are valid for five seconds (specification: `recvWindow`). */
export function requestsOf(kind: RequestKind, count: number, account = ALICE): readonly Buffer[] {
  if (kind !== 'create') {
    const bytes = getRequest(kind === 'ping' ? PING : DEPTH);
    return Array.from({ length: count }, () => bytes);
  }
  const nowMs = Date.now();
  return Array.from({ length: count }, (_, index) => createRequest(index, nowMs, account));
}
