// Tests positions that are larger than the largest market order of the exchange: they can be closed, stopped and protected.

import { describe, expect, it } from 'vitest';
import type { FuturesPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy, type StrategyClass } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { NO_CONTRACT_FEES, barsOfRows, fillRows, orderRows, planFor } from './backtestFixture.ts';

const quiet = (price: number) => [price, price, price, price] as const;
const FALL = [quiet(10_000), quiet(10_000), quiet(10_000), [10_000, 10_000, 9700, 9750], quiet(9750)] as const;
const FUTURES: FuturesPlan = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };

/** Runs a strategy on a contract whose largest market order has this many lots; 0 for any size. The price falls in row 3. */
async function runWithLargestOrder(maxMarketLots: number, strategy: StrategyClass) {
  const bars = barsOfRows(FALL, linearContract({ ...NO_CONTRACT_FEES, maxMarketLots }));
  const plan = planFor({
    strategies: [strategy],
    feeds: { bars },
    cash: { USDT: '100000' },
    futures: FUTURES,
    fees: { makerPpm: 0, takerPpm: 0 },
  });
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.checkBooks();
  prepared.engine.ledger.assertReconciled();
  const record = runRecordOf(plan, prepared, false);
  const remainingLots = fillRows(record).reduce((lots, fill) => lots + (fill.side === 'buy' ? fill.lots : -fill.lots), 0);
  return { orders: orderRows(record), fills: fillRows(record), remainingLots };
}

/** Opens a long at the first row, and closes it from the third row on. */
abstract class LongStrategy extends Strategy {
  row = 0;
  override onBar() {
    if (this.row++ === 0) this.enter();
    else if (this.row === 3) this.close();
  }
  enter() {
    this.buy({ base: 10 });
  }
  close() {}
}
/** Closes by `exit`. */
class ClosesByExit extends LongStrategy {
  override close() {
    this.exit();
  }
}
/** Closes by a reduce-only sale. */
class ClosesBySale extends LongStrategy {
  override close() {
    this.sell({ base: 10 }, { reduceOnly: true });
  }
}
/** Closes by a target of zero. */
class ClosesByTarget extends LongStrategy {
  override close() {
    this.target({ base: 0 });
  }
}
/** Closes by a trigger order. */
class ClosesByTrigger extends LongStrategy {
  override close() {
    this.sell(undefined, { trigger: 980 });
  }
}
/** Is closed by the stop of its bracket. */
class ClosedByStop extends LongStrategy {
  override enter() {
    this.buy({ base: 10 }, { stopLoss: 980 });
  }
}

describe('a position of 10 contracts, with at most 4 in a market order', () => {
  it.each([
    ['exit', ClosesByExit],
    ['a reduce-only sale', ClosesBySale],
    ['a target of zero', ClosesByTarget],
    ['a trigger order', ClosesByTrigger],
    ['the stop of a bracket', ClosedByStop],
  ])(
    'a position of 10 contracts, with at most 4 in a market order: %s closes all of it, at the price of a market order',
    async (_, strategy) => {
      const capped = await runWithLargestOrder(4, strategy);
      const unlimited = await runWithLargestOrder(0, strategy);
      expect([capped.remainingLots, unlimited.remainingLots]).toEqual([0, 0]);
      expect(capped.orders.every(({ ending }) => ending === 'filled')).toBe(true);
      expect(new Set(capped.fills.map(({ price }) => price))).toEqual(new Set(unlimited.fills.map(({ price }) => price)));
    },
  );
  it('a stop closes a position by as many market orders as the largest order size needs', async () => {
    expect((await runWithLargestOrder(4, ClosedByStop)).fills.map(({ lots }) => lots)).toEqual([10, 4, 4, 2]);
    expect((await runWithLargestOrder(10, ClosedByStop)).fills.map(({ lots }) => lots)).toEqual([10, 10]);
  });
});
