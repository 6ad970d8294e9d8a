// Tests the strategy API: sizes, errors in callbacks, and strategies over several feeds.

import { describe, expect, it } from 'vitest';
import { StrategyError } from '../../src/base/errors.ts';
import { above, Strategy, type OrderInfo, type OrderOptions, type Size } from '../../src/index.ts';
import { coarser, columnsOf, fillRows, run, walkBars } from './backtestFixture.ts';
import { quietBars, WITHOUT_FEES, strategyOf, CallableStrategy, ordersOf, buyAtFirstBar } from './callableStrategy.ts';

describe('sizes', () => {
  it.each<[string, Size | undefined, OrderOptions | undefined, number]>([
    ['base, as text', { base: '0.1' }, undefined, 100],
    ['base, rounded down', { base: 0.1239 }, undefined, 123],
    ['base that a double cannot hold', { base: 0.07 }, undefined, 70],
    ['quote at the next open', { quote: '50.55' }, undefined, 505],
    ['quote at a limit, rounded down', { quote: 50 }, { limit: 99 }, 505],
    ['a share of equity', { equity: '0.5' }, { limit: 100 }, 500_000],
    ['the size of the definition', undefined, { limit: 100 }, 900_000],
  ])('the size of an order in lots: %s', async (_, size, options, lots) => {
    const { orders } = await ordersOf(buyAtFirstBar(size, options));
    const [order] = orders;
    expect(order!.lots || order!.filled).toBe(lots);
  });

  it.each<[string, number | string, number | string, number, number]>([
    ['a buy limit is rounded down, a sell limit up', 99.999, 100.001, 9999, 10_001],
    ['prices of whole ticks stay as they are', '99.07', '101.03', 9907, 10_103],
  ])('the limit of an order in ticks: %s', async (_, buyLimit, sellLimit, buyTicks, sellTicks) => {
    const { orders } = await ordersOf((strategy, row) => {
      if (row === 0) strategy.order('buy', { base: '1' });
      if (row === 2) strategy.order('buy', { base: '0.1' }, { limit: buyLimit, tag: 'low' });
      if (row === 2) strategy.order('sell', { base: '0.1' }, { limit: sellLimit });
    });
    expect(orders.slice(1).map(({ limit }) => limit)).toEqual([buyTicks, sellTicks]);
  });

  it.each<[string, Size, OrderOptions | undefined, string]>([
    ['a base of NaN', { base: NaN }, undefined, 'BAD_INPUT'],
    ['a quote of NaN', { quote: NaN }, undefined, 'BAD_INPUT'],
    ['an equity of NaN', { equity: NaN }, undefined, 'BAD_INPUT'],
    ['text that is no number', { base: 'much' }, undefined, 'BAD_INPUT'],
    ['an infinite base', { base: Infinity }, undefined, 'BAD_INPUT'],
    ['an infinite quote', { quote: Infinity }, undefined, 'BAD_INPUT'],
    ['an infinite quote at a limit', { quote: Infinity }, { limit: 99 }, 'BAD_INPUT'],
    ['an infinite equity', { equity: Infinity }, undefined, 'BAD_INPUT'],
    ['more than any account holds', { equity: 1e12 }, undefined, 'BAD_INPUT'],
    ['a NaN limit', { base: '0.1' }, { limit: NaN }, 'BAD_INPUT'],
    ['a NaN limit by amount', { quote: '50' }, { limit: NaN }, 'BAD_INPUT'],
    ['a limit of zero', { base: '0.1' }, { limit: 0 }, 'BAD_INPUT'],
    ['a limit below one tick', { base: '0.1' }, { limit: 0.001 }, 'BAD_INPUT'],
    ['a limit below one tick, by amount', { quote: '50' }, { limit: '0.004' }, 'BAD_INPUT'],
    ['a negative limit', { base: '0.1' }, { limit: -5 }, 'BAD_INPUT'],
    ['a NaN target', { quote: '50' }, { takeProfit: NaN }, 'BAD_INPUT'],
    ['a NaN stop', { base: '0.1' }, { stopLoss: NaN }, 'BAD_INPUT'],
    ['a NaN trailing distance', { base: '0.1' }, { trailing: NaN }, 'BAD_INPUT'],
    ['a negative stop', { base: '0.1' }, { stopLoss: -1 }, 'BAD_INPUT'],
    ['an infinite base, as text', { base: 'Infinity' }, undefined, 'BAD_INPUT'],
    ['an infinite limit', { base: '0.1' }, { limit: Infinity }, 'BAD_INPUT'],
    ['an infinite stop', { quote: '50' }, { stopLoss: Infinity }, 'BAD_INPUT'],
    ['an infinite target', { quote: '50' }, { takeProfit: Infinity }, 'BAD_INPUT'],
    ['an infinite trailing distance', { quote: '50' }, { trailing: Infinity }, 'BAD_INPUT'],
    ['a stop too large to represent', { quote: '50' }, { stopLoss: 1e300 }, 'BAD_INPUT'],
    ['a base of zero', { base: 0 }, undefined, 'PRECISION'],
    ['a quote of zero', { quote: 0 }, undefined, 'PRECISION'],
    ['less than a lot', { base: 0.0004 }, undefined, 'PRECISION'],
    ['less than the smallest order', { base: 0.001 }, undefined, 'PRECISION'],
    ['a time in force', { base: '0.1' }, { limit: 99, timeInForce: 'IOC' }, 'TIME_IN_FORCE'],
    ['a buy that only reduces', { base: '0.1' }, { reduceOnly: true }, 'REDUCE_ONLY'],
    ['more than the cash', { base: '1001' }, undefined, 'MARGIN'],
  ])('an order with an invalid size or price is denied: %s', async (_, size, options, code) => {
    const { orders, fills } = await ordersOf(buyAtFirstBar(size, options));
    expect(orders).toMatchObject([{ ending: 'denied', code }]);
    // Infinity is not a number of the record either: tables would write digits without end.
    const { lots, limit } = orders[0]!;
    for (const amount of [lots, limit]) expect(Math.abs(amount)).not.toBeGreaterThan(Number.MAX_SAFE_INTEGER);
    expect(fills).toEqual([]);
  });

  it('a tag that is not a text ends the run', async () => {
    const failed = ordersOf(buyAtFirstBar({ base: '0.1' }, { tag: 5 as never }));
    await expect(failed).rejects.toThrow(/^Acting: an order whose tag is a number instead of a text, at /);
  });

  it.each<[Size, RegExp]>([
    [{ base: '-1' }, /^Acting: an order of a negative size, -1 base, at 2024-01-01 00:01/],
    [{ quote: -0.5 }, /negative size, -0.5 quote/],
    [{ equity: -0.1 }, /negative size, -0.1 equity/],
  ])('a negative size ends the run: %o', async (size, message) => {
    const failed = ordersOf(buyAtFirstBar(size));
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(StrategyError);
  });

  it('an action whose error the strategy catches leaves a denied order', async () => {
    const catchesError = (strategy: CallableStrategy, row: number) => {
      if (row > 0) return;
      expect(() => strategy.order('buy', { base: '-1' })).toThrow(StrategyError);
      strategy.order('buy', { base: '0.1' });
    };
    const { orders, fills } = await ordersOf(catchesError);
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([['denied', 'BAD_INPUT'], ['filled', '']]); // prettier-ignore
    expect(fills).toHaveLength(1);
  });

  it('an unknown option or a size with two units ends the run, because a misspelt stop would guard nothing', async () => {
    const misspelt = ordersOf(buyAtFirstBar({ base: '0.1' }, { stoploss: 95 } as OrderOptions));
    await expect(misspelt).rejects.toThrow(/^Acting: an order with the option stoploss, which does not exist, at 2024-01-01 00:01/);
    await expect(misspelt).rejects.toMatchObject({ remedy: 'did you mean stopLoss?' });
    const both = ordersOf(buyAtFirstBar({ base: '0.1', quote: '50' } as unknown as Size));
    await expect(both).rejects.toThrow(/^Acting: an order whose size has several units: base, quote, at /);
  });

  const EXAMPLES = "{ equity: '0.5' }, { quote: '100' } or { base: '0.01' }";
  it.each<[unknown, string, string]>([
    [null, 'this.buy(null): expected a size', `give one such as ${EXAMPLES}, or none: the size of the run's definition is then used`],
    ['0.5', "this.buy('0.5'): expected a size", ''],
    [{}, 'this.buy({}): expected a size', ''],
    [{ equty: '0.5' }, 'this.buy with equty in its size, which is not a unit of a size', 'did you mean equity?'],
    [{ base: '0.1', stopLoss: 95 }, 'this.buy with stopLoss in its size', 'stopLoss is an option: this.buy(size, { stopLoss: ... })'],
    [{ leverage: 3 }, 'this.buy with leverage in its size', `sizes are ${EXAMPLES}`],
  ])('an invalid size ends the run, because plain JavaScript checks no types: %o', async (size, message, remedy) => {
    const failed = ordersOf(buyAtFirstBar(size as Size));
    await expect(failed).rejects.toThrow(`Acting: ${message}`);
    await expect(failed).rejects.toThrow(StrategyError);
    await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) });
  });

  it('a sale or target without a size ends the run, and so does a size with a second unit', async () => {
    const nothing = null as unknown as Size;
    await expect(ordersOf((strategy) => strategy.order('sell', nothing))).rejects.toThrow(
      /^Acting: this.sell\(null\): expected a size, at 2024/,
    );
    const target = ordersOf((strategy) => strategy.api.target(nothing));
    await expect(target).rejects.toThrow(/^Acting: this.target\(null\): expected a size, at 2024/);
    await expect(target).rejects.toMatchObject({ remedy: `give one such as ${EXAMPLES}` });
    const targetWithoutSize = (strategy: CallableStrategy) => (strategy.api.target as unknown as () => void)();
    await expect(ordersOf(targetWithoutSize)).rejects.toThrow(/^Acting: this.target\(undefined\): expected a size/);
    const buyWithNullOptions = (strategy: CallableStrategy) => strategy.order('buy', { base: '0.1' }, null as unknown as OrderOptions);
    await expect(ordersOf(buyWithNullOptions)).rejects.toThrow(/^Acting: this.buy\(size, null\), whose options are not an object/);
    const changingSize: Record<string, string> = { base: '0.1' };
    const withSecondUnit = ordersOf((strategy, row) => {
      if (row === 2) changingSize['quote'] = '5';
      strategy.order('buy', changingSize as Size);
    });
    await expect(withSecondUnit).rejects.toThrow(/whose size has several units: base, quote/);
  });
});

