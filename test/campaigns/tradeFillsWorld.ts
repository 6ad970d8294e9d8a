// Builds random trades and scripts, and a naive exchange after docs/matching.md#trades that fills the orders in decimals.

import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';

export const START = Date.UTC(2024, 0, 1);
const MINUTE = 60_000;
const TICK = new Decimal('0.01');
const LOT = new Decimal('0.001');
export const MAKER = '0.001';
export const TAKER = '0.0023';

export interface Trade {
  readonly id: number;
  readonly ms: number;
  readonly ticks: number;
  readonly lots: number;
  /** 1: the taker bought, -1: sold, 0: the file does not say it. */
  readonly taker: number;
}

export interface Act {
  readonly kind: 'buy' | 'sell' | 'cancel';
  readonly tag: string;
  /** The amount of a market buy by amount; else null. */
  readonly amount: string | null;
  readonly lots: number;
  /** 0: at the market. */
  readonly limit: number;
  readonly target: number;
  readonly stop: number;
  readonly trail: number;
}

export interface Terms {
  readonly latencyMs: number;
  readonly share: string;
  readonly slippageTicks: number;
  readonly slippage: string;
  readonly collar: string;
  readonly touch: boolean;
  readonly queue: { readonly ahead?: string; readonly aheadTrades?: string; readonly cancels?: string } | null;
  readonly feesIn: 'received' | 'quote';
}

export interface Case {
  readonly seed: number;
  readonly trades: readonly Trade[];
  /** By close of a bar, in ms. */
  readonly script: ReadonlyMap<number, readonly Act[]>;
  readonly terms: Terms;
}

export function caseOf(seed: number): Case {
  const rng = seededRng(seed);
  const int = (from: number, to: number) => from + Math.floor(rng.next() * (to - from + 1));
  const pick = <T>(list: readonly T[]): T => list[int(0, list.length - 1)]!;
  const minutes = int(4, 25);
  const perMinute = pick([1, 3, 8, 20, 40]);
  const still = pick([0.3, 0.7]);
  const hasSides = rng.next() < 0.8;
  const widest = pick([1, 2, 5, 30]);
  const trades: Trade[] = [];
  let [id, ms, ticks] = [int(1, 1e9), START + int(0, 30_000), int(200, 20_000)];
  while (ms < START + minutes * MINUTE) {
    trades.push({ id, ms, ticks, lots: Math.ceil(rng.next() ** 4 * pick([3, 50, 2000])) || 1, taker: hasSides ? pick([1, -1]) : 0 });
    id += rng.next() < 0.03 ? int(2, 9) : 1;
    ms += rng.next() < 0.4 ? 0 : Math.ceil((rng.next() * 2 * MINUTE) / perMinute);
    ticks = Math.max(50, ticks + (rng.next() < still ? 0 : int(-widest, widest)));
  }
  const isBracketed = rng.next() < 0.5;
  const queue = pick([
    null,
    { ahead: `${int(0, 3)}.${int(100, 999)}` },
    { ahead: '0', cancels: '0.5' },
    { aheadTrades: pick(['0.5', '1', '3.3333', '11.17']), cancels: pick(['0', '0.25', '0.999999']) },
  ]);
  const terms: Terms = {
    latencyMs: pick([0, 0, 1, 300, 20_000, 59_999]),
    share: pick(['0', '0', '0.1', '0.5', '0.999999']),
    slippageTicks: pick([0, 0, 1, 3]),
    slippage: pick(['0', '0', '0.00037']),
    collar: pick(['0.9', '0.0002', '0']),
    touch: queue === null && rng.next() < 0.5,
    queue,
    feesIn: isBracketed || rng.next() < 0.5 ? 'quote' : 'received',
  };
  const script = new Map<number, Act[]>();
  const tags: string[] = [];
  let orders = 0;
  const lastLimits: Record<string, number> = {};
  for (const { closeMs, last } of barsOf(trades)) {
    const acts: Act[] = [];
    for (let n = rng.next() < 0.7 ? int(1, 2) : 0; n > 0; n--) {
      if (tags.length > 0 && rng.next() < 0.25) {
        acts.push({ kind: 'cancel', tag: pick(tags), amount: null, lots: 0, limit: 0, target: 0, stop: 0, trail: 0 });
        continue;
      }
      const kind = !isBracketed && rng.next() < 0.45 ? 'sell' : 'buy';
      const tag = `t${++orders}`;
      tags.push(tag);
      const isLimit = rng.next() < 0.6;
      const again = isLimit && rng.next() < 0.3 ? (lastLimits[kind] ?? 0) : 0;
      const limit = again > 0 ? again : isLimit ? Math.max(1, last + int(-3, 3) * (rng.next() < 0.3 ? widest : 1)) : 0;
      if (limit > 0) lastLimits[kind] = limit;
      const isByAmount = kind === 'buy' && !isLimit && rng.next() < 0.6;
      // No two orders alike, and no amount that whole lots pay exactly: neither is a matter of fills.
      const lots = 10 * int(1, pick([3, 40])) * 100 + orders;
      const worst = Math.min(limit || last, last);
      const best = Math.max(limit || last, last);
      const has = (share: number) => isBracketed && kind === 'buy' && rng.next() < share;
      acts.push({
        kind,
        tag,
        amount: isByAmount ? amountText(pick([0, int(1, 40), int(1, 4000)]), orders, last) : null,
        lots: isByAmount ? 0 : Math.ceil(lots / pick([1, 10, 100])) + orders,
        limit,
        target: has(0.7) ? best + int(1, 3 + widest) : 0,
        stop: has(0.7) ? Math.max(1, worst - int(1, 3 + widest)) : 0,
        trail: has(0.4) ? int(1, 2 + widest) : 0,
      });
    }
    script.set(closeMs, acts);
  }
  return { seed, trades, script, terms };
}

