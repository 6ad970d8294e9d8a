// Tests `target` to zero and beyond: stops and targets of the old side are cancelled first, then the new side is sized.

import { describe, expect, it } from 'vitest';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy, type OrderOptions, type Size } from '../../src/index.ts';
import type { Side } from '../../src/model/order.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import {
  NO_CONTRACT_FEES,
  barsOfRows,
  fillRows,
  orderRows,
  planFor,
  run as runOnSpot,
  type PlanOptions,
  type PriceRow,
} from './backtestFixture.ts';

const contract = linearContract(NO_CONTRACT_FEES);
const quiet = (rows: number): readonly PriceRow[] => Array.from({ length: rows }, () => [10_000, 10_000, 10_000, 10_000]);
/** Returns the price of a number of ticks. */
const priceOf = (ticks: number): number => ticks / 10 ** contract.priceDigits;

/** A strategy whose protected actions are public. */
class Scripted extends Strategy {
  row = 0;
  targetBase = (base: number) => this.target({ base });
  placeOrder = (side: Side, size?: Size, options?: OrderOptions) => (side === 'buy' ? this.buy(size, options) : this.sell(size, options));
  cancelTag = (name: string) => this.openOrders().forEach(({ id, tag }) => tag === name && this.cancel(id));
  cancelAll = () => this.openOrders().forEach(({ id }) => this.cancel(id));
}
/** The actions of a strategy, by the number of the row from 0. */
type Script = Readonly<Record<number, (strategy: Scripted) => void>>;
/** Returns a strategy that does the steps of a script, one a row. */
function scriptedStrategy(script: Script) {
  return class extends Scripted {
    override onBar() {
      script[this.row++]?.(this);
    }
  };
}

/** Options of a plan, and the position mode of its account. */
interface RunOptions extends Partial<PlanOptions> {
  readonly positions?: 'net' | 'twoWay';
}
/**
 * Runs a script on a contract. 10 contracts need a margin of 1 USDT at a leverage of 10, so the cash of 2.5 is enough for 20 contracts, but not for 30.
 */
async function runOnContract(rows: readonly PriceRow[], script: Script, { positions = 'net', ...options }: RunOptions = {}) {
  const futures = { leverage: 10, isCross: true, isNet: positions === 'net', liquidationFeePpm: 0, data: new Map() };
  const plan = planFor({
    strategies: [scriptedStrategy(script)],
    feeds: { bars: barsOfRows(rows, contract) },
    cash: { USDT: '2.5' },
    futures,
    ...options,
  });
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.checkBooks();
  const record = runRecordOf(plan, prepared, false);
  return { orders: orderRows(record), fills: fillRows(record), engine: prepared.engine };
}

const enterLong = (strategy: Scripted): void => void strategy.placeOrder('buy', { base: 10 });
const placeStop = (strategy: Scripted): void =>
  void strategy.placeOrder('sell', undefined, { trigger: priceOf(9000), reduceOnly: true, tag: 'stop' });

