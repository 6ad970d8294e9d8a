// Follows the path that the run itself took with one entry, by the rules of docs/matching.md. Prices are mirrored as in orderPath.ts.

import type { EntryTerms, PathMoney } from './orderPath.ts';

/** One entry with its bracket. Feed it the rows of its instrument in order, by `step`. */
export class AsRunPath {
  /** True while the entry order waits. */
  isPending = true;
  /** True while the position is open. */
  isOpen = false;
  /** Mirrored entry price, 0 without an entry, and mirrored exit price, NaN without an exit. */
  entry = 0;
  exit = NaN;
  /** True when the strategy itself has closed the position. */
  isClosedByStrategy = false;
  /** Profit of an ended trade in units. While the trade is open, the payments up to now. */
  done = 0;
  private entryPpm = 0;
  /** Best price since the entry, for the trailing stop. */
  private best = 0;
  private readonly terms: EntryTerms;
  private readonly money: PathMoney;

  constructor(terms: EntryTerms, money: PathMoney) {
    this.terms = terms;
    this.money = money;
  }

  /** Cancels the entry order. An open position stays. */
  cancel(): void {
    this.isPending = false;
  }
  /** Closes the position at the open of a row, as the strategy asked. */
  closeAtOpen(open: number): void {
    this.cancel();
    this.isClosedByStrategy = this.isOpen;
    if (this.isOpen) this.sell(open - this.money.slip(open), this.terms.exitTaker);
  }
  /** Books a payment such as funding, if the position is open. */
  pay(units: number): void {
    if (this.isOpen) this.done += units;
  }
  /** Ends the run: values an open position at a mark price. */
  finish(mark: number): void {
    this.cancel();
    if (this.isOpen) this.done = this.profitAt(mark);
    this.isOpen = false;
  }
  /** Returns the profit up to now, in units. An open position is valued at `mark`. */
  profitAt(mark: number): number {
    return this.isOpen ? this.done + this.money.closed(this.entry, mark, this.entryPpm, 0) : this.done;
  }

  /** Applies one row with mirrored prices. */
  step(open: number, high: number, low: number, close: number): void {
    const { kind, level, isChasing, collar, target, fillsAtTouch, entryMaker, entryTaker, exitMaker, exitTaker } = this.terms;
    const { money } = this;
    const isRising = kind === 'trigger' && isChasing;
    const isLevelReached = isRising ? open >= level : open <= level;
    const isReachedAtOpen = kind === 'market' || isLevelReached;
    if (this.isPending && isReachedAtOpen) {
      this.isPending = false;
      const worstPrice = kind === 'limit' ? level : collar;
      if (open <= collar) this.enter(Math.min(open + money.slip(open), worstPrice), entryTaker);
    }
    if (this.isOpen) {
      const stop = this.stopLevel;
      const isTargetFilled = fillsAtTouch ? high >= target : high > target;
      if (open >= target) this.sell(Math.max(target, open - money.slip(open)), exitTaker);
      else if (open <= stop) this.sell(open - money.slip(open), exitTaker);
      else if (low <= stop) this.sell(stop - money.slip(stop), exitTaker);
      else if (isTargetFilled) this.sell(target, exitMaker);
      else this.best = Math.max(this.best, high);
      return;
    }
    if (!this.isPending || kind === 'market') return;
    const fillsAtLevel = kind === 'trigger' || fillsAtTouch;
    const isFallReached = fillsAtLevel ? low <= level : low < level;
    const isReached = isRising ? high >= level : isFallReached;
    if (!isReached) return;
    this.isPending = false;
    if (kind === 'limit') this.enter(level, entryMaker);
    else this.enter(Math.min(level + money.slip(level), collar), entryTaker);
    // A stop beyond the entry fills at the entry price, because the price comes from there.
    const stop = Math.min(this.stopLevel, this.entry);
    if (low <= this.stopLevel) this.sell(stop - money.slip(stop), exitTaker);
    else this.best = Math.max(this.best, isRising ? high : close);
  }

  /** The higher of the stop-loss and the trailing stop (mirrored). */
  private get stopLevel(): number {
    const { stop, trailing } = this.terms;
    return trailing > 0 ? Math.max(stop, this.best - trailing) : stop;
  }
  /** Opens the position at a price, with a fee rate in ppm. */
  private enter(price: number, ppm: number): void {
    this.isOpen = true;
    this.entry = this.best = price;
    this.entryPpm = ppm;
  }
  /** Closes the position at a price, with a fee rate in ppm. */
  private sell(price: number, ppm: number): void {
    this.isOpen = false;
    this.exit = price;
    this.done += this.money.closed(this.entry, price, this.entryPpm, ppm);
  }
}
