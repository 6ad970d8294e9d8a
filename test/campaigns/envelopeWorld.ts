// Builds seeded price paths, their bars, strategies that decide on those bars, and a naive venue that fills their orders on the path.

import { seededRng, type Rng } from '../../src/base/number/rng.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { OrderId } from '../../src/model/order.ts';
import { Strategy, type StrategyClass } from '../../src/strategy/strategy.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { spot, START_MS } from '../simulation/plans.ts';

const MINUTE = 60_000;
export const HOUR_TICKS = 60;

/** Returns one price a minute, in ticks. Each differs from the one before by at most one tick. */
export function tickPath(hours: number, rng: Rng, start = 5_000): Int32Array {
  const path = new Int32Array(hours * HOUR_TICKS);
  let price = start;
  let drift = 0;
  for (let tickIndex = 0; tickIndex < path.length; tickIndex++) {
    if (tickIndex % 240 === 0) drift = (rng.next() - 0.5) * 0.3;
    const drawn = rng.next() + drift;
    price += drawn < 0.45 ? -1 : drawn < 0.55 ? 0 : 1;
    path[tickIndex] = price;
  }
  return path;
}

/** Returns the bars of a path, each of `per` prices. */
export function barsOfTicks(path: Int32Array, ticksPerBar: number, interval: '1m' | '15m' | '1h', instrument: Instrument): BarColumns {
  const length = Math.floor(path.length / ticksPerBar);
  const scale = 10 ** instrument.priceDigits;
  const columnOf = (pick: (rows: Int32Array) => number) =>
    Float64Array.from({ length }, (_, row) => pick(path.subarray(row * ticksPerBar, (row + 1) * ticksPerBar)) / scale);
  return {
    instrument,
    interval,
    length,
    openMs: Float64Array.from({ length }, (_, row) => START_MS + row * ticksPerBar * MINUTE),
    closeMs: Float64Array.from({ length }, (_, row) => START_MS + (row + 1) * ticksPerBar * MINUTE),
    open: columnOf((rows) => rows[0]!),
    high: columnOf((rows) => Math.max(...rows)),
    low: columnOf((rows) => Math.min(...rows)),
    close: columnOf((rows) => rows.at(-1)!),
    volume: new Float64Array(length).fill(1000),
  };
}

/** The decisions of a strategy, repeated every `period` bars. Distances are in ticks; 0 means none. */
export interface Plan {
  readonly isFutures: boolean;
  readonly isLong: boolean;
  readonly kind: 'market' | 'limit' | 'trigger';
  readonly period: number;
  readonly exitAfter: number;
  /** Bars after which an entry is cancelled; 0 lets it wait until the exit. */
  readonly cancelAfter: number;
  readonly away: number;
  readonly stop: number;
  readonly target: number;
  readonly trailing: number;
  readonly makerPpm: number;
  readonly takerPpm: number;
  readonly feesIn: 'received' | 'quote';
  readonly slippageTicks: number;
  readonly slippagePpm: number;
  readonly limit: 'through' | 'touch';
  /** Funding rate in 10^-12 every eight hours; 0 means none. */
  readonly funding: number;
  readonly lots: number;
}