/** Nothing that whole lots pay exactly. A small one pays for a lot at the last price, and for none if the price rises. */
function amountText(whole: number, order: number, last: number): string {
  if (whole > 0) return `${whole}.${100 + order}4567`;
  return TICK.times(LOT).times(last).plus(new Decimal(100 + order).times('0.0000001')).toFixed(7); // prettier-ignore
}

export interface MinuteBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  high: number;
  low: number;
  last: number;
  lots: number;
}

/** The bars of one minute that the trades make; a minute without trades has none. */
export function barsOf(trades: readonly Trade[]): MinuteBar[] {
  const bars: MinuteBar[] = [];
  for (const { ms, ticks, lots } of trades) {
    const openMs = Math.floor(ms / MINUTE) * MINUTE;
    const bar = bars.at(-1);
    if (bar?.openMs !== openMs) bars.push({ openMs, closeMs: openMs + MINUTE, open: ticks, high: ticks, low: ticks, last: ticks, lots });
    else Object.assign(bar, { high: Math.max(bar.high, ticks), low: Math.min(bar.low, ticks), last: ticks, lots: bar.lots + lots });
  }
  return bars;
}

interface Order {
  readonly tag: string;
  readonly isBuy: boolean;
  readonly limit: number;
  readonly lots: number;
  readonly amount: Decimal | null;
  readonly act: Act | null;
  /** The entry whose target it is. */
  readonly entry: Order | null;
  spent: Decimal;
  filled: number;
  isOpen: boolean;
  hasArrived: boolean;
  isUnwanted: boolean;
  isCollar: boolean;
  /** null: not offered a trade yet. */
  takes: boolean | null;
  ahead: Decimal;
}
interface Guard {
  readonly entry: Order;
  lots: number;
  stop: number;
  trail: number;
  best: number;
  triedMs: number;
}
export interface NaiveFill {
  readonly side: 'buy' | 'sell';
  readonly isMaker: boolean;
  readonly price: string;
  readonly qty: string;
  readonly fee: string;
  readonly ms: number;
}

