// Tests the momentum rotation: it holds the best symbols in equal parts, sells before it buys, and handles new and ended symbols.

import { describe, expect, it } from 'vitest';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import type { PlanOptions } from '../test/simulation/plans.ts';
import MomentumRotation from './momentumRotation.ts';

const DAY_MINUTES = 1440;
const PARAMS = { lookBack: 2, top: 2, period: '1d', invested: 0.9, tolerance: 0.02 };

/** Runs the strategy over daily bars of some symbols. Each open is the close before. */
function rotate(shapes: Readonly<Record<string, readonly Shape[]>>, params: object = {}, options: PlanOptions = {}) {
  const universe = Object.entries(shapes).map(([symbol, days]) => barsFrom(days, `${symbol}USDT`, DAY_MINUTES));
  return trade(MomentumRotation, { universe }, { params: { ...PARAMS, ...params }, risk: { maxLeverage: '1' }, ...options }, DAY_MINUTES);
}
/** Returns each fill as text: bar index, side and coin. */
const fillTexts = (fills: Awaited<ReturnType<typeof rotate>>['fills']) =>
  fills.map(({ symbol, side, after }) => `${after} ${side} ${symbol.slice(0, 3)}`);

describe('momentum rotation', () => {
  it('momentum rotation buys the best in equal parts at the open after the ranking', async () => {
    const { fills } = await rotate({ AAA: [100, 101, 102, 102], BBB: [100, 105, 110, 110], CCC: [100, 103, 106, 106] });
    expect(fillTexts(fills)).toEqual(['3 buy BBB', '3 buy CCC']);
    for (const { qty, price } of fills) expect(qty * price).toBeCloseTo(4500, -1);
  });

  it('momentum rotation holds cash if too few symbols have risen', async () => {
    const { orders } = await rotate({ AAA: [100, 99, 98, 97], BBB: [100, 100, 100, 100] });
    expect(orders).toEqual([]);
    const { fills } = await rotate({ AAA: [100, 99, 98, 97], BBB: [100, 101, 102, 102] });
    expect(fillTexts(fills)).toEqual(['3 buy BBB']);
    expect(fills[0]!.qty * fills[0]!.price).toBeCloseTo(4500, -1);
  });

  it('momentum rotation sells a symbol that is no longer best, and buys only after that money has arrived', async () => {
    const { orders, fills } = await rotate(
      { AAA: [100, 110, 120, 119, 118, 117, 117], BBB: [100, 100, 100, 110, 120, 120, 121] },
      { top: 1, invested: 0.95 },
    );
    // AAA is best after 3 days, BBB after 4 days. BBB is bought at the next close, when the sale of AAA is booked.
    expect(fillTexts(fills)).toEqual(['3 buy AAA', '4 sell AAA', '5 buy BBB']);
    expect(orders.map(({ after, code }) => [after, code])).toEqual([
      [3, ''],
      [4, ''],
      [5, ''],
    ]);
  });

  it('momentum rotation reduces a holding that is too large before it increases the other one', async () => {
    const { orders, fills } = await rotate({ AAA: [100, 101, 102, 153, 154, 155], BBB: [100, 101, 102, 103, 104, 105] });
    expect(fillTexts(fills)).toEqual(['3 buy AAA', '3 buy BBB', '4 sell AAA', '5 buy BBB']);
    expect(orders.every(({ code }) => code === '')).toBe(true);
  });

  it('momentum rotation does not trade a holding that differs by less than the tolerance', async () => {
    const { fills } = await rotate({ AAA: [100, 101, 102, 103, 104, 105], BBB: [100, 101, 102, 102.5, 103, 103.5] });
    expect(fillTexts(fills)).toEqual(['3 buy AAA', '3 buy BBB']);
  });

  it('momentum rotation ranks a new symbol from its first return, and trades the others before that', async () => {
    const { fills } = await rotate(
      { AAA: [100, 101, 102, 103, 104, 105, 106, 107], BBB: [null, null, null, 100, 110, 120, 130, 140] },
      { top: 1 },
    );
    expect(fillTexts(fills)).toEqual(['3 buy AAA', '6 sell AAA', '7 buy BBB']);
  });

  it('momentum rotation no longer trades a symbol without bars, and continues with the others', async () => {
    const { fills, record } = await rotate(
      { AAA: [100, 110, 120, 130], BBB: [100, 101, 102, 103, 104, 105, 106], CCC: [100, 101, 101.5, 102, 102.5, 103, 103.5] },
      { top: 2 },
    );
    // AAA is held when its bars end. No order can sell it, so its exit stays open.
    // CCC replaces AAA in the ranking, and is bought with the remaining cash.
    expect(fillTexts(fills).slice(0, 2)).toEqual(['3 buy AAA', '3 buy BBB']);
    const laterFills = fillTexts(fills).slice(2);
    expect(laterFills.filter((fill) => fill.includes('AAA'))).toEqual([]);
    expect(record.orders.length).toBeLessThan(20);
  });

  it('momentum rotation ranks only on its schedule', async () => {
    const days = Array.from({ length: 40 }, (_, day) => 100 + day);
    const { orders } = await rotate({ AAA: days, BBB: days.map((close) => close + 1) }, { period: '7d', tolerance: 0 });
    // The schedule of seven days starts on 1970-01-01, a Thursday. 2024-01-01 was a Monday.
    for (const { after } of orders) expect(after % 7 === 3 || after % 7 === 4).toBe(true);
  });
});
