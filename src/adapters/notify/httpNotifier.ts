// A Notifier over HTTP: one POST of JSON, and whether its reply allows another attempt.

import type { Alert, Notifier, NotifyFailure } from '../../ports/notifier.ts';
import type { Wire, WireOutcome } from '../../ports/wire.ts';
import { HTTP_STATUS } from '../../protocol/errors/httpStatus.ts';

/** Where and how an HTTP notifier posts an alert. */
export interface HttpTarget {
  readonly name: string;
  /** May contain a secret, so it is never shown. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (alert: Alert) => unknown;
}

/** Longest pause that a receiver may demand. */
const MAX_RETRY_AFTER_MS = 15 * 60_000;

/** Returns a notifier that posts each alert to a URL as JSON. */
export function httpNotifier(wire: Wire, { name, url, headers, body }: HttpTarget): Notifier {
  return {
    name,
    send: (alert, done) =>
      wire(
        {
          method: 'POST',
          url,
          headers: { ...headers, 'Content-Type': 'application/json', 'User-Agent': 'isobar' },
          body: new TextEncoder().encode(JSON.stringify(body(alert))),
        },
        (outcome) => done(failureOf(outcome)),
      ),
  };
}

/** Returns why an alert was not delivered; null if it was. It never repeats the receiver's text, which may contain a secret address. */
function failureOf(outcome: WireOutcome): NotifyFailure | null {
  if (outcome.kind === 'failed') return { why: 'it could not be reached', mayPass: true, retryAfterMs: null };
  const { status, headers, body } = outcome;
  if (status >= 200 && status < 300) return null;
  const mayPass = status === HTTP_STATUS.requestTimeout || status === HTTP_STATUS.tooManyRequests || status >= 500;
  return {
    why: `it answered HTTP ${status}`,
    mayPass,
    retryAfterMs: status === HTTP_STATUS.tooManyRequests ? retryAfterOf(headers['retry-after'], body) : null,
  };
}

/** Returns the pause that the receiver demands, ms; null without one. Telegram puts it into the body: parameters.retry_after. */
function retryAfterOf(header: string | undefined, body: Uint8Array): number | null {
  const inBody = /"retry_after"\s*:\s*(\d{1,6})/.exec(new TextDecoder().decode(body.subarray(0, 4096)))?.[1];
  const seconds = Number(/^\d{1,6}$/.exec(header ?? '')?.[0] ?? inBody ?? NaN);
  return Number.isFinite(seconds) ? Math.min(MAX_RETRY_AFTER_MS, seconds * 1000) : null;
}
