// Tests the set-up of a strategy: what it may register, which mistakes are rejected, and when it is warm.

import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { sma, Strategy } from '../../src/index.ts';
import { barsOfRows, coarser, fillRows, MINUTE, QUIET_ROW, run, spotInstrument, START_MS, walkBars } from './backtestFixture.ts';
import { quietBars, CallableStrategy, ordersOf } from './callableStrategy.ts';

describe('set-up', () => {
  /** Runs a strategy that calls `register` at its bars, which is too late. */
  const registerLate = (register: (strategy: CallableStrategy) => unknown) => ordersOf((strategy) => register(strategy));

  it.each<[string, (strategy: CallableStrategy) => unknown, RegExp]>([
    ['use', (strategy) => strategy.api.lateIndicator(), /^sma\(close, 3\): .* registered while the strategy is constructed/],
    ['when', (strategy) => strategy.api.lateSignal(), /^crossedUp.* registered while the strategy is constructed/],
    ['feed', (strategy) => strategy.api.feed('bars'), /feed\('bars'\) after construction/],
    ['a signal as a condition', (strategy) => strategy.api.lateCross(), /registered while the strategy is constructed/],
  ])('%s after construction is rejected', async (_, register, message) => {
    await expect(registerLate(register)).rejects.toThrow(message);
    await expect(registerLate(register)).rejects.toThrow(ConfigError);
  });

  it('the error for a missing feed names it and the nearest existing one', async () => {
    class MisspellsFeed extends Strategy {
      other = this.feed('tredn');
      override onBar() {}
    }
    const failed = run({ strategies: [MisspellsFeed], feeds: { bars: quietBars(3), trend: coarser(quietBars(120), '1h') } });
    await expect(failed).rejects.toThrow(/MisspellsFeed: the run has no feed called tredn/);
    await expect(failed).rejects.toMatchObject({ remedy: expect.stringContaining('did you mean trend?') });
  });

  it('a feed that the run does not name is the only one of the instrument with its interval', async () => {
    class Trend extends Strategy {
      trend = this.feed('trend', { interval: '1h' });
      override onBar() {}
    }
    const btc = quietBars(120);
    const eth = barsOfRows([QUIET_ROW], spotInstrument('ETH'));
    const ethHour: BarColumns = { ...eth, interval: '1h' };
    await run({ strategies: [Trend], feeds: { bars: btc, slow: coarser(btc, '1h') } });
    await expect(run({ strategies: [Trend], feeds: { bars: btc, slow: ethHour } })).rejects.toThrow('no feed called trend, interval: 1h');
  });

  it('`feeds` returns a list of feeds, and `feed` of a list is rejected', async () => {
    class AsksForOneFeed extends Strategy {
      all = this.feed('all');
      override onBar() {}
    }
    class AsksForList extends Strategy {
      all = this.feeds('all').map((feed) => feed.instrument.base);
      override onBar() {
        expect(this.all).toEqual(['BTC', 'ETH']);
      }
    }
    const feeds = { all: [quietBars(3), barsOfRows([QUIET_ROW], spotInstrument('ETH'))] };
    await expect(run({ strategies: [AsksForOneFeed], feeds })).rejects.toThrow('the feed all is a list');
    await run({ strategies: [AsksForList], feeds });
  });

  it('this.bars in a run without such a feed is rejected with a remedy', async () => {
    class ReadsBars extends Strategy {
      average = this.use(sma(this.bars.close, 3));
      override onBar() {}
    }
    const feeds = { one: quietBars(3), two: barsOfRows([QUIET_ROW], spotInstrument('ETH')) };
    await expect(run({ strategies: [ReadsBars], feeds })).rejects.toThrow('ReadsBars: this.bars needs a feed called bars');
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
    class BuysAtStart extends Strategy {
      override onStart() {
        this.buy({ base: '0.1' });
      }
    }
    const { record } = await run({ strategies: [BuysAtStart], feeds: { bars: quietBars(3) } });
    expect(fillRows(record)).toHaveLength(1);
  });

  it.each(['5', '0m', '1x', '-1m', '0.5s'])('every(%j) is rejected', async (period) => {
    class WrongPeriod extends Strategy {
      constructor(...setup: ConstructorParameters<typeof Strategy>) {
        super(...setup);
        this.every(period as '1m', () => {});
      }
    }
    await expect(run({ strategies: [WrongPeriod], feeds: { bars: quietBars(3) } })).rejects.toThrow(`every('${period}')`);
  });

  it.each(['24:00', '8', '08:60', 'noon'])('at(%j) is rejected', async (time) => {
    class WrongTime extends Strategy {
      constructor(...setup: ConstructorParameters<typeof Strategy>) {
        super(...setup);
        this.at(time as '8:00', () => {});
      }
    }
    await expect(run({ strategies: [WrongTime], feeds: { bars: quietBars(3) } })).rejects.toThrow(`at('${time}')`);
  });
});