describe.each([0, 300, 20_000, 90_000])('target through zero, latency %i ms', (latencyMs) => {
  const withLatency = { fills: { latencyMs } };

  it.each<[string, Script]>([
    ['a stop at the exchange', { 0: enterLong, 4: placeStop }],
    ['a stop of a bracket', { 0: (strategy) => strategy.placeOrder('buy', { base: 10 }, { stopLoss: priceOf(9000) }) }],
    ['a target of a bracket', { 0: (strategy) => strategy.placeOrder('buy', { base: 10 }, { takeProfit: priceOf(11_000) }) }],
    [
      'both of a bracket',
      { 0: (strategy) => strategy.placeOrder('buy', { base: 10 }, { stopLoss: priceOf(9000), takeProfit: priceOf(11_000) }) },
    ],
  ])('a target below zero reverses a long that %s guards', async (_, script) => {
    const { orders, engine } = await runOnContract(quiet(20), { ...script, 8: (strategy) => strategy.targetBase(-10) }, withLatency);
    expect(orders.filter(({ code }) => code !== '')).toEqual([]);
    expect(engine.ledger.lots(0, 0)).toBe(-10);
    expect(engine.brackets.total).toBe(0);
    expect(engine.orders.active()).toEqual([]);
  });

  it('the stop of the new side of a reversal may have the tag of the old stop', async () => {
    const reverseAndProtect: Script = {
      0: enterLong,
      4: placeStop,
      8: (strategy) => void strategy.targetBase(-10),
      14: (strategy) => void strategy.placeOrder('buy', undefined, { trigger: priceOf(11_000), reduceOnly: true, tag: 'stop' }),
    };
    const { orders, engine } = await runOnContract(quiet(22), reverseAndProtect, withLatency);
    expect(orders.filter(({ code }) => code !== '')).toEqual([]);
    expect(engine.orders.active().map(({ slot, side, lots }) => [slot, side, lots])).toEqual([['stop', 'buy', 10]]);
  });

  it('a target of zero closes a position whose stop waits at the exchange', async () => {
    const { engine, orders } = await runOnContract(
      quiet(20),
      { 0: enterLong, 4: placeStop, 8: (strategy) => strategy.targetBase(0) },
      withLatency,
    );
    expect(engine.ledger.isFlat(0, 0)).toBe(true);
    expect(orders.filter(({ code }) => code !== '')).toEqual([]);
  });

  it('a reversal closes the old side when risk denies the new one', async () => {
    const { engine, orders } = await runOnContract(
      quiet(20),
      { 0: enterLong, 4: placeStop, 8: (strategy) => strategy.targetBase(-80) },
      withLatency,
    );
    expect(orders.map(({ code }) => code).filter((code) => code !== '')).toEqual(['MARGIN']);
    expect(engine.ledger.isFlat(0, 0)).toBe(true);
  });
});

describe('a reversal that waits for the cancel of a stop', () => {
  const withLatency = { fills: { latencyMs: 90_000 } };

  it('a reversal that waits for the cancel of a stop sells what is still needed when the stop has filled meanwhile', async () => {
    // The cancel is sent at the close of row 8, and acts after row 9. That row triggers the stop.
    const falls: readonly PriceRow[] = [
      ...quiet(9),
      [10_000, 10_000, 8990, 9000],
      ...Array.from({ length: 10 }, () => [9000, 9000, 9000, 9000] as const),
    ];
    const { orders, engine } = await runOnContract(
      falls,
      { 0: enterLong, 4: placeStop, 8: (strategy) => strategy.targetBase(-10) },
      withLatency,
    );
    expect(engine.ledger.lots(0, 0)).toBe(-10);
    expect(orders.map(({ ending, lots }) => [ending, lots])).toEqual([['filled', 10], ['filled', 10], ['filled', 10]]); // prettier-ignore
  });

  it('a reversal that waits for the cancel of a stop follows the newest target', async () => {
    const script: Script = {
      0: enterLong,
      4: placeStop,
      8: (strategy) => strategy.targetBase(-10),
      9: (strategy) => strategy.targetBase(-5),
    };
    const { engine } = await runOnContract(quiet(24), script, withLatency);
    expect(engine.ledger.lots(0, 0)).toBe(-5);
  });

  it('a reversal that is requested again while it waits does not change', async () => {
    const script: Script = {
      0: enterLong,
      4: placeStop,
      8: (strategy) => strategy.targetBase(-10),
      9: (strategy) => strategy.targetBase(-10),
    };
    const { orders } = await runOnContract(quiet(24), script, withLatency);
    expect(orders).toHaveLength(3);
  });

  it('in two-way mode a target of zero closes a position whose stop waits at the exchange', async () => {
    const { engine } = await runOnContract(
      quiet(24),
      { 0: enterLong, 4: placeStop, 8: (strategy) => strategy.targetBase(0) },
      { ...withLatency, positions: 'twoWay' },
    );
    expect(engine.ledger.isFlat(0, 0)).toBe(true);
  });
});

it.each([0, 20_000])('a target of zero coins closes the position although a bracket has a target, latency %i', async (latencyMs) => {
  const buyThenTargetZero = scriptedStrategy({
    0: (strategy) => void strategy.placeOrder('buy', { base: '0.1' }, { takeProfit: 110, stopLoss: 90 }),
    4: (strategy) => strategy.targetBase(0),
  });
  const { record, engine } = await runOnSpot({
    strategies: [buyThenTargetZero],
    feeds: { bars: barsOfRows(quiet(12)) },
    fees: { makerPpm: 0, takerPpm: 0 },
    fills: { latencyMs },
  });
  expect(engine.ledger.isFlat(0, 0)).toBe(true);
  expect(engine.brackets.total).toBe(0);
  expect(orderRows(record).map(({ role, ending }) => [role, ending])).toEqual([
    ['market', 'filled'],
    ['takeProfit', 'canceled'],
    ['market', 'filled'],
  ]);
});

