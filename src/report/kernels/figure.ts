// A figure is a number or the reason why it is undefined. 0, -100, Infinity and NaN never stand in for a missing number.

/** Why a figure is undefined. summary.json shows these texts under `reasons`. */
export type Reason =
  | 'too-few-returns'
  | 'no-trades'
  | 'too-few-trades'
  | 'zero-variance'
  | 'no-downside'
  | 'no-drawdown'
  | 'no-losses'
  | 'no-wins'
  | 'ruined'
  | 'too-short'
  | 'no-benchmark'
  | 'zero-benchmark-variance'
  | 'zero-beta'
  | 'no-trials'
  | 'not-recorded'
  | 'non-finite';

/** A number, or the reason why the number is missing. */
export type Figure = number | Reason;

/** A remark that the reader needs beside a figure. */
export type Flag = 'extrapolated' | 'open' | 'coarse' | 'partialFirstDay' | 'partialLastDay';

/** Figures after `settle`. A figure has a value or a reason, never both. */
export interface Settled<Name extends string> {
  readonly values: Readonly<Record<Name, number | null>>;
  readonly reasons: Readonly<Partial<Record<Name, Reason>>>;
}

/** Splits figures into values (null where undefined) and reasons. A number that is not finite becomes null with the reason `non-finite`. */
export function settle<Name extends string>(figures: Readonly<Record<Name, Figure>>): Settled<Name> {
  const values: Record<string, number | null> = {};
  const reasons: Record<string, Reason> = {};
  for (const [name, figure] of Object.entries<Figure>(figures)) {
    const reason = reasonOf(figure);
    // Adding 0 turns -0 into 0: its sign comes from rounding, not from a loss.
    values[name] = typeof figure === 'number' && reason === null ? figure + 0 : null;
    if (reason !== null) reasons[name] = reason;
  }
  // The keys are those of `figures`. TypeScript loses them in Object.entries.
  return { values, reasons } as Settled<Name>;
}

/** Returns why a figure is undefined. Null when it is a number. */
export function reasonOf(figure: Figure): Reason | null {
  if (typeof figure !== 'number') return figure;
  return Number.isFinite(figure) ? null : 'non-finite';
}

/** Applies `compute` to a number. An undefined figure keeps its reason. */
export function chain(figure: Figure, compute: (value: number) => Figure): Figure {
  return typeof figure === 'number' ? compute(figure) : figure;
}
