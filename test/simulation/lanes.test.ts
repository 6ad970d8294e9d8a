// Tests that a parameter set has the same fills, equity and figures in a run of its own and as a simulation lane of a sweep.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LaneMemory, runLanes, type SetParams } from '../../src/tasks/sweep/threads/runLanes.ts';
import { withParams } from '../../src/tasks/trials/paramKeys.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { crossedUp, int, rsi, sma, Strategy } from '../../src/index.ts';
import { buildSummary } from '../../src/report/summary/summary.ts';
import { SET_FIGURES, type SetRecord } from '../../src/report/sweep/figures/setFigures.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import { planOf } from './plans.ts';
import { StopEntryTrader, manyFeeds, CrossTrader, ManySymbolTrader, gappyFeed, WhenTrader } from './strategies.ts';

/** Runs one parameter set by itself. */
const runAlone = (plan: RunPlan, params: SetParams) => runBacktest({ ...plan, strategies: withParams(plan.strategies, params) });

/** Returns the columns of fills as plain arrays, for comparisons. */
const columnsOf = ({ fills }: Pick<SetRecord, 'fills'>) =>
  Object.fromEntries(
    Object.entries(fills).map(([name, column]) => [name, ArrayBuffer.isView(column) ? [...(column as Float64Array)] : column]),
  );

/** Parameter sets of the strategies that trade crosses of averages. */
const CROSSES = [2, 3, 5].flatMap((fast) => [8, 13].map((slow): SetParams => ({ fast, slow })));
/** Parameter sets of three strategies: keys name the class, and `#2` the second strategy of a class. */
const JOINT: readonly SetParams[] = [
  { 'OnBar.fast': 3, 'When.slow': 11 },
  { 'OnBar.fast': 6, 'OnBar#2.fast': 2, 'OnBar#2.slow': 30 },
  { 'When.fast': 2 },
];

/** Parameter sets of the strategy of several symbols. */
const SMOOTHED = [3, 7, 11].map((smoothing): SetParams => ({ smoothing }));

describe.each([0, 20_000, 90_000])('with a latency of %i ms', (latencyMs) => {
  it.each<[string, () => RunPlan, readonly SetParams[], Partial<RunPlan>]>([
    ['onBar with brackets', () => planOf(CrossTrader, [gappyFeed]), CROSSES, {}],
    ['stop entries', () => planOf(StopEntryTrader, [gappyFeed]), CROSSES, {}],
    ['when with limits and trailing stops', () => planOf(WhenTrader, [gappyFeed]), CROSSES, {}],
    ['three symbols, hours beside minutes, timers', () => planOf(ManySymbolTrader, manyFeeds), SMOOTHED, {}],
    ['three strategies on one account, two of one class', () => planOf([CrossTrader, WhenTrader, CrossTrader], [gappyFeed]), JOINT, {}],
    [
      'loss rules that watch the whole equity',
      () => planOf(CrossTrader, [gappyFeed]),
      CROSSES,
      { risk: { maxDrawdown: '0.004', maxDailyLoss: '0.003' } },
    ],
  ])('every lane equals its run alone, in groups of 1, 2 and all sets: %s', async (_, buildPlan, sets, options) => {
    const defaultPlan = buildPlan();
    const plan = { ...defaultPlan, ...options, fills: { ...defaultPlan.fills, latencyMs } };
    const runs: RunRecord[] = [];
    for (const params of sets) runs.push(await runAlone(plan, params));
    expect(runs.every(({ fills }) => fills.length > 5)).toBe(true);
    for (const groupSize of [1, 2, sets.length]) {
      for (let groupStart = 0; groupStart < sets.length; groupStart += groupSize) {
        const records = new Map<number, SetRecord>();
        const outcomes = await runLanes(plan, sets.slice(groupStart, groupStart + groupSize), {
          onRecord: (set, record) => records.set(groupStart + set, record),
        });
        outcomes.forEach(({ values, refused }, index) => {
          const run = runs[groupStart + index]!;
          expect(refused).toBeNull();
          expect(columnsOf(records.get(groupStart + index)!)).toEqual(columnsOf(run));
          const { metrics, trades } = buildSummary(run, { versions: {} });
          const expected = {
            ...metrics,
            winRate: trades.winRate,
            profitFactor: trades.profitFactor,
            trades: trades.trades,
            days: metrics.dailyReturns.length,
          };
          expect([...values]).toEqual(SET_FIGURES.map((name) => expected[name] ?? NaN));
        });
      }
    }
  });
});

