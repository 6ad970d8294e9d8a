// Generates load over plain sockets: many connections, one request each at a time, at the lowest cost for this process.

import { connect, type Socket } from 'node:net';

/** The rate and the reply times of one load. */
export interface LoadFigures {
  readonly perSecond: number;
  /** The median time from a request to the end of its reply. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH_HEADER = 'content-length: ';
/** Offset of the status in `HTTP/1.1 200`. */
const STATUS_OFFSET = 9;

/** One keep-alive connection. Sends one request at a time and resolves with the status of its reply. */
class Connection {
  readonly #socket: Socket;
  #onReply: (status: number) => void = () => {};
  #onError: (error: Error) => void = () => {};
  /** The bytes of an incomplete reply. */
  #received: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', (error) => this.#onError(error));
    socket.on('close', () => this.#onError(new Error('a server closed its connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** Sends a request and resolves with the status of the reply. */
  request(bytes: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#onReply = resolve;
      this.#onError = reject;
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#onError = () => {};
    this.#socket.destroy();
  }

  /** Collects a reply, and reports its status once it is complete. */
  #onData(chunk: Buffer): void {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const headLength = received.indexOf(HEAD_END);
    if (headLength < 0) return;
    const head = received.subarray(0, headLength).toString('latin1').toLowerCase();
    const lengthStart = head.indexOf(LENGTH_HEADER);
    // Ends the process on purpose: without a length the benchmark cannot find the end of a reply.
    if (lengthStart < 0) throw new Error(`expected a reply with a content length, got ${head}`);
    const bodyLength = Number.parseInt(head.slice(lengthStart + LENGTH_HEADER.length), 10);
    if (received.length < headLength + HEAD_END.length + bodyLength) return;
    this.#received = Buffer.alloc(0);
    this.#onReply(Number(head.slice(STATUS_OFFSET, STATUS_OFFSET + 3)));
  }
}

/** Sends all requests, `connectionCount` of them at a time. Throws if the status of a reply is not 200. */
export async function sendLoad(port: number, connectionCount: number, requests: readonly Buffer[]): Promise<LoadFigures> {
  const connections = await Promise.all(Array.from({ length: connectionCount }, () => Connection.open(port)));
  const durationsMs = new Float64Array(requests.length);
  let next = 0;
  const sendRemaining = async (connection: Connection): Promise<void> => {
    while (next < requests.length) {
      const index = next++;
      const startMs = performance.now();
      const status = await connection.request(requests[index]!);
      durationsMs[index] = performance.now() - startMs;
      if (status !== 200)
        throw new Error(`expected status 200 for request ${index}, got ${status}: ${requests[index]!.toString().slice(0, 300)}`);
    }
  };
  const startMs = performance.now();
  try {
    await Promise.all(connections.map(sendRemaining));
  } finally {
    for (const connection of connections) connection.close();
  }
  const perSecond = (requests.length / (performance.now() - startMs)) * 1000;
  durationsMs.sort();
  const percentileMs = (fraction: number): number => durationsMs[Math.floor(durationsMs.length * fraction)]!;
  return { perSecond, p50Ms: percentileMs(0.5), p99Ms: percentileMs(0.99) };
}
