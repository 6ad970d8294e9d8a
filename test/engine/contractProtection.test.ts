// Tests that a contract position has its stop again when the order that was to close it has closed only a part, in both position modes.

import { describe, expect, it } from 'vitest';
import { Strategy, type OrderOptions, type Size } from '../../src/index.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import type { Side } from '../../src/model/order.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { NO_CONTRACT_FEES, barsOfRows, fillRows, orderRows, planFor, type PriceRow } from './backtestFixture.ts';

const contract = linearContract(NO_CONTRACT_FEES);
/** Returns a price in ticks as a strategy gives it. */
const priceOf = (ticks: number): number => ticks / 10 ** contract.priceDigits;
/** Returns a row around 10,000 ticks with this volume in coins. A `low` below 9990 is also its close. */
const row = (volume: number, low = 9990): PriceRow => [10_000, 10_010, low, low < 9990 ? low : 10_000, volume];
const quiet = (rows: number): readonly PriceRow[] => Array.from({ length: rows }, () => row(1000));

/** A strategy whose protected actions are public. */
class Scripted extends Strategy {
  row = 0;
  place = (side: Side, size?: Size, options?: OrderOptions) => void (side === 'buy' ? this.buy(size, options) : this.sell(size, options));
  /** Places a trigger order that closes a long. */
  placeStop = (ticks: number) => this.place('sell', undefined, { trigger: priceOf(ticks), reduceOnly: true, tag: 'stop' });
  exitPosition = () => void this.exit();
  targetContracts = (base: number) => void this.target({ base });
  cancelTag = (name: string) => this.openOrders().forEach(({ id, tag }) => tag === name && this.cancel(id));
}
/** The actions of a strategy, by the number of the row from 0. */
type Script = Readonly<Record<number, (strategy: Scripted) => void>>;
const scripted = (script: Script) =>
  class extends Scripted {
    override onBar() {
      script[this.row++]?.(this);
    }
  };

/** Runs a script in which fills take at most a tenth of the volume of a row. */
async function runScript(rows: readonly PriceRow[], script: Script, positions: 'net' | 'twoWay' = 'net') {
  const futures = { leverage: 10, isCross: true, isNet: positions === 'net', liquidationFeePpm: 0, data: new Map() };
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

const enterLong = (strategy: Scripted): void => strategy.place('buy', { base: 10 });
/** Row 6 has a volume of 40 lots. An order may take 4 of them. */
const THIN: readonly PriceRow[] = [...quiet(6), row(0.04), ...quiet(4)];

describe('a stop that waits at the exchange', () => {
  const entryAndStop: Script = { 0: enterLong, 2: (strategy) => strategy.placeStop(9500) };

  it('a stop is placed again for the lots that the exit has left', async () => {
    const { orders, fills } = await runScript([...THIN, row(1000, 9400), ...quiet(1)], {
      ...entryAndStop,
      5: (strategy) => strategy.exitPosition(),
    });
    expect(orders.map(({ role, lots, ending, filled }) => [role, lots, ending, filled])).toEqual([
      ['market', 10, 'filled', 10],
      ['stopLoss', 10, 'canceled', 0],
      ['market', 10, 'canceled', 4],
      ['stopLoss', 6, 'filled', 6],
    ]);
    expect(fills.map(({ price, lots }) => [price, lots])).toEqual([[10_000, 10], [10_000, 4], [9500, 6]]); // prettier-ignore
  });

  it('a stop is placed again when a target of zero and the exit after it are both capped by the volume', async () => {
    const rows: readonly PriceRow[] = [...quiet(6), row(0.04), row(0.02), ...quiet(3)];
    const { orders, engine } = await runScript(rows, { ...entryAndStop, 5: (strategy) => strategy.targetContracts(0) });
    expect(orders.map(({ role, ending, filled }) => [role, ending, filled])).toEqual([
      ['market', 'filled', 10],
      ['stopLoss', 'canceled', 0],
      ['market', 'canceled', 4],
      ['market', 'canceled', 2],
      ['stopLoss', 'open', 0],
    ]);
    expect(engine.orders.active().map(({ lots, triggerTicks, slot }) => [lots, triggerTicks, slot])).toEqual([[4, 9500, 'stop']]);
  });

  it('a stop is not placed again once the position is closed', async () => {
    const { engine } = await runScript(quiet(12), { ...entryAndStop, 5: (strategy) => strategy.exitPosition() });
    expect([engine.orders.active(), engine.brackets.aside.count, engine.followUps]).toEqual([[], 0, 0]);
  });

  it('a stop that the strategy has cancelled is not placed again', async () => {
    const { orders } = await runScript(THIN, {
      ...entryAndStop,
      5: (strategy) => {
        strategy.cancelTag('stop');
        strategy.exitPosition();
      },
    });
    expect(orders.map(({ role }) => role)).toEqual(['market', 'stopLoss', 'market']);
  });
});

describe('stops of two sides', () => {
  it('in two-way mode only the side that an exit has not closed gets its stop back', async () => {
    const script: Script = {
      0: (strategy) => strategy.place('buy', { base: 3 }, { stopLoss: priceOf(9000), tag: 'long' }),
      1: (strategy) => strategy.place('sell', { base: 10 }, { stopLoss: priceOf(11_000), tag: 'short' }),
      5: (strategy) => strategy.exitPosition(),
    };
    const { engine } = await runScript(THIN, script, 'twoWay');
    expect(engine.ledger.closable(0, 0, true, true)).toBeGreaterThan(0);
    expect(engine.brackets.list(0).map(({ isLong, lots, stopTicks }) => [isLong, lots, stopTicks])).toEqual([
      [false, engine.ledger.closable(0, 0, true, true), 11_000],
    ]);
  });

  it('a reversal leaves no stop of the old side behind', async () => {
    const script: Script = {
      0: (strategy) => strategy.place('buy', { base: 10 }, { stopLoss: priceOf(9000) }),
      5: (strategy) => strategy.place('sell', { base: 20 }, { tag: 'through zero' }),
      7: (strategy) => strategy.place('buy', { base: 15 }, { tag: 'back' }),
    };
    const { engine } = await runScript(quiet(12), script);
    expect([engine.ledger.lots(0, 0), engine.brackets.total]).toEqual([5, 0]);
  });
});
