// Formats text in aligned columns.

/**
 * Returns one line for each row. Cells are padded to the column width, with two spaces between columns. `sides` has l or r for each column.
 * Columns beyond its end are l.
 */
export function alignedRows(rows: readonly (readonly string[])[], sides = ''): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const padCell = (cell: string, at: number): string => (sides[at] === 'r' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0));
  return rows.map((row) => row.map(padCell).join('  ').trimEnd());
}

/** Returns the same under column headings. Empty when there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], sides: string): string[] {
  return rows.length === 0 ? [] : alignedRows([head, ...rows], sides);
}
