// Finds clients that have stopped reading their replies, and closes their connections.

import type { Socket } from 'node:net';

/** The bytes of a connection at the last check. */
interface Seen {
  readonly written: number;
  readonly unsent: number;
}

const NOTHING: Seen = { written: 0, unsent: 0 };

export class StalledClients {
  readonly #seen = new Map<Socket, Seen>();

  /** Watches a connection until it is closed. A connection may come twice, because an upgrade that is ignored puts it back. */
  watch(socket: Socket): void {
    if (this.#seen.has(socket)) return;
    this.#seen.set(socket, NOTHING);
    socket.once('close', () => this.#seen.delete(socket));
  }

  /** Closes the connections whose client has read nothing since the last call, although replies wait for it. */
  close(): void {
    for (const [socket, { written, unsent }] of this.#seen) {
      if (unsent > 0 && socket.writableLength === unsent && socket.bytesWritten === written) socket.destroy();
      else this.#seen.set(socket, { written: socket.bytesWritten, unsent: socket.writableLength });
    }
  }
}
