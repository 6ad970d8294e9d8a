// Test data for the envelope: a seeded price path of one-tick steps, the bars of that path, strategies that decide only on those bars, and a
// naive venue that fills their orders on the path.

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
  for (let at = 0; at < path.length; at++) {
    if (at % 240 === 0) drift = (rng.next() - 0.5) * 0.3;
    const drawn = rng.next() + drift;
    price += drawn < 0.45 ? -1 : drawn < 0.55 ? 0 : 1;
    path[at] = price;
  }
  return path;
}

/** Returns the bars of a path, each of `per` prices. */
export function barsOfTicks(path: Int32Array, per: number, interval: '1m' | '15m' | '1h', instrument: Instrument): BarColumns {
  const length = Math.floor(path.length / per);
  const scale = 10 ** instrument.priceDigits;
  const of = (pick: (rows: Int32Array) => number) =>
    Float64Array.from({ length }, (_, row) => pick(path.subarray(row * per, (row + 1) * per)) / scale);
  return {
    instrument,
    interval,
    length,
    openMs: Float64Array.from({ length }, (_, row) => START_MS + row * per * MINUTE),
    closeMs: Float64Array.from({ length }, (_, row) => START_MS + (row + 1) * per * MINUTE),
    open: of((rows) => rows[0]!),
    high: of((rows) => Math.max(...rows)),
    low: of((rows) => Math.min(...rows)),
    close: of((rows) => rows.at(-1)!),
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
  /** 0: the entry waits until the exit. */
  readonly cancelAfter: number;
  readonly away: number;
  /** Limit of a stop entry of spot, beyond its price; 0: none. */
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
  /** Rate of 10^-12 every eight hours; 0: none. */
  readonly funding: number;
  readonly lots: number;
}

export function drawPlan(rng: Rng): Plan {
  const pick = <Of>(list: readonly Of[]): Of => list[Math.floor(rng.next() * list.length)]!;
  const isFutures = rng.next() < 0.5;
  const kind = pick(['market', 'limit', 'trigger'] as const);
  const [period, exitAfter] = pick([
    [4, 3],
    [7, 6],
    [11, 5],
    [5, 4],
  ] as const);
  const bracket = 1 + Math.floor(rng.next() * 7);
  const maker = pick([0, 200, 1000]);
  const plan: Omit<Plan, 'ladder'> = {
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
  const hasTargets = plan.target > 0 && plan.feesIn === 'quote';
  return { ...plan, ladder: hasTargets ? pick([[], [2], [1, 3]]) : [] };
}

export function instrumentOf(plan: Plan): Instrument {
  if (!plan.isFutures) return { ...spot('AAAUSDT'), makerFeePpm: plan.makerPpm, takerFeePpm: plan.takerPpm };
  const { makerPpm, takerPpm } = plan;
  const fees = { openMakerFeePpm: makerPpm, openTakerFeePpm: takerPpm, closeMakerFeePpm: makerPpm, closeTakerFeePpm: takerPpm };
  return linearContract(fees, { base: 'AAA', priceDigits: 2 });
}

/** Returns the prices of an entry decided at a close, in ticks. */
export function levelsOf(plan: Plan, close: number) {
  const sign = plan.isLong ? 1 : -1;
  const level = plan.kind === 'limit' ? close - sign * plan.away : plan.kind === 'trigger' ? close + sign * plan.away : close;
  const first = plan.target > 0 ? level + sign * plan.target : 0;
  return { level, stop: plan.stop > 0 ? level - sign * plan.stop : 0, target: first, rungs: rungsOf(plan, first) };
}

/** Share of each target but the last one, which closes the remainder. */
const SHARES: Readonly<Record<number, string>> = { 1: '0.5', 2: '0.333333' };

/** Returns the targets of a plan with the lots of each. */
function rungsOf({ target, ladder, lots, isLong }: Plan, first: number): readonly { readonly at: number; readonly lots: number }[] {
  if (target === 0) return [];
  const share = Math.floor(lots * Number(SHARES[ladder.length] ?? 1));
  const prices = [first, ...ladder.map((distance) => first + (isLong ? 1 : -1) * distance)];
  return prices.map((at, place) => ({ at, lots: place < ladder.length ? share : lots - share * ladder.length }));
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
      const { level, stop, target, rungs } = levelsOf(plan, to);
      const share = SHARES[plan.ladder.length];
      const targets = rungs.map(({ at }, place) => ({ at: at / 100, ...(place < plan.ladder.length ? { share: share! } : {}) }));
      const options = {
        ...(plan.kind === 'limit'
          ? { limit: level / 100 }
          : plan.kind === 'trigger'
            ? {
                [plan.isFutures ? 'trigger' : 'stopEntry']: level / 100,
                ...(plan.entryLimit ? { limit: (level + plan.entryLimit) / 100 } : {}),
              }
            : {}),
        ...(stop > 0 ? { stopLoss: stop / 100 } : {}),
        ...(plan.ladder.length > 0 ? { targets } : target > 0 ? { takeProfit: target / 100 } : {}),
        ...(plan.trailing > 0 ? { trailing: plan.trailing / 100 } : {}),
      };
      const size = { base: plan.isFutures ? plan.lots : plan.lots / 1000 };
      this.entry = plan.isLong ? this.buy(size, options) : this.sell(size, options);
    }
  };
}

