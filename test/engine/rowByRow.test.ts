// Tests custom indicators that are not declared pure: they run row by row, so that no callback sees values of a later bar.

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { custom, sma, Strategy } from '../../src/index.ts';
import { planFor, spotInstrument, walkBars } from './world.ts';

const coin = spotInstrument('BTC');
const bars = walkBars({ instrument: coin, rows: 5000, step: 300, start: 4_000_000, seed: 11 });

/** Pairs of what the function wrote last and the newest delivered close, at each callback. */
async function seenBy(isPure: boolean): Promise<(readonly [written: number, close: number])[]> {
  const computedRows: (readonly [number, number])[] = [];
  class Peek extends Strategy {
    written = NaN;
    c = this.use(custom(this.bars.close, () => (x) => (this.written = x), { pure: isPure }));
    // Between two rows: bars are minutes.
    timer = this.every('20s', () => void computedRows.push([this.written, this.bars.close.value]));
    override onBar() {
      computedRows.push([this.written, this.bars.close.value]);
    }
  }
  await runBacktest(planFor({ strategies: [{ strategy: Peek }], feeds: { bars }, cash: { USDT: '5000' } }));
  return computedRows;
}

describe('an undeclared custom indicator', () => {
  it('an undeclared custom indicator has computed no later bar at any bar or at any timer between bars', async () => {
    const computedRows = await seenBy(false);
    expect(computedRows.length).toBeGreaterThan(3 * (bars.length - 2));
    expect(computedRows.filter(([written, close]) => written !== close)).toEqual([]);
  });

  it('a custom indicator that is wrongly declared pure computes later bars in full blocks', async () => {
    const computedRows = await seenBy(true);
    expect(computedRows.filter(([written, close]) => written !== close).length).toBeGreaterThan(computedRows.length / 2);
  });

  it('an undeclared custom indicator gives the same fills and the same equity as a declared one that is pure', async () => {
    const run = (isPure: boolean) => {
      class Mean extends Strategy {
        mean = this.use(
          custom(
            this.bars.close,
            () => {
              let s = 0,
                n = 0;
              return (x) => (s += x) / ++n;
            },
            { pure: isPure },
          ),
        );
        fast = this.use(sma(this.bars.close, 20));
        override onBar() {
          if (this.fast.value > this.mean.value && this.position().isFlat) this.buy();
          else if (this.fast.value < this.mean.value) this.exit();
        }
      }
      return runBacktest(planFor({ strategies: [{ strategy: Mean }], feeds: { bars }, cash: { USDT: '5000' } }));
    };
    const [single, full] = [await run(false), await run(true)];
    expect(full.fills.length).toBeGreaterThan(4);
    expect(single.fills).toEqual(full.fills);
    expect(single.equity).toEqual(full.equity);
  });
});

describe('what a strategy holds', () => {
  it('no property or prototype of a strategy leads to a column of its feeds', async () => {
    const found: string[] = [];
    class Walker extends Strategy {
      spec = sma(this.bars.close, 3);
      mean = this.use(this.spec);
      override onStart() {
        const computedRows = new Set<unknown>([globalThis]);
        const walk = (at: unknown, path: string): void => {
          if (at === null || (typeof at !== 'object' && typeof at !== 'function') || computedRows.has(at)) return;
          computedRows.add(at);
          if (ArrayBuffer.isView(at) || at instanceof ArrayBuffer) found.push(path);
          for (const key of Reflect.ownKeys(at)) {
            const { value } = Object.getOwnPropertyDescriptor(at, key) ?? {};
            walk(value, `${path}.${String(key)}`);
          }
          walk(Object.getPrototypeOf(at), `${path}.__proto__`);
        };
        for (const [name, of] of Object.entries({ me: this, bars: this.bars, position: this.position(), spec: this.spec })) walk(of, name);
      }
      override onBar() {
        this.exit();
      }
    }
    await runBacktest(planFor({ strategies: [{ strategy: Walker }], feeds: { bars }, cash: { USDT: '5000' } }));
    expect(found).toEqual([]);
  });
});
