// Tests the series that a report draws: indicators under their keys, and series under the names that `plot` gives.

import { expect, it } from 'vitest';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { rsi, sma, Strategy, sub, supertrend } from '../../src/index.ts';
import { planFor, walkBars } from './backtestFixture.ts';

/** Names series in every way that the strategy API offers: by `use`, by `plot`, with and without a pane. */
class PlotsSeries extends Strategy {
  average = this.use(sma(this.bars.close, 5));
  trend = this.use(supertrend(this.bars, 5, 2));
  strength = this.use(rsi(this.bars.close, 5), { pane: 'mine' });
  distance = this.plot('distance', sub(this.bars.close, this.average));
  named = this.plot('mean', this.average, { pane: 'price' });
  line = this.plot('stop', this.trend.value, { pane: 'price' });
  override onBar() {}
}

it('a report draws each series once, under its last name and in its last pane', async () => {
  const bars = walkBars({ rows: 60, missing: 0, step: 40, seed: 2 });
  const plan = planFor({ strategies: [PlotsSeries], feeds: { bars } });
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  const { indicators } = runRecordOf(plan, prepared, true);
  expect(indicators.map(({ name, pane }) => [name, pane])).toEqual([
    ['supertrend(high, low, close, 5, 2) direction', 'supertrend(high, low, close, 5, 2) direction'],
    ['rsi(close, 5)', 'mine'],
    ['distance', 'distance'],
    ['mean', 'price'],
    ['stop', 'price'],
  ]);
  const distance = indicators[2]!.values;
  const mean = indicators[3]!.values;
  for (let row = 4; row < 60; row++) expect(distance[row]).toBe(bars.close[row]! - mean[row]!);
});