describe('a reversal that does not fill', () => {
  const gap: readonly PriceRow[] = [...quiet(9), ...Array.from({ length: 11 }, (): PriceRow => [9500, 9500, 9500, 9500])];
  const guarded: Script = { 0: (strategy) => strategy.placeOrder('buy', { base: 10 }, { stopLoss: priceOf(9000) }) };

  it('a reversal that cannot fill because the row opens beyond its collar is followed by an exit, because its stop is cancelled', async () => {
    const { orders, engine, fills } = await runOnContract(gap, { ...guarded, 8: (strategy) => strategy.targetBase(-10) });
    expect(orders.map(({ role, ending }) => [role, ending])).toEqual([
      ['market', 'filled'],
      ['market', 'canceled'],
      ['market', 'filled'],
    ]);
    expect(fills.at(-1)).toMatchObject({ side: 'sell', lots: 10, price: 9500 });
    expect(engine.ledger.lots(0, 0)).toBe(0);
    expect(engine.followUps).toBe(0);
  });

  it('with latency and a stop at the exchange, a reversal that does not fill is followed by an exit too', async () => {
    const fall: readonly PriceRow[] = [...quiet(11), ...gap.slice(9)];
    const { engine } = await runOnContract(
      fall,
      { 0: enterLong, 4: placeStop, 8: (strategy) => strategy.targetBase(-10) },
      { fills: { latencyMs: 90_000 } },
    );
    expect(engine.ledger.lots(0, 0)).toBe(0);
    expect(engine.orders.active()).toEqual([]);
    expect(engine.followUps).toBe(0);
  });

  it('a reversal that the strategy cancels leaves the old side to the strategy', async () => {
    const { engine } = await runOnContract(
      gap,
      { ...guarded, 8: (strategy) => (strategy.targetBase(-10), strategy.cancelAll()) },
      { fills: { latencyMs: 90_000 } },
    );
    expect(engine.ledger.lots(0, 0)).toBe(10);
    expect(engine.followUps).toBe(0);
  });

  it.each([0, 300, 20_000, 90_000])(
    'the exit after a denied reversal withdraws a replacement that was to be sent at the same time, latency %i ms',
    async (latencyMs) => {
      const placeRung = (strategy: Scripted, limit: number) =>
        strategy.placeOrder('buy', { base: 2 }, { limit: priceOf(limit), tag: 'rung' });
      const replaceAndReverse = (strategy: Scripted): void => {
        strategy.cancelTag('rung');
        placeRung(strategy, 9400);
        strategy.targetBase(-80);
      };
      const script: Script = { 0: enterLong, 4: (strategy) => (placeStop(strategy), placeRung(strategy, 9500)), 8: replaceAndReverse };
      const { orders, engine } = await runOnContract(quiet(24), script, { cash: { USDT: '2.8' }, fills: { latencyMs } });
      expect(orders.filter(({ code }) => code !== '').map(({ code }) => code)).toEqual(['MARGIN']);
      expect(engine.ledger.isFlat(0, 0)).toBe(true);
      expect(engine.orders.active()).toEqual([]);
      expect(engine.followUps).toBe(0);
    },
  );

  it('a reversal that has cancelled no stop and does not fill leaves the position as it is', async () => {
    const { engine } = await runOnContract(gap, { 0: enterLong, 8: (strategy) => strategy.targetBase(-10) });
    expect(engine.ledger.lots(0, 0)).toBe(10);
  });

  it('a reversal that fills leaves nothing for a later exit to close', async () => {
    const { engine } = await runOnContract(quiet(20), { ...guarded, 8: (strategy) => strategy.targetBase(-10) });
    expect(engine.ledger.lots(0, 0)).toBe(-10);
    expect(engine.followUps).toBe(0);
  });
});
