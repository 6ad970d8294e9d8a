// Tests trigger orders of a strategy: when they fire, at which price they fill, and what ends them.

import { describe, expect, it } from 'vitest';
import type { FuturesPlan, RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf, type PreparedRun } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy, type OrderInfo, type OrderOptions, type Size, type StrategyClass } from '../../src/index.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import type { Side } from '../../src/model/order.ts';
import { costBridge } from '../../src/report/metrics/costBridge.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import {
  NO_CONTRACT_FEES,
  barsOfRows,
  fillRows,
  orderRows,
  planFor,
  spotInstrument,
  walkBars,
  type PlanOptions,
  type PriceRow,
} from './backtestFixture.ts';

const contract = linearContract(NO_CONTRACT_FEES);
const quiet = (price: number): PriceRow => [price, price, price, price];

/** The run in progress, for strategies that check its books. */
let currentRun: PreparedRun | null = null;
/** Runs a plan, and checks the books at its end. */
async function recordFrom(plan: RunPlan): Promise<RunRecord> {
  currentRun = await prepareBacktest(plan, {});
  currentRun.loop(currentRun.engine);
  currentRun.engine.ledger.assertReconciled();
  return runRecordOf(plan, currentRun, false);
}
/** Returns a plan over one contract. */
function planOf(
  strategy: StrategyClass,
  bars: PlanOptions['feeds'][string],
  options: Partial<PlanOptions> = {},
  terms: Partial<FuturesPlan> = {},
): RunPlan {
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map(), ...terms };
  return planFor({ strategies: [strategy], feeds: { bars }, cash: { USDT: '100000' }, futures, ...options });
}

/** What a strategy does at the close of one bar. */
type Step = (strategy: Scripted) => void;
/** Performs one action at the close of each bar. */
class Scripted extends Strategy {
  static steps: readonly (Step | null)[] = [];
  static reported: OrderInfo[] = [];
  row = 0;
  override onBar() {
    (this.constructor as typeof Scripted).steps[this.row++]?.(this);
  }
  override onOrder(order: OrderInfo) {
    (this.constructor as typeof Scripted).reported.push(order);
  }
  placeOrder(side: Side, size?: Size, options?: OrderOptions) {
    return side === 'buy' ? this.buy(size, options) : this.sell(size, options);
  }
  exitPosition() {
    return this.exit();
  }
  cancelAll() {
    for (const { id } of this.openOrders()) this.cancel(id);
  }
  positionView() {
    return this.position();
  }
}

/** Runs steps over rows, one a row. Prices of the returned fills are in ticks. */
async function runOnContract(
  rows: readonly PriceRow[],
  steps: readonly (Step | null)[],
  options: Partial<PlanOptions> = {},
  terms: Partial<FuturesPlan> = {},
) {
  class Script extends Scripted {
    static override steps = steps;
    static override reported: OrderInfo[] = [];
  }
  const record = await recordFrom(planOf(Script, barsOfRows(rows, contract), options, terms));
  currentRun!.checkBooks();
  return {
    record,
    orders: orderRows(record),
    fills: fillRows(record).map(({ side, price, minute }) => ({ side, price, minute })),
    reported: Script.reported,
  };
}
const enterLong: Step = (strategy) => strategy.placeOrder('buy', { base: 10 });
const enterShort: Step = (strategy) => strategy.placeOrder('sell', { base: 10 });
/** Returns a price in ticks as a strategy gives it. */
const priceOf = (ticks: number): number => ticks / 10 ** contract.priceDigits;
/** Returns a step that places a trigger order at a price in ticks. */
const placeTrigger =
  (side: Side, ticks: number, size?: Size, options: OrderOptions = {}): Step =>
  (strategy) => {
    strategy.placeOrder(side, size, { trigger: priceOf(ticks), tag: `at ${ticks}`, ...options });
  };

