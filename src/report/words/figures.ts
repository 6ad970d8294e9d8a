// Figures as text for the reader: label, value with unit, definition with source, and the reason when a figure is undefined.

import { assertNever } from '../../base/assert.ts';
import type { Summary } from '../summary/summary.ts';
import type { Flag, Reason } from '../kernels/figure.ts';
import { DAYS_PER_YEAR } from '../kernels/portfolio.ts';
import { amountText, wholeText, fixed, NO_VALUE, percent, signedAmount, signedPercent, spanText, THIN } from '../../base/text/format.ts';

/** Format of a figure: percent, percent with sign, ratio, days, duration in ms, money, count. */
export type FigureKind = 'percent' | 'change' | 'ratio' | 'days' | 'span' | 'money' | 'cost' | 'count';

/** The meaning of a figure. */
export interface GlossaryEntry {
  readonly label: string;
  readonly kind: FigureKind;
  readonly definition: string;
}

/** A figure as a reader sees it. */
export interface FigureText {
  readonly label: string;
  readonly text: string;
  /** The definition, the exact amount of money, and the reason for a missing number. */
  readonly note: string;
  /** Sign of the value: above 0, below 0, or neither. */
  readonly sign: 1 | 0 | -1;
  readonly isNone: boolean;
  /** The reason for a missing number. */
  readonly reason: string | null;
}

/** Text for each reason of a missing number. */
export const REASONS: Readonly<Record<Reason, string>> = {
  'too-few-returns': 'too few daily returns',
  'no-trades': 'no trade was closed',
  'too-few-trades': 'fewer than two closed trades',
  'zero-variance': 'every return is the same',
  'no-downside': 'no day lost money',
  'no-drawdown': 'equity never fell below its peak',
  'no-losses': 'no trade lost',
  'no-wins': 'no trade won',
  ruined: 'equity fell to zero or below',
  'too-short': 'the run is shorter than a day',
  'no-benchmark': 'there is no benchmark',
  'zero-benchmark-variance': 'the benchmark did not move',
  'zero-beta': 'beta is zero',
  'no-trials': 'only this run is known: the figure needs several trials',
  'not-recorded': 'not recorded in this kind of run',
  'non-finite': 'the figure is too large to be written',
};

/** Text for each remark beside a figure. */
export const FLAGS: Readonly<Record<Flag, string>> = {
  extrapolated: 'extrapolated from under 90 days',
  open: 'not regained by the end of the run',
  coarse: 'from whole bars, not from prices within them',
  partialFirstDay: 'the first day is not whole',
  partialLastDay: 'the last day is not whole',
};

/** Returns a finite value as text with its unit. */
export function writeFigure(value: number, kind: FigureKind, asset: string): string {
  switch (kind) {
    case 'percent':
      return percent(value);
    case 'change':
      return signedPercent(value);
    case 'ratio':
      return fixed(value, 2);
    case 'days':
      return `${fixed(value, 1)}${THIN}d`;
    case 'span':
      return spanText(value);
    case 'money':
      return `${signedAmount(value, asset)}${THIN}${asset}`;
    case 'cost':
      return `${amountText(value, asset)}${THIN}${asset}`;
    case 'count':
      return wholeText(value);
    default:
      return assertNever(kind);
  }
}

/** Why a figure is missing, and the remarks beside it. */
export interface FigureRemarks {
  /** Only for a figure without a value. */
  readonly reason?: Reason | undefined;
  readonly flags?: readonly Flag[] | undefined;
}

/** Returns a figure as text. `value` is as in summary.json: a number, decimal text for money, or null. */
export function figureText(
  entry: GlossaryEntry,
  value: number | string | null | undefined,
  asset: string,
  { reason, flags = [] }: FigureRemarks = {},
): FigureText {
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  const isNone = !Number.isFinite(number);
  const hasSign = entry.kind === 'change' || entry.kind === 'money';
  const missingReason = isNone ? REASONS[reason ?? 'not-recorded'] : null;
  const reasonText = missingReason === null ? '' : ` No figure: ${missingReason}.`;
  const exactText = typeof value === 'string' ? ` Exactly ${value} ${asset}.` : '';
  const flagTexts = flags.map((flag) => ` Note: ${FLAGS[flag]}.`).join('');
  return {
    label: entry.label,
    text: isNone ? NO_VALUE : writeFigure(number, entry.kind, asset),
    note: `${entry.definition}${reasonText}${exactText}${flagTexts}`,
    sign: isNone || !hasSign ? 0 : signOf(number),
    isNone,
    reason: missingReason,
  };
}

/** Returns the sign of a figure: 1, 0 or -1. */
function signOf(value: number): 1 | 0 | -1 {
  if (value > 0) return 1;
  return value < 0 ? -1 : 0;
}

/** The 97.5 % quantile of the normal distribution: a 95 % interval leaves 2.5 % on each side. */
const NORMAL_QUANTILE_97_5 = 1.96;

/**
 * Returns the 95 % interval of an annual Sharpe ratio, from the standard error of the probabilistic Sharpe ratio. Null when that error is
 * undefined.
 */
export function sharpeInterval({ sharpe, skew, excessKurtosis, dailyReturns }: Summary['metrics']): readonly [number, number] | null {
  if (sharpe === null || skew === null || excessKurtosis === null) return null;
  const dailySharpe = sharpe / Math.sqrt(DAYS_PER_YEAR);
  const numerator = 1 - skew * dailySharpe + ((excessKurtosis + 2) / 4) * dailySharpe * dailySharpe;
  const dailyVariance = numerator / (dailyReturns.length - 1);
  if (!(dailyVariance > 0)) return null;
  const halfWidth = NORMAL_QUANTILE_97_5 * Math.sqrt(dailyVariance * DAYS_PER_YEAR);
  return [sharpe - halfWidth, sharpe + halfWidth];
}