describe('errors in callbacks', () => {
  it('an error in a callback names the strategy and the bar', async () => {
    const failed = ordersOf((_, row) => {
      if (row === 2) throw new RangeError('too far');
    });
    await expect(failed).rejects.toThrow(/^Acting threw at 2024-01-01 00:03.*: too far$/);
    await expect(failed).rejects.toMatchObject({ cause: expect.any(RangeError) });
  });

  it('an error in a constructor names its strategy', async () => {
    class FailsInConstructor extends Strategy {
      length = [1].at(3)!.toFixed();
      override onBar() {}
    }
    await expect(run({ strategies: [FailsInConstructor], feeds: { bars: quietBars(3) } })).rejects.toThrow(
      /^FailsInConstructor threw while it was constructed/,
    );
  });

  it('an error in a callback names the strategy whose code ran', async () => {
    const correctStrategy = strategyOf(() => {});
    class ThrowsInBar extends Strategy {
      override onBar() {
        throw new Error('mine');
      }
    }
    await expect(run({ strategies: [correctStrategy, ThrowsInBar], feeds: { bars: quietBars(3) } })).rejects.toThrow(/^ThrowsInBar threw/);
  });

  const promise = () => Promise.resolve();
  it.each<[string, new (...setup: ConstructorParameters<typeof Strategy>) => Strategy]>([
    ['onBar', class extends Strategy { override onBar() { return promise() as unknown as void; } }], // prettier-ignore
    [
      'a handler',
      class extends Strategy {
        up = this.when(above(this.bars.close, 1), () => promise() as unknown as void);
      },
    ],
    [
      'a timer',
      class extends Strategy {
        override onBar() {}
        override onStart() {
          this.every('1m', () => promise() as unknown as void);
        }
      },
    ],
    [
      'onOrder',
      class extends Strategy {
        override onBar() {
          this.buy({ base: 0 });
        }
        override onOrder() {
          return promise() as unknown as void;
        }
      },
    ],
    [
      'onFill',
      class extends Strategy {
        override onBar() {
          this.buy({ base: '0.1' });
        }
        override onFill() {
          return promise() as unknown as void;
        }
      },
    ],
  ])('a promise from %s is rejected', async (_, strategy) => {
    await expect(run({ strategies: [strategy as never], feeds: { bars: quietBars(4) } })).rejects.toThrow('returned a promise');
  });

  it('callbacks that cause each other without end are stopped', async () => {
    class OrdersInOnOrder extends Strategy {
      override onBar() {
        this.buy({ base: 0 });
      }
      override onOrder(_: OrderInfo) {
        this.buy({ base: 0 });
      }
    }
    await expect(run({ strategies: [OrdersInOnOrder], feeds: { bars: quietBars(2) } })).rejects.toThrow('cause each other without end');
  });
});

