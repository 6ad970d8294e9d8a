// Builds the parts of fuzz requests: heads, signatures and unexpected texts.

import { createHmac } from 'node:crypto';
import { type CallArgs, keyOf, secretOf } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

/** The bytes of one request, and what may answer it. */
export interface FuzzCase {
  readonly kind: string;
  readonly bytes: Buffer;
  /** True if nothing follows on the connection, although the head may announce more. */
  readonly isLast?: boolean;
  readonly hasBody?: boolean;
  /** The only right code. Null allows any documented code. */
  readonly code: number | null;
}

/** An endpoint with arguments of a valid call. */
export interface Target {
  readonly endpoint: Endpoint;
  readonly validArgs: CallArgs;
}

/** The state of the exchange from which fuzz requests are drawn. */
export interface FuzzWorld {
  readonly targets: readonly Target[];
  /** The stopped time of the exchange. */
  readonly nowMs: number;
}

/** Headers in the order in which they are sent. A name may occur twice. */
export type Headers = readonly (readonly [name: string, value: string])[];
/** Methods of HTTP. Most of them belong to no endpoint. */
export const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH'];
/** Unusual texts, separated by single spaces. The first one is empty. */
const UNUSUAL_WORDS =
  ' 0 -1 1e309 NaN null true __proto__ constructor ../.. %00 % %zz + " \' {} [] BTCUSDT btcusdt E-BTC-USDT BUY ＢＵＹ １ ² ß \u202e 😀 \u0000';
/** Texts that a parser may take for numbers, flags or nothing. */
export const UNUSUAL_TEXTS = [...UNUSUAL_WORDS.split(' '), ' ', '\t', '9'.repeat(40), '1.'.repeat(20), 'x'.repeat(300)];
/** Names of headers that the exchange reads, and others. */
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

/** The headers of every ordinary request. */
export const usualHeaders = (): Headers => [['Content-Type', 'application/json']];

/** Returns the headers that sign a request as alice. */
export function credentials({ nowMs }: FuzzWorld, method: string, target: string, body: Buffer): Headers {
  const hmac = createHmac('sha256', secretOf('alice')).update(`${nowMs}${method}`);
  return [
    ['X-CH-APIKEY', keyOf('alice')],
    ['X-CH-TS', String(nowMs)],
    ['X-CH-SIGN', hmac.update(Buffer.from(target, 'latin1')).update(body).digest('hex')],
  ];
}

/** Returns the bytes of a POST with a valid signature. */
export function signedPost(world: FuzzWorld, path: string, body: Buffer, extraHeaders: Headers = []): Buffer {
  const headers = [...usualHeaders(), ...credentials(world, 'POST', path, body), ...extraHeaders];
  return requestBytes({ method: 'POST', target: path, headers, body });
}

/** The parts of a request before they become bytes. */
interface RequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body?: string | Buffer;
}

/** Returns the bytes of an HTTP request, with the length of its body. */
export function requestBytes({ method, target, headers, body = '' }: RequestParts): Buffer {
  const length = Buffer.byteLength(body);
  const lengthHeader: Headers = length > 0 || method === 'POST' ? [['Content-Length', String(length)]] : [];
  const lines = [...headers, ...lengthHeader].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}
