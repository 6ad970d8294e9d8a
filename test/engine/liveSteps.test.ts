// Tests that rows which arrive one instant at a time, as in a live bot, give the result of a backtest over the whole file.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { blockLoop } from '../../src/engine/loop/blockLoop.ts';
import { deliverInstant, stopLive } from '../../src/engine/loop/liveSteps.ts';
import { extendTicks, type BarColumns } from '../../src/model/bars/bars.ts';
import { randomScriptStrategy } from './randomScript.ts';
import { coarser, columnsOf, MINUTE, planFor, spotInstrument, START_MS, walkBars, type PlanOptions } from './backtestFixture.ts';

/** The columns of a feed. They have only the rows that have closed; `arrive` adds those of an instant. */
class ArrivingBars implements BarColumns {
  readonly instrument;
  readonly interval;
  readonly openMs;
  readonly closeMs;
  readonly open;
  readonly high;
  readonly low;
  readonly close;
  readonly volume;
  length = 0;
  readonly #all: BarColumns;
  constructor(source: BarColumns) {
    this.#all = source;
    ({ instrument: this.instrument, interval: this.interval, openMs: this.openMs, closeMs: this.closeMs } = source);
    ({ open: this.open, high: this.high, low: this.low, close: this.close, volume: this.volume } = source);
  }
  arrive(nowMs: number): void {
    const lengthBefore = this.length;
    while (this.length < this.#all.length && this.closeMs[this.length]! <= nowMs) this.length++;
    if (this.length > lengthBefore) extendTicks(this, lengthBefore);
  }
}

/** Runs a plan as a backtest. */
async function runAtOnce(options: PlanOptions): Promise<object> {
  const plan = planFor(options);
  const prepared = await prepareBacktest(plan);
  blockLoop(prepared.engine);
  return columnsOf(runRecordOf(plan, prepared, false));
}

/** Runs the same plan with rows that arrive one instant at a time. */
async function runOneByOne({ feeds, ...options }: PlanOptions & { feeds: Readonly<Record<string, BarColumns>> }): Promise<object> {
  const arrivingFeeds = Object.entries(feeds).map(([name, bars]) => [name, new ArrivingBars(bars)] as const);
  const fromMs = options.fromMs ?? START_MS;
  for (const [, bars] of arrivingFeeds) bars.arrive(fromMs);
  const plan = planFor({ ...options, feeds: Object.fromEntries(arrivingFeeds) });
  const prepared = await prepareBacktest(plan);
  const instants = new Set(Object.values(feeds).flatMap(({ closeMs }) => [...closeMs]));
  for (const instantMs of [...instants].toSorted((a, b) => a - b)) {
    if (instantMs <= fromMs) continue;
    for (const [, bars] of arrivingFeeds) bars.arrive(instantMs);
    deliverInstant(prepared.engine, instantMs);
  }
  stopLive(prepared.engine);
  return columnsOf(runRecordOf(plan, prepared, false));
}

const FEED_KINDS = ['one feed', 'one feed with gaps', 'two intervals', 'two instruments'] as const;

/** Returns the feeds of a kind. */
function feedsOf(kind: (typeof FEED_KINDS)[number], seed: number): Record<string, BarColumns> {
  const btc = walkBars({ rows: 240, seed, missing: kind === 'one feed with gaps' ? 0.2 : 0 });
  if (kind === 'one feed' || kind === 'one feed with gaps') return { bars: btc };
  if (kind === 'two intervals') return { bars: btc, hour: coarser(btc, '1h') };
  const eth = walkBars({ rows: 240, seed: seed + 1, missing: 0.1, instrument: spotInstrument('ETH') });
  return { bars: btc, eth, quarter: coarser(eth, '15m') };
}

describe('rows one instant at a time', () => {
  it('rows that arrive one instant at a time give the orders, fills and equity of the whole file, bit by bit', async () => {
    const cases = fc.record({
      kind: fc.constantFrom(...FEED_KINDS),
      seed: fc.nat({ max: 1e6 }),
      onBar: fc.boolean(),
      brackets: fc.boolean(),
      onFill: fc.boolean(),
      latencyMs: fc.constantFrom(0, 20_000, 90_000),
      warmRows: fc.constantFrom(0, 30, 61),
      isHalting: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ kind, seed, onBar, brackets, onFill, latencyMs, warmRows, isHalting }) => {
        const feeds = feedsOf(kind, seed);
        const script = {
          seed,
          share: 0.3,
          brackets,
          onBar,
          onFill,
          signals: true,
          timerMinutes: 7,
          onStart: true,
          feeds: Object.keys(feeds),
        };
        const options = {
          strategies: [randomScriptStrategy(script)],
          feeds,
          fromMs: START_MS + warmRows * MINUTE,
          fills: { latencyMs },
          risk: isHalting ? { maxDrawdown: '0.02', maxDailyLoss: '0.01' } : {},
        };
        expect(await runOneByOne(options)).toEqual(await runAtOnce(options));
      }),
      { numRuns: 120 },
    );
  });
});
