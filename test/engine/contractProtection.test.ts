// Tests stops of contracts that wait at the exchange, and brackets of both sides: they come back when the closing order has not closed.

import { describe, expect, it } from 'vitest';
import { Strategy, type OrderOptions, type Size } from '../../src/index.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, fillRows, orderRows, planFor } from './world.ts';

type Rows = Parameters<typeof barsOfRows>[0];
const FREE = { openMakerFeePpm: 0, openTakerFeePpm: 0, closeMakerFeePpm: 0, closeTakerFeePpm: 0 };
const contract = linearContract(FREE);
const priceOf = (ticks: number): number => ticks / 10 ** contract.priceDigits;
const row = (volume: number, low = 9990): Rows[number] => [10_000, 10_010, low, low < 9990 ? low : 10_000, volume];
const quiet = (rows: number): Rows => Array.from({ length: rows }, () => row(1000));

/** Lets a script act for a strategy. */
class Scripted extends Strategy {
  row = 0;
  place = (isBuy: boolean, size?: Size, options?: OrderOptions) => void (isBuy ? this.buy(size, options) : this.sell(size, options));
  stopAt = (ticks: number) => this.place(false, undefined, { trigger: priceOf(ticks), reduceOnly: true, tag: 'stop' });
  leave = () => void this.exit();
  goTo = (base: number) => void this.target({ base });
  cancelTag = (name: string) => this.openOrders().forEach(({ id, tag }) => tag === name && this.cancel(id));
}
type Script = Readonly<Record<number, (strategy: Scripted) => void>>;
const scripted = (script: Script) =>
  class extends Scripted {
    override onBar() {
      script[this.row++]?.(this);
    }
  };

/** Runs a script in which fills take at most a tenth of the volume of a row. */
async function runScript(rows: Rows, script: Script, isNet = true) {
  const futures = { leverage: 10, isCross: true, isNet, liquidationFeePpm: 0, data: new Map() };
  const fills = { maxVolumeSharePpm: 100_000 };
  const plan = planFor({
    strategies: [scripted(script)],
    feeds: { bars: barsOfRows(rows, contract) },
    cash: { USDT: '1000' },
    futures,
    fills,
  });
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.checkBooks();
  const record = runRecordOf(plan, prepared, false);
  return { orders: orderRows(record), fills: fillRows(record), engine: prepared.engine };
}

const enterLong = (strategy: Scripted): void => strategy.place(true, { base: 10 });
/** Row 6 has the volume for 4 lots. */
const THIN: Rows = [...quiet(6), row(0.04), ...quiet(4)];

describe('a stop that waits at the exchange', () => {
  const entryAndStop: Script = { 0: enterLong, 2: (strategy) => strategy.stopAt(9500) };

  it('is placed again, for what the exit has left', async () => {
    const { orders, fills } = await runScript([...THIN, row(1000, 9400), ...quiet(1)], {
      ...entryAndStop,
      5: (strategy) => strategy.leave(),
    });
    expect(orders.map(({ role, lots, ending, filled }) => [role, lots, ending, filled])).toEqual([
      ['market', 10, 'filled', 10],
      ['stopLoss', 10, 'canceled', 0],
      ['market', 10, 'canceled', 4],
      ['stopLoss', 6, 'filled', 6],
    ]);
    expect(fills.map(({ price, lots }) => [price, lots])).toEqual([[10_000, 10], [10_000, 4], [9500, 6]]); // prettier-ignore
  });

  it('is placed again when a target of zero is capped, and the exit that follows it too', async () => {
    const rows: Rows = [...quiet(6), row(0.04), row(0.02), ...quiet(3)];
    const { orders, engine } = await runScript(rows, { ...entryAndStop, 5: (strategy) => strategy.goTo(0) });
    expect(orders.map(({ role, ending, filled }) => [role, ending, filled])).toEqual([
      ['market', 'filled', 10],
      ['stopLoss', 'canceled', 0],
      ['market', 'canceled', 4],
      ['market', 'canceled', 2],
      ['stopLoss', 'open', 0],
    ]);
    expect(engine.orders.active().map(({ lots, triggerTicks, slot }) => [lots, triggerTicks, slot])).toEqual([[4, 9500, 'stop']]);
  });

  it('is not placed again once the position is closed', async () => {
    const { engine } = await runScript(quiet(12), { ...entryAndStop, 5: (strategy) => strategy.leave() });
    expect([engine.orders.active(), engine.brackets.aside.count, engine.followUps]).toEqual([[], 0, 0]);
  });

  it('is not placed again where the strategy has cancelled it', async () => {
    const { orders } = await runScript(THIN, {
      ...entryAndStop,
      5: (strategy) => (strategy.cancelTag('stop'), strategy.leave()),
    });
    expect(orders.map(({ role }) => role)).toEqual(['market', 'stopLoss', 'market']);
  });
});

describe('stops of two sides', () => {
  it('in two-way mode only the side that an exit has not closed gets its stop back', async () => {
    const script: Script = {
      0: (strategy) => strategy.place(true, { base: 3 }, { stopLoss: priceOf(9000), tag: 'long' }),
      1: (strategy) => strategy.place(false, { base: 10 }, { stopLoss: priceOf(11_000), tag: 'short' }),
      5: (strategy) => strategy.leave(),
    };
    const { engine } = await runScript(THIN, script, false);
    expect(engine.ledger.closable(0, 0, true, true)).toBeGreaterThan(0);
    expect(engine.brackets.list(0).map(({ isLong, lots, stop }) => [isLong, lots, stop])).toEqual([
      [false, engine.ledger.closable(0, 0, true, true), 11_000],
    ]);
  });

  it('a reversal leaves no stop of the old side behind', async () => {
    const script: Script = {
      0: (strategy) => strategy.place(true, { base: 10 }, { stopLoss: priceOf(9000) }),
      5: (strategy) => strategy.place(false, { base: 20 }, { tag: 'through zero' }),
      7: (strategy) => strategy.place(true, { base: 15 }, { tag: 'back' }),
    };
    const { engine } = await runScript(quiet(12), script);
    expect([engine.ledger.lots(0, 0), engine.brackets.total]).toEqual([5, 0]);
  });
});
