// Computes the figures by which the sets of a sweep are compared, with the functions that also serve a single run.

import type { RunRecord } from '../../../model/run/run.ts';
import { barDrawdowns, sampledEquity } from '../../series/daily.ts';
import { settle, type Figure } from '../../kernels/figure.ts';
import { mainFigures, type BarDrawdowns } from '../../kernels/portfolio.ts';
import { seriesOf } from '../../kernels/returns.ts';
import { resultFigures } from '../../kernels/tradeFigures.ts';
import { closedPnl } from '../../trades/closedPnl.ts';
import type { PositionSource } from '../../trades/positions.ts';

/** The figures in the order in which they are packed. Their names are those of summary.json. `days` is the number of daily returns. */
export const SET_FIGURES = [
  'sharpe', 'totalReturn', 'cagr', 'maxDrawdown', 'maxDrawdownDaily', 'sortino', 'calmar', 'calmarDaily', 'volatility', 'profitFactor', 'winRate', 'trades', 'days', 'skew', 'excessKurtosis',
] as const; // prettier-ignore
/** Name of a figure of a set. */
export type SetFigure = (typeof SET_FIGURES)[number];

/** The parts of a run that the figures need. The equity may contain only the sampling instants. */
export type SetRecord = Pick<RunRecord, 'fromMs' | 'toMs' | 'startUnits' | 'equity'> &
  PositionSource & {
    /** Maximum drawdown over all bars. Required when the equity contains only the sampling instants. */
    readonly drawdown?: BarDrawdowns;
  };

/** Returns the figures in the order of SET_FIGURES. NaN for an undefined figure. */
export function setFigures(record: SetRecord): Float64Array {
  const daily = sampledEquity(record);
  const series = seriesOf(daily.timeMs, daily.equity);
  const pnl = closedPnl(record);
  const { profitFactor, winRate } = resultFigures(pnl);
  const figures: Readonly<Record<SetFigure, Figure>> = {
    ...mainFigures(series, record.drawdown ?? barDrawdowns(record)),
    profitFactor,
    winRate,
    trades: pnl.length,
    days: series.returns.length,
  };
  const { values } = settle(figures);
  return Float64Array.from(SET_FIGURES, (name) => values[name] ?? NaN);
}
