// Removes unsolicited `100 Continue` responses, which some proxies send, from what a connection reads.

import { Socket } from 'node:net';
import { buildConnector } from 'undici';

const CONTINUE_START = Buffer.from('HTTP/1.1 100');
const HEAD_END = '\r\n\r\n';
/** Longer heads are passed on, so that the HTTP parser reports the error. */
const MAX_HEAD_BYTES = 16 * 1024;
const NO_BYTES: Buffer = Buffer.alloc(0);

/**
 * Returns undici's connector with such responses removed. undici fails on an unsolicited `100`, and the order's outcome would be unknown.
 */
export function connectorWithoutContinue(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (args, done) => {
    connect(args, (...result) => {
      const [, socket] = result;
      if (socket instanceof Socket) skipContinue(socket);
      done(...result);
    });
  };
}

/** Makes `read` skip every `100` between a request and its response. */
function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  /** True after a request was written, until its response begins. */
  let awaitsResponse = false;
  let unfinishedBytes: Buffer = NO_BYTES;
  socket.write = (...args: unknown[]): boolean => {
    awaitsResponse = true;
    return write(...args);
  };
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    if (!awaitsResponse || chunk === null) return chunk;
    const response = withoutContinue(unfinishedBytes.length === 0 ? chunk : Buffer.concat([unfinishedBytes, chunk]));
    unfinishedBytes = response.rest;
    awaitsResponse = response.answer === null;
    return response.answer;
  };
}

/** Returns the response's part of the first bytes; null until it begins. `rest` must be put before the next bytes. */
function withoutContinue(bytes: Buffer): { readonly answer: Buffer | null; readonly rest: Buffer } {
  let remaining = bytes;
  while (remaining.length < MAX_HEAD_BYTES && mayBeContinue(remaining)) {
    const headEnd = remaining.length < CONTINUE_START.length ? -1 : remaining.indexOf(HEAD_END);
    if (headEnd < 0) return { answer: null, rest: remaining };
    remaining = remaining.subarray(headEnd + HEAD_END.length);
  }
  return { answer: remaining, rest: NO_BYTES };
}

/** True if `bytes` begins with a `100` response, or is too short to show it. */
function mayBeContinue(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, CONTINUE_START.length);
  return bytes.compare(CONTINUE_START, 0, length, 0, length) === 0;
}
