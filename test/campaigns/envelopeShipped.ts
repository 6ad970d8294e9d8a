// Builds cases of the envelope campaign with the shipped strategies: the run over bars, and the same run over the ticks inside them.

import { readdirSync } from 'node:fs';
import { loadStrategy } from '../../dist/adapters/plugins/loadStrategy.js';
import type { FeedPlan, RunPlan } from '../../src/definition/plan/plan.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { PERPETUAL } from '../fixtures/perpetual.ts';
import { feed, planOf, spot, START_MS, type PlanOptions } from '../simulation/plans.ts';
import { barsOfTicks, tickPath } from './envelopeWorld.ts';

const FUNDING_HOURS = 8;
const STRATEGY_FOLDER = new URL('../../strategies/', import.meta.url).pathname;

/** File names of the shipped strategies. */
export const SHIPPED = readdirSync(STRATEGY_FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

/** Returns the feeds of one path: bars by name, and the ticks inside them. */
function feedsOf(instrument: Instrument, seed: number, hours: number, names: Readonly<Record<string, '15m' | '1h'>>) {
  const path = tickPath(hours, seededRng(seed));
  const bars = Object.entries(names).map(([name, interval]) => feed(name, barsOfTicks(path, interval === '15m' ? 15 : 60, instrument)));
  const ticks: FeedPlan = { ...feed('inside', barsOfTicks(path, 1, instrument)), isExecutionOnly: true };
  return { bars, ticks };
}

/** Returns a perpetual contract on this coin. */
const perpetual = (base: string): Instrument =>
  linearContract({ openMakerFeePpm: 20, openTakerFeePpm: 50, closeMakerFeePpm: 20, closeTakerFeePpm: 50 }, { base, priceDigits: 2 });

/** Returns the feeds and options with which a shipped strategy trades often. Its own defaults would trade too seldom on a short path. */
function settingsOf(
  file: string,
  seed: number,
  hours: number,
): { readonly sets: readonly ReturnType<typeof feedsOf>[]; readonly options: PlanOptions } {
  const coin = { ...spot('AAAUSDT'), makerFeePpm: 20, takerFeePpm: 50 };
  const onBars = (params: Readonly<Record<string, unknown>>) => ({
    sets: [feedsOf(coin, seed, hours, { bars: '15m' })],
    options: { params },
  });
  switch (file) {
    case 'trendFilter.ts':
      return { sets: [feedsOf(coin, seed, hours, { bars: '15m', trend: '1h' })], options: { params: { trendBars: 3, bandWidths: 1.2 } } };
    case 'rsiMeanReversion.ts':
      return onBars({ rsiBars: 3, oversold: 40, trendBars: 30, maxBars: 20, stopShare: 0.002 });
    case 'bollingerGrid.ts':
      return onBars({ bandBars: 30, minStep: 0.0006 });
    case 'donchianBreakout.ts':
      return onBars({ entryBars: 10, exitBars: 5, trailAtrs: 2, stopAtrs: 1 });
    case 'momentumRotation.ts': {
      const sets = ['AAAUSDT', 'BBBUSDT', 'CCCUSDT'].map((symbol, index) =>
        feedsOf(spot(symbol, 20), seed * 7 + index, hours, { universe: '1h' }),
      );
      return { sets, options: { params: { lookBack: 12, top: 2, period: '1d' } } };
    }
    case 'fundingFade.ts':
      return {
        sets: [feedsOf(perpetual('AAA'), seed, hours, { bars: '15m' })],
        options: { ...PERPETUAL, params: { bandBars: 20, bandWidths: 1.5, stopAtrs: 1.5 } },
      };
    case 'perpetualTrend.ts': {
      const sets = ['AAA', 'BBB'].map((base, index) => feedsOf(perpetual(base), seed * 7 + index, hours, { contracts: '15m' }));
      return { sets, options: { ...PERPETUAL, params: { entryBars: 20, exitBars: 10, atrBars: 14 } } };
    }
    case 'fundingCarry.ts': {
      const perp = perpetual('AAA');
      // Rates change their sign, so that the strategy enters and leaves.
      const rates = Array.from({ length: hours / FUNDING_HOURS }, (_, index) => ({
        timeMs: START_MS + index * FUNDING_HOURS * 3_600_000,
        rate: index % 5 < 3 ? 0.0004 : -0.0002,
      }));
      const data = {
        marks: null,
        funding: rates.map(({ timeMs, rate }) => ({ timeMs, rate: Math.round(rate * 1e12), markTicks: 5_000 })),
        rates: {
          length: rates.length,
          timeMs: Float64Array.from(rates, ({ timeMs }) => timeMs),
          rate: Float64Array.from(rates, ({ rate }) => rate),
        },
      };
      const funds = { spot: { USDT: '5000' }, futures: { USDT: '5000' } };
      const options = {
        ...PERPETUAL,
        funds,
        futures: { ...PERPETUAL.futures!, data: new Map([[perp.id, data]]) },
        params: { rates: 1, enterRate: 0.0001 },
      };
      const sets = [
        feedsOf({ ...coin, quoteDigits: perp.quoteDigits }, seed, hours, { spot: '15m' }),
        feedsOf(perp, seed, hours, { perp: '15m' }),
      ];
      return { sets, options };
    }
    default:
      return onBars({});
  }
}

/** Returns the plan over bars, and the plan over the ticks inside them. */
export async function shippedCase(
  file: string,
  seed: number,
  hours: number,
): Promise<{ readonly runPlan: RunPlan; readonly withTicks: RunPlan }> {
  const { strategy, hash } = await loadStrategy(STRATEGY_FOLDER + file);
  const { sets, options } = settingsOf(file, seed, hours);
  const bars = sets.flatMap((set) => set.bars);
  const planWith = (feeds: readonly FeedPlan[]) => {
    const plan = planOf(strategy as object as StrategyClass, feeds, {
      fees: { makerPpm: 20, takerPpm: 50, ...options.fees },
      ...options,
    });
    return { ...plan, strategies: [{ ...plan.strategies[0]!, hash }] };
  };
  return { runPlan: planWith(bars), withTicks: planWith([...bars, ...sets.map(({ ticks }) => ticks)]) };
}