export class NaiveExchange {
  readonly fills: NaiveFill[] = [];
  readonly equity: [ms: number, units: string][] = [];
  cash: Decimal;
  coins = new Decimal(0);
  private readonly given: Case;
  private readonly orders: Order[] = [];
  private readonly byArrival: Order[] = [];
  private guards: Guard[] = [];
  private due: { readonly ms: number; readonly run: () => void }[] = [];
  stops = 0;
  capped = 0;
  private budget = new Decimal(Infinity);

  constructor(given: Case, cash: string) {
    this.given = given;
    this.cash = new Decimal(cash);
  }

  run(): void {
    const { trades, script } = this.given;
    const closes = [...script.keys()];
    const steps = [...new Set([...trades.map(({ ms }) => ms), ...closes])].toSorted((a, b) => a - b);
    let at = 0;
    for (const ms of steps) {
      this.runDue(ms);
      for (const act of script.get(ms) ?? []) this.decide(act, ms, trades[at - 1]!.ticks);
      const first = at;
      while (trades[at]?.ms === ms) this.trade(at++, ms);
      if (at === first) continue;
      this.cancelCollars(ms + 1);
      const value = this.cash.plus(this.coins.times(TICK.times(trades[at - 1]!.ticks)));
      this.equity.push([ms + 1, value.toFixed(10)]);
    }
  }

  get openTags(): string[] {
    return this.orders.filter(({ isOpen, tag }) => isOpen && tag !== '').map(({ tag }) => tag).toSorted(); // prettier-ignore
  }

  private runDue(ms: number): void {
    for (;;) {
      const [next] = this.due.filter((each) => each.ms <= ms).toSorted((a, b) => a.ms - b.ms);
      if (next === undefined) return;
      this.due.splice(this.due.indexOf(next), 1);
      next.run();
    }
  }
  private later(ms: number, run: () => void): void {
    if (this.given.terms.latencyMs === 0) run();
    else this.due.push({ ms: ms + this.given.terms.latencyMs, run });
  }

  private heldLots(): number {
    return this.coins.div(LOT).floor().toNumber();
  }
  private closingLots(): number {
    return this.orders.filter(({ isOpen, isBuy }) => isOpen && !isBuy).reduce((sum, { lots, filled }) => sum + lots - filled, 0);
  }

  private decide(act: Act, ms: number, last: number): void {
    if (act.kind === 'cancel') return this.cancel(act.tag, ms);
    if (act.kind === 'sell' && act.lots > this.heldLots() - this.closingLots()) return;
    const isCollar = act.kind === 'buy' && act.limit === 0 && act.amount === null;
    const collar = new Decimal(last).times(new Decimal(1).plus(this.given.terms.collar)).floor().toNumber();
    const order = this.make(act.tag, act.kind === 'buy', isCollar ? collar : act.limit, act.lots, act, null);
    order.isCollar = isCollar;
    this.later(ms, () => {
      this.arrive(order);
      if (order.isUnwanted) this.later(ms + this.given.terms.latencyMs, () => (order.isOpen = false));
    });
  }
  private cancel(tag: string, ms: number): void {
    const order = this.orders.find((each) => each.tag === tag && each.isOpen);
    if (order === undefined) return;
    // The cancel of an order that is not acknowledged leaves with the acknowledgement.
    if (order.hasArrived) this.later(ms, () => (order.isOpen = false));
    else order.isUnwanted = true;
  }
  private cancelCollars(ms: number): void {
    for (const order of this.orders) {
      if (!order.isOpen || !order.isCollar || order.takes !== false) continue;
      order.isCollar = false;
      this.capped++;
      this.later(ms, () => (order.isOpen = false));
    }
  }

