// Tests that a parameter set has the same fills, equity and figures alone and as a lane of a sweep.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LaneMemory, runLanes, type SetParams } from '../../src/tasks/sweep/threads/lanes.ts';
import { withParams } from '../../src/tasks/trials/paramKeys.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { crossedUp, int, rsi, sma, Strategy } from '../../src/index.ts';
import { buildSummary } from '../../src/report/summary/summary.ts';
import { SET_FIGURES, type SetRecord } from '../../src/report/sweep/figures/setFigures.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import { planOf } from './plans.ts';
import { Enters, many, OnBar, Several, single, When } from './strategies.ts';

const alone = (plan: RunPlan, params: SetParams) => runBacktest({ ...plan, strategies: withParams(plan.strategies, params) });

const columnsOf = ({ fills }: Pick<SetRecord, 'fills'>) =>
  Object.fromEntries(
    Object.entries(fills).map(([name, column]) => [name, ArrayBuffer.isView(column) ? [...(column as Float64Array)] : column]),
  );

const CROSSES = [2, 3, 5].flatMap((fast) => [8, 13].map((slow): SetParams => ({ fast, slow })));
const JOINT: readonly SetParams[] = [
  { 'OnBar.fast': 3, 'When.slow': 11 },
  { 'OnBar.fast': 6, 'OnBar#2.fast': 2, 'OnBar#2.slow': 30 },
  { 'When.fast': 2 },
];
const SMOOTHED = [3, 7, 11].map((smoothing): SetParams => ({ smoothing }));

