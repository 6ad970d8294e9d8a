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
  isCancelRequested: boolean;
  /** True for a market buy by quantity, which carries a limit at the collar. */
  isCollared: boolean;
  /** True while the order takes liquidity, false once it rests; null before the first trade that it could meet. */
  isTaker: boolean | null;
  /** Lots that stand in the queue ahead of the resting order. */
  lotsAhead: Decimal;
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
  takenLots: number;
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
  /** The equity after each millisecond with trades, as an exact decimal in quote. */
  readonly equity: { readonly ms: number; readonly value: string }[] = [];
  cash: Decimal;
  coins = new Decimal(0);
  /** Number of stops that have fired. */
  firedStops = 0;
  /** Number of market buys that came to rest at their collar. */
  restedAtCollar = 0;
  private readonly testCase: Case;
  private readonly orders: Order[] = [];
  /** The orders that have arrived, the earliest first. */
  private readonly byArrival: Order[] = [];
  /** The stops of all entries that have filled. */
  private entryStops: EntryStops[] = [];
  /** Requests on their way: when they arrive, and what they do then. */
  private delayed: { readonly ms: number; readonly run: () => void }[] = [];
  /** Lots of the current trade that orders may still fill. */
  private remainingLots = new Decimal(Infinity);

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
      for (const act of script.get(ms) ?? []) this.carryOut(act, ms, trades[nextTrade - 1]!.ticks);
      const firstTrade = nextTrade;
      while (trades[nextTrade]?.ms === ms) this.applyTrade(nextTrade++);
      if (nextTrade === firstTrade) continue;
      // A millisecond ends when its last trade is in: collars are cancelled and equity is taken after it.
      this.cancelCollars(ms + 1);
      const value = this.cash.plus(this.coins.times(TICK.times(trades[nextTrade - 1]!.ticks)));
      this.equity.push({ ms: ms + 1, value: value.toFixed(10) });
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
  private carryOut(act: Act, ms: number, last: number): void {
    if (act.kind === 'cancel') return this.cancel(act.tag, ms);
    if (act.kind === 'sell' && act.lots > this.heldLots() - this.closingLots()) return;
    const isCollared = act.kind === 'buy' && act.limit === 0 && act.amount === null;
    const collar = new Decimal(last).times(new Decimal(1).plus(this.testCase.terms.collar)).floor().toNumber();
    const limit = isCollared ? collar : act.limit;
    const order = this.open({ tag: act.tag, isBuy: act.kind === 'buy', limit, lots: act.lots, act });
    order.isCollared = isCollared;
    this.afterLatency(ms, () => {
      this.arrive(order);
      if (order.isCancelRequested) this.afterLatency(ms + this.testCase.terms.latencyMs, () => close(order));
    });
  }
  /** Cancels the open order with a tag after the latency, if there is one. */
  private cancel(tag: string, ms: number): void {
    const order = this.orders.find((candidate) => candidate.tag === tag && candidate.isOpen);
    if (order === undefined) return;
    // The cancel of an order that is not acknowledged yet leaves with the acknowledgement.
    if (order.hasArrived) this.afterLatency(ms, () => close(order));
    else order.isCancelRequested = true;
  }
  /** Cancels market buys that have come to rest at their collar. */
  private cancelCollars(ms: number): void {
    for (const order of this.orders) {
      const rests = order.isTaker === false;
      if (!order.isOpen || !order.isCollared || !rests) continue;
      order.isCollared = false;
      this.restedAtCollar++;
      this.afterLatency(ms, () => close(order));
    }
  }

  /** Returns the whole lots that the account holds. */
  private heldLots(): number {
    return this.coins.div(LOT).floor().toNumber();
  }
  /** Lots that open sells would still sell. */
  private closingLots(): number {
    const sells = this.orders.filter(({ isOpen, isBuy }) => isOpen && !isBuy);
    return sells.reduce((sum, { lots, filled }) => sum + lots - filled, 0);
  }

  /** Adds an order. Makes it one lot smaller as long as an open order has the same fingerprint. */
  private open({ tag = '', isBuy, limit, lots, act, entry }: NewOrder): Order {
    const amount = act?.amount == null ? null : new Decimal(act.amount);
    const isLikeNewOrder = (other: Order) => other.isOpen && other.isBuy === isBuy && other.limit === limit && other.amount === null;
    const isTaken = (size: number) => this.orders.some((other) => isLikeNewOrder(other) && other.lots === size);
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
      isCancelRequested: false,
      isCollared: false,
      isTaker: null,
      lotsAhead: new Decimal(0),
    };
    this.orders.push(order);
    return order;
  }
  /** Records that an order has arrived at the exchange. */
  private arrive(order: Order): void {
    order.hasArrived = true;
    this.byArrival.push(order);
  }

  /** Lets one trade meet the open orders in the order of their arrival, after the stops that it triggers. */
  private applyTrade(index: number): void {
    const step: TradeStep = { ...this.testCase.trades[index]!, index, takenLots: 0 };
    const { share } = this.testCase.terms;
    this.remainingLots = share === '0' ? new Decimal(Infinity) : new Decimal(step.lots).times(share).floor();
    // Orders that this trade causes meet the next trade, so the list is taken before the stops fire.
    const orders = this.byArrival.filter(({ isOpen }) => isOpen);
    this.fireStops(step);
    for (const order of orders) if (order.isOpen) this.meet(order, step);
    for (const stops of this.entryStops) stops.best = Math.max(stops.best, step.ticks);
  }

  /** Fires the stops that the price of a trade reaches. */
  private fireStops({ ticks, ms }: TradeStep): void {
    for (const stops of this.entryStops.slice()) {
      const level = stops.trail > 0 ? Math.max(stops.stop, stops.best - stops.trail) : stops.stop;
      if (ticks <= level && stops.lastTriedMs !== ms) this.fireStop(stops, level, { ticks, ms });
    }
  }

  /** Lets one order meet one trade. */
  private meet(order: Order, step: TradeStep): void {
    if (order.limit === 0) return this.take(order, step);
    // How far a price is on the good side of the limit, in ticks.
    const edgeOf = (price: number) => (order.isBuy ? order.limit - price : price - order.limit);
    const edge = edgeOf(step.ticks);
    if (order.isTaker === null) {
      const previous = this.testCase.trades[Math.max(0, step.index - 1)]!;
      if (edgeOf(previous.ticks) >= 0) order.isTaker = true;
      else this.rest(order, step);
    }
    if (order.isTaker === false) this.fillResting(order, edge, step);
    else if (edge >= 0) this.take(order, step);
    else this.rest(order, step);
  }

  /** Lets an order rest, behind the queue of this moment. */
  private rest(order: Order, { index }: TradeStep): void {
    order.isTaker = false;
    order.lotsAhead = this.queueAhead(index);
  }

  /** Fills a resting order. `edge`: how far the trade is beyond its limit, in ticks. */
  private fillResting(order: Order, edge: number, step: TradeStep): void {
    const { fillsAtTouch, queue } = this.testCase.terms;
    const { lots, taker, ms } = step;
    const remainingLots = order.lots - order.filled;
    const isTakerOnSameSide = taker === (order.isBuy ? 1 : -1);
    const atLimit = { price: order.limit, isMaker: true, ms };
    if (edge > 0) {
      order.lotsAhead = new Decimal(0);
      this.fill(order, { ...atLimit, lots: remainingLots });
    } else if (edge === 0 && queue === null) {
      if (fillsAtTouch) this.fill(order, { ...atLimit, lots: remainingLots });
    } else if (edge === 0 && !isTakerOnSameSide) {
      // The trade first fills the queue ahead, then the order.
      const unused = new Decimal(lots - step.takenLots);
      const takenAhead = Decimal.min(unused, order.lotsAhead);
      order.lotsAhead = order.lotsAhead.minus(takenAhead);
      step.takenLots += this.fill(order, { ...atLimit, lots: Math.min(remainingLots, unused.minus(takenAhead).toNumber()) });
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
    const lots = Decimal.min(maxLots, this.remainingLots).toNumber();
    if (lots <= 0) return 0;
    this.remainingLots = this.remainingLots.minus(lots);
    order.filled += lots;
    if (order.amount === null && order.filled === order.lots) close(order);
    const qty = LOT.times(lots);
    const notional = TICK.times(price).times(qty);
    const { isBuy } = order;
    const paysInCoins = isBuy && this.testCase.terms.feesIn === 'received';
    const exactFee = (paysInCoins ? qty : notional).times(isMaker ? MAKER : TAKER);
    // A coin has 8 decimals, and the quote asset 7.
    const fee = exactFee.toDecimalPlaces(paysInCoins ? 8 : 7, Decimal.ROUND_HALF_UP);
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
      const stops = this.entryStops.find(({ entry }) => entry === order);
      if (stops === undefined) this.entryStops.push({ entry: order, lots, stop, trail, best: price, lastTriedMs: NaN });
      else stops.lots += lots;
    }
    if (target > 0) this.arrive(this.open({ isBuy: false, limit: target, lots, entry: order }));
  }
  /** Takes the sold lots of a take-profit off the stops of its entry. */
  private onTakeProfitFilled(entry: Order, lots: number): void {
    const stops = this.entryStops.find((candidate) => candidate.entry === entry);
    if (stops === undefined) return;
    stops.lots -= lots;
    if (stops.lots <= 0 || this.heldLots() === 0) this.removeStops(stops);
  }

  /** Sells the lots of an entry at the market, cancels its take-profits at once, and the rest of its entry after the latency. */
  private fireStop(stops: EntryStops, level: number, { ticks, ms }: Pick<TradeStep, 'ticks' | 'ms'>): void {
    const { entry } = stops;
    this.firedStops++;
    this.removeStops(stops);
    for (const order of this.orders) {
      if (!order.isOpen) continue;
      if (order.entry === entry) close(order);
      else if (order === entry) this.afterLatency(ms + 1, () => close(order));
    }
    const leg = this.open({ isBuy: false, limit: 0, lots: stops.lots });
    this.fill(leg, { price: this.slippedPrice(leg, ticks), lots: stops.lots, isMaker: false, ms });
    close(leg);
    const unsold = stops.lots - leg.filled;
    if (unsold > 0) this.entryStops.push({ entry, lots: unsold, stop: level, trail: 0, best: level, lastTriedMs: ms });
  }
  private removeStops(stops: EntryStops): void {
    this.entryStops = this.entryStops.filter((other) => other !== stops);
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
