// Tests that the engine may skip rows which reach no order: the result is that of a run that matches every row.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReplayExchange } from '../../src/adapters/replay/replayExchange.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { crossedDown, crossedUp, sma, Strategy, type OrderOptions } from '../../src/index.ts';
import { run, spotInstrument, walkBars } from './backtestFixture.ts';

const pair = spotInstrument('BTC');
const START_TICKS = 4_000_000;

afterEach(() => void vi.restoreAllMocks());

/** Returns the options of a random stop: trailing by a distance or by a percentage, from a price on, fixed, or with a target. */
function randomStopOptions(nextRandom: () => number, price: number): OrderOptions {
  const formDraw = nextRandom();
  const distance = 5 + Math.floor(nextRandom() * 400);
  if (formDraw < 0.3) return { trailing: distance };
  if (formDraw < 0.5) return { trailing: { percent: 0.05 + nextRandom() }, stopLoss: price - 2 * distance };
  if (formDraw < 0.7) return { trailing: { distance, from: price + distance / 2 } };
  if (formDraw < 0.9) return { stopLoss: price - distance };
  return { stopLoss: price - distance, takeProfit: price + distance };
}

/** Places random orders near and far from the price, in `onBar`. */
class OnBarStrategy extends Strategy {
  draws = seededRng(7);
  override onBar() {
    const draw = this.draws.next();
    const price = this.bars.close.value;
    if (draw < 0.02)
      this.buy(
        { base: '0.01' },
        randomStopOptions(() => this.draws.next(), price),
      );
    else if (draw < 0.023) this.exit();
    else if (draw < 0.025) this.buy({ base: '0.01' }, { stopEntry: price + 20, stopLoss: price - 30 });
    else if (draw < 0.03) this.buy({ base: '0.01' }, { limit: price - 50, trailing: 60 });
    else if (draw < 0.035) for (const order of this.openOrders()) this.cancel(order.id);
  }
}

/** Places random orders near and far from the price, on signals. */
class WhenStrategy extends Strategy {
  draws = seededRng(8);
  fast = this.use(sma(this.bars.close, 5));
  slow = this.use(sma(this.bars.close, 60));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    this.buy(
      { base: '0.01' },
      randomStopOptions(() => this.draws.next(), this.bars.close.value),
    );
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    if (this.draws.next() < 0.2) this.exit();
  });
}

describe('rows that reach no stop', () => {
  it.each([
    [OnBarStrategy, 1],
    [OnBarStrategy, 2],
    [OnBarStrategy, 3],
    [WhenStrategy, 4],
    [WhenStrategy, 5],
    [WhenStrategy, 6],
  ])('rows that reach no order are skipped with the same result (%o, seed %i)', async (strategy, seed) => {
    const bars = walkBars({ instrument: pair, rows: 6000, step: 600, start: START_TICKS, seed, missing: seed % 2 === 0 ? 0.02 : 0 });
    const matchRow = vi.spyOn(ReplayExchange.prototype, 'matchRow');
    const runAndCount = async () => {
      matchRow.mockClear();
      const { record } = await run({ strategies: [{ strategy }], feeds: { bars }, cash: { USDT: '1000000' } });
      return { fills: record.fills, orders: record.orders, equity: record.equity, matched: matchRow.mock.calls.length };
    };
    const withSkippedRows = await runAndCount();
    vi.spyOn(ReplayExchange.prototype, 'passRows').mockImplementation((_, from) => from);
    const withEveryRow = await runAndCount();
    expect(withEveryRow.fills.length).toBeGreaterThan(40);
    expect({ ...withSkippedRows, matched: 0 }).toEqual({ ...withEveryRow, matched: 0 });
    expect(withSkippedRows.matched, `${withEveryRow.matched} rows with an order`).toBeLessThan(withEveryRow.matched * 0.7);
  });
});
