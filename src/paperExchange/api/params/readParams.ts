// Parses the query or body of a request into named values: step 11 of the order of checks. It does not check the values.

import { isList, isObject, type Json } from '../../../protocol/json/json.ts';
import { parseJson, type JsonLimits, type JsonProblem, type JsonResult } from '../../../protocol/json/parseJson.ts';
import { assertNever } from '../../../base/assert.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';

/** Values as they were sent: JSON from a body, text from a query. */
export type SentValues = ReadonlyMap<string, Json>;
/** The values, or the error code of a request that cannot be parsed. */
export type SentOrCode = { readonly sent: SentValues } | { readonly code: number };

const MAX_PARAMETERS = 32;
const BODY_LIMITS: JsonLimits = { maxSize: 256 * 1024, maxDepth: 16 };

/** Parses the JSON of a body. An empty body counts as `{}`. */
export const readBody = (body: Uint8Array): JsonResult =>
  body.length === 0 ? { ok: true, value: new Map() } : parseJson(body, BODY_LIMITS);

/** Returns the parameters of a body, or the error code if it is not an object with at most `MAX_PARAMETERS` members. */
export function paramsOfBody(body: JsonResult): SentOrCode {
  if (!body.ok) return { code: codeOfProblem(body.problem) };
  if (!isObject(body.value)) return { code: VENUE_CODES.mandatoryParamEmpty.code };
  return body.value.size > MAX_PARAMETERS ? { code: VENUE_CODES.tooManyParameters.code } : { sent: body.value };
}

/** Returns the error code of text that is not valid JSON. */
function codeOfProblem(problem: JsonProblem): number {
  switch (problem) {
    case 'duplicateKey':
      return VENUE_CODES.illegalChars.code;
    case 'trailing':
    case 'depth':
      return VENUE_CODES.unreadParameters.code;
    case 'syntax':
    case 'size':
    case 'number':
      return VENUE_CODES.mandatoryParamEmpty.code;
    default:
      return assertNever(problem);
  }
}

/** Returns the parameters of a query, percent-decoded. `+` stays a plus, because our own client and others send it so. */
export function paramsOfQuery(query: string): SentOrCode {
  const sent = new Map<string, Json>();
  for (const pair of query === '' ? [] : query.split('&')) {
    if (pair === '') continue;
    const equalsSign = pair.indexOf('=');
    const name = decodePart(equalsSign < 0 ? pair : pair.slice(0, equalsSign));
    const value = decodePart(equalsSign < 0 ? '' : pair.slice(equalsSign + 1));
    if (name === null || value === null || sent.has(name)) return { code: VENUE_CODES.illegalChars.code };
    sent.set(name, value);
    if (sent.size > MAX_PARAMETERS) return { code: VENUE_CODES.tooManyParameters.code };
  }
  return { sent };
}

/** Returns percent-decoded text; null if it is malformed. */
function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Spellings of the window parameter that clients send, in queries and bodies, on every endpoint. */
const WINDOW_NAMES = ['recvWindow', 'recvwindow', 'recWindow'] as const;

/** True for a spelling of the window parameter. Case matters. */
export const isWindowName = (name: string): boolean => name === WINDOW_NAMES[0] || name === WINDOW_NAMES[1] || name === WINDOW_NAMES[2];

/** Returns the window that a request asks for, in ms; null if it states none or one that is invalid. */
export function windowIn(sent: SentValues): number | null {
  for (const name of WINDOW_NAMES) {
    const value = sent.get(name);
    if (value !== undefined && value !== null) return readWindow(value);
  }
  return null;
}

/** Returns a window in ms: any whole number above 0, given as a number or as text; null for anything else. */
export function readWindow(json: Json): number | null {
  if (json === null || typeof json === 'boolean' || isList(json) || isObject(json)) return null;
  const text = typeof json === 'string' ? json : json.text;
  // A window too long for an exact double is longer than the age of any request.
  return /^[1-9]\d*$/.test(text) ? Number(text) : null;
}
