// What strategies may ask for and what they get: set-up, feeds, warm-up, sizes, actions, views, and errors that name the culprit.

import { describe, expect, it } from 'vitest';
import { ConfigError, StrategyError } from '../../src/base/errors.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { crossedUp, above, sma, Strategy, type Feed, type OrderInfo, type OrderOptions, type Size } from '../../src/index.ts';
import {
  barsOfRows,
  coarser,
  columnsOf,
  fillRows,
  MINUTE,
  orderRows,
  run,
  spotInstrument,
  START_MS,
  walkBars,
  type PlanOptions,
} from './world.ts';

const QUIET: [number, number, number, number] = [10_000, 10_010, 9990, 10_000];
const quiet = (rows: number): BarColumns => barsOfRows(Array.from({ length: rows }, () => QUIET));
const FREE = { fees: { makerPpm: 0, takerPpm: 0 } };

/** Shows to tests what authors have. */
abstract class Open extends Strategy {
  row = 0;
  order = (isBuy: boolean, size?: Size, options?: OrderOptions) => (isBuy ? this.buy(size, options) : this.sell(size, options));
}

/** A strategy that calls `act` at each bar with the bar's number. */
function at(act: (own: Api, row: number) => unknown) {
  return class Acting extends Api {
    override onBar() {
      act(this, this.row++);
    }
  };
}
class Api extends Open {
  api = {
    exit: (feed?: Feed) => this.exit(feed),
    target: (size: Size, feed?: Feed) => this.target(size, feed),
    cancel: (id: number) => this.cancel(id as never),
    position: (feed?: Feed) => this.position(feed),
    openOrders: (feed?: Feed) => this.openOrders(feed),
    random: () => this.random(),
    equity: () => this.equity,
    cash: () => this.cash,
    now: () => this.nowMs as number,
    feed: (name: string) => this.feed(name),
    late: () => this.use(sma(this.bars.close, 3)),
    lateSignal: () => this.when(crossedUp(this.bars.close, 100), () => {}),
    lateCross: () => crossedUp(this.bars.close, sma(this.bars.close, 3)),
    every: (period: `${number}m`, handler: () => void) => this.every(period, handler),
    log: (message: string, fields?: Readonly<Record<string, unknown>>) => this.log(message, fields),
  };
}

async function ordersOf(act: (own: Api, row: number) => unknown, options: Partial<PlanOptions> = {}, bars = quiet(6)) {
  const { record, engine } = await run({ strategies: [at(act)], feeds: { bars }, ...FREE, ...options });
  return { orders: orderRows(record), fills: fillRows(record), record, engine };
}
const first =
  (size: Size | undefined, options?: OrderOptions, isBuy = true) =>
  (own: Api, row: number) =>
    row === 0 && own.order(isBuy, size, options);

