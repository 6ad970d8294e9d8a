// Every fault of the table, or those that are named, as a table or as JSON.

import { FAULTS } from './faultTable.ts';
import { runFault, type FaultResult } from './faultRun.ts';

declare const ROOT: string;

export interface Options {
  readonly json?: boolean;
  readonly orders?: string;
  /** Names, with commas between them. */
  readonly only?: string;
  readonly seed?: string;
  readonly speed?: string;
  /** So many at once: they wait more than they work. */
  readonly jobs?: string;
  /** What the bots say, on stderr. */
  readonly verbose?: boolean;
}

/** The exit code: 1 where something is not as it must be. */
export async function main({
  json = false,
  orders = '500',
  only,
  seed = '1',
  speed = '10',
  jobs = '4',
  verbose = false,
}: Options): Promise<number> {
  const names = only?.split(',') ?? [];
  const unknown = names.filter((name) => !FAULTS.some((each) => each.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`no such fault: ${unknown.join(', ')}; there is ${FAULTS.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const chosen = FAULTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const results = new Map<string, FaultResult>();
  if (!json) process.stdout.write(lineOf(HEADERS));
  const waiting = [...chosen];
  const work = async (): Promise<void> => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const { name } = fault;
      const tell = verbose ? (says: string): void => void process.stderr.write(`${name}: ${says}`) : () => {};
      const options = { root: ROOT, orders: Number(orders), seed: Number(seed), speed: Number(speed), tell };
      const result = await runFault(fault, options).catch((error: unknown) => brokenOff(name, error));
      results.set(name, result);
      if (!json) process.stdout.write(shown(result));
    }
  };
  await Promise.all(Array.from({ length: Number(jobs) }, work));
  if (json)
    process.stdout.write(
      `${JSON.stringify(
        chosen.map(({ name }) => results.get(name)),
        null,
        2,
      )}\n`,
    );
  return Array.from(results.values()).every(isRight) ? 0 : 1;
}

const isRight = ({ lost, duplicated, unresolved, ledgerEqual, wrong }: FaultResult): boolean =>
  lost + duplicated + unresolved === 0 && ledgerEqual && wrong.length === 0;

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

const HEADERS = ['fault', 'orders', 'unknown', 'fills', 'lost', 'duplicated', 'unresolved', 'ledger', 's'];
const WIDTHS = [24, 7, 8, 6, 5, 11, 11, 9, 4];
const lineOf = (cells: readonly (string | number)[]): string =>
  `${cells
    .map((cell, at) => String(cell).padEnd(WIDTHS[at] ?? 0))
    .join('')
    .trimEnd()}\n`;

function shown(result: FaultResult): string {
  const { fault, orders, unknown, fills, lost, duplicated, unresolved, ledgerEqual, seconds, wrong } = result;
  const row = lineOf([fault, orders, unknown, fills, lost, duplicated, unresolved, ledgerEqual ? 'equal' : 'differs', seconds]);
  const most = 10;
  const more = wrong.length > most ? [`and ${wrong.length - most} more`] : [];
  return row + [...wrong.slice(0, most), ...more].map((each) => `  ${each}\n`).join('');
}
