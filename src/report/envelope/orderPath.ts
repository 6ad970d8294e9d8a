// One entry through the rows of its instrument: all that the legal orders of events inside each row allow, and what the run itself took.
//
// Prices are mirrored for a short: as negative ticks, so that a gain is a rise, a stop lies below and a target above.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

export type EntryKind = 'market' | 'limit' | 'trigger';

/** An entry with its bracket, mirrored. */
export interface EntryTerms {
  readonly kind: EntryKind;
  /** Limit or trigger price; unused for a market order. */
  readonly level: number;
  /** A trigger that fires as the price rises to it (mirrored). */
  readonly isChasing: boolean;
  /** The highest price that a market order or the child of a trigger pays; Infinity: any. */
  readonly collar: number;
  /** Infinity: none. */
  readonly target: number;
  /** -Infinity: none. */
  readonly stop: number;
  /** 0: none. */
  readonly trailing: number;
  /** True when a resting limit fills at a touch, also in the run itself. */
  readonly fillsAtTouch: boolean;
  readonly entryMaker: number;
  readonly entryTaker: number;
  readonly exitMaker: number;
  readonly exitTaker: number;
}

/** What the paths of an entry report: profit by mirrored prices and fee rates. */
export interface PathMoney {
  /** Profit of a closed trade, in units. */
  closed(entry: number, exit: number, entryPpm: number, exitPpm: number): number;
  /** Ticks by which a taker is worse off at a mirrored price. */
  slip(price: number): number;
}

/** A position that may be open: the hull of all paths that lead to one. */
export interface OpenHull {
  entryLow: number;
  entryHigh: number;
  feeLow: number;
  feeHigh: number;
  /** Best price since the entry, for a trailing stop. */
  bestLow: number;
  bestHigh: number;
  paidLow: number;
  paidHigh: number;
}

export class OrderPath {
  /** True while the entry may still wait. */
  isPending = true;
  /** What may be open; null: nothing. */
  open: OpenHull | null = null;
  /** Profits of the paths that have ended. */
  doneLow = INFINITY;
  doneHigh = -INFINITY;
  /**
   * True while finer rows are read: then the rules say whether a limit makes or takes. For a coarse row they do not: where its price
   * comes to a resting limit inside it, a finer row may open there, and then the order takes (rules 5 to 7).
   */
  isFine = false;
  /** True once the entry has been offered a row. */
  private hasRested = false;
  /** True when a row left the entry, or the exit, open. */
  isEntryOpen = false;
  isExitOpen = false;
  /** Largest fall below an entry at which a path went out, as a fraction of the entry. */
  adverse = 0;
  private readonly terms: EntryTerms;
  private readonly money: PathMoney;

  constructor(terms: EntryTerms, money: PathMoney) {
    this.terms = terms;
    this.money = money;
  }

  get isOver(): boolean {
    return !this.isPending && this.open === null;
  }

  /** Returns a copy that continues by itself. */
  copy(): OrderPath {
    const copy = new OrderPath(this.terms, this.money);
    Object.assign(copy, this, { open: this.open === null ? null : { ...this.open } });
    return copy;
  }

  /** The entry is cancelled before it fills. */
  cancel(): void {
    if (!this.isPending) return;
    this.isPending = false;
    this.end(0, 0);
  }
  /** The strategy leaves at the open of a row. */
  leave(open: number): void {
    this.cancel();
    if (this.open !== null) this.sell(this.open, open - this.money.slip(open), open - this.money.slip(open), this.terms.exitTaker);
    this.open = null;
  }
  /** A payment of a position that is open, such as funding: certain, or perhaps. */
  pay(units: number, isCertain: boolean): void {
    const { open } = this;
    if (open === null) return;
    open.paidLow += isCertain ? units : Math.min(0, units);
    open.paidHigh += isCertain ? units : Math.max(0, units);
  }
  /** What is still open at the end is marked. */
  finish(mark: number): void {
    this.cancel();
    if (this.open !== null) this.sell(this.open, mark, mark, 0, 0);
    this.open = null;
  }

