// Defines which bytes are signed and compares signatures. The HMAC itself is injected by the owner of the secret.

import { utf8 } from './json/json.ts';

/** Returns the HMAC-SHA256 of the bytes under the API secret, in hexadecimal digits. The function keeps the secret inside. */
export type Sign = (message: Uint8Array) => string;

/** The signed parts of a request before its body. */
export interface Signable {
  /** The text of X-CH-TS. */
  readonly timestamp: string;
  readonly method: string;
  /** The path as on the request line, percent-encoded, with the query if that is signed. */
  readonly path: string;
}

/** Returns the signed text before the body: timestamp, method in upper case, path. For a GET, nothing else is signed. */
export const signedHead = ({ timestamp, method, path }: Signable): string => timestamp + method.toUpperCase() + path;

/** True if the signature covers the body, which it does except for a GET. */
export const signsBody = (method: string): boolean => method.toUpperCase() !== 'GET';

/** Returns the bytes to sign for a request. The body is taken as it is sent or was received (specification, part 5). */
export function signedBytes(request: Signable, body: Uint8Array): Uint8Array {
  const head = utf8(signedHead(request));
  if (body.length === 0 || !signsBody(request.method)) return head;
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  return message;
}

/** Returns the signed path for a request target such as `/sapi/v1/order?symbol=BTCUSDT`. */
export function signedPath(target: string, signQuery: 'include' | 'omit'): string {
  const query = target.indexOf('?');
  return query < 0 || signQuery === 'include' ? target : target.slice(0, query);
}

/** Number of hexadecimal digits of an HMAC-SHA256. */
const DIGEST_DIGITS = 64;

/** The value of a character that is not a hexadecimal digit. It has a bit that no digit has. */
const NO_DIGIT = 16;

/**
 * True when two digests are equal, in any case of digits (specification, part 5). The time does not depend on where they differ, so it
 * reveals nothing to an attacker. Text that is not a digest of 64 digits equals nothing.
 */
export function isSameSignature(expected: string, received: string): boolean {
  if (expected.length !== DIGEST_DIGITS || received.length !== DIGEST_DIGITS) return false;
  let difference = 0;
  for (let index = 0; index < DIGEST_DIGITS; index++) {
    const digit = hexValue(expected.charCodeAt(index));
    // Two equal characters that are not digits must not count as equal either.
    difference |= (digit ^ hexValue(received.charCodeAt(index))) | (digit & NO_DIGIT);
  }
  return difference === 0;
}

/** The value of each ASCII code as a hexadecimal digit, in either case. */
const HEX_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? NO_DIGIT : value;
});
const hexValue = (code: number): number => HEX_VALUES[code] ?? NO_DIGIT;

/** Header names as they are written. Case does not matter when they are read. */
export const HEADERS = { key: 'X-CH-APIKEY', timestamp: 'X-CH-TS', signature: 'X-CH-SIGN', contentType: 'Content-Type' } as const;
/** Content type of bodies. */
export const JSON_TYPE = 'application/json';
/** Header that chooses a version of the futures API. */
export const FUTURES_VERSION_HEADER = 'futures-version';

/** The clock rule: a request is valid if timestamp < now + 1000 and now - timestamp <= recvWindow, on the service's clock. */
export const RECV_WINDOW = { defaultMs: 5000, maxMs: 5000, aheadMs: 1000 } as const;

/** True when a request that was signed at one time may still be admitted at another. */
export const isInWindow = (timestampMs: number, nowMs: number, windowMs: number = RECV_WINDOW.defaultMs): boolean =>
  timestampMs < nowMs + RECV_WINDOW.aheadMs && nowMs - timestampMs <= windowMs;
