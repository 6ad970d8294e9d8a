// Removes unsolicited `100 Continue` responses, which some proxies send, from what a connection reads.

import { Socket } from 'node:net';
import { buildConnector } from 'undici';

const CONTINUE = Buffer.from('HTTP/1.1 100');
const HEAD_END = '\r\n\r\n';
/** A longer head is invalid. The HTTP parser behind reports what is wrong. */
const MAX_BYTES = 16 * 1024;
const NONE: Buffer = Buffer.alloc(0);

/**
 * Returns undici's connector with such responses removed. undici fails on an unsolicited `100`, and the order's outcome would be unknown.
 */
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

/** Makes `read` skip every `100` between a request and its response. */
function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  /** True after a request was written, until its response begins. */
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

/** Returns the part of the first bytes that belongs to the response. Null: nothing yet; `rest` must precede the next bytes. */
function answerIn(bytes: Buffer): { readonly answer: Buffer | null; readonly rest: Buffer } {
  let left = bytes;
  while (left.length < MAX_BYTES && startsAlike(left)) {
    const end = left.length < CONTINUE.length ? -1 : left.indexOf(HEAD_END);
    if (end < 0) return { answer: null, rest: left };
    left = left.subarray(end + HEAD_END.length);
  }
  return { answer: left, rest: NONE };
}

/** True if `bytes` begins with a `100`, or is a prefix of one. No bytes are a prefix too. */
function startsAlike(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, CONTINUE.length);
  return bytes.compare(CONTINUE, 0, length, 0, length) === 0;
}