export function drawPlan(rng: Rng): Plan {
  const pick = <Of>(list: readonly Of[]): Of => list[Math.floor(rng.next() * list.length)]!;
  const isFutures = rng.next() < 0.5;
  const kind = pick(isFutures ? (['market', 'limit', 'trigger'] as const) : (['market', 'limit'] as const));
  const [period, exitAfter] = pick([
    [4, 3],
    [7, 6],
    [11, 5],
    [5, 4],
  ] as const);
  const bracket = 1 + Math.floor(rng.next() * 7);
  const maker = pick([0, 200, 1000]);
  return {
    isFutures,
    isLong: !isFutures || rng.next() < 0.5,
    kind,
    period,
    exitAfter,
    cancelAfter: kind === 'market' ? 0 : pick([0, 1, 2]),
    away: 1 + Math.floor(rng.next() * 5),
    stop: (bracket & 1) === 0 ? 0 : 2 + Math.floor(rng.next() * 8),
    target: (bracket & 2) === 0 ? 0 : 1 + Math.floor(rng.next() * 8),
    trailing: (bracket & 4) === 0 ? 0 : 2 + Math.floor(rng.next() * 8),
    makerPpm: maker,
    takerPpm: pick([maker, maker, 1000]),
    feesIn: isFutures ? 'quote' : pick(['received', 'quote']),
    slippageTicks: pick([0, 0, 0, 1]),
    slippagePpm: pick([0, 0, 0, 300]),
    limit: pick(['through', 'through', 'through', 'touch'] as const),
    funding: isFutures ? pick([0, 0, 400_000_000, -300_000_000]) : 0,
    lots: 500,
  };
}

export function instrumentOf(plan: Plan): Instrument {
  if (!plan.isFutures) return { ...spot('AAAUSDT'), makerFeePpm: plan.makerPpm, takerFeePpm: plan.takerPpm };
  const { makerPpm, takerPpm } = plan;
  const fees = { openMakerFeePpm: makerPpm, openTakerFeePpm: takerPpm, closeMakerFeePpm: makerPpm, closeTakerFeePpm: takerPpm };
  return linearContract(fees, { base: 'AAA', priceDigits: 2 });
}

/** Returns the prices of an entry decided at a close, in ticks. */
export function levelsOf(plan: Plan, close: number) {
  const direction = plan.isLong ? 1 : -1;
  const level = plan.kind === 'limit' ? close - direction * plan.away : plan.kind === 'trigger' ? close + direction * plan.away : close;
  return { level, stop: plan.stop > 0 ? level - direction * plan.stop : 0, target: plan.target > 0 ? level + direction * plan.target : 0 };
}

/** True when the plan enters at a bar. It depends only on the bar. */
export const enters = (plan: Plan, bar: number, open: number, close: number): boolean =>
  bar % plan.period === 0 && (open !== close || plan.isLong);
export const leaves = (plan: Plan, bar: number): boolean => bar % plan.period === plan.exitAfter;
export const cancels = (plan: Plan, bar: number): boolean => plan.cancelAfter > 0 && bar % plan.period === plan.cancelAfter;

/** Returns the strategy of a plan. It only counts its bars; with `readsPosition` it enters whenever it is flat. */
export function strategyOf(plan: Plan, readsPosition = false): StrategyClass {
  return class OnBarsAlone extends Strategy {
    bar = 0;
    entry: OrderId | null = null;

    override onBar() {
      const { open, close } = this.bars.bar;
      const [from, to] = [Math.round(open * 100), Math.round(close * 100)];
      const bar = this.bar++;
      if (leaves(plan, bar)) this.exit();
      else if (cancels(plan, bar) && this.entry !== null) this.cancel(this.entry);
      if (readsPosition ? bar % 3 > 0 || !this.position().isFlat || this.openOrders().length > 0 : !enters(plan, bar, from, to)) return;
      const { level, stop, target } = levelsOf(plan, to);
      const options = {
        ...(plan.kind === 'limit' ? { limit: level / 100 } : plan.kind === 'trigger' ? { trigger: level / 100 } : {}),
        ...(stop > 0 ? { stopLoss: stop / 100 } : {}),
        ...(target > 0 ? { takeProfit: target / 100 } : {}),
        ...(plan.trailing > 0 ? { trailing: plan.trailing / 100 } : {}),
      };
      const size = { base: plan.isFutures ? plan.lots : plan.lots / 1000 };
      this.entry = plan.isLong ? this.buy(size, options) : this.sell(size, options);
    }
  };
}

/** How the naive venue fills a limit order. */
export interface LimitFillRule {
  /** True if a touch of the limit price fills; otherwise the price must go through it. */
  readonly atTouch: boolean;
  readonly isMaker: boolean;
}

