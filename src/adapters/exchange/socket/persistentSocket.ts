// Keeps a WebSocket connection open: reconnects with growing pauses after each end, and shows the state of the connection.

import { ConfigError } from '../../../base/errors.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import { checkedOrigin } from '../wire/origin.ts';
import { openSocket, type SocketConnection } from './connection.ts';

/** State of the connection. Times are Unix ms of the scheduler. */
export type SocketState =
  | { readonly kind: 'off' }
  /** `attempt`: number of attempts since the last connection that was pinged, from 1. */
  | { readonly kind: 'connecting'; readonly attempt: number }
  | {
      readonly kind: 'open';
      readonly sinceMs: number;
      /** Null before the first. */ readonly lastPingMs: number | null;
      readonly pings: number;
    }
  /** `attempt`: the next one, at `untilMs`. */
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly attempt: number; readonly why: string };

/** What a caller may choose. */
export interface PersistentSocketOptions {
  /** Limit in ms for opening a connection; default 10 000. */
  readonly openTimeoutMs?: number;
  /** An open connection without a ping for this many ms counts as lost; default 120 000. The specification names no interval. */
  readonly silenceMs?: number;
  /** Called for every change of state except pings. */
  readonly changed?: (state: SocketState) => void;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** Returns the pause before attempt `attempt`: 1 s doubling to 60 s, minus up to half of it. `random` from 0 to 1. */
export function reconnectPauseMs(attempt: number, random: number): number {
  const maxMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 16));
  return Math.ceil((maxMs * (1 + random)) / 2);
}

/** A connection that is off until `start`. Nothing is read from it: it only has to stay open. */
export class PersistentSocket {
  readonly #url: string;
  readonly #scheduler: Scheduler;
  readonly #random: () => number;
  readonly #openTimeoutMs: number;
  readonly #silenceMs: number;
  readonly #changed: (state: SocketState) => void;
  #state: SocketState = { kind: 'off' };
  #connection: SocketConnection | null = null;
  /** Timer that ends the current state. */
  #timer: number | null = null;
  /** Attempts since the last connection that was pinged. */
  #attempts = 0;

  /** `url`: wss, or ws on this computer. `random`: from 0 to 1. Throws ConfigError for any other URL. */
  constructor(url: string, scheduler: Scheduler, random: () => number, options: PersistentSocketOptions = {}) {
    this.#url = checkedSocketUrl(url);
    this.#scheduler = scheduler;
    this.#random = random;
    this.#openTimeoutMs = options.openTimeoutMs ?? 10_000;
    this.#silenceMs = options.silenceMs ?? 120_000;
    this.#changed = options.changed ?? (() => {});
  }

  /** Whether the socket is off, connecting, open or waiting for its next attempt. */
  get state(): SocketState {
    return this.#state;
  }

  /** Connects, unless the socket is on already. */
  start(): void {
    if (this.#state.kind === 'off') this.#connect();
  }

  /** Closes the connection and ends all attempts. */
  stop(): void {
    this.#drop();
    this.#attempts = 0;
    this.#setState({ kind: 'off' });
  }

  /** Opens a connection. Its time-out and its end count as a loss, after which it is opened again. */
  #connect(): void {
    this.#attempts++;
    this.#setState({ kind: 'connecting', attempt: this.#attempts });
    this.#schedule(this.#openTimeoutMs, () => this.#onLoss(`no connection within ${this.#openTimeoutMs} ms`));
    this.#connection = openSocket(this.#url, this.#random, {
      opened: () => {
        this.#awaitPing();
        this.#setState({ kind: 'open', sinceMs: this.#scheduler.nowMs, lastPingMs: null, pings: 0 });
      },
      pinged: () => this.#onPing(),
      closed: (reason) => this.#onLoss(reason),
    });
  }

  /** Resets the pauses. Opening alone does not, so that a connection that closes at once is not retried quickly. */
  #onPing(): void {
    if (this.#state.kind !== 'open') return;
    this.#attempts = 0;
    this.#state = { ...this.#state, lastPingMs: this.#scheduler.nowMs, pings: this.#state.pings + 1 };
    this.#awaitPing();
  }

  #awaitPing(): void {
    this.#schedule(this.#silenceMs, () => this.#onLoss(`no ping for ${this.#silenceMs} ms`));
  }

  #onLoss(reason: string): void {
    this.#drop();
    const waitMs = reconnectPauseMs(Math.max(this.#attempts, 1), this.#random());
    this.#schedule(waitMs, () => this.#connect());
    this.#setState({ kind: 'waiting', untilMs: this.#scheduler.nowMs + waitMs, attempt: this.#attempts + 1, why: reason });
  }

  #drop(): void {
    this.#connection?.drop();
    this.#connection = null;
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  #schedule(ms: number, onDue: () => void): void {
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = this.#scheduler.at(this.#scheduler.nowMs + ms, onDue);
  }

  #setState(state: SocketState): void {
    this.#state = state;
    this.#changed(state);
  }
}

/** Returns the URL with http or https instead of ws or wss. Throws ConfigError for an invalid or unsafe URL. */
export function checkedSocketUrl(url: string): string {
  if (!/^wss?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ConfigError('socket: expected a URL such as wss://api.example.com/ws', 'write its address with wss:// before it');
  }
  const { origin, pathname, search } = handshakeAddress(url.replace(/^ws/, 'http'));
  return checkedOrigin(origin, 'socket') + pathname + search;
}

/** Returns the parts of an address that a handshake needs. */
function handshakeAddress(url: string): { readonly origin: string; readonly pathname: string; readonly search: string } {
  const parsedUrl = new URL(url);
  const { pathname, search } = parsedUrl;
  parsedUrl.pathname = '/';
  parsedUrl.search = '';
  return { origin: parsedUrl.href, pathname, search };
}
