// Tests edge cases of the figures with their reasons against values by hand, and properties that hold for any series.

import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../base/calendar.ts';
import { Decimal } from '../../base/number/decimal.ts';
import { benchmarkFigures } from './benchmark.ts';
import { normalCdf, probabilisticSharpe } from './sharpeConfidence.ts';
import { drawdownOf } from './drawdown.ts';
import { settle, type Reason } from './figure.ts';
import { rolling } from './periods.ts';
import { portfolioFigures } from './portfolio.ts';
import { seriesOf } from './returns.ts';
import { columnMedian, quantile } from './sums.ts';
import { tradeFigures } from './tradeFigures.ts';

/** Returns the series of equity at midnights. The first value is the starting capital. */
function daysOf(...equity: number[]) {
  const column = Float64Array.from(equity);
  return seriesOf(
    column.map((_, i) => i * DAY_MS),
    column,
  );
}
const figuresOf = (...equity: number[]) => settle(portfolioFigures(daysOf(...equity)).figures);
/** Returns the figures of trades with these profits. */
const tradesOf = (...pnl: number[]) => {
  const column = Float64Array.from(pnl);
  return tradeFigures(
    { pnl: column, fraction: column, holdMs: column.map(Math.abs), mae: null, mfe: null, maeFraction: null, mfeFraction: null },
    1000,
  );
};

describe('returns', () => {
  test('every figure of a series without returns is null', () => {
    const { values, reasons } = figuresOf(1000);
    expect(new Set(Object.values(values))).toEqual(new Set([null]));
    expect(new Set(Object.values(reasons))).toEqual(new Set(['too-few-returns']));
  });

  test('a series of one return has growth and drawdown but no spread', () => {
    const { values, reasons } = figuresOf(1000, 1010);
    expect(values).toMatchObject({
      totalReturn: 0.01,
      netProfit: 10,
      maxDrawdown: 0,
      maxDrawdownAbs: 0,
      positiveDays: 1,
      volatility: null,
      calmar: null,
    });
    expect(reasons).toMatchObject({
      volatility: 'too-few-returns',
      sharpe: 'too-few-returns',
      var95: 'too-few-returns',
      calmar: 'no-drawdown',
      longestDrawdown: 'no-drawdown',
    });
  });

  test('a series of equal returns has no ratios, and gives the reason for each', () => {
    const expected: Partial<Record<string, Reason>> = {
      sharpe: 'zero-variance',
      smartSharpe: 'zero-variance',
      sortino: 'no-downside',
      omega: 'no-losses',
      skew: 'zero-variance',
      calmar: 'no-drawdown',
    };
    const flat = figuresOf(5, 5, 5, 5, 5, 5);
    expect(flat.values).toMatchObject({ totalReturn: 0, volatility: 0, maxDrawdown: 0 });
    expect(flat.reasons).toMatchObject(expected);
    // Ten equal growth factors whose rounded quotients differ in the last bits.
    const steady = figuresOf(...Array.from({ length: 11 }, (_, i) => 1000 * 1.001 ** i));
    expect(steady.values.totalReturn).toBeCloseTo(1.001 ** 10 - 1, 12);
    expect(steady.reasons).toMatchObject(expected);
  });

  test('a ruined series has losses, but no growth and no ratios', () => {
    const { values, reasons } = figuresOf(10_000, 11_000, -2200, 50_000);
    expect(values).toMatchObject({ totalReturn: -1.22, netProfit: -12_200, maxDrawdownAbs: 13_200, cagr: null, sharpe: null });
    expect(values.maxDrawdown).toBeCloseTo(-1.2, 12);
    for (const name of ['cagr', 'geometricMeanReturn', 'sharpe', 'sortino', 'calmar', 'omega', 'recoveryFactor'] as const)
      expect(reasons[name]).toBe('ruined');
    expect(probabilisticSharpe(new Float64Array([0.1, -1.2]), 0, true)).toBe('ruined');
  });

  test('a series shorter than a day has no annual growth', () => {
    const halfDay = seriesOf(Float64Array.of(0, DAY_MS / 2), Float64Array.of(100, 101));
    expect(portfolioFigures(halfDay).figures.cagr).toBe('too-short');
    expect(portfolioFigures(daysOf(100, 101)).figures.cagr).toBeCloseTo(1.01 ** 365 - 1, 9);
  });

  test('a deposit is not a return', () => {
    // 1000, a day later 1100, then 500 come in, a day later 1680; the same with the deposit at noon of the second day.
    const after = seriesOf(Float64Array.of(0, DAY_MS, 2 * DAY_MS), Float64Array.of(1000, 1100, 1680), {
      after: Float64Array.of(0, 500, 0),
      cut: new Uint8Array(3),
    });
    expect([...after.returns].map((value) => value.toFixed(12))).toEqual(['0.100000000000', '0.050000000000']);
    const { values } = settle(portfolioFigures(after).figures);
    expect(values.totalReturn).toBeCloseTo(0.155, 12);
    expect(values.netProfit).toBe(180);
    const noon = seriesOf(Float64Array.of(0, DAY_MS, 1.5 * DAY_MS, 2 * DAY_MS), Float64Array.of(1000, 1100, 1045, 1854), {
      after: Float64Array.of(0, 0, 500, 0),
      cut: Uint8Array.of(0, 0, 1, 0),
    });
    expect(noon.returns).toHaveLength(2);
    expect(noon.returns[1]).toBeCloseTo(0.95 * 1.2 - 1, 12);
    expect(drawdownOf(noon.index).deepest).toBeCloseTo(0, 12);
  });

  test('a drawdown is measured from the starting capital on, and is open until it is regained', () => {
    const { drawdown, longestIsOpen: maxIsOpen, figures } = portfolioFigures(daysOf(1000, 500, 400, 600));
    expect(drawdown.deepest).toBeCloseTo(-0.6, 12);
    expect(drawdown.episodes).toMatchObject([{ peak: 0, trough: 2, recovery: null }]);
    expect([maxIsOpen, figures.longestDrawdown, figures.maxDrawdownAbs]).toEqual([true, 3, 600]);
    // The peak is the last point at its height; the day of recovery ends the episode.
    expect(drawdownOf(Float64Array.of(10, 12, 12, 9, 12, 11, 13)).episodes).toMatchObject([
      { peak: 2, trough: 3, recovery: 4 },
      { peak: 4, trough: 5, recovery: 6 },
    ]);
  });

  test('the figures of a series of four returns equal values by hand', () => {
    // Returns 10 %, -10 %, 20 %, -5 %.
    const { values } = figuresOf(100, 110, 99, 118.8, 112.86);
    expect(values.meanReturn).toBeCloseTo(0.0375, 12);
    expect(values.volatility).toBeCloseTo(Math.sqrt((0.0625 ** 2 + 0.1375 ** 2 + 0.1625 ** 2 + 0.0875 ** 2) / 3) * Math.sqrt(365), 12);
    expect(values.downsideDeviation).toBeCloseTo(Math.sqrt((0.01 + 0.0025) / 4) * Math.sqrt(365), 12);
    expect(values.omega).toBeCloseTo(0.3 / 0.15, 10);
    expect(values.ulcer).toBeCloseTo(Math.sqrt((0.1 ** 2 + 0.05 ** 2) / 3), 12);
    expect(values.var95).toBeCloseTo(-0.1 + 0.15 * 0.05, 12);
    expect(values.cvar95).toBeCloseTo(-0.1, 12);
    expect(values.averageDrawdown).toBeCloseTo(-0.075, 12);
    expect(values.averageDrawdownDays).toBe(1.5);
    expect(values.positiveDays).toBe(0.5);
  });
});

