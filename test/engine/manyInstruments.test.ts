// Tests runs of more than 256 instruments or strategies, whose numbers do not fit into a byte.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/strategy/strategy.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { planFor, spotInstrument, walkBars } from './backtestFixture.ts';

/** Buys the instruments 3 and 9, and holds them. */
class BuysTwo extends Strategy {
  all = this.feeds('all');

  override onBar() {
    for (const index of [3, 9]) {
      const feed = this.all[index]!;
      if (this.position(feed).isFlat) this.buy(undefined, { feed });
    }
  }
}

test('orders and fills of instruments beyond the 256th name their instrument', async () => {
  const bars = Array.from({ length: 300 }, (_, index) => walkBars({ rows: 4, seed: index + 1, instrument: spotInstrument(`A${index}`) }));
  const record = await runBacktest(
    planFor({ strategies: [BuysTwo], feeds: { all: bars }, size: { base: '0.01' }, cash: { USDT: '100000' } }),
  );
  // Instruments are in the order of their ids: A9 is the last one.
  const firstTwoIds = (column: Uint16Array) => [...column].slice(0, 2).map((index) => record.instruments[index]!.id);
  expect(record.instruments.at(-1)!.id).toBe('spot:A9USDT');
  expect(firstTwoIds(record.fills.instrument)).toEqual(['spot:A3USDT', 'spot:A9USDT']);
  expect(firstTwoIds(record.orders.instrument)).toEqual(['spot:A3USDT', 'spot:A9USDT']);
});

test('a run of more strategies than a byte can number is rejected', async () => {
  class Idle extends Strategy {
    override onBar() {}
  }
  const planOf = (count: number) =>
    planFor({ strategies: Array.from({ length: count }, () => Idle), feeds: { bars: walkBars({ rows: 4 }) } });
  await runBacktest(planOf(256));
  await expect(runBacktest(planOf(257))).rejects.toThrow('the run: expected at most 256 strategies, got 257');
});

test('risk checks each order by the current prices of all other instruments', async () => {
  /** Returns the bars of a coin whose price is 100 for ten rows, then `laterPrice`. */
  const barsWithStep = (name: string, laterPrice: number) => {
    const bars = walkBars({ rows: 20, instrument: spotInstrument(name) });
    const price = bars.open.map((_, row) => (row < 10 ? 100 : laterPrice));
    return { ...bars, open: price, high: price.slice(), low: price.slice(), close: price.slice() };
  };
  class BuysFourTimes extends Strategy {
    all = this.feeds('all');
    row = 0;

    override onBar() {
      this.row++;
      if (this.row === 2) this.buy({ base: 10 }, { feed: this.all[0]! });
      if (this.row === 5 || this.row === 8 || this.row === 15) this.buy({ base: 1 }, { feed: this.all[1]!, tag: String(this.row) });
    }
  }
  const codesAt = async (laterPrice: number) => {
    const feeds = { all: [barsWithStep('AAA', laterPrice), barsWithStep('BBB', 100)] };
    const risk = { maxGrossNotional: '1500' };
    const { orders } = await runBacktest(planFor({ strategies: [BuysFourTimes], feeds, risk, cash: { USDT: '100000' } }));
    return [...orders.code.subarray(0, orders.length)].map((code) => orders.texts[code]);
  };
  expect(await codesAt(100)).toEqual(['', '', '', '']);
  expect(await codesAt(150)).toEqual(['', '', '', 'PORTFOLIO']);
});
