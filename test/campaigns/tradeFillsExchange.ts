// A naive exchange that fills orders against single trades in decimals, written from docs/matching.md#trades and independent of src.

import { Decimal } from '../../src/base/number/decimal.ts';
import { LOT, TICK, type Act, type Case } from './tradeFillsCases.ts';

/** Maker fee as a decimal fraction. */
export const MAKER = '0.001';
/** Taker fee as a decimal fraction. */
export const TAKER = '0.0023';
/** The queue ahead of a limit comes from the mean size of this many trades before it. */
const QUEUE_TRADES = 100;

/** A working order of the exchange. */
interface Order {
  readonly tag: string;
  readonly isBuy: boolean;
  /** Ticks; 0 is a market order. */
  readonly limit: number;
  readonly lots: number;
  /** Quote amount of a market buy by amount; null for an order by quantity. */
  readonly amount: Decimal | null;
  /** The act that placed the order; null for a leg of a bracket. */
  readonly act: Act | null;
  /** The entry that a take-profit belongs to; null for every other order. */
  readonly entry: Order | null;
  spent: Decimal;
  filled: number;
  isOpen: boolean;
  hasArrived: boolean;
  /** True when the script cancelled the order before the exchange had it. */
  isUnwanted: boolean;
  /** True for a market buy by quantity, which carries a limit at the collar. */
  isCollar: boolean;
  /** True while the order takes liquidity, false once it rests; null before the first trade that it could meet. */
  takes: boolean | null;
  /** Lots that stand in the queue ahead of the resting order. */
  ahead: Decimal;
}
/** The terms of an order. */
interface NewOrder {
  readonly tag?: string;
  readonly isBuy: boolean;
  readonly limit: number;
  readonly lots: number;
  readonly act?: Act;
  readonly entry?: Order;
}
/** The stop-loss and the trailing stop of one entry. Prices are in ticks. */
interface EntryStops {
  readonly entry: Order;
  lots: number;
  stop: number;
  trail: number;
  /** Highest price since the entry filled. */
  best: number;
  /** The time at which the stop fired and sold less than it had to. It does not fire twice at the same time. */
  lastTriedMs: number;
}
/** One trade as the orders meet it. */
interface TradeStep {
  readonly index: number;
  readonly ms: number;
  readonly ticks: number;
  readonly lots: number;
  readonly taker: number;
  /** Lots of the trade that orders in the queue have already taken. */
  used: number;
}
/** The terms of one fill. */
interface FillTerms {
  /** Ticks. */
  readonly price: number;
  readonly lots: number;
  readonly isMaker: boolean;
  readonly ms: number;
}
/** One fill. Price, quantity and fee are exact decimals as text. */
export interface NaiveFill {
  readonly side: 'buy' | 'sell';
  readonly isMaker: boolean;
  readonly price: string;
  readonly qty: string;
  readonly fee: string;
  readonly ms: number;
}

/** The exchange with one account, its orders and its equity. */
export class NaiveExchange {
  readonly fills: NaiveFill[] = [];
  readonly equity: [ms: number, value: string][] = [];
  cash: Decimal;
  coins = new Decimal(0);
  /** How many stops have fired. */
  stops = 0;
  /** How many market buys came to rest at their collar. */
  capped = 0;
  private readonly testCase: Case;
  private readonly orders: Order[] = [];
  private readonly byArrival: Order[] = [];
  private guards: EntryStops[] = [];
  private delayed: { readonly ms: number; readonly run: () => void }[] = [];
  /** Lots of the current trade that orders may still fill. */
  private budget = new Decimal(Infinity);

  constructor(testCase: Case, cash: string) {
    this.testCase = testCase;
    this.cash = new Decimal(cash);
  }

  /** Plays all trades. At an equal time, requests arrive first, then the script decides, then the trades meet the orders. */
  run(): void {
    const { trades, script } = this.testCase;
    const times = [...new Set([...trades.map(({ ms }) => ms), ...script.keys()])].toSorted((first, second) => first - second);
    let nextTrade = 0;
    for (const ms of times) {
      this.runDelayed(ms);
      for (const act of script.get(ms) ?? []) this.decide(act, ms, trades[nextTrade - 1]!.ticks);
      const firstTrade = nextTrade;
      while (trades[nextTrade]?.ms === ms) this.trade(nextTrade++);
      if (nextTrade === firstTrade) continue;
      // A millisecond ends when its last trade is in: collars are cancelled and equity is taken after it.
      this.cancelCollars(ms + 1);
      const value = this.cash.plus(this.coins.times(TICK.times(trades[nextTrade - 1]!.ticks)));
      this.equity.push([ms + 1, value.toFixed(10)]);
    }
  }

