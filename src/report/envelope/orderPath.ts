// Follows one entry through the rows of its instrument, for all legal orders of events inside each row at once.
//
// Prices of a short are mirrored (negative ticks). A gain is then always a rise, the stop is below the entry, and the target above it.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** How an entry reaches the venue: at once, at a limit price, or when a trigger price is reached. */
export type EntryKind = 'market' | 'limit' | 'trigger';

/** An entry with its bracket, mirrored. */
export interface EntryTerms {
  readonly kind: EntryKind;
  /** Limit or trigger price; unused for a market order. */
  readonly level: number;
  /** True for a trigger that fires when the price rises to it (mirrored). */
  readonly isChasing: boolean;
  /** The highest price that a market order, or the order of a trigger, may pay. Infinity for any price. */
  readonly collar: number;
  /** Take-profit price. Infinity without one. */
  readonly target: number;
  /** Stop-loss price. -Infinity without one. */
  readonly stop: number;
  /** Distance of the trailing stop in ticks. 0 without one. */
  readonly trailing: number;
  /** True when a resting limit fills as soon as the price touches it, also in the run itself. */
  readonly fillsAtTouch: boolean;
  /** Fee rates of entry and exit as maker and as taker, ppm. */
  readonly entryMaker: number;
  readonly entryTaker: number;
  readonly exitMaker: number;
  readonly exitTaker: number;
}

/** Converts mirrored prices and fee rates to money. */
export interface PathMoney {
  /** Returns the profit of a closed trade, in units. */
  closed(entryTicks: number, exitTicks: number, entryPpm: number, exitPpm: number): number;
  /** Returns the slippage of a taker at a mirrored price, in ticks. */
  slip(price: number): number;
}

/** The smallest range that contains all positions that may be open. Money in units, prices mirrored. */
export interface PositionRange {
  entryLow: number;
  entryHigh: number;
  /** Fee rate of the entry, ppm. */
  feeLow: number;
  feeHigh: number;
  /** Best price since the entry, for a trailing stop. */
  bestLow: number;
  bestHigh: number;
  /** Payments received up to now. Below 0: paid. */
  paidLow: number;
  paidHigh: number;
}

/** The part of a row after an entry. The flags say whether the high, or the low, certainly came after it. */
interface RowAfter {
  readonly high: number;
  readonly isHighAfter: boolean;
  readonly low: number;
  readonly isLowAfter: boolean;
  readonly close: number;
}

/** All possible paths of one entry. Feed it the rows of its instrument in order, by `step`. */
export class OrderPath {
  /** True while the entry may still wait. */
  isPending = true;
  /** The range of the positions that may be open. Null when none can be. */
  open: PositionRange | null = null;
  /** Lowest and highest profit of the paths that have ended, in units. */
  doneLow = INFINITY;
  doneHigh = -INFINITY;
  /**
   * True while finer rows are read. The rules then determine whether a limit order is maker or taker. For a coarse row they do not. A finer
   * row inside it may open beyond the limit price; the order is then a taker (rules 5 to 7).
   */
  isFine = false;
  /** True after the first row. */
  private hasRested = false;
  /** True when the rows up to now do not determine the time or the price of the entry, or of the exit. */
  isEntryAmbiguous = false;
  isExitAmbiguous = false;
  /** Largest adverse move at an exit, as a fraction of the entry price. */
  adverse = 0;
  /** True when a row opened beyond the highest price of a market order and came back to it. On spot the order rests at that price. */
  isCapped = false;
  private readonly terms: EntryTerms;
  private readonly money: PathMoney;

  constructor(terms: EntryTerms, money: PathMoney) {
    this.terms = terms;
    this.money = money;
  }

  /** True when all paths have ended. */
  get isOver(): boolean {
    return !this.isPending && this.open === null;
  }

  /** Returns an independent copy. */
  copy(): OrderPath {
    const copy = new OrderPath(this.terms, this.money);
    Object.assign(copy, this, { open: this.open === null ? null : { ...this.open } });
    return copy;
  }

  /** Cancels the entry order. A position that may be open stays. */
  cancel(): void {
    if (!this.isPending) return;
    this.isPending = false;
    this.end(0, 0);
  }
  /** Closes the position at the open of a row, as the strategy decided. */
  closeAtOpen(open: number): void {
    this.cancel();
    const slipped = open - this.money.slip(open);
    if (this.open !== null) this.sell(this.open, slipped, slipped, this.terms.exitTaker);
    this.open = null;
  }
  /** Books a payment such as funding. `isCertain` is false when the position may have been closed before it. */
  pay(units: number, isCertain: boolean): void {
    const { open } = this;
    if (open === null) return;
    open.paidLow += isCertain ? units : Math.min(0, units);
    open.paidHigh += isCertain ? units : Math.max(0, units);
  }
  /** Ends the run: values an open position at a mark price. */
  finish(mark: number): void {
    this.cancel();
    if (this.open !== null) this.sell(this.open, mark, mark, 0, 0);
    this.open = null;
  }

