// Tests that cells of CSV files which a spreadsheet would execute as formulas are quoted.

import { expect, it } from 'vitest';
import { quoteCell } from './csvFile.ts';

it.each([
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+1+cmd', "'+1+cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-2+3', "'-2+3"],
  ['\tx', "'\tx"],
  // Numbers, and texts that do not begin like a formula, stay unchanged.
  ['-5', '-5'],
  ['-0.25', '-0.25'],
  ['level -1', 'level -1'],
])('the label %j is written to a CSV as %j', (label, cell) => {
  expect(quoteCell(label)).toBe(cell);
});
