// Tests custom indicators that are not declared pure: they run row by row, so that no callback sees values of a later bar.

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { custom, sma, Strategy } from '../../src/index.ts';
import { planFor, spotInstrument, walkBars } from './backtestFixture.ts';

const pair = spotInstrument('BTC');
const bars = walkBars({ instrument: pair, rows: 5000, step: 300, start: 4_000_000, seed: 11 });

/** Returns at each callback the value that the indicator's function got last, and the newest delivered close. */
async function callbackValues(isPure: boolean): Promise<(readonly [written: number, close: number])[]> {
  const pairs: (readonly [number, number])[] = [];
  class RecordsWrittenValue extends Strategy {
    written = NaN;
    copy = this.use(custom(this.bars.close, () => (close) => (this.written = close), { pure: isPure }));
    // Timers between two rows, because bars are minutes.
    timer = this.every('20s', () => void pairs.push([this.written, this.bars.close.value]));
    override onBar() {
      pairs.push([this.written, this.bars.close.value]);
    }
  }
  await runBacktest(planFor({ strategies: [{ strategy: RecordsWrittenValue }], feeds: { bars }, cash: { USDT: '5000' } }));
  return pairs;
}

describe('an undeclared custom indicator', () => {
  it('an undeclared custom indicator has computed no later bar at any bar or at any timer between bars', async () => {
    const pairs = await callbackValues(false);
    expect(pairs.length).toBeGreaterThan(3 * (bars.length - 2));
    expect(pairs.filter(([written, close]) => written !== close)).toEqual([]);
  });

  it('a custom indicator that is wrongly declared pure computes later bars in full blocks', async () => {
    const pairs = await callbackValues(true);
    expect(pairs.filter(([written, close]) => written !== close).length).toBeGreaterThan(pairs.length / 2);
  });

  it('an undeclared custom indicator gives the same fills and the same equity as a declared one that is pure', async () => {
    const run = (isPure: boolean) => {
      class Mean extends Strategy {
        mean = this.use(
          custom(
            this.bars.close,
            () => {
              let sum = 0;
              let count = 0;
              return (close) => (sum += close) / ++count;
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
    const undeclared = await run(false);
    const declared = await run(true);
    expect(declared.fills.length).toBeGreaterThan(4);
    expect(undeclared.fills).toEqual(declared.fills);
    expect(undeclared.equity).toEqual(declared.equity);
  });
});

describe('what a strategy holds', () => {
  it('no property or prototype of a strategy leads to a column of its feeds', async () => {
    const pathsToColumns: string[] = [];
    class VisitsProperties extends Strategy {
      spec = sma(this.bars.close, 3);
      mean = this.use(this.spec);
      override onStart() {
        const visitedValues = new Set<unknown>([globalThis]);
        const visit = (value: unknown, path: string): void => {
          if (value === null || (typeof value !== 'object' && typeof value !== 'function') || visitedValues.has(value)) return;
          visitedValues.add(value);
          if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) pathsToColumns.push(path);
          for (const key of Reflect.ownKeys(value)) {
            const { value: member } = Object.getOwnPropertyDescriptor(value, key) ?? {};
            visit(member, `${path}.${String(key)}`);
          }
          visit(Object.getPrototypeOf(value), `${path}.__proto__`);
        };
        for (const [name, root] of Object.entries({ strategy: this, bars: this.bars, position: this.position(), spec: this.spec }))
          visit(root, name);
      }
      override onBar() {
        this.exit();
      }
    }
    await runBacktest(planFor({ strategies: [{ strategy: VisitsProperties }], feeds: { bars }, cash: { USDT: '5000' } }));
    expect(pathsToColumns).toEqual([]);
  });
});
