// Load over plain sockets: many connections, each with one request under way, as cheap for this process as it can be.

import { connect, type Socket } from 'node:net';

export interface LoadFigures {
  readonly perSecond: number;
  /** The median time from a request to the end of its answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('content-length: ');

/** One keep-alive connection: sends what it is given, and reports the end of each answer. */
class Connection {
  readonly #socket: Socket;
  #answered: (status: number) => void = () => {};
  #failed: (error: Error) => void = () => {};
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', () => this.#failed(new Error('a server closed its connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** The status of the answer. */
  ask(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#failed = () => {};
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = all;
    const end = all.indexOf(HEAD_END);
    if (end < 0) return;
    const head = all.subarray(0, end).toString('latin1').toLowerCase();
    const at = head.indexOf(LENGTH.toString());
    if (at < 0) throw new Error(`an answer without a length: ${head}`);
    const length = Number.parseInt(head.slice(at + LENGTH.length), 10);
    if (all.length < end + HEAD_END.length + length) return;
    this.#rest = Buffer.alloc(0);
    this.#answered(Number(head.slice(9, 12)));
  }
}

/** Sends every request, `connections` of them at a time. Throws at an answer that is not 200. */
export async function load(port: number, connections: number, requests: readonly Buffer[]): Promise<LoadFigures> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const tookMs = new Float64Array(requests.length);
  let next = 0;
  const run = async (connection: Connection): Promise<void> => {
    while (next < requests.length) {
      const at = next++;
      const fromMs = performance.now();
      const status = await connection.ask(requests[at]!);
      tookMs[at] = performance.now() - fromMs;
      if (status !== 200) throw new Error(`request ${at} was answered with ${status}: ${requests[at]!.toString().slice(0, 300)}`);
    }
  };
  const fromMs = performance.now();
  try {
    await Promise.all(open.map(run));
  } finally {
    for (const connection of open) connection.close();
  }
  const perSecond = (requests.length / (performance.now() - fromMs)) * 1000;
  tookMs.sort();
  const share = (part: number): number => tookMs[Math.floor(tookMs.length * part)]!;
  return { perSecond, p50Ms: share(0.5), p99Ms: share(0.99) };
}
