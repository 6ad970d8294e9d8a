// Tests that a strategy that throws is stopped alone: other strategies get the same calls as without it, also over a restart.

import { expect, test } from 'vitest';
import { crossedUp, custom, Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { driveLifetime, type LifetimeResult } from '../fixtures/killedLifetime.ts';

/** The callbacks in which the faulty strategy throws. In `nothing` it never does. */
const CALLBACKS = ['nothing', 'custom', 'onStart', 'onBar', 'when', 'timer', 'onFill', 'onOrder', 'onStop'] as const;

/** Returns a strategy that throws in the given callback: at the third call, or at the first if a short run may have no third. */
const throwingIn = (callback: (typeof CALLBACKS)[number]): StrategyClass =>
  class extends Strategy {
    calls = 0;
    passThrough = this.use(
      custom(this.bars.close, () => {
        let valueCount = 0;
        return (close) => {
          if (callback === 'custom' && ++valueCount === 14) throw new Error('a fault in custom');
          return close;
        };
      }),
    );
    triggersAbove = this.when(crossedUp(this.bars.close, this.bars.open), () => this.countCall('when', 1));
    override onStart() {
      this.every('1h', () => this.countCall('timer', 3));
      this.countCall('onStart', 1);
    }
    override onBar() {
      this.countCall('onBar', 3);
      this.buy({ base: '0.01' });
    }
    override onFill() {
      this.countCall('onFill', 3);
    }
    override onOrder() {
      this.countCall('onOrder', 3);
    }
    override onStop() {
      this.countCall('onStop', 1);
    }
    countCall(calledCallback: (typeof CALLBACKS)[number], failingCall: number) {
      if (calledCallback === callback && ++this.calls === failingCall) throw new Error(`a fault in ${calledCallback}`);
    }
  };

/** Records its callbacks and never throws. */
class FaultlessStrategy extends Strategy {
  reported: string[] = [];
  buyCount = 0;
  triggersAbove = this.when(crossedUp(this.bars.close, this.bars.open), () => {
    this.reported.push('when');
  });
  override onStart() {
    this.reported.push('start');
    this.every('1h', () => {
      this.reported.push('timer');
    });
  }
  override onBar() {
    this.reported.push(`bar ${this.bars.close.value}`);
    this.buy({ base: '0.02' }, { tag: `steady ${++this.buyCount}` });
  }
  override onFill() {
    this.reported.push('fill');
  }
  override onOrder({ lifecycle }: { lifecycle: string }) {
    if (lifecycle === 'done') this.reported.push('done');
  }
  override onStop() {
    this.reported.push('stop');
  }
}

/** Returns the calls that the strategy without a fault got. */
const reported = ({ instances }: LifetimeResult): readonly string[] =>
  (instances.find((instance) => instance instanceof FaultlessStrategy) as FaultlessStrategy).reported;
/** Returns the number of calls that begin with this text. */
const countOf = (calls: readonly string[], start: string): number => calls.filter((call) => call.startsWith(start)).length;

/** Lifetimes without a fault, by the position of the faulty strategy. They are the same for every callback, so they run once. */
const faultlessLifetimes = new Map<number, LifetimeResult>();
/** Returns the lifetime without a fault. */
async function faultlessLifetime(position: number, options: Parameters<typeof driveLifetime>[0]): Promise<LifetimeResult> {
  const faultless = faultlessLifetimes.get(position) ?? (await driveLifetime(options));
  faultlessLifetimes.set(position, faultless);
  return faultless;
}

/** The faulty strategy as the first and as the last of two. */
const ORDERS = [
  (faulty: StrategyClass): StrategyClass[] => [faulty, FaultlessStrategy],
  (faulty: StrategyClass): StrategyClass[] => [FaultlessStrategy, faulty],
];

test.each(CALLBACKS.slice(1))(
  'a strategy that throws in %s changes no call of another strategy',
  async (callback) => {
    for (const [position, strategiesWith] of ORDERS.entries()) {
      const options = { bars: 6, strategies: strategiesWith(throwingIn('nothing')) };
      const faultless = await faultlessLifetime(position, options);
      expect(countOf(reported(faultless), 'bar')).toBe(6);
      expect(countOf(reported(faultless), 'fill')).toBe(5);
      expect(countOf(reported(faultless), 'when')).toBeGreaterThan(0);
      expect(countOf(reported(faultless), 'stop')).toBe(1);
      const faultyOptions = { ...options, strategies: strategiesWith(throwingIn(callback)) };
      const withFault = await driveLifetime(faultyOptions);
      expect(withFault.lines.join('')).toContain(`a fault in ${callback}`);
      expect(reported(withFault)).toEqual(reported(faultless));
      if (callback === 'onStop' || options.strategies[0] === FaultlessStrategy) continue;
      // Kill the bot before the decisions of the other strategy on that bar are written, and later.
      const haltSeq = withFault.records.find((record) => record.k === 'HALT' && record.code === 'STRATEGY')!.seq;
      for (const killSeq of [haltSeq + 1, haltSeq + 12]) {
        const killed = await driveLifetime({ ...faultyOptions, kills: [killSeq] });
        expect(killed.starts).toBe(2);
        expect(reported(killed)).toEqual(reported(withFault));
        expect(killed.placed).toEqual(withFault.placed);
      }
    }
  },
  600_000,
);
