// Brackets: the take-profit, stop-loss and trailing stop that protect what an entry has filled. Every mode uses them.

import { assert } from '../../base/assert.ts';
import { mulDiv } from '../../base/number/exact.ts';
import { removeAt } from '../../base/removeAt.ts';
import type { Side } from '../../model/order.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { AsideStops } from './asideStops.ts';
import { QuietRange } from './quietRange.ts';
import { StopEntries, type StopEntry } from './stopEntries.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;
/** The result when a row triggers nothing, shared because most rows return it. */
const NO_BRACKETS: readonly Bracket[] = [];

const MILLION = 1_000_000;

/** What protects the filled part of one entry. Prices are in ticks; a long is protected by sells. */
export interface Bracket {
  readonly entryId: number;
  readonly strategy: number;
  readonly instrument: number;
  readonly isLong: boolean;
  /** Open quantity that it protects, in lots. */
  lots: number;
  /** Price of the fixed stop, 0 for none. `Brackets.moveStop` changes it. */
  readonly stopTicks: number;
  /** Distance of the trailing stop, 0 for none. With `trailingPpm` it is the smallest distance. */
  readonly trailingTicks: number;
  /** The distance in millionths of the best price, 0 for a fixed one. */
  readonly trailingPpm: number;
  /** The trailing stop begins once the best price has reached this; 0: at the entry. */
  readonly trailingFromTicks: number;
  /** The best price of closed rows after the entry. The trailing stop follows it, but never a price of the row that is being matched. */
  bestTicks: number;
  /** Average entry price: a stop armed inside a row cannot fill better than the entry did. */
  readonly entryTicks: number;
  /** When the entry's first fill happened. */
  readonly armedMs: number;
  /** True when the entry filled as the price moved in its favour, so that the best price of that row came after the entry. */
  readonly isChasing: boolean;
  /** The last instant at which its stop triggered without selling everything; NaN before. A row triggers a stop once. */
  triedMs: number;
}

/** What a bracket reads of its entry. The record of an order has these fields. */
export type BracketEntry = {
  readonly [Key in 'id' | 'strategy' | 'instrumentIndex' | 'stopLoss' | 'trailing' | 'trailingPpm' | 'trailingFrom']: number;
} & { readonly side: Side };

/** Called for a bracket whose stop was reached, with the price at which it triggers. */
export type OnHit = (bracket: Bracket, price: number) => void;

/** The open brackets of all instruments, and the stop entries that the bot watches. */
export class Brackets {
  private readonly open: Bracket[][];
  private openCount = 0;
  /** Stop entries that the bot watches. They count in `waiting` too, so that one number says whether a row must be checked. */
  readonly entries: StopEntries;
  /** Stops that are set aside while an order closes what they protect. Rows do not trigger them. */
  readonly aside = new AsideStops<Bracket>();
  /** By instrument: the number of brackets and stop entries. */
  private readonly counts: Int32Array;
  /**
   * By instrument: the number of brackets at the front of its list that no row has reached yet. Their long stops lie at or below
   * `nearestBelow`, their short stops at or above `nearestAbove`. A row between the two need not check them. NaN: the nearest one was
   * removed, so the two levels must be computed again. This saves time when many stops wait far from the price.
   */
  private readonly farCounts: Int32Array;
  private readonly nearestBelow: Float64Array;
  private readonly nearestAbove: Float64Array;
  /** By instrument: the number of brackets with a trailing stop. Their levels move with each row. */
  private readonly trailingCounts: Int32Array;
  /** By instrument: the prices between which rows change nothing, once they were measured. */
  private readonly quiet: readonly QuietRange[];

  constructor(instrumentCount: number) {
    this.open = Array.from({ length: instrumentCount }, () => []);
    this.entries = new StopEntries(instrumentCount);
    this.counts = new Int32Array(instrumentCount);
    this.farCounts = new Int32Array(instrumentCount);
    this.nearestBelow = new Float64Array(instrumentCount).fill(-INFINITY);
    this.nearestAbove = new Float64Array(instrumentCount).fill(INFINITY);
    this.trailingCounts = new Int32Array(instrumentCount);
    this.quiet = Array.from({ length: instrumentCount }, () => new QuietRange());
  }

