// Figures against a benchmark that was sampled at the same instants: beta, alpha and the related ratios.

import { chain, type Figure } from './figure.ts';
import { DAYS_PER_YEAR, perDay } from './portfolio.ts';
import { coDeviation, correlation, deviation, isConstant, mean, ZERO } from './sums.ts';

/** Names of the figures against a benchmark. `docs/metrics.md` has their formulas. */
export type BenchmarkFigure = 'benchmarkReturn' | 'beta' | 'alpha' | 'rSquared' | 'trackingError' | 'informationRatio' | 'treynor';

/** The returns of a run beside those of its benchmark, as fractions of the same days. */
export interface BenchmarkInput {
  readonly returns: Float64Array;
  /** Null if the run has no benchmark. */
  readonly benchmark: Float64Array | null;
  /** The compound annual growth rate of the run. */
  readonly cagr: Figure;
  /** True when the equity of the run ended at 0. */
  readonly isRuined: boolean;
  /** Annual risk-free rate as a fraction. Default: 0. */
  readonly riskFree?: number | undefined;
}

/** Returns the figures against a benchmark. */
export function benchmarkFigures(input: BenchmarkInput): Readonly<Record<BenchmarkFigure, Figure>> {
  const { returns, benchmark, cagr, isRuined, riskFree = 0 } = input;
  const count = returns.length;
  const withReturns = (minReturns: number, compute: (benchmarkReturns: Float64Array) => Figure): Figure => {
    if (benchmark === null) return 'no-benchmark';
    return count < minReturns ? 'too-few-returns' : compute(benchmark);
  };
  // A figure that cannot be computed is a word for the reason. `chain` passes such a word on instead of computing with it.
  const withBenchmark = (compute: (benchmarkReturns: Float64Array) => Figure): Figure => withReturns(2, compute);
  const withVaryingBenchmark = (compute: (benchmarkReturns: Float64Array) => Figure): Figure =>
    withBenchmark((benchmarkReturns) => (isConstant(benchmarkReturns) ? 'zero-benchmark-variance' : compute(benchmarkReturns)));
  const riskFreePerDay = perDay(riskFree);
  const beta = withVaryingBenchmark(
    (benchmarkReturns) => coDeviation(returns, benchmarkReturns) / coDeviation(benchmarkReturns, benchmarkReturns),
  );
  const excessOver = (benchmarkReturns: Float64Array): Float64Array => returns.map((value, day) => value - benchmarkReturns[day]!);
  const treynorOf = (slope: number): Figure =>
    chain(cagr, (growth) => (Math.abs(slope) <= ZERO ? 'zero-beta' : (growth - riskFree) / slope));
  const sqrtDaysPerYear = Math.sqrt(DAYS_PER_YEAR);
  const totalReturnOf = (benchmarkReturns: Float64Array): number =>
    benchmarkReturns.reduce((growth, dailyReturn) => growth * (1 + dailyReturn), 1) - 1;
  const informationRatioOver = (benchmarkReturns: Float64Array): Figure => {
    const excess = excessOver(benchmarkReturns);
    return isConstant(excess) ? 'zero-variance' : (mean(excess) / deviation(excess)) * sqrtDaysPerYear;
  };
  return {
    benchmarkReturn: withReturns(1, totalReturnOf),
    beta,
    alpha: withVaryingBenchmark((benchmarkReturns) =>
      chain(beta, (slope) => {
        const ownExcess = mean(returns) - riskFreePerDay;
        const benchmarkExcess = mean(benchmarkReturns) - riskFreePerDay;
        return DAYS_PER_YEAR * (ownExcess - slope * benchmarkExcess);
      }),
    ),
    rSquared: withVaryingBenchmark((benchmarkReturns) => {
      const coefficient = correlation(returns, benchmarkReturns);
      return coefficient === null ? 'zero-variance' : coefficient * coefficient;
    }),
    trackingError: withBenchmark((benchmarkReturns) => deviation(excessOver(benchmarkReturns)) * sqrtDaysPerYear),
    informationRatio: isRuined ? 'ruined' : withBenchmark(informationRatioOver),
    treynor: chain(beta, treynorOf),
  };
}

/** Returns the slope of `returns` on `benchmark`: the beta of a window. Null when the benchmark is constant there. */
export function betaOf(returns: Float64Array, benchmark: Float64Array): number | null {
  return isConstant(benchmark) ? null : coDeviation(returns, benchmark) / coDeviation(benchmark, benchmark);
}