/** Returns the net profit of a plan over the path in units of money, by a venue that has one order and one position. */
export function naiveNet(plan: Plan, path: Int32Array, ticksPerBar: number, rule: LimitFillRule, unitsPerTick: number): number {
  const direction = plan.isLong ? 1 : -1;
  const bars = Math.floor(path.length / ticksPerBar);
  let net = 0;
  let order: ReturnType<typeof levelsOf> | null = null;
  let position: { price: number; best: number; stop: number; target: number; kept: number } | null = null;
  let isLeaving = false;
  const fee = (price: number, ppm: number) => (price * plan.lots * unitsPerTick * ppm) / 1e6;
  const limitPpm = rule.isMaker ? plan.makerPpm : plan.takerPpm;
  // At the open of a bar a touch is enough: rule 5 of docs/matching.md.
  const isBeyond = (price: number, level: number, sign: number, isOpen: boolean) =>
    sign * (price - level) >= (rule.atTouch || isOpen ? 0 : 1);
  const buy = (price: number, ppm: number, { stop, target }: ReturnType<typeof levelsOf>) => {
    const inCoins = plan.feesIn === 'received';
    net -= direction * price * plan.lots * unitsPerTick + (inCoins ? 0 : fee(price, ppm));
    position = { price, best: price, stop, target, kept: inCoins ? 1 - ppm / 1e6 : 1 };
  };
  const sell = (price: number, ppm: number) => {
    net += position!.kept * (direction * price * plan.lots * unitsPerTick - fee(price, ppm));
    position = null;
  };
  for (let bar = 0; bar < bars; bar++) {
    for (let tickIndex = bar * ticksPerBar; tickIndex < (bar + 1) * ticksPerBar; tickIndex++) {
      const price = path[tickIndex]!;
      const slipped = (sign: number) => price + sign * plan.slippageTicks;
      if (isLeaving && position !== null) sell(slipped(-direction), plan.takerPpm);
      isLeaving = false;
      if (order !== null) {
        const { level } = order;
        if (plan.kind === 'market') buy(slipped(direction), plan.takerPpm, order);
        // A limit order that can fill at its arrival is a taker.
        else if (plan.kind === 'limit' && tickIndex % ticksPerBar === 0 && direction * (level - price) >= 0)
          buy(Math.min(direction * slipped(direction), direction * level) * direction, plan.takerPpm, order); // prettier-ignore
        else if (plan.kind === 'limit' && isBeyond(price, level, -direction, false)) buy(level, limitPpm, order);
        else if (plan.kind === 'trigger' && direction * (price - level) >= 0) buy(slipped(direction), plan.takerPpm, order);
        if (position !== null) order = null;
      }
      if (position === null) continue;
      const openLevels = position as { best: number; stop: number; target: number };
      const trail = plan.trailing > 0 ? openLevels.best - direction * plan.trailing : -direction * Infinity;
      const fixed = openLevels.stop > 0 ? openLevels.stop : -direction * Infinity;
      const level = direction > 0 ? Math.max(trail, fixed) : Math.min(trail, fixed);
      if (direction * (price - level) <= 0) sell(slipped(-direction), plan.takerPpm);
      else if (openLevels.target > 0 && isBeyond(price, openLevels.target, direction, tickIndex % ticksPerBar === 0))
        sell(openLevels.target, limitPpm);
      else openLevels.best = direction > 0 ? Math.max(openLevels.best, price) : Math.min(openLevels.best, price);
    }
    const [open, close] = [path[bar * ticksPerBar]!, path[(bar + 1) * ticksPerBar - 1]!];
    if (leaves(plan, bar)) {
      isLeaving = true;
      order = null;
    } else if (cancels(plan, bar)) order = null;
    if (enters(plan, bar, open, close)) order = levelsOf(plan, close);
  }
  const lastPrice = path[bars * ticksPerBar - 1]!;
  const openPosition = position as { kept: number } | null;
  return openPosition === null ? net : net + openPosition.kept * direction * lastPrice * plan.lots * unitsPerTick;
}

export { seededRng };