  private make(tag: string, isBuy: boolean, limit: number, lots: number, act: Act | null, entry: Order | null): Order {
    const alike = (size: number) =>
      this.orders.some((each) => each.isOpen && each.isBuy === isBuy && each.limit === limit && each.amount === null && each.lots === size);
    const amount = act !== null && act.amount !== null ? new Decimal(act.amount) : null;
    let size = lots;
    if (amount === null) while (alike(size)) size--;
    const order: Order = {
      tag, isBuy, limit, lots: size, amount, act, entry, spent: new Decimal(0), filled: 0,
      isOpen: true, hasArrived: false, isUnwanted: false, isCollar: false, takes: null, ahead: new Decimal(0),
    }; // prettier-ignore
    this.orders.push(order);
    return order;
  }

  private trade(at: number, ms: number): void {
    const { ticks, lots, taker } = this.given.trades[at]!;
    const { share, touch, queue } = this.given.terms;
    this.budget = share === '0' ? new Decimal(Infinity) : new Decimal(lots).times(share).floor();
    // The orders that take part: what the trade causes comes later.
    const here = this.byArrival.filter(({ isOpen }) => isOpen);
    for (const guard of this.guards.slice()) {
      const level = guard.trail > 0 ? Math.max(guard.stop, guard.best - guard.trail) : guard.stop;
      if (ticks <= level && guard.triedMs !== ms) this.stop(guard, level, ticks, ms);
    }
    let used = 0;
    for (const order of here) {
      if (!order.isOpen) continue;
      if (order.limit === 0) {
        this.take(order, ticks, ms);
        continue;
      }
      const edge = (price: number) => (order.isBuy ? order.limit - price : price - order.limit);
      if (order.takes === null) {
        order.takes = edge(this.given.trades[Math.max(0, at - 1)]!.ticks) >= 0;
        if (!order.takes) order.ahead = this.aheadAt(at);
      }
      if (order.takes) {
        if (edge(ticks) >= 0) this.take(order, ticks, ms);
        else {
          order.takes = false;
          order.ahead = this.aheadAt(at);
        }
        continue;
      }
      if (edge(ticks) > 0) {
        order.ahead = new Decimal(0);
        this.fill(order, order.limit, order.lots - order.filled, true, ms);
      } else if (edge(ticks) === 0) {
        if (queue === null) {
          if (touch) this.fill(order, order.limit, order.lots - order.filled, true, ms);
        } else if (taker !== (order.isBuy ? 1 : -1)) {
          const left = new Decimal(lots - used);
          const before = Decimal.min(left, order.ahead);
          order.ahead = order.ahead.minus(before);
          used += this.fill(order, order.limit, Math.min(order.lots - order.filled, left.minus(before).toNumber()), true, ms);
        }
      }
    }
    for (const guard of this.guards) guard.best = Math.max(guard.best, ticks);
  }

  private arrive(order: Order): void {
    order.hasArrived = true;
    this.byArrival.push(order);
  }

  private aheadAt(at: number): Decimal {
    const { queue } = this.given.terms;
    if (queue === null) return new Decimal(0);
    const before = this.given.trades.slice(Math.max(0, at - 100), Math.max(1, at));
    const sum = before.reduce((total, { lots }) => total + lots, 0);
    // Without a division that does not come out: the sum is rounded up to whole lots at its end.
    const whole =
      queue.ahead === undefined
        ? ceilDiv(new Decimal(sum).times(queue.aheadTrades!), before.length)
        : new Decimal(queue.ahead).div(LOT).ceil();
    return whole.times(new Decimal(1).minus(queue.cancels ?? '0')).ceil();
  }

  private slipped(order: Order, ticks: number): number {
    const { slippageTicks, slippage } = this.given.terms;
    const worse = slippageTicks + new Decimal(ticks).times(slippage).ceil().toNumber();
    const price = order.isBuy ? ticks + worse : Math.max(1, ticks - worse);
    if (order.limit === 0) return price;
    return order.isBuy ? Math.min(price, order.limit) : Math.max(price, order.limit);
  }