describe('warm-up', () => {
  /** Returns a strategy with a warm-up of `warmupBars`. It adds to `calls` the minute of each callback, and `start` before that of onStart. */
  function strategyWithWarmup(warmupBars: number, calls: (number | string)[]) {
    return class RecordsCalls extends Strategy {
      average = this.use(sma(this.bars.close, warmupBars));
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
    const { record } = await run({ strategies: [strategyWithWarmup(4, calls)], feeds: { bars: quietBars(6) } });
    expect(calls).toEqual(['start', 4, 4, 5, 6]);
    expect(record.warmupInRange).toBe(3);
  });

  it('rows before the start of the run count for the warm-up', async () => {
    const calls: (number | string)[] = [];
    const { record } = await run({
      strategies: [strategyWithWarmup(4, calls)],
      feeds: { bars: quietBars(6) },
      fromMs: START_MS + 4 * MINUTE,
    });
    expect(calls).toEqual(['start', 5, 5, 6]);
    expect(record.warmupInRange).toBe(0);
    expect(record.equity.length).toBe(2);
  });

  it('warm-up never begins if the data is too short', async () => {
    const calls: (number | string)[] = [];
    await run({ strategies: [strategyWithWarmup(7, calls)], feeds: { bars: quietBars(6) } });
    expect(calls).toEqual([]);
  });

  it('warm-up of one strategy does not delay another on the account', async () => {
    const [fast, slow]: (number | string)[][] = [[], []];
    await run({ strategies: [strategyWithWarmup(2, fast!), strategyWithWarmup(5, slow!)], feeds: { bars: quietBars(6) } });
    expect(fast).toEqual(['start', 2, 2, 3, 4, 5, 6]);
    expect(slow).toEqual(['start', 5, 5, 6]);
  });

  it('warm-up counts every feed that is asked for, but not those of a list', async () => {
    const calls: number[] = [];
    const bars = walkBars({ rows: 200 });
    class UsesHour extends Strategy {
      hour = this.feed('hour');
      average = this.use(sma(this.hour.close, 2));
      override onBar() {
        calls.push((this.nowMs - START_MS) / MINUTE);
      }
    }
    await run({ strategies: [UsesHour], feeds: { bars, hour: coarser(bars, '1h') } });
    expect(calls[0]).toBe(120);
    class UsesHourInList extends Strategy {
      hours = this.feeds('hour').map((feed) => this.use(sma(feed.close, 2)));
      ready: boolean[] = [];
      override onBar() {
        this.ready.push(this.hours[0]!.ready);
      }
      override onStop() {
        expect([this.ready.indexOf(true), this.ready.length]).toEqual([119, 200]);
      }
    }
    await run({ strategies: [UsesHourInList], feeds: { bars, hour: coarser(bars, '1h') } });
  });

  it('onStart of a strategy without onBar comes at the end of the warm-up, and its timers fire', async () => {
    const callMinutes: number[] = [];
    const bars = walkBars({ rows: 130 });
    let warmupBars = 10;
    class StartsTimers extends Strategy {
      average = this.use(sma(this.bars.close, warmupBars));
      override onStart() {
        const recordMinute = () => callMinutes.push((this.nowMs - START_MS) / MINUTE);
        recordMinute();
        this.every('30m', recordMinute);
        this.at('01:35', recordMinute);
      }
    }
    for (const feeds of [
      { bars },
      { bars, hour: coarser(bars, '1h') },
      { bars, eth: walkBars({ rows: 130, instrument: spotInstrument('ETH') }) },
    ]) {
      callMinutes.length = 0;
      warmupBars = 10;
      await run({ strategies: [StartsTimers], feeds });
      expect(callMinutes).toEqual([10, 30, 60, 90, 95, 120]);
      // The warm-up ends after the first times of both timers, so these times have no calls.
      callMinutes.length = 0;
      warmupBars = 100;
      await run({ strategies: [StartsTimers], feeds });
      expect(callMinutes).toEqual([100, 120]);
    }
  });
});
