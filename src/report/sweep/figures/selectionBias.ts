// Computes the selection bias of a sweep: the Sharpe ratio that the best trial would show without skill, compared with the best set.

import { expectedBestSharpe, probabilityAbove } from '../../kernels/sharpeConfidence.ts';
import { reasonOf, type Figure } from '../../kernels/figure.ts';
import { DAYS_PER_YEAR } from '../../kernels/portfolio.ts';
import { deviation } from '../../kernels/sums.ts';
import { figureOf, type SelectionBias, type SweepRecord } from './record.ts';

/** The excess kurtosis of fewer daily returns is undefined. */
const MIN_RETURNS = 4;

/**
 * Returns the selection bias of a sweep with the best set `best` (null when no set is ranked). All trials count as independent.
 * Neighbouring sets are not, so the expected best is rather too high than too low (docs/sweeps.md).
 */
export function selectionBiasOf(record: SweepRecord, best: number | null): SelectionBias {
  const { family, count, earlier, all, sharpes } = record.trials;
  const sharpe = best === null ? NaN : (figureOf(record, 'sharpe')?.[best] ?? NaN);
  const spread = deviation(sharpes);
  const expectedBest: Figure = sharpes.length < 2 ? 'no-trials' : expectedBestSharpe(count, spread);
  const deflated = typeof expectedBest === 'number' ? deflatedSharpe(record, best, expectedBest) : expectedBest;
  const finiteOrNull = (figure: Figure) => (typeof figure === 'number' && Number.isFinite(figure) ? figure : null);
  return {
    family,
    trials: count,
    earlier,
    allTrials: all,
    spread: finiteOrNull(spread),
    expectedBest: finiteOrNull(expectedBest),
    sharpe: finiteOrNull(sharpe),
    deflated: finiteOrNull(deflated),
    reason: reasonOf(deflated),
  };
}

/** Returns the probability that the true Sharpe ratio of the best set exceeds `expectedBest` (annual). */
function deflatedSharpe(record: SweepRecord, best: number | null, expectedBest: number): Figure {
  const bestValue = (name: string) => (best === null ? NaN : (figureOf(record, name)?.[best] ?? NaN));
  const dayCount = bestValue('days');
  if (!(dayCount >= MIN_RETURNS)) return 'too-few-returns';
  // Of four returns or more, only constant ones have no kurtosis. A ruined run has one, but no Sharpe ratio.
  if (Number.isNaN(bestValue('excessKurtosis'))) return 'zero-variance';
  if (Number.isNaN(bestValue('sharpe'))) return 'ruined';
  const sqrtDaysPerYear = Math.sqrt(DAYS_PER_YEAR);
  const sample = {
    count: dayCount,
    sharpe: bestValue('sharpe') / sqrtDaysPerYear,
    skew: bestValue('skew'),
    excessKurtosis: bestValue('excessKurtosis'),
  };
  return probabilityAbove(sample, expectedBest / sqrtDaysPerYear);
}
