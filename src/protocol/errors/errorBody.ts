// Error payloads: the four shapes that services answer with, read as one, and written as the paper exchange is told.

import type { TimeMs } from '../../base/brand.ts';
import type { Market } from '../../model/instrument.ts';
import { formatTime } from '../../model/time.ts';
import { venueCodeText } from '../../model/venueCodes.ts';
import { isObject, jsonNumber, jsonObject, type Json } from '../json/json.ts';
import { scalarText } from '../shapes/value.ts';
import type { Variants } from '../shapes/variants.ts';
import { errorCode } from './errorCodes.ts';

/** An error that a service answered. */
export interface ServiceError {
  /** Null where the payload is that of a web server, or says no number. */
  readonly code: number | null;
  /** As it came; empty where none did. */
  readonly msg: string;
  /** True for a payload that is the trading service's own, to the letter: code and text, nothing that says the contrary. */
  readonly isStrict: boolean;
}

/** The error that a body is, whatever the HTTP status; null for a body that is none. */
export function errorIn(json: Json): ServiceError | null {
  if (!isObject(json)) return null;
  const code = json.get('code');
  if (code !== undefined) {
    const digits = scalarText(code) ?? '';
    const isNumber = /^-?\d{1,9}$/.test(digits);
    const isFailure = isNumber ? Number(digits) !== 0 : true;
    if (!isFailure && json.get('succ') !== false) return null;
    const msg = json.get('msg');
    // A payload with both an error and an id of an order contradicts itself.
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

/** An answer that the paper exchange gives. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: Json;
}

/** Codes of the key and the signature, which some services answer in the futures shape everywhere. */
const OF_THE_KEY: ReadonlySet<number> = new Set([-1002, -1022, -1023, -1024, -2015]);

/** The answer that is a code: its payload by the market, its HTTP status by the table; `isBanned` for 418. */
export function errorAnswer(code: number, market: Market, variants: Variants, isBanned = false): ErrorAnswer {
  const status = isBanned ? 418 : (errorCode(code)?.http[0] ?? 400);
  const kept = status === 418 || status === 429 || status >= 500 || variants.errorHttp === 'http4xx';
  return { status: kept ? status : 200, body: errorJson(code, market, variants) };
}

function errorJson(code: number, market: Market, { errorBody }: Variants): Json {
  const msg = venueCodeText(code);
  const isPlain = errorBody === 'dataNull' && !OF_THE_KEY.has(code);
  if (isPlain) return jsonObject({ code: String(code), msg, data: null });
  const isWrapped = market === 'futures' || errorBody === 'dataNull';
  if (!isWrapped) return jsonObject({ code: jsonNumber(code), msg });
  return jsonObject({ code: String(code), ...(errorBody === 'dataNull' ? { data: null } : {}), msg, msgData: null, succ: false });
}

/** What a web server says of a path that it does not know. */
export const unknownPathJson = (path: string, nowMs: TimeMs): Json =>
  jsonObject({ timestamp: formatTime(nowMs), status: jsonNumber(404), error: 'Not Found', message: 'No message available', path });
