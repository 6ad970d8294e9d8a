// Runs a paper exchange in a process of its own. Its control port sets faults, moves the clock and reports the true state.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** One row of a fault schedule, in the form of the control port. */
export interface FaultRow {
  readonly point: string;
  readonly op?: string;
  readonly p?: number;
  readonly nth?: number;
  readonly params?: Readonly<Record<string, number | string>>;
}

const asset = z.object({ asset: z.string(), free: z.string(), locked: z.string() });
const truthSchema = z.object({
  now: z.number(),
  held: z.number(),
  accounts: z.array(z.object({ balances: z.array(asset), futures: z.array(asset.extend({ margin: z.string() })) })),
  orders: z.array(z.object({ id: z.string(), clientOrderId: z.string().nullable() })),
  positions: z.array(z.object({ symbol: z.string(), side: z.enum(['BUY', 'SELL']), volume: z.string() })),
});
/** The true state of the exchange: accounts, open orders and positions. */
export type Truth = z.output<typeof truthSchema>;

const ordersSchema = z.object({
  orders: z.array(z.object({ id: z.string(), clientOrderId: z.string().nullable(), status: z.string(), filled: z.string() })),
});
/** An order that the exchange has ever accepted. */
export type TrueOrder = z.output<typeof ordersSchema>['orders'][number];

/** An exchange process that a run can stop and start again. */
export class PaperExchange {
  readonly url: string;
  readonly #control: string;
  readonly #arguments: readonly string[];
  readonly #speed: number;
  #process: ChildProcess | null = null;

  private constructor(ports: readonly [number, number], args: readonly string[], speed: number) {
    this.url = `http://127.0.0.1:${ports[0]}`;
    this.#control = `http://127.0.0.1:${ports[1]}`;
    this.#arguments = [...args, '--port', String(ports[0]), '--control', String(ports[1])];
    this.#speed = speed;
  }

  /** Starts the exchange from the built package in `root`. `data` is the folder of its store; null keeps nothing. */
  static async open(root: string, config: string, data: string | null, speed: number): Promise<PaperExchange> {
    const args = [join(root, 'dist/cli/isobar.js'), 'exchange', config, '--quiet', ...(data === null ? [] : ['--data', data])];
    const exchange = new PaperExchange([await freePort(), await freePort()], args, speed);
    await exchange.#start();
    return exchange;
  }

  /** Starts the process, and waits for its first line. */
  async #start(): Promise<void> {
    const child = spawn(process.execPath, this.#arguments, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = child;
    const lines = createInterface({ input: child.stdout });
    const exited = once(child, 'exit').then(() => {
      throw new Error('the paper exchange did not start');
    });
    await Promise.race([once(lines, 'line'), exited]);
    exited.catch(() => {});
    await this.clock({ speed: this.#speed });
  }

  /** Crashes the process after `afterRecords` more records, and starts it again. Its clock continues as if it had not stopped. */
  async restart(afterRecords: number): Promise<void> {
    const timeBeforeMs = (await this.truth()).now;
    const crashStartMs = performance.now();
    const ended = once(this.#process!, 'exit');
    await this.#post('/crash', { at: { record: afterRecords } });
    await ended;
    await this.#start();
    const behindMs = timeBeforeMs + (performance.now() - crashStartMs) * this.#speed - (await this.truth()).now;
    if (behindMs > 0) await this.clock({ stepMs: Math.round(behindMs) });
  }

  async faults(seed: number, schedule: readonly FaultRow[]): Promise<void> {
    await this.#post('/faults', { seed, schedule });
  }
  async clock(body: Readonly<Record<string, number>>): Promise<void> {
    await this.#post('/clock', body);
  }
  async truth(): Promise<Truth> {
    return truthSchema.parse(await (await fetch(`${this.#control}/truth`)).json());
  }
  /** Returns every order that the exchange has ever accepted. */
  async orders(): Promise<readonly TrueOrder[]> {
    return ordersSchema.parse(await (await fetch(`${this.#control}/truth/orders`)).json()).orders;
  }

  async close(): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'exit');
    child.kill('SIGTERM');
    await closed;
  }

  async #post(path: string, body: unknown): Promise<void> {
    const response = await fetch(`${this.#control}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  }
}

/** Returns a free port. The exchange must have the same port after a restart, so it cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
