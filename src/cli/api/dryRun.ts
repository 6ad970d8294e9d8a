// Shows the request that a call would send, byte for byte except the signature, because a signature requires the secret.

import type { AccessSettings } from '../../access/settings.ts';
import type { TimeMs } from '../../base/brand.ts';
import { formatTime } from '../../model/time.ts';
import { SECURITY } from '../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';
import { signRequest, stringToSign, type UnsignedRequest } from '../../protocol/request.ts';

/** Texts that replace the key and the signature in a shown request. */
const NO_KEY = '(your API key)';
const SIGNATURE = '(HMAC-SHA256 of the string to sign)';

/** A request that was built and not sent. */
export interface DryRun {
  readonly op: Op;
  readonly method: 'GET' | 'POST';
  /** Null when no address is configured. */
  readonly origin: string | null;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Time of this computer's clock. A real call uses the time of the service. */
  readonly timestampMs: TimeMs;
  /** Null for a call that is not signed. */
  readonly stringToSign: string | null;
}

/** Returns the request with its signature replaced by a text, as it would leave this computer at `timestampMs`. */
export function dryRun(request: UnsignedRequest, { baseUrls, credentials, dialect }: AccessSettings, timestampMs: TimeMs): DryRun {
  const { op, method, target, body } = request;
  const { market, security } = endpointOf(op);
  const placeholderSigner = { apiKey: credentials?.hint ?? NO_KEY, sign: () => SIGNATURE };
  return {
    op,
    method,
    origin: baseUrls[market],
    target,
    headers: signRequest(request, placeholderSigner, timestampMs, dialect).headers,
    body,
    timestampMs,
    stringToSign: SECURITY[security].signature ? stringToSign(request, timestampMs) : null,
  };
}

/** Returns the request as text. Lines are not wrapped, so that they can be compared byte for byte. */
export function dryRunText({ op, method, origin, target, headers, body, timestampMs, stringToSign: signed }: DryRun): string {
  const { market } = endpointOf(op);
  return [
    `${method} ${origin ?? ''}${target}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['', body]),
    '',
    ...(signed === null ? ['not signed'] : ['string to sign, made of the bytes above:', signed]),
    '',
    signed === null
      ? 'nothing was sent'
      : `nothing was sent; the time is that of this computer (${formatTime(timestampMs)}), a real call has the time of the service`,
    ...(origin === null ? [`no address is known: give --${market}-url`] : []),
  ].join('\n');
}
