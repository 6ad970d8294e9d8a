// Tests the funding carry: it opens both sides when the average rate is high, makes them equal, and closes both when the rate falls.

import { describe, expect, it } from 'vitest';
import { PERPETUAL, perpetualBars } from '../test/fixtures/perpetual.ts';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import FundingCarry from './fundingCarry.ts';

const MINUTE_MS = 60_000;
const FUNDS = { spot: { USDT: '5000' }, futures: { USDT: '5000' } };
const PARAMS = { rates: 2, enterRate: 0.0002, leaveRate: 0.0001, share: 0.4 };

/** Runs the strategy with a funding rate every two minutes, from the first bar. */
function run(rates: readonly number[], options: { readonly funds?: typeof FUNDS; readonly shapes?: readonly Shape[] } = {}) {
  const { funds = FUNDS, shapes = Array.from({ length: 2 * rates.length + 2 }, () => 100) } = options;
  const perp = perpetualBars(shapes);
  const coins = barsFrom(shapes, 'AAAUSDT');
  // Both accounts have the same quote digits.
  const spot = { ...coins, instrument: { ...coins.instrument, quoteDigits: perp.instrument.quoteDigits } };
  const timeMs = Float64Array.from(rates, (_, index) => perp.openMs[0]! + (2 * index + 1) * MINUTE_MS);
  const contractData = {
    marks: null,
    // A plan has rates in multiples of 1e-12, and the price 100 as 10,000 ticks.
    funding: rates.map((rate, index) => ({ timeMs: timeMs[index]!, rate: Math.round(rate * 1e12), markTicks: 10_000 })),
    rates: { length: rates.length, timeMs, rate: Float64Array.from(rates) },
  };
  const futures = { ...PERPETUAL.futures!, data: new Map([[perp.instrument.id, contractData]]) };
  return trade(FundingCarry, { spot, perp }, { ...PERPETUAL, funds, futures, params: PARAMS });
}
/** Returns symbol, side and quantity of each fill. */
const fillSummary = ({ fills }: Awaited<ReturnType<typeof run>>) => fills.map(({ symbol, side, qty }) => [symbol, side, qty]);

describe('funding carry', () => {
  it('funding carry buys the coin and sells as much of the perpetual when rates are high, and closes both when they fall', async () => {
    // 0.4 of 10,000 at a price of 100 is 40 coins.
    expect(fillSummary(await run([0, 0.0001, 0.0005, 0.0005, 0, 0, 0]))).toEqual([
      ['E-AAA-USDT', 'sell', 40],
      ['AAAUSDT', 'buy', 40],
      ['E-AAA-USDT', 'buy', 40],
      ['AAAUSDT', 'sell', 40],
    ]);
  });

  it('funding carry does nothing while rates are low, or while too few rates are known', async () => {
    expect(fillSummary(await run([0.0001, 0.0001, -0.001, 0.0001]))).toEqual([]);
    expect(fillSummary(await run([0.001]))).toEqual([]);
  });

  it('funding carry never keeps the perpetual without the coin', async () => {
    const { fills, orders } = await run([0.001, 0.001, 0.001, 0.001], { funds: { spot: { USDT: '100' }, futures: { USDT: '9900' } } });
    expect(orders.find(({ code }) => code !== '')).toMatchObject({ code: 'MARGIN', side: 'buy' });
    const heldCoins = fills.reduce((sum, { side, qty }) => sum + (side === 'buy' ? qty : -qty), 0);
    expect(fills.map(({ symbol }) => symbol)).toEqual(fills.map(() => 'E-AAA-USDT'));
    expect(Math.abs(heldCoins)).toBeLessThanOrEqual(40);
    expect(fills[1]).toMatchObject({ side: 'buy', qty: 40 });
  });
});
