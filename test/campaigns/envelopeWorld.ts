// Test data for the envelope: a seeded price path of one-tick steps, the bars of that path, and strategies that decide only on those bars.

import type { Rng } from '../../src/base/number/rng.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { OrderId } from '../../src/model/order.ts';
import type { OrderOptions } from '../../src/index.ts';
import { Strategy, type StrategyClass } from '../../src/strategy/strategy.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { spot, START_MS } from '../simulation/plans.ts';

const MINUTE_MS = 60_000;
const TICKS_PER_HOUR = 60;
/** The drift of a path changes after this many prices. */
const PRICES_PER_DRIFT = 240;

/** Returns one price a minute, in ticks. Each differs from the one before by at most one tick. The path has a new drift every four hours. */
export function tickPath(hours: number, rng: Rng, start = 5_000): Int32Array {
  const path = new Int32Array(hours * TICKS_PER_HOUR);
  let price = start;
  let drift = 0;
  for (let index = 0; index < path.length; index++) {
    if (index % PRICES_PER_DRIFT === 0) drift = (rng.next() - 0.5) * 0.3;
    // Down, up and unchanged have probabilities of 45 %, 45 % and 10 %, shifted by the drift.
    const draw = rng.next() + drift;
    if (draw < 0.45) price--;
    else if (draw >= 0.55) price++;
    path[index] = price;
  }
  return path;
}

/** Intervals by the number of prices in one of their bars. */
const INTERVALS = { 1: '1m', 15: '15m', 60: '1h' } as const;
/** How many prices, one a minute, make a bar. */
export type TicksPerBar = keyof typeof INTERVALS;

/** Returns the bars of a path. */
export function barsOfTicks(path: Int32Array, ticksPerBar: TicksPerBar, instrument: Instrument): BarColumns {
  const length = Math.floor(path.length / ticksPerBar);
  const scale = 10 ** instrument.priceDigits;
  const timeColumn = (offset: 0 | 1) => Float64Array.from({ length }, (_, row) => START_MS + (row + offset) * ticksPerBar * MINUTE_MS);
  const priceColumn = (priceOf: (ticks: Int32Array) => number) =>
    Float64Array.from({ length }, (_, row) => priceOf(path.subarray(row * ticksPerBar, (row + 1) * ticksPerBar)) / scale);
  return {
    instrument,
    interval: INTERVALS[ticksPerBar],
    length,
    openMs: timeColumn(0),
    closeMs: timeColumn(1),
    open: priceColumn((ticks) => ticks[0]!),
    high: priceColumn((ticks) => Math.max(...ticks)),
    low: priceColumn((ticks) => Math.min(...ticks)),
    close: priceColumn((ticks) => ticks.at(-1)!),
    volume: new Float64Array(length).fill(1000),
  };
}

/** The decisions of a strategy, repeated every `period` bars. Distances are in ticks; 0 means none. */
export interface Plan {
  readonly isFutures: boolean;
  readonly isLong: boolean;
  readonly kind: 'market' | 'limit' | 'trigger';
  readonly period: number;
  /** Bars from the entry to the exit. */
  readonly exitAfter: number;
  /** Bars from the entry to its cancel. 0: the entry waits until the exit. */
  readonly cancelAfter: number;
  /** Distance of the entry from the close. */
  readonly away: number;
  /** Distance of the limit of a spot stop entry beyond its trigger. 0: no limit. */
  readonly entryLimit?: number;
  readonly stop: number;
  readonly target: number;
  readonly trailing: number;
  /** Distances of further targets beyond the first one, each with an equal share of the position. Empty: one target. */
  readonly ladder: readonly number[];
  readonly makerPpm: number;
  readonly takerPpm: number;
  readonly feesIn: 'received' | 'quote';
  readonly slippageTicks: number;
  readonly slippagePpm: number;
  readonly limit: 'through' | 'touch';
  /** Funding rate every eight hours, in units of 10^-12. 0: no funding. */
  readonly funding: number;
  readonly lots: number;
}

/** Draws the decisions and the settings of one case. */
export function drawPlan(rng: Rng): Plan {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(rng.next() * values.length)]!;
  const isFutures = rng.next() < 0.5;
  const kind = pick(['market', 'limit', 'trigger'] as const);
  const { period, exitAfter } = pick([
    { period: 4, exitAfter: 3 },
    { period: 7, exitAfter: 6 },
    { period: 11, exitAfter: 5 },
    { period: 5, exitAfter: 4 },
  ]);
  // The bits choose the legs of the bracket: 1 a stop-loss, 2 a take-profit, 4 a trailing stop. At least one is set.
  const legs = 1 + Math.floor(rng.next() * 7);
  const makerPpm = pick([0, 200, 1000]);
  const plan: Omit<Plan, 'ladder'> = {
    isFutures,
    isLong: !isFutures || rng.next() < 0.5,
    kind,
    period,
    exitAfter,
    cancelAfter: kind === 'market' ? 0 : pick([0, 1, 2]),
    away: 1 + Math.floor(rng.next() * 5),
    stop: (legs & 1) === 0 ? 0 : 2 + Math.floor(rng.next() * 8),
    target: (legs & 2) === 0 ? 0 : 1 + Math.floor(rng.next() * 8),
    trailing: (legs & 4) === 0 ? 0 : 2 + Math.floor(rng.next() * 8),
    makerPpm,
    takerPpm: pick([makerPpm, makerPpm, 1000]),
    feesIn: isFutures ? 'quote' : pick(['received', 'quote']),
    slippageTicks: pick([0, 0, 0, 1]),
    slippagePpm: pick([0, 0, 0, 300]),
    limit: pick(['through', 'through', 'through', 'touch'] as const),
    funding: isFutures ? pick([0, 0, 400_000_000, -300_000_000]) : 0,
    lots: 500,
  };
  const hasTargets = plan.target > 0 && plan.feesIn === 'quote';
  return { ...plan, ladder: hasTargets ? pick([[], [2], [1, 3]]) : [] };
}

