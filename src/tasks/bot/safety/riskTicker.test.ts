// The input of the rules about stops: every position, and the protection that is known to exist.

import { expect, test } from 'vitest';
import { barsOfRows, planFor } from '../../../../test/engine/world.ts';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { Strategy } from '../../../index.ts';
import { prepareBacktest } from '../../backtest/run/runBacktest.ts';
import { liveFactsOf } from './riskTicker.ts';

/** In ticks: a price of 100. */
const QUIET = [10_000, 10_000, 10_000, 10_000] as const;

/** [held, protected] lots at the close of each bar, while a strategy does one action a bar. */
async function seen(isNet: boolean, steps: readonly ((at: Scripted) => unknown)[]) {
  const found: (readonly [number, number])[] = [];
  class Script extends Scripted {
    override steps = steps;
    override look() {
      const facts = liveFactsOf({ engine, auditMs: () => null, clockErrorMs: () => 0 });
      found.push([facts.heldLots(0), facts.guardedLots(0)]);
    }
  }
  const futures = { leverage: 10, isCross: true, isNet, liquidationFeePpm: 0, data: new Map() };
  const bars = barsOfRows(Array.from({ length: steps.length + 1 }, () => [...QUIET]), linearContract()); // prettier-ignore
  const { engine, loop } = await prepareBacktest(planFor({ strategies: [Script], feeds: { bars }, cash: { USDT: '100000' }, futures }), {});
  loop(engine);
  return found;
}
abstract class Scripted extends Strategy {
  abstract steps: readonly ((at: Scripted) => unknown)[];
  #row = 0;
  override onBar() {
    this.look();
    this.steps[this.#row++]?.(this);
  }
  abstract look(): void;
  open = (base: number, stopLoss?: number) => this.buy({ base }, stopLoss === undefined ? {} : { stopLoss });
  short = (base: number) => this.sell({ base }, { tag: 'short' });
  guard = (trigger: number) => this.sell(undefined, { trigger, tag: 'guard' });
  drop = () => this.openOrders().forEach(({ id }) => this.cancel(id));
}
const nothing = () => {};

test('stops that the bot holds, and trigger orders that stand at the exchange', async () => {
  expect(await seen(true, [(at) => at.open(10, 90), nothing])).toEqual([
    [0, 0],
    [10, 10],
    [10, 10],
  ]);
  expect(await seen(true, [(at) => at.open(10), (at) => at.guard(90), (at) => at.drop(), nothing])).toEqual([
    [0, 0],
    [10, 0],
    [10, 10],
    [10, 0],
    [10, 0],
  ]);
});

test('a long and a short of one contract do not make up for each other', async () => {
  expect(await seen(false, [(at) => at.open(10), (at) => at.short(10), nothing])).toEqual([
    [0, 0],
    [10, 0],
    [20, 0],
    [20, 0],
  ]);
});
