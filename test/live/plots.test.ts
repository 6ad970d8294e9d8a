// Tests the plots in the view of a live bot: they have the values that the strategy read, also of bars before the start.

import { afterEach, expect, test } from 'vitest';
import { custom, rsi, sma, Strategy } from '../../src/index.ts';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

const CONFIG = `strategy: drawn.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

/** Value of `mean` that the strategy read at each bar, by open time. */
let meanByOpenMs = new Map<number, number>();

/** Plots an average, and records the values that it read. */
class PlotsMean extends Strategy {
  mean = this.plot('mean', sma(this.bars.close, 3), { pane: 'price' });
  strength = this.use(rsi(this.bars.close, 5));
  override onBar() {
    meanByOpenMs.set(this.bars.bar.openMs, this.mean.value);
  }
}
/** Also plots a custom indicator, whose calls are counted. */
class PlotsCustom extends PlotsMean {
  static calls = 0;
  twice = this.plot(
    'twice',
    custom(this.bars.close, () => (value: number) => {
      PlotsCustom.calls++;
      return 2 * value;
    }),
  );
}

/** Runs a bot for some bars. Returns the feed of its view, read twice, and the number of rows. */
async function plotsAfter(strategy: typeof PlotsMean, bars: number) {
  const opened = await fixture.open(fixture.config(CONFIG), [strategy]);
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  opened.bot.start();
  const countAtStart = meanByOpenMs.size;
  await until(() => meanByOpenMs.size >= countAtStart + bars, 60_000, 'bars');
  const [feed] = control.view().feeds;
  const feedReadAgain = control.view().feeds[0]!;
  const rows = opened.bot.deps.engine.feeds[0]!.bars.length;
  await stopAndClose(opened);
  return { feed: feed!, feedReadAgain, rows };
}

test('the plots of a live bot have the values that the strategy read, also for bars before the start', async () => {
  meanByOpenMs = new Map();
  fixture = await LiveFixture.open(60);
  const { feed, rows } = await plotsAfter(PlotsMean, 3);
  expect(feed.plots.map(({ strategy, name, pane }) => [strategy, name, pane])).toEqual([
    ['PlotsMean', 'mean', 'price'],
    ['PlotsMean', 'rsi(close, 5)', 'rsi(close, 5)'],
  ]);
  const [mean, strength] = feed.plots;
  expect(mean!.values).toHaveLength(feed.bars.length);
  const rowOf = (openMs: number): number => feed.bars.findIndex((bar) => bar[0] === openMs);
  expect([...meanByOpenMs].map(([openMs]) => mean!.values[rowOf(openMs)])).toEqual([...meanByOpenMs.values()]);
  // Compute the mean of three closes at every bar of the view except the first two.
  const closes = feed.bars.map((bar) => bar[4]);
  const expected = closes.map((_, row) => (row < 2 ? null : (closes[row]! + closes[row - 1]! + closes[row - 2]!) / 3));
  expected.forEach((value, row) => value !== null && expect(mean!.values[row], `row ${row}`).toBeCloseTo(value, 6));
  // The RSI has no value in the first five rows of the feed. The view has only the newest 300 rows.
  expect(strength!.values.filter((value) => value === null).length).toBe(Math.max(0, 5 - (rows - feed.bars.length)));
});

test('the function of a custom indicator runs once for each bar, and its plot begins with the process', async () => {
  meanByOpenMs = new Map();
  PlotsCustom.calls = 0;
  fixture = await LiveFixture.open(60);
  const { feed, feedReadAgain, rows } = await plotsAfter(PlotsCustom, 2);
  expect(PlotsCustom.calls).toBe(rows);
  const twice = feed.plots.find(({ name }) => name === 'twice')!;
  const closes = feed.bars.map((bar) => bar[4]);
  twice.values.forEach((value, row) => value !== null && expect(value).toBeCloseTo(2 * closes[row]!, 6));
  expect(twice.values.at(-1)).not.toBeNull();
  expect(twice.values[0]).toBeNull();
  expect(feedReadAgain.plots).toEqual(feed.plots);
});
