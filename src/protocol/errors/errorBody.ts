// Reads the four error payloads that services send, and writes the one for which the paper exchange is configured.

import type { TimeMs } from '../../base/brand.ts';
import type { Market } from '../../model/instrument.ts';
import { formatTime } from '../../model/time.ts';
import { venueCodeText } from '../../model/venueCodes.ts';
import { isObject, jsonNumber, jsonObject, type Json } from '../json/json.ts';
import { scalarText } from '../shapes/value.ts';
import type { Variants } from '../shapes/variants.ts';
import { errorCode } from './errorCodes.ts';

/** An error in a service's reply. */
export interface ServiceError {
  /** Null if the payload comes from a web server or has no number. */
  readonly code: number | null;
  /** The text as received; empty if the reply has none. */
  readonly msg: string;
  /** True for a payload of the trading service itself: a code and a text, and nothing that contradicts them. */
  readonly isStrict: boolean;
}

/** Returns the error in a body, whatever the HTTP status; null if the body is not an error. */
export function errorIn(json: Json): ServiceError | null {
  if (!isObject(json)) return null;
  const code = json.get('code');
  if (code !== undefined) {
    const digits = scalarText(code) ?? '';
    const isNumber = /^-?\d{1,9}$/.test(digits);
    const isFailure = isNumber ? Number(digits) !== 0 : true;
    if (!isFailure && json.get('succ') !== false) return null;
    const msg = json.get('msg');
    // A payload with both an error and an order id contradicts itself.
    const isStrict =
      isFailure && isNumber && (typeof msg === 'string' || msg === null) && json.get('succ') !== true && !json.has('orderId');
    return { code: isNumber && isFailure ? Number(digits) : null, msg: typeof msg === 'string' ? msg : '', isStrict };
  }
  if (json.get('succ') === false) return { code: null, msg: scalarText(json.get('msg') ?? '') ?? '', isStrict: false };
  if (json.has('timestamp') && json.has('error') && json.has('path')) {
    return { code: null, msg: scalarText(json.get('error') ?? '') ?? '', isStrict: false };
  }
  return null;
}

/** An error reply of the paper exchange. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: Json;
}

/** Codes about key and signature. Some services send them in the shape of futures on both markets. */
const KEY_CODES: ReadonlySet<number> = new Set([-1002, -1022, -1023, -1024, -2015]);

/** Returns an error reply. The payload depends on the market, the HTTP status on the code. `isBanned`: the status is 418. */
export function errorAnswer(code: number, market: Market, variants: Variants, isBanned = false): ErrorAnswer {
  const status = isBanned ? 418 : (errorCode(code)?.http[0] ?? 400);
  const keepsStatus = status === 418 || status === 429 || status >= 500 || variants.errorHttp === 'http4xx';
  return { status: keepsStatus ? status : 200, body: errorJson(code, market, variants) };
}

/** Returns the body of an error reply. The variants decide its form. */
function errorJson(code: number, market: Market, { errorBody }: Variants): Json {
  const msg = venueCodeText(code);
  const isPlain = errorBody === 'dataNull' && !KEY_CODES.has(code);
  if (isPlain) return jsonObject({ code: String(code), msg, data: null });
  const isWrapped = market === 'futures' || errorBody === 'dataNull';
  if (!isWrapped) return jsonObject({ code: jsonNumber(code), msg });
  return jsonObject({ code: String(code), ...(errorBody === 'dataNull' ? { data: null } : {}), msg, msgData: null, succ: false });
}

/** Returns a web server's payload for an unknown path. */
export const unknownPathJson = (path: string, nowMs: TimeMs): Json =>
  jsonObject({ timestamp: formatTime(nowMs), status: jsonNumber(404), error: 'Not Found', message: 'No message available', path });
