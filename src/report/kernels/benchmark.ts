// Figures against a benchmark that was sampled at the same instants: beta, alpha and the related ratios.

import { chain, type Figure } from './figure.ts';
import { DAYS_PER_YEAR, perDay } from './portfolio.ts';
import { coDeviation, correlation, deviation, isConstant, mean, ZERO } from './sums.ts';

export type BenchmarkFigure = 'benchmarkReturn' | 'beta' | 'alpha' | 'rSquared' | 'trackingError' | 'informationRatio' | 'treynor';

/**
 * Computes the benchmark figures. `cagr` is the strategy's own figure, `riskFree` is annual. `benchmark` is null if the run has no
 * benchmark.
 */
export function benchmarkFigures(
  returns: Float64Array,
  benchmark: Float64Array | null,
  cagr: Figure,
  ruined: boolean,
  riskFree = 0,
): Readonly<Record<BenchmarkFigure, Figure>> {
  const count = returns.length;
  const withBenchmark = (compute: (b: Float64Array) => Figure): Figure =>
    benchmark === null ? 'no-benchmark' : count < 2 ? 'too-few-returns' : compute(benchmark);
  const withVarying = (compute: (b: Float64Array) => Figure): Figure =>
    withBenchmark((b) => (isConstant(b) ? 'zero-benchmark-variance' : compute(b)));
  const riskFreePerDay = perDay(riskFree);
  const beta = withVarying((b) => coDeviation(returns, b) / coDeviation(b, b));
  const excess = benchmark === null ? null : returns.map((r, i) => r - benchmark[i]!);
  const annual = Math.sqrt(DAYS_PER_YEAR);
  return {
    benchmarkReturn:
      benchmark === null ? 'no-benchmark' : count === 0 ? 'too-few-returns' : benchmark.reduce((growth, b) => growth * (1 + b), 1) - 1,
    beta,
    alpha: withVarying((b) =>
      chain(beta, (slope) => DAYS_PER_YEAR * (mean(returns) - riskFreePerDay - slope * (mean(b) - riskFreePerDay))),
    ),
    rSquared: withVarying((b) => {
      const rho = correlation(returns, b);
      return rho === null ? 'zero-variance' : rho * rho;
    }),
    trackingError: withBenchmark(() => deviation(excess!) * annual),
    informationRatio: ruined
      ? 'ruined'
      : withBenchmark(() => (isConstant(excess!) ? 'zero-variance' : (mean(excess!) / deviation(excess!)) * annual)),
    treynor: chain(beta, (slope) => chain(cagr, (growth) => (Math.abs(slope) <= ZERO ? 'zero-beta' : (growth - riskFree) / slope))),
  };
}

/** Returns the slope of `returns` on `benchmark`: the beta of a window. Null when the benchmark is constant there. */
export function betaOf(returns: Float64Array, benchmark: Float64Array): number | null {
  return isConstant(benchmark) ? null : coDeviation(returns, benchmark) / coDeviation(benchmark, benchmark);
}
