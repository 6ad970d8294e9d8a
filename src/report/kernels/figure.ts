// A figure is a number or the reason why there is none: never 0, -100, Infinity or NaN as a stand-in.

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

export type Figure = number | Reason;

/** What a reader must know beside a figure. */
export type Flag = 'extrapolated' | 'open' | 'coarse' | 'partialFirstDay' | 'partialLastDay';

export interface Settled<Name extends string> {
  readonly values: Readonly<Record<Name, number | null>>;
  readonly reasons: Readonly<Partial<Record<Name, Reason>>>;
}

/** Parts figures into values (null where there is none) and reasons; what is not finite is null with `non-finite`. */
export function settle<Name extends string>(figures: Readonly<Record<Name, Figure>>): Settled<Name> {
  const values: Record<string, number | null> = {};
  const reasons: Record<string, Reason> = {};
  for (const [name, figure] of Object.entries<Figure>(figures)) {
    const reason = reasonOf(figure);
    // -0 is a rounding's sign, not a loss.
    values[name] = typeof figure === 'number' && reason === null ? figure + 0 : null;
    if (reason !== null) reasons[name] = reason;
  }
  // The keys are those of `figures`, which the compiler does not follow through Object.entries.
  return { values, reasons } as Settled<Name>;
}

/** Why there is no number; null when there is one. */
export function reasonOf(figure: Figure): Reason | null {
  if (typeof figure !== 'number') return figure;
  return Number.isFinite(figure) ? null : 'non-finite';
}

/** `compute` of a figure, or the reason why it has none. */
export function chain(figure: Figure, compute: (value: number) => Figure): Figure {
  return typeof figure === 'number' ? compute(figure) : figure;
}
