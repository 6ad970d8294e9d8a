// Builds the request of a call: path, query or body, headers, and the signature.

import { ConfigError } from '../base/errors.ts';
import type { TimeMs } from '../base/brand.ts';
import { jsonBodyOf, queryText, writeParams, type CallArguments, type WireParam } from './arguments.ts';
import { DEFAULT_DIALECT, type Dialect } from './dialect.ts';
import { SECURITY, type Endpoint } from './endpoints/endpoint.ts';
import { endpointOf, type Op, type OpArgs } from './endpoints/endpoints.ts';
import { utf8 } from './json/json.ts';
import { FUTURES_VERSION_HEADER, HEADERS, JSON_TYPE, RECV_WINDOW, signedHead, signedPath, type Sign } from './sign.ts';

/** A request without headers, as `--dry-run` shows it. It is signed when it is sent, with the time of sending. */
export interface UnsignedRequest {
  readonly op: Op;
  readonly method: 'GET' | 'POST';
  /** Path and query, as on the request line. */
  readonly target: string;
  /** JSON text of a POST; empty for a GET. */
  readonly body: string;
  /** The part of path and query that is signed. */
  readonly signedPath: string;
}

/** A request that is ready to be sent. */
export interface SignedRequest {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The API key, and the function that signs with its secret. */
export interface Credentials {
  readonly apiKey: string;
  readonly sign: Sign;
}

/** Returns the request of a call. Throws ConfigError for invalid arguments. */
export function buildRequest<O extends Op>(op: O, args: OpArgs<O>, dialect: Dialect = DEFAULT_DIALECT): UnsignedRequest {
  return buildUntypedRequest(op, args, dialect);
}

/** Like `buildRequest`, for arguments without static types, such as those of a command line. */
export function buildUntypedRequest(op: Op, args: CallArguments, dialect: Dialect = DEFAULT_DIALECT): UnsignedRequest {
  const endpoint = endpointOf(op);
  rejectMarketOpen(op, args, dialect);
  const { market, params, alwaysSent } = endpoint;
  const written = renameForDialect(writeParams(params, args, { op, market, dialect }, alwaysSent), op, dialect);
  const path = dialectPath(op, endpoint, dialect);
  const prefix = dialect.pathPrefix[market];
  const signedPathPrefix = dialect.signPathPrefix ? prefix : '';
  if (endpoint.method === 'POST') {
    const addedMembers = membersAddedByDialect(op, endpoint, args, dialect);
    const body = jsonBodyOf(addedMembers.length === 0 ? written : [...written, ...addedMembers]);
    return { op, method: 'POST', target: prefix + path, body, signedPath: signedPathPrefix + path };
  }
  const unprefixedTarget = path + queryText(written);
  return {
    op,
    method: 'GET',
    target: prefix + unprefixedTarget,
    body: '',
    signedPath: signedPathPrefix + signedPath(unprefixedTarget, dialect.signQuery),
  };
}

/** Returns the path of `op` on the service. Services differ in the paths of two operations, so the dialect states those. */
function dialectPath(op: Op, endpoint: Endpoint, dialect: Dialect): string {
  if (op === 'futures.createConditionOrder') return dialect.conditionPath;
  return op === 'futures.cancelTriggerOrder' ? dialect.cancelTriggerPath : endpoint.path;
}

/** Renames parameters to the names that the service uses. */
function renameForDialect(written: readonly WireParam[], op: Op, dialect: Dialect): readonly WireParam[] {
  const rename = (from: string, to: string) => written.map((param) => (param.name === from ? { ...param, name: to } : param));
  if (op === 'spot.batchCancel') return rename('orderIds', dialect.batchCancelIdsField);
  return op === 'spot.queryOrder' ? rename('newClientOrderId', dialect.clientIdQueryName) : written;
}

/** The value of `orderUnit` for a volume in contracts. */
const CONTRACTS_UNIT = 2;

/** Returns the body members that the dialect adds. Throws ConfigError for an invalid `recvWindow`. */
function membersAddedByDialect(
  op: Op,
  { security }: Endpoint,
  args: CallArguments,
  { recvWindow, marketOpen }: Dialect,
): readonly WireParam[] {
  const addedMembers: WireParam[] = [];
  const addMember = (name: string, value: number): void => void addedMembers.push({ name, text: String(value), json: String(value) });
  if (marketOpen === 'v101' && op === 'futures.createOrder') addMember('orderUnit', CONTRACTS_UNIT);
  if (recvWindow !== null && SECURITY[security].signature) {
    if (!(Number.isInteger(recvWindow) && recvWindow >= 1 && recvWindow <= RECV_WINDOW.maxMs)) {
      throw new ConfigError(
        `dialect.recvWindow: expected whole ms from 1 to ${RECV_WINDOW.maxMs}, got ${recvWindow}`,
        'correct the clock instead',
      );
    }
    // The specification spells the window of the test order without a v, and a call may give it itself.
    if (op !== 'spot.testNewOrder') addMember('recvWindow', recvWindow);
    else if (args['recWindow'] === undefined) addMember('recWindow', recvWindow);
  }
  return addedMembers;
}

/**
 * Rejects a MARKET order that opens a futures position. Services read its volume as a value or as contracts, and the readings differ
 * several times over (exchange dialect, 7.1). It is sent only if the dialect says how the service reads it, and never as a trigger order.
 */
function rejectMarketOpen(op: Op, args: CallArguments, { marketOpen }: Dialect): void {
  if (args['type'] !== 'MARKET' || args['open'] !== 'OPEN') return;
  const isCreate = op === 'futures.createOrder';
  const isReadingKnown = marketOpen === 'value' || marketOpen === 'v101';
  if (isCreate && isReadingKnown) return;
  throw new ConfigError(
    `${op} type: MARKET with open OPEN is not sent: services differ in whether its volume is a value or contracts`,
    isCreate
      ? 'use LIMIT with timeInForce IOC, or set dialect.marketOpen to value or v101 once you know what the service does'
      : 'use LIMIT',
  );
}

/** Returns the text to sign for a request that is sent at this time of the service's clock. */
export const stringToSign = (request: UnsignedRequest, timestampMs: TimeMs): string =>
  signedHead({ timestamp: String(timestampMs), method: request.method, path: request.signedPath }) + request.body;

/** Returns the bytes to send. Public requests carry no credentials, because they would count against the key's limits. */
export function signRequest(
  request: UnsignedRequest,
  credentials: Credentials | null,
  timestampMs: TimeMs,
  dialect: Dialect = DEFAULT_DIALECT,
): SignedRequest {
  const { market, security } = endpointOf(request.op);
  const { key, signature } = SECURITY[security];
  const headers: Record<string, string> = {};
  let body: Uint8Array | null = null;
  if (request.method === 'POST' || dialect.contentTypeOnGet) headers[HEADERS.contentType] = JSON_TYPE;
  if (key) {
    if (credentials === null) {
      throw new ConfigError(`${request.op}: expected an API key and secret, got none`, 'set ISOBAR_API_KEY and ISOBAR_API_SECRET');
    }
    headers[HEADERS.key] = credentials.apiKey;
    if (signature) {
      headers[HEADERS.timestamp] = String(timestampMs);
      const text = stringToSign(request, timestampMs);
      const message = utf8(text);
      headers[HEADERS.signature] = credentials.sign(message);
      // The body is the end of the signed bytes. Reuse them if every character is one byte.
      if (message.length === text.length) body = message.subarray(text.length - request.body.length);
    }
  }
  const version = dialect.futuresVersionHeader ?? (dialect.marketOpen === 'v101' ? '101' : null);
  if (market === 'futures' && version !== null) headers[FUTURES_VERSION_HEADER] = version;
  return { method: request.method, target: request.target, headers, body: body ?? utf8(request.body) };
}
