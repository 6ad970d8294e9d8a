// Tests drafts that wait for another draft: a purchase of a rebalance for a reversal that itself waits for the cancel of a stop.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { HaltActions } from '../../src/engine/router/haltActions.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, orderRows, planFor } from './backtestFixture.ts';

const contracts = ['AAA', 'BBB'].map((base) =>
  linearContract({}, { base, id: `futures:E-${base}-USDT` as never, wireName: `E-${base}-USDT` }),
);
const quietRows = Array.from({ length: 20 }, () => [10_000, 10_000, 10_000, 10_000] as const);
const STOP_PRICE = 900;

/** Holds a contract with a stop at the exchange, then reverses it and buys the other contract. */
class ReversesByRebalance extends Strategy {
  allFeeds = this.feeds('all');
  row = 0;
  override onBar() {
    const [first] = this.allFeeds;
    const row = this.row++;
    if (row === 0) this.buy({ base: 100 }, { feed: first! });
    if (row === 4) this.sell({ base: 100 }, { feed: first!, trigger: STOP_PRICE, tag: 'stop' });
    if (row === 8) this.rebalance({ 'E-AAA-USDT': -0.1, 'E-BBB-USDT': 0.1 });
  }
}

test('when all drafts are withdrawn at once, none is sent, although some wait only for another draft', async () => {
  const futures = { leverage: 1, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
  const plan = planFor({
    strategies: [ReversesByRebalance],
    feeds: { all: contracts.map((contract) => barsOfRows(quietRows, contract)) },
    cash: { USDT: '100000' },
    futures,
    fills: { latencyMs: 90_000 },
  });
  const prepared = await prepareBacktest(plan, {});
  const { engine } = prepared;
  let waitingCount = 0;
  // Withdraws all drafts as a live bot does when it stops. The cancel of the trigger order has not arrived yet.
  engine.queue.at(plan.fromMs + 9.5 * 60_000, () => {
    waitingCount = engine.orders.drafts.waiting.length;
    engine.haltActions = new HaltActions(engine);
    engine.drafts.withdrawAll(() => true);
    engine.haltActions = null;
  });
  prepared.loop(engine);
  prepared.checkBooks();
  expect(waitingCount).toBe(3);
  const orders = orderRows(runRecordOf(plan, prepared, false));
  expect(orders.map(({ side, role, ending, filled }) => [side, role, ending, filled])).toEqual([
    ['buy', 'market', 'filled', 100],
    ['sell', 'stopLoss', 'canceled', 0],
    ['sell', 'market', 'canceled', 0],
    ['sell', 'market', 'canceled', 0],
    ['buy', 'market', 'canceled', 0],
    // The stop that was cancelled for the reversal is placed again.
    ['sell', 'stopLoss', 'open', 0],
  ]);
  expect(engine.followUps).toBe(0);
});
