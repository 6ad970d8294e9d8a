// The control socket of a bot: a Unix socket that only its user can open, with one JSON line per request.

import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { runAfter } from '../../../adapters/clock/wallClock.ts';
import type { BotControl } from '../../control/botControl.ts';
import { SOCKET_NAME } from '../../control/folder/dataFolder.ts';
import {
  ControlLines,
  lineText,
  MAX_REQUEST_BYTES,
  PROTOCOL_VERSION,
  readRequestLine,
  type AnswerLine,
} from '../../control/controlLines.ts';
import { perform, readRequest } from '../../control/botRequest.ts';
import { ConfigError } from '../../../base/errors.ts';

/** The system's limit on the path of a socket, without the closing zero. */
const MAX_PATH_BYTES = 103;
const MAX_CONNECTIONS = 16;
/** Maximum number of requests of one client that wait for earlier ones. */
const MAX_WAITING = 64;
/** Time limit for a client that sends nothing or does not read its reply. */
const IDLE_MS = 30_000;

/** An open control socket. */
export interface ControlServer {
  readonly path: string;
  /** Removes the socket. */
  close(): Promise<void>;
}

/**
 * Listens in `folder`, which has mode 0700. `idleMs`: time limit for a client that sends or reads nothing. Throws ConfigError if another
 * bot listens there, or if the path is too long.
 */
export async function openControl(folder: string, control: BotControl, idleMs = IDLE_MS): Promise<ControlServer> {
  const path = join(folder, SOCKET_NAME);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new ConfigError(`${path}: expected a path of at most ${MAX_PATH_BYTES} bytes`, 'choose a data folder with a shorter path');
  }
  await removeDeadSocket(path);
  const openSockets = new Set<Socket>();
  const server = createServer((socket) => {
    openSockets.add(socket);
    socket.on('close', () => openSockets.delete(socket));
    Conversation.begin(socket, control, idleMs);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    path,
    close() {
      for (const socket of openSockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The connection of one client. Its requests are answered in order. No request is read while the client has not read the last reply. */
class Conversation {
  readonly #socket: Socket;
  readonly #control: BotControl;
  readonly #idleMs: number;
  readonly #waitingRequests: string[] = [];
  #isAnswering = false;
  #stopIdleTimer = (): void => {};

  private constructor(socket: Socket, control: BotControl, idleMs: number) {
    this.#socket = socket;
    this.#control = control;
    this.#idleMs = idleMs;
  }

  /** Starts to answer the requests of a new connection. */
  static begin(socket: Socket, control: BotControl, idleMs: number): void {
    new Conversation(socket, control, idleMs).#listen();
  }

  /** Reads requests from the connection until it closes. */
  #listen(): void {
    const socket = this.#socket;
    const lines = new ControlLines(
      MAX_REQUEST_BYTES,
      (text) => this.#handleRequest(text),
      () => this.#rejectAndClose('the request is too long'),
    );
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => lines.add(text));
    socket.on('close', () => this.#stopIdleTimer());
    // A client that disconnects needs no handling.
    socket.on('error', () => socket.destroy());
    this.#restartIdleTimer();
  }

  /** Queues a request and answers the queue. Rejects a client with too many waiting requests. */
  #handleRequest(text: string): void {
    if (this.#waitingRequests.length >= MAX_WAITING) return this.#rejectAndClose(`expected at most ${MAX_WAITING} waiting requests`);
    this.#waitingRequests.push(text);
    this.#socket.pause();
    if (!this.#isAnswering) void this.#answerAll();
  }

  /** Answers the waiting requests one after the other. Stops when the client has left or does not read. */
  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    this.#stopIdleTimer();
    for (let text = this.#waitingRequests.shift(); text !== undefined; text = this.#waitingRequests.shift()) {
      const answer = lineText(await answerLineFor(text, this.#control));
      if (this.#socket.destroyed) return;
      const isBuffered = !this.#socket.write(answer);
      if (isBuffered && !(await this.#waitUntilRead())) return;
    }
    this.#isAnswering = false;
    this.#restartIdleTimer();
    this.#socket.resume();
  }

  /** Resolves true once the client has read what was written, false if it disconnected or does not read. */
  #waitUntilRead(): Promise<boolean> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      const cancelTimeout = runAfter(this.#idleMs, () => socket.destroy());
      const endWait = (isRead: boolean): void => {
        cancelTimeout();
        resolve(isRead);
      };
      socket.once('drain', () => endWait(true)).once('close', () => endWait(false));
    });
  }

  /** Disconnects the client if it stays idle, because it would take the connection of another one. */
  #restartIdleTimer(): void {
    this.#stopIdleTimer();
    this.#stopIdleTimer = runAfter(this.#idleMs, () => this.#socket.destroy());
  }

  /** Replies with a problem and closes the connection. Waiting requests are dropped. */
  #rejectAndClose(problem: string): void {
    this.#waitingRequests.length = 0;
    this.#socket.end(lineText({ v: PROTOCOL_VERSION, id: 0, ok: false, problem }));
  }
}

/** Returns the reply to one request line. */
async function answerLineFor(text: string, control: BotControl): Promise<AnswerLine> {
  const line = readRequestLine(text);
  if (line === null) return { v: PROTOCOL_VERSION, id: 0, ok: false, problem: 'expected a line {v, id, who, request}' };
  const { id, who } = line;
  if (line.v !== PROTOCOL_VERSION)
    return { v: PROTOCOL_VERSION, id, ok: false, problem: `expected version ${PROTOCOL_VERSION} of the protocol, got ${line.v}` };
  const parsed = readRequest(line.request);
  if ('problem' in parsed) return { v: PROTOCOL_VERSION, id, ok: false, problem: parsed.problem };
  return { v: PROTOCOL_VERSION, id, ok: true, value: await perform(control, parsed.request, who) };
}

/** Removes the socket of a process that was killed. Throws ConfigError if a process still answers on it. */
async function removeDeadSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isSocket()) throw new ConfigError(`${path}: expected a socket, got something else`, 'move it out of the data folder');
  const isAlive = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
  if (isAlive) throw new ConfigError(`${path}: another bot already answers here`, 'stop that bot, or choose another data folder');
  rmSync(path);
}
