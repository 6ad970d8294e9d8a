// The engine equals a naive walk over the sorted times: the same fills and the same equity at every instant, to the last unit.
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../src/app/runBacktest.ts';
import { crossedDown, crossedUp, sma, Strategy } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars.ts';
import type { RunRecord } from '../../src/model/run.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { naiveWalk, type NaiveResult, type NaiveView } from './naiveWalk.ts';
import { feed, minutes, planOf } from './plans.ts';

const [FAST, SLOW] = [5, 12];
/** Sums of doubles miss the grid by a hair, which would be rounded a whole tick toward less risk. */
const cents = (price: number) => Math.round(price * 100) / 100;

/** Market orders on crossings, an amount to buy and all to sell, when nothing is open. */
class Market extends Strategy {
  legs = this.feeds('all').map((one) => {
    const [fast, slow] = [sma(one.close, FAST), sma(one.close, SLOW)];
    return { feed: one, up: this.use(crossedUp(fast, slow)), down: this.use(crossedDown(fast, slow)) };
  });
  override onBar() {
    for (const { feed: one, up, down } of this.legs) {
      if (!one.fresh || this.openOrders(one).length > 0) continue;
      const tag = one.instrument.wireName;
      if (up.value && this.position(one).isFlat) this.buy({ quote: '700.5' }, { feed: one, tag });
      else if (down.value && this.position(one).isLong) this.sell({ base: this.position(one).qty }, { feed: one, tag });
    }
  }
}

function naiveMarket(symbols: number, closes: (symbol: number, nowMs: number) => boolean) {
  return (view: NaiveView) => {
    for (let symbol = 0; symbol < symbols; symbol++) {
      if (!closes(symbol, view.nowMs) || view.open(symbol).length > 0) continue;
      const { up, down } = crossing(view, symbol);
      if (up && view.isFlat(symbol)) view.place(symbol, true, 0n, 0n, 70_050_000_000n);
      else if (down && !view.isFlat(symbol)) view.place(symbol, false, 0n, view.sellable(symbol), 0n);
    }
  };
}

/** Limits below and above the market, cancelled after ten bars of waiting. */
class Limits extends Strategy {
  legs = this.feeds('all').map((one) => ({ feed: one, up: this.use(crossedUp(sma(one.close, FAST), sma(one.close, SLOW))), waited: 0 }));
  override onBar() {
    for (const leg of this.legs) {
      const { feed: one, up } = leg;
      if (!one.fresh) continue;
      const [order] = this.openOrders(one);
      const tag = one.instrument.wireName;
      if (order) {
        if (++leg.waited === 10) this.cancel(order.id);
        continue;
      }
      leg.waited = 0;
      if (this.position(one).isLong) this.sell({ base: this.position(one).qty }, { feed: one, tag, limit: cents(one.close.value + 0.3) });
      else if (up.value) this.buy({ base: '3' }, { feed: one, tag, limit: cents(one.close.value - 0.2) });
    }
  }
}

function naiveLimits(symbols: number, closes: (symbol: number, nowMs: number) => boolean) {
  const waited = Array.from({ length: symbols }, () => 0);
  return (view: NaiveView) => {
    for (let symbol = 0; symbol < symbols; symbol++) {
      if (!closes(symbol, view.nowMs)) continue;
      const [order] = view.open(symbol);
      if (order) {
        if (++waited[symbol]! === 10) view.cancel(order);
        continue;
      }
      waited[symbol] = 0;
      if (!view.isFlat(symbol)) view.place(symbol, false, view.close(symbol) + 30n, view.sellable(symbol), 0n);
      else if (crossing(view, symbol).up) view.place(symbol, true, view.close(symbol) - 20n, 3000n, 0n);
    }
  };
}

function crossing(view: NaiveView, symbol: number): { up: boolean; down: boolean } {
  const at = (ago: number) => [view.sum(symbol, FAST, ago), view.sum(symbol, SLOW, ago)] as const;
  const [[fast, slow], [fastBefore, slowBefore]] = [at(0), at(1)];
  if (fast === null || slow === null || fastBefore === null || slowBefore === null) return { up: false, down: false };
  const gap = fast * SLOW - slow * FAST;
  const before = fastBefore * SLOW - slowBefore * FAST;
  return { up: gap > 0 && before <= 0, down: gap < 0 && before >= 0 };
}

function shown({ fills, equity, instruments }: RunRecord): NaiveResult {
  expect(instruments.map(({ wireName }) => wireName)).toEqual(instruments.map(({ wireName }) => wireName).toSorted());
  return {
    fills: Array.from({ length: fills.length }, (_, at) => ({
      orderId: fills.orderId[at]!,
      symbol: fills.instrument[at]!,
      isBuy: fills.side[at] === 0,
      price: fills.price[at]!,
      lots: fills.lots[at]!,
      fee: fills.fee[at]!,
      isMaker: fills.isMaker[at] === 1,
      timeMs: fills.timeMs[at]!,
    })),
    equity: Array.from({ length: equity.length }, (_, at) => ({ timeMs: equity.timeMs[at]!, units: BigInt(equity.units[at]!) })),
  };
}

describe.each([0, 20_000, 90_000])('with a latency of %i ms', (latencyMs) => {
  const one = [minutes('AAAUSDT', 1200, 5, 0.1)];
  const three = [minutes('AAAUSDT', 700, 1), minutes('BBBUSDT', 700, 2, 0.02), minutes('CCCUSDT', 700, 3, 0.2)];
  it.each<[string, StrategyClass, typeof naiveMarket, readonly BarColumns[]]>([
    ['market orders, one symbol with gaps', Market, naiveMarket, one],
    ['market orders, three symbols', Market, naiveMarket, three],
    ['limit orders and cancels, one symbol with gaps', Limits, naiveLimits, one],
    ['limit orders and cancels, three symbols', Limits, naiveLimits, three],
  ])('%s', async (_, strategy, decide, bars) => {
    const sets = bars.map(({ closeMs }) => new Set(closeMs));
    const naive = naiveWalk(bars, latencyMs, { maker: 800n, taker: 1000n }, 1_000_000_000_000n, decide(bars.length, (symbol, t) => sets[symbol]!.has(t)));
    expect(naive.fills.length).toBeGreaterThan(10);
    const plan = planOf(strategy, bars.map((columns) => feed('all', columns)), { fills: { latencyMs } }); // prettier-ignore
    for (const blockRows of [1, 7, 512]) {
      const found = shown(await runBacktest({ ...plan, blockRows }));
      expect(found.fills).toEqual(naive.fills);
      expect(found.equity).toEqual(naive.equity);
    }
  });
});
