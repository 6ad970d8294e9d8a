// A table for the terminal: heads over columns, numbers to the right.

/** One row a line, two blanks between columns. `sides`: l or r for each column. Nothing at all where there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], sides: string): string[] {
  if (rows.length === 0) return [];
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  return all.map((row) => row.map((cell, at) => (sides[at] === 'r' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join('  ').trimEnd()); // prettier-ignore
}
