// Runs parts of the benchmark in processes of their own. Some answer each line of input with a line of output, others print once and end.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

/** A child process of Node that answers lines. */
export class PartProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** Starts Node with `nodeArgs`: the script and its arguments. */
  constructor(nodeArgs: readonly string[]) {
    this.#child = spawn(process.execPath, nodeArgs, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: Interface = createInterface({ input: this.#child.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Resolves with the next line of output. Throws if the process has ended. */
  async nextLine(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`a part of the benchmark ended: ${this.#child.spawnargs.slice(1, 4).join(' ')}`);
    return value;
  }

  /** Sends a line of input and resolves with the line that answers it. */
  request(line: string | number): Promise<string> {
    this.#child.stdin!.write(`${line}\n`);
    return this.nextLine();
  }

  /** Closes the input, for a process that ends with it. */
  end(): void {
    this.#child.stdin!.end();
  }

  /** Sends SIGTERM and waits for the exit, for a process that ends at a signal. */
  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** Runs the benchmark with `args` in a process of its own and returns what it prints. */
export function runPartProcess(...args: readonly string[]): string {
  const script = new URL('../bench/run.mjs', import.meta.url).pathname;
  return execFileSync(process.execPath, ['--expose-gc', script, ...args], { encoding: 'utf8' });
}
