// Aligns the cells of text tables for the terminal. All commands that print tables use it.

import { largestOf } from '../../base/number/extremes.ts';

/**
 * Returns one line for each row, with two spaces between columns. Character n of `sides` aligns column n: `l` to the left, `r` to the right.
 * Columns without a character are aligned to the left. The first row determines the number of aligned columns.
 */
export function alignedRows(rows: readonly (readonly string[])[], sides = ''): string[] {
  const widths = (rows[0] ?? []).map((_, column) => largestOf(rows.map((row) => (row[column] ?? '').length)));
  const padCell = (cell: string, columnIndex: number): string => {
    const width = widths[columnIndex] ?? 0;
    return sides[columnIndex] === 'r' ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(padCell).join('  ').trimEnd());
}

/** Returns a line of headings and the lines of the rows, aligned as in `alignedRows`. Returns no line when there are no rows. */
export function alignedTable(headings: readonly string[], rows: readonly (readonly string[])[], sides: string): string[] {
  return rows.length === 0 ? [] : alignedRows([headings, ...rows], sides);
}

/** Returns the rows as one text, aligned as in `alignedRows` and indented by two spaces. */
export function indentedTable(rows: readonly (readonly string[])[], sides: string): string {
  const lines = alignedRows(rows, sides);
  return lines.map((line) => `  ${line}`).join('\n');
}