  /** Profits now: of the paths that have ended, and of what is open at a mark. */
  lowAt(mark: number): number {
    const { open } = this;
    const held = open === null ? INFINITY : this.money.closed(open.entryHigh, mark, open.feeHigh, 0) + open.paidLow;
    return Math.min(this.doneLow, held, this.isPending ? 0 : INFINITY);
  }
  highAt(mark: number): number {
    const { open } = this;
    const held = open === null ? -INFINITY : this.money.closed(open.entryLow, mark, open.feeLow, 0) + open.paidHigh;
    return Math.max(this.doneHigh, held, this.isPending ? 0 : -INFINITY);
  }

  /** One row, mirrored. */
  step(open: number, high: number, low: number, close: number): void {
    if (this.isPending) this.enterAtOpen(open);
    this.hasRested = true;
    if (this.open !== null) this.exitAtOpen(this.open, open);
    const held = this.open;
    // An entry inside the row has its own hull, because less of the row comes after it.
    const entered = this.isPending ? this.enterInside(open, high, low, close) : null;
    this.open =
      held === null ? null : this.hold(held, Math.max(held.bestLow, open), Math.max(held.bestHigh, open), { high, isHighAfter: true, low, isLowAfter: true, close }); // prettier-ignore
    if (entered !== null) this.open = this.open === null ? entered : hullOf(this.open, entered);
  }

  private enterAtOpen(open: number): void {
    const { kind, level, isChasing, collar, entryTaker } = this.terms;
    const isReached = kind === 'market' || (kind === 'limit' ? open <= level : isChasing ? open >= level : open <= level);
    if (!isReached) return;
    this.isPending = false;
    if (open > collar) return this.end(0, 0);
    const worst = kind === 'limit' ? level : collar;
    const other = kind === 'limit' && this.hasRested && !this.isFine ? this.terms.entryMaker : entryTaker;
    if (other !== entryTaker) this.isEntryOpen = true;
    this.isOpenAt(Math.min(open + this.money.slip(open), worst), Math.min(other, entryTaker), Math.max(other, entryTaker));
  }
  private isOpenAt(price: number, feeLow: number, feeHigh: number): void {
    const entered = hull(price, feeLow, feeHigh, price, price);
    this.open = this.open === null ? entered : hullOf(this.open, entered);
  }

  private exitAtOpen(held: OpenHull, open: number): void {
    const { target, exitMaker, exitTaker } = this.terms;
    const slipped = open - this.money.slip(open);
    if (open >= target) {
      const price = Math.max(target, slipped);
      const other = this.isFine ? exitTaker : exitMaker;
      if (other !== exitTaker) this.isExitOpen = true;
      this.sell(held, price, price, Math.min(other, exitTaker), Math.max(other, exitTaker));
      this.open = null;
    } else if (open <= this.levelOf(held.bestHigh)) {
      this.sell(held, slipped, slipped, exitTaker);
      if (open <= this.levelOf(held.bestLow)) this.open = null;
      else this.isExitOpen = true;
    }
  }

  private enterInside(open: number, high: number, low: number, close: number): OpenHull | null {
    const { kind, level, isChasing, collar, fillsAtTouch, entryMaker, entryTaker } = this.terms;
    const isRising = kind === 'trigger' && isChasing;
    if (kind === 'market' || (isRising ? high < level : low > level)) return null;
    const isSure = kind === 'trigger' || low < level || fillsAtTouch;
    if (!isSure) this.isEntryOpen = true;
    if (isSure) this.isPending = false;
    const price = kind === 'limit' ? level : Math.min(level + this.money.slip(level), collar);
    const own = kind === 'limit' ? entryMaker : entryTaker;
    const other = this.isFine ? own : entryTaker;
    const [feeLow, feeHigh] = [Math.min(own, other), Math.max(own, other)];
    if (feeLow !== feeHigh) this.isEntryOpen = true;
    const entered = hull(price, feeLow, feeHigh, price, price);
    // A stop beyond the entry is reached by the entry itself, and gives no better price.
    if (this.levelOf(price) >= price) {
      this.sell(entered, price - this.money.slip(price), price - this.money.slip(price), this.terms.exitTaker);
      return null;
    }
    // A falling price that enters has its low still ahead, or at the entry; a rising one its high.
    return this.hold(entered, price, price, { high, isHighAfter: isRising, low, isLowAfter: !isRising, close });
  }

