// Runs all faults or the named ones, and prints a table or JSON. Progress and violations go to stderr.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { progressLine } from '../../src/cli/terminal/progressLine.ts';
import { FAULTS, type FaultCase } from './faultTable.ts';
import { runFault, type FaultResult, type FaultRunOptions } from './faultRun.ts';
import { HEADERS, isClean, jsonRow, problemReport, resultLine, tableLine } from './report.ts';

/** The folder of the package, ending in a separator. The bundle sets it. */
declare const ROOT: string;

/** Options of the command line, as text. */
export interface FaultsOptions {
  readonly json?: boolean;
  readonly orders?: string;
  /** Names of faults, separated by commas. */
  readonly only?: string;
  readonly seed?: string;
  readonly speed?: string;
  /** Number of faults that run at once. They wait more than they work. */
  readonly jobs?: string;
  /** True to print the logs of the bots on stderr. */
  readonly verbose?: boolean;
}

/** Runs the faults. Returns the exit code: 0 without violations, 1 with one, 2 for an unknown name. */
export async function main({ json = false, only, verbose = false, jobs = '4', ...numbers }: FaultsOptions): Promise<number> {
  const names = only?.split(',') ?? [];
  const unknownNames = names.filter((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknownNames.length > 0) {
    process.stderr.write(`no such fault: ${unknownNames.join(', ')}; there is ${FAULTS.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const { orders = '500', seed = '1', speed = '10' } = numbers;
  const selected = FAULTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const options = { root: ROOT, orders: Number(orders), seed: Number(seed), speed: Number(speed) };
  const campaign = new Campaign(selected, options, { isJson: json, isVerbose: verbose });
  if (!json) process.stdout.write(tableLine(HEADERS));
  const results = await campaign.run(Number(jobs));
  if (json) process.stdout.write(`${JSON.stringify(results.map(jsonRow), null, 2)}\n`);
  return results.every(isClean) ? 0 : 1;
}

/** The selected faults and their results. */
class Campaign {
  readonly #selected: readonly FaultCase[];
  readonly #options: FaultRunOptions;
  /** Prints no table, because the caller prints all results as JSON. */
  readonly #isJson: boolean;
  /** Prints the logs of the bots on stderr. */
  readonly #isVerbose: boolean;
  /** Number of orders sent by each started fault. */
  readonly #sentByFault = new Map<FaultCase, number>();
  readonly #progress = progressLine('orders');

  constructor(
    selected: readonly FaultCase[],
    options: FaultRunOptions,
    { isJson, isVerbose }: { readonly isJson: boolean; readonly isVerbose: boolean },
  ) {
    this.#selected = selected;
    this.#options = options;
    this.#isJson = isJson;
    this.#isVerbose = isVerbose;
  }

  /** Runs the faults, `jobs` at once. Returns the results in the order of the table. */
  async run(jobs: number): Promise<readonly FaultResult[]> {
    const results = new Map<FaultCase, FaultResult>();
    // Start the long ones first, so that none of them runs alone at the end.
    const notStarted = this.#selected.toSorted((first, second) => Number(second.isLong ?? false) - Number(first.isLong ?? false));
    const runNext = async (): Promise<void> => {
      for (;;) {
        const fault = notStarted.shift();
        if (fault === undefined) return;
        results.set(fault, await this.#runFault(fault));
      }
    };
    await Promise.all(Array.from({ length: jobs }, runNext));
    this.#progress.clear();
    return this.#selected.map((fault) => results.get(fault)!);
  }

  /** Runs one fault, and prints its result. The log of a fault that failed is kept in a file. */
  async #runFault(fault: FaultCase): Promise<FaultResult> {
    const { name } = fault;
    const logLines: string[] = [];
    const result = await runFault(fault, {
      ...this.#options,
      notify: (message) => {
        logLines.push(message);
        if (this.#isVerbose) process.stderr.write(`${name}: ${message}`);
      },
      onProgress: (sentOrders) => this.#showProgress(fault, sentOrders),
    }).catch((error: unknown) => abortedResult(name, error));
    this.#showProgress(fault, this.#options.orders);
    this.#progress.clear();
    if (!this.#isJson) process.stdout.write(resultLine(result));
    if (!isClean(result)) process.stderr.write(problemReport(result, this.#options, writeLog(name, logLines)));
    return result;
  }

  /** Shows the share of orders that all selected faults have sent. */
  #showProgress(fault: FaultCase, sentOrders: number): void {
    const ordersPerFault = this.#options.orders;
    this.#sentByFault.set(fault, Math.min(sentOrders, ordersPerFault));
    const totalSent = [...this.#sentByFault.values()].reduce((sum, count) => sum + count, 0);
    const subject = this.#selected.length === 1 ? fault.name : `${this.#selected.length} faults`;
    this.#progress.show(subject, totalSent, totalSent / (ordersPerFault * this.#selected.length));
  }
}

/** Writes the log of a failed run to a file. Returns its path. */
function writeLog(name: string, logLines: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'isobar-fault-')), `${name.replaceAll(' ', '-')}.log`);
  writeFileSync(file, logLines.join(''));
  return file;
}

/** Returns the result of a run that did not reach its end. */
const abortedResult = (fault: string, error: unknown): FaultResult => ({
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
  violations: [`aborted: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
});
