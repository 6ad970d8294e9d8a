// A `100 Continue` that nobody asked for, as some proxies send it: taken out of what a connection reads, before the answer to a request.

import { Socket } from 'node:net';
import { buildConnector } from 'undici';

const CONTINUE = Buffer.from('HTTP/1.1 100');
const HEAD_END = '\r\n\r\n';
/** A longer head is none: the reader behind says what is wrong with it. */
const MAX_BYTES = 16 * 1024;
const NONE: Buffer = Buffer.alloc(0);

/** Connections as undici makes them, which fails at a `100` that it did not ask for: the outcome of an order would be unknown for nothing. */
export function connectorWithoutContinue(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (given, done) => {
    connect(given, (...result) => {
      const [, socket] = result;
      if (socket instanceof Socket) skipContinue(socket);
      done(...result);
    });
  };
}

/** Makes `read` leave out every `100` that comes between a request and its answer. */
function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  /** A request has been written, and nothing of its answer was read yet. */
  let isHead = false;
  let held: Buffer = NONE;
  socket.write = (...given: unknown[]): boolean => {
    isHead = true;
    return write(...given);
  };
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    if (!isHead || chunk === null) return chunk;
    const bytes = answerIn(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    held = bytes.rest;
    isHead = bytes.answer === null;
    return bytes.answer;
  };
}

/** What of the first bytes after a request is the answer; null: nothing yet, and `rest` is to stand before what comes next. */
function answerIn(bytes: Buffer): { readonly answer: Buffer | null; readonly rest: Buffer } {
  let left = bytes;
  while (left.length < MAX_BYTES && startsAlike(left)) {
    const end = left.length < CONTINUE.length ? -1 : left.indexOf(HEAD_END);
    if (end < 0) return { answer: null, rest: left };
    left = left.subarray(end + HEAD_END.length);
  }
  return { answer: left, rest: NONE };
}

/** Begins with a `100`, or with as much of one as there are bytes. No bytes begin anything. */
function startsAlike(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, CONTINUE.length);
  return bytes.compare(CONTINUE, 0, length, 0, length) === 0;
}