describe('benchmark', () => {
  const benchmarkReturns = Float64Array.of(0.01, -0.02, 0.03, 0.005);
  const figuresAgainst = (benchmark: Float64Array | null, returns = benchmarkReturns) =>
    benchmarkFigures({ returns, benchmark, cagr: 0.1, isRuined: false });
  test('benchmark figures without a value give their reason', () => {
    expect(figuresAgainst(null)).toMatchObject({ beta: 'no-benchmark', treynor: 'no-benchmark' });
    expect(figuresAgainst(new Float64Array(4))).toMatchObject({
      beta: 'zero-benchmark-variance',
      alpha: 'zero-benchmark-variance',
    });
    expect(figuresAgainst(benchmarkReturns)).toMatchObject({
      informationRatio: 'zero-variance',
      trackingError: 0,
    });
    expect(figuresAgainst(benchmarkReturns, new Float64Array(4).fill(0.01))).toMatchObject({
      treynor: 'zero-beta',
      rSquared: 'zero-variance',
    });
  });
  test('without a beta and without a growth, the reason of the Treynor ratio is that of the growth', () => {
    const figures = benchmarkFigures({
      returns: new Float64Array(4).fill(0.01),
      benchmark: benchmarkReturns,
      cagr: 'too-short',
      isRuined: false,
    });
    expect(figures.treynor).toBe('too-short');
  });
  test('a series of twice the benchmark plus a constant has a beta of 2 and the constant as alpha', () => {
    const { beta, alpha, rSquared } = figuresAgainst(
      benchmarkReturns,
      benchmarkReturns.map((x) => 2 * x + 0.001),
    );
    expect(beta).toBeCloseTo(2, 12);
    expect(alpha).toBeCloseTo(0.365, 12);
    expect(rSquared).toBeCloseTo(1, 12);
  });
  test('rolling figures are null until the window is full', () => {
    const { sharpe, beta } = rolling(benchmarkReturns, benchmarkReturns, 3, 0);
    expect(sharpe.slice(0, 2)).toEqual([null, null]);
    expect(beta[3]).toBeCloseTo(1, 12);
    expect(sharpe[3]).toBeCloseTo(figuresOf(1, 0.98, 0.98 * 1.03, 0.98 * 1.03 * 1.005).values.sharpe!, 9);
  });
});