describe('a trigger order', () => {
  it.each([
    ['stops a long at its level', enterLong, 'sell', 9800, [9900, 9950, 9700, 9750], { side: 'sell', price: 9800, minute: 4 }, 'stopLoss'],
    [
      'stops a long at an open beyond it',
      enterLong,
      'sell',
      9800,
      [9700, 9750, 9600, 9650],
      { side: 'sell', price: 9700, minute: 3 },
      'stopLoss',
    ],
    [
      'stops a short at its level',
      enterShort,
      'buy',
      10_200,
      [10_000, 10_300, 9990, 10_250],
      { side: 'buy', price: 10_200, minute: 4 },
      'stopLoss',
    ],
    [
      'takes the profit of a long',
      enterLong,
      'sell',
      10_200,
      [10_000, 10_300, 9990, 10_250],
      { side: 'sell', price: 10_200, minute: 4 },
      'condition',
    ],
    [
      'takes the profit of a short',
      enterShort,
      'buy',
      9800,
      [9900, 9950, 9700, 9750],
      { side: 'buy', price: 9800, minute: 4 },
      'condition',
    ],
  ] as const)('a trigger order %s', async (_, entry, side, trigger, bar, expectedFill, role) => {
    const { fills, orders, reported } = await runOnContract(
      [quiet(10_000), quiet(10_000), quiet(10_000), bar, quiet(10_000)],
      [entry, placeTrigger(side, trigger)],
    );
    expect(fills[1]).toEqual(expectedFill);
    // By default the order closes the whole position, and never more.
    expect(orders[1]).toMatchObject({ role, lots: 10, limit: trigger, ending: 'filled', filled: 10 });
    const waiting = reported.find(({ id, lifecycle }) => id === 2 && lifecycle === 'working');
    expect([waiting?.trigger, waiting?.limit]).toEqual([priceOf(trigger), NaN]);
  });

  it('a trigger order opens on a rise and on a fall at its level, and its bracket protects the position', async () => {
    const rows = [quiet(10_000), quiet(10_000), [10_000, 10_300, 9990, 10_250], quiet(10_250)] as const;
    const opened = await runOnContract(rows, [placeTrigger('buy', 10_200, { base: 5 }, { stopLoss: priceOf(9000) })]);
    expect(opened.fills).toEqual([{ side: 'buy', price: 10_200, minute: 3 }]);
    expect(opened.orders[0]).toMatchObject({ role: 'condition', limit: 10_200, ending: 'filled' });
    const dip = await runOnContract(
      [quiet(10_000), quiet(10_000), [10_000, 10_010, 9700, 9800], quiet(9800)],
      [placeTrigger('buy', 9800, { base: 5 })],
    );
    expect(dip.fills).toEqual([{ side: 'buy', price: 9800, minute: 3 }]);
    const protectedRun = await runOnContract(
      [...rows, [10_250, 10_250, 8900, 8950]],
      [placeTrigger('buy', 10_200, { base: 5 }, { stopLoss: priceOf(9000) })],
    );
    expect(protectedRun.fills.map(({ side }) => side)).toEqual(['buy', 'sell']);
  });

  it.each([
    ['a long', 'buy', 10_200, 10_240, 10_100, [10_250, 10_400, 9900, 10_000]],
    ['a short', 'sell', 9800, 9760, 9900, [9750, 10_100, 9600, 10_000]],
  ] as const)(
    'a target beyond which the row of a trigger order opens fills at that open, before the stop: %s',
    async (_, side, trigger, target, stop, bar) => {
      const rows = [quiet(10_000), quiet(10_000), bar, quiet(10_000)];
      const oneTarget = await runOnContract(rows, [
        placeTrigger(side, trigger, { base: 10 }, { takeProfit: priceOf(target), stopLoss: priceOf(stop) }),
      ]);
      const exitSide = side === 'buy' ? 'sell' : 'buy';
      const entryFill = { side, price: bar[0], minute: 2 };
      const fillAtOpen = { side: exitSide, price: bar[0], minute: 2 };
      expect(oneTarget.fills).toEqual([entryFill, fillAtOpen]);
      // The second target lies beyond the open. The row reaches it and the stop, so the stop counts.
      const targets = [{ at: priceOf(target), share: 0.5 }, { at: priceOf(side === 'buy' ? 10_300 : 9700) }];
      const twoTargets = await runOnContract(rows, [placeTrigger(side, trigger, { base: 10 }, { targets, stopLoss: priceOf(stop) })]);
      expect(twoTargets.fills).toEqual([entryFill, fillAtOpen, { side: exitSide, price: stop, minute: 3 }]);
    },
  );

  it('a trigger order that fires without enough cash in its account is rejected with the code of the exchange', async () => {
    const falls: readonly PriceRow[] = [quiet(10_000), quiet(10_000), [10_000, 10_000, 9500, 9500], [9500, 9500, 9300, 9300], quiet(9300)];
    // 10 contracts need a margin of 1 USDT, and 10 more at 9400 need 0.94. The account has 1.2 when the order is sent, and 0.7 after the
    // fall.
    const { fills, orders } = await runOnContract(falls, [enterLong, placeTrigger('buy', 9400, { base: 10 })], { cash: { USDT: '2.2' } });
    expect(fills).toHaveLength(1);
    expect(orders[1]).toMatchObject({ role: 'condition', ending: 'rejected', code: '-2017' });
  });

  it('a trigger order does not fire in the row in which it arrives, nor before its price is reached', async () => {
    const deep: PriceRow = [10_000, 10_000, 9700, 9900];
    // The order is decided at the close of bar 2, and waits when bar 3 opens. Bar 2 had fallen below its trigger.
    const { fills, orders } = await runOnContract([quiet(10_000), deep, quiet(9900), quiet(9900)], [enterLong, placeTrigger('sell', 9800)]);
    expect(fills).toEqual([{ side: 'buy', price: 10_000, minute: 1 }]);
    expect(orders[1]).toMatchObject({ ending: 'open' });
    const rows = [quiet(10_000), quiet(10_000), quiet(10_000), quiet(10_000), deep, deep, deep, quiet(9900)];
    // Decided at minute 4, the order arrives inside the bar from 5 to 6.
    const late = await runOnContract(rows, [enterLong, null, null, placeTrigger('sell', 9800)], { fills: { latencyMs: 90_000 } });
    expect(late.fills).toEqual([
      { side: 'buy', price: 10_000, minute: 3 },
      { side: 'sell', price: 9800, minute: 7 },
    ]);
  });

  it('a cancel that arrives in the row in which a trigger order fires also cancels the order that it has placed', async () => {
    // Sent at minute 1 and cancelled at minute 3. The cancel arrives between 4 and 5. That row opens beyond the collar, so the order rests
    // at 10,302.
    const rows: readonly PriceRow[] = [
      quiet(10_000),
      quiet(10_000),
      quiet(10_000),
      quiet(10_000),
      [10_400, 10_410, 10_350, 10_400],
      [10_400, 10_400, 10_250, 10_300],
    ];
    const steps = [placeTrigger('buy', 10_200, { base: 5 }), null, (strategy: Scripted) => strategy.cancelAll()];
    const { fills, orders } = await runOnContract(rows, steps, { fills: { latencyMs: 90_000 } });
    expect(orders[0]).toMatchObject({ role: 'condition', ending: 'canceled' });
    expect(fills).toEqual([]);
    const workingRun = await runOnContract(rows, steps.slice(0, 1), { fills: { latencyMs: 90_000 } });
    expect(workingRun.fills).toEqual([{ side: 'buy', price: 10_302, minute: 6 }]);
  });

  it('of two trigger orders the stop fires in a row that reaches both, and the target ends with the position', async () => {
    const wide: PriceRow = [10_000, 10_300, 9700, 10_000];
    const steps = [
      enterLong,
      (strategy: Scripted) => (placeTrigger('sell', 9800, { base: 5 })(strategy), placeTrigger('sell', 10_200, { base: 5 })(strategy)),
    ];
    const { orders } = await runOnContract([quiet(10_000), quiet(10_000), wide, quiet(10_000)], steps);
    expect(orders.slice(1).map(({ role, ending }) => [role, ending])).toEqual([
      ['stopLoss', 'filled'],
      ['condition', 'filled'],
    ]);
    // Together they may not close more than the position.
    const twice = await runOnContract(
      [quiet(10_000), quiet(10_000), wide],
      [enterLong, (strategy) => (placeTrigger('sell', 9800)(strategy), placeTrigger('sell', 10_200)(strategy))],
    );
    expect(twice.orders.map(({ code }) => code)).toEqual(['', '', 'MARGIN']);
  });

  it('a trigger order is cancelled when another order has closed its position', async () => {
    const closed = await runOnContract(
      Array.from({ length: 6 }, () => quiet(10_000)),
      [enterLong, placeTrigger('sell', 9800, { base: 4 }), (strategy) => strategy.placeOrder('sell', { base: 10 }, { tag: 'all' })],
    );
    expect(closed.orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'filled']);
  });

  it('exit() cancels a trigger order', async () => {
    const afterExit = await runOnContract(
      Array.from({ length: 6 }, () => quiet(10_000)),
      [enterLong, placeTrigger('sell', 9800), (strategy) => strategy.exitPosition()],
    );
    expect(afterExit.orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'filled']);
  });

  it('a trigger order that the strategy cancels is reported as working and then as done', async () => {
    const cancelled = await runOnContract(
      Array.from({ length: 6 }, () => quiet(10_000)),
      [placeTrigger('buy', 10_500, { base: 1 }), (strategy) => strategy.cancelAll()],
    );
    expect(cancelled.orders.map(({ ending }) => ending)).toEqual(['canceled']);
    expect(cancelled.reported.map(({ lifecycle }) => lifecycle)).toEqual(['working', 'done']);
  });

  it('a liquidation cancels the trigger order of its position', async () => {
    const crash: readonly PriceRow[] = [quiet(10_000), quiet(10_000), quiet(10_000), [9500, 9500, 8000, 8000], quiet(8000)];
    const liquidated = await runOnContract(crash, [(strategy) => strategy.placeOrder('buy', { equity: 9 }), placeTrigger('sell', 7900)]);
    expect(liquidated.orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['stopLoss', 'canceled'],
      ['liquidation', 'filled'],
    ]);
  });

  it('a trigger order in two-way mode closes its own side', async () => {
    const reportedSides: object[] = [];
    const sidesOf = (strategy: Scripted) => {
      const { long, short } = strategy.positionView();
      return { long: long.toNumber(), short: short.toNumber() };
    };
    const steps: (Step | null)[] = [
      (strategy) => (strategy.placeOrder('buy', { base: 10 }), strategy.placeOrder('sell', { base: 4 })),
      (strategy) => reportedSides.push(sidesOf(strategy)),
      placeTrigger('sell', 9800, { base: 10 }, { reduceOnly: true }),
      null,
      (strategy) => reportedSides.push(sidesOf(strategy)),
    ];
    const rows: readonly PriceRow[] = [quiet(10_000), quiet(10_000), quiet(10_000), [10_000, 10_000, 9700, 9900], quiet(9900), quiet(9900)];
    const { fills } = await runOnContract(rows, steps, {}, { isNet: false });
    expect(reportedSides).toEqual([
      { long: 10, short: 4 },
      { long: 0, short: 4 },
    ]);
    expect(fills.at(-1)).toEqual({ side: 'sell', price: 9800, minute: 4 });
  });

  it('exit() in two-way mode closes both sides', async () => {
    const afterExit = await runOnContract(
      Array.from({ length: 5 }, () => quiet(10_000)),
      [
        (strategy) => (strategy.placeOrder('buy', { base: 10 }), strategy.placeOrder('sell', { base: 4 })),
        null,
        (strategy) => strategy.exitPosition(),
      ],
      {},
      { isNet: false },
    );
    expect(afterExit.fills.slice(2)).toEqual([
      { side: 'sell', price: 10_000, minute: 3 },
      { side: 'buy', price: 10_000, minute: 3 },
    ]);
    expect(afterExit.orders.map(({ ending, lots }) => [ending, lots])).toEqual([
      ['filled', 10],
      ['filled', 4],
      ['filled', 10],
      ['filled', 4],
    ]);
  });

  it.each<[string, Step, string]>([
    ['a price that is not a number', placeTrigger('buy', NaN, { base: 1 }), 'BAD_INPUT'],
    ['a price of zero', placeTrigger('buy', 0, { base: 1 }), 'BAD_INPUT'],
    ['a reduction without a position', placeTrigger('buy', 10_500, { base: 1 }, { reduceOnly: true }), 'MARGIN'],
  ])('a trigger order is denied for %s', async (_, step, code) => {
    expect((await runOnContract([quiet(10_000), quiet(10_000)], [step])).orders[0]).toMatchObject({ ending: 'denied', code });
  });

  it('a trigger order with a limit or a time in force is rejected', async () => {
    await expect(runOnContract([quiet(10_000), quiet(10_000)], [placeTrigger('buy', 10_500, { base: 1 }, { limit: 106 })])).rejects.toThrow(
      'a trigger and a limit',
    );
    await expect(
      runOnContract([quiet(10_000), quiet(10_000)], [placeTrigger('buy', 10_500, { base: 1 }, { timeInForce: 'IOC' })]),
    ).rejects.toThrow('a time in force');
  });

  it('a trigger order is denied on spot', async () => {
    class OnSpot extends Strategy {
      override onBar() {
        this.buy({ base: 1 }, { trigger: 101 });
      }
    }
    const plan = planFor({ strategies: [OnSpot], feeds: { bars: barsOfRows([quiet(10_000), quiet(10_000)], spotInstrument()) } });
    expect(orderRows(await recordFrom(plan)).map(({ code }) => code)).toEqual(['CONDITION_UNSUPPORTED', 'CONDITION_UNSUPPORTED']);
  });

  it.each([0, 90_000])('the books of bot and venue are equal at every bar of random trigger orders (latency %i ms)', async (latencyMs) => {
    class RandomTrader extends Strategy {
      override onBar() {
        currentRun!.checkBooks();
        if (this.random() > 0.5) return;
        const { close } = this.bars.bar;
        const isBuy = this.random() < 0.5;
        const tag = String(Math.floor(this.random() * 4));
        const actionDraw = this.random();
        const trigger = close * (1 + (this.random() - 0.5) / 20);
        const size = this.random() < 0.3 ? undefined : { base: Math.ceil(this.random() * 200) };
        if (actionDraw < 0.2) this.exit();
        else if (actionDraw < 0.3) for (const { id } of this.openOrders().slice(0, 2)) this.cancel(id);
        else {
          const options = actionDraw < 0.45 ? {} : { trigger, tag };
          if (isBuy) this.buy(size ?? { base: 50 }, options);
          else this.sell(size ?? { base: 50 }, options);
        }
      }
    }
    let filledTriggers = 0;
    for (const seed of [1, 2, 3]) {
      const bars = walkBars({ rows: 600, missing: 0.03, step: 300, start: 10_000, instrument: linearContract(), seed });
      const options = { seed, fills: { latencyMs, slippagePpm: 300, maxVolumeSharePpm: seed === 2 ? 200_000 : 0 } };
      const record = await recordFrom(planOf(RandomTrader, bars, options, { isNet: seed !== 3 }));
      const netUnits = record.equity.units.at(-1)! - record.startUnits;
      const { netPnl, ...bridge } = costBridge(record, netUnits);
      const total = Object.values(bridge).reduce((units, part) => units + Math.round(Number(part) * 10 ** record.reportingDigits), 0);
      expect([total, Math.round(Number(netPnl) * 10 ** record.reportingDigits)]).toEqual([netUnits, netUnits]);
      const isTrigger = (role: string) => role === 'condition' || role === 'stopLoss';
      filledTriggers += orderRows(record).filter(({ role, ending }) => isTrigger(role) && ending === 'filled').length;
      expect(orderRows(record).filter(({ code, ending }) => ending === 'refused' || code === 'FP_NOT_UNIQUE')).toEqual([]);
    }
    expect(filledTriggers).toBeGreaterThan(60);
  });
});
