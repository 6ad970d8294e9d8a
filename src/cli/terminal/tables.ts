// Columns of text under one another.

/** One line a row, cells padded to the width of their column, two blanks between. */
export function alignedRows(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ').trimEnd()); // prettier-ignore
}
