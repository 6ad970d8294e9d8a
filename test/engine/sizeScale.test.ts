// Tests the size scale of a break-even lane: each size that a strategy asks for is multiplied before it is rounded, and exits follow.

import { describe, expect, it } from 'vitest';
import { Strategy, type OrderOptions, type Size } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { barsOfRows, planFor, spotInstrument } from './backtestFixture.ts';

const ROWS = Array.from({ length: 8 }, () => [10_000, 10_000, 10_000, 10_000, 100_000] as const);

type OrderStep =
  | { readonly buy: Size | undefined; readonly with?: OrderOptions }
  | { readonly sell: Size | undefined; readonly with?: OrderOptions }
  | { readonly target: Size }
  | 'exit';

/** Returns a strategy class that takes one step at each bar. */
function strategyOf(steps: readonly OrderStep[]) {
  return class extends Strategy {
    row = 0;
    override onBar() {
      const step = steps[this.row++];
      if (step === undefined) return;
      if (step === 'exit') this.exit();
      else if ('target' in step) this.target(step.target);
      else if ('buy' in step) this.buy(step.buy, step.with);
      else this.sell(step.sell, step.with);
    }
  };
}

/** Runs the steps and returns the lots of each fill, negative for a sale. */
async function filledLots(steps: readonly OrderStep[], sizeScale: number, isFutures = false): Promise<number[]> {
  const bars = barsOfRows(ROWS, isFutures ? linearContract() : spotInstrument());
  const planOptions = { fees: { makerPpm: 0, takerPpm: 0 }, size: { base: '0.5' }, cash: { USDT: '1000000' } };
  const plan = planFor({ strategies: [strategyOf(steps)], feeds: { bars }, ...planOptions, sizeScale });
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
  const fullPlan = isFutures ? { ...plan, futures } : plan;
  const prepared = await prepareBacktest(fullPlan);
  prepared.loop(prepared.engine);
  const { fills } = runRecordOf(fullPlan, prepared, false);
  return Array.from(fills.lots, (lots, index) => (fills.side[index] === 0 ? lots : -lots));
}

describe('spot', () => {
  // A lot is 0.001 coins, the price 100: 1 USDT buys 10 lots.
  it.each<[string, readonly OrderStep[], number, number[]]>([
    ['a quantity', [{ buy: { base: '0.5' } }], 2.5, [1250]],
    ['a quantity that is not a whole lot before it is multiplied', [{ buy: { base: '0.0554' } }], 2.5, [138]],
    ['a quantity that becomes less than a lot', [{ buy: { base: '0.002' } }], 0.125, []],
    ['an amount', [{ buy: { quote: '50' } }], 1.5, [750]],
    ['a share of the equity', [{ buy: { equity: '0.001' } }], 3, [30_000]],
    ['the size of the run', [{ buy: undefined }], 3, [1500]],
    ['a target', [{ target: { base: '0.2' } }, { target: { base: '0.1' } }], 2, [400, -200]],
    ['a limit', [{ buy: { base: '0.5' }, with: { limit: 101 } }], 2, [1000]],
  ])('the size scale multiplies a spot order by %s', async (_, steps, scale, lots) => {
    expect(await filledLots(steps, scale)).toEqual(lots);
  });

  it.each([0.5, 2, 7.3])('an exit closes all that a size with the scale %d bought', async (scale) => {
    expect(await filledLots([{ buy: { base: '0.1' } }, 'exit'], scale)).toEqual([100 * scale, -100 * scale]);
  });

  it.each<[string, readonly OrderStep[], number, number[]]>([
    ['a sale of the size that was bought', [{ buy: { base: '0.1' } }, { sell: { base: '0.1' } }], 2, [200, -200]],
    ['a sale of half the size that was bought', [{ buy: { base: '0.1' } }, { sell: { base: '0.05' } }], 2, [200, -100]],
    ['a sale of exactly what is held', [{ buy: { base: '0.1' } }, { sell: { base: '0.2' } }], 2, [200, -200]],
    ['a sale of exactly what is held, of a smaller size', [{ buy: { base: '0.1' } }, { sell: { base: '0.05' } }], 0.5, [50, -50]],
    ['a sale that the scale would make more than is held', [{ buy: { base: '0.1' } }, { sell: { base: '0.15' } }], 2, [200, -200]],
  ])('a scaled spot order by %s sells at most the holding', async (_, steps, scale, lots) => {
    expect(await filledLots(steps, scale)).toEqual(lots);
  });
});

describe('futures', () => {
  it('the size scale multiplies orders and targets of contracts, and a reduction closes at most the position', async () => {
    expect(await filledLots([{ sell: { base: '3' } }, 'exit'], 4, true)).toEqual([-12, 12]);
    expect(await filledLots([{ target: { base: '-3' } }, { target: { base: '2' } }], 4, true)).toEqual([-12, 20]);
    expect(await filledLots([{ sell: { base: '3' } }, { buy: { base: '12' }, with: { reduceOnly: true } }], 4, true)).toEqual([-12, 12]);
    expect(await filledLots([{ sell: { base: '3' } }, { buy: { base: '1' }, with: { reduceOnly: true } }], 4, true)).toEqual([-12, 4]);
  });
});
