// Formats the results of fault runs: JSON rows, table lines, and a problem report with the command that repeats the case.

import type { FaultResult, FaultRunOptions } from './faultRun.ts';

/** True when a result has no violation. */
export const isClean = ({ lost, duplicated, unresolved, ledgerEqual, violations }: FaultResult): boolean =>
  lost + duplicated + unresolved === 0 && ledgerEqual && violations.length === 0;

/** Returns the members that `--json` prints for a fault. */
export const jsonRow = ({ fault, orders, lost, duplicated, unresolved, ledgerEqual }: FaultResult) => ({
  fault,
  orders,
  lost,
  duplicated,
  unresolved,
  ledgerEqual,
});

/** The columns of the table. */
export const HEADERS = ['fault', 'orders', 'unknown', 'fills', 'lost', 'duplicated', 'unresolved', 'ledger', 's'];
const WIDTHS = [24, 7, 8, 6, 5, 11, 11, 9, 4];

/** Returns a line of the table with aligned cells. */
export const tableLine = (cells: readonly (string | number)[]): string =>
  `${cells
    .map((cell, column) => String(cell).padEnd(WIDTHS[column] ?? 0))
    .join('')
    .trimEnd()}\n`;

/** Returns the table line of a result. */
export function resultLine({ fault, orders, unknown, fills, lost, duplicated, unresolved, ledgerEqual, seconds }: FaultResult): string {
  return tableLine([fault, orders, unknown, fills, lost, duplicated, unresolved, ledgerEqual ? 'equal' : 'differs', seconds]);
}

/** Maximum number of violations that a problem report lists. */
const MAX_LISTED = 10;

/** Returns the problem report of a fault. `logFile` is the log of its bot. */
export function problemReport(
  { fault, halts, violations }: FaultResult,
  { seed, orders, speed }: FaultRunOptions,
  logFile: string,
): string {
  const omitted = violations.length > MAX_LISTED ? [`and ${violations.length - MAX_LISTED} more`] : [];
  const cleared = halts.length > 0 ? [`halts that were cleared: ${halts.join(', ')}`] : [];
  const command = `npm run faults -- --only "${fault}" --seed ${seed} --orders ${orders} --speed ${speed} --jobs 1`;
  const lines = [...violations.slice(0, MAX_LISTED), ...omitted, ...cleared, `log of the bot: ${logFile}`, `repeat: ${command}`];
  return [`${fault} has violations:`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}
