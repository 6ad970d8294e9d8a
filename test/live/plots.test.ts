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

/** Plots an average, and records the values that it read. Its RSI is only used; the view plots used indicators too. */
class PlotsMean extends Strategy {
  mean = this.plot('mean', sma(this.bars.close, 3), { pane: 'price' });
  rsi = this.use(rsi(this.bars.close, 5));
  override onBar() {
    meanByOpenMs.set(this.bars.bar.openMs, this.mean.value);
  }
}
/** Also plots a custom indicator, whose calls are counted. */
class PlotsCustom extends PlotsMean {
  static callCount = 0;
  doubledClose = this.plot(
    'doubledClose',
    custom(this.bars.close, () => (value: number) => {
      PlotsCustom.callCount++;
      return 2 * value;
    }),
  );
}

/** Runs a bot for `barCount` bars. Returns the feed of its view, read twice, and the number of rows that the engine has. */
async function runBotFor(strategy: typeof PlotsMean, barCount: number) {
  const openedBot = await fixture.open(fixture.config(CONFIG), [strategy]);
  const control = new LiveControl({ ...openedBot, loopDelayP99Ms: () => null });
  openedBot.bot.start();
  const countAtStart = meanByOpenMs.size;
  await until(() => meanByOpenMs.size >= countAtStart + barCount, 60_000, 'bars');
  const feed = control.view().feeds[0]!;
  const feedReadAgain = control.view().feeds[0]!;
  const rowCount = openedBot.bot.deps.engine.feeds[0]!.bars.length;
  await stopAndClose(openedBot);
  return { feed, feedReadAgain, rowCount };
}
/** Position of the open time and of the close price in a bar of the view. */
const [OPEN_MS, CLOSE] = [0, 4] as const;

test('the plots of a live bot have the values that the strategy read, also for bars before the start', async () => {
  meanByOpenMs = new Map();
  fixture = await LiveFixture.open(60);
  const { feed, rowCount } = await runBotFor(PlotsMean, 3);
  expect(feed.plots.map(({ strategy, name, pane }) => [strategy, name, pane])).toEqual([
    ['PlotsMean', 'mean', 'price'],
    ['PlotsMean', 'rsi(close, 5)', 'rsi(close, 5)'],
  ]);
  const [mean, rsiPlot] = feed.plots;
  expect(mean!.values).toHaveLength(feed.bars.length);
  const rowOf = (openMs: number): number => feed.bars.findIndex((bar) => bar[OPEN_MS] === openMs);
  expect([...meanByOpenMs].map(([openMs]) => mean!.values[rowOf(openMs)])).toEqual([...meanByOpenMs.values()]);
  // Compute the mean of three closes at every bar of the view except the first two.
  const closes = feed.bars.map((bar) => bar[CLOSE]);
  const expected = closes.map((_, row) => (row < 2 ? null : (closes[row]! + closes[row - 1]! + closes[row - 2]!) / 3));
  expected.forEach((value, row) => value !== null && expect(mean!.values[row], `row ${row}`).toBeCloseTo(value, 6));
  // The RSI has no value in the first five rows of the engine. The view may have left some of them out, because it has only the newest 300 rows.
  const rowsLeftOut = rowCount - feed.bars.length;
  expect(rsiPlot!.values.filter((value) => value === null).length).toBe(Math.max(0, 5 - rowsLeftOut));
});

test('a custom indicator is computed once for each bar, although its plot is read twice', async () => {
  meanByOpenMs = new Map();
  PlotsCustom.callCount = 0;
  fixture = await LiveFixture.open(60);
  const { feed, feedReadAgain, rowCount } = await runBotFor(PlotsCustom, 2);
  expect(PlotsCustom.callCount).toBe(rowCount);
  expect(feedReadAgain.plots).toEqual(feed.plots);
  const doubledClose = feed.plots.find(({ name }) => name === 'doubledClose')!;
  const closes = feed.bars.map((bar) => bar[CLOSE]);
  doubledClose.values.forEach((value, row) => value !== null && expect(value).toBeCloseTo(2 * closes[row]!, 6));
  expect(doubledClose.values.at(-1)).not.toBeNull();
  // The view shows values of a custom indicator only from the start of the process on.
  expect(doubledClose.values[0]).toBeNull();
});