  /** The tags of the open orders of the script, sorted. */
  get openTags(): string[] {
    const open = this.orders.filter(({ isOpen, tag }) => isOpen && tag !== '');
    return open.map(({ tag }) => tag).toSorted();
  }

  /** Carries out the requests that have arrived by this time, the earliest first. */
  private runDelayed(untilMs: number): void {
    for (;;) {
      const [next] = this.delayed.filter(({ ms }) => ms <= untilMs).toSorted((first, second) => first.ms - second.ms);
      if (next === undefined) return;
      this.delayed.splice(this.delayed.indexOf(next), 1);
      next.run();
    }
  }
  /** Carries out a request after the latency. */
  private afterLatency(ms: number, run: () => void): void {
    const { latencyMs } = this.testCase.terms;
    if (latencyMs === 0) run();
    else this.delayed.push({ ms: ms + latencyMs, run });
  }

  /** Carries out what the strategy has decided, after the latency. */
  private decide(act: Act, ms: number, last: number): void {
    if (act.kind === 'cancel') return this.cancel(act.tag, ms);
    if (act.kind === 'sell' && act.lots > this.heldLots() - this.closingLots()) return;
    const isCollar = act.kind === 'buy' && act.limit === 0 && act.amount === null;
    const collar = new Decimal(last).times(new Decimal(1).plus(this.testCase.terms.collar)).floor().toNumber();
    const limit = isCollar ? collar : act.limit;
    const order = this.open({ tag: act.tag, isBuy: act.kind === 'buy', limit, lots: act.lots, act });
    order.isCollar = isCollar;
    this.afterLatency(ms, () => {
      this.arrive(order);
      if (order.isUnwanted) this.afterLatency(ms + this.testCase.terms.latencyMs, () => close(order));
    });
  }
  private cancel(tag: string, ms: number): void {
    const order = this.orders.find((candidate) => candidate.tag === tag && candidate.isOpen);
    if (order === undefined) return;
    // The cancel of an order that is not acknowledged yet leaves with the acknowledgement.
    if (order.hasArrived) this.afterLatency(ms, () => close(order));
    else order.isUnwanted = true;
  }
  /** Cancels market buys that have come to rest at their collar. */
  private cancelCollars(ms: number): void {
    for (const order of this.orders) {
      const rests = order.takes === false;
      if (!order.isOpen || !order.isCollar || !rests) continue;
      order.isCollar = false;
      this.capped++;
      this.afterLatency(ms, () => close(order));
    }
  }

  private heldLots(): number {
    return this.coins.div(LOT).floor().toNumber();
  }
  /** Lots that open sells would still sell. */
  private closingLots(): number {
    const sells = this.orders.filter(({ isOpen, isBuy }) => isOpen && !isBuy);
    return sells.reduce((sum, { lots, filled }) => sum + lots - filled, 0);
  }

  /** Adds an order. It takes one lot off as long as an open order has the same fingerprint. */
  private open({ tag = '', isBuy, limit, lots, act, entry }: NewOrder): Order {
    const amount = act?.amount == null ? null : new Decimal(act.amount);
    const isTaken = (size: number) =>
      this.orders.some(
        (other) => other.isOpen && other.isBuy === isBuy && other.limit === limit && other.amount === null && other.lots === size,
      );
    let uniqueLots = lots;
    if (amount === null) while (isTaken(uniqueLots)) uniqueLots--;
    const order: Order = {
      tag,
      isBuy,
      limit,
      lots: uniqueLots,
      amount,
      act: act ?? null,
      entry: entry ?? null,
      spent: new Decimal(0),
      filled: 0,
      isOpen: true,
      hasArrived: false,
      isUnwanted: false,
      isCollar: false,
      takes: null,
      ahead: new Decimal(0),
    };
    this.orders.push(order);
    return order;
  }
  /** Notes that an order has arrived at the exchange. */
  private arrive(order: Order): void {
    order.hasArrived = true;
    this.byArrival.push(order);
  }

