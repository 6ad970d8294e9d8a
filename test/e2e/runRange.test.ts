// Tests the range of a run: it follows the bars in which orders fill, and the benchmark and warnings follow what was traded.

import { Strategy } from 'isobar';
import { backtest, generateBars, type Bars } from 'isobar/run';
import { expect, test } from 'vitest';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FIRST = Date.UTC(2022, 0, 1);
const LATER = FIRST + 357 * DAY;

const hours = generateBars({ symbol: 'TESTUSDT', interval: '1h', from: '2022-01-01', bars: 417 * 24, seed: 3 });
/** Returns 5-minute bars for the last 60 days, at the prices of the hourly bars. */
function fives(days = 60, startMs = LATER): Bars {
  const rows = days * 288;
  const close = Float64Array.from({ length: rows }, (_, row) => hours.close[Math.floor((startMs - FIRST) / HOUR) + Math.floor(row / 12)]!);
  const openMs = Float64Array.from({ length: rows }, (_, row) => startMs + row * 300_000);
  return { symbol: 'TESTUSDT', interval: '5m', openMs, open: close, high: close, low: close, close, volume: close.map(() => 1000) };
}

/** Buys and sells in turn at midnight. */
class Flips extends Strategy {
  hourly = this.feed('trend');
  override onBar() {
    if (this.nowMs % DAY !== 0) return;
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}
const feeds = { bars: { symbol: 'TESTUSDT', interval: '5m' }, trend: { symbol: 'TESTUSDT', interval: '1h' } };
const run = (data: readonly Bars[], extraOptions: object = {}) =>
  backtest({ strategy: Flips, data: [...data], feeds, cash: '10000', ...extraOptions });

test('a feed that starts before the bars in which orders fill adds no empty days', async () => {
  const { summary } = await run([fives(), hours]);
  expect([summary.run.fromMs, summary.run.toMs]).toEqual([LATER, LATER + 60 * DAY]);
  expect(summary.metrics.dailyReturns).toHaveLength(60);
  expect(summary.warnings).toContainEqual({
    code: 'DATA_PARTIAL',
    text: 'orders fill in bars of TESTUSDT 5m, which cover 2022-12-24 00:00 UTC to 2023-02-22 00:00 UTC of 2022-01-01 00:00 UTC to 2023-02-22 00:00 UTC: the run is where they are',
    file: null,
    line: null,
  });
  // The result is the same as with `from` and `to`.
  const statedRange = await run([fives(), hours], { from: '2022-12-24', to: '2023-02-22' });
  expect(statedRange.resultHash).toBe(summary.resultHash);
  expect(statedRange.metrics.sharpe).toBe(summary.metrics.sharpe);
  expect(statedRange.summary.warnings.map(({ code }) => code)).not.toContain('DATA_PARTIAL');
});

test('bars that end before the run are reported, and the range that was asked for stays', async () => {
  const { summary } = await run([fives(), hours], { from: '2022-12-24', to: '2023-03-04' });
  expect(summary.run.toMs).toBe(LATER + 70 * DAY);
  expect(summary.warnings.map(({ code }) => code)).toContain('DATA_ENDS_EARLY');
});