describe('trades', () => {
  test('trade figures without a value give their reason', () => {
    expect(tradesOf().figures).toMatchObject({
      winRate: 'no-trades',
      profitFactor: 'no-trades',
      expectancy: 'no-trades',
      closedTradeDrawdown: 'no-trades',
    });
    expect(tradesOf(-10).figures).toMatchObject({
      winRate: 0,
      profitFactor: 0,
      payoff: 'no-wins',
      kelly: 'no-wins',
      expectancy: -10,
      sqn: 'too-few-trades',
      averageWin: 'no-wins',
    });
    expect(tradesOf(10, 20).figures).toMatchObject({
      winRate: 1,
      profitFactor: 'no-losses',
      payoff: 'no-losses',
      expectancy: 15,
      expectancyRatio: 'no-losses',
    });
    expect(tradesOf(5, 5).figures.sqn).toBe('zero-variance');
    expect(tradesOf(10, 0, -5, 10)).toMatchObject({
      draws: 1,
      maxConsecutiveWins: 1,
      maxConsecutiveLosses: 1,
      figures: { winRate: 0.5, profitFactor: 4, medianTrade: 5 },
    });
  });
  test('trade figures of excursions that were not recorded give that reason', () => {
    expect(tradesOf(1, -1)).toMatchObject({ mae: { mean: 'not-recorded' }, figures: { endTradeDrawdown: 'not-recorded' } });
  });
});

test('normalCdf equals its series in 60 digits', () => {
  const WideDecimal = Decimal.clone({ precision: 60 });
  const PI = new WideDecimal('3.14159265358979323846264338327950288419716939937510582097494459');
  for (const x of [-9, -6.5, -3.2, -2.6, -2.4, -1, -0.3, 0, 1e-8, 0.7, 2.49, 2.51, 4, 8]) {
    let term = new WideDecimal(x);
    let total = term;
    for (let divisor = 3; divisor < 700; divisor += 2) total = total.plus((term = term.times(x * x).div(divisor)));
    const exact = total
      .times(new WideDecimal(-x * x).div(2).exp())
      .div(PI.times(2).sqrt())
      .plus(0.5);
    expect(exact.minus(normalCdf(x)).abs().div(exact).toNumber(), String(x)).toBeLessThan(1e-13);
  }
});

const values = fc.array(fc.double({ min: 50, max: 200, noNaN: true }), { minLength: 5, maxLength: 60 });

test('scaling the money by a power of two leaves every ratio bit-equal', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: -8, max: 20 }), (equity, power) => {
      const factor = 2 ** power;
      const originalFigures = figuresOf(...equity).values;
      const scaled = figuresOf(...equity.map((x) => x * factor)).values;
      const { netProfit, maxDrawdownAbs, ...ratios } = originalFigures;
      expect(scaled).toMatchObject(ratios);
      expect([scaled.netProfit, scaled.maxDrawdownAbs]).toEqual([netProfit! * factor, maxDrawdownAbs! * factor]);
    }),
  );
});

test('a day without return changes neither drawdowns nor totals', () => {
  fc.assert(
    fc.property(values, (equity) => {
      const originalFigures = figuresOf(...equity).values;
      const longerFigures = figuresOf(...equity, equity[equity.length - 1]!).values;
      expect([longerFigures.maxDrawdown, longerFigures.maxDrawdownAbs, longerFigures.totalReturn]).toEqual([
        originalFigures.maxDrawdown,
        originalFigures.maxDrawdownAbs,
        originalFigures.totalReturn,
      ]);
    }),
  );
});

test('a quantile lies between its neighbours', () => {
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, q) => {
      const ascending = Float64Array.from(list).toSorted();
      const value = quantile(ascending, q);
      const position = q * (list.length - 1);
      expect(value).toBeGreaterThanOrEqual(ascending[Math.floor(position)]!);
      expect(value).toBeLessThanOrEqual(ascending[Math.ceil(position)]! + 1e-12);
    }),
  );
});

test('the median equals the 0.5 quantile of the sorted values', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 40 }), (list) => {
      const column = Float64Array.from(list);
      expect(columnMedian(column)).toBe(quantile(column.toSorted(), 0.5));
    }),
  );
  expect(columnMedian(new Float64Array())).toBeNaN();
});

test('kernels import only each other and src/base', () => {
  const folder = new URL('.', import.meta.url);
  for (const file of readdirSync(folder).filter((name) => !name.endsWith('.test.ts'))) {
    const imports = [...readFileSync(new URL(file, folder), 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1]!);
    expect(
      imports.filter((importPath) => !/^\.\/|^(\.\.\/){2}base\//.test(importPath)),
      file,
    ).toEqual([]);
  }
});
