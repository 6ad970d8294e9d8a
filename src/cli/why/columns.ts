// Formats tables whose last column wraps, so that lines fit the width of a section.

import { COLUMNS } from '../../report/terminal/lines.ts';
import { alignedRows } from '../terminal/tables.ts';
import { wrapped } from '../terminal/wrapped.ts';

/** Width of a section's lines without their indent. */
export const WIDTH = COLUMNS - 4;
/** Maximum width of a cell, except in the last column. */
const MAX_CELL = 38;
const MIN_LAST = 20;

/** Returns a table. The first row may be a head. */
export function rowsText(rows: readonly (readonly string[])[], sides = ''): readonly string[] {
  const short = rows.map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cutCell(cell))));
  const last = (short[0]?.length ?? 1) - 1;
  const before = alignedRows(short.map((row) => [...row.slice(0, last), '|']), sides); // prettier-ignore
  const lead = Math.max(...before.map((line) => line.length)) - 1;
  const lastWidth = Math.max(MIN_LAST, WIDTH - lead);
  return short.flatMap((row, at) => {
    const lines = wrapped(row[last] ?? '', lastWidth);
    return lines.map((line, of) => `${of === 0 ? before[at]!.slice(0, -1).padEnd(lead) : ' '.repeat(lead)}${line}`.trimEnd());
  });
}

export function cutCell(cell: string, max = MAX_CELL): string {
  return cell.length <= max ? cell : `${cell.slice(0, max - 3)}...`;
}
