// The processes of a comparison: some answer each line of input with a line of output, others print one figure and end.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

export class Part {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** `words`: what node is to run, with its arguments. */
  constructor(words: readonly string[]) {
    this.#child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: Interface = createInterface({ input: this.#child.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`a part of the benchmark ended: ${this.#child.spawnargs.slice(1, 4).join(' ')}`);
    return value;
  }

  ask(text: string | number): Promise<string> {
    this.#child.stdin!.write(`${text}\n`);
    return this.line();
  }

  /** For one that ends with its input. */
  end(): void {
    this.#child.stdin!.end();
  }

  /** For one that ends at a signal. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Runs a part of the benchmark in a process of its own and returns what it prints. */
export function inProcess(...words: readonly string[]): string {
  const script = new URL('../bench/run.mjs', import.meta.url).pathname;
  return execFileSync(process.execPath, ['--expose-gc', script, ...words], { encoding: 'utf8' });
}
