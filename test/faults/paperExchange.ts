// Runs a paper exchange in a process of its own. Its control port sets faults, moves the clock and reports the true state.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
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

/** The first line of the exchange. */
const addressesSchema = z.object({ spot: z.string(), control: z.string() });
type Addresses = z.output<typeof addressesSchema>;

const ordersSchema = z.object({
  orders: z.array(z.object({ id: z.string(), clientOrderId: z.string().nullable(), status: z.string(), filled: z.string() })),
});
/** An order that the exchange has ever accepted. */
export type TrueOrder = z.output<typeof ordersSchema>['orders'][number];

/** An exchange process that a run can stop and start again. */
export class PaperExchange {
  readonly #arguments: readonly string[];
  readonly #speed: number;
  /** Its addresses. The system chooses the ports of the first process, and later ones listen on the same. */
  #addresses: Addresses = { spot: 'http://127.0.0.1:0', control: 'http://127.0.0.1:0' };
  #process: ChildProcess | null = null;

  private constructor(args: readonly string[], speed: number) {
    this.#arguments = args;
    this.#speed = speed;
  }

  get url(): string {
    return this.#addresses.spot;
  }
  get #control(): string {
    return this.#addresses.control;
  }

  /** Starts the exchange from the built package in `root`. `data` is the folder of its store; null keeps nothing. */
  static async open(root: string, config: string, data: string | null, speed: number): Promise<PaperExchange> {
    const args = [join(root, 'dist/cli/isobar.js'), 'exchange', config, '--quiet', ...(data === null ? [] : ['--data', data])];
    const exchange = new PaperExchange(args, speed);
    await exchange.#start();
    return exchange;
  }

  /** Starts the process, and waits for its first line, which has its addresses. */
  async #start(): Promise<void> {
    const ports = ['--port', new URL(this.url).port, '--control', new URL(this.#control).port];
    const child = spawn(process.execPath, [...this.#arguments, ...ports], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = child;
    const lines = createInterface({ input: child.stdout });
    const exited = once(child, 'exit').then(() => {
      throw new Error('the paper exchange did not start');
    });
    const [firstLine] = await Promise.race([once(lines, 'line'), exited]);
    exited.catch(() => {});
    this.#addresses = addressesSchema.parse(JSON.parse(String(firstLine)));
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
