// Tests the range of a run: it follows the bars in which orders fill, and the benchmark and warnings follow what was traded.

import { Strategy } from 'isobar';
import { backtest, generateBars, type Bars } from 'isobar/run';
import { expect, test } from 'vitest';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_MS = Date.UTC(2022, 0, 1);
/** Days with hourly bars. The last ones also have 5-minute bars. */
const HOURLY_DAYS = 417;
const FIVES_DAYS = 60;
/** Number of 5-minute bars of a day. */
const FIVES_PER_DAY = 288;
/** The first of the 5-minute bars. */
const FIVES_START_MS = FIRST_MS + (HOURLY_DAYS - FIVES_DAYS) * DAY_MS;

const hourlyBars = generateBars({ symbol: 'TESTUSDT', interval: '1h', from: '2022-01-01', bars: HOURLY_DAYS * 24, seed: 3 });
/** Returns 5-minute bars for the last days, at the prices of the hourly bars. */
function fiveMinuteBars(): Bars {
  const rows = FIVES_DAYS * FIVES_PER_DAY;
  const firstHour = Math.floor((FIVES_START_MS - FIRST_MS) / HOUR_MS);
  const close = Float64Array.from({ length: rows }, (_, row) => hourlyBars.close[firstHour + Math.floor(row / 12)]!);
  const openMs = Float64Array.from({ length: rows }, (_, row) => FIVES_START_MS + row * 300_000);
  return { symbol: 'TESTUSDT', interval: '5m', openMs, open: close, high: close, low: close, close, volume: close.map(() => 1000) };
}

/** Buys and sells in turn at midnight. */
class BuysAndSellsInTurn extends Strategy {
  hourly = this.feed('trend');
  override onBar() {
    if (this.nowMs % DAY_MS !== 0) return;
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}
const feeds = { bars: { symbol: 'TESTUSDT', interval: '5m' }, trend: { symbol: 'TESTUSDT', interval: '1h' } };
const run = (data: readonly Bars[], extraOptions: object = {}) =>
  backtest({ strategy: BuysAndSellsInTurn, data: [...data], feeds, cash: '10000', ...extraOptions });

test('a feed that starts before the bars in which orders fill adds no empty days', async () => {
  const { summary } = await run([fiveMinuteBars(), hourlyBars]);
  expect([summary.run.fromMs, summary.run.toMs]).toEqual([FIVES_START_MS, FIVES_START_MS + FIVES_DAYS * DAY_MS]);
  expect(summary.metrics.dailyReturns).toHaveLength(FIVES_DAYS);
  expect(summary.warnings).toContainEqual({
    code: 'DATA_PARTIAL',
    text: 'orders fill in bars of TESTUSDT 5m, which cover 2022-12-24 00:00 UTC to 2023-02-22 00:00 UTC of 2022-01-01 00:00 UTC to 2023-02-22 00:00 UTC: the run is where they are',
    file: null,
    line: null,
  });
  // The result is the same as with `from` and `to`.
  const statedRange = await run([fiveMinuteBars(), hourlyBars], { from: '2022-12-24', to: '2023-02-22' });
  expect(statedRange.resultHash).toBe(summary.resultHash);
  expect(statedRange.metrics.sharpe).toBe(summary.metrics.sharpe);
  expect(statedRange.summary.warnings.map(({ code }) => code)).not.toContain('DATA_PARTIAL');
});

test('bars that end before the run are reported, and the range that was asked for stays', async () => {
  const { summary } = await run([fiveMinuteBars(), hourlyBars], { from: '2022-12-24', to: '2023-03-04' });
  expect(summary.run.toMs).toBe(Date.UTC(2023, 2, 4));
  expect(summary.warnings.map(({ code }) => code)).toContain('DATA_ENDS_EARLY');
});
