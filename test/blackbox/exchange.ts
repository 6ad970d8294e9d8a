// Starts the built `isobar exchange` command as a separate process, with its config files in a folder and a stopped clock.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../dist/cli/isobar.js', import.meta.url));

/** Files of the folder by name; those of keys are for their owner alone. */
export type Files = Readonly<Record<string, string>>;

interface FirstLine {
  readonly spot: string;
  readonly futures: string;
  readonly control: string;
  /** The key of the demonstration. */
  readonly key?: string;
  readonly secret?: string;
}

export class Exchange {
  readonly origin: string;
  /** The key of the account of a demonstration; empty elsewhere. */
  readonly key: string;
  readonly secret: string;
  /** Ms UTC that its requests are judged by. */
  nowMs = 0;
  readonly #child: ChildProcess;
  readonly #control: string;
  readonly #folder: string;
  #stderr = '';

  private constructor(child: ChildProcess, folder: string, { spot, control, key = '', secret = '' }: FirstLine) {
    this.#child = child;
    this.#folder = folder;
    this.origin = spot;
    this.key = key;
    this.secret = secret;
    this.#control = control;
    child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
  }

  /** Starts one from `exchange.yaml` among `files`, with free ports, and stops its clock. */
  static async start(files: Files): Promise<Exchange> {
    const exchange = await Exchange.#open('exchange.yaml', files);
    await exchange.clock({ pause: true });
    return exchange;
  }

  /** Starts the demonstration, whose prices and clock run. */
  static demo(): Promise<Exchange> {
    return Exchange.#open('--demo', {});
  }

  static async #open(what: string, files: Files): Promise<Exchange> {
    const folder = mkdtempSync(join(tmpdir(), 'isobar-blackbox-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
    const args = ['exchange', what, '--port', '0', '--control', '0', '--quiet'];
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    return new Exchange(child, folder, JSON.parse(await firstLine(child)) as FirstLine);
  }

  /** Still running: no request has brought it down. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it said on stderr. */
  get complaints(): string {
    return this.#stderr;
  }

  async clock(body: object): Promise<void> {
    const { now } = (await this.#ask('POST', '/clock', body)) as { now: number };
    this.nowMs = now;
  }

  step(stepMs: number): Promise<void> {
    return this.clock({ stepMs });
  }

  async faults(schedule: readonly object[]): Promise<void> {
    await this.#ask('POST', '/faults', { seed: 1, schedule });
  }

  /** All that it knows of accounts, orders and positions, as text to compare. */
  async truth(): Promise<string> {
    return JSON.stringify(await this.#ask('GET', '/truth'));
  }

  async stop(): Promise<void> {
    if (this.isAlive) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #ask(method: string, path: string, body?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#control}${path}`, { method }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path} of the control port: ${response.statusCode} ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [out, err] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')));
    });
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the exchange ended with ${code}: ${out}${err}`)));
  });
}