  /** Returns the number of stops and stop entries that wait on an instrument. While there are any, each of its rows must be checked. */
  waiting(instrumentIndex: number): number {
    return this.counts[instrumentIndex]!;
  }
  /** Adds a stop entry that the bot watches. */
  addEntry(entry: StopEntry): void {
    this.entries.add(entry);
    this.openCount++;
    this.counts[entry.instrumentIndex]!++;
  }
  /** Removes a stop entry. Does nothing if it was not waiting. */
  removeEntry(entry: StopEntry): void {
    if (!this.entries.remove(entry)) return;
    this.openCount--;
    this.counts[entry.instrumentIndex]!--;
  }
  /** Returns the open brackets of an instrument, the oldest first. */
  list(instrumentIndex: number): readonly Bracket[] {
    return this.open[instrumentIndex]!;
  }
  /** Number of open brackets and stop entries of all instruments. */
  get total(): number {
    return this.openCount;
  }
  /** Returns the bracket of an entry, or undefined. */
  of(entry: Pick<BracketEntry, 'instrumentIndex' | 'id'>): Bracket | undefined {
    // Search from the newest, because callers mostly look for that one.
    const open = this.open[entry.instrumentIndex]!;
    for (let index = open.length - 1; index >= 0; index--) if (open[index]!.entryId === entry.id) return open[index];
    return undefined;
  }

  /**
   * Arms the bracket of an entry, or widens it, by a fill of `lots` at `price`. Only entries with a stop or a trailing distance need one.
   * `isChasing`: the fill is that of a trigger order which the price reached by moving in its favour.
   */
  arm(entry: BracketEntry, lots: number, price: number, timeMs: number, isChasing = false): void {
    const existing = this.of(entry);
    if (existing) {
      existing.lots += lots;
      return;
    }
    const isLong = entry.side === 'buy';
    this.add({
      entryId: entry.id,
      strategy: entry.strategy,
      instrument: entry.instrumentIndex,
      isLong,
      lots,
      stopTicks: entry.stopLoss,
      trailingTicks: entry.trailing,
      trailingPpm: entry.trailingPpm,
      trailingFromTicks: entry.trailingFrom,
      bestTicks: price,
      entryTicks: price,
      armedMs: timeMs,
      isChasing,
      triedMs: NAN,
    });
  }
  private add(bracket: Bracket): void {
    this.open[bracket.instrument]!.push(bracket);
    this.openCount++;
    this.counts[bracket.instrument]!++;
    if (bracket.trailingTicks > 0) this.trailingCounts[bracket.instrument]!++;
    this.quiet[bracket.instrument]!.invalidate();
  }