  /** Lets one trade meet the open orders in the order of their arrival, after the stops that it triggers. */
  private trade(index: number): void {
    const step: TradeStep = { ...this.testCase.trades[index]!, index, used: 0 };
    const { share } = this.testCase.terms;
    this.budget = share === '0' ? new Decimal(Infinity) : new Decimal(step.lots).times(share).floor();
    // Orders that this trade causes meet the next trade, so the list is taken before the stops fire.
    const orders = this.byArrival.filter(({ isOpen }) => isOpen);
    this.fireStops(step);
    for (const order of orders) if (order.isOpen) this.meet(order, step);
    for (const guard of this.guards) guard.best = Math.max(guard.best, step.ticks);
  }

  private fireStops({ ticks, ms }: TradeStep): void {
    for (const guard of this.guards.slice()) {
      const level = guard.trail > 0 ? Math.max(guard.stop, guard.best - guard.trail) : guard.stop;
      if (ticks <= level && guard.lastTriedMs !== ms) this.fireStop(guard, level, { ticks, ms });
    }
  }

  /** Lets one order meet one trade. */
  private meet(order: Order, step: TradeStep): void {
    if (order.limit === 0) return this.take(order, step);
    // How far a price is on the good side of the limit, in ticks.
    const edgeOf = (price: number) => (order.isBuy ? order.limit - price : price - order.limit);
    const edge = edgeOf(step.ticks);
    if (order.takes === null) {
      const previous = this.testCase.trades[Math.max(0, step.index - 1)]!;
      if (edgeOf(previous.ticks) >= 0) order.takes = true;
      else this.rest(order, step);
    }
    if (order.takes === false) this.fillResting(order, edge, step);
    else if (edge >= 0) this.take(order, step);
    else this.rest(order, step);
  }

  /** Lets an order rest, behind the queue of this moment. */
  private rest(order: Order, { index }: TradeStep): void {
    order.takes = false;
    order.ahead = this.queueAhead(index);
  }

  /** Fills a resting order. `edge`: how far the trade is beyond its limit, in ticks. */
  private fillResting(order: Order, edge: number, step: TradeStep): void {
    const { touch, queue } = this.testCase.terms;
    const { lots, taker, ms } = step;
    const remaining = order.lots - order.filled;
    const atLimit = { price: order.limit, isMaker: true, ms };
    if (edge > 0) {
      order.ahead = new Decimal(0);
      this.fill(order, { ...atLimit, lots: remaining });
    } else if (edge === 0 && queue === null) {
      if (touch) this.fill(order, { ...atLimit, lots: remaining });
    } else if (edge === 0 && taker !== (order.isBuy ? 1 : -1)) {
      // The trade first fills the queue ahead, then the order.
      const unused = new Decimal(lots - step.used);
      const takenAhead = Decimal.min(unused, order.ahead);
      order.ahead = order.ahead.minus(takenAhead);
      step.used += this.fill(order, { ...atLimit, lots: Math.min(remaining, unused.minus(takenAhead).toNumber()) });
    }
  }

  /** Returns the lots ahead of a limit that begins to rest before trade `index`. */
  private queueAhead(index: number): Decimal {
    const { queue } = this.testCase.terms;
    if (queue === null) return new Decimal(0);
    const recent = this.testCase.trades.slice(Math.max(0, index - QUEUE_TRADES), Math.max(1, index));
    const sum = recent.reduce((total, { lots }) => total + lots, 0);
    // The mean may have endless decimals, so the exact product is divided last, and rounded up to whole lots.
    const ahead =
      queue.ahead === undefined
        ? divideUp(new Decimal(sum).times(queue.aheadTrades!), recent.length)
        : new Decimal(queue.ahead).div(LOT).ceil();
    return ahead.times(new Decimal(1).minus(queue.cancels ?? '0')).ceil();
  }

  /** Returns the price of a taker fill, in ticks: slippage makes it worse, but never worse than the limit. */
  private slippedPrice(order: Order, ticks: number): number {
    const { slippageTicks, slippage } = this.testCase.terms;
    const worse = slippageTicks + new Decimal(ticks).times(slippage).ceil().toNumber();
    const price = order.isBuy ? ticks + worse : Math.max(1, ticks - worse);
    if (order.limit === 0) return price;
    return order.isBuy ? Math.min(price, order.limit) : Math.max(price, order.limit);
  }

