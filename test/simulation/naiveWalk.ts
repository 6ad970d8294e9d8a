// A second, naive exchange and account for tests: it visits every time at which anything happens, straight from docs/matching.md and
// docs/event-order.md, with BigInt money and sums made anew at each bar. It shares no code with the engine or the venue.

import type { BarColumns } from '../../src/model/bars.ts';

export interface NaiveOrder {
  readonly id: number;
  readonly symbol: number;
  readonly isBuy: boolean;
  /** Ticks; 0 for a market order. */
  readonly limit: bigint;
  /** Lots of 0.001; for a market buy the amount in quote units of 10^-8. */
  readonly lots: bigint;
  readonly amount: bigint;
  readonly bornMs: number;
  admittedMs: number;
  filled: bigint;
  state: 'flying' | 'resting' | 'done';
  cancelMs: number;
}

export interface NaiveFill {
  readonly orderId: number;
  readonly symbol: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly lots: number;
  readonly fee: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

/** What a naive strategy may see and do: the same as the real one, in its own terms. */
export interface NaiveView {
  readonly nowMs: number;
  /** Average of the last `bars` closes of a symbol in exact terms: sum of ticks, or null before there are so many. */
  sum(symbol: number, bars: number, ago?: number): number | null;
  close(symbol: number): bigint;
  isFlat(symbol: number): boolean;
  sellable(symbol: number): bigint;
  open(symbol: number): NaiveOrder[];
  place(symbol: number, isBuy: boolean, limit: bigint, lots: bigint, amount: bigint): void;
  cancel(order: NaiveOrder): void;
}

export interface NaiveResult {
  readonly fills: NaiveFill[];
  readonly equity: { readonly timeMs: number; readonly units: bigint }[];
}

const LOT = 100_000n; // base units of 10^-8 in a lot of 0.001
const ticksOf = (price: number) => BigInt(Math.round(price * 100));
const halfUp = (value: bigint, by: bigint) => (value + by / 2n) / by;

export function naiveWalk(
  feeds: readonly BarColumns[],
  latencyMs: number,
  fees: { readonly maker: bigint; readonly taker: bigint },
  cash: bigint,
  decide: (view: NaiveView) => void,
): NaiveResult {
  const orders: NaiveOrder[] = [];
  const base = feeds.map(() => 0n);
  const delivered = feeds.map(() => 0);
  const fills: NaiveFill[] = [];
  const equity: { timeMs: number; units: bigint }[] = [];
  let money = cash;

  const rowClosing = (symbol: number, t: number) => feeds[symbol]!.closeMs.indexOf(t);
  const fill = (order: NaiveOrder, price: bigint, lots: bigint, isMaker: boolean, timeMs: number) => {
    const notional = price * lots * 1000n; // ticks of 10^-2 x lots of 10^-3 to units of 10^-8
    const ppm = isMaker ? fees.maker : fees.taker;
    const fee = order.isBuy ? halfUp(lots * LOT * ppm, 1_000_000n) : halfUp(notional * ppm, 1_000_000n);
    money += order.isBuy ? -notional : notional - fee;
    base[order.symbol]! += order.isBuy ? lots * LOT - fee : -lots * LOT;
    order.filled += lots;
    if (order.limit === 0n || order.filled === order.lots) order.state = 'done';
    fills.push({ orderId: order.id, symbol: order.symbol, isBuy: order.isBuy, price: Number(price), lots: Number(lots), fee: Number(fee), isMaker, timeMs });
  };
  const match = (symbol: number, row: number) => {
    const bars = feeds[symbol]!;
    const [open, high, low] = [ticksOf(bars.open[row]!), ticksOf(bars.high[row]!), ticksOf(bars.low[row]!)];
    const [openMs, closeMs] = [bars.openMs[row]!, bars.closeMs[row]!];
    const waiting = () => orders.filter((order) => order.symbol === symbol && order.state === 'resting' && order.admittedMs <= openMs).toSorted((x, y) => x.admittedMs - y.admittedMs || x.id - y.id);
    const isMarketable = (order: NaiveOrder) => order.limit === 0n || (order.isBuy ? open <= order.limit : open >= order.limit);
    for (const order of waiting()) {
      if (!isMarketable(order)) continue;
      const lots = order.amount > 0n ? order.amount / (open * 1000n) : order.lots;
      if (lots > 0n) fill(order, open, lots, false, openMs);
      else order.state = 'done';
    }
    for (const order of waiting()) if (order.isBuy ? low < order.limit : high > order.limit) fill(order, order.limit, order.lots, true, closeMs);
    for (const order of orders) if (order.symbol === symbol && order.state === 'resting' && order.cancelMs <= closeMs) order.state = 'done';
  };
  const arrive = (t: number) => {
    for (const order of orders) {
      if (order.state === 'flying' && order.bornMs + latencyMs <= t) {
        order.state = 'resting';
        order.admittedMs = order.bornMs + latencyMs;
      }
      // A cancel that arrives while a row is running waits for its end.
      const next = feeds[order.symbol]!.openMs[delivered[order.symbol]!];
      if (order.state === 'resting' && order.cancelMs <= t && !(latencyMs > 0 && next !== undefined && next < order.cancelMs)) order.state = 'done';
    }
  };

  const view: Omit<NaiveView, 'nowMs'> = {
    sum(symbol, bars, ago = 0) {
      const end = delivered[symbol]! - ago;
      if (end < bars) return null;
      let sum = 0;
      for (let row = end - bars; row < end; row++) sum += Number(ticksOf(feeds[symbol]!.close[row]!));
      return sum;
    },
    close: (symbol) => ticksOf(feeds[symbol]!.close[delivered[symbol]! - 1]!),
    isFlat: (symbol) => base[symbol]! < LOT,
    sellable: (symbol) => base[symbol]! / LOT,
    open: (symbol) => orders.filter((order) => order.symbol === symbol && order.state !== 'done'),
    place: () => {},
    cancel: () => {},
  };

  const times = new Set(feeds.flatMap((bars) => [...bars.closeMs]));
  const queue = [...times];
  for (;;) {
    queue.sort((x, y) => x - y);
    const t = queue.shift();
    if (t === undefined) break;
    while (queue[0] === t) queue.shift();
    // Bars that closed before t have been delivered; now what is due, then rows, then decisions.
    arrive(t);
    const fresh = feeds.map((_, symbol) => rowClosing(symbol, t));
    fresh.forEach((row, symbol) => row >= 0 && match(symbol, row));
    fresh.forEach((row, symbol) => row >= 0 && (delivered[symbol] = row + 1));
    if (fresh.every((row) => row < 0)) continue;
    decide({
      ...view,
      nowMs: t,
      place(symbol, isBuy, limit, lots, amount) {
        const id = orders.length + 1;
        orders.push({ id, symbol, isBuy, limit, lots, amount, bornMs: t, admittedMs: t, filled: 0n, state: latencyMs === 0 ? 'resting' : 'flying', cancelMs: Infinity });
        if (latencyMs > 0) queue.push(t + latencyMs);
      },
      cancel(order) {
        if (order.state !== 'resting' || order.cancelMs < Infinity) return;
        order.cancelMs = t + latencyMs;
        if (latencyMs === 0) order.state = 'done';
        else queue.push(t + latencyMs);
      },
    });
    const worth = feeds.reduce((sum, bars, symbol) => {
      const row = delivered[symbol]! - 1;
      return row < 0 || base[symbol] === 0n ? sum : sum + halfUp(base[symbol]! * ticksOf(bars.close[row]!), 100n);
    }, money);
    equity.push({ timeMs: t, units: worth });
  }
  return { fills, equity };
}
