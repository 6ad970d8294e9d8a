// Formats the output of `isobar report --as` for people, at most 100 columns wide. A table shows each figure as the other tool defines it and as
// isobar defines it. Then the definitions of the other tool follow.

import { NO_VALUE } from '../../base/text/format.ts';
import type { ProfileFigure, ProfileReason } from '../../report/profiles/figures/figure.ts';
import type { FigureProfile } from '../../report/profiles/profile.ts';
import type { Summary } from '../../report/summary/summary.ts';
import { marketNames, strategyNames } from '../../report/terminal/closingTable.ts';
import { REASONS } from '../../report/words/figures.ts';
import { alignedTable } from '../terminal/tables.ts';
import { indentText, labelText } from '../terminal/wrapText.ts';

/** Number of significant digits in the table. The JSON output has all digits. */
const SIGNIFICANT_DIGITS = 8;
/** Whole numbers below this are printed with all digits. */
const MAX_WHOLE = 1e12;
/** Fractions in this range are printed without an exponent. */
const PLAIN_RANGE = { min: 1e-4, max: 1e10 };
/** An exponent such as `e-12` takes about three characters, so a number with one has fewer decimals. */
const EXPONENT_LENGTH = 3;
/** Indentation of the text below the name of a figure. */
const INDENT = 6;

/** Returns the lines of the output. `note` is a remark about the run, or null. The summary names the run. */
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
    ...alignedTable(['  figure', name, 'isobar', 'where it is in summary.json'], rows, 'lrrl'),
    '',
    '  Definitions',
    ...figures.flatMap(definitionLines),
  ];
}

/** Returns the formula of a figure in the other tool, and how the formula differs from isobar's. */
function definitionLines({ name, formula, differs }: ProfileFigure): string[] {
  return [...labelText(`  ${name}: `, formula), ...indentText(differs, INDENT)];
}

/** Returns the place of isobar's figure in summary.json, and `equal` if both figures are equal; or the reason why the figure is undefined. */
function remarkText({ equal, reason, isobar }: ProfileFigure): string {
  if (reason !== null) return reasonText(reason);
  return `${isobar ?? ''}${equal ? ' equal' : ''}`.trim();
}

/** Returns the reason why a figure is undefined, in words. */
function reasonText(reason: ProfileReason): string {
  return reason === 'not-sound' ? 'not sound, see below' : REASONS[reason];
}

/** Returns a figure as text, with its unit if it is a duration. */
function numberText(value: number | string | null, { unit }: ProfileFigure): string {
  if (value === null) return NO_VALUE;
  if (typeof value === 'string') return value;
  return `${shortNumber(value)}${unit === 's' ? ' s' : ''}`;
}

/** Returns a number with at most SIGNIFICANT_DIGITS significant digits. Whole numbers keep all digits. */
function shortNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < MAX_WHOLE) return String(value);
  const isPlain = magnitude >= PLAIN_RANGE.min && magnitude < PLAIN_RANGE.max;
  return isPlain ? String(Number(value.toPrecision(SIGNIFICANT_DIGITS))) : value.toExponential(SIGNIFICANT_DIGITS - EXPONENT_LENGTH);
}