/** Rejects sets whose `fast` is not below `slow`. */
class RejectsSlowFast extends Strategy.with({ fast: int(2), slow: int(3, { min: 1 }) }) {
  average = this.use(sma(this.bars.close, this.params.slow));
  strength = this.use(rsi(this.bars.close, this.params.slow));
  constructor(...setup: ConstructorParameters<typeof Strategy>) {
    super(...setup);
    if (this.params.fast >= this.params.slow) throw new Error('fast is not below slow');
  }
  override onBar() {
    if (this.position().isFlat && this.strength.value < 30) this.buy();
    else if (this.strength.value > 70) this.exit();
  }
}

/** A strategy whose lanes visit different rows last, because the visits depend on the parameters. With `idles` = 1 it never buys. */
class ExitsAtEnd extends Strategy.with({ slow: int(10), idles: int(0) }) {
  /** One text for each ended lane: `slow`, the time, whether the last bar is fresh, and what the exit did. */
  static readonly ends: string[] = [];
  up = this.when(crossedUp(this.bars.close, this.use(sma(this.bars.close, this.params.slow))), () => {
    if (this.params.idles === 0 && this.position().isFlat) this.buy({ quote: '500' });
  });
  override onStop() {
    const exitResult = this.exit() === null ? 'flat' : 'leaves';
    ExitsAtEnd.ends.push(`${this.params.slow} ${this.nowMs} ${this.bars.fresh} ${exitResult}`);
  }
}

describe('the end of a run', () => {
  it.each([0, 1, 90_000])(
    'a run ends at the close of the last bar in every lane, and orders may still be sent, with a latency of %i ms',
    async (latencyMs) => {
      // With several feeds the engine visits only instants at which something happens, so the last visited one differs by lane.
      const plan = planOf(ExitsAtEnd, manyFeeds, { fills: { latencyMs } });
      const { closeMs, length } = manyFeeds[0]!.bars;
      const sets = [300, 4, 700, 9].map((slow): SetParams => ({ slow, idles: slow > 99 ? 1 : 0 }));
      ExitsAtEnd.ends.length = 0;
      for (const params of sets) await runAlone(plan, params);
      const endsAlone = ExitsAtEnd.ends.splice(0);
      expect(endsAlone.every((end) => end.includes(` ${closeMs[length - 1]!} true `))).toBe(true);
      expect(endsAlone.filter((end) => end.endsWith('leaves')).length).toBeGreaterThan(0);
      for (const order of [sets, sets.toReversed()]) {
        await runLanes(plan, order);
        expect(ExitsAtEnd.ends.splice(0).toSorted()).toEqual(endsAlone.toSorted());
      }
    },
  );
});

/** Counts its instances that are running. It rejects the parameter value 13. */
class CountsInstances extends Strategy.with({ slow: int(10) }) {
  static openCount = 0;
  static maxOpenCount = 0;
  up = this.when(crossedUp(this.bars.close, this.use(sma(this.bars.close, this.params.slow))), () => {
    if (this.position().isFlat)
      this.buy({ quote: '900' }, { stopLoss: this.bars.close.value * 0.99, takeProfit: this.bars.close.value * 1.01 });
  });
  constructor(...setup: ConstructorParameters<typeof Strategy>) {
    super(...setup);
    if (this.params.slow === 13) throw new Error('not thirteen');
    CountsInstances.maxOpenCount = Math.max(CountsInstances.maxOpenCount, ++CountsInstances.openCount);
  }
  override onStop() {
    CountsInstances.openCount--;
  }
}

