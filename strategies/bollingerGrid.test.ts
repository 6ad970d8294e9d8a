// Tests the Bollinger grid: buys rest below the middle and follow the band, and each level sells one step higher.

import { describe, expect, it } from 'vitest';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import BollingerGrid from './bollingerGrid.ts';

/** Closes of 98 and 102. Their middle is 100 and their deviation 2. So the lower band of 2 deviations is 96, and a step of 2 levels is 2. */
const CALM: Shape[] = Array.from({ length: 10 }, (_, bar) => (bar % 2 === 0 ? 98 : 102));
const PARAMS = { bandBars: 10, bandWidths: 2, levels: 2, stopSteps: 2, minStep: 0, invested: 0.5 };
const run = (after: readonly Shape[], params: object = {}, latencyMs = 0, before = CALM) =>
  trade(BollingerGrid, { bars: barsFrom([...before, ...after]) }, { params: { ...PARAMS, ...params }, fills: { latencyMs } });

describe('Bollinger grid', () => {
  it('Bollinger grid rests one buy at each level below the market, for equal parts of the money', async () => {
    const { orders, record } = await run([100.5, 100]);
    expect(orders.map(({ side, slot, limit, after }) => [side, slot, limit, after])).toEqual([
      ['buy', 'level 0', 98, 10],
      ['buy', 'level 1', 96, 10],
    ]);
    expect(orders.every(({ ending }) => ending === 'open')).toBe(true);
    // A quarter of 10,000 each.
    expect([...record.orders.lots]).toEqual([25_510, 26_041]);
  });

  it('Bollinger grid sells the coins of a level one step higher, and then rests a buy at the level again', async () => {
    const { fills, orders } = await run([[101, 101, 97.5, 99], [99, 100.5, 99, 100], 100]);
    expect(fills).toMatchObject([
      { side: 'buy', price: 98, isMaker: true, after: 11 },
      { side: 'sell', price: 100, isMaker: true, after: 12 },
    ]);
    expect(orders.filter(({ slot }) => slot === 'level 0').map(({ ending, after }) => [ending, after])).toEqual([
      ['filled', 10],
      ['open', 12],
    ]);
  });

  it('Bollinger grid places no second buy at a level while the sell of its coins is open', async () => {
    const { orders } = await run([[101, 101, 97.5, 99], 99.2, 99, 99.3]);
    expect(orders.filter(({ slot }) => slot === 'level 0')).toHaveLength(1);
    expect(orders.find(({ role }) => role === 'takeProfit')).toMatchObject({ parent: 1, limit: 100, ending: 'open' });
  });

  it('Bollinger grid sells at the stop of each level when the price falls through the grid', async () => {
    const { fills } = await run([[100, 100, 95, 95.5], [95.5, 96, 91, 91.5], 91.2]);
    expect(fills.map(({ side, price }) => [side, price])).toEqual([
      ['buy', 98],
      ['buy', 96],
      ['sell', 94],
      ['sell', 92],
    ]);
  });

  it('Bollinger grid sends no buy above the market', async () => {
    // When the band is ready, the close is 96: below the first level at 97.2, and above the second level.
    const { orders } = await run([96.5], {}, 0, [...CALM.slice(0, -1), 96]);
    expect(orders.map(({ slot, limit, after }) => [slot, limit, after])).toEqual([['level 1', 95, 10]]);
  });

  it('Bollinger grid cancels the buys that the band has moved away from, and places them again', async () => {
    const climb = Array.from({ length: 20 }, (_, bar) => (bar % 2 === 0 ? 98.5 : 102.5) + bar / 2);
    const { orders, fills } = await run(climb);
    const lowestLevelOrders = orders.filter(({ slot }) => slot === 'level 0');
    expect(fills).toEqual([]);
    expect(lowestLevelOrders.length).toBeGreaterThan(3);
    expect(lowestLevelOrders.slice(0, -1).every(({ ending }) => ending === 'canceled')).toBe(true);
    expect(lowestLevelOrders.at(-1)).toMatchObject({ ending: 'open' });
    // Each buy rests at least half a step from the buy before it. Smaller moves cause no cancel.
    lowestLevelOrders.slice(1).forEach(({ limit }, index) => expect(limit - lowestLevelOrders[index]!.limit).toBeGreaterThan(0.9));
    expect(orders.filter(({ code }) => code !== '')).toEqual([]);
  });

  it('Bollinger grid places a level again only after its cancel is confirmed, and handles a fill before that', async () => {
    // The close of 110 moves the band. The cancel arrives during the next bar, and that bar trades through the old buy.
    const { orders, fills, record } = await run([110, [110, 110, 97.9, 109], 109.5, 109], {}, 10_000);
    const [firstOrder, ...laterOrders] = orders.filter(({ slot }) => slot === 'level 0');
    expect(fills.slice(0, 1)).toMatchObject([{ side: 'buy', price: 98, after: 12 }]);
    expect(firstOrder).toMatchObject({ ending: 'filled', after: 10 });
    expect(laterOrders.every(({ after }) => after >= 12)).toBe(true);
    expect(orders.filter(({ code }) => code !== '')).toEqual([]);
    expect(record.orders.wasUnknown.every((isUnknown) => isUnknown === 0)).toBe(true);
  });

  it('Bollinger grid keeps its steps wide enough to earn their fees', async () => {
    const { orders } = await run([100.5], { minStep: 0.03 });
    expect(orders.map(({ limit }) => limit)).toEqual([97, 94]);
  });
});