  /** Returns the lowest profit of all paths up to now, in units. An open position is valued at `mark`. */
  lowAt(mark: number): number {
    const { open } = this;
    const openProfit = open === null ? INFINITY : this.money.closed(open.entryHigh, mark, open.feeHigh, 0) + open.paidLow;
    return Math.min(this.doneLow, openProfit, this.isPending ? 0 : INFINITY);
  }
  /** Returns the highest profit of all paths up to now, in units. An open position is valued at `mark`. */
  highAt(mark: number): number {
    const { open } = this;
    const openProfit = open === null ? -INFINITY : this.money.closed(open.entryLow, mark, open.feeLow, 0) + open.paidHigh;
    return Math.max(this.doneHigh, openProfit, this.isPending ? 0 : -INFINITY);
  }

  /** Applies one row with mirrored prices. */
  step(open: number, high: number, low: number, close: number): void {
    if (this.isPending) this.enterAtOpen(open, low);
    this.hasRested = true;
    if (this.open !== null) this.exitAtOpen(this.open, open);
    const heldOrder = this.open;
    // An entry inside the row has its own range, because only a part of the row comes after it.
    const entered = this.isPending ? this.enterInside(open, high, low, close) : null;
    if (heldOrder === null) this.open = null;
    else {
      const wholeRow = { high, isHighAfter: true, low, isLowAfter: true, close };
      this.open = this.hold(heldOrder, Math.max(heldOrder.bestLow, open), Math.max(heldOrder.bestHigh, open), wholeRow);
    }
    if (entered !== null) this.open = this.open === null ? entered : joinRanges(this.open, entered);
  }

  /** Fills the entry at the open of a row, if the open reaches it. */
  private enterAtOpen(open: number, low: number): void {
    const { kind, level, isChasing, collar, entryTaker } = this.terms;
    const isRising = kind === 'trigger' && isChasing;
    const isLevelReached = isRising ? open >= level : open <= level;
    const isReached = kind === 'market' || isLevelReached;
    if (!isReached) return;
    this.isPending = false;
    if (open > collar) {
      if (low <= collar) this.isCapped = true;
      return this.end(0, 0);
    }
    const worstPrice = kind === 'limit' ? level : collar;
    const mayBeMaker = kind === 'limit' && this.hasRested && !this.isFine;
    const otherFee = mayBeMaker ? this.terms.entryMaker : entryTaker;
    if (otherFee !== entryTaker) this.isEntryAmbiguous = true;
    const price = Math.min(open + this.money.slip(open), worstPrice);
    this.enter(price, Math.min(otherFee, entryTaker), Math.max(otherFee, entryTaker));
  }
  /** Adds an entry at one price to the positions that may be open. */
  private enter(price: number, feeLow: number, feeHigh: number): void {
    const entered = rangeAt(price, feeLow, feeHigh);
    this.open = this.open === null ? entered : joinRanges(this.open, entered);
  }

  /** Closes the position at the open of a row, if the open reaches its target or its stop. */
  private exitAtOpen(held: PositionRange, open: number): void {
    const { target, exitMaker, exitTaker } = this.terms;
    const slipped = open - this.money.slip(open);
    if (open >= target) {
      const price = Math.max(target, slipped);
      const otherFee = this.isFine ? exitTaker : exitMaker;
      if (otherFee !== exitTaker) this.isExitAmbiguous = true;
      this.sell(held, price, price, Math.min(otherFee, exitTaker), Math.max(otherFee, exitTaker));
      this.open = null;
    } else if (open <= this.stopOf(held.bestHigh)) {
      this.sell(held, slipped, slipped, exitTaker);
      if (open <= this.stopOf(held.bestLow)) this.open = null;
      else this.isExitAmbiguous = true;
    }
  }

