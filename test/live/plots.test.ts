// What strategies draw, in the view of a live bot: the values at each bar that they saw, also those before the start of the process.

import { afterEach, expect, test } from 'vitest';
import { custom, rsi, sma, Strategy } from '../../src/index.ts';
import { LiveControl } from '../../src/tasks/bot/botControls.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

const CONFIG = `strategy: drawn.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;

/** By the open time of the bar: what `mean` was when the strategy saw it. */
let seen = new Map<number, number>();

class Drawn extends Strategy {
  mean = this.plot('mean', sma(this.bars.close, 3), { pane: 'price' });
  strength = this.use(rsi(this.bars.close, 5));
  override onBar() {
    seen.set(this.bars.bar.openMs, this.mean.value);
  }
}
class WithCustom extends Drawn {
  static calls = 0;
  twice = this.plot(
    'twice',
    custom(this.bars.close, () => (value: number) => {
      WithCustom.calls++;
      return 2 * value;
    }),
  );
}

async function plotsAfter(strategy: typeof Drawn, bars: number) {
  const opened = await fixture.open(fixture.config(CONFIG), [strategy]);
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  opened.bot.start();
  const before = seen.size;
  await until(() => seen.size >= before + bars, 60_000, 'bars');
  const [feed] = control.view().feeds;
  const again = control.view().feeds[0]!;
  const rows = opened.bot.deps.engine.feeds[0]!.bars.length;
  await stopped(opened);
  return { feed: feed!, again, rows };
}

test('each bar has the values that the strategy saw, and the start knows those of the bars before it', async () => {
  seen = new Map();
  fixture = await LiveFixture.open(60);
  const { feed, rows } = await plotsAfter(Drawn, 3);
  expect(feed.plots.map(({ strategy, name, pane }) => [strategy, name, pane])).toEqual([
    ['Drawn', 'mean', 'price'],
    ['Drawn', 'rsi(close, 5)', 'rsi(close, 5)'],
  ]);
  const [mean, strength] = feed.plots;
  expect(mean!.values).toHaveLength(feed.bars.length);
  const at = (openMs: number): number => feed.bars.findIndex((bar) => bar[0] === openMs);
  expect([...seen].map(([openMs]) => mean!.values[at(openMs)])).toEqual([...seen.values()]);
  // The mean of three closes, by hand, at every bar of the view but the first two.
  const closes = feed.bars.map((bar) => bar[4]);
  const expected = closes.map((_, row) => (row < 2 ? null : (closes[row]! + closes[row - 1]! + closes[row - 2]!) / 3));
  expected.forEach((value, row) => value !== null && expect(mean!.values[row], `row ${row}`).toBeCloseTo(value, 6));
  // All but the first five rows of the feed. The view has the newest 300.
  expect(strength!.values.filter((value) => value === null).length).toBe(Math.max(0, 5 - (rows - feed.bars.length)));
});

test('the function of a custom indicator runs once for each bar, and its line begins with the process', async () => {
  seen = new Map();
  WithCustom.calls = 0;
  fixture = await LiveFixture.open(60);
  const { feed, again, rows } = await plotsAfter(WithCustom, 2);
  expect(WithCustom.calls).toBe(rows);
  const twice = feed.plots.find(({ name }) => name === 'twice')!;
  const closes = feed.bars.map((bar) => bar[4]);
  twice.values.forEach((value, row) => value !== null && expect(value).toBeCloseTo(2 * closes[row]!, 6));
  expect(twice.values.at(-1)).not.toBeNull();
  expect(twice.values[0]).toBeNull();
  expect(again.plots).toEqual(feed.plots);
});