describe('sizes', () => {
  it.each<[string, Size | undefined, OrderOptions | undefined, number]>([
    ['base, as text', { base: '0.1' }, undefined, 100],
    ['base, rounded down', { base: 0.1239 }, undefined, 123],
    ['base that a double cannot hold', { base: 0.07 }, undefined, 70],
    ['quote at the next open', { quote: '50.55' }, undefined, 505],
    ['quote at a limit, rounded down', { quote: 50 }, { limit: 99 }, 505],
    ['a share of equity', { equity: '0.5' }, { limit: 100 }, 500_000],
    ['the size of the definition', undefined, { limit: 100 }, 900_000],
  ])('%s', async (_, size, options, lots) => {
    const { orders } = await ordersOf(first(size, options));
    const [order] = orders;
    expect(order!.lots || order!.filled).toBe(lots);
  });

  it.each<[string, Amount, Amount, number, number]>([
    ['a buy limit down, a sell limit up', 99.999, 100.001, 9999, 10_001],
    ['prices on the grid as they are', '99.07', '101.03', 9907, 10_103],
  ])('%s', async (_, buy, sell, buyTicks, sellTicks) => {
    const { orders } = await ordersOf((own, row) => {
      if (row === 0) own.order(true, { base: '1' });
      if (row === 2) own.order(true, { base: '0.1' }, { limit: buy, tag: 'low' });
      if (row === 2) own.order(false, { base: '0.1' }, { limit: sell });
    });
    expect(orders.slice(1).map(({ limit }) => limit)).toEqual([buyTicks, sellTicks]);
  });

  it.each<[string, Size, OrderOptions | undefined, string]>([
    ['NaN base', { base: NaN }, undefined, 'BAD_INPUT'],
    ['NaN quote', { quote: NaN }, undefined, 'BAD_INPUT'],
    ['NaN equity', { equity: NaN }, undefined, 'BAD_INPUT'],
    ['text that is no number', { base: 'much' }, undefined, 'BAD_INPUT'],
    ['an endless base', { base: Infinity }, undefined, 'BAD_INPUT'],
    ['an endless quote', { quote: Infinity }, undefined, 'BAD_INPUT'],
    ['an endless quote at a limit', { quote: Infinity }, { limit: 99 }, 'BAD_INPUT'],
    ['an endless equity', { equity: Infinity }, undefined, 'BAD_INPUT'],
    ['more than there is', { equity: 1e12 }, undefined, 'BAD_INPUT'],
    ['a NaN limit', { base: '0.1' }, { limit: NaN }, 'BAD_INPUT'],
    ['a NaN limit by amount', { quote: '50' }, { limit: NaN }, 'BAD_INPUT'],
    ['a limit of nothing', { base: '0.1' }, { limit: 0 }, 'BAD_INPUT'],
    ['a limit below one tick', { base: '0.1' }, { limit: 0.001 }, 'BAD_INPUT'],
    ['a limit below one tick, by amount', { quote: '50' }, { limit: '0.004' }, 'BAD_INPUT'],
    ['a negative limit', { base: '0.1' }, { limit: -5 }, 'BAD_INPUT'],
    ['a NaN target', { quote: '50' }, { takeProfit: NaN }, 'BAD_INPUT'],
    ['a NaN stop', { base: '0.1' }, { stopLoss: NaN }, 'BAD_INPUT'],
    ['a NaN trailing distance', { base: '0.1' }, { trailing: NaN }, 'BAD_INPUT'],
    ['a negative trailing distance', { base: '0.1' }, { trailing: -1 }, 'BAD_INPUT'],
    ['a negative stop', { base: '0.1' }, { stopLoss: -1 }, 'BAD_INPUT'],
    ['an endless base, as text', { base: 'Infinity' }, undefined, 'BAD_INPUT'],
    ['an endless limit', { base: '0.1' }, { limit: Infinity }, 'BAD_INPUT'],
    ['an endless stop', { quote: '50' }, { stopLoss: Infinity }, 'BAD_INPUT'],
    ['an endless target', { quote: '50' }, { takeProfit: Infinity }, 'BAD_INPUT'],
    ['an endless trailing distance', { quote: '50' }, { trailing: Infinity }, 'BAD_INPUT'],
    ['a stop that nobody can count', { quote: '50' }, { stopLoss: 1e300 }, 'BAD_INPUT'],
    ['no base', { base: 0 }, undefined, 'PRECISION'],
    ['no quote', { quote: 0 }, undefined, 'PRECISION'],
    ['less than a lot', { base: 0.0004 }, undefined, 'PRECISION'],
    ['less than the smallest order', { base: 0.001 }, undefined, 'PRECISION'],
    ['a time in force', { base: '0.1' }, { limit: 99, timeInForce: 'IOC' }, 'TIME_IN_FORCE'],
    ['a buy that only reduces', { base: '0.1' }, { reduceOnly: true }, 'REDUCE_ONLY'],
    ['more than the cash', { base: '1001' }, undefined, 'MARGIN'],
  ])('%s is denied', async (_, size, options, code) => {
    const { orders, fills } = await ordersOf(first(size, options));
    expect(orders).toMatchObject([{ ending: 'denied', code }]);
    // What cannot be counted is no number of the record either: tables would write digits for ever.
    const { lots, limit } = orders[0]!;
    for (const amount of [lots, limit]) expect(Math.abs(amount)).not.toBeGreaterThan(Number.MAX_SAFE_INTEGER);
    expect(fills).toEqual([]);
  });

  it('a tag that is no text ends the run', async () => {
    const failed = ordersOf(first({ base: '0.1' }, { tag: 5 as never }));
    await expect(failed).rejects.toThrow(/^Acting: an order whose tag is no text but a number, at /);
  });

  it.each<[Size, RegExp]>([
    [{ base: '-1' }, /^Acting: an order of a negative size, -1 base, at 2024-01-01 00:01/],
    [{ quote: -0.5 }, /negative size, -0.5 quote/],
    [{ equity: -0.1 }, /negative size, -0.1 equity/],
  ])('a negative size ends the run: %o', async (size, message) => {
    const failed = ordersOf(first(size));
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(StrategyError);
  });

  it('one that the author catches was denied, and is no order that stays open', async () => {
    const caught = (own: Api, row: number) => {
      if (row > 0) return;
      expect(() => own.order(true, { base: '-1' })).toThrow(StrategyError);
      own.order(true, { base: '0.1' });
    };
    const { orders, fills } = await ordersOf(caught);
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([['denied', 'BAD_INPUT'], ['filled', '']]); // prettier-ignore
    expect(fills).toHaveLength(1);
  });

  it('an option that there is not ends the run, for a stop under another name would guard nothing; two units do too', async () => {
    const misspelt = ordersOf(first({ base: '0.1' }, { stoploss: 95 } as OrderOptions));
    await expect(misspelt).rejects.toThrow(/^Acting: an order with the option stoploss, which does not exist, at 2024-01-01 00:01/);
    await expect(misspelt).rejects.toMatchObject({ remedy: 'did you mean stopLoss?' });
    const both = ordersOf(first({ base: '0.1', quote: '50' } as unknown as Size));
    await expect(both).rejects.toThrow(/^Acting: an order whose size has several units: base, quote, at /);
  });

  const EXAMPLES = "{ equity: '0.5' }, { quote: '100' } or { base: '0.01' }";
  it.each<[unknown, string, string]>([
    [null, 'this.buy(null), which is no size', `give one such as ${EXAMPLES}, or leave it out: that of the run's definition holds then`],
    ['0.5', "this.buy('0.5'), which is no size", ''],
    [{}, 'this.buy({}), which is no size', ''],
    [{ equty: '0.5' }, 'this.buy with equty in its size, which is no unit of a size', 'did you mean equity?'],
    [{ base: '0.1', stopLoss: 95 }, 'this.buy with stopLoss in its size', 'stopLoss is an option: this.buy(size, { stopLoss: ... })'],
    [{ leverage: 3 }, 'this.buy with leverage in its size', `sizes are ${EXAMPLES}`],
  ])('what is no size ends the run, for plain JavaScript checks no type: %o', async (size, message, remedy) => {
    const failed = ordersOf(first(size as Size));
    await expect(failed).rejects.toThrow(`Acting: ${message}`);
    await expect(failed).rejects.toThrow(StrategyError);
    await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) });
  });

  it('and neither is nothing of a sale or a target, or a size that has got a second unit since', async () => {
    const nothing = null as unknown as Size;
    await expect(ordersOf((own) => own.order(false, nothing))).rejects.toThrow(/^Acting: this.sell\(null\), which is no size, at 2024/);
    const target = ordersOf((own) => own.api.target(nothing));
    await expect(target).rejects.toThrow(/^Acting: this.target\(null\), which is no size, at 2024/);
    await expect(target).rejects.toMatchObject({ remedy: `give one such as ${EXAMPLES}` });
    const untold = (own: Api) => (own.api.target as unknown as () => void)();
    await expect(ordersOf(untold)).rejects.toThrow(/^Acting: this.target\(undefined\), which is no size/);
    const options = (own: Api) => own.order(true, { base: '0.1' }, null as unknown as OrderOptions);
    await expect(ordersOf(options)).rejects.toThrow(/^Acting: this.buy\(size, null\), whose options are no object/);
    const size: Record<string, string> = { base: '0.1' };
    const grown = ordersOf((own, row) => {
      if (row === 2) size['quote'] = '5';
      own.order(true, size as Size);
    });
    await expect(grown).rejects.toThrow(/whose size has several units: base, quote/);
  });
});

