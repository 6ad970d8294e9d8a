// Tests the input of the risk rules about stops: held lots, and lots with protection that is known to exist.

import { expect, test } from 'vitest';
import { barsOfRows, planFor } from '../../../../test/engine/backtestFixture.ts';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { Strategy } from '../../../index.ts';
import { prepareBacktest } from '../../backtest/run/runBacktest.ts';
import { liveFactsOf } from './riskTicker.ts';

/** Open, high, low and close of a bar at a price of 100.00, in ticks. */
const QUIET_BAR = [10_000, 10_000, 10_000, 10_000] as const;

/** Returns [held, protected] lots at the close of each bar, while a strategy takes one of `steps` at each bar. */
async function heldAndProtected({ isNet }: { isNet: boolean }, steps: readonly ((strategy: Scripted) => unknown)[]) {
  const lotsByBar: (readonly [held: number, protectedLots: number])[] = [];
  class Script extends Scripted {
    override steps = steps;
    override recordLots() {
      const facts = liveFactsOf({ engine, auditMs: () => null, clockErrorMs: () => 0 });
      lotsByBar.push([facts.heldLots(0), facts.guardedLots(0)]);
    }
  }
  const futures = { leverage: 10, isCross: true, isNet, liquidationFeePpm: 0, data: new Map() };
  const bars = barsOfRows(
    Array.from({ length: steps.length + 1 }, () => [...QUIET_BAR]),
    linearContract(),
  );
  const { engine, loop } = await prepareBacktest(planFor({ strategies: [Script], feeds: { bars }, cash: { USDT: '100000' }, futures }), {});
  loop(engine);
  return lotsByBar;
}
/** A strategy that takes the next one of its steps at each bar. */
abstract class Scripted extends Strategy {
  abstract steps: readonly ((strategy: Scripted) => unknown)[];
  #row = 0;
  override onBar() {
    this.recordLots();
    this.steps[this.#row++]?.(this);
  }
  abstract recordLots(): void;
  open = (base: number, stopLoss?: number) => this.buy({ base }, stopLoss === undefined ? {} : { stopLoss });
  openShort = (base: number) => this.sell({ base }, { tag: 'short' });
  placeTriggerOrder = (trigger: number) => this.sell(undefined, { trigger, tag: 'guard' });
  cancelAll = () => this.openOrders().forEach(({ id }) => this.cancel(id));
}
const doNothing = () => {};

test('local stops and trigger orders at the exchange protect the lots of a position', async () => {
  expect(await heldAndProtected({ isNet: true }, [(strategy) => strategy.open(10, 90), doNothing])).toEqual([
    [0, 0],
    [10, 10],
    [10, 10],
  ]);
  expect(
    await heldAndProtected({ isNet: true }, [
      (strategy) => strategy.open(10),
      (strategy) => strategy.placeTriggerOrder(90),
      (strategy) => strategy.cancelAll(),
      doNothing,
    ]),
  ).toEqual([
    [0, 0],
    [10, 0],
    [10, 10],
    [10, 0],
    [10, 0],
  ]);
});

test('a long and a short of one contract both count as held lots', async () => {
  expect(
    await heldAndProtected({ isNet: false }, [(strategy) => strategy.open(10), (strategy) => strategy.openShort(10), doNothing]),
  ).toEqual([
    [0, 0],
    [10, 0],
    [20, 0],
    [20, 0],
  ]);
});
