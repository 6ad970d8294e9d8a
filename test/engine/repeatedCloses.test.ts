// Tests closing orders that replace a lost one: they differ from it by a tick, not by a lot, so that they close the whole position.

import { describe, expect, it } from 'vitest';
import type { ReplayFault } from '../../src/adapters/replay/replayExchange.ts';
import { Strategy, type OrderOptions } from '../../src/index.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import type { Order } from '../../src/model/order.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { NO_CONTRACT_FEES, barsOfRows, fillRows, orderRows, planFor, type PlanOptions, type PriceRow } from './backtestFixture.ts';

const contract = linearContract(NO_CONTRACT_FEES);
const FUTURES = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
const QUIET: PriceRow = [10_000, 10_000, 10_000, 10_000];

const quietRows = (count: number): PriceRow[] => Array.from({ length: count }, () => QUIET);
const quietBars = (count: number) => barsOfRows(quietRows(count), contract);

/** Runs a plan whose requests have these faults. */
async function recordOf(options: PlanOptions, faultOf: (order: Order) => ReplayFault): Promise<RunRecord> {
  const plan = planFor(options);
  const prepared = await prepareBacktest(plan, { faultOf });
  prepared.loop(prepared.engine);
  return runRecordOf(plan, prepared, false);
}
/** Returns the filled lots of a plan whose requests have these faults. */
const filledLots = async (...run: Parameters<typeof recordOf>) => fillRows(await recordOf(...run)).map(({ lots }) => lots);

/** A position whose stop was lost. */
interface LostTriggerCase {
  readonly isLong: boolean;
  readonly trigger: number;
  readonly rows?: readonly PriceRow[];
  /** Number of lost create requests, counted from the first. */
  readonly lost: number;
}

/**
 * Runs a strategy that enters at the first bar and places the same trigger order at each later bar until one waits. Returns the orders that
 * were sent, and the fills after the entry. A lost order keeps its reservation for half an hour, so the orders of that time are denied.
 */
async function runRepeatedTrigger({ isLong, trigger, rows = [], lost }: LostTriggerCase, options: OrderOptions = {}) {
  class RepeatedTrigger extends Strategy {
    row = 0;
    override onBar() {
      const row = this.row++;
      const placeOrder = (isBuy: boolean, more?: OrderOptions) => (isBuy ? this.buy({ base: 10 }, more) : this.sell({ base: 10 }, more));
      if (row === 0) placeOrder(isLong);
      if (row > 0 && row < 90 && this.openOrders().length === 0)
        placeOrder(!isLong, { trigger: trigger / 10 ** contract.priceDigits, tag: `stop ${row}`, ...options });
    }
  }
  const feeds = { bars: barsOfRows([...quietRows(100), ...rows], contract) };
  let sentCount = 0;
  const faultOf = ({ triggerTicks }: Order): ReplayFault => ((triggerTicks ?? 0) > 0 && ++sentCount <= lost ? 'lostRequest' : 'none');
  const record = await recordOf({ strategies: [RepeatedTrigger], feeds, cash: { USDT: '100000' }, futures: FUTURES }, faultOf);
  const fills = fillRows(record).map(({ side, lots, price }) => [side, lots, price]);
  return {
    placed: orderRows(record)
      .filter(({ ending }, index) => index > 0 && ending !== 'denied')
      .map(({ lots, limit, ending }) => [lots, limit, ending]),
    fills: fills.slice(1),
  };
}

describe('a trigger order that closes and is placed again', () => {
  it.each([
    ['a stop of a long: higher', { isLong: true, trigger: 9800, lost: 1 }, [9800, 9801]],
    ['a stop of a long, lost twice: higher each time', { isLong: true, trigger: 9800, lost: 2 }, [9800, 9801, 9802]],
    ['a stop of a short: lower', { isLong: false, trigger: 10_200, lost: 1 }, [10_200, 10_199]],
    ['a target of a long: lower', { isLong: true, trigger: 10_200, lost: 2 }, [10_200, 10_199, 10_198]],
    ['a target of a short: higher', { isLong: false, trigger: 9800, lost: 1 }, [9800, 9801]],
    ['a stop one tick from the price: away from it', { isLong: true, trigger: 9999, lost: 2 }, [9999, 9998, 9997]],
    ['a stop two ticks from the price: first nearer, then away', { isLong: false, trigger: 10_002, lost: 2 }, [10_002, 10_001, 10_003]],
  ] as const)('a closing trigger order that replaces a lost one keeps its size and moves by a tick: %s', async (_, testCase, triggers) => {
    const { placed } = await runRepeatedTrigger(testCase);
    expect(placed).toEqual(triggers.map((ticks, index) => [10, ticks, index === triggers.length - 1 ? 'open' : 'noEffect']));
  });

  it('a trigger order that replaces a lost one closes the whole position when it fires', async () => {
    const { fills } = await runRepeatedTrigger({ isLong: true, trigger: 9800, lost: 2, rows: [[9900, 9900, 9700, 9700], QUIET] });
    expect(fills).toEqual([['sell', 10, 9802]]);
  });

  it('a trigger order that opens a position is made one lot smaller than the lost one', async () => {
    const { placed } = await runRepeatedTrigger({ isLong: true, trigger: 9800, lost: 1 }, { reduceOnly: false });
    expect(placed.map(([lots, limit]) => [lots, limit])).toEqual([[10, 9800], [9, 9800]]); // prettier-ignore
  });
});

describe('an exit that is repeated after a lost one', () => {
  it.each([
    { position: 'a long', isLong: true, lost: 1 },
    { position: 'a short', isLong: false, lost: 1 },
    { position: 'a long', isLong: true, lost: 2 },
  ])('an exit after $lost lost exits closes the whole of $position', async ({ isLong, lost }) => {
    class RepeatedExit extends Strategy {
      row = 0;
      override onBar() {
        const row = this.row++;
        if (row === 0 && isLong) this.buy({ base: 10 });
        else if (row === 0) this.sell({ base: 10 });
        // After half an hour the reservation of the lost exit has ended.
        else if (row % 40 === 1 && row <= 40 * lost + 1) this.exit();
      }
    }
    const feeds = { bars: quietBars(130) };
    let sentCount = 0;
    const faultOf = ({ reduceOnly }: Order): ReplayFault => (reduceOnly && ++sentCount <= lost ? 'lostRequest' : 'none');
    const lots = await filledLots({ strategies: [RepeatedExit], feeds, cash: { USDT: '100000' }, futures: FUTURES }, faultOf);
    expect(lots).toEqual([10, 10 - lost, lost]);
  });

  it('a repeated reduction of a part of the position is one lot smaller than the lost one', async () => {
    class Reducer extends Strategy {
      row = 0;
      override onBar() {
        const row = this.row++;
        if (row === 0) this.buy({ base: 10 });
        else if (row % 40 === 1) this.sell({ base: 5 }, { reduceOnly: true });
      }
    }
    const feeds = { bars: quietBars(60) };
    const faultOf = ({ id }: Order): ReplayFault => (id === 2 ? 'lostRequest' : 'none');
    const lots = await filledLots({ strategies: [Reducer], feeds, cash: { USDT: '100000' }, futures: FUTURES }, faultOf);
    expect(lots).toEqual([10, 4]);
  });
});