type Amount = number | string;

describe('actions', () => {
  it('sell what is not held is denied; what is held is sold', async () => {
    const { orders } = await ordersOf((own, row) => {
      if (row === 0) own.order(false, { base: '0.1' });
      if (row === 1) own.order(true, { base: '0.1' });
      if (row === 3) own.order(false, { base: '0.1' });
    });
    expect(orders.map(({ ending, code }) => code || ending)).toEqual(['MARGIN', 'filled', 'filled']);
  });

  it('exit does nothing while flat, and nothing while an exit works', async () => {
    const returned: (number | null)[] = [];
    const { orders } = await ordersOf(
      (own, row) => {
        if (row === 0) returned.push(own.api.exit());
        if (row === 0) own.order(true, { base: '0.1' });
        if (row === 3) returned.push(own.api.exit(), own.api.exit());
      },
      { fills: { latencyMs: 1000 } },
    );
    expect(returned).toEqual([null, 2, null]);
    expect(orders).toHaveLength(2);
  });

  it('exit waits for its cancels under latency, and then goes', async () => {
    const { orders, fills } = await ordersOf(
      (own, row) => {
        if (row === 0) own.order(true, { base: '0.1' });
        if (row === 2) own.order(false, { base: '0.1' }, { limit: 110 });
        if (row === 4) own.api.exit();
      },
      { fills: { latencyMs: 1000 } },
      quiet(9),
    );
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'filled']);
    expect(fills.map(({ minute }) => minute)).toEqual([2, 7]);
  });

  it('target trades the difference, working orders counted', async () => {
    const ids: (number | null)[] = [];
    const { orders, engine } = await ordersOf((own, row) => {
      if (row === 0) ids.push(own.api.target({ base: '0.5' }), own.api.target({ base: '0.5' }));
      if (row === 2) ids.push(own.api.target({ base: '0.2' }));
      if (row === 4) ids.push(own.api.target({ base: '0.201' }), own.api.target({ base: '0.2' }));
    });
    expect(ids).toEqual([1, null, 2, null, null]);
    expect(orders.map(({ side, lots }) => [side, lots])).toEqual([['buy', 500], ['sell', 300]]); // prettier-ignore
    expect(engine.ledger.lots(0, 0)).toBe(200);
  });

  it('cancel, openOrders, position, cash and equity', async () => {
    const seen: unknown[] = [];
    await ordersOf((own, row) => {
      const { api } = own;
      if (row === 0) own.order(true, { base: '0.1' }, { limit: 99 });
      if (row === 1) seen.push(api.openOrders().map(({ id, side, qty, filled, lifecycle, tag, limit, entry, code }) => [id, side, String(qty), String(filled), lifecycle, tag, limit, entry, code])); // prettier-ignore
      if (row === 1) api.cancel(1);
      if (row === 2) seen.push(api.openOrders().length, api.position().isFlat, api.position().entryPrice, api.cash());
      if (row === 2) own.order(true, { base: '0.25' });
      if (row === 4) seen.push(String(api.position().qty), api.position().entryPrice, api.position().isLong, api.position().isShort, api.cash(), api.equity()); // prettier-ignore
    });
    expect(seen).toEqual([
      [[1, 'buy', '0.1', '0', 'working', 'buy', 99, null, null]],
      0,
      true,
      NaN,
      100_000,
      '0.25',
      100,
      true,
      false,
      99_975,
      100_000,
    ]);
  });

  it('an open order says its tag, its limit, and the entry that it closes', async () => {
    const seen: unknown[] = [];
    const look = (own: Api) => seen.push(...own.api.openOrders().map(({ id, tag, limit, entry }) => [id, tag, limit, entry]));
    const slow = { fills: { latencyMs: 1000 } };
    await ordersOf((own, row) => {
      if (row === 0) own.order(true, { base: '0.1' }, { takeProfit: 110.5, tag: 'mine' });
      if (row === 0) own.order(true, { base: '0.2' });
      if (row === 0) look(own);
      if (row === 3) look(own);
    }, slow); // prettier-ignore
    expect(seen).toEqual([[1, 'mine', NaN, null], [2, 'buy', NaN, null], [3, 'takeProfit', 110.5, 1]]); // prettier-ignore
  });

  it('random comes from the seed: the same again, another for another seed and for another strategy', async () => {
    const drawn = async (seed: number) => {
      const numbers: number[] = [];
      const strategy = at((own) => numbers.push(own.api.random()));
      await run({ strategies: [strategy, strategy], feeds: { bars: quiet(3) }, seed });
      return numbers;
    };
    const [one, again, other] = [await drawn(1), await drawn(1), await drawn(2)];
    expect(again).toEqual(one);
    expect(new Set([...one, ...other]).size).toBe(12);
    expect(one.every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it('log goes out with time and name', async () => {
    const lines: unknown[] = [];
    await run(
      { strategies: [at((own, row) => row === 1 && own.api.log('hello', { row }))], feeds: { bars: quiet(3) } },
      { log: (...line) => lines.push(line) },
    );
    expect(lines).toEqual([[START_MS + 2 * MINUTE, 'Acting', 'hello', { row: 1 }]]);
  });
});

describe('set-up', () => {
  const fails = (act: (own: Api) => unknown) => ordersOf((own) => act(own));

  it.each<[string, (own: Api) => unknown, RegExp]>([
    ['use', (own) => own.api.late(), /^sma\(close, 3\): .* registered while the strategy is constructed/],
    ['when', (own) => own.api.lateSignal(), /^crossedUp.* registered while the strategy is constructed/],
    ['feed', (own) => own.api.feed('bars'), /feed\('bars'\) after construction/],
    ['a signal as a condition', (own) => own.api.lateCross(), /registered while the strategy is constructed/],
  ])('%s after construction is refused', async (_, act, message) => {
    await expect(fails(act)).rejects.toThrow(message);
    await expect(fails(act)).rejects.toThrow(ConfigError);
  });

  it('a missing feed is named with the nearest one', async () => {
    class Lost extends Strategy {
      other = this.feed('tredn');
      override onBar() {}
    }
    const failed = run({ strategies: [Lost], feeds: { bars: quiet(3), trend: coarser(quiet(120), '1h') } });
    await expect(failed).rejects.toThrow(/Lost: the run has no feed called tredn/);
    await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining('did you mean trend?') });
  });

  it('a default interval is served by the only feed that has it, of the same instrument', async () => {
    class Trend extends Strategy {
      trend = this.feed('trend', { interval: '1h' });
      override onBar() {}
    }
    const btc = quiet(120);
    const eth = barsOfRows([QUIET], spotInstrument('ETH'));
    const ethHour: BarColumns = { ...eth, interval: '1h' };
    await run({ strategies: [Trend], feeds: { bars: btc, slow: coarser(btc, '1h') } });
    await expect(run({ strategies: [Trend], feeds: { bars: btc, slow: ethHour } })).rejects.toThrow('no feed called trend, interval: 1h');
  });

  it('a list is asked for by feeds, and a single name by feed', async () => {
    class One extends Strategy {
      all = this.feed('all');
      override onBar() {}
    }
    class All extends Strategy {
      all = this.feeds('all').map((feed) => feed.instrument.base);
      override onBar() {
        expect(this.all).toEqual(['BTC', 'ETH']);
      }
    }
    const feeds = { all: [quiet(3), barsOfRows([QUIET], spotInstrument('ETH'))] };
    await expect(run({ strategies: [One], feeds })).rejects.toThrow('the feed all is a list');
    await run({ strategies: [All], feeds });
  });

  it('this.bars of a run without it says what to do', async () => {
    class Bars extends Strategy {
      average = this.use(sma(this.bars.close, 3));
      override onBar() {}
    }
    const feeds = { one: quiet(3), two: barsOfRows([QUIET], spotInstrument('ETH')) };
    await expect(run({ strategies: [Bars], feeds })).rejects.toThrow('Bars: this.bars needs a feed called bars');
  });

  it('a strategy that can never be called is refused', async () => {
    class Idle extends Strategy {
      average = this.use(sma(this.bars.close, 3));
    }
    await expect(run({ strategies: [Idle], feeds: { bars: quiet(3) } })).rejects.toThrow(
      'Idle: the strategy has neither onBar nor a handler',
    );
  });

  it('a strategy that only begins buys there, and holds', async () => {
    class Holder extends Strategy {
      override onStart() {
        this.buy({ base: '0.1' });
      }
    }
    const { record } = await run({ strategies: [Holder], feeds: { bars: quiet(3) } });
    expect(fillRows(record)).toHaveLength(1);
  });

  it.each(['5', '0m', '1x', '-1m', '0.5s'])('every(%j) is refused', async (period) => {
    class Unusual extends Strategy {
      constructor(...setup: ConstructorParameters<typeof Strategy>) {
        super(...setup);
        this.every(period as '1m', () => {});
      }
    }
    await expect(run({ strategies: [Unusual], feeds: { bars: quiet(3) } })).rejects.toThrow(`every('${period}')`);
  });

  it.each(['24:00', '8', '08:60', 'noon'])('at(%j) is refused', async (time) => {
    class OtherUnusual extends Strategy {
      constructor(...setup: ConstructorParameters<typeof Strategy>) {
        super(...setup);
        this.at(time as '8:00', () => {});
      }
    }
    await expect(run({ strategies: [OtherUnusual], feeds: { bars: quiet(3) } })).rejects.toThrow(`at('${time}')`);
  });
});

