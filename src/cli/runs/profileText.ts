// Output of `isobar report --as` for people: each figure of the tool with ours, then the definitions. At most 100 columns.

import { NONE } from '../../base/text/format.ts';
import type { ProfileFigure, ProfileReason } from '../../report/profiles/figures/figure.ts';
import type { Profile } from '../../report/profiles/profile.ts';
import type { Summary } from '../../report/summary/summary.ts';
import { marketNames, strategyNames } from '../../report/terminal/closingTable.ts';
import { REASONS } from '../../report/words/figures.ts';
import { table } from '../terminal/tables.ts';
import { indented, labelled } from '../terminal/wrapped.ts';

/** Number of significant digits that are shown. JSON has all digits. */
const DIGITS = 8;

/** Returns the lines of a profile. */
export function profileLines(
  { as: name, package: packageName, version, input, figures }: Profile,
  note: string | null,
  { run }: Summary,
): string[] {
  const rows = figures.map((figure) => [
    `  ${figure.name}`,
    numberText(figure.original, figure),
    numberText(figure.corrected, figure),
    remark(figure),
  ]);
  return [
    ...labelled('  ', `${strategyNames(run)}  ${marketNames(run).join(', ')}: the figures of ${packageName} ${version} by its definitions`),
    ...labelled('  Input  ', input),
    ...(note === null ? [] : labelled('  Note   ', note)),
    '',
    ...table(['  figure', name, 'isobar', 'where it is in summary.json'], rows, 'lrrl'),
    '',
    '  Definitions',
    ...figures.flatMap(definitionLines),
  ];
}

function definitionLines({ name, formula, differs }: ProfileFigure): string[] {
  return [...labelled(`  ${name}: `, formula), ...indented(differs, 6)];
}

/** Returns where our figure is and whether both are equal, or why ours is undefined. */
function remark({ equal, reason, isobar }: ProfileFigure): string {
  if (reason !== null) return reasonText(reason);
  return `${isobar ?? ''}${equal ? ' equal' : ''}`.trim();
}

function reasonText(reason: ProfileReason): string {
  return reason === 'not-sound' ? 'not sound, see below' : REASONS[reason];
}

function numberText(value: number | string | null, { unit }: ProfileFigure): string {
  if (value === null) return NONE;
  if (typeof value === 'string') return value;
  return `${shortNumber(value)}${unit === 's' ? ' s' : ''}`;
}

function shortNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e12) return String(value);
  const size = Math.abs(value);
  return size >= 1e-4 && size < 1e10 ? String(Number(value.toPrecision(DIGITS))) : value.toExponential(DIGITS - 3);
}
