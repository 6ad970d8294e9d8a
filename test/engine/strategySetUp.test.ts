// Tests the set-up of a strategy: what it may register, which mistakes are rejected, and when it is warm.

import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { sma, Strategy } from '../../src/index.ts';
import { barsOfRows, coarser, fillRows, MINUTE, run, spotInstrument, START_MS, walkBars } from './world.ts';
import { QUIET, quietBars, CallableStrategy, ordersOf } from './callableStrategy.ts';

describe('set-up', () => {
  const fails = (setUp: (strategy: CallableStrategy) => unknown) => ordersOf((strategy) => setUp(strategy));

  it.each<[string, (strategy: CallableStrategy) => unknown, RegExp]>([
    ['use', (strategy) => strategy.api.lateIndicator(), /^sma\(close, 3\): .* registered while the strategy is constructed/],
    ['when', (strategy) => strategy.api.lateSignal(), /^crossedUp.* registered while the strategy is constructed/],
    ['feed', (strategy) => strategy.api.feed('bars'), /feed\('bars'\) after construction/],
    ['a signal as a condition', (strategy) => strategy.api.lateCross(), /registered while the strategy is constructed/],
  ])('%s after construction is rejected', async (_, register, message) => {
    await expect(fails(register)).rejects.toThrow(message);
    await expect(fails(register)).rejects.toThrow(ConfigError);
  });

  it('the error for a missing feed names it and the nearest existing one', async () => {
    class Lost extends Strategy {
      other = this.feed('tredn');
      override onBar() {}
    }
    const failed = run({ strategies: [Lost], feeds: { bars: quietBars(3), trend: coarser(quietBars(120), '1h') } });
    await expect(failed).rejects.toThrow(/Lost: the run has no feed called tredn/);
    await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining('did you mean trend?') });
  });

  it('a feed that the run does not name is the only one of the instrument with its interval', async () => {
    class Trend extends Strategy {
      trend = this.feed('trend', { interval: '1h' });
      override onBar() {}
    }
    const btc = quietBars(120);
    const eth = barsOfRows([QUIET], spotInstrument('ETH'));
    const ethHour: BarColumns = { ...eth, interval: '1h' };
    await run({ strategies: [Trend], feeds: { bars: btc, slow: coarser(btc, '1h') } });
    await expect(run({ strategies: [Trend], feeds: { bars: btc, slow: ethHour } })).rejects.toThrow('no feed called trend, interval: 1h');
  });

  it('`feeds` returns a list of feeds, and `feed` of a list is rejected', async () => {
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
    const feeds = { all: [quietBars(3), barsOfRows([QUIET], spotInstrument('ETH'))] };
    await expect(run({ strategies: [One], feeds })).rejects.toThrow('the feed all is a list');
    await run({ strategies: [All], feeds });
  });

  it('this.bars in a run without such a feed is rejected with a remedy', async () => {
    class Bars extends Strategy {
      average = this.use(sma(this.bars.close, 3));
      override onBar() {}
    }
    const feeds = { one: quietBars(3), two: barsOfRows([QUIET], spotInstrument('ETH')) };
    await expect(run({ strategies: [Bars], feeds })).rejects.toThrow('Bars: this.bars needs a feed called bars');
  });

  it('a strategy that can never be called is rejected', async () => {
    class Idle extends Strategy {
      average = this.use(sma(this.bars.close, 3));
    }
    await expect(run({ strategies: [Idle], feeds: { bars: quietBars(3) } })).rejects.toThrow(
      'Idle: the strategy has neither onBar nor a handler',
    );
  });

  it('a strategy with only onStart buys there and holds', async () => {
    class Holder extends Strategy {
      override onStart() {
        this.buy({ base: '0.1' });
      }
    }
    const { record } = await run({ strategies: [Holder], feeds: { bars: quietBars(3) } });
    expect(fillRows(record)).toHaveLength(1);
  });

  it.each(['5', '0m', '1x', '-1m', '0.5s'])('every(%j) is rejected', async (period) => {
    class Unusual extends Strategy {
      constructor(...setup: ConstructorParameters<typeof Strategy>) {
        super(...setup);
        this.every(period as '1m', () => {});
      }
    }
    await expect(run({ strategies: [Unusual], feeds: { bars: quietBars(3) } })).rejects.toThrow(`every('${period}')`);
  });

  it.each(['24:00', '8', '08:60', 'noon'])('at(%j) is rejected', async (time) => {
    class OtherUnusual extends Strategy {
      constructor(...setup: ConstructorParameters<typeof Strategy>) {
        super(...setup);
        this.at(time as '8:00', () => {});
      }
    }
    await expect(run({ strategies: [OtherUnusual], feeds: { bars: quietBars(3) } })).rejects.toThrow(`at('${time}')`);
  });
});

describe('warm-up', () => {
  /** Returns a strategy that records the minute of the first callback, and of the start. */
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

  it('callbacks begin when every series is warm', async () => {
    const calls: (number | string)[] = [];
    const { record } = await run({ strategies: [watcher(4, calls)], feeds: { bars: quietBars(6) } });
    expect(calls).toEqual(['start', 4, 4, 5, 6]);
    expect(record.warmupInRange).toBe(3);
  });

  it('rows before the start of the run count for the warm-up', async () => {
    const calls: (number | string)[] = [];
    const { record } = await run({ strategies: [watcher(4, calls)], feeds: { bars: quietBars(6) }, fromMs: START_MS + 4 * MINUTE });
    expect(calls).toEqual(['start', 5, 5, 6]);
    expect(record.warmupInRange).toBe(0);
    expect(record.equity.length).toBe(2);
  });

  it('warm-up never begins if the data is too short', async () => {
    const calls: (number | string)[] = [];
    await run({ strategies: [watcher(7, calls)], feeds: { bars: quietBars(6) } });
    expect(calls).toEqual([]);
  });

  it('warm-up of one strategy does not delay another on the account', async () => {
    const [fast, slow]: (number | string)[][] = [[], []];
    await run({ strategies: [watcher(2, fast!), watcher(5, slow!)], feeds: { bars: quietBars(6) } });
    expect(fast).toEqual(['start', 2, 2, 3, 4, 5, 6]);
    expect(slow).toEqual(['start', 5, 5, 6]);
  });

  it('warm-up counts every feed that is asked for, but not those of a list', async () => {
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

  it('onStart of a strategy without onBar comes at the end of the warm-up, and its timers fire', async () => {
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
      // The strategy is ready after the first times of its timers, so these have no calls.
      fired.length = 0;
      readyAt = 100;
      await run({ strategies: [Late], feeds });
      expect(fired).toEqual([100, 120]);
    }
  });
});