describe('errors in callbacks', () => {
  it('name the strategy and the bar', async () => {
    const failed = ordersOf((_, row) => {
      if (row === 2) throw new RangeError('too far');
    });
    await expect(failed).rejects.toThrow(/^Acting threw at 2024-01-01 00:03.*: too far$/);
    await expect(failed).rejects.toMatchObject({ cause: expect.any(RangeError) });
  });

  it('while it is constructed', async () => {
    class Broken extends Strategy {
      length = [1].at(3)!.toFixed();
      override onBar() {}
    }
    await expect(run({ strategies: [Broken], feeds: { bars: quiet(3) } })).rejects.toThrow(/^Broken threw while it was constructed/);
  });

  it('name the strategy whose code ran', async () => {
    const good = at(() => {});
    class Bad extends Strategy {
      override onBar() {
        throw new Error('mine');
      }
    }
    await expect(run({ strategies: [good, Bad], feeds: { bars: quiet(3) } })).rejects.toThrow(/^Bad threw/);
  });

  const later = () => Promise.resolve();
  it.each<[string, new (...setup: ConstructorParameters<typeof Strategy>) => Strategy]>([
    ['onBar', class extends Strategy { override onBar() { return later() as unknown as void; } }], // prettier-ignore
    ['a handler', class extends Strategy { up = this.when(above(this.bars.close, 1), () => later() as unknown as void); }], // prettier-ignore
    ['a timer', class extends Strategy { override onBar() {} override onStart() { this.every('1m', () => later() as unknown as void); } }], // prettier-ignore
    ['onOrder', class extends Strategy { override onBar() { this.buy({ base: 0 }); } override onOrder() { return later() as unknown as void; } }], // prettier-ignore
    ['onFill', class extends Strategy { override onBar() { this.buy({ base: '0.1' }); } override onFill() { return later() as unknown as void; } }], // prettier-ignore
  ])('a promise from %s is refused', async (_, strategy) => {
    await expect(run({ strategies: [strategy as never], feeds: { bars: quiet(4) } })).rejects.toThrow('returned a promise');
  });

  it('callbacks that answer each other without end are stopped', async () => {
    class Echo extends Strategy {
      override onBar() {
        this.buy({ base: 0 });
      }
      override onOrder(_: OrderInfo) {
        this.buy({ base: 0 });
      }
    }
    await expect(run({ strategies: [Echo], feeds: { bars: quiet(2) } })).rejects.toThrow('answer each other without end');
  });
});

