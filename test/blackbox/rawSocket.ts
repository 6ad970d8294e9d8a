// Sends any bytes over a bare socket, and parses the HTTP reply if there is one.

import { connect, type Socket } from 'node:net';

export interface RawReply {
  /** Null: the connection ended without an answer. */
  readonly status: number | null;
  readonly body: string;
}

/** A server that is silent for this time counts as hung. */
const TIME_LIMIT_MS = 10_000;

/** Sends requests one after the other, on a connection that is opened again when the server has closed it. */
export class RawSocket {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends `bytes`; `isLast`: and says that nothing follows. `hasBody`: false for a HEAD. Rejects where the server hangs. */
  ask(bytes: Uint8Array, isLast: boolean, hasBody: boolean): Promise<RawReply> {
    const socket = (this.#socket ??= connect(this.#port, '127.0.0.1'));
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const finish = (reply: RawReply, isOver: boolean): void => {
        clearTimeout(timer);
        socket.removeAllListeners();
        // Errors of a connection that is no longer needed do not matter.
        socket.on('error', () => {});
        if (isOver) {
          this.#socket = null;
          socket.destroy();
        }
        resolve(reply);
      };
      const timer = setTimeout(() => {
        this.#socket = null;
        socket.destroy();
        reject(
          new Error(`no answer within ${TIME_LIMIT_MS} ms to ${JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 2000))}`),
        );
      }, TIME_LIMIT_MS);
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const parsed = replyIn(received, hasBody);
        if (parsed !== null) finish(parsed.reply, isLast || parsed.closes);
      });
      socket.on('error', () => {});
      socket.on('close', () => finish(replyIn(received, hasBody, true)?.reply ?? { status: null, body: '' }, true));
      if (isLast) socket.end(bytes);
      else socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }
}

/** The answer at the beginning of the bytes; null: it has not come in full. */
function replyIn(bytes: Buffer, hasBody: boolean, isOver = false): { readonly reply: RawReply; readonly closes: boolean } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.subarray(0, end).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? NaN);
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1];
  const rest = bytes.subarray(end + 4);
  const closes = /^connection: *close$/im.test(head);
  // What follows are frames.
  if (status === 101) return { reply: { status, body: '' }, closes: true };
  if (!hasBody) return { reply: { status, body: '' }, closes };
  // The HTTP server itself answers in chunks, and says nothing in them.
  if (/^transfer-encoding: *chunked$/im.test(head)) return rest.includes('0\r\n\r\n') ? { reply: { status, body: '' }, closes } : null;
  // Without a length it is the end of the connection that ends it.
  if (length === undefined) return isOver ? { reply: { status, body: rest.toString() }, closes: true } : null;
  if (rest.length < Number(length)) return null;
  return { reply: { status, body: rest.subarray(0, Number(length)).toString() }, closes };
}
