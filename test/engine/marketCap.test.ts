// Tests positions that are larger than the largest market order of the exchange: they can be closed, stopped and protected.

import { describe, expect, it } from 'vitest';
import type { FuturesPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy, type StrategyClass } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, fillRows, orderRows, planFor } from './world.ts';

const quiet = (price: number) => [price, price, price, price] as const;
const TERMS: FuturesPlan = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
const fees = { openMakerFeePpm: 0, openTakerFeePpm: 0, closeMakerFeePpm: 0, closeTakerFeePpm: 0 };

/** Runs a strategy on a contract with a largest market order. */
async function run(strategy: StrategyClass, rows: Parameters<typeof barsOfRows>[0], maxMarketLots: number) {
  const bars = barsOfRows(rows, linearContract({ ...fees, maxMarketLots }));
  const plan = planFor({
    strategies: [strategy],
    feeds: { bars },
    cash: { USDT: '100000' },
    futures: TERMS,
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

/** Enters at the first row and leaves at the third. */
abstract class LongStrategy extends Strategy {
  row = 0;
  override onBar() {
    if (this.row++ === 0) this.enter();
    else if (this.row === 3) this.leave();
  }
  enter() {
    this.buy({ base: 10 });
  }
  leave() {}
}
/** Leaves by `exit`. */
class Exits extends LongStrategy {
  override leave() {
    this.exit();
  }
}
/** Leaves by a reduce-only sale. */
class Sells extends LongStrategy {
  override leave() {
    this.sell({ base: 10 }, { reduceOnly: true });
  }
}
/** Leaves by a target of zero. */
class Targets extends LongStrategy {
  override leave() {
    this.target({ base: 0 });
  }
}
/** Leaves by a trigger order. */
class Stops extends LongStrategy {
  override leave() {
    this.sell(undefined, { trigger: 980 });
  }
}
/** Leaves by the stop of its bracket. */
class Guards extends LongStrategy {
  override enter() {
    this.buy({ base: 10 }, { stopLoss: 980 });
  }
}

describe('a position of 10 contracts, with at most 4 in a market order', () => {
  const rows = [quiet(10_000), quiet(10_000), quiet(10_000), [10_000, 10_000, 9700, 9750], quiet(9750)] as const;
  it.each([
    ['exit', Exits],
    ['a sell that only reduces', Sells],
    ['a target of nothing', Targets],
    ['a trigger order', Stops],
    ['the stop of a bracket', Guards],
  ])(
    'a position of 10 contracts, with at most 4 in a market order: %s closes all of it, at the price of a market order',
    async (_, strategy) => {
      const capped = await run(strategy, rows, 4);
      const free = await run(strategy, rows, 0);
      expect([capped.remainingLots, free.remainingLots]).toEqual([0, 0]);
      expect(capped.orders.every(({ ending }) => ending === 'filled')).toBe(true);
      expect(new Set(capped.fills.map(({ price }) => price))).toEqual(new Set(free.fills.map(({ price }) => price)));
    },
  );
  it('no market order is larger than the largest that the exchange accepts', async () => {
    expect((await run(Guards, rows, 4)).fills.map(({ lots }) => lots)).toEqual([10, 4, 4, 2]);
    expect((await run(Guards, rows, 10)).fills.map(({ lots }) => lots)).toEqual([10, 10]);
  });
});
