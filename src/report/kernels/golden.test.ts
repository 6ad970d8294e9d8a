// Tests the kernels against golden values of an independent implementation. Without the values it prints a message and skips.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../base/calendar.ts';
import { benchmarkFigures } from './benchmark.ts';
import { probabilisticSharpe } from './sharpeConfidence.ts';
import { settle, type Figure } from './figure.ts';
import { portfolioFigures } from './portfolio.ts';
import { seriesOf, type ReturnSeries } from './returns.ts';
import { tradeFigures, type TradeSet } from './tradeFigures.ts';

const GOLDEN_FOLDER = fileURLToPath(new URL('../../../../shared/golden/metrics/', import.meta.url));
const hasGoldenValues = existsSync(GOLDEN_FOLDER);
if (!hasGoldenValues) console.log(`skipped: there is no ${GOLDEN_FOLDER} (golden values of the metrics)`);
type Group = Readonly<Record<string, number | null>>;

/** Returns the cells of a CSV file without its header. */
function rowsOf(file: string): string[][] {
  return readFileSync(GOLDEN_FOLDER + file, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

const goldenFile = (): { isobar_365: { series: Group; trades: Group } } =>
  JSON.parse(readFileSync(`${GOLDEN_FOLDER}metrics_golden.json`, 'utf8'));

/** Returns a series of daily returns from 1 January 2023 on. */
function seriesFrom(start: number, returns: readonly number[]): ReturnSeries {
  const equity = new Float64Array(returns.length + 1);
  equity[0] = start;
  returns.forEach((r, i) => (equity[i + 1] = equity[i]! * (1 + r)));
  const timeMs = equity.map((_, i) => Date.UTC(2023, 0, 1) + i * DAY_MS);
  return { timeMs, equity, index: equity, returns: Float64Array.from(returns), isRuined: false };
}

/** Compares figures with golden ones, to a relative error of 1e-9. */
function expectNear(actual: Readonly<Record<string, Figure>>, golden: Group, names: Readonly<Record<string, string>>): void {
  const { values } = settle(actual);
  for (const [figureName, goldenName] of Object.entries(names)) {
    const value = values[figureName];
    const goldenValue = golden[goldenName];
    if (goldenValue === null || goldenValue === undefined || typeof value !== 'number') expect.soft(value, figureName).toBe(goldenValue);
    else
      expect
        .soft(Math.abs(value - goldenValue), `${figureName} ${value} ${goldenValue}`)
        .toBeLessThanOrEqual(1e-9 * Math.max(Math.abs(goldenValue), 1e-300));
  }
}

test.skipIf(!hasGoldenValues)('the figures of the golden series equal the golden values', () => {
  const rows = rowsOf('series.csv');
  const series = seriesFrom(
    10_000,
    rows.map((row) => Number(row[1])),
  );
  const benchmark = Float64Array.from(rows, (row) => Number(row[2]));
  const { figures, years, drawdown } = portfolioFigures(series);
  const golden = goldenFile().isobar_365.series;
  expect(years).toBe(golden['years']);
  expect(drawdown.episodes).toHaveLength(golden['drawdown_episodes']!);
  expectNear(
    {
      ...figures,
      ...benchmarkFigures({ returns: series.returns, benchmark, cagr: figures.cagr, isRuined: false }),
      psr0: probabilisticSharpe(series.returns, 0),
      psr1: probabilisticSharpe(series.returns, 1),
    },
    golden,
    {
      totalReturn: 'total_return',
      cagr: 'cagr',
      meanReturn: 'mean_daily_return',
      geometricMeanReturn: 'geometric_mean_daily_return',
      volatility: 'volatility',
      downsideDeviation: 'downside_deviation',
      sharpe: 'sharpe',
      smartSharpe: 'smart_sharpe',
      sortino: 'sortino',
      calmar: 'calmar',
      calmarDaily: 'calmar',
      maxDrawdown: 'max_drawdown',
      maxDrawdownDaily: 'max_drawdown',
      maxDrawdownAbs: 'max_drawdown_abs',
      longestDrawdown: 'longest_drawdown_days',
      averageDrawdown: 'average_drawdown',
      averageDrawdownDays: 'average_drawdown_days',
      ulcer: 'ulcer_index',
      omega: 'omega',
      recoveryFactor: 'recovery_factor',
      var95: 'value_at_risk_95',
      var99: 'value_at_risk_99',
      cvar95: 'cvar_95',
      cvar99: 'cvar_99',
      tailRatio: 'tail_ratio',
      skew: 'skew',
      excessKurtosis: 'excess_kurtosis',
      bestDay: 'best_day',
      worstDay: 'worst_day',
      positiveDays: 'positive_days_share',
      psr0: 'psr_vs_0',
      psr1: 'psr_vs_annual_1',
      beta: 'beta',
      alpha: 'alpha',
      rSquared: 'r_squared',
      trackingError: 'tracking_error',
      informationRatio: 'information_ratio',
      treynor: 'treynor',
    },
  );
});

test.skipIf(!hasGoldenValues)('the figures of the golden trades equal the golden values', () => {
  const rows = rowsOf('trades.csv');
  const pnl = Float64Array.from(rows, (row) => Number(row[1]));
  const set: TradeSet = {
    pnl,
    fraction: Float64Array.from(rows, (row) => Number(row[2])),
    holdMs: Float64Array.from(rows, (row) => Number(row[3])),
    mae: null,
    mfe: null,
    maeFraction: null,
    mfeFraction: null,
  };
  const golden = goldenFile().isobar_365.trades;
  const tradeResult = tradeFigures(set, 10_000);
  expect([
    tradeResult.wins,
    tradeResult.losses,
    tradeResult.draws,
    tradeResult.maxConsecutiveWins,
    tradeResult.maxConsecutiveLosses,
  ]).toEqual(['wins', 'losses', 'breakeven', 'max_consecutive_wins', 'max_consecutive_losses'].map((name) => golden[name]));
  expectNear(
    {
      ...tradeResult.figures,
      grossProfit: tradeResult.grossProfit,
      grossLoss: tradeResult.grossLoss,
      net: tradeResult.grossProfit + tradeResult.grossLoss,
    },
    golden,
    {
      net: 'net_profit',
      grossProfit: 'gross_profit',
      grossLoss: 'gross_loss',
      winRate: 'win_rate',
      profitFactor: 'profit_factor',
      averageTrade: 'average_trade',
      medianTrade: 'median_trade',
      averageWin: 'average_win',
      averageLoss: 'average_loss',
      payoff: 'payoff_ratio',
      expectancy: 'expectancy',
      expectancyRatio: 'expectancy_ratio',
      bestTrade: 'best_trade',
      worstTrade: 'worst_trade',
      sqn: 'sqn',
      kelly: 'kelly',
      closedTradeDrawdown: 'max_drawdown',
      closedTradeDrawdownAbs: 'max_drawdown_abs',
    },
  );
  expectNear(tradeResult.holdTime, golden, {
    mean: 'average_holding_minutes',
    median: 'median_holding_minutes',
    wins: 'average_holding_minutes_wins',
    losses: 'average_holding_minutes_losses',
  });

  // Daily equity with each profit booked on the day of its close.
  const equity = new Float64Array(731).fill(10_000);
  rows.forEach((row) => {
    const day = Math.floor((Date.parse(`${row[0]!.replace(' ', 'T')}Z`) - Date.UTC(2023, 0, 1)) / DAY_MS);
    for (let t = day + 1; t < equity.length; t++) equity[t]! += Number(row[1]);
  });
  const timeMs = equity.map((_, i) => Date.UTC(2023, 0, 1) + i * DAY_MS);
  expectNear(portfolioFigures(seriesOf(timeMs, equity)).figures, golden, {
    totalReturn: 'total_return',
    cagr: 'cagr',
    sharpe: 'sharpe',
    sortino: 'sortino',
    volatility: 'volatility',
    maxDrawdown: 'max_drawdown',
    maxDrawdownAbs: 'max_drawdown_abs',
    calmar: 'calmar',
  });
});

test.skipIf(!hasGoldenValues)('the figures of the golden cases equal the golden values', () => {
  const { cases }: { cases: Record<string, Record<string, number | number[] | null>> } = JSON.parse(
    readFileSync(`${GOLDEN_FOLDER}metrics_golden.json`, 'utf8'),
  );
  const names = {
    total_return: 'totalReturn',
    net_profit: 'netProfit',
    volatility: 'volatility',
    sharpe: 'sharpe',
    sortino: 'sortino',
    max_drawdown: 'maxDrawdown',
    max_drawdown_abs: 'maxDrawdownAbs',
    calmar: 'calmar',
    cagr: 'cagr',
    omega: 'omega',
    skew: 'skew',
    excess_kurtosis: 'excessKurtosis',
    win_rate: 'winRate',
    profit_factor: 'profitFactor',
    payoff_ratio: 'payoff',
    expectancy: 'expectancy',
    expectancy_ratio: 'expectancyRatio',
    kelly: 'kelly',
    sqn: 'sqn',
    max_consecutive_wins: 'maxConsecutiveWins',
  };
  let comparedCount = 0;
  for (const [name, tradeResult] of Object.entries(cases)) {
    const listOf = (key: string) => (Array.isArray(tradeResult[key]) ? tradeResult[key] : null);
    const start = typeof tradeResult['start'] === 'number' ? tradeResult['start'] : 10_000;
    const pnl = listOf('trade_pnl');
    const returns = listOf('returns');
    const equityPath = listOf('equity');
    const figures: Record<string, Figure> = {};
    if (pnl) {
      const column = Float64Array.from(pnl);
      const trades = tradeFigures(
        { pnl: column, fraction: column, holdMs: column, mae: null, mfe: null, maeFraction: null, mfeFraction: null },
        start,
      );
      Object.assign(figures, trades.figures, {
        maxConsecutiveWins: trades.maxConsecutiveWins,
        maxDrawdown: trades.figures.closedTradeDrawdown,
        maxDrawdownAbs: trades.figures.closedTradeDrawdownAbs,
      });
    } else if (equityPath) {
      const equity = Float64Array.from([start, ...equityPath]);
      Object.assign(
        figures,
        portfolioFigures(
          seriesOf(
            equity.map((_, i) => i * DAY_MS),
            equity,
          ),
        ).figures,
      );
    } else if (returns && name !== 'deposit') Object.assign(figures, portfolioFigures(seriesFrom(start, returns)).figures);
    else continue;
    const { values } = settle(figures);
    for (const [goldenName, figureName] of Object.entries(names)) {
      const golden = tradeResult[goldenName];
      if (golden === undefined || Array.isArray(golden)) continue;
      comparedCount++;
      if (golden === null) expect.soft(values[figureName], `${name} ${figureName}`).toBeNull();
      else expect.soft(values[figureName], `${name} ${figureName}`).toBeCloseTo(golden, 11);
    }
  }
  expect(comparedCount).toBeGreaterThan(50);
});
