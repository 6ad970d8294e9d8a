// Columns of text under one another.

/** One line a row, cells padded to the width of their column, two blanks between. `sides`: l or r for each column, l where it ends. */
export function alignedRows(rows: readonly (readonly string[])[], sides = ''): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const padded = (cell: string, at: number): string => (sides[at] === 'r' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0));
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}

/** The same under heads; nothing at all where there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], sides: string): string[] {
  return rows.length === 0 ? [] : alignedRows([head, ...rows], sides);
}
