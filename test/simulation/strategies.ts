// Provides strategies and feeds for simulations: brackets, timers, several feeds and intervals, and gaps.

import { crossedDown, crossedUp, int, sma, Strategy } from '../../src/index.ts';
import { feed, hoursOf, minutes } from './plans.ts';

/** Trades crosses of two averages in onBar, with brackets. */
export class CrossTrader extends Strategy.with({ fast: int(5), slow: int(12) }) {
  up = this.use(crossedUp(sma(this.bars.close, this.params.fast), sma(this.bars.close, this.params.slow)));
  down = this.use(crossedDown(sma(this.bars.close, this.params.fast), sma(this.bars.close, this.params.slow)));
  override onBar() {
    const price = this.bars.close.value;
    if (this.up.value && this.position().isFlat) this.buy({ quote: '500' }, { stopLoss: price * 0.99, takeProfit: price * 1.008 });
    if (this.down.value) this.exit();
  }
}

/** Trades crosses of two averages by `when`, with a trailing stop and resting limits. */
export class WhenTrader extends Strategy.with({ fast: int(4), slow: int(9) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat) this.buy({ base: '2' }, { trailing: 0.8, tag: 'trend' });
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    if (this.position().isFlat) this.buy({ quote: '300' }, { limit: this.bars.close.value * 0.997, tag: 'dip' });
    else this.exit();
  });
}

/** Places stop entries and stop-limit orders above the market, each in an OCO group with a limit below it. */
export class StopEntryTrader extends Strategy.with({ fast: int(5), slow: int(12) }) {
  up = this.use(crossedUp(sma(this.bars.close, this.params.fast), sma(this.bars.close, this.params.slow)));
  barCount = 0;
  override onBar() {
    const price = this.bars.close.value;
    if (++this.barCount % 40 === 0) this.exit();
    if (!this.up.value || !this.position().isFlat) return;
    for (const { id } of this.openOrders()) this.cancel(id);
    const stopLimit = this.barCount % 2 === 0 ? { limit: price * 1.0015 } : {};
    const protection = { stopLoss: price * 0.99, trailing: 0.9 };
    const stopEntry = this.buy({ quote: '500' }, { stopEntry: price * 1.001, ...protection, tag: 'high', ...stopLimit });
    const limitEntry = this.buy({ quote: '300' }, { limit: price * 0.996, tag: 'low' });
    this.oco(stopEntry, limitEntry);
  }
}

/** Trades several symbols on minutes and hours, with timers and random limits. */
export class ManySymbolTrader extends Strategy.with({ smoothing: int(7, { min: 1 }) }) {
  hours = this.feed('hours', { interval: '1h' });
  average = this.use(sma(this.hours.close, 3));
  symbols = this.feeds('all').map((feedOfSymbol) => ({
    feed: feedOfSymbol,
    up: this.use(crossedUp(feedOfSymbol.close, sma(feedOfSymbol.close, this.params.smoothing))),
  }));
  fills = 0;
  constructor(...setup: ConstructorParameters<typeof Strategy>) {
    super(...setup);
    this.every('30m', () => this.cancelBuys());
    this.at('05:07', () => this.symbols.forEach(({ feed: symbolFeed }) => this.exit(symbolFeed)));
  }
  override onBar() {
    for (const { feed: symbolFeed, up } of this.symbols) {
      if (!up.value || !this.position(symbolFeed).isFlat) continue;
      const limit = this.random() < 0.5 ? symbolFeed.close.value * 0.999 : undefined;
      const stopLoss = symbolFeed.close.value * 0.985;
      this.buy({ quote: '400' }, { feed: symbolFeed, tag: symbolFeed.instrument.wireName, stopLoss, ...(limit ? { limit } : {}) });
    }
    if (this.hours.fresh && this.average.value < this.average.prev) this.exit(this.symbols[0]!.feed);
  }
  override onFill() {
    this.fills++;
  }
  cancelBuys() {
    for (const { feed: symbolFeed } of this.symbols)
      for (const order of this.openOrders(symbolFeed)) if (order.side === 'buy') this.cancel(order.id);
  }
}

/** One feed: a tenth of its minutes are missing. */
export const gappyFeed = feed('bars', minutes('AAAUSDT', 3000, 11, 0.1));
const minutesOfA = minutes('AAAUSDT', 2500, 1);
const minutesOfB = minutes('BBBUSDT', 2500, 2, 0.02);
const minutesOfC = minutes('CCCUSDT', 2500, 3, 0.2);
/** Several feeds of several instruments and intervals. */
export const manyFeeds = [
  feed('bars', minutesOfA),
  feed('all', minutesOfA),
  feed('all', minutesOfB),
  feed('all', minutesOfC),
  feed('hours', hoursOf(minutesOfA)),
  feed('hoursOfB', hoursOf(minutesOfB)),
];
