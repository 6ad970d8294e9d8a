// The path that the run itself took with one entry, by the rules of docs/matching.md. Prices are mirrored as in orderPath.ts.

import type { EntryTerms, PathMoney } from './orderPath.ts';

export class AsRunPath {
  isPending = true;
  isOpen = false;
  entry = 0;
  exit = NaN;
  /** True when its strategy has left the position. */
  isLeft = false;
  /** Profit of a trade that has ended, in units; while it is open, what was paid until now. */
  done = 0;
  private entryPpm = 0;
  private best = 0;
  private readonly terms: EntryTerms;
  private readonly money: PathMoney;

  constructor(terms: EntryTerms, money: PathMoney) {
    this.terms = terms;
    this.money = money;
  }

  cancel(): void {
    this.isPending = false;
  }
  leave(open: number): void {
    this.cancel();
    this.isLeft = this.isOpen;
    if (this.isOpen) this.sell(open - this.money.slip(open), this.terms.exitTaker);
  }
  pay(units: number): void {
    if (this.isOpen) this.done += units;
  }
  finish(mark: number): void {
    this.cancel();
    if (this.isOpen) this.done = this.at(mark);
    this.isOpen = false;
  }
  /** Returns the profit now, what is open at a mark. */
  at(mark: number): number {
    return this.isOpen ? this.done + this.money.closed(this.entry, mark, this.entryPpm, 0) : this.done;
  }

  step(open: number, high: number, low: number, close: number): void {
    const { kind, level, isChasing, collar, target, fillsAtTouch, entryMaker, entryTaker, exitMaker, exitTaker } = this.terms;
    const { money } = this;
    if (this.isPending && (kind === 'market' || (kind === 'trigger' && isChasing ? open >= level : open <= level))) {
      this.isPending = false;
      if (open <= collar) this.enter(Math.min(open + money.slip(open), kind === 'limit' ? level : collar), entryTaker);
    }
    if (this.isOpen) {
      const stop = this.stopLevel;
      if (open >= target) this.sell(Math.max(target, open - money.slip(open)), exitTaker);
      else if (open <= stop) this.sell(open - money.slip(open), exitTaker);
      else if (low <= stop) this.sell(stop - money.slip(stop), exitTaker);
      else if (fillsAtTouch ? high >= target : high > target) this.sell(target, exitMaker);
      else this.best = Math.max(this.best, high);
      return;
    }
    if (!this.isPending || kind === 'market') return;
    const isRising = kind === 'trigger' && isChasing;
    const isReached = isRising ? high >= level : kind === 'trigger' || fillsAtTouch ? low <= level : low < level;
    if (!isReached) return;
    this.isPending = false;
    if (kind === 'limit') this.enter(level, entryMaker);
    else this.enter(Math.min(level + money.slip(level), collar), entryTaker);
    const stop = Math.min(this.stopLevel, this.entry);
    if (low <= this.stopLevel) this.sell(stop - money.slip(stop), exitTaker);
    else this.best = Math.max(this.best, isRising ? high : close);
  }

  private get stopLevel(): number {
    const { stop, trailing } = this.terms;
    return trailing > 0 ? Math.max(stop, this.best - trailing) : stop;
  }
  private enter(price: number, ppm: number): void {
    this.isOpen = true;
    this.entry = this.best = price;
    this.entryPpm = ppm;
  }
  private sell(price: number, ppm: number): void {
    this.isOpen = false;
    this.exit = price;
    this.done += this.money.closed(this.entry, price, this.entryPpm, ppm);
  }
}