  /** What a row may do to a position whose best price lies in a range. Returns what may be left of it. */
  private hold(held: OpenHull, bestLow: number, bestHigh: number, row: RowAfter): OpenHull | null {
    const { target, trailing, exitMaker, exitTaker, fillsAtTouch } = this.terms;
    const { high, isHighAfter, low, isLowAfter, close } = row;
    const lower = this.levelOf(bestLow);
    const upper = this.levelOf(Math.max(bestHigh, Math.min(high, target)));
    const mayStop = upper >= low;
    const mayTarget = high >= target;
    // The price was at the close, and at the extremes that certainly came after the entry.
    const isStopped = (isLowAfter && lower >= low) || close <= this.levelOf(Math.max(bestLow, isHighAfter ? high : close));
    const isThrough = (isHighAfter && (fillsAtTouch ? high >= target : high > target)) || (fillsAtTouch ? close >= target : close > target);
    const isOut = isStopped || isThrough;
    const stopLow = Math.max(lower, low);
    if ((mayStop ? 1 : 0) + (mayTarget ? 1 : 0) + (isOut ? 0 : 1) > 1 || (mayStop && stopLow < upper)) this.isExitOpen = true;
    if (mayStop) this.sell(held, stopLow - this.money.slip(stopLow), upper - this.money.slip(upper), exitTaker);
    if (mayTarget) {
      const other = this.isFine ? exitMaker : exitTaker;
      if (exitMaker !== other) this.isExitOpen = true;
      this.sell(held, target, target, Math.min(exitMaker, other), Math.max(exitMaker, other));
    }
    if (isOut) return null;
    if (trailing > 0) {
      held.bestLow = Math.max(bestLow, isHighAfter ? high : close);
      held.bestHigh = Math.max(bestHigh, high);
    }
    return held;
  }

  private levelOf(best: number): number {
    const { stop, trailing } = this.terms;
    return trailing > 0 ? Math.max(stop, best - trailing) : stop;
  }

  private sell(held: OpenHull, low: number, high: number, feeLow: number, feeHigh = feeLow): void {
    this.adverse = Math.max(this.adverse, (held.entryHigh - low) / Math.abs(held.entryHigh));
    const worst = this.money.closed(held.entryHigh, low, held.feeHigh, feeHigh) + held.paidLow;
    const best = this.money.closed(held.entryLow, high, held.feeLow, feeLow) + held.paidHigh;
    this.end(worst, best);
  }
  private end(low: number, high: number): void {
    this.doneLow = Math.min(this.doneLow, low);
    this.doneHigh = Math.max(this.doneHigh, high);
  }
}

/** The part of a row that comes after a position is there: whether its extremes certainly do. */
interface RowAfter {
  readonly high: number;
  readonly isHighAfter: boolean;
  readonly low: number;
  readonly isLowAfter: boolean;
  readonly close: number;
}

function hull(price: number, feeLow: number, feeHigh: number, bestLow: number, bestHigh: number): OpenHull {
  return { entryLow: price, entryHigh: price, feeLow, feeHigh, bestLow, bestHigh, paidLow: 0, paidHigh: 0 };
}

function hullOf(a: OpenHull, b: OpenHull): OpenHull {
  return {
    entryLow: Math.min(a.entryLow, b.entryLow),
    entryHigh: Math.max(a.entryHigh, b.entryHigh),
    feeLow: Math.min(a.feeLow, b.feeLow),
    feeHigh: Math.max(a.feeHigh, b.feeHigh),
    bestLow: Math.min(a.bestLow, b.bestLow),
    bestHigh: Math.max(a.bestHigh, b.bestHigh),
    paidLow: Math.min(a.paidLow, b.paidLow),
    paidHigh: Math.max(a.paidHigh, b.paidHigh),
  };
}
