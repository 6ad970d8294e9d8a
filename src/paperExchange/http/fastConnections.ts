// A fast path for HTTP connections: simple requests are parsed here, and a connection with any other request is handed to Node's parser.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { formatTime } from '../../model/time.ts';
import type { Delivered } from '../faults/faultyService.ts';
import type { Answerer } from './answerer.ts';
import { parseFastRequest } from './fastRequest.ts';

export interface FastConnectionDeps {
  readonly answer: Answerer;
  readonly maxBodyBytes: number;
  /** A connection without a request is closed after this many ms, or up to twice as many. */
  readonly idleMs: number;
  /** Ms UTC. */
  readonly nowMs: () => number;
  /** Takes over a connection that has sent another kind of request. Those bytes are put back in front of what follows. */
  readonly passToNode: (socket: Socket) => void;
}

/** Unsent bytes above which a connection's next requests wait. A client that does not read its replies gets at most one more. */
const MAX_UNSENT_BYTES = 64 * 1024;

export class FastConnections {
  readonly #parts: FastConnectionDeps;
  readonly #connections = new Set<Connection>();
  /** Connections handed to Node's parser. For each, the bytes written and unsent at the last check. */
  readonly #handedOver = new Map<Socket, { readonly written: number; readonly unsent: number }>();

  constructor(parts: FastConnectionDeps) {
    this.#parts = { ...parts, passToNode: (socket) => this.#passToNode(socket, parts.passToNode) };
  }

  take(socket: Socket): void {
    const connection: Connection = new Connection(socket, this.#parts, () => this.#connections.delete(connection));
    this.#connections.add(connection);
  }

  /** Closes connections that have been idle since the last call, and clients that have read nothing in that time. */
  closeIdle(): void {
    for (const connection of this.#connections) connection.closeIfIdle();
    for (const [socket, { written, unsent }] of this.#handedOver) {
      if (unsent > 0 && socket.writableLength === unsent && socket.bytesWritten === written) socket.destroy();
      else this.#handedOver.set(socket, { written: socket.bytesWritten, unsent: socket.writableLength });
    }
  }

  #passToNode(socket: Socket, passOn: FastConnectionDeps['passToNode']): void {
    this.#handedOver.set(socket, { written: 0, unsent: 0 });
    socket.once('close', () => this.#handedOver.delete(socket));
    passOn(socket);
  }

  close(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }
}

class Connection {
  readonly socket: Socket;
  readonly #parts: FastConnectionDeps;
  readonly #onClosed: () => void;
  readonly #ip: string;
  /** True while a request is being answered. */
  #isBusy = false;
  /** True when the client has closed its sending side. */
  #isEnded = false;
  #isIdle = false;
  /** Bytes that arrived while a request was being answered. Pipelined requests are left to Node's parser. */
  #early: Buffer | null = null;

  constructor(socket: Socket, parts: FastConnectionDeps, ended: () => void) {
    this.socket = socket;
    this.#parts = parts;
    this.#onClosed = ended;
    this.#ip = socket.remoteAddress ?? '';
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', ended);
  }

  closeIfIdle(): void {
    if (this.#isIdle && !this.#isBusy) this.socket.destroy();
    this.#isIdle = true;
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#isBusy) {
      this.socket.pause();
      this.#early = this.#early === null ? bytes : Buffer.concat([this.#early, bytes]);
      return;
    }
    const request = parseFastRequest(bytes, this.#parts.maxBodyBytes, this.#ip);
    if (request === null) return this.#passToNode(bytes);
    this.#isBusy = true;
    this.#isIdle = false;
    this.#parts.answer(request, (delivered) => this.#send(delivered));
  };

  readonly #onEnd = (): void => {
    this.#isEnded = true;
    if (!this.#isBusy) this.socket.end();
  };

  readonly #onError = (): void => void this.socket.destroy();

  /** Runs when all replies have been sent: the client reads, so its requests are read again. */
  readonly #onDrain = (): void => {
    this.#isIdle = false;
    this.socket.resume();
  };

  #send(delivered: Delivered): void {
    const { socket } = this;
    // The client closed the connection before its reply was ready.
    if (socket.destroyed) return;
    if (delivered === null) {
      socket.destroy();
      return;
    }
    this.#isBusy = false;
    const { body, cutAt } = delivered;
    const length = Buffer.byteLength(body);
    const text = headOf(delivered, length, this.#parts) + body;
    if (cutAt !== undefined && cutAt < length) {
      const bytes = Buffer.from(text);
      socket.write(bytes.subarray(0, bytes.length - length + cutAt), () => socket.destroy());
      return;
    }
    // ASCII text, the common case, needs no UTF-8 encoding.
    socket.write(text, length === body.length ? 'latin1' : 'utf8');
    if (this.#early !== null) this.#passToNode(this.#early);
    else if (this.#isEnded) socket.end();
    else if (socket.writableLength > MAX_UNSENT_BYTES) {
      // The paused connection shows no activity. If the client still does not read, it is closed as idle.
      socket.pause();
      socket.once('drain', this.#onDrain);
    }
  }

  #passToNode(bytes: Buffer): void {
    const { socket } = this;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('drain', this.#onDrain);
    socket.off('close', this.#onClosed);
    this.#onClosed();
    socket.pause();
    socket.unshift(bytes);
    this.#parts.passToNode(socket);
    socket.resume();
  }
}

const JSON_LINE = 'Content-Type: application/json;charset=UTF-8\r\n';

function headOf({ status, headers }: NonNullable<Delivered>, length: number, { nowMs, idleMs }: FastConnectionDeps): string {
  let more = '';
  for (const name in headers) more += `${name}: ${headers[name]!}\r\n`;
  const first = status === 200 ? 'HTTP/1.1 200 OK' : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
  const type = 'Content-Type' in headers ? '' : JSON_LINE;
  return `${first}\r\n${type}Content-Length: ${length}\r\n${more}${commonLines(nowMs(), idleMs)}`;
}

let common = { second: NaN, text: '' };

/** Returns the lines at the end of every response head. They are rebuilt each second. */
function commonLines(nowMs: number, idleMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (common.second !== second) {
    const text = `date: ${httpTime(second * 1000)}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleMs / 1000)}\r\n\r\n`;
    common = { second, text };
  }
  return common.text;
}

const DAYS = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;

/** Formats a time for HTTP: `Thu, 01 Jan 1970 00:00:00 GMT` (RFC 9110, section 5.6.7). */
function httpTime(ms: number): string {
  const text = formatTime(ms);
  const month = MONTHS[Number(text.slice(5, 7)) - 1]!;
  return `${DAYS[Math.floor(ms / DAY_MS) % 7]!}, ${text.slice(8, 10)} ${month} ${text.slice(0, 4)} ${text.slice(11, 19)} GMT`;
}
