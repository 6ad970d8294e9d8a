// Sends HTTP requests with undici: over keep-alive sockets, one request at a time on each, and each request once.

import { Agent, type Dispatcher } from 'undici';
import type { WireOutcome } from '../../../ports/wire.ts';
import { decompress } from './decompress.ts';
import { connectorWithoutContinue } from './interimAnswers.ts';
import type { LateReplyWire, WireReply } from './lateReplyWire.ts';
import { checkedOrigin } from './origin.ts';

/** What a caller may choose. */
export interface UndiciWireOptions {
  /** Connections to each service for public reads, and as many for all else; further requests wait for a free one. Default 32. */
  readonly connections?: number;
  /** Maximum body size in bytes, compressed or not; default 8 MiB. A larger one ends as `failed`. */
  readonly maxBodyBytes?: number;
  /** Limit in ms for opening a connection; default 10 000. */
  readonly connectTimeoutMs?: number;
  /** Certificates (PEM) of authorities to trust instead of those of Node.js, for a service with its own authority. */
  readonly ca?: string;
}

/** 8 MiB, also when decompressed (risk and security, section 6). */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Cancelled requests that still wait for a late reply may use at most this share of the connections. */
const LATE_SHARE = 0.5;
/**
 * Close idle connections this long before the server's announced end. It must exceed the time that a request travels: a request that meets
 * a closing connection has an unknown outcome.
 */
const KEEP_ALIVE_MARGIN_MS = 500;
/**
 * How long idle connections are kept if the server announces no end. It is short for orders and other calls with a key, because an order
 * that meets a closing connection has an unknown outcome. It is long for public reads, so that the klines of the next close pay no
 * handshake.
 */
const IDLE_MS = { private: 4000, public: 300_000 } as const;

/** A Wire with its own sockets. It opens sockets as needed; `close` ends them. */
export class UndiciWire {
  readonly #agent: Agent;
  readonly #publicAgent: Agent;
  readonly #maxBodyBytes: number;
  readonly #maxLate: number;
  /** Cancelled calls that still listen for a late reply, the oldest first. */
  readonly #late = new Set<WireCall>();
  readonly #origins = new Map<string, string>();

  constructor({ connections = 32, maxBodyBytes = MAX_BODY_BYTES, connectTimeoutMs = 10_000, ca }: UndiciWireOptions = {}) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#maxLate = Math.floor(connections * LATE_SHARE);
    const newAgent = (keepAliveTimeout: number): Agent =>
      new Agent({
        connections,
        pipelining: 1,
        keepAliveTimeout,
        keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
        // The caller sets time limits on its Scheduler; undici's own are coarse.
        headersTimeout: 0,
        bodyTimeout: 0,
        // Set explicitly: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would turn the default off.
        connect: connectorWithoutContinue({
          timeout: connectTimeoutMs,
          rejectUnauthorized: true,
          minVersion: 'TLSv1.2',
          ...(ca === undefined ? {} : { ca }),
        }),
      });
    this.#agent = newAgent(IDLE_MS.private);
    this.#publicAgent = newAgent(IDLE_MS.public);
  }

  /** Throws ConfigError for a URL that is neither https nor on this computer. */
  readonly send: LateReplyWire = (request, done, late) => {
    const { origin, path } = this.#split(request.url);
    const call = new WireCall(this.#maxBodyBytes, done, late);
    const { method, headers, body, isPublic = false } = request;
    const agent = isPublic ? this.#publicAgent : this.#agent;
    agent.dispatch({ origin, path, method, headers, body: body.length === 0 ? null : body }, call);
    return () => this.#cancel(call);
  };

  /** Closes every connection. Requests under way fail as after a reset. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#publicAgent.destroy()]);
  }

  /** Splits the URL, and checks each origin once. */
  #split(url: string): { readonly origin: string; readonly path: string } {
    const pathStart = url.indexOf('/', url.indexOf('//') + 2);
    const originText = pathStart < 0 ? url : url.slice(0, pathStart);
    let origin = this.#origins.get(originText);
    if (origin === undefined) this.#origins.set(originText, (origin = checkedOrigin(originText, 'request')));
    return { origin, path: pathStart < 0 ? '/' : url.slice(pathStart) };
  }

  /** Cancels the call. If too many cancelled calls listen for a late reply, the oldest stops listening. */
  #cancel(call: WireCall): void {
    if (!call.cancel()) {
      this.#late.delete(call);
      return;
    }
    for (const lateReply of this.#late) if (lateReply.isOver) this.#late.delete(lateReply);
    this.#late.add(call);
    const [oldest] = this.#late;
    if (this.#late.size > this.#maxLate && oldest) {
      oldest.cancel();
      this.#late.delete(oldest);
    }
  }
}

/** One request. Collects undici's events into an outcome. */
class WireCall implements Dispatcher.DispatchHandler {
  readonly #maxBodyBytes: number;
  readonly #done: (outcome: WireOutcome) => void;
  readonly #late: ((reply: WireReply) => void) | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #isCancelled = false;
  #isDone = false;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  /** True when undici reports no more events for it. */
  isOver = false;

  constructor(maxBodyBytes: number, done: (outcome: WireOutcome) => void, late: ((reply: WireReply) => void) | undefined) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#done = done;
    this.#late = late;
  }

  /** Ends the call. Returns true if it still listens for the reply. */
  cancel(): boolean {
    const isFirst = !this.#isCancelled;
    this.#isCancelled = true;
    if (isFirst) this.#fail('cancelled');
    const listens = isFirst && this.#late !== undefined && this.#controller !== null && !this.isOver;
    if (!listens) this.#abort('cancelled');
    return listens;
  }

  /** undici calls this immediately before it hands the first byte to the socket, and at no other time. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const wasSentBefore = this.#controller !== null;
    if (!wasSentBefore && !this.#isCancelled) {
      this.#controller = controller;
      return;
    }
    // undici resends a request that it considers unanswered. With one request at a time it should not, and this prevents it.
    controller.abort(new Error(wasSentBefore ? 'sent once already' : 'cancelled'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    const entries = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]);
    this.#headers = Object.fromEntries(entries);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size <= this.#maxBodyBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#chunks.length = 0;
    controller.abort(new Error(`an answer larger than ${this.#maxBodyBytes} bytes`));
  }

  onResponseEnd(): void {
    const status = this.#status;
    const headers = this.#headers;
    decompress(headers['content-encoding'], Buffer.concat(this.#chunks), this.#maxBodyBytes, (decompressed) => {
      this.isOver = true;
      if (decompressed.ok) this.#reply({ kind: 'reply', status, headers, body: decompressed.body });
      else this.#fail(decompressed.cause);
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.isOver = true;
    this.#fail(causeOf(error));
  }

  #abort(reason: string): void {
    this.isOver = true;
    this.#controller?.abort(new Error(reason));
  }

  #reply(reply: WireReply): void {
    if (!this.#isDone) this.#finish(reply);
    else if (this.#isCancelled && this.#late) queueMicrotask(() => this.#late?.(reply));
  }

  /** Before undici has started a request, no byte has left. After that, it is unknown how many have. */
  #fail(cause: string): void {
    if (!this.#isDone) this.#finish({ kind: 'failed', cause, bytesWritten: this.#controller === null ? 0 : null });
  }

  #finish(outcome: WireOutcome): void {
    this.#isDone = true;
    queueMicrotask(() => this.#done(outcome));
  }
}

/** Returns one line with the most specific error code. For a host with several addresses, lists each attempt's error. */
function causeOf(error: Error): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map((part) => (part instanceof Error ? causeOf(part) : String(part))))].join(', ');
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}