  /** Fills the entry inside a row, if the row reaches it. Returns what is still open at the end of the row, or null. */
  private enterInside(open: number, high: number, low: number, close: number): PositionRange | null {
    const { kind, level, isChasing, collar, fillsAtTouch, entryMaker, entryTaker } = this.terms;
    const isRising = kind === 'trigger' && isChasing;
    const isLevelMissed = isRising ? high < level : low > level;
    if (kind === 'market' || isLevelMissed) return null;
    const isSure = kind === 'trigger' || low < level || fillsAtTouch;
    if (!isSure) this.isEntryAmbiguous = true;
    if (isSure) this.isPending = false;
    const price = kind === 'limit' ? level : Math.min(level + this.money.slip(level), collar);
    const ruleFee = kind === 'limit' ? entryMaker : entryTaker;
    const otherFee = this.isFine ? ruleFee : entryTaker;
    const feeLow = Math.min(ruleFee, otherFee);
    const feeHigh = Math.max(ruleFee, otherFee);
    if (feeLow !== feeHigh) this.isEntryAmbiguous = true;
    const entered = rangeAt(price, feeLow, feeHigh);
    // A stop beyond the entry price triggers at once, and fills at the entry price.
    if (this.stopOf(price) >= price) {
      const slipped = price - this.money.slip(price);
      this.sell(entered, slipped, slipped, this.terms.exitTaker);
      return null;
    }
    // A price that falls to the entry reaches the low of the row only then or later. A price that rises to it reaches the high only then or
    // later.
    return this.hold(entered, price, price, { high, isHighAfter: isRising, low, isLowAfter: !isRising, close });
  }

  /**
   * Applies the part of a row after the entry to a position. `bestLow` to `bestHigh` is the range of its best price up to now. Returns what
   * is still open afterwards, or null.
   */
  private hold(held: PositionRange, bestLow: number, bestHigh: number, row: RowAfter): PositionRange | null {
    const { target, trailing, exitMaker, exitTaker, fillsAtTouch } = this.terms;
    const { high, isHighAfter, low, isLowAfter, close } = row;
    const lowestStop = this.stopOf(bestLow);
    const highestStop = this.stopOf(Math.max(bestHigh, Math.min(high, target)));
    const mayStop = highestStop >= low;
    const mayTarget = high >= target;
    // These prices certainly came after the entry: the close, and the extremes that `row` says came after it.
    const reachesTarget = (price: number): boolean => (fillsAtTouch ? price >= target : price > target);
    const certainBest = Math.max(bestLow, isHighAfter ? high : close);
    const isStopped = (isLowAfter && lowestStop >= low) || close <= this.stopOf(certainBest);
    const isTargetFilled = (isHighAfter && reachesTarget(high)) || reachesTarget(close);
    const isClosed = isStopped || isTargetFilled;
    const stopLow = Math.max(lowestStop, low);
    const possibleOutcomes = (mayStop ? 1 : 0) + (mayTarget ? 1 : 0) + (isClosed ? 0 : 1);
    if (possibleOutcomes > 1 || (mayStop && stopLow < highestStop)) this.isExitAmbiguous = true;
    if (mayStop) this.sell(held, stopLow - this.money.slip(stopLow), highestStop - this.money.slip(highestStop), exitTaker);
    if (mayTarget) {
      const otherFee = this.isFine ? exitMaker : exitTaker;
      if (exitMaker !== otherFee) this.isExitAmbiguous = true;
      this.sell(held, target, target, Math.min(exitMaker, otherFee), Math.max(exitMaker, otherFee));
    }
    if (isClosed) return null;
    if (trailing > 0) {
      held.bestLow = certainBest;
      held.bestHigh = Math.max(bestHigh, high);
    }
    return held;
  }

  /** Returns the stop price for a best price since the entry: the higher of the stop-loss and the trailing stop. */
  private stopOf(best: number): number {
    const { stop, trailing } = this.terms;
    return trailing > 0 ? Math.max(stop, best - trailing) : stop;
  }

  /** Ends the paths that close the position between the prices `low` and `high`. The fees are rates of the exit, ppm. */
  private sell(held: PositionRange, low: number, high: number, feeLow: number, feeHigh = feeLow): void {
    this.adverse = Math.max(this.adverse, (held.entryHigh - low) / Math.abs(held.entryHigh));
    const worst = this.money.closed(held.entryHigh, low, held.feeHigh, feeHigh) + held.paidLow;
    const best = this.money.closed(held.entryLow, high, held.feeLow, feeLow) + held.paidHigh;
    this.end(worst, best);
  }
  /** Adds paths that end with a profit between `low` and `high`. */
  private end(low: number, high: number): void {
    this.doneLow = Math.min(this.doneLow, low);
    this.doneHigh = Math.max(this.doneHigh, high);
  }
}

/** Returns the range of a position that was entered at one price, with a fee rate between `feeLow` and `feeHigh` (ppm). */
function rangeAt(price: number, feeLow: number, feeHigh: number): PositionRange {
  return { entryLow: price, entryHigh: price, feeLow, feeHigh, bestLow: price, bestHigh: price, paidLow: 0, paidHigh: 0 };
}

/** Returns the smallest range that contains two ranges. */
function joinRanges(a: PositionRange, b: PositionRange): PositionRange {
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
