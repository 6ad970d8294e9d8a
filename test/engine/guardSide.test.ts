// Tests stops and targets on the wrong side of their entry: the order is denied, and the message names the prices.

import { expect, it, test } from 'vitest';
import type { FuturesPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy, type OrderOptions, type StrategyClass } from '../../src/index.ts';
import { Fixture } from '../fixtures/riskFixture.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, orderRows, planFor } from './world.ts';

const TERMS: FuturesPlan = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
const ROW = [10_000, 10_010, 9990, 10_000] as const;

/** Returns the deny code of an order that is placed at a close of 100 (contracts: 1000), and the log message about it. */
async function denialOf(side: 'buy' | 'sell', options: OrderOptions, isFutures: boolean) {
  const strategy: StrategyClass = class extends Strategy {
    row = 0;
    override onBar() {
      if (this.row++ === 0) this[side]({ base: isFutures ? 10 : '0.1' }, options);
    }
  };
  const bars = isFutures ? barsOfRows([ROW, ROW, ROW], linearContract()) : barsOfRows([ROW, ROW, ROW]);
  const cash = isFutures ? { cash: { USDT: '100000' }, futures: TERMS } : {};
  const plan = planFor({ strategies: [strategy], feeds: { bars }, fees: { makerPpm: 0, takerPpm: 0 }, ...cash });
  const text: string[] = [];
  const prepared = await prepareBacktest(plan, { refusals: (_, __, message) => text.push(message) });
  prepared.loop(prepared.engine);
  const [order] = orderRows(runRecordOf(plan, prepared, false));
  return { code: order!.ending === 'denied' ? order!.code : null, reason: text };
}

// Worked out by hand: a buy has its stop below its entry and its target above it, a sell its stop above and its target below.
const SPOT: readonly (readonly [OrderOptions, string | null])[] = [
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
it.each(SPOT)('a spot buy at 100 with %j has the deny code %s', async (options, code) => {
  expect((await denialOf('buy', options, false)).code).toBe(code);
});

const scaleOptions = (options: OrderOptions) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, Number(value) * 10])) as OrderOptions;
const mirrorOptions = (options: OrderOptions) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, name === 'trailing' ? value : 200 - Number(value)]),
  ) as OrderOptions;
it.each(SPOT)('a contract bought at 1000 with ten times %j, or sold with its mirror image, has the deny code %s', async (options, code) => {
  expect((await denialOf('buy', scaleOptions(options), true)).code).toBe(code);
  expect((await denialOf('sell', scaleOptions(mirrorOptions(options)), true)).code).toBe(code);
});

it('the message names the prices and where the entry price is from', async () => {
  expect((await denialOf('buy', { stopLoss: 110 }, false)).reason).toEqual([
    expect.stringMatching(/: denied: stopLoss of a buy: expected a price below its entry at 100 \(the last price\), got 110$/),
  ]);
  expect((await denialOf('sell', { limit: 1050, takeProfit: 1060 }, true)).reason).toEqual([
    expect.stringMatching(/takeProfit of a sell: expected a price below its entry at 1050 \(its limit\), got 1060$/),
  ]);
});

test('a trigger is the entry price of a trigger order, and an order that reduces has no entry', () => {
  const fixture = new Fixture();
  const runGuarded = (options: object) =>
    fixture.code({ lots: 5 }, (order) => Object.assign(order, { role: 'condition', triggerTicks: 1200, isGuarded: true, ...options }));
  expect(runGuarded({ stopLoss: 1199 })).toBeNull();
  expect(runGuarded({ stopLoss: 1200 })).toBe('STOP_SIDE');
  expect(fixture.risk.detail()).toContain('(its trigger)');
  expect(runGuarded({ takeProfit: 1199 })).toBe('TARGET_SIDE');
  fixture.hold(50);
  expect(runGuarded({ side: 'sell', sign: -1, reduceOnly: true, stopLoss: 500 })).toBeNull();
});
