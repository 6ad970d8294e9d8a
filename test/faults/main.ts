// Every fault of the table, or those that are named, as a table or as JSON; progress and what is wrong on stderr.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { progressLine } from '../../src/cli/terminal/progressLine.ts';
import { FAULTS, type FaultCase } from './faultTable.ts';
import { runFault, type FaultResult, type RunOptions } from './faultRun.ts';
import { HEADERS, isRight, lineOf, reported, rowOf, shown } from './report.ts';

declare const ROOT: string;

export interface Options {
  readonly json?: boolean;
  readonly orders?: string;
  /** Names, with commas between them. */
  readonly only?: string;
  readonly seed?: string;
  readonly speed?: string;
  /** Cases that run at once: they wait more than they work. */
  readonly jobs?: string;
  /** The messages of the bots, on stderr. */
  readonly verbose?: boolean;
}

/** The exit code: 1 where something is not as it must be. */
export async function main({ json = false, only, verbose = false, jobs = '4', ...numbers }: Options): Promise<number> {
  const names = only?.split(',') ?? [];
  const unknown = names.filter((name) => !FAULTS.some((each) => each.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`no such fault: ${unknown.join(', ')}; there is ${FAULTS.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const { orders = '500', seed = '1', speed = '10' } = numbers;
  const chosen = FAULTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const campaign = new Campaign(chosen, { root: ROOT, orders: Number(orders), seed: Number(seed), speed: Number(speed) }, json, verbose);
  if (!json) process.stdout.write(lineOf(HEADERS));
  const results = await campaign.run(Number(jobs));
  if (json) process.stdout.write(`${JSON.stringify(results.map(rowOf), null, 2)}\n`);
  return results.every(isRight) ? 0 : 1;
}

class Campaign {
  readonly #chosen: readonly FaultCase[];
  readonly #options: RunOptions;
  readonly #json: boolean;
  readonly #verbose: boolean;
  /** Orders that have been sent, of each fault that has begun. */
  readonly #sent = new Map<FaultCase, number>();
  readonly #progress = progressLine('orders');

  constructor(chosen: readonly FaultCase[], options: RunOptions, json: boolean, verbose: boolean) {
    this.#chosen = chosen;
    this.#options = options;
    this.#json = json;
    this.#verbose = verbose;
  }

  /** In the order of the table, whichever ends first. */
  async run(jobs: number): Promise<readonly FaultResult[]> {
    const results = new Map<FaultCase, FaultResult>();
    // Those that take longest begin first, or the last of them runs alone.
    const waiting = this.#chosen.toSorted((a, b) => Number(b.isLong ?? false) - Number(a.isLong ?? false));
    const work = async (): Promise<void> => {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) results.set(fault, await this.#one(fault));
    };
    await Promise.all(Array.from({ length: jobs }, work));
    this.#progress.clear();
    return this.#chosen.map((fault) => results.get(fault)!);
  }

  async #one(fault: FaultCase): Promise<FaultResult> {
    const { name } = fault;
    const text: string[] = [];
    const result = await runFault(fault, {
      ...this.#options,
      notify: (message) => {
        text.push(message);
        if (this.#verbose) process.stderr.write(`${name}: ${message}`);
      },
      sent: (orders) => this.#at(fault, orders),
    }).catch((error: unknown) => brokenOff(name, error));
    this.#at(fault, this.#options.orders);
    this.#progress.clear();
    if (!this.#json) process.stdout.write(shown(result));
    if (!isRight(result)) process.stderr.write(reported(result, this.#options, kept(name, text)));
    return result;
  }

  #at(fault: FaultCase, orders: number): void {
    const max = this.#options.orders;
    this.#sent.set(fault, Math.min(orders, max));
    const done = [...this.#sent.values()].reduce((sum, each) => sum + each, 0);
    this.#progress.show(this.#chosen.length === 1 ? fault.name : `${this.#chosen.length} faults`, done, done / (max * this.#chosen.length));
  }
}

/** The file with all that the bot of a failed run has said. */
function kept(name: string, text: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'isobar-fault-')), `${name.replaceAll(' ', '-')}.log`);
  writeFileSync(file, text.join(''));
  return file;
}

/** A run that did not come to its end proves nothing. */
const brokenOff = (fault: string, error: unknown): FaultResult => ({
  fault,
  orders: 0,
  lost: 0,
  duplicated: 0,
  unresolved: 0,
  ledgerEqual: false,
  unknown: 0,
  fills: 0,
  halts: [],
  seconds: 0,
  wrong: [`broken off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
});
