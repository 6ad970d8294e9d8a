// Tests stops that trail by a percentage, by a series, or only from a price on.
// test/campaigns/orderForms.test.ts compares random scripts with a naive reference.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { atr, Strategy, type OrderOptions } from '../../src/index.ts';
import { buyAtFirstBar, strategyOf, WITHOUT_FEES, ordersOf, quietBars } from './callableStrategy.ts';
import { barsOfRows, fillRows, orderRows, QUIET_ROW, run, type PriceRow } from './backtestFixture.ts';

/** Rises from 100 to 120, then falls to 90. */
const HILL: PriceRow[] = [
  QUIET_ROW,
  [10_000, 11_000, 10_000, 11_000],
  [11_000, 12_000, 11_000, 12_000],
  [12_000, 12_000, 9000, 9000],
  QUIET_ROW,
];

/** Returns role and price (in ticks) of the sales of a long with this trailing stop. */
async function salesOf(trailing: OrderOptions['trailing'], rows = HILL) {
  const result = await ordersOf(buyAtFirstBar({ base: '0.1' }, { trailing: trailing! }), WITHOUT_FEES, barsOfRows(rows));
  return result.fills.slice(1).map(({ order, price }) => ({ role: result.orders[order - 1]!.role, price }));
}

describe('a stop that trails', () => {
  it('a stop that trails by a percentage stays that percentage below the best price', async () => {
    expect(await salesOf({ percent: 10 })).toEqual([{ role: 'trailing', price: 10_800 }]);
    expect(await salesOf({ percent: '2.5' })).toEqual([{ role: 'trailing', price: 11_700 }]);
  });
  it('a trailing distance may be a number, a Decimal or `{ distance }`', async () => {
    for (const trailing of [5, new Decimal(5), { distance: '5' }])
      expect(await salesOf(trailing)).toEqual([{ role: 'trailing', price: 11_500 }]);
  });
  it('a stop that trails from a price on starts once the best price of closed bars has reached it, and then stays active', async () => {
    expect(await salesOf({ percent: 10, from: 120 })).toEqual([{ role: 'trailing', price: 10_800 }]);
    expect(await salesOf({ percent: 10, from: '120.01' })).toEqual([]);
    // A row that reaches that price and falls does not trigger the stop, which acts from the next row on.
    const spike: PriceRow[] = [QUIET_ROW, [10_000, 12_000, 10_000, 10_500], [10_500, 10_500, 10_400, 10_400], QUIET_ROW];
    expect(await salesOf({ distance: 12, from: 120 }, spike)).toEqual([{ role: 'trailing', price: 10_500 }]);
  });
  it('a stop that trails by a series has the distance of the instant of its order', async () => {
    class ByRange extends Strategy {
      range = this.use(atr(this.bars, 2));
      isDone = false;
      override onBar() {
        if (!this.isDone) this.buy({ base: '0.1' }, { trailing: { atr: this.range, times: 2 } });
        this.isDone = true;
      }
    }
    const flat: PriceRow[] = Array.from({ length: 4 }, (): PriceRow => [10_000, 10_100, 9900, 10_000]);
    const { record } = await run({
      strategies: [ByRange],
      feeds: { bars: barsOfRows([...flat, [10_000, 10_050, 9000, 9000], QUIET_ROW]) },
      ...WITHOUT_FEES,
    });
    // The range is 2, so the distance is 4. The best price of closed rows is 101.
    expect(
      fillRows(record)
        .slice(1)
        .map(({ price }) => price),
    ).toEqual([9700]);
    expect(orderRows(record)[1]!.role).toBe('trailing');
  });
  it('an order is denied if a value of its trailing stop is not a positive number', async () => {
    for (const trailing of [{ percent: NaN }, { distance: NaN }, { percent: 1, from: NaN }, { percent: 1, from: 0 }]) {
      const { orders } = await ordersOf(buyAtFirstBar({ base: '0.1' }, { trailing }), WITHOUT_FEES, quietBars(3));
      expect(orders[0]).toMatchObject({ code: 'BAD_INPUT' });
    }
  });
  it('an unknown, missing or contradictory trailing option ends the run with an error that names it', async () => {
    const errorOf = (trailing: unknown) =>
      run({
        strategies: [strategyOf(buyAtFirstBar({ base: '0.1' }, { trailing } as never))],
        feeds: { bars: quietBars(3) },
        ...WITHOUT_FEES,
      }).then(
        () => 'no error',
        (error: unknown) => String(error),
      );
    expect(await errorOf({ percnt: 1 })).toMatch(/trailing.percnt, which does not exist/);
    expect(await errorOf({ percent: 1, distance: 1 })).toMatch(/trails by distance and percent/);
    expect(await errorOf({ from: 1 })).toMatch(/trails by nothing/);
    for (const percent of [100, 200, -2, 0, '-0.5'])
      expect(await errorOf({ percent })).toContain(`a trailing stop of ${percent} percent, at `);
    for (const distance of [-1, '-0.01']) {
      expect(await errorOf(distance)).toContain(`a trailing stop at a negative distance, ${distance}, at `);
      expect(await errorOf({ distance })).toContain(`a trailing stop at a negative distance, ${distance}, at `);
    }
    expect(await errorOf({ atr: 3 })).toMatch(/atr is not a series/);
    expect(await errorOf({ percent: 1, times: 3 })).toMatch(/times has no atr/);
    expect(await errorOf(null)).toMatch(/trailing is null/);
  });
});