describe('warm-up', () => {
  /** The minute of the first callback, and of the start. */
  function watcher(bars: number, calls: (number | string)[]) {
    return class Watcher extends Strategy {
      average = this.use(sma(this.bars.close, bars));
      override onStart() {
        calls.push('start', (this.nowMs - START_MS) / MINUTE);
      }
      override onBar() {
        expect(this.average.ready).toBe(true);
        calls.push((this.nowMs - START_MS) / MINUTE);
      }
    };
  }

  it('callbacks begin when every series is ready', async () => {
    const calls: (number | string)[] = [];
    const { record } = await run({ strategies: [watcher(4, calls)], feeds: { bars: quiet(6) } });
    expect(calls).toEqual(['start', 4, 4, 5, 6]);
    expect(record.warmupInRange).toBe(3);
  });

  it('rows before the start of the run warm up', async () => {
    const calls: (number | string)[] = [];
    const { record } = await run({ strategies: [watcher(4, calls)], feeds: { bars: quiet(6) }, fromMs: START_MS + 4 * MINUTE });
    expect(calls).toEqual(['start', 5, 5, 6]);
    expect(record.warmupInRange).toBe(0);
    expect(record.equity.length).toBe(2);
  });

  it('never begins where the data is too short', async () => {
    const calls: (number | string)[] = [];
    await run({ strategies: [watcher(7, calls)], feeds: { bars: quiet(6) } });
    expect(calls).toEqual([]);
  });

  it('of one strategy does not delay another on the account', async () => {
    const [fast, slow]: (number | string)[][] = [[], []];
    await run({ strategies: [watcher(2, fast!), watcher(5, slow!)], feeds: { bars: quiet(6) } });
    expect(fast).toEqual(['start', 2, 2, 3, 4, 5, 6]);
    expect(slow).toEqual(['start', 5, 5, 6]);
  });

  it('counts every feed that is asked for, but not those of a list', async () => {
    const calls: number[] = [];
    const bars = walkBars({ rows: 200 });
    class Two extends Strategy {
      hour = this.feed('hour');
      average = this.use(sma(this.hour.close, 2));
      override onBar() {
        calls.push((this.nowMs - START_MS) / MINUTE);
      }
    }
    await run({ strategies: [Two], feeds: { bars, hour: coarser(bars, '1h') } });
    expect(calls[0]).toBe(120);
    class Listed extends Strategy {
      hours = this.feeds('hour').map((feed) => this.use(sma(feed.close, 2)));
      ready: boolean[] = [];
      override onBar() {
        this.ready.push(this.hours[0]!.ready);
      }
      override onStop() {
        expect([this.ready.indexOf(true), this.ready.length]).toEqual([119, 200]);
      }
    }
    await run({ strategies: [Listed], feeds: { bars, hour: coarser(bars, '1h') } });
  });

  it('onStart comes at that very instant for strategies without onBar too, and its timers fire', async () => {
    const fired: number[] = [];
    const bars = walkBars({ rows: 130 });
    let readyAt = 10;
    class Late extends Strategy {
      average = this.use(sma(this.bars.close, readyAt));
      override onStart() {
        fired.push((this.nowMs - START_MS) / MINUTE);
        this.every('30m', () => fired.push((this.nowMs - START_MS) / MINUTE));
        this.at('01:35', () => fired.push((this.nowMs - START_MS) / MINUTE));
      }
    }
    for (const feeds of [
      { bars },
      { bars, hour: coarser(bars, '1h') },
      { bars, eth: walkBars({ rows: 130, instrument: spotInstrument('ETH') }) },
    ]) {
      fired.length = 0;
      readyAt = 10;
      await run({ strategies: [Late], feeds });
      expect(fired).toEqual([10, 30, 60, 90, 95, 120]);
      // Ready after the first times of the timers: those were before it asked.
      fired.length = 0;
      readyAt = 100;
      await run({ strategies: [Late], feeds });
      expect(fired).toEqual([100, 120]);
    }
  });
});

