// What is signed, byte for byte, and how signatures are compared; the HMAC itself is given by whoever holds the secret.

import { utf8 } from './json/json.ts';

/** HMAC-SHA256 of the bytes under the API secret, in hexadecimal digits. The secret stays with whoever made this function. */
export type Sign = (message: Uint8Array) => string;

export interface Signable {
  /** The text of X-CH-TS. */
  readonly timestamp: string;
  readonly method: string;
  /** The path as it stands on the request line, with the query where that is signed: percent-encoded, never re-encoded. */
  readonly path: string;
}

/** The text before the body: timestamp, method in upper case, path. A GET signs this and no more. */
export const signedHead = ({ timestamp, method, path }: Signable): string => timestamp + method.toUpperCase() + path;

/** True where the body is signed behind the head: that of a GET is not. */
export const signsBody = (method: string): boolean => method.toUpperCase() !== 'GET';

/** The bytes to sign for a request with this body, which is taken as it is sent or was received (specification, part 5). */
export function signedBytes(of: Signable, body: Uint8Array): Uint8Array {
  const head = utf8(signedHead(of));
  if (body.length === 0 || !signsBody(of.method)) return head;
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  return message;
}

/** The path that is signed of a request target such as `/sapi/v1/order?symbol=BTCUSDT`. */
export function signedPath(target: string, signQuery: 'include' | 'omit'): string {
  const query = target.indexOf('?');
  return query < 0 || signQuery === 'include' ? target : target.slice(0, query);
}

const DIGEST_DIGITS = 64;

/**
 * True when two digests are the same, whatever the case of their digits (specification, part 5). Takes the same time wherever they
 * differ, so that a forger learns nothing from it. What is no digest of 64 digits equals nothing.
 */
export function sameSignature(expected: string, got: string): boolean {
  if (expected.length !== DIGEST_DIGITS || got.length !== DIGEST_DIGITS) return false;
  let difference = 0;
  for (let at = 0; at < DIGEST_DIGITS; at++) {
    const digit = hexValue(expected.charCodeAt(at));
    // No digit has the value 16, and two that are none are no digest for all that they are the same.
    difference |= (digit ^ hexValue(got.charCodeAt(at))) | (digit & NO_DIGIT);
  }
  return difference === 0;
}

const NO_DIGIT = 16;
/** What the code of a character is worth as a digit of a hexadecimal number, in either case. */
const HEX_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? NO_DIGIT : value;
});
const hexValue = (code: number): number => HEX_VALUES[code] ?? NO_DIGIT;

/** Names of the headers, as they are written; case does not matter when they are read. */
export const HEADERS = { key: 'X-CH-APIKEY', timestamp: 'X-CH-TS', signature: 'X-CH-SIGN', contentType: 'Content-Type' } as const;
export const JSON_TYPE = 'application/json';
export const FUTURES_VERSION_HEADER = 'futures-version';

/** The clock rule: a request counts when timestamp < now + 1000 and now - timestamp <= recvWindow, on the clock of the service. */
export const RECV_WINDOW = { defaultMs: 5000, maxMs: 5000, aheadMs: 1000 } as const;
export const isInWindow = (timestampMs: number, nowMs: number, windowMs: number = RECV_WINDOW.defaultMs): boolean =>
  timestampMs < nowMs + RECV_WINDOW.aheadMs && nowMs - timestampMs <= windowMs;