describe.each([0, 20_000, 90_000])('with a latency of %i ms', (latencyMs) => {
  it.each<[string, () => RunPlan, readonly SetParams[], Partial<RunPlan>]>([
    ['onBar with brackets', () => planOf(OnBar, [single]), CROSSES, {}],
    ['stop entries', () => planOf(Enters, [single]), CROSSES, {}],
    ['when with limits and trailing stops', () => planOf(When, [single]), CROSSES, {}],
    ['three symbols, hours beside minutes, timers', () => planOf(Several, many), SMOOTHED, {}],
    ['three strategies on one account, two of one class', () => planOf([OnBar, When, OnBar], [single]), JOINT, {}],
    [
      'loss rules that watch the whole equity',
      () => planOf(OnBar, [single]),
      CROSSES,
      { risk: { maxDrawdown: '0.004', maxDailyLoss: '0.003' } },
    ],
  ])('%s: every lane equals its run alone, in groups of 1, 2 and all sets', async (_, base, sets, options) => {
    const plain = base();
    const plan = { ...plain, ...options, fills: { ...plain.fills, latencyMs } };
    const runs: RunRecord[] = [];
    for (const params of sets) runs.push(await alone(plan, params));
    expect(runs.every(({ fills }) => fills.length > 5)).toBe(true);
    for (const size of [1, 2, sets.length]) {
      for (let from = 0; from < sets.length; from += size) {
        const records = new Map<number, SetRecord>();
        const outcomes = await runLanes(plan, sets.slice(from, from + size), {
          onRecord: (set, record) => records.set(from + set, record),
        });
        outcomes.forEach(({ values, refused }, at) => {
          const run = runs[from + at]!;
          expect(refused).toBeNull();
          expect(columnsOf(records.get(from + at)!)).toEqual(columnsOf(run));
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

class Choosy extends Strategy.with({ fast: int(2), slow: int(3, { min: 1 }) }) {
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

/** A strategy whose lanes visit different rows last, because the visits depend on the parameters. */
class Leaving extends Strategy.with({ slow: int(10), looks: int(0) }) {
  static readonly ends: string[] = [];
  up = this.when(crossedUp(this.bars.close, this.use(sma(this.bars.close, this.params.slow))), () => {
    if (this.params.looks === 0 && this.position().isFlat) this.buy({ quote: '500' });
  });
  override onStop() {
    const late = this.exit() === null ? 'flat' : 'leaves';
    Leaving.ends.push(`${this.params.slow} ${this.nowMs} ${this.bars.fresh} ${late}`);
  }
}

describe('the end of a run', () => {
  it.each([0, 1, 90_000])(
    'is the close of the last bar for every lane, and orders may still be sent, with a latency of %i ms',
    async (latencyMs) => {
      // With several feeds only instants at which something happens are visited, so the last visited one differs by lane.
      const plan = planOf(Leaving, many, { fills: { latencyMs } });
      const { closeMs, length } = many[0]!.bars;
      const sets = [300, 4, 700, 9].map((slow): SetParams => ({ slow, looks: slow > 99 ? 1 : 0 }));
      Leaving.ends.length = 0;
      for (const params of sets) await alone(plan, params);
      const expected = Leaving.ends.splice(0);
      expect(expected.every((end) => end.includes(` ${closeMs[length - 1]!} true `))).toBe(true);
      expect(expected.filter((end) => end.endsWith('leaves')).length).toBeGreaterThan(0);
      for (const order of [sets, sets.toReversed()]) {
        await runLanes(plan, order);
        expect(Leaving.ends.splice(0).toSorted()).toEqual(expected.toSorted());
      }
    },
  );
});

/** Counts the strategies that are running. */
class Counted extends Strategy.with({ slow: int(10) }) {
  static open = 0;
  static max = 0;
  up = this.when(crossedUp(this.bars.close, this.use(sma(this.bars.close, this.params.slow))), () => {
    if (this.position().isFlat)
      this.buy({ quote: '900' }, { stopLoss: this.bars.close.value * 0.99, takeProfit: this.bars.close.value * 1.01 });
  });
  constructor(...setup: ConstructorParameters<typeof Strategy>) {
    super(...setup);
    if (this.params.slow === 13) throw new Error('not thirteen');
    Counted.max = Math.max(Counted.max, ++Counted.open);
  }
  override onStop() {
    Counted.open--;
  }
}

describe('memory', () => {
  const sets = [3, 5, 8, 13, 21, 34].map((slow): SetParams => ({ slow }));
  const plan = planOf(Counted, [single], { risk: { maxDrawdown: '0.004', maxDailyLoss: '0.003' } });
  const rowBytes = plan.feeds[0]!.bars.length * 8;

  it('changes only the number of sets that run together', async () => {
    const all = await runLanes(plan, sets);
    expect(all.map(({ refused }) => refused !== null)).toEqual([false, false, false, true, false, false]);
    // One memory for all groups, as in a thread of a sweep. An earlier group must not affect a later one.
    const memory = new LaneMemory();
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 1 }),
        fc.integer({ min: 0, max: 7 }),
        fc.constantFrom(1, 9, 1024),
        async (order, joint, blockRows) => {
          Counted.max = Counted.open = 0;
          const outcomes = await runLanes(plan, order.map((at) => sets[at]!), { memory, laneBytes: joint * rowBytes, blockRows }); // prettier-ignore
          expect(outcomes).toEqual(order.map((at) => all[at]));
          const ran = order.filter((at) => at !== 3).length;
          expect(Counted.max).toBe(Math.min(ran, Math.max(1, joint)));
          expect(Counted.open).toBe(0);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('without loss rules is needed for a block of several symbols, and hardly for one symbol', async () => {
    const max = async (of: RunPlan, laneBytes: number) => {
      Counted.max = Counted.open = 0;
      await runLanes({ ...of, risk: {} }, sets, { laneBytes, blockRows: 256 });
      return Counted.max;
    };
    const other = many.find(({ bars }) => bars.instrument.wireName === 'BBBUSDT')!;
    const two = planOf(Counted, [single, { ...other, name: 'other' }]);
    expect(await max(plan, 5 * 8)).toBe(5);
    // Two columns for each lane: times and equity.
    expect(await max(two, 2 * 2 * 2 * 256 * 8)).toBe(2);
  });
});

describe('a group', () => {
  it('runs the other sets when the strategy rejects one', async () => {
    const plan = planOf(Choosy, [single]);
    const [first, refused, outOfRange, last] = await runLanes(plan, [
      { fast: 2, slow: 5 },
      { fast: 9, slow: 5 },
      { fast: 2, slow: 0 },
      { fast: 2, slow: 14 },
    ]);
    expect(refused).toEqual({ values: new Float64Array(SET_FIGURES.length).fill(NaN), refused: 'fast is not below slow' });
    expect(outOfRange!.refused).toMatch(/slow/);
    for (const [outcome, slow] of [[first, 5], [last, 14]] as const) {
      const { metrics } = buildSummary(await alone(plan, { slow }), { versions: {} });
      expect(outcome!.values[0]).toBe(metrics.sharpe);
    }
  }); // prettier-ignore

  it('rejects with an error that names the strategy that threw', async () => {
    class Throws extends Strategy.with({ at: int(5) }) {
      seen = 0;
      override onBar() {
        if (++this.seen === this.params.at) throw new Error('no more');
      }
    }
    await expect(runLanes(planOf(Throws, [single]), [{ at: 1e9 }, { at: 1700 }])).rejects.toThrow(/Throws threw at .*no more/);
  });
});