  /** Reduces a bracket by `lots` that one of its legs has closed. */
  reduce(bracket: Bracket, lots: number): void {
    bracket.lots -= lots;
    if (bracket.lots <= 0) this.remove(bracket);
  }
  /** Removes a bracket. It must be open. */
  remove(bracket: Bracket): void {
    const open = this.open[bracket.instrument]!;
    const index = open.lastIndexOf(bracket);
    assert(index >= 0, `the bracket of order ${bracket.entryId} is removed twice`);
    removeAt(open, index);
    this.openCount--;
    this.counts[bracket.instrument]!--;
    if (bracket.trailingTicks > 0) this.trailingCounts[bracket.instrument]!--;
    this.quiet[bracket.instrument]!.invalidate();
    if (index < this.farCounts[bracket.instrument]!) {
      this.farCounts[bracket.instrument]!--;
      this.forgetNearest(bracket.instrument);
    }
  }
  private forgetNearest(instrumentIndex: number): void {
    this.nearestBelow[instrumentIndex] = this.nearestAbove[instrumentIndex] = NAN;
  }
  /** Moves the fixed stop of a bracket; 0 removes it. */
  moveStop(bracket: Bracket, stopTicks: number): void {
    (bracket as { stopTicks: number }).stopTicks = stopTicks;
    this.quiet[bracket.instrument]!.invalidate();
    this.forgetNearest(bracket.instrument);
  }
  /** Restores a bracket whose stop triggered but could not sell everything. If its entry has a bracket again, adds the quantity to that. */
  restore(bracket: Bracket): void {
    const existing = this.of({ instrumentIndex: bracket.instrument, id: bracket.entryId });
    if (existing) {
      existing.lots += bracket.lots;
      return;
    }
    this.add(bracket);
  }
  /** Ends all brackets of a strategy on an instrument, or those of one side, because what they protect has been closed. */
  drop(strategyIndex: number, instrumentIndex: number, isLong: boolean | null = null): void {
    this.removeAll(strategyIndex, instrumentIndex, isLong);
    if (this.aside.count > 0) this.aside.forget(strategyIndex, instrumentIndex, isLong);
  }
  /**
   * Sets the brackets of a strategy on an instrument aside, or those of one side, because an order is about to close what they protect. One
   * without a stop ends. Returns the number of brackets that were removed.
   */
  setAside(strategyIndex: number, instrumentIndex: number, isLong: boolean | null = null): number {
    const removedBrackets = this.removeAll(strategyIndex, instrumentIndex, isLong);
    for (const bracket of removedBrackets) if (bracket.stopTicks > 0 || bracket.trailingTicks > 0) this.aside.addBracket(bracket);
    return removedBrackets.length;
  }
  private removeAll(strategyIndex: number, instrumentIndex: number, isLong: boolean | null): readonly Bracket[] {
    const removedBrackets = this.open[instrumentIndex]!.filter(
      (candidate) => candidate.strategy === strategyIndex && (isLong ?? candidate.isLong) === candidate.isLong,
    );
    for (const bracket of removedBrackets) this.remove(bracket);
    return removedBrackets;
  }
  /**
   * Brings the brackets of one side back that were set aside, for at most `lots`: what is left of the lots that they protected. Together with
   * brackets that were armed since they protect at most `heldLots`. Those whose stop is nearest to the price come first.
   */
  bringBack(strategyIndex: number, instrumentIndex: number, isLong: boolean, lots: number, heldLots: number): void {
    const isOwn = (candidate: Bracket): boolean => candidate.strategy === strategyIndex && candidate.isLong === isLong;
    const returning = this.aside.takeBrackets(strategyIndex, instrumentIndex, isLong);
    if (returning.length === 0) return;
    let unprotectedLots = heldLots;
    for (const bracket of this.open[instrumentIndex]!) if (isOwn(bracket)) unprotectedLots -= bracket.lots;
    let lotsLeft = Math.min(lots, unprotectedLots);
    const nearestFirst = (bracket: Bracket, other: Bracket): number => (levelOf(other) - levelOf(bracket)) * (isLong ? 1 : -1) || 0;
    for (const bracket of returning.toSorted(nearestFirst)) {
      bracket.lots = Math.min(bracket.lots, lotsLeft);
      if (bracket.lots <= 0) continue;
      lotsLeft -= bracket.lots;
      const existing = this.of({ instrumentIndex, id: bracket.entryId });
      // A trailing stop does not fall back to where a later fill of its entry began.
      if (existing)
        existing.bestTicks = isLong ? Math.max(existing.bestTicks, bracket.bestTicks) : Math.min(existing.bestTicks, bracket.bestTicks);
      this.restore(bracket);
    }
    this.quiet[instrumentIndex]!.invalidate();
    this.forgetNearest(instrumentIndex);
  }

