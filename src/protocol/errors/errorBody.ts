// Reads the four error payloads that services send, and writes the one for which the paper exchange is configured.

import type { TimeMs } from '../../base/brand.ts';
import type { Market } from '../../model/instrument.ts';
import { formatTime } from '../../model/time.ts';
import { venueCodeText } from '../../model/venueCodes.ts';
import { isObject, jsonNumber, jsonObject, type Json, type JsonObject } from '../json/json.ts';
import { scalarText } from '../shapes/value.ts';
import type { Variants } from '../shapes/variants.ts';
import { errorCode } from './errorCodes.ts';
import { HTTP_STATUS } from './httpStatus.ts';

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
  if (code !== undefined) return errorWithCode(code, json);
  if (json.get('succ') === false) return { code: null, msg: memberText(json, 'msg'), isStrict: false };
  const isFromWebServer = json.has('timestamp') && json.has('error') && json.has('path');
  return isFromWebServer ? { code: null, msg: memberText(json, 'error'), isStrict: false } : null;
}

/** Returns the error in a body that has a code; null if the code is that of a success. */
function errorWithCode(code: Json, body: JsonObject): ServiceError | null {
  const digits = scalarText(code) ?? '';
  const isNumber = /^-?\d{1,9}$/.test(digits);
  const isFailure = !isNumber || Number(digits) !== 0;
  if (!isFailure && body.get('succ') !== false) return null;
  const msg = body.get('msg');
  const hasPlainMsg = typeof msg === 'string' || msg === null;
  // A payload with both an error and a success, or an order id, contradicts itself.
  const isContradiction = body.get('succ') === true || body.has('orderId');
  return {
    code: isNumber && isFailure ? Number(digits) : null,
    msg: typeof msg === 'string' ? msg : '',
    isStrict: isFailure && isNumber && hasPlainMsg && !isContradiction,
  };
}

/** Returns the text of a member; empty if it is missing or not a scalar. */
const memberText = (body: JsonObject, name: string): string => scalarText(body.get(name) ?? '') ?? '';

/** An error reply of the paper exchange. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: Json;
}

/** Codes about key and signature. Some services send them in the shape of futures on both markets. */
const KEY_CODES: ReadonlySet<number> = new Set([-1002, -1022, -1023, -1024, -2015]);

/** Returns an error reply. The payload depends on the market, the HTTP status on the code. `isBanned`: the status is 418. */
export function errorAnswer(code: number, market: Market, variants: Variants, isBanned = false): ErrorAnswer {
  const status = isBanned ? HTTP_STATUS.banned : (errorCode(code)?.http[0] ?? 400);
  const isAlwaysSent = status === HTTP_STATUS.banned || status === HTTP_STATUS.tooManyRequests || status >= 500;
  const keepsStatus = isAlwaysSent || variants.errorHttp === 'http4xx';
  return { status: keepsStatus ? status : 200, body: errorJson(code, market, variants) };
}

/** Returns the body of an error reply. The variants decide its form. */
function errorJson(code: number, market: Market, { errorBody }: Variants): Json {
  const msg = venueCodeText(code);
  const hasData = errorBody === 'dataNull';
  if (hasData && !KEY_CODES.has(code)) return jsonObject({ code: String(code), msg, data: null });
  if (market === 'spot' && !hasData) return jsonObject({ code: jsonNumber(code), msg });
  return jsonObject({ code: String(code), ...(hasData ? { data: null } : {}), msg, msgData: null, succ: false });
}

/** Returns a web server's payload for an unknown path. */
export const unknownPathJson = (path: string, nowMs: TimeMs): Json =>
  jsonObject({ timestamp: formatTime(nowMs), status: jsonNumber(404), error: 'Not Found', message: 'No message available', path });
