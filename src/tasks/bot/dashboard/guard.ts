// Who may ask the dashboard what: names of hosts, origins, tokens, and how often a wrong one may be tried.

import type { AccessScope, ControlOp } from '../../control/request.ts';
import type { Tokens } from './tokens.ts';
import { suffices } from './tokens.ts';

export interface RequestHead {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface AccessRefusal {
  readonly status: 401 | 403 | 429;
  readonly problem: string;
}

/** Wrong tokens that are let pass before the door is shut for those without one. */
const MAX_FAILURES = 10;
const SHUT_MS = 60_000;
/** Acts that raise risk want a word typed. */
const TYPED: ReadonlySet<ControlOp> = new Set<ControlOp>(['resume', 'adopt', 'resolve']);

/** What has to be typed for an act; null: nothing. */
export const wordFor = (op: ControlOp): string | null => (TYPED.has(op) ? op : null);

export class Guard {
  readonly #tokens: Tokens;
  readonly #hosts: ReadonlySet<string>;
  readonly #nowMs: () => number;
  #failures: number[] = [];

  constructor(tokens: Tokens, port: number, nowMs: () => number) {
    this.#tokens = tokens;
    this.#nowMs = nowMs;
    this.#hosts = new Set(['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`));
  }

  /**
   * Of every request. A page of somebody else may reach this port by a name of its own that points here (DNS rebinding): that name is in
   * Host. Or send to it from where it is: that place is in Origin.
   */
  refusesPlace({ headers }: RequestHead): AccessRefusal | null {
    const { host = '', origin, 'sec-fetch-site': site } = headers;
    if (!this.#hosts.has(host.toLowerCase())) return { status: 403, problem: 'this address is not one of the dashboard' };
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
      return { status: 403, problem: 'the request comes from another page' };
    }
    return site === undefined || site === 'same-origin' || site === 'none'
      ? null
      : { status: 403, problem: 'the request comes from another page' };
  }

  /** Of requests for data and acts. Returns what the token allows, or why not. */
  allows({ headers }: RequestHead, needs: AccessScope): AccessScope | AccessRefusal {
    const has = this.#tokens.allows(headers['authorization']);
    if (has !== null) return suffices(has, needs) ? has : { status: 403, problem: `this token allows ${has}, and this needs ${needs}` };
    const nowMs = this.#nowMs();
    this.#failures = this.#failures.filter((atMs) => nowMs - atMs < SHUT_MS);
    if (this.#failures.length >= MAX_FAILURES) return { status: 429, problem: 'too many wrong tokens: wait a minute' };
    // Asking without a token is no guess.
    if (headers['authorization'] !== undefined) this.#failures.push(nowMs);
    return { status: 401, problem: 'expected a token' };
  }
}
