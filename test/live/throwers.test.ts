// A strategy that throws is stopped alone: those beside it get the same calls as if it had not thrown, over a restart too.

import { expect, test } from 'vitest';
import { crossedUp, custom, Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { lived, type LifetimeResult } from '../fixtures/killedLifetime.ts';

const WAYS = ['nothing', 'custom', 'onStart', 'onBar', 'when', 'timer', 'onFill', 'onOrder', 'onStop'] as const;

/** Throws in the callback `way`: at its third call, or at its first where a short run may have no third. */
const faulty = (way: (typeof WAYS)[number]): StrategyClass =>
  class extends Strategy {
    calls = 0;
    own = this.use(
      custom(this.bars.close, () => {
        let fed = 0;
        return (x) => {
          if (way === 'custom' && ++fed === 14) throw new Error('a fault in custom');
          return x;
        };
      }),
    );
    triggersAbove = this.when(crossedUp(this.bars.close, this.bars.open), () => this.reach('when', 1));
    override onStart() {
      this.every('1h', () => this.reach('timer', 3));
      this.reach('onStart', 1);
    }
    override onBar() {
      this.reach('onBar', 3);
      this.buy({ base: '0.01' });
    }
    override onFill() {
      this.reach('onFill', 3);
    }
    override onOrder() {
      this.reach('onOrder', 3);
    }
    override onStop() {
      this.reach('onStop', 1);
    }
    reach(where: (typeof WAYS)[number], nth: number) {
      if (where === way && ++this.calls === nth) throw new Error(`a fault in ${where}`);
    }
  };

class Steady extends Strategy {
  reported: string[] = [];
  bought = 0;
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
    this.buy({ base: '0.02' }, { tag: `steady ${++this.bought}` });
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

const reported = ({ instances }: LifetimeResult): readonly string[] =>
  (instances.find((each) => each instanceof Steady) as Steady).reported;
const count = (texts: readonly string[], text: string): number => texts.filter((each) => each.startsWith(text)).length;

/** Each of the two orders with nothing thrown, made once: every way is compared with the same lifetimes. */
const unhurt = new Map<number, LifetimeResult>();
async function quietIn(position: number, options: Parameters<typeof lived>[0]): Promise<LifetimeResult> {
  const quiet = unhurt.get(position) ?? (await lived(options));
  unhurt.set(position, quiet);
  return quiet;
}

test.each(WAYS.slice(1))(
  'in %s',
  async (way) => {
    for (const [position, order] of [(of: StrategyClass) => [of, Steady], (of: StrategyClass) => [Steady, of]].entries()) {
      const options = { bars: 6, strategies: order(faulty('nothing')) };
      const quiet = await quietIn(position, options);
      expect(count(reported(quiet), 'bar')).toBe(6);
      expect([count(reported(quiet), 'fill'), count(reported(quiet), 'when') > 0, count(reported(quiet), 'stop')]).toEqual([5, true, 1]);
      const faults = { ...options, strategies: order(faulty(way)) };
      const alone = await lived(faults);
      expect(alone.lines.join('')).toContain(`a fault in ${way}`);
      expect(reported(alone)).toEqual(reported(quiet));
      if (way === 'onStop' || options.strategies[0] === Steady) continue;
      // Killed before the decisions of the others on that bar are written, and later.
      const halt = alone.records.find((record) => record.k === 'HALT' && record.code === 'STRATEGY')!.seq;
      for (const at of [halt + 1, halt + 12]) {
        const killed = await lived({ ...faults, kills: [at] });
        expect([killed.starts, reported(killed), killed.placed]).toEqual([2, reported(alone), alone.placed]);
      }
    }
  },
  600_000,
);
