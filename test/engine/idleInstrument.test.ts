// Tests the trades of a run in which one of the instruments has no bar.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { barsOfRows, MINUTE, planFor, quietRows, spotInstrument, START_MS } from './backtestFixture.ts';

/** Buys at its second bar and exits at its fifth one. */
class BuysOnce extends Strategy {
  other = this.feed('other');
  closedRows = 0;
  override onBar() {
    if (!this.bars.fresh) return;
    this.closedRows++;
    if (this.closedRows === 2) this.buy({ base: 1 });
    if (this.closedRows === 5) this.exit();
  }
}

test('the excursions of trades are recorded when another instrument has no bar in the range of the run', async () => {
  const bars = barsOfRows(quietRows(30), spotInstrument('AAA'));
  const other = barsOfRows(quietRows(5), spotInstrument('BBB'));
  const plan = planFor({ strategies: [BuysOnce], feeds: { bars, other } });
  const { closed, path } = tradesOf(await runBacktest({ ...plan, fromMs: START_MS + 10 * MINUTE }));
  expect(closed.length).toBe(1);
  expect(closed.maeUnits[0]).toBeLessThan(0);
  expect(path).toBe('coarse');
});
