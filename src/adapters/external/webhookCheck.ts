// Checks that a request of a webhook is genuine, new and in time, and reads the value in it. The result holds no secret.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { REDACTED, type Secret } from '../../base/text/secret.ts';
import { EARLIEST_MS, LATEST_MS } from '../catalog/rows/rowCollector.ts';
import { msOfDate, msOfUnix } from '../catalog/rows/timeText.ts';

/** How a sender proves itself: by a signature in a header, or by the secret in the body. */
export type WebhookProof = 'signature' | 'body';

/** A request to a webhook, before it is checked. */
export interface HookRequest {
  /** The path of the URL, which is part of what is signed. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** The value of a genuine request. */
export interface HookValue {
  readonly timeMs: number;
  readonly value: number;
  /** Distinguishes it from every other request. */
  readonly nonce: string;
}

/** Why a request is rejected, with the HTTP status of the reply. */
export interface HookRefusal {
  readonly status: 400 | 401 | 403;
  readonly problem: string;
}

const NONCE = /^[A-Za-z0-9_-]{16,64}$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

const NO_OBJECT_REFUSAL: HookRefusal = { status: 400, problem: 'expected a JSON object with time and value' };

/** Checks the requests of one webhook. The secret is kept here alone. */
export class HookChecker {
  readonly #secret: string;
  readonly #proof: WebhookProof;
  readonly #maxAgeMs: number;

  constructor(secret: Secret, proof: WebhookProof, maxAgeMs: number) {
    this.#secret = secret.take();
    this.#proof = proof;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Returns the value of a genuine request, or why it is refused. `nowMs`: the time of this computer's clock. */
  check(request: HookRequest, nowMs: number): HookValue | HookRefusal {
    return this.#proof === 'signature' ? this.#checkSigned(request, nowMs) : this.#checkBody(request, nowMs);
  }

  /** Checks a request with a signature in its headers. Returns its value, or why it is refused. */
  #checkSigned({ path, headers, body }: HookRequest, nowMs: number): HookValue | HookRefusal {
    const [sentText, nonce, signature] = ['x-isobar-time', 'x-isobar-nonce', 'x-isobar-signature'].map((name) => headers[name] ?? '');
    if (signature === '') return { status: 401, problem: 'expected a signature: X-Isobar-Time, X-Isobar-Nonce and X-Isobar-Signature' };
    const expectedSignature = createHmac('sha256', this.#secret).update(`${sentText}.${nonce}.${path}.`).update(body).digest('hex');
    if (!HEX_SHA256.test(signature!) || !isSame(expectedSignature, signature!)) return { status: 401, problem: 'the signature is wrong' };
    const ageRefusal = this.#ageRefusal(/^\d{13}$/.test(sentText!) ? Number(sentText) : null, 'X-Isobar-Time: expected Unix ms', nowMs);
    if (ageRefusal !== null) return ageRefusal;
    if (!NONCE.test(nonce!)) return { status: 400, problem: 'X-Isobar-Nonce: expected 16 to 64 letters, digits, _ and -' };
    const fields = fieldsOf(body);
    return fields === null ? NO_OBJECT_REFUSAL : valueOf(fields['time'], fields['value'], nonce!);
  }

  /** Checks a request with the secret in its body. Returns its value, or why it is refused. */
  #checkBody({ body }: HookRequest, nowMs: number): HookValue | HookRefusal {
    const fields = fieldsOf(body);
    const secret = fields?.['secret'];
    if (fields === null || typeof secret !== 'string') return { status: 401, problem: 'expected a JSON object with the secret' };
    if (!isSame(this.#secret, secret)) return { status: 401, problem: 'the secret is wrong' };
    const ageRefusal = this.#ageRefusal(parseTimeValue(fields['sent']), 'sent: expected the time at which it was sent', nowMs);
    if (ageRefusal !== null) return ageRefusal;
    const otherFields = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'secret'));
    // A sender that cannot sign rarely sends a nonce. The hash of the body then shows that a body came twice.
    const nonce = fields['nonce'] ?? createHash('sha256').update(JSON.stringify(otherFields)).digest('hex');
    if (typeof nonce !== 'string' || !NONCE.test(nonce))
      return { status: 400, problem: 'nonce: expected 16 to 64 letters, digits, _ and -' };
    // The nonce is written into the journal.
    if (nonce.includes(this.#secret)) return { status: 400, problem: `nonce: expected another text than the secret, got ${REDACTED}` };
    return valueOf(fields['time'] ?? fields['sent'], fields['value'], nonce);
  }

  #ageRefusal(sentMs: number | null, problem: string, nowMs: number): HookRefusal | null {
    if (sentMs === null) return { status: 400, problem };
    const ageMs = nowMs - sentMs;
    if (Math.abs(ageMs) <= this.#maxAgeMs) return null;
    const ageText = `${Math.round(Math.abs(ageMs) / 1000)} s ${ageMs > 0 ? 'ago' : 'from now'}`;
    return { status: 403, problem: `it was sent ${ageText}, and at most ${this.#maxAgeMs / 1000} s are accepted` };
  }
}

/** Compares in a time that does not depend on where they differ, or on how long they are. */
function isSame(a: string, b: string): boolean {
  const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hashOf(a), hashOf(b));
}

/** Returns the members of a JSON object; null for any other body. */
function fieldsOf(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns the value of a request, or why it is refused. */
function valueOf(time: unknown, value: unknown, nonce: string): HookValue | HookRefusal {
  const timeMs = parseTimeValue(time);
  if (timeMs === null) return { status: 400, problem: 'time: expected the time that the value is of, a Unix time or a date' };
  const valueNumber = parseNumberValue(value);
  if (valueNumber === null) return { status: 400, problem: 'value: expected a number, true or false' };
  return { timeMs, value: valueNumber, nonce };
}

/** Returns a time in whole ms, from a Unix time or a date; null: it is not a time. */
export function parseTimeValue(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const text = String(value);
  const ms = /^\d+(\.\d+)?$/.test(text) ? msOfUnix(Number(text)) : msOfDate(text);
  return ms !== null && ms >= EARLIEST_MS && ms < LATEST_MS ? Math.floor(ms) : null;
}

/** Returns a number, also of text, and 1 or 0 of a flag; null: it is not a number. */
export function parseNumberValue(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const isNumberText = typeof value === 'string' && /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?$/.test(value);
  const number = typeof value === 'number' || isNumberText ? Number(value) : NaN;
  // Adding 0 turns -0 into 0, because the journal cannot store -0.
  return Number.isFinite(number) ? number + 0 : null;
}
