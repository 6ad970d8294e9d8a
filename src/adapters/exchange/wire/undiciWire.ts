// The Wire over undici: real sockets, kept alive, one request at a time on each, nothing ever sent twice.

import { Agent, type Dispatcher } from 'undici';
import type { WireOutcome } from '../../../ports/wire.ts';
import { decompress } from './decompress.ts';
import { connectorWithoutContinue } from './interimAnswers.ts';
import type { LateReplyWire, WireReply } from './lateReplyWire.ts';
import { checkedOrigin } from './origin.ts';

export interface UndiciWireOptions {
  /** Connections to each service; further requests wait for one to fall free. Default 32. */
  readonly connections?: number;
  /** Bytes of a body, compressed or not; default 8 MiB. A larger one ends as `failed`. */
  readonly maxBodyBytes?: number;
  /** ms until a connection that does not come about is given up; default 10 000. */
  readonly connectTimeoutMs?: number;
  /** Certificates (PEM) of authorities to trust instead of those that Node.js brings, for a service with one of its own. */
  readonly ca?: string;
}

/** Of 8 MiB, decompressed too (risk and security, section 6). */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Requests that nobody waits for but whose answer is wanted may not hold more than this share of the connections. */
const LATE_SHARE = 0.5;
/**
 * How long before the end that a server announced for idle connections they are given up: longer than a request is on its way, or it
 * meets a connection that is being closed and nobody can say what became of it.
 */
const KEEP_ALIVE_MARGIN_MS = 500;

/** Opens sockets as they are needed; `close` ends them. */
export class UndiciWire {
  readonly #agent: Agent;
  readonly #maxBodyBytes: number;
  readonly #maxLate: number;
  /** Longest listened to first. */
  readonly #late = new Set<WireCall>();
  readonly #origins = new Map<string, string>();

  constructor({ connections = 32, maxBodyBytes = MAX_BODY_BYTES, connectTimeoutMs = 10_000, ca }: UndiciWireOptions = {}) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#maxLate = Math.floor(connections * LATE_SHARE);
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      // Time limits are the caller's, on its Scheduler; undici's own are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Set to true, not left to its default, which NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would turn off.
      connect: connectorWithoutContinue({
        timeout: connectTimeoutMs,
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        ...(ca === undefined ? {} : { ca }),
      }),
    });
  }

  /** Throws ConfigError for a URL that is neither https nor of this computer. */
  readonly send: LateReplyWire = (request, done, late) => {
    const { origin, path } = this.#split(request.url);
    const call = new WireCall(this.#maxBodyBytes, done, late);
    const { method, headers, body } = request;
    this.#agent.dispatch({ origin, path, method, headers, body: body.length === 0 ? null : body }, call);
    return () => this.#cancel(call);
  };

  /** Ends every connection. What is under way fails, as a reset would make it. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #split(url: string): { readonly origin: string; readonly path: string } {
    const slash = url.indexOf('/', url.indexOf('//') + 2);
    const start = slash < 0 ? url : url.slice(0, slash);
    let origin = this.#origins.get(start);
    if (origin === undefined) this.#origins.set(start, (origin = checkedOrigin(start, 'request')));
    return { origin, path: slash < 0 ? '/' : url.slice(slash) };
  }

  #cancel(call: WireCall): void {
    if (!call.cancel()) {
      this.#late.delete(call);
      return;
    }
    for (const each of this.#late) if (each.isOver) this.#late.delete(each);
    this.#late.add(call);
    const [oldest] = this.#late;
    if (this.#late.size > this.#maxLate && oldest) {
      oldest.cancel();
      this.#late.delete(oldest);
    }
  }
}

/** One request: what undici tells of it, until it is over. */
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
  /** The transport has no more to say. */
  isOver = false;

  constructor(maxBodyBytes: number, done: (outcome: WireOutcome) => void, late: ((reply: WireReply) => void) | undefined) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#done = done;
    this.#late = late;
  }

  /** Ends the waiting. Returns whether the answer is still listened to. */
  cancel(): boolean {
    const isFirst = !this.#isCancelled;
    this.#isCancelled = true;
    if (isFirst) this.#fail('cancelled');
    const listens = isFirst && this.#late !== undefined && this.#controller !== null && !this.isOver;
    if (!listens) this.#abort('cancelled');
    return listens;
  }

  /** Called by undici immediately before it hands the first byte to the socket, and at no other time. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const isSecond = this.#controller !== null;
    if (!isSecond && !this.#isCancelled) {
      this.#controller = controller;
      return;
    }
    // undici sends anew what it believes was never answered; with one request at a time it has no cause to, and it shall not.
    controller.abort(new Error(isSecond ? 'sent once already' : 'cancelled'));
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
    const [status, headers] = [this.#status, this.#headers];
    decompress(headers['content-encoding'], Buffer.concat(this.#chunks), this.#maxBodyBytes, (opened) => {
      this.isOver = true;
      if (opened.ok) this.#reply({ kind: 'reply', status, headers, body: opened.body });
      else this.#fail(opened.cause);
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.isOver = true;
    this.#fail(causeOf(error));
  }

  #abort(why: string): void {
    this.isOver = true;
    this.#controller?.abort(new Error(why));
  }

  #reply(reply: WireReply): void {
    if (!this.#isDone) this.#end(reply);
    else if (this.#isCancelled && this.#late) queueMicrotask(() => this.#late?.(reply));
  }

  /** Before undici has started on a request, nothing of it can have left; after that, nobody can say how much has. */
  #fail(cause: string): void {
    if (!this.#isDone) this.#end({ kind: 'failed', cause, bytesWritten: this.#controller === null ? 0 : null });
  }

  #end(outcome: WireOutcome): void {
    this.#isDone = true;
    queueMicrotask(() => this.#done(outcome));
  }
}

/** One line, with the code that says most; of a host with several addresses, what each attempt met. */
function causeOf(error: Error): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map((each) => (each instanceof Error ? causeOf(each) : String(each))))].join(', ');
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}