/** Returns the spot pair or the contract of a plan, with its fees. */
export function instrumentOf(plan: Plan): Instrument {
  if (!plan.isFutures) return { ...spot('AAAUSDT'), makerFeePpm: plan.makerPpm, takerFeePpm: plan.takerPpm };
  const { makerPpm, takerPpm } = plan;
  const fees = { openMakerFeePpm: makerPpm, openTakerFeePpm: takerPpm, closeMakerFeePpm: makerPpm, closeTakerFeePpm: takerPpm };
  return linearContract(fees, { base: 'AAA', priceDigits: 2 });
}

/** The prices of one entry, in ticks; 0 means none. */
export interface EntryLevels {
  readonly level: number;
  readonly stop: number;
  readonly target: number;
  /** The targets with the lots of each, the nearest first. */
  readonly rungs: readonly LadderRung[];
}
/** One level of a ladder of limits: price in ticks, quantity in lots. */
export interface LadderRung {
  readonly price: number;
  readonly lots: number;
}

/** Returns the prices of an entry that is decided at a close. */
export function levelsOf(plan: Plan, close: number): EntryLevels {
  const sign = plan.isLong ? 1 : -1;
  const distance = { market: 0, limit: -plan.away, trigger: plan.away }[plan.kind];
  const level = close + sign * distance;
  const target = plan.target > 0 ? level + sign * plan.target : 0;
  return { level, stop: plan.stop > 0 ? level - sign * plan.stop : 0, target, rungs: rungsOf(plan, target) };
}

/** Share of each target but the last one, which closes the remainder. By the length of the ladder. */
const TARGET_SHARES: Readonly<Record<number, string>> = { 1: '0.5', 2: '0.333333' };

/** Returns the take-profits of a plan, in lots. The last one has the remainder. */
function rungsOf({ target, ladder, lots, isLong }: Plan, firstPrice: number): readonly LadderRung[] {
  if (target === 0) return [];
  const shareLots = Math.floor(lots * Number(TARGET_SHARES[ladder.length] ?? 1));
  const prices = [firstPrice, ...ladder.map((distance) => firstPrice + (isLong ? 1 : -1) * distance)];
  return prices.map((price, index) => ({ price, lots: index < ladder.length ? shareLots : lots - shareLots * ladder.length }));
}

/** True when the plan enters at a bar. It depends only on the bar. */
export const entersAt = (plan: Plan, bar: number, open: number, close: number): boolean =>
  bar % plan.period === 0 && (open !== close || plan.isLong);
/** True when the plan closes its position at a bar. */
export const exitsAt = (plan: Plan, bar: number): boolean => bar % plan.period === plan.exitAfter;
/** True when the plan cancels its entry at a bar. */
export const cancelsAt = (plan: Plan, bar: number): boolean => plan.cancelAfter > 0 && bar % plan.period === plan.cancelAfter;

/**
 * Returns the strategy of a plan. It decides by the number of the bar alone. With `readsPosition` it also looks at its position, and
 * enters whenever it is flat.
 */
export function strategyOf(plan: Plan, readsPosition = false): StrategyClass {
  return class BarNumberTrader extends Strategy {
    #barNumber = 0;
    #entry: OrderId | null = null;

    override onBar() {
      const { open, close } = this.bars.bar;
      const openTicks = Math.round(open * 100);
      const closeTicks = Math.round(close * 100);
      const bar = this.#barNumber++;
      if (exitsAt(plan, bar)) this.exit();
      else if (cancelsAt(plan, bar) && this.#entry !== null) this.cancel(this.#entry);
      if (readsPosition ? this.#mayEnter(bar) : entersAt(plan, bar, openTicks, closeTicks)) this.#enter(closeTicks);
    }
    #mayEnter(bar: number): boolean {
      return bar % 3 === 0 && this.position().isFlat && this.openOrders().length === 0;
    }
    #enter(closeTicks: number): void {
      const size = { base: plan.isFutures ? plan.lots : plan.lots / 1000 };
      const options = entryOptions(plan, closeTicks);
      this.#entry = plan.isLong ? this.buy(size, options) : this.sell(size, options);
    }
  };
}

/** Returns the prices of an entry in the terms of the strategy API. */
function entryOptions(plan: Plan, closeTicks: number): OrderOptions {
  const { level, stop, target, rungs } = levelsOf(plan, closeTicks);
  const price = (ticks: number) => ticks / 100;
  const share = TARGET_SHARES[plan.ladder.length];
  const isLast = (index: number) => index === plan.ladder.length;
  const targets = rungs.map((rung, index) => ({ at: price(rung.price), ...(isLast(index) ? {} : { share: share! }) }));
  const takeProfit = target > 0 ? { takeProfit: price(target) } : {};
  return {
    ...(plan.kind === 'limit' ? { limit: price(level) } : {}),
    ...(plan.kind === 'trigger' ? { [plan.isFutures ? 'trigger' : 'stopEntry']: price(level) } : {}),
    ...(plan.kind === 'trigger' && plan.entryLimit ? { limit: price(level + plan.entryLimit) } : {}),
    ...(stop > 0 ? { stopLoss: price(stop) } : {}),
    ...(plan.ladder.length > 0 ? { targets } : takeProfit),
    ...(plan.trailing > 0 ? { trailing: price(plan.trailing) } : {}),
  };
}
