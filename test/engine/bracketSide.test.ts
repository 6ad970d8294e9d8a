// Tests stops and targets on the wrong side of their entry: the order is denied, and the message names the prices.

import { expect, it, test } from 'vitest';
import type { FuturesPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { Side } from '../../src/model/order.ts';
import { Strategy, type OrderOptions, type StrategyClass } from '../../src/index.ts';
import { RiskFixture } from '../fixtures/riskFixture.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, orderRows, planFor } from './backtestFixture.ts';

const CROSS_MARGIN: FuturesPlan = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
const FLAT_ROW = [10_000, 10_010, 9990, 10_000] as const;

/**
 * Places an order at a close of 100 on spot, or of 1000 on a contract. Returns its deny code, null for an order that is sent, and the log
 * messages about it.
 */
async function denialOf(market: Market, side: Side, options: OrderOptions) {
  const isFutures = market === 'futures';
  const strategy: StrategyClass = class extends Strategy {
    row = 0;
    override onBar() {
      if (this.row++ === 0) this[side]({ base: isFutures ? 10 : '0.1' }, options);
    }
  };
  const bars = isFutures ? barsOfRows([FLAT_ROW, FLAT_ROW, FLAT_ROW], linearContract()) : barsOfRows([FLAT_ROW, FLAT_ROW, FLAT_ROW]);
  const accountTerms = isFutures ? { cash: { USDT: '100000' }, futures: CROSS_MARGIN } : {};
  const plan = planFor({ strategies: [strategy], feeds: { bars }, fees: { makerPpm: 0, takerPpm: 0 }, ...accountTerms });
  const messages: string[] = [];
  const prepared = await prepareBacktest(plan, { denialLog: (_timeMs, _strategy, message) => messages.push(message) });
  prepared.loop(prepared.engine);
  const [order] = orderRows(runRecordOf(plan, prepared, false));
  return { code: order!.ending === 'denied' ? order!.code : null, messages };
}

/**
 * Options of a spot buy at a price of 100, each with the expected deny code; null for a buy that is sent. They are worked out by hand: the
 * stop of a buy must be below its entry price, and its target above.
 */
const SPOT_BUYS: readonly (readonly [OrderOptions, string | null])[] = [
  [{ stopLoss: 99.99 }, null],
  [{ stopLoss: 100 }, 'STOP_SIDE'],
  [{ stopLoss: 110 }, 'STOP_SIDE'],
  [{ takeProfit: 100.01 }, null],
  [{ takeProfit: 100 }, null],
  [{ takeProfit: 99.99 }, 'TARGET_SIDE'],
  [{ limit: 95, stopLoss: 96 }, 'STOP_SIDE'],
  [{ limit: 95, stopLoss: 94.99 }, null],
  [{ limit: 95, takeProfit: 94 }, 'TARGET_SIDE'],
  [{ limit: 95, takeProfit: 96 }, null],
  // A limit above the market fills at the market price.
  [{ limit: 105, stopLoss: 102 }, 'STOP_SIDE'],
  [{ limit: 105, takeProfit: 103 }, null],
  [{ trailing: 50 }, null],
];
it.each(SPOT_BUYS)('a spot buy at 100 with %j has the deny code %s', async (options, code) => {
  expect((await denialOf('spot', 'buy', options)).code).toBe(code);
});

/** Returns the options with ten times each price. */
const timesTen = (options: OrderOptions) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, Number(value) * 10])) as OrderOptions;
/** Returns the options of the opposite order: each price is mirrored at 100. */
const mirrored = (options: OrderOptions) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, name === 'trailing' ? value : 200 - Number(value)]),
  ) as OrderOptions;
it.each(SPOT_BUYS)(
  'a contract bought at 1000 with ten times %j, or sold with its mirror image, has the deny code %s',
  async (options, code) => {
    expect((await denialOf('futures', 'buy', timesTen(options))).code).toBe(code);
    expect((await denialOf('futures', 'sell', timesTen(mirrored(options)))).code).toBe(code);
  },
);

it('the message about a denied bracket names both prices, and where the entry price is from', async () => {
  expect((await denialOf('spot', 'buy', { stopLoss: 110 })).messages).toEqual([
    expect.stringMatching(/: denied: stopLoss of a buy: expected a price below its entry at 100 \(the last price\), got 110$/),
  ]);
  expect((await denialOf('futures', 'sell', { limit: 1050, takeProfit: 1060 })).messages).toEqual([
    expect.stringMatching(/takeProfit of a sell: expected a price below its entry at 1050 \(its limit\), got 1060$/),
  ]);
});

test('the entry price of a trigger order is its trigger, and a bracket of an order that reduces is not checked', () => {
  const fixture = new RiskFixture();
  /** Returns the deny code of a trigger order to buy at 1200 ticks. */
  const codeOfTriggerOrder = (options: object) =>
    fixture.code({ lots: 5 }, (order) => Object.assign(order, { role: 'condition', triggerTicks: 1200, isGuarded: true, ...options }));
  expect(codeOfTriggerOrder({ stopLoss: 1199 })).toBeNull();
  expect(codeOfTriggerOrder({ stopLoss: 1200 })).toBe('STOP_SIDE');
  expect(fixture.risk.detail()).toContain('(its trigger)');
  expect(codeOfTriggerOrder({ takeProfit: 1199 })).toBe('TARGET_SIDE');
  fixture.hold(50);
  expect(codeOfTriggerOrder({ side: 'sell', sign: -1, reduceOnly: true, stopLoss: 500 })).toBeNull();
});
