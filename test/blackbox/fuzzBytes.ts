// Builds the parts of fuzz requests: heads, signatures and unexpected texts.

import { createHmac } from 'node:crypto';
import { type Given, keyOf, secretOf } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

export interface FuzzCase {
  readonly kind: string;
  readonly bytes: Buffer;
  /** Nothing follows, though its head promises more. */
  readonly isLast?: boolean;
  readonly hasBody?: boolean;
  /** The only code that is right; null: any that is documented. */
  readonly code: number | null;
}

/** An endpoint with a call that would be right. */
export interface Target {
  readonly endpoint: Endpoint;
  readonly good: Given;
}

export interface FuzzWorld {
  readonly targets: readonly Target[];
  /** The stopped time of the exchange. */
  readonly nowMs: number;
}

export type Headers = readonly (readonly [name: string, value: string])[];
export const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH'];
/** Separated by single spaces; the first is empty. */
const WORDS =
  ' 0 -1 1e309 NaN null true __proto__ constructor ../.. %00 % %zz + " \' {} [] BTCUSDT btcusdt E-BTC-USDT BUY ＢＵＹ １ ² ß \u202e 😀 \u0000';
export const UNUSUAL_TEXTS = [...WORDS.split(' '), ' ', '\t', '9'.repeat(40), '1.'.repeat(20), 'x'.repeat(300)];
export const HEADER_NAMES = [
  'X-CH-APIKEY',
  'X-CH-TS',
  'X-CH-SIGN',
  'Content-Type',
  'Accept',
  'Cookie',
  'Expect',
  'X-Forwarded-For',
  'Range',
  'Origin',
];

export const usual = (): Headers => [['Content-Type', 'application/json']];

export function credentials({ nowMs }: FuzzWorld, method: string, target: string, body: Buffer): Headers {
  const hmac = createHmac('sha256', secretOf('alice')).update(`${nowMs}${method}`);
  return [
    ['X-CH-APIKEY', keyOf('alice')],
    ['X-CH-TS', String(nowMs)],
    ['X-CH-SIGN', hmac.update(Buffer.from(target, 'latin1')).update(body).digest('hex')],
  ];
}

export function signedPost(world: FuzzWorld, path: string, body: Buffer, more: Headers = []): Buffer {
  return Buffer.concat([head('POST', path, [...usual(), ...credentials(world, 'POST', path, body), ...more], '', body.length), body]);
}

export function head(method: string, target: string, headers: Headers, body: string, length = Buffer.byteLength(body)): Buffer {
  const sized: Headers = length > 0 || method === 'POST' ? [['Content-Length', String(length)]] : [];
  const lines = [...headers, ...sized].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}
