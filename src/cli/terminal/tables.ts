// Formats text in aligned columns.

/**
 * Returns one line for each row, with two spaces between columns. `sides` aligns the columns: each character is `l` (left) or `r` (right).
 * Columns beyond its end are aligned to the left.
 */
export function alignedRows(rows: readonly (readonly string[])[], sides = ''): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const padCell = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return sides[column] === 'r' ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(padCell).join('  ').trimEnd());
}

/** Returns the rows aligned under their headings. Empty when there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], sides: string): string[] {
  return rows.length === 0 ? [] : alignedRows([head, ...rows], sides);
}
