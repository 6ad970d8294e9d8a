// Authenticates requests, in steps 4 to 9 of the order of checks: headers, key, address, window, signature, permission.

import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { type Param, SECURITY } from '../../../protocol/endpoints/endpoint.ts';
import { isInWindow, RECV_WINDOW, isSameSignature, signedHead, signsBody } from '../../../protocol/sign.ts';
import type { Profile } from '../../dialect/switches.ts';
import type { Json } from '../../../protocol/json/json.ts';
import { isWindowName, readWindow } from '../params/readParams.ts';
import type { Addresses } from './addresses.ts';
import type { Key, Keyring } from './keyring.ts';
import type { ReplayGuard } from './replayGuard.ts';
import type { RequestContext } from './requestContext.ts';

/** What the checks read. */
export interface AuthDeps {
  readonly keyring: Keyring;
  readonly denied: Addresses;
  readonly replays: ReplayGuard;
  readonly profile: Profile;
}

interface AuthCheck {
  readonly step: number;
  /** Returns 0 if the check passed, else the error code. */
  readonly code: (context: RequestContext, deps: AuthDeps) => number;
}

/** Names of the headers of a signed request, in lower case. */
export const SIGNED_HEADERS = { key: 'x-ch-apikey', timestamp: 'x-ch-ts', signature: 'x-ch-sign' } as const;
const codeUnless = (isRight: boolean, { code }: { readonly code: number }): number => (isRight ? 0 : code);
const hasHeader = ({ request }: RequestContext, name: string): boolean => (request.headers[name] ?? '') !== '';
const needsSignature = ({ route }: RequestContext): boolean => SECURITY[route.endpoint.security].signature;

/** The checks in their order. The first check that fails sets the error code. */
export const CHECKS: readonly AuthCheck[] = [
  { step: 4, code: (context) => codeUnless(hasHeader(context, SIGNED_HEADERS.key), VENUE_CODES.noKeyHeader) },
  {
    step: 4,
    code: (context) => codeUnless(!needsSignature(context) || hasHeader(context, SIGNED_HEADERS.timestamp), VENUE_CODES.noTimestampHeader),
  },
  {
    step: 4,
    code: (context) => codeUnless(!needsSignature(context) || hasHeader(context, SIGNED_HEADERS.signature), VENUE_CODES.noSignatureHeader),
  },
  { step: 5, code: findKey },
  { step: 5, code: ({ key }) => codeUnless(key?.isClosed !== true, VENUE_CODES.noThisCompany) },
  { step: 6, code: ({ request }, { denied }) => codeUnless(!denied.has(request.ip), VENUE_CODES.illegalIp) },
  {
    step: 6,
    code: ({ key, request }, { profile }) => (key?.addresses == null || key.addresses.has(request.ip) ? 0 : Number(profile.ipListCode)),
  },
  { step: 7, code: (context) => codeUnless(!needsSignature(context) || isTimely(context), VENUE_CODES.invalidTimestamp) },
  {
    step: 8,
    code: (context, { profile }) =>
      codeUnless(!needsSignature(context) || isSigned(context, context.key, profile), VENUE_CODES.invalidSignature),
  },
  { step: 8, code: (context, deps) => codeUnless(!needsSignature(context) || isFresh(context, deps), VENUE_CODES.invalidSignature) },
  { step: 9, code: (context) => codeUnless(isPermitted(context), VENUE_CODES.rejectedKey) },
];

/** Finds the key of the request and notes it in the context. Returns 0 or an error code. */
function findKey(context: RequestContext, { keyring }: AuthDeps): number {
  context.key = keyring.find(context.request.headers[SIGNED_HEADERS.key] ?? '');
  return codeUnless(context.key !== null, VENUE_CODES.rejectedKey);
}

/** True when the timestamp lies in the admission window. A timestamp that is not a whole number is never timely. */
function isTimely(context: RequestContext): boolean {
  const text = context.request.headers[SIGNED_HEADERS.timestamp] ?? '';
  return /^\d{1,15}$/.test(text) && isInWindow(Number(text), context.nowMs, context.windowMs ?? RECV_WINDOW.defaultMs);
}

/** True when the signature matches. It covers the bytes as received, so the target is never decoded and encoded again. */
export function isSigned(context: RequestContext, key: Key | null, { signQuery }: Pick<Profile, 'signQuery'>): boolean {
  const { request } = context;
  if (key === null) return false;
  const { method, target, body, headers } = request;
  const timestamp = headers[SIGNED_HEADERS.timestamp] ?? '';
  const receivedSignature = headers[SIGNED_HEADERS.signature] ?? '';
  const signedBody = signsBody(method) && body.length > 0 ? body : null;
  const isSignatureOver = (path: string): boolean =>
    isSameSignature(key.sign(signedHead({ timestamp, method, path }), signedBody), receivedSignature);
  const queryStart = target.indexOf('?');
  if (queryStart < 0 || signQuery === 'include') return isSignatureOver(target);
  const coversBarePath = isSignatureOver(target.slice(0, queryStart));
  // Both digests are always computed and compared, so that the duration reveals nothing about a digest.
  if (signQuery !== 'either') return coversBarePath;
  return isSignatureOver(target) || (coversBarePath && isPlainQuery(context));
}

/**
 * True when the query has only documented parameters and asks for no longer window than the default. Under `either`, a signature over the
 * bare path would match any query. This check stops a third party who has seen the request from extending its validity.
 */
function isPlainQuery({ sentOrCode, route }: RequestContext): boolean {
  if ('code' in sentOrCode) return false;
  const entries = Object.entries<Param>(route.endpoint.params);
  const isDocumented = (name: string): boolean =>
    isWindowName(name) || entries.some(([known, { otherNames = [] }]) => known === name || otherNames.includes(name));
  // A request may send several spellings of the window parameter, and any of them may be the one that is read.
  const isUsualWindow = (name: string, value: Json): boolean => !isWindowName(name) || (readWindow(value) ?? 0) <= RECV_WINDOW.defaultMs;
  return [...sentOrCode.sent].every(([name, value]) => isDocumented(name) && isUsualWindow(name, value));
}

/** False when the profile rejects repeated requests and this signature was seen before. */
function isFresh({ request, nowMs }: RequestContext, { profile, replays }: AuthDeps): boolean {
  if (profile.replayedRequest === 'accept') return true;
  return replays.isNew((request.headers[SIGNED_HEADERS.signature] ?? '').toLowerCase(), nowMs);
}

/** True when the key may use this market, and may read or trade as the operation needs. */
function isPermitted({ key, route }: RequestContext): boolean {
  if (key === null || !key.markets.includes(route.endpoint.market)) return false;
  return route.endpoint.effect === 'read' ? key.mayRead : key.mayTrade;
}