describe('several feeds', () => {
  it('an instant delivers every bar that closed, calls onBar once, and fresh names the new bars', async () => {
    /** Time, and whether the bars of each feed are fresh. */
    const freshFeeds: [number, boolean, boolean][] = [];
    const bars = walkBars({ rows: 125, missing: 0.1, seed: 4 });
    const hour = coarser(bars, '1h');
    class UsesTwoFeeds extends Strategy {
      hour = this.feed('hour');
      override onBar() {
        freshFeeds.push([this.nowMs, this.bars.fresh, this.hour.fresh]);
        if (this.hour.fresh) expect(this.hour.bar.closeMs).toBe(this.nowMs);
        expect(this.hour.bar.closeMs).toBeLessThanOrEqual(this.nowMs);
      }
    }
    await run({ strategies: [UsesTwoFeeds], feeds: { bars, hour } });
    const times = [...new Set([...bars.closeMs, ...hour.closeMs])].toSorted((a, b) => a - b).filter((ms) => ms >= hour.closeMs[0]!);
    expect(freshFeeds).toEqual(times.map((ms) => [ms, bars.closeMs.includes(ms), hour.closeMs.includes(ms)]));
  });

  it('only the coarse feed decides, while the finest feed of the instrument fills', async () => {
    const fine = walkBars({ rows: 180, seed: 9 });
    class BuysEachHour extends Strategy {
      override onBar() {
        this.buy({ base: '0.1' });
      }
    }
    const { record } = await run({ strategies: [BuysEachHour], feeds: { bars: coarser(fine, '1h'), fine }, ...WITHOUT_FEES });
    expect(fillRows(record).map(({ minute, price }) => [minute, price])).toEqual([
      [60, Math.round(fine.open[60]! * 100)],
      [120, Math.round(fine.open[120]! * 100)],
    ]);
    expect(record.equity.length).toBe(180);
  });
});

