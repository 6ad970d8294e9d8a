// Returns compounded over calendar periods, and figures over a rolling window.

import { betaOf } from './benchmark.ts';
import { DAYS_PER_YEAR } from './portfolio.ts';
import { deviation, isConstant, mean } from './sums.ts';

/** The return of one calendar period, compounded from daily returns. */
export interface Chained {
  readonly key: number;
  readonly return: number;
}

/** Compounds successive returns with equal keys. `keys` has one key for each return, such as its month. */
export function chainByKey(returns: Float64Array, keys: ArrayLike<number>): Chained[] {
  const out: Chained[] = [];
  let growth = 1;
  for (let i = 0; i < returns.length; i++) {
    growth *= 1 + returns[i]!;
    if (i + 1 < returns.length && keys[i + 1] === keys[i]) continue;
    out.push({ key: keys[i]!, return: growth - 1 });
    growth = 1;
  }
  return out;
}

/** Figures over a rolling window, one value for each return. Null where the window has none. */
export interface Rolling {
  readonly sharpe: (number | null)[];
  readonly volatility: (number | null)[];
  readonly beta: (number | null)[];
}

/**
 * Returns one value for each return, computed over the `window` returns that end there. Null before the window is full and where it has no
 * variance.
 */
export function rolling(returns: Float64Array, benchmark: Float64Array | null, window: number, riskFreePerDay: number): Rolling {
  const out: Rolling = { sharpe: [], volatility: [], beta: [] };
  const annual = Math.sqrt(DAYS_PER_YEAR);
  for (let end = 1; end <= returns.length; end++) {
    const isFull = end >= window;
    const slice = isFull ? returns.subarray(end - window, end) : returns.subarray(0, 0);
    const spread = isFull ? deviation(slice) : NaN;
    out.volatility.push(isFull ? spread * annual : null);
    out.sharpe.push(isFull && !isConstant(slice) ? ((mean(slice) - riskFreePerDay) / spread) * annual : null);
    out.beta.push(isFull && benchmark !== null ? betaOf(slice, benchmark.subarray(end - window, end)) : null);
  }
  return out;
}
