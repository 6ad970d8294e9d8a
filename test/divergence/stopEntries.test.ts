// Stop entries of a contract, which wait at the exchange: the bot and its backtest are equal, also over a restart between two bars.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { comparePlanted, type Planted } from './planted.ts';

/** Waits a little above each close, also with a limit, and closes after some bars. */
class Breaks extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++;
    if (!this.position().isFlat) {
      if (at % 2 === 0) this.exit();
      return;
    }
    const waiting = this.openOrders();
    if (waiting.some(({ lifecycle }) => lifecycle !== 'working')) return;
    for (const { id } of waiting) this.cancel(id);
    const stopEntry = this.bars.close.value + 0.5;
    this.buy({ base: '50' }, at % 3 === 0 ? { stopEntry, limit: stopEntry + 0.5 } : { stopEntry, stopLoss: stopEntry - 3 });
  }
}

const BETWEEN: Planted = { acts: { 9: ({ restart }) => restart(0) } };

test.each([{}, BETWEEN])('a bot with stop entries equals its backtest: %o', { timeout: 120_000 }, async (acts) => {
  const report = await comparePlanted({ strategy: Breaks, isFutures: true, ...acts });
  expect(report).toMatchObject({ equal: true, cause: null, first: null, residual: '0' });
  expect(report.fills).toBeGreaterThan(4);
  expect(report.orders).toBeGreaterThan(10);
});

/** Replaces one limit far below the market at each close. */
class Rung extends Strategy {
  override onBar() {
    for (const { id } of this.openOrders()) this.cancel(id);
    this.buy({ base: '1' }, { limit: this.bars.close.value * 0.9, tag: 'rung' });
  }
}

test('replacements leave after a clean stop and a start in which nothing else happens', { timeout: 120_000 }, async () => {
  const report = await comparePlanted({ strategy: Rung, acts: { 5: ({ restart }) => restart(0) } });
  expect(report).toMatchObject({ equal: true, cause: null, first: null });
  expect(report.orders).toBeGreaterThan(25);
});