  /** Returns the prices between which rows change nothing. Stop entries do not count. */
  quietRange(instrumentIndex: number): QuietRange {
    const range = this.quiet[instrumentIndex]!;
    if (range.isKnown === false) this.measure(range, this.open[instrumentIndex]!);
    return range;
  }
  private measure(range: QuietRange, open: readonly Bracket[]): void {
    range.allowAllPrices();
    for (const bracket of open) range.excludeBracket(bracket.isLong, levelOf(bracket), bracket.trailingTicks > 0 ? bracket.bestTicks : NAN);
  }
  /** True when any stop on an instrument trails. */
  isTrailing(instrumentIndex: number): boolean {
    return this.trailingCounts[instrumentIndex]! > 0;
  }
  /** Returns the position of the first bracket that prices from `low` to `high` may trigger. They trigger none of those before it. */
  private firstNear(instrumentIndex: number, high: number, low: number): number {
    const open = this.open[instrumentIndex]!;
    if (this.trailingCounts[instrumentIndex]! > 0) return 0;
    const mayReachFar = !(low > this.nearestBelow[instrumentIndex]! && high < this.nearestAbove[instrumentIndex]!);
    if (mayReachFar && this.isFarReached(instrumentIndex, high, low)) return 0;
    let index = this.farCounts[instrumentIndex]!;
    for (; index < open.length && !isReached(open[index]!, high, low); index++) this.addFar(instrumentIndex, open[index]!);
    this.farCounts[instrumentIndex] = index;
    return index;
  }
  /** True when prices from `low` to `high` may trigger a far bracket. Computes the two nearest levels again if they are unknown. */
  private isFarReached(instrumentIndex: number, high: number, low: number): boolean {
    if (this.nearestBelow[instrumentIndex] === this.nearestBelow[instrumentIndex]) return true;
    this.nearestBelow[instrumentIndex] = -INFINITY;
    this.nearestAbove[instrumentIndex] = INFINITY;
    const open = this.open[instrumentIndex]!;
    for (let index = this.farCounts[instrumentIndex]! - 1; index >= 0; index--) this.addFar(instrumentIndex, open[index]!);
    return low <= this.nearestBelow[instrumentIndex] || high >= this.nearestAbove[instrumentIndex];
  }
  /** Counts a bracket among the far ones: adapts the nearest level of its side. */
  private addFar(instrumentIndex: number, bracket: Bracket): void {
    const level = levelOf(bracket);
    if (bracket.isLong) this.nearestBelow[instrumentIndex] = Math.max(this.nearestBelow[instrumentIndex]!, level);
    else this.nearestAbove[instrumentIndex] = Math.min(this.nearestAbove[instrumentIndex]!, level);
  }

  /** Returns how many stops a row reaches, at its open or inside it. */
  reachedCount(instrumentIndex: number, high: number, low: number): number {
    const open = this.open[instrumentIndex]!;
    let count = 0;
    for (let index = this.firstNear(instrumentIndex, high, low); index < open.length; index++)
      if (isReached(open[index]!, high, low)) count++;
    return count;
  }

  /** Returns a copy of all brackets that prices from `low` to `high` trigger. It may contain others too. */
  near(instrumentIndex: number, high: number, low: number): readonly Bracket[] {
    const open = this.open[instrumentIndex]!;
    for (let index = this.firstNear(instrumentIndex, high, low); index < open.length; index++)
      if (isReached(open[index]!, high, low)) return open.slice(index);
    return NO_BRACKETS;
  }

  /** Triggers the stops at or beyond which the row opens, at the open. */
  triggerAtOpen(instrumentIndex: number, open: number, onHit: OnHit): void {
    for (const bracket of this.near(instrumentIndex, open, open)) {
      const level = levelOf(bracket);
      if (bracket.isLong ? open <= level : open >= level) onHit(bracket, open);
    }
  }

  /**
   * Triggers the stops that the row reaches after its open, at their level. `sinceMs`: only brackets armed inside the row, at or after that
   * time. Such a stop triggers at no better price than that of its entry.
   */
  triggerInRow(instrumentIndex: number, high: number, low: number, sinceMs: number, onHit: OnHit): void {
    for (const bracket of this.near(instrumentIndex, high, low)) {
      if (bracket.armedMs < sinceMs) continue;
      const level = levelOf(bracket);
      if (!(bracket.isLong ? low <= level : high >= level)) continue;
      const price = bracket.isLong ? Math.min(level, high) : Math.max(level, low);
      if (sinceMs === -INFINITY) onHit(bracket, price);
      else onHit(bracket, bracket.isLong ? Math.min(price, bracket.entryTicks) : Math.max(price, bracket.entryTicks));
    }
  }

