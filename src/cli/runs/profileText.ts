// Output of `isobar report --as` for people: each figure of another tool beside that of isobar, then the definitions. At most 100 columns.

import { NONE } from '../../base/text/format.ts';
import type { ProfileFigure, ProfileReason } from '../../report/profiles/figures/figure.ts';
import type { FigureProfile } from '../../report/profiles/profile.ts';
import type { Summary } from '../../report/summary/summary.ts';
import { marketNames, strategyNames } from '../../report/terminal/closingTable.ts';
import { REASONS } from '../../report/words/figures.ts';
import { table } from '../terminal/tables.ts';
import { indentText, labelText } from '../terminal/wrapText.ts';

/** Number of significant digits in the table. JSON has all digits. */
const DIGITS = 8;

/** Returns the lines of a profile. `note` is a remark about the run, or null. */
export function profileLines(
  { as: name, package: packageName, version, input, figures }: FigureProfile,
  note: string | null,
  { run }: Summary,
): string[] {
  const rows = figures.map((figure) => [
    `  ${figure.name}`,
    numberText(figure.original, figure),
    numberText(figure.corrected, figure),
    remarkText(figure),
  ]);
  return [
    ...labelText(
      '  ',
      `${strategyNames(run)}  ${marketNames(run).join(', ')}: the figures of ${packageName} ${version} by its definitions`,
    ),
    ...labelText('  Input  ', input),
    ...(note === null ? [] : labelText('  Note   ', note)),
    '',
    ...table(['  figure', name, 'isobar', 'where it is in summary.json'], rows, 'lrrl'),
    '',
    '  Definitions',
    ...figures.flatMap(definitionLines),
  ];
}

/** Returns the formula of a figure, and how it differs from that of isobar. */
function definitionLines({ name, formula, differs }: ProfileFigure): string[] {
  return [...labelText(`  ${name}: `, formula), ...indentText(differs, 6)];
}

/** Returns where summary.json has the figure and whether both are equal, or why the figure is undefined. */
function remarkText({ equal, reason, isobar }: ProfileFigure): string {
  if (reason !== null) return reasonText(reason);
  return `${isobar ?? ''}${equal ? ' equal' : ''}`.trim();
}

/** Returns why a figure is undefined. */
function reasonText(reason: ProfileReason): string {
  return reason === 'not-sound' ? 'not sound, see below' : REASONS[reason];
}

/** Returns a figure as text, with its unit if it is a duration. */
function numberText(value: number | string | null, { unit }: ProfileFigure): string {
  if (value === null) return NONE;
  if (typeof value === 'string') return value;
  return `${shortNumber(value)}${unit === 's' ? ' s' : ''}`;
}

/** Returns a number with at most DIGITS significant digits. Integers keep all digits. */
function shortNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < 1e12) return String(value);
  return magnitude >= 1e-4 && magnitude < 1e10 ? String(Number(value.toPrecision(DIGITS))) : value.toExponential(DIGITS - 3);
}
