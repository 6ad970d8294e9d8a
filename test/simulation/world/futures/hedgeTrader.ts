// Trades contracts in two-way mode: wants a long and a short position of each contract at once, each with a stop of its own.

import { flag, type Feed, type FillInfo, type OrderInfo } from '../../../../src/index.ts';
import { nextRandomState, randomFraction } from '../trader.ts';
import { ContractTrader, entryOptions, ORDER_LOTS, STOP } from './contractTrader.ts';

/** Begins the tags of orders that open. All others close. */
const OPENING = /^(?:in|wait) /;
/** Smallest position, in contracts, that a stop may cover in part. */
const MIN_PARTLY_COVERED = 10;

/** Returns the name of one side of a contract in `leaving`. */
export const sideName = (wireName: string, isLong: boolean): string => `${wireName} ${isLong ? 'long' : 'short'}`;
/** Returns the tag of an order of one side. Orders of both sides with one tag would be one decision. */
const sideTag = (tag: string, isLong: boolean): string => `${tag} ${isLong ? 'long' : 'short'}`;

/** Holds both sides of each contract. Each side is entered, protected, reduced and left without regard to the other one. */
export class HedgeTrader extends ContractTrader {
  /** Not read: it only distinguishes the two strategies of a config. */
  static override readonly params = { isFirst: flag(true) };
  override actsPerMinute = 1.2;
  #randomState = 30_011;

  protected override actOn(feed: Feed): void {
    for (const isLong of [true, false]) this.#actOnSide(feed, isLong);
  }

  #actOnSide(feed: Feed, isLong: boolean): void {
    const heldQty = this.#heldQty(feed, isLong);
    const { entries, closing, stops } = this.#ordersOf(feed, isLong);
    const name = sideName(feed.instrument.wireName, isLong);
    const isActing = this.#nextRandom() < this.actsPerMinute / this.symbols.length;
    if (heldQty.isZero()) {
      this.leaving.delete(name);
      if (!isActing) return;
      for (const { id } of [...entries, ...closing]) this.cancel(id);
      if (entries.length + closing.length === 0) this.#enter(feed, isLong);
      return;
    }
    // A side that the strategy leaves is closed once its stops are gone: orders that close may together not close more than is held.
    if (this.leaving.has(name)) return closing.length === 0 ? this.#reduce(feed, isLong, heldQty) : undefined;
    const otherOrders = closing.filter((order) => !stops.includes(order));
    if (this.usesStops && stops.length === 0) {
      if (otherOrders.length === 0) return this.#protect(feed, isLong, heldQty);
      for (const { id } of otherOrders) this.cancel(id);
      return;
    }
    if (!isActing) return;
    for (const { id } of [...entries, ...otherOrders]) if (this.#nextRandom() < 0.5) this.cancel(id);
    if (entries.length + otherOrders.length > 0) return;
    const coveredQty = stops.reduce((sum, { qty }) => sum.plus(qty), heldQty.minus(heldQty));
    const uncoveredQty = heldQty.minus(coveredQty);
    const choice = this.#nextRandom();
    const [stop] = stops;
    if (uncoveredQty.gt(0) && choice < 0.5) this.#reduce(feed, isLong, uncoveredQty);
    else if (choice < 0.2) this.#leave(name, closing);
    else if (choice < 0.4) this.#enter(feed, isLong);
    else if (stop === undefined) this.#reduce(feed, isLong, heldQty.times(0.5).ceil());
    else if (choice < 0.55 && heldQty.gt(MIN_PARTLY_COVERED)) stop.amend({ size: heldQty.times(0.6).floor() });
    else stop.amend({ stop: this.#stopPrice(feed, isLong), size: heldQty });
  }

  #heldQty(feed: Feed, isLong: boolean): FillInfo['qty'] {
    const { long, short } = this.position(feed);
    return isLong ? long : short;
  }
  /** Returns the open orders of one side: those that enlarge it, those that close it, and the stops among the latter. */
  #ordersOf(feed: Feed, isLong: boolean): Readonly<Record<'entries' | 'closing' | 'stops', readonly OrderInfo[]>> {
    const open = this.openOrders(feed);
    const entries = open.filter(({ tag, side }) => OPENING.test(tag) && (side === 'buy') === isLong);
    const closing = open.filter(({ tag, side }) => !OPENING.test(tag) && (side === 'sell') === isLong);
    return { entries, closing, stops: closing.filter(({ trigger }) => trigger > 0) };
  }

  #enter(feed: Feed, isLong: boolean): void {
    // Amounts depend on what was reported: a fill that is reported twice, or never, changes the orders that follow.
    const base = String(ORDER_LOTS.min + ((this.notifiedCount * 7) % 40) + Math.floor(this.random() * 60));
    const entry = entryOptions(this.#nextRandom(), feed.close.value, isLong, this.#nextRandom() * 0.002);
    const options = { feed, ...entry, tag: sideTag(entry.tag, isLong) };
    if (isLong) this.buy({ base }, options);
    else this.sell({ base }, options);
  }
  #leave(name: string, closing: readonly OrderInfo[]): void {
    this.leaving.add(name);
    for (const { id } of closing) this.cancel(id);
  }
  #reduce(feed: Feed, isLong: boolean, size: FillInfo['qty']): void {
    this.#close(feed, isLong, size, { tag: 'out' });
  }
  #protect(feed: Feed, isLong: boolean, size: FillInfo['qty']): void {
    this.#close(feed, isLong, size, { tag: 'stop', trigger: this.#stopPrice(feed, isLong) });
  }
  #close(feed: Feed, isLong: boolean, size: FillInfo['qty'], terms: { readonly tag: string; readonly trigger?: number }): void {
    const options = { feed, ...terms, tag: sideTag(terms.tag, isLong), reduceOnly: true };
    if (isLong) this.sell({ base: size }, options);
    else this.buy({ base: size }, options);
  }
  #stopPrice(feed: Feed, isLong: boolean): number {
    const away = STOP.min + this.#nextRandom() * (STOP.max - STOP.min);
    return feed.close.value * (isLong ? 1 - away : 1 + away);
  }

  protected override protectBare(feed: Feed): void {
    for (const isLong of [true, false]) {
      const heldQty = this.#heldQty(feed, isLong);
      const name = sideName(feed.instrument.wireName, isLong);
      if (heldQty.isZero()) this.leaving.delete(name);
      else if (!this.leaving.has(name) && this.#ordersOf(feed, isLong).closing.length === 0) this.#protect(feed, isLong, heldQty);
    }
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = nextRandomState(this.#randomState);
    return randomFraction(this.#randomState);
  }
}

/** The same without stops: its positions meet the liquidation of the exchange. */
export class BareHedgeTrader extends HedgeTrader {
  override get usesStops(): boolean {
    return false;
  }
}

/** Two strategies that want the same contracts. A contract belongs to the one that trades it first. */
export const HEDGE_STRATEGIES = [
  { file: '/world/first.ts', params: { isFirst: true } },
  { file: '/world/second.ts', params: { isFirst: false } },
] as const;
