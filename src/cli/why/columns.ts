// Formats tables whose last column wraps, so that lines fit the width of a section.

import { largestOf } from '../../base/number/extremes.ts';
import { COLUMNS } from '../../report/terminal/lines.ts';
import { alignedRows } from '../terminal/tables.ts';
import { wrapText } from '../terminal/wrapText.ts';

/** Width of the lines of a section, without their indent of four columns. */
export const WIDTH = COLUMNS - 4;
/** Maximum length of a cell, except in the last column. */
const MAX_CELL_LENGTH = 38;
/** Minimum width of the last column. */
const MIN_LAST_WIDTH = 20;

/** Returns the lines of a table. `sides` has l (left) or r (right) for each column. */
export function rowsText(rows: readonly (readonly string[])[], sides = ''): readonly string[] {
  const lastColumn = (rows[0]?.length ?? 1) - 1;
  // A mark in place of the last cell keeps the spaces before it, which `alignedRows` would remove at the end of a line.
  const firstCells = rows.map((row) => [...row.slice(0, lastColumn).map((cell) => cutCell(cell)), '|']);
  const markedLines = alignedRows(firstCells, sides);
  const leadWidth = largestOf(markedLines.map((line) => line.length)) - 1;
  const lastWidth = Math.max(MIN_LAST_WIDTH, WIDTH - leadWidth);
  return rows.flatMap((row, rowIndex) => {
    const firstLead = markedLines[rowIndex]!.slice(0, -1).padEnd(leadWidth);
    const lines = wrapText(row[lastColumn] ?? '', lastWidth);
    return lines.map((line, index) => `${index === 0 ? firstLead : ' '.repeat(leadWidth)}${line}`.trimEnd());
  });
}

/** Returns a cell of at most `maxLength` characters. A longer one ends with three dots. */
export function cutCell(cell: string, maxLength = MAX_CELL_LENGTH): string {
  return cell.length <= maxLength ? cell : `${cell.slice(0, maxLength - 3)}...`;
}