describe('several feeds', () => {
  it('an instant delivers every bar that closed, onBar comes once, and fresh says which', async () => {
    const seen: [number, boolean, boolean][] = [];
    const bars = walkBars({ rows: 125, missing: 0.1, seed: 4 });
    const hour = coarser(bars, '1h');
    class Both extends Strategy {
      hour = this.feed('hour');
      override onBar() {
        seen.push([this.nowMs, this.bars.fresh, this.hour.fresh]);
        if (this.hour.fresh) expect(this.hour.bar.closeMs).toBe(this.nowMs);
        expect(this.hour.bar.closeMs).toBeLessThanOrEqual(this.nowMs);
      }
    }
    await run({ strategies: [Both], feeds: { bars, hour } });
    const times = [...new Set([...bars.closeMs, ...hour.closeMs])].toSorted((a, b) => a - b).filter((ms) => ms >= hour.closeMs[0]!);
    expect(seen).toEqual(times.map((ms) => [ms, bars.closeMs.includes(ms), hour.closeMs.includes(ms)]));
  });

  it('a coarse feed alone decides, while the finest of the instrument fills', async () => {
    const fine = walkBars({ rows: 180, seed: 9 });
    class Hourly extends Strategy {
      override onBar() {
        this.buy({ base: '0.1' });
      }
    }
    const { record } = await run({ strategies: [Hourly], feeds: { bars: coarser(fine, '1h'), fine }, ...FREE });
    expect(fillRows(record).map(({ minute, price }) => [minute, price])).toEqual([[60, Math.round(fine.open[60]! * 100)], [120, Math.round(fine.open[120]! * 100)]]); // prettier-ignore
    expect(record.equity.length).toBe(180);
  });
});

it('the same run twice leaves the same columns', async () => {
  class Gambler extends Strategy {
    override onBar() {
      if (this.random() < 0.2) this.buy({ equity: 0.1 }, { trailing: 0.5 });
      else if (this.random() < 0.1) this.exit();
    }
  }
  const options = { strategies: [Gambler], feeds: { bars: walkBars({ rows: 500 }) } };
  const [one, two, other] = [await run(options), await run(options), await run({ ...options, seed: 2 })];
  expect(columnsOf(two.record)).toEqual(columnsOf(one.record));
  expect(columnsOf(other.record)).not.toEqual(columnsOf(one.record));
});

it('a limit needs the fee of a maker where that is the higher one: no strategy pays with the cash of another', async () => {
  const fees = { makerPpm: 2000, takerPpm: 0, in: 'quote' } as const;
  const all = await ordersOf(first({ base: '10' }, { limit: 100 }), { fees, cash: { USDT: '1000' } });
  expect(all.orders).toMatchObject([{ ending: 'denied', code: 'MARGIN' }]);
  const less = await ordersOf(first({ base: '9.98' }, { limit: 100 }), { fees, cash: { USDT: '1000' } });
  expect(less.orders).toMatchObject([{ code: '' }]);
});
