// Tests execution-only feeds: orders fill inside a coarse bar as with a visible fine feed, and the strategy does not see them.

import { expect, it } from 'vitest';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { crossedDown, crossedUp, sma, Strategy } from '../../src/index.ts';
import { coarser, fillRows, planFor, walkBars } from './backtestFixture.ts';

/** Trades on crossings of two averages of the only feed that it can see. */
class TradesOnCrossings extends Strategy {
  fast = this.use(sma(this.bars.close, 3));
  slow = this.use(sma(this.bars.close, 8));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    const { close } = this.bars.bar;
    if (this.position().isFlat) this.buy({ base: '0.5' }, { takeProfit: close * 1.004, stopLoss: close * 0.996 });
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.buy({ base: '0.1' }, { limit: this.bars.bar.close * 0.998, tag: 'dip' });
  });
}
/** Asks for the execution-only feed by its name. */
class AsksForFineFeed extends TradesOnCrossings {
  fine = this.feed('fine');
}

/** Runs a plan, and returns its fills as plain rows. */
async function fillsOf(plan: RunPlan) {
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.checkBooks();
  return fillRows(runRecordOf(plan, prepared, false));
}

const fineBars = walkBars({ rows: 3000, missing: 0.02, step: 40, seed: 4 });
const coarseBars = coarser(fineBars, '15m');
/** Returns a plan whose fine feed only fills orders. */
const planWithExecutionOnlyFeed = (blockRows: number): RunPlan => {
  const plan = planFor({ strategies: [TradesOnCrossings], feeds: { bars: coarseBars, fine: fineBars }, blockRows });
  return { ...plan, feeds: plan.feeds.map((feed) => ({ ...feed, isExecutionOnly: feed.name === 'fine' })) };
};

it('fills of an execution-only feed equal those of a run that names the finer feed, at any block size', async () => {
  const fillsOfNamedFeed = await fillsOf(planFor({ strategies: [TradesOnCrossings], feeds: { bars: coarseBars, fine: fineBars } }));
  expect(fillsOfNamedFeed.length).toBeGreaterThan(10);
  for (const blockRows of [1, 7, 512]) expect(await fillsOf(planWithExecutionOnlyFeed(blockRows))).toEqual(fillsOfNamedFeed);
  // Coarse bars alone do not show which leg of a bracket came first.
  expect(await fillsOf(planFor({ strategies: [TradesOnCrossings], feeds: { bars: coarseBars } }))).not.toEqual(fillsOfNamedFeed);
});

it('a strategy cannot ask for an execution-only feed', async () => {
  const plan = {
    ...planWithExecutionOnlyFeed(512),
    strategies: planFor({ strategies: [AsksForFineFeed], feeds: { bars: coarseBars } }).strategies,
  };
  await expect(prepareBacktest(plan, {})).rejects.toThrow('the run has no feed called fine');
});
