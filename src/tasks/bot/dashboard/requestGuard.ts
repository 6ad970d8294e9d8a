// Access control of the dashboard: host names, origins, tokens, and a limit on attempts with wrong tokens.

import type { AccessLevel, ControlOp } from '../../control/botRequest.ts';
import type { Tokens } from './tokens.ts';
import { includesLevel } from './tokens.ts';

/** Method and headers of a request. */
export interface RequestHead {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** A refusal, with its HTTP status. */
export interface AccessRefusal {
  readonly status: 401 | 403 | 429;
  readonly problem: string;
}

/** Wrong tokens within the window. Beyond this number the dashboard rejects all requests without a valid token. */
const MAX_FAILURES = 10;
const FAILURE_WINDOW_MS = 60_000;
/** Acts that raise risk need a typed confirmation word. */
const CONFIRMED_ACTS: ReadonlySet<ControlOp> = new Set<ControlOp>(['resume', 'adopt', 'resolve']);

/** Returns the confirmation word of an act; null: none needed. */
export const confirmationWordFor = (op: ControlOp): string | null => (CONFIRMED_ACTS.has(op) ? op : null);

/** Checks the requests to one dashboard. */
export class RequestGuard {
  readonly #tokens: Tokens;
  /** Values of the `Host` header that name this dashboard. */
  readonly #hosts: ReadonlySet<string>;
  readonly #nowMs: () => number;
  /** Times of the requests with a wrong token, ms. */
  #failureTimesMs: number[] = [];

  constructor(tokens: Tokens, port: number, nowMs: () => number) {
    this.#tokens = tokens;
    this.#nowMs = nowMs;
    this.#hosts = new Set(['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`));
  }

  /**
   * Returns a refusal for a request from another site, else null. A page of another site may use a host name of its own that resolves to this
   * computer (DNS rebinding); `Host` then has that name. Or it may send requests here directly; `Origin` then names that site.
   */
  crossSiteRefusal({ headers }: RequestHead): AccessRefusal | null {
    const { host = '', origin, 'sec-fetch-site': site } = headers;
    if (!this.#hosts.has(host.toLowerCase())) return { status: 403, problem: 'the dashboard does not have this address' };
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
      return { status: 403, problem: 'the request comes from another page' };
    }
    const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
    return isOwnSite ? null : { status: 403, problem: 'the request comes from another page' };
  }

  /** Returns the level that the token of a request allows, or a refusal if it is below `needed`. Counts wrong tokens. */
  authorize({ headers }: RequestHead, needed: AccessLevel): AccessLevel | AccessRefusal {
    const granted = this.#tokens.levelOfHeader(headers['authorization']);
    if (granted !== null)
      return includesLevel(granted, needed)
        ? granted
        : { status: 403, problem: `this token allows ${granted}, but the request needs ${needed}` };
    const nowMs = this.#nowMs();
    this.#failureTimesMs = this.#failureTimesMs.filter((atMs) => nowMs - atMs < FAILURE_WINDOW_MS);
    if (this.#failureTimesMs.length >= MAX_FAILURES) return { status: 429, problem: 'too many wrong tokens: wait a minute' };
    // A request without a token is not an attempt to guess one.
    if (headers['authorization'] !== undefined) this.#failureTimesMs.push(nowMs);
    return { status: 401, problem: 'expected a token' };
  }
}