/** How the naive venue fills a limit order. */
export interface LimitFillRule {
  /** True: a touch of the limit price fills. False: the price must go through it. */
  readonly atTouch: boolean;
  readonly isMaker: boolean;
}

/** Returns the net profit of a plan over the path in units of money, by a venue that has one order and one position. */
export function naiveNet(plan: Plan, path: Int32Array, per: number, rule: LimitFillRule, unitsPerTick: number): number {
  const sign = plan.isLong ? 1 : -1;
  const bars = Math.floor(path.length / per);
  let net = 0;
  let order: ReturnType<typeof levelsOf> | null = null;
  let held: { price: number; best: number; stop: number; rungs: { at: number; lots: number }[]; lots: number; kept: number } | null = null;
  let leaving = false;
  const fee = (price: number, ppm: number, lots = plan.lots) => (price * lots * unitsPerTick * ppm) / 1e6;
  const limitPpm = rule.isMaker ? plan.makerPpm : plan.takerPpm;
  // At the open of a bar a touch is enough: rule 5 of docs/matching.md.
  const isBeyond = (price: number, level: number, direction: number, isOpen: boolean) =>
    direction * (price - level) >= (rule.atTouch || isOpen ? 0 : 1);
  const buy = (price: number, ppm: number, { stop, rungs }: ReturnType<typeof levelsOf>) => {
    const inCoins = plan.feesIn === 'received';
    net -= sign * price * plan.lots * unitsPerTick + (inCoins ? 0 : fee(price, ppm));
    held = { price, best: price, stop, rungs: [...rungs], lots: plan.lots, kept: inCoins ? 1 - ppm / 1e6 : 1 };
  };
  const sell = (price: number, ppm: number, lots = held!.lots) => {
    net += held!.kept * (sign * price * lots * unitsPerTick - fee(price, ppm, lots));
    held!.lots -= lots;
    if (held!.lots === 0) held = null;
  };
  for (let bar = 0; bar < bars; bar++) {
    for (let at = bar * per; at < (bar + 1) * per; at++) {
      const price = path[at]!;
      const slipped = (direction: number) => price + direction * plan.slippageTicks;
      if (leaving && held !== null) sell(slipped(-sign), plan.takerPpm);
      leaving = false;
      if (order !== null) {
        const { level } = order;
        if (plan.kind === 'market') buy(slipped(sign), plan.takerPpm, order);
        // A limit order that can fill at its arrival is a taker.
        else if (plan.kind === 'limit' && at % per === 0 && sign * (level - price) >= 0)
          buy(Math.min(sign * slipped(sign), sign * level) * sign, plan.takerPpm, order); // prettier-ignore
        else if (plan.kind === 'limit' && isBeyond(price, level, -sign, false)) buy(level, limitPpm, order);
        else if (plan.kind === 'trigger' && sign * (price - level) >= 0) buy(slipped(sign), plan.takerPpm, order);
        if (held !== null) order = null;
      }
      if (held === null) continue;
      const now = held as { best: number; stop: number; rungs: { at: number; lots: number }[] };
      const trail = plan.trailing > 0 ? now.best - sign * plan.trailing : -sign * Infinity;
      const fixed = now.stop > 0 ? now.stop : -sign * Infinity;
      const level = sign > 0 ? Math.max(trail, fixed) : Math.min(trail, fixed);
      if (sign * (price - level) <= 0) sell(slipped(-sign), plan.takerPpm);
      else {
        while (now.rungs.length > 0 && isBeyond(price, now.rungs[0]!.at, sign, at % per === 0)) {
          const { at: target, lots } = now.rungs.shift()!;
          sell(target, limitPpm, lots);
        }
        now.best = sign > 0 ? Math.max(now.best, price) : Math.min(now.best, price);
      }
    }
    const [open, close] = [path[bar * per]!, path[(bar + 1) * per - 1]!];
    if (leaves(plan, bar)) {
      leaving = true;
      order = null;
    } else if (cancels(plan, bar)) order = null;
    if (enters(plan, bar, open, close)) order = levelsOf(plan, close);
  }
  const last = path[bars * per - 1]!;
  const rest = held as { kept: number; lots: number } | null;
  return rest === null ? net : net + rest.kept * sign * last * rest.lots * unitsPerTick;
}

export { seededRng };
