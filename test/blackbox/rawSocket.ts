// Sends any bytes over a bare socket, and parses the HTTP reply if there is one.

import { connect, type Socket } from 'node:net';

/** The parsed reply to raw bytes. */
export interface RawReply {
  /** The HTTP status. Null: the connection ended without a reply. */
  readonly status: number | null;
  readonly body: string;
}

/** Time limit for a reply. A server that is silent for longer fails the test. */
const MAX_REPLY_MS = 10_000;

/** The bytes of a request, and what the client must know to read the reply. */
export interface RawRequest {
  readonly bytes: Uint8Array;
  /** True if nothing follows on this connection: the client then closes its side. */
  readonly isLast?: boolean;
  /** False for a HEAD, whose reply has no body. */
  readonly hasBody?: boolean;
}

/** Sends requests one after the other. When the server closes the connection, the next request opens a new one. */
export class RawSocket {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request. Rejects if the server does not reply in time. */
  send({ bytes, isLast = false, hasBody = true }: RawRequest): Promise<RawReply> {
    const socket = (this.#socket ??= connect(this.#port, '127.0.0.1'));
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const finish = (reply: RawReply, isConnectionOver: boolean): void => {
        clearTimeout(timer);
        socket.removeAllListeners();
        // Errors of a connection that is no longer needed do not matter.
        socket.on('error', () => {});
        if (isConnectionOver) {
          this.#socket = null;
          socket.destroy();
        }
        resolve(reply);
      };
      const timer = setTimeout(() => {
        this.#socket = null;
        socket.destroy();
        const requestText = Buffer.from(bytes).toString('latin1').slice(0, 2000);
        reject(new Error(`no answer within ${MAX_REPLY_MS} ms to ${JSON.stringify(requestText)}`));
      }, MAX_REPLY_MS);
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const parsed = replyIn(received, { hasBody, isConnectionOver: false });
        if (parsed !== null) finish(parsed.reply, isLast || parsed.closes);
      });
      socket.on('error', () => {});
      socket.on('close', () => finish(replyIn(received, { hasBody, isConnectionOver: true })?.reply ?? { status: null, body: '' }, true));
      if (isLast) socket.end(bytes);
      else socket.write(bytes);
    });
  }

  /** Closes the connection if there is one. */
  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }
}

/**
 * Returns the reply at the beginning of the bytes, and whether the server closes the connection after it; null if the reply is not complete.
 * `isConnectionOver`: no more bytes will come.
 */
function replyIn(
  bytes: Buffer,
  { hasBody, isConnectionOver }: { readonly hasBody: boolean; readonly isConnectionOver: boolean },
): { readonly reply: RawReply; readonly closes: boolean } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = bytes.subarray(0, headEnd).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? NaN);
  const lengthText = /^content-length: *(\d+)$/im.exec(head)?.[1];
  const body = bytes.subarray(headEnd + 4);
  const closes = /^connection: *close$/im.test(head);
  // WebSocket frames follow an upgrade.
  if (status === 101) return { reply: { status, body: '' }, closes: true };
  if (!hasBody) return { reply: { status, body: '' }, closes };
  // Only Node's HTTP server replies in chunks, before a request reaches the exchange. Their content does not matter.
  if (/^transfer-encoding: *chunked$/im.test(head)) return body.includes('0\r\n\r\n') ? { reply: { status, body: '' }, closes } : null;
  // A body without a length ends with the connection.
  if (lengthText === undefined) return isConnectionOver ? { reply: { status, body: body.toString() }, closes: true } : null;
  if (body.length < Number(lengthText)) return null;
  return { reply: { status, body: body.subarray(0, Number(lengthText)).toString() }, closes };
}