  /** Fills an order that takes, at the price of the trade with slippage. */
  private take(order: Order, { ticks, ms }: Pick<TradeStep, 'ticks' | 'ms'>): void {
    const price = this.slippedPrice(order, ticks);
    const { amount } = order;
    const fillable = amount === null ? order.lots - order.filled : affordableLots(amount.minus(order.spent), price);
    if (fillable === 0) return close(order);
    const filled = this.fill(order, { price, lots: fillable, isMaker: false, ms });
    if (amount !== null && order.filled > 0 && filled === fillable) close(order);
  }

  /** Books a fill of at most the lots that the trade still allows. Returns the lots that filled; 0 books nothing. */
  private fill(order: Order, { price, lots: maxLots, isMaker, ms }: FillTerms): number {
    const lots = Decimal.min(maxLots, this.budget).toNumber();
    if (lots <= 0) return 0;
    this.budget = this.budget.minus(lots);
    order.filled += lots;
    if (order.amount === null && order.filled === order.lots) close(order);
    const qty = LOT.times(lots);
    const notional = TICK.times(price).times(qty);
    const { isBuy } = order;
    const paysInCoins = isBuy && this.testCase.terms.feesIn === 'received';
    const fee = (paysInCoins ? qty : notional).times(isMaker ? MAKER : TAKER).toDecimalPlaces(paysInCoins ? 8 : 7, Decimal.ROUND_HALF_UP);
    order.spent = order.spent.plus(notional);
    this.coins = this.coins.plus(isBuy ? qty : qty.neg()).minus(paysInCoins ? fee : 0);
    this.cash = this.cash.plus(isBuy ? notional.neg() : notional).minus(paysInCoins ? 0 : fee);
    this.fills.push({
      side: isBuy ? 'buy' : 'sell',
      isMaker,
      price: TICK.times(price).toFixed(),
      qty: qty.toFixed(),
      fee: fee.toFixed(),
      ms,
    });
    if (order.entry !== null) this.onTakeProfitFilled(order.entry, lots);
    else if (isBuy) this.onEntryFilled(order, price, lots);
    return lots;
  }

  /** Protects the filled lots of an entry by its stop and its target. */
  private onEntryFilled(order: Order, price: number, lots: number): void {
    const { stop = 0, trail = 0, target = 0 } = order.act ?? {};
    if (stop > 0 || trail > 0) {
      const guard = this.guards.find(({ entry }) => entry === order);
      if (guard === undefined) this.guards.push({ entry: order, lots, stop, trail, best: price, lastTriedMs: NaN });
      else guard.lots += lots;
    }
    if (target > 0) this.arrive(this.open({ isBuy: false, limit: target, lots, entry: order }));
  }
  private onTakeProfitFilled(entry: Order, lots: number): void {
    const guard = this.guards.find((candidate) => candidate.entry === entry);
    if (guard === undefined) return;
    guard.lots -= lots;
    if (guard.lots <= 0 || this.heldLots() === 0) this.remove(guard);
  }

  /** Sells the lots of a guard at the market, cancels its take-profits at once, and the rest of its entry after the latency. */
  private fireStop(guard: EntryStops, level: number, { ticks, ms }: Pick<TradeStep, 'ticks' | 'ms'>): void {
    const { entry } = guard;
    this.stops++;
    this.remove(guard);
    for (const order of this.orders) {
      if (!order.isOpen) continue;
      if (order.entry === entry) close(order);
      else if (order === entry) this.afterLatency(ms + 1, () => close(order));
    }
    const leg = this.open({ isBuy: false, limit: 0, lots: guard.lots });
    this.fill(leg, { price: this.slippedPrice(leg, ticks), lots: guard.lots, isMaker: false, ms });
    close(leg);
    const unsold = guard.lots - leg.filled;
    if (unsold > 0) this.guards.push({ entry, lots: unsold, stop: level, trail: 0, best: level, lastTriedMs: ms });
  }
  private remove(guard: EntryStops): void {
    this.guards = this.guards.filter((other) => other !== guard);
  }
}

/** Ends an order. */
function close(order: Order): void {
  order.isOpen = false;
}

/** Returns the whole lots that the amount pays for at a price in ticks. */
const affordableLots = (amount: Decimal, price: number): number => amount.div(TICK.times(price).times(LOT)).floor().toNumber();

/** Returns the quotient, rounded up to a whole number. */
function divideUp(value: Decimal, divisor: number): Decimal {
  const whole = value.div(divisor).floor();
  return value.minus(whole.times(divisor)).gt(0) ? whole.plus(1) : whole;
}