describe('memory', () => {
  const sets = [3, 5, 8, 13, 21, 34].map((slow): SetParams => ({ slow }));
  const plan = planOf(CountsInstances, [gappyFeed], { risk: { maxDrawdown: '0.004', maxDailyLoss: '0.003' } });
  const NUMBER_BYTES = 8;
  const BLOCK_ROWS = 256;
  /** Memory of one column of a lane. */
  const columnBytes = plan.feeds[0]!.bars.length * NUMBER_BYTES;

  it('the memory of lanes changes only the number of sets that run together', async () => {
    const allOutcomes = await runLanes(plan, sets);
    expect(allOutcomes.map(({ refused }) => refused !== null)).toEqual([false, false, false, true, false, false]);
    const REJECTED_SET = 3;
    // One memory for all groups, as in a thread of a sweep. An earlier group must not affect a later one.
    const memory = new LaneMemory();
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 1 }),
        fc.integer({ min: 0, max: 7 }),
        fc.constantFrom(1, 9, 1024),
        async (order, jointSets, blockRows) => {
          CountsInstances.maxOpenCount = CountsInstances.openCount = 0;
          const outcomes = await runLanes(plan, order.map((index) => sets[index]!), { memory, laneBytes: jointSets * columnBytes, blockRows }); // prettier-ignore
          expect(outcomes).toEqual(order.map((index) => allOutcomes[index]));
          const runCount = order.filter((index) => index !== REJECTED_SET).length;
          expect(CountsInstances.maxOpenCount).toBe(Math.min(runCount, Math.max(1, jointSets)));
          expect(CountsInstances.openCount).toBe(0);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('a lane without loss rules needs memory for a block of several symbols, and hardly any for one symbol', async () => {
    const maxJointLanes = async (memoryPlan: RunPlan, laneBytes: number) => {
      CountsInstances.maxOpenCount = CountsInstances.openCount = 0;
      await runLanes({ ...memoryPlan, risk: {} }, sets, { laneBytes, blockRows: BLOCK_ROWS });
      return CountsInstances.maxOpenCount;
    };
    const secondFeed = manyFeeds.find(({ bars }) => bars.instrument.wireName === 'BBBUSDT')!;
    const twoFeedPlan = planOf(CountsInstances, [gappyFeed, { ...secondFeed, name: 'other' }]);
    expect(await maxJointLanes(plan, 5 * NUMBER_BYTES)).toBe(5);
    // For two lanes: two columns (times and equity), with a row for each of the two feeds in the block.
    expect(await maxJointLanes(twoFeedPlan, 2 * 2 * 2 * BLOCK_ROWS * NUMBER_BYTES)).toBe(2);
  });
});

describe('a group', () => {
  it('a group of lanes runs the other sets when the strategy rejects one', async () => {
    const plan = planOf(RejectsSlowFast, [gappyFeed]);
    const [first, refused, outOfRange, last] = await runLanes(plan, [
      { fast: 2, slow: 5 },
      { fast: 9, slow: 5 },
      { fast: 2, slow: 0 },
      { fast: 2, slow: 14 },
    ]);
    expect(refused).toEqual({ values: new Float64Array(SET_FIGURES.length).fill(NaN), refused: 'fast is not below slow' });
    expect(outOfRange!.refused).toMatch(/slow/);
    for (const [outcome, slow] of [[first, 5], [last, 14]] as const) {
      const { metrics } = buildSummary(await runAlone(plan, { slow }), { versions: {} });
      expect(outcome!.values[0]).toBe(metrics.sharpe);
    }
  }); // prettier-ignore

  it('a group of lanes fails with an error that names the strategy that threw', async () => {
    class Throws extends Strategy.with({ failingBar: int(5) }) {
      barCount = 0;
      override onBar() {
        if (++this.barCount === this.params.failingBar) throw new Error('no more');
      }
    }
    const neverFails = { failingBar: 1e9 };
    const fails = { failingBar: 1700 };
    await expect(runLanes(planOf(Throws, [gappyFeed]), [neverFails, fails])).rejects.toThrow(/Throws threw at .*no more/);
  });
});
