// Starts the built `isobar exchange` command as a separate process, with its config files in a folder and a stopped clock.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../dist/cli/isobar.js', import.meta.url));

/** The texts of the files in the folder, by name. Only their owner may read them. */
export type Files = Readonly<Record<string, string>>;

/** The JSON that the command prints first. */
interface FirstLine {
  readonly spot: string;
  readonly futures: string;
  readonly control: string;
  /** The API key of the demonstration's account. */
  readonly key?: string;
  readonly secret?: string;
}

/** A running exchange process, its address and its control port. */
export class Exchange {
  readonly origin: string;
  /** The API key of the demonstration's account; empty for other exchanges. */
  readonly key: string;
  readonly secret: string;
  /** The exchange's time in ms UTC, as of the last clock command. */
  nowMs = 0;
  readonly #child: ChildProcess;
  readonly #controlUrl: string;
  readonly #folder: string;
  #stderr = '';

  private constructor(child: ChildProcess, folder: string, { spot, control, key = '', secret = '' }: FirstLine) {
    this.#child = child;
    this.#folder = folder;
    this.origin = spot;
    this.key = key;
    this.secret = secret;
    this.#controlUrl = control;
    child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
  }

  /** Starts an exchange from the file `exchange.yaml` on free ports, and stops its clock. */
  static async start(files: Files): Promise<Exchange> {
    const exchange = await Exchange.#open('exchange.yaml', files);
    await exchange.moveClock({ pause: true });
    return exchange;
  }

  /** Starts the demonstration. Its prices and its clock move. */
  static demo(): Promise<Exchange> {
    return Exchange.#open('--demo', {});
  }

  static async #open(configArg: string, files: Files): Promise<Exchange> {
    const folder = mkdtempSync(join(tmpdir(), 'isobar-blackbox-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
    const args = ['exchange', configArg, '--port', '0', '--control', '0', '--quiet'];
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    return new Exchange(child, folder, JSON.parse(await firstLine(child)) as FirstLine);
  }

  /** True while the process runs. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The output on stderr. */
  get errorOutput(): string {
    return this.#stderr;
  }

  /** Changes the exchange's clock through the control port. */
  async moveClock(body: object): Promise<void> {
    const reply = (await this.#control('POST', '/clock', body)) as { now: number };
    this.nowMs = reply.now;
  }

  /** Moves the exchange's clock forward. */
  stepClock(stepMs: number): Promise<void> {
    return this.moveClock({ stepMs });
  }

  /** Replaces the planted faults. */
  async setFaults(schedule: readonly object[]): Promise<void> {
    await this.#control('POST', '/faults', { seed: 1, schedule });
  }

  /** Returns the exchange's accounts, orders and positions as text to compare. */
  async readTruth(): Promise<string> {
    return JSON.stringify(await this.#control('GET', '/truth'));
  }

  /** Ends the process and removes its folder. */
  async stop(): Promise<void> {
    if (this.isAlive) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Calls the control port. Rejects unless the reply is 200. */
  #control(method: string, path: string, body?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const controlRequest = request(`${this.#controlUrl}${path}`, { method }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path} of the control port: ${response.statusCode} ${text}`));
        });
      });
      controlRequest.on('error', reject);
      controlRequest.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/** Resolves with the first line that the process prints. Rejects if it ends before. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')));
    });
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the exchange ended with ${code}: ${stdout}${stderr}`)));
  });
}
