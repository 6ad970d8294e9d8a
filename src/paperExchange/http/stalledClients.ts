// Finds clients that have stopped reading their replies, and closes their connections.

import type { Socket } from 'node:net';

/** The bytes of a connection at the last check. */
interface SocketProgress {
  readonly written: number;
  readonly unsent: number;
}

const NOTHING: SocketProgress = { written: 0, unsent: 0 };

/** The connections of a server, with their progress. */
export class StalledClients {
  readonly #progress = new Map<Socket, SocketProgress>();

  /** Watches a connection until it is closed. No effect for a watched one: an ignored upgrade passes a connection twice. */
  watch(socket: Socket): void {
    if (this.#progress.has(socket)) return;
    this.#progress.set(socket, NOTHING);
    socket.once('close', () => this.#progress.delete(socket));
  }

  /** Closes the connections whose client has read no byte since the last call although replies are waiting. */
  close(): void {
    for (const [socket, { written, unsent }] of this.#progress) {
      if (unsent > 0 && socket.writableLength === unsent && socket.bytesWritten === written) socket.destroy();
      else this.#progress.set(socket, { written: socket.bytesWritten, unsent: socket.writableLength });
    }
  }

  /** Closes every connection, whatever its client does. */
  closeAll(): void {
    for (const socket of this.#progress.keys()) socket.destroy();
  }
}
