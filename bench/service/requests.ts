// Builds the requests of the load as signed bytes in advance, because the load must cost less than what it measures.

import { createHmac } from 'node:crypto';

/** An account of the benchmark, with its keys and the symbol that it orders. There are two, so that one can have open orders and one none. */
export interface LoadAccount {
  readonly symbol: string;
  readonly key: string;
  readonly secret: string;
}
/** The account whose orders are the load. */
export const BTC_ACCOUNT: LoadAccount = {
  symbol: 'BTCUSDT',
  key: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  secret: '902ae3cb34ecee2779aa4d3e1d226686',
};
/** The account without open orders. */
export const ETH_ACCOUNT: LoadAccount = { symbol: 'ETHUSDT', key: 'bob-of-the-benchmark', secret: 'another-secret-of-the-benchmark' };

/** Path and query of a request that needs no work. */
export const PING_TARGET = '/sapi/v1/ping';
/** Path and query of a request that reads 100 price levels of the order book. */
export const DEPTH_TARGET = '/sapi/v1/depth?symbol=BTCUSDT&limit=100';
/** Path of a request that creates a spot order. */
export const CREATE_TARGET = '/sapi/v1/order';

/** Prices of the orders: at most half of the market price (65,000) of the benchmark's exchange, so that the orders rest. */
const MIN_PRICE = 20_000;
const PRICE_STEP = 2;
const PRICE_COUNT = 5000;

/** The kinds of requests of the load: one without work, one that reads a book, one that is signed and places an order. */
export type RequestKind = 'ping' | 'depth' | 'create';

const getRequest = (target: string): Buffer =>
  Buffer.from(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\r\n`);

/** Returns a create request for a limit buy that rests. Neighbouring indices have different prices. */
function createRequest(index: number, timestampMs: number, { symbol, key, secret }: LoadAccount): Buffer {
  const price = (MIN_PRICE + (index % PRICE_COUNT) * PRICE_STEP).toFixed(2);
  const body = JSON.stringify({ symbol, side: 'BUY', type: 'LIMIT', volume: '0.001', price });
  const signature = createHmac('sha256', secret).update(`${timestampMs}POST${CREATE_TARGET}${body}`).digest('hex');
  const head = [
    `POST ${CREATE_TARGET} HTTP/1.1`,
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
export function requestsOf(kind: RequestKind, count: number, account: LoadAccount = BTC_ACCOUNT): readonly Buffer[] {
  if (kind !== 'create') {
    const bytes = getRequest(kind === 'ping' ? PING_TARGET : DEPTH_TARGET);
    return Array.from({ length: count }, () => bytes);
  }
  const nowMs = Date.now();
  return Array.from({ length: count }, (_, index) => createRequest(index, nowMs, account));
}