it('two equal runs have equal results', async () => {
  class RandomTrader extends Strategy {
    override onBar() {
      if (this.random() < 0.2) this.buy({ equity: 0.1 }, { trailing: 0.5 });
      else if (this.random() < 0.1) this.exit();
    }
  }
  const options = { strategies: [RandomTrader], feeds: { bars: walkBars({ rows: 500 }) } };
  const firstRun = await run(options);
  const secondRun = await run(options);
  const otherSeed = await run({ ...options, seed: 2 });
  expect(columnsOf(secondRun.record)).toEqual(columnsOf(firstRun.record));
  expect(columnsOf(otherSeed.record)).not.toEqual(columnsOf(firstRun.record));
});

it('a limit order reserves the maker fee where it is the higher one, so no strategy pays with the cash of another', async () => {
  const fees = { makerPpm: 2000, takerPpm: 0, in: 'quote' } as const;
  const allCash = await ordersOf(buyAtFirstBar({ base: '10' }, { limit: 100 }), { fees, cash: { USDT: '1000' } });
  expect(allCash.orders).toMatchObject([{ ending: 'denied', code: 'MARGIN' }]);
  const withinCash = await ordersOf(buyAtFirstBar({ base: '9.98' }, { limit: 100 }), { fees, cash: { USDT: '1000' } });
  expect(withinCash.orders).toMatchObject([{ code: '' }]);
});
