// Momentum rotation: holds what has risen most in equal parts, sells before it buys, leaves alone what is too young or gone.

import { describe, expect, it } from 'vitest';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import type { PlanOptions } from '../test/simulation/plans.ts';
import MomentumRotation from './momentumRotation.ts';

const DAY = 1440;
const PARAMS = { lookBack: 2, top: 2, period: '1d', invested: 0.9, tolerance: 0.02 };

/** Days of one symbol a line; the opens are the closes before. */
function rotate(shapes: Readonly<Record<string, readonly Shape[]>>, params: object = {}, options: PlanOptions = {}) {
  const universe = Object.entries(shapes).map(([symbol, days]) => barsFrom(days, `${symbol}USDT`, DAY));
  return trade(MomentumRotation, { universe }, { params: { ...PARAMS, ...params }, risk: { maxLeverage: '1' }, ...options }, DAY);
}
const brief = (fills: Awaited<ReturnType<typeof rotate>>['fills']) =>
  fills.map(({ symbol, side, after }) => `${after} ${side} ${symbol.slice(0, 3)}`);

describe('momentum rotation', () => {
  it('momentum rotation buys the best in equal parts at the open after the ranking', async () => {
    const { fills } = await rotate({ AAA: [100, 101, 102, 102], BBB: [100, 105, 110, 110], CCC: [100, 103, 106, 106] });
    expect(brief(fills)).toEqual(['3 buy BBB', '3 buy CCC']);
    for (const { qty, price } of fills) expect(qty * price).toBeCloseTo(4500, -1);
  });

  it('momentum rotation keeps cash where too few have risen', async () => {
    const { orders } = await rotate({ AAA: [100, 99, 98, 97], BBB: [100, 100, 100, 100] });
    expect(orders).toEqual([]);
    const { fills } = await rotate({ AAA: [100, 99, 98, 97], BBB: [100, 101, 102, 102] });
    expect(brief(fills)).toEqual(['3 buy BBB']);
    expect(fills[0]!.qty * fills[0]!.price).toBeCloseTo(4500, -1);
  });

  it('momentum rotation sells what has fallen behind, and buys with that money only once it is there', async () => {
    const { orders, fills } = await rotate(
      { AAA: [100, 110, 120, 119, 118, 117, 117], BBB: [100, 100, 100, 110, 120, 120, 121] },
      { top: 1, invested: 0.95 },
    );
    // AAA leads after 3 and 4 days. After 4 days BBB does: its buy goes out at the next close, when AAA's sale is booked.
    expect(brief(fills)).toEqual(['3 buy AAA', '4 sell AAA', '5 buy BBB']);
    expect(orders.map(({ after, code }) => [after, code])).toEqual([
      [3, ''],
      [4, ''],
      [5, ''],
    ]);
  });

  it('momentum rotation cuts a holding that has outgrown its part before it fills up the other one', async () => {
    const { orders, fills } = await rotate({ AAA: [100, 101, 102, 153, 154, 155], BBB: [100, 101, 102, 103, 104, 105] });
    expect(brief(fills)).toEqual(['3 buy AAA', '3 buy BBB', '4 sell AAA', '5 buy BBB']);
    expect(orders.every(({ code }) => code === '')).toBe(true);
  });

  it('momentum rotation leaves a holding alone that is off by less than the tolerance', async () => {
    const { fills } = await rotate({ AAA: [100, 101, 102, 103, 104, 105], BBB: [100, 101, 102, 102.5, 103, 103.5] });
    expect(brief(fills)).toEqual(['3 buy AAA', '3 buy BBB']);
  });

  it('momentum rotation lets a symbol take part once it has a return, and does not wait for it', async () => {
    const { fills } = await rotate(
      { AAA: [100, 101, 102, 103, 104, 105, 106, 107], BBB: [null, null, null, 100, 110, 120, 130, 140] },
      { top: 1 },
    );
    expect(brief(fills)).toEqual(['3 buy AAA', '6 sell AAA', '7 buy BBB']);
  });

  it('momentum rotation no longer trades a symbol without bars, and continues with the others', async () => {
    const { fills, record } = await rotate(
      { AAA: [100, 110, 120, 130], BBB: [100, 101, 102, 103, 104, 105, 106], CCC: [100, 101, 101.5, 102, 102.5, 103, 103.5] },
      { top: 2 },
    );
    // AAA is held when it ends: no order can sell it any more, so its exit stays open.
    // CCC takes its place in the ranking with the cash that is left.
    expect(brief(fills).slice(0, 2)).toEqual(['3 buy AAA', '3 buy BBB']);
    expect(
      brief(fills)
        .slice(2)
        .every((fill) => !fill.includes('AAA')),
    ).toBe(true);
    expect(record.orders.length).toBeLessThan(20);
  });

  it('ranks on its schedule alone', async () => {
    const days = Array.from({ length: 40 }, (_, day) => 100 + day);
    const { orders } = await rotate({ AAA: days, BBB: days.map((close) => close + 1) }, { period: '7d', tolerance: 0 });
    // The grid of seven days from 1970-01-01, a Thursday, onwards; 2024-01-01 was a Monday.
    for (const { after } of orders) expect(after % 7 === 3 || after % 7 === 4).toBe(true);
  });
});
