// Returns compounded over calendar periods, and figures over a rolling window.

import { betaOf } from './benchmark.ts';
import { DAYS_PER_YEAR } from './portfolio.ts';
import { deviation, isConstant, mean } from './sums.ts';

/** The return of one calendar period, compounded from daily returns. */
export interface PeriodReturn {
  readonly key: number;
  readonly return: number;
}

/** Returns one period for each stretch of successive returns with equal keys, compounded. `keys` has one key for each return, such as its month. */
export function chainByKey(returns: Float64Array, keys: ArrayLike<number>): PeriodReturn[] {
  const periods: PeriodReturn[] = [];
  let growth = 1;
  for (let row = 0; row < returns.length; row++) {
    growth *= 1 + returns[row]!;
    if (row + 1 < returns.length && keys[row + 1] === keys[row]) continue;
    periods.push({ key: keys[row]!, return: growth - 1 });
    growth = 1;
  }
  return periods;
}

/** Figures over a rolling window, one value for each return. Null where the window has none. */
export interface RollingFigures {
  readonly sharpe: (number | null)[];
  readonly volatility: (number | null)[];
  readonly beta: (number | null)[];
}

/**
 * Returns one value for each return, computed over the `window` returns that end there. Null before the window is full and where it has no
 * variance.
 */
export function rolling(returns: Float64Array, benchmark: Float64Array | null, window: number, riskFreePerDay: number): RollingFigures {
  const figures: RollingFigures = { sharpe: [], volatility: [], beta: [] };
  const sqrtDaysPerYear = Math.sqrt(DAYS_PER_YEAR);
  for (let end = 1; end <= returns.length; end++) {
    const isFull = end >= window;
    const windowReturns = isFull ? returns.subarray(end - window, end) : returns.subarray(0, 0);
    const windowDeviation = isFull ? deviation(windowReturns) : NaN;
    figures.volatility.push(isFull ? windowDeviation * sqrtDaysPerYear : null);
    figures.sharpe.push(
      isFull && !isConstant(windowReturns) ? ((mean(windowReturns) - riskFreePerDay) / windowDeviation) * sqrtDaysPerYear : null,
    );
    figures.beta.push(isFull && benchmark !== null ? betaOf(windowReturns, benchmark.subarray(end - window, end)) : null);
  }
  return figures;
}
