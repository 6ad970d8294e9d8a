// Trades contracts at random, long and short, with a stop at the exchange that moves with the position.

import type { Feed, FillInfo } from '../../../../src/index.ts';
import { nextRandomState, randomFraction, Trader } from '../trader.ts';

/** Distances of a stop from the price, as fractions of it. */
export const STOP = { min: 0.002, max: 0.012 };
/** Contracts of the first order of a position. */
export const ORDER_LOTS = { min: 60, max: 160 };

/** Trades contracts, and protects each position by a trigger order at the exchange. */
export class ContractTrader extends Trader {
  #randomState = 40_013;
  /** Symbols, or sides of symbols, whose stop the strategy itself cancels, because it leaves the position. */
  leaving = new Set<string>();

  /** False for a strategy that places no stops: its positions meet the liquidation of the exchange. */
  get usesStops(): boolean {
    return true;
  }

  override onBar() {
    this.barCount++;
    for (const feed of this.symbols) this.actOn(feed);
  }

  /** Acts on one contract, once a bar. */
  protected actOn(feed: Feed): void {
    const { isFlat, isLong, qty } = this.position(feed);
    const open = this.openOrders(feed);
    const isActing = this.#nextRandom() < (this.actsPerMinute * 1.5) / this.symbols.length;
    if (isFlat) {
      this.leaving.delete(feed.instrument.wireName);
      if (!isActing) return;
      for (const { id } of open) this.cancel(id);
      if (open.length === 0) this.#enter(feed, this.#nextRandom() < 0.5);
      return;
    }
    const stops = open.filter(({ trigger, side }) => trigger > 0 && (side === 'sell') === isLong);
    const otherOrders = open.filter((order) => !stops.includes(order));
    const heldQty = qty.abs();
    const coveredQty = stops.reduce((sum, stop) => sum.plus(stop.qty), heldQty.minus(heldQty));
    // A position that the strategy leaves gets no new stop until the exit has ended.
    if (this.leaving.has(feed.instrument.wireName) && otherOrders.length > 0) return;
    if (this.usesStops && stops.length === 0) {
      // Orders that close may together not close more than is held.
      if (otherOrders.length === 0) return this.#protect(feed, isLong, heldQty);
      for (const order of otherOrders) this.cancel(order.id);
      return;
    }
    // It does not wait for a stop of unknown outcome. Risk denies the second one.
    const isUnsure = stops.length > 0 && stops.every(({ lifecycle }) => lifecycle === 'unknown' || lifecycle === 'sent');
    if (isUnsure && this.#nextRandom() < 0.5) return this.#protect(feed, isLong, heldQty, 'second stop');
    if (!isActing) return;
    for (const order of otherOrders) if (this.#nextRandom() < 0.5) this.cancel(order.id);
    if (otherOrders.length > 0) return;
    const choice = this.#nextRandom();
    const [stop] = stops;
    const uncoveredQty = heldQty.minus(coveredQty);
    if (uncoveredQty.gt(0) && choice < 0.6) this.#reduce(feed, isLong, uncoveredQty);
    else if (choice < 0.2) this.#leave(feed);
    else if (choice < 0.35) this.#enter(feed, isLong);
    else if (stop === undefined) this.#reduce(feed, isLong, heldQty.times(0.5).ceil());
    else if (choice < 0.5 && heldQty.gt(10)) stop.amend({ size: heldQty.times(0.6).floor() });
    else stop.amend({ stop: this.#stopPrice(feed, isLong), size: heldQty });
  }

  #enter(feed: Feed, isLong: boolean): void {
    const price = feed.close.value;
    // Amounts depend on what was reported: a fill that is reported twice, or never, changes the orders that follow.
    const base = String(
      ORDER_LOTS.min + ((this.notifiedCount * 7) % 40) + Math.floor(this.random() * (ORDER_LOTS.max - ORDER_LOTS.min - 40)),
    );
    const choice = this.entryOf(this.#nextRandom());
    const away = this.#nextRandom() * 0.002;
    const options = { feed, ...entryOptions(choice, price, isLong, away) };
    if (isLong) this.buy({ base }, options);
    else this.sell({ base }, options);
  }

  /** Returns the number by which an entry is chosen, from one drawn in (0, 1). */
  protected entryOf(draw: number): number {
    return draw;
  }

  /** Closes a part that no stop covers. */
  #reduce(feed: Feed, isLong: boolean, size: FillInfo['qty']): void {
    const price = feed.close.value;
    const limit = this.#nextRandom() < 0.5 ? {} : { limit: price * (isLong ? 1.0004 : 0.9996) };
    const options = { feed, tag: 'out', reduceOnly: true, ...limit };
    if (isLong) this.sell({ base: size }, options);
    else this.buy({ base: size }, options);
  }

  #leave(feed: Feed): void {
    this.leaving.add(feed.instrument.wireName);
    this.exit(feed);
  }

  #protect(feed: Feed, isLong: boolean, size: FillInfo['qty'], tag = 'stop'): void {
    this.leaving.delete(feed.instrument.wireName);
    const options = { feed, trigger: this.#stopPrice(feed, isLong), tag, reduceOnly: true };
    if (isLong) this.sell({ base: size }, options);
    else this.buy({ base: size }, options);
  }
  #stopPrice(feed: Feed, isLong: boolean): number {
    const away = STOP.min + this.#nextRandom() * (STOP.max - STOP.min);
    return feed.close.value * (isLong ? 1 - away : 1 + away);
  }

  override onFill(fill: FillInfo) {
    super.onFill(fill);
    if (!this.usesStops) return;
    // The first fill of a position is protected at once. The next bar extends the stop to what has filled since.
    for (const feed of this.symbols) this.protectBare(feed);
  }
  /** Protects a position that has no stop. */
  protected protectBare(feed: Feed): void {
    const { isFlat, isLong, qty } = this.position(feed);
    if (isFlat) this.leaving.delete(feed.instrument.wireName);
    else if (!this.leaving.has(feed.instrument.wireName) && this.openOrders(feed).every(({ trigger }) => !(trigger > 0)))
      this.#protect(feed, isLong, qty.abs());
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = nextRandomState(this.#randomState);
    return randomFraction(this.#randomState);
  }
}

/**
 * Returns the options of an entry by its choice in [0, 1]: a market order, a limit that fills at once, a resting limit, or a stop entry. `away`
 * is the distance of the last two from the price, as a fraction of it.
 */
export function entryOptions(choice: number, price: number, isLong: boolean, away: number) {
  if (choice < 0.4) return { tag: 'in' };
  if (choice < 0.65) return { tag: 'in', limit: price * (isLong ? 1.002 : 0.998) };
  if (choice < 0.85) return { tag: 'in', limit: price * (isLong ? 1 - away : 1 + away) };
  return { tag: 'wait', stopEntry: price * (isLong ? 1.0002 + away : 0.9998 - away) };
}

/** Trades three times as often, for a busy day. */
export class BusyContractTrader extends ContractTrader {
  override actsPerMinute = 1.2;
}

/** Enters most positions by trigger orders, which wait for their price. */
export class WaitingContractTrader extends BusyContractTrader {
  protected override entryOf(draw: number): number {
    return draw < 0.3 ? draw : 1;
  }
}

/** Trades without stops. */
export class BareContractTrader extends ContractTrader {
  override get usesStops(): boolean {
    return false;
  }
}