  private take(order: Order, ticks: number, ms: number): void {
    const price = this.slipped(order, ticks);
    const { amount } = order;
    const wanted = amount === null ? order.lots - order.filled : lotsFor(amount.minus(order.spent), price);
    if (wanted === 0) {
      order.isOpen = false;
      return;
    }
    this.fill(order, price, wanted, false, ms);
    if (amount !== null && order.filled > 0 && this.lastFilled === wanted) order.isOpen = false;
  }
  private lastFilled = 0;

  private fill(order: Order, price: number, wanted: number, isMaker: boolean, ms: number): number {
    const lots = Decimal.min(wanted, this.budget).toNumber();
    this.lastFilled = lots;
    if (lots <= 0) return 0;
    this.budget = this.budget.minus(lots);
    order.filled += lots;
    if (order.amount === null && order.filled === order.lots) order.isOpen = false;
    const qty = LOT.times(lots);
    const notional = TICK.times(price).times(qty);
    const { isBuy } = order;
    const isInCoins = isBuy && this.given.terms.feesIn === 'received';
    const fee = (isInCoins ? qty : notional).times(isMaker ? MAKER : TAKER).toDecimalPlaces(isInCoins ? 8 : 7, Decimal.ROUND_HALF_UP);
    order.spent = order.spent.plus(notional);
    this.coins = this.coins.plus(isBuy ? qty : qty.neg()).minus(isInCoins ? fee : 0);
    this.cash = this.cash.plus(isBuy ? notional.neg() : notional).minus(isInCoins ? 0 : fee);
    this.fills.push({
      side: isBuy ? 'buy' : 'sell',
      isMaker,
      price: TICK.times(price).toFixed(),
      qty: qty.toFixed(),
      fee: fee.toFixed(),
      ms,
    });
    if (order.entry !== null) this.legFilled(order.entry, lots);
    else if (isBuy) this.entryFilled(order, price, lots);
    return lots;
  }

  private entryFilled(order: Order, price: number, lots: number): void {
    const { stop = 0, trail = 0, target = 0 } = order.act ?? {};
    if (stop > 0 || trail > 0) {
      const known = this.guards.find(({ entry }) => entry === order);
      if (known === undefined) this.guards.push({ entry: order, lots, stop, trail, best: price, triedMs: NaN });
      else known.lots += lots;
    }
    if (target === 0) return;
    const leg = this.make('', false, target, lots, null, order);
    this.arrive(leg);
  }
  private legFilled(entry: Order, lots: number): void {
    const guard = this.guards.find((each) => each.entry === entry);
    if (guard === undefined) return;
    guard.lots -= lots;
    if (guard.lots <= 0 || this.heldLots() === 0) this.guards = this.guards.filter((each) => each !== guard);
  }

  private stop(guard: Guard, level: number, ticks: number, ms: number): void {
    const { entry } = guard;
    this.stops++;
    this.guards = this.guards.filter((each) => each !== guard);
    for (const order of this.orders) {
      if (!order.isOpen) continue;
      if (order.entry === entry) order.isOpen = false;
      else if (order === entry) this.later(ms + 1, () => (order.isOpen = false));
    }
    const leg = this.make('', false, 0, guard.lots, null, null);
    this.fill(leg, this.slipped(leg, ticks), guard.lots, false, ms);
    leg.isOpen = false;
    const left = guard.lots - leg.filled;
    if (left > 0) this.guards.push({ entry, lots: left, stop: level, trail: 0, best: level, triedMs: ms });
  }
}

const lotsFor = (amount: Decimal, price: number): number => amount.div(TICK.times(price).times(LOT)).floor().toNumber();

/** Rounded up, from whole parts of a quotient and its remainder. */
function ceilDiv(value: Decimal, by: number): Decimal {
  const whole = value.div(by).floor();
  return value.minus(whole.times(by)).gt(0) ? whole.plus(1) : whole;
}