  /**
   * Makes trailing stops follow the best price of the row that opened at `openMs` and has closed. True when an entry filled inside the row.
   * The best price may then have come before the entry, and the caller must call `followClose`.
   */
  follow(instrumentIndex: number, high: number, low: number, openMs: number): boolean {
    // Only trailing stops read the best price.
    if (this.trailingCounts[instrumentIndex] === 0) return false;
    let enteredDuringRow = false;
    this.quiet[instrumentIndex]!.isKnown = false;
    for (const bracket of this.open[instrumentIndex]!) {
      if (bracket.armedMs > openMs && !bracket.isChasing) enteredDuringRow = true;
      else bracket.bestTicks = bracket.isLong ? Math.max(bracket.bestTicks, high) : Math.min(bracket.bestTicks, low);
    }
    return enteredDuringRow;
  }

  /** After a restart: follows a row that had closed before, as the bot did then, for the brackets that were armed by its close. */
  followAgain(
    instrumentIndex: number,
    row: { readonly high: number; readonly low: number; readonly close: number },
    openMs: number,
    closeMs: number,
  ): void {
    this.quiet[instrumentIndex]!.isKnown = false;
    for (const bracket of this.open[instrumentIndex]!) {
      if (bracket.armedMs > closeMs) continue;
      const enteredDuringRow = bracket.armedMs > openMs && !bracket.isChasing;
      const { high, low } = enteredDuringRow ? { high: row.close, low: row.close } : row;
      bracket.bestTicks = bracket.isLong ? Math.max(bracket.bestTicks, high) : Math.min(bracket.bestTicks, low);
    }
  }

  /** Makes trailing stops of entries that filled inside the row follow its close, the only price that certainly came after them. */
  followClose(instrumentIndex: number, close: number, openMs: number): void {
    this.quiet[instrumentIndex]!.isKnown = false;
    for (const bracket of this.open[instrumentIndex]!) {
      if (bracket.armedMs <= openMs || bracket.isChasing) continue;
      bracket.bestTicks = bracket.isLong ? Math.max(bracket.bestTicks, close) : Math.min(bracket.bestTicks, close);
    }
  }
}

/** True when prices from `low` to `high` trigger the stop of a bracket. */
export function isReached(bracket: Bracket, high: number, low: number): boolean {
  const level = levelOf(bracket);
  return bracket.isLong ? low <= level : high >= level;
}

/** Returns the price at which a bracket triggers: the nearer of its stop and its trailing stop. */
export function levelOf(bracket: Bracket): number {
  const { isLong, stopTicks } = bracket;
  const fixedLevel = isLong || stopTicks > 0 ? stopTicks : INFINITY;
  if (bracket.trailingTicks === 0) return fixedLevel;
  const trailingLevel = trailLevelOf(bracket, bracket.bestTicks);
  // The comparisons are false while it does not trail yet.
  if (isLong) return trailingLevel > fixedLevel ? trailingLevel : fixedLevel;
  return trailingLevel < fixedLevel ? trailingLevel : fixedLevel;
}
/**
 * Returns the level of a trailing stop after the best price `best`; NaN before the price from which it trails. A distance in percent is
 * rounded down, so that the level never moves away from the price as the best price gets better.
 */
export function trailLevelOf({ isLong, trailingTicks, trailingPpm, trailingFromTicks }: Bracket, best: number): number {
  if (trailingTicks === 0 || (trailingFromTicks !== 0 && (isLong ? best < trailingFromTicks : best > trailingFromTicks))) return NAN;
  const distance = trailingPpm === 0 ? trailingTicks : Math.max(trailingTicks, mulDiv(best, trailingPpm, MILLION, 'down'));
  return isLong ? best - distance : best + distance;
}

/** Ends the brackets of the side of a position that a fill has closed, and of both sides once nothing is held. */
export function dropClosed(
  brackets: Brackets,
  ledger: Pick<Ledger, 'isFlat' | 'closable'>,
  { strategy, instrument, isBuy }: { readonly strategy: number; readonly instrument: number; readonly isBuy: boolean },
): void {
  if (ledger.isFlat(strategy, instrument)) brackets.drop(strategy, instrument);
  else if (ledger.closable(strategy, instrument, isBuy, true) === 0) brackets.drop(strategy, instrument, !isBuy);
}
