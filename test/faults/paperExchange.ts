// A paper exchange as a process of its own. Its control port orders faults, moves its clock and reports its state.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** One row of a schedule, as the control port takes it. */
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
export type Truth = z.output<typeof truthSchema>;

const ordersSchema = z.object({
  orders: z.array(z.object({ id: z.string(), clientOrderId: z.string().nullable(), status: z.string(), filled: z.string() })),
});
export type TrueOrder = z.output<typeof ordersSchema>['orders'][number];

export class PaperExchange {
  readonly url: string;
  readonly #control: string;
  readonly #arguments: readonly string[];
  readonly #speed: number;
  #process: ChildProcess | null = null;

  private constructor(ports: readonly [number, number], given: readonly string[], speed: number) {
    this.url = `http://127.0.0.1:${ports[0]}`;
    this.#control = `http://127.0.0.1:${ports[1]}`;
    this.#arguments = [...given, '--port', String(ports[0]), '--control', String(ports[1])];
    this.#speed = speed;
  }

  /** `root`: of the package, which is built. `data`: the folder in which it lasts; null: it does not. */
  static async open(root: string, config: string, data: string | null, speed: number): Promise<PaperExchange> {
    const given = [join(root, 'dist/cli/isobar.js'), 'exchange', config, '--quiet', ...(data === null ? [] : ['--data', data])];
    const exchange = new PaperExchange([await freePort(), await freePort()], given, speed);
    await exchange.#start();
    return exchange;
  }

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

  /** Ends the process after some more writes of its record, and starts it again. Its time continues as if it had not stopped. */
  async restart(afterRecords: number): Promise<void> {
    const before = (await this.truth()).now;
    const atMs = performance.now();
    const ended = once(this.#process!, 'exit');
    await this.#post('/crash', { at: { record: afterRecords } });
    await ended;
    await this.#start();
    const behindMs = before + (performance.now() - atMs) * this.#speed - (await this.truth()).now;
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
  /** Every order that was ever taken. */
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
    const answer = await fetch(`${this.#control}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  }
}

/** It has to be the same after a restart, so that the exchange cannot choose it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
