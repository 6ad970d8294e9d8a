// Makes random decisions with every kind of order, at bars, timers and fills. The draws are journalled, so a restarted bot repeats them.
// Orders that reduce the position are market orders. A resting one would have to be cancelled before a stop, and the exchange of these tests,
// which goes from bar to bar, cannot follow that.
import { atr, flag, float, Strategy, type FillInfo, type OrderId, type OrderOptions, type Size, type Trail } from 'isobar';

const HOUR_MS = 3_600_000;

export default class DrawnOrders extends Strategy.with({
  isFutures: flag(false, { help: 'trades contracts' }),
  isShort: flag(false, { help: 'opens short positions only' }),
  actProbability: float(0.3, { min: 0, max: 1, help: 'probability that it acts at a bar' }),
}) {
  averageRange = this.use(atr(this.bars, 14));
  timer = this.every('3h', () => this.actWithProbability(0.5));
  /** Ids of entries that may still have a stop to amend. */
  entries: OrderId[] = [];

  override onBar() {
    this.actWithProbability(this.params.actProbability);
  }

  override onFill({ side, price, orderId }: FillInfo) {
    if (this.random() >= 0.3) return;
    const isLong = side === 'buy';
    if (this.entries.includes(orderId)) this.amend(orderId, { stop: this.priceAway(price, isLong ? -1 : 1, 3) });
    else this.placeOrder(isLong ? -1 : 1, this.drawSize(), {});
  }

  /** With the given probability, places, amends or cancels an order, exits, or sets a target. */
  private actWithProbability(probability: number): void {
    if (this.random() >= probability) return;
    const sign = this.params.isShort ? -1 : 1;
    const draw = this.random();
    // The share of each act is the difference of two neighbouring bounds.
    if (draw < 0.4) this.placeDrawnEntry(sign);
    else if (draw < 0.5) this.placeOrder(-sign, this.drawSize(), {});
    else if (draw < 0.6) this.exit();
    else if (draw < 0.68) this.target({ equity: sign * this.drawOneOf([0, 0.1, 0.3]) });
    else if (draw < 0.75) this.cancelDrawnOrder();
    else if (draw < 0.85) this.amendDrawnOrder();
    // Zero hours is now: the position closes at this bar.
    else if (draw < 0.92) this.closeAt(this.nowMs + Math.floor(this.random() * 12) * HOUR_MS);
    else this.oco(this.placeDrawnKind(sign), this.placeDrawnEntry(sign));
  }

  /** Places an entry with a drawn bracket. */
  private placeDrawnEntry(sign: number): OrderId {
    const limit = this.random() < 0.4 ? this.priceAway(this.bars.close.value, -sign, 1) : null;
    const id = this.placeOrder(sign, this.drawSize(), {
      ...this.drawBracket(sign, limit ?? this.bars.close.value),
      ...(limit !== null && { limit }),
    });
    this.entries.push(id);
    return id;
  }

  /** Places a plain order, a limit order, or a stop entry. */
  private placeDrawnKind(sign: number): OrderId {
    const close = this.bars.close.value;
    const draw = this.random();
    if (draw < 0.3) return this.placeOrder(sign, this.drawSize(), {});
    if (draw < 0.6) return this.placeOrder(sign, this.drawSize(), { limit: this.priceAway(close, -sign, 2) });
    const stopEntry = this.priceAway(close, sign, 2);
    const isLimited = this.random() < 0.4;
    return this.placeOrder(sign, this.drawSize(), {
      stopEntry,
      ...(isLimited && { limit: this.priceAway(stopEntry, sign, 1) }),
      ...(this.random() < 0.5 && this.drawBracket(sign, stopEntry)),
    });
  }

  /** Places an order under one of four tags. A tag holds at most one unfinished order, so some orders are denied. */
  private placeOrder(sign: number, size: Size, options: OrderOptions): OrderId {
    const tag = this.drawOneOf(['first', 'second', 'third', 'fourth']);
    return sign > 0 ? this.buy(size, { tag, ...options }) : this.sell(size, { tag, ...options });
  }

  private drawSize(): Size {
    const draw = this.random();
    if (draw < 0.5) return { equity: 0.02 + this.random() * 0.3 };
    if (draw < 0.8 || this.params.isFutures) return { quote: String(50 + Math.floor(this.random() * 2000)) };
    return { base: this.drawOneOf(['0.5', '1.25', '3', '0.0001']) };
  }

  /** Draws the bracket of an entry at `price`. */
  private drawBracket(sign: number, price: number): OrderOptions {
    const draw = this.random();
    const hasOneTarget = draw < 0.3;
    const hasTwoTargets = !hasOneTarget && draw < 0.5;
    return {
      ...(hasOneTarget && { takeProfit: this.priceAway(price, sign, 4) }),
      ...(hasTwoTargets && { targets: [{ at: this.priceAway(price, sign, 2), share: 0.5 }, { at: this.priceAway(price, sign, 5) }] }),
      ...(this.random() < 0.6 && { stopLoss: this.priceAway(price, -sign, 4) }),
      ...(this.random() < 0.4 && { trailing: this.drawTrail(sign, price) }),
    };
  }

  private drawTrail(sign: number, price: number): Trail | number {
    const draw = this.random();
    if (draw < 0.3) return 2 * this.averageRange.value;
    if (draw < 0.5) return { percent: 1.25 };
    if (draw < 0.8) return { atr: this.averageRange, times: 2 };
    return { atr: this.averageRange, times: 1, from: this.priceAway(price, sign, 3) };
  }

  private cancelDrawnOrder(): void {
    const open = this.openOrders();
    if (open.length === 0) return;
    const { id } = open[Math.floor(this.random() * open.length)]!;
    this.cancel(id);
  }

  /** Amends the stop of an entry, or the limit or the size of a working limit order. */
  private amendDrawnOrder(): void {
    const close = this.bars.close.value;
    const working = this.openOrders().filter(
      ({ entry, limit, trigger, lifecycle, filled }) =>
        entry === null && !Number.isNaN(limit) && Number.isNaN(trigger) && lifecycle === 'working' && filled.isZero(),
    );
    if (working.length > 0 && this.random() < 0.6) {
      const { id, side, qty } = working[Math.floor(this.random() * working.length)]!;
      const change = this.random() < 0.5 ? { size: qty.times('0.5') } : { limit: this.priceAway(close, side === 'buy' ? -1 : 1, 1) };
      this.amend(id, change);
      return;
    }
    const entry = this.entries.at(-1 - Math.floor(this.random() * 3));
    const { isFlat, isLong } = this.position();
    if (entry !== undefined && !isFlat) this.amend(entry, { stop: this.priceAway(close, isLong ? -1 : 1, 2) });
  }

  /** Returns a price up to `maxRanges` average ranges above (`sign` 1) or below (`sign` -1) another one. */
  private priceAway(price: number, sign: number, maxRanges: number): number {
    return price + sign * maxRanges * this.averageRange.value * (0.05 + this.random());
  }

  private drawOneOf<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }
}
