// The report of a fault run: the row for machines, the row of the table, and the problem with the command that repeats the case.

import type { FaultResult, RunOptions } from './faultRun.ts';

export const isRight = ({ lost, duplicated, unresolved, ledgerEqual, wrong }: FaultResult): boolean =>
  lost + duplicated + unresolved === 0 && ledgerEqual && wrong.length === 0;

/** What `--json` prints for each fault. */
export const rowOf = ({ fault, orders, lost, duplicated, unresolved, ledgerEqual }: FaultResult) => ({
  fault,
  orders,
  lost,
  duplicated,
  unresolved,
  ledgerEqual,
});

export const HEADERS = ['fault', 'orders', 'unknown', 'fills', 'lost', 'duplicated', 'unresolved', 'ledger', 's'];
const WIDTHS = [24, 7, 8, 6, 5, 11, 11, 9, 4];
export const lineOf = (cells: readonly (string | number)[]): string =>
  `${cells
    .map((cell, at) => String(cell).padEnd(WIDTHS[at] ?? 0))
    .join('')
    .trimEnd()}\n`;

export function shown({ fault, orders, unknown, fills, lost, duplicated, unresolved, ledgerEqual, seconds }: FaultResult): string {
  return lineOf([fault, orders, unknown, fills, lost, duplicated, unresolved, ledgerEqual ? 'equal' : 'differs', seconds]);
}

const MAX = 10;

/** `log`: the file of what its bot has said. */
export function reported({ fault, halts, wrong }: FaultResult, { seed, orders, speed }: RunOptions, log: string): string {
  const more = wrong.length > MAX ? [`and ${wrong.length - MAX} more`] : [];
  const cleared = halts.length > 0 ? [`halts that were cleared: ${halts.join(', ')}`] : [];
  const command = `npm run faults -- --only "${fault}" --seed ${seed} --orders ${orders} --speed ${speed} --jobs 1`;
  const lines = [...wrong.slice(0, MAX), ...more, ...cleared, `its bot said: ${log}`, `again: ${command}`];
  return [`${fault} is not as it must be:`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}
