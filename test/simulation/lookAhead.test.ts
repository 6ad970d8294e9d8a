// No decision knows the future: over less data the decisions are the same up to the last bar, for every shipped strategy; and no fill is
// earlier than the arrival of its order.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runBacktest as builtRunBacktest } from '../../dist/app/runBacktest.js';
import { loadStrategy } from '../../dist/plugins/loadStrategy.js';
import type { runBacktest as sourceRunBacktest } from '../../src/app/runBacktest.ts';
import { seededRng } from '../../src/base/rng.ts';
import type { RunRecord } from '../../src/model/run.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { feed, hoursOf, minutes, planOf, truncated } from './plans.ts';

const FOLDER = new URL('../../strategies/', import.meta.url).pathname;
const SHIPPED = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
const SEED = Number(process.env['ISOBAR_SEED'] ?? 20_240_101);
const TRIALS = 200;
const ROWS = 1500;

/** Orders decided before `ms`: everything that the strategy chose, nothing that became of it. */
function decisions({ orders }: RunRecord, ms: number): string[] {
  const rows: string[] = [];
  for (let row = 0; row < orders.length; row++) {
    // A leg of a bracket is no decision: it answers a fill, which may be at the very open that follows the last bar.
    if (orders.parent[row] !== 0) continue;
    if (orders.createdMs[row]! >= ms) break;
    rows.push([orders.createdMs[row], orders.side[row], orders.role[row], orders.lots[row], orders.quoteUnits[row], orders.limit[row], orders.texts[orders.slot[row]!]].join());
  }
  return rows;
}

/** The built package runs strategy files; to the type checker its classes are others than those of `src`, whose code they are. */
const runBacktest = builtRunBacktest as object as typeof sourceRunBacktest;

async function shipped(file: string): Promise<{ strategy: StrategyClass; hash: string }> {
  const { strategy, hash } = await loadStrategy(FOLDER + file);
  return { strategy: strategy as object as StrategyClass, hash };
}

describe.each(SHIPPED)('%s', (file) => {
  it(`decides alike on data[0..t] and on all of it, at ${TRIALS} random t (seed ${SEED})`, async () => {
    const { strategy, hash } = await shipped(file);
    const random = seededRng(SEED);
    const bars = minutes('AAAUSDT', ROWS, 3, 0.05);
    const of = (length: number) => {
      const cut = truncated(bars, length);
      const hours = hoursOf(cut);
      const feeds = file === 'trendFilter.ts' ? [feed('bars', cut), feed('trend', hours)] : [feed('bars', cut)];
      const params = file === 'trendFilter.ts' ? { trendBars: 3, bandWidths: 1.2 } : {};
      const plan = planOf(strategy, feeds, { params });
      return runBacktest({ ...plan, strategies: [{ ...plan.strategies[0]!, hash }] });
    };
    const all = await of(bars.length);
    expect(all.orders.length).toBeGreaterThan(20);
    for (let trial = 0; trial < TRIALS; trial++) {
      const length = 250 + Math.floor(random.next() * (bars.length - 250));
      const endMs = bars.closeMs[length - 1]! + 1;
      expect(decisions(await of(length), endMs), `t = row ${length - 1}, seed ${SEED}`).toEqual(decisions(all, endMs));
    }
  });

  it.each([0, 30_000, 90_000])('has no fill before its order arrived, with a latency of %i ms', async (latencyMs) => {
    const { strategy } = await shipped(file);
    const bars = minutes('AAAUSDT', ROWS, 8, 0.05);
    const feeds = file === 'trendFilter.ts' ? [feed('bars', bars), feed('trend', hoursOf(bars))] : [feed('bars', bars)];
    const params = file === 'trendFilter.ts' ? { trendBars: 3, bandWidths: 1.2 } : {};
    const { orders, fills } = await runBacktest(planOf(strategy, feeds, { params, fills: { latencyMs } }));
    expect(fills.length).toBeGreaterThan(20);
    for (let at = 0; at < fills.length; at++) {
      const row = fills.orderId[at]! - 1;
      expect(orders.arrivedMs[row]).toBeGreaterThanOrEqual(orders.createdMs[row]! + (orders.parent[row] === 0 ? latencyMs : -60_000));
      expect(fills.timeMs[at]).toBeGreaterThanOrEqual(orders.arrivedMs[row]!);
    }
  });
});
