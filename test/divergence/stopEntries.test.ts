// Tests that a bot with stop entries of a contract equals its backtest, also over a restart between two bars.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { comparePlanted, type PlantedDifference } from './planted.ts';

/** Places a stop entry 0.5 above each close, every third with a limit, and exits at an even bar. */
class BreakoutEntries extends Strategy {
  barCount = 0;
  override onBar() {
    const bar = this.barCount++;
    if (!this.position().isFlat) {
      if (bar % 2 === 0) this.exit();
      return;
    }
    const openOrders = this.openOrders();
    if (openOrders.some(({ lifecycle }) => lifecycle !== 'working')) return;
    for (const { id } of openOrders) this.cancel(id);
    const stopEntry = this.bars.close.value + 0.5;
    const options = bar % 3 === 0 ? { limit: stopEntry + 0.5 } : { stopLoss: stopEntry - 3 };
    this.buy({ base: '50' }, { stopEntry, ...options });
  }
}

/** A restart between two bars. */
const WITH_RESTART: PlantedDifference = { actsByRow: { 9: ({ restart }) => restart(0) } };

test.each([{}, WITH_RESTART])('a bot with stop entries equals its backtest: %o', { timeout: 120_000 }, async (overrides) => {
  const report = await comparePlanted({ strategy: BreakoutEntries, isFutures: true, ...overrides });
  expect(report).toMatchObject({ equal: true, cause: null, first: null, residual: '0' });
  expect(report.fills).toBeGreaterThan(4);
  expect(report.orders).toBeGreaterThan(10);
});

/** Replaces one limit far below the market at each close. */
class RepricedLimit extends Strategy {
  override onBar() {
    for (const { id } of this.openOrders()) this.cancel(id);
    this.buy({ base: '1' }, { limit: this.bars.close.value * 0.9, tag: 'rung' });
  }
}

test('a bot that replaces a limit at each bar equals its backtest over a clean stop and a start', { timeout: 120_000 }, async () => {
  const report = await comparePlanted({ strategy: RepricedLimit, actsByRow: { 5: ({ restart }) => restart(0) } });
  expect(report).toMatchObject({ equal: true, cause: null, first: null });
  expect(report.orders).toBeGreaterThan(25);
});
