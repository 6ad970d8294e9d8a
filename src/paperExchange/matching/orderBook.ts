// A book of resting orders: levels by price, first come first served within a level; of users and of the background alike.

import { assert } from '../../base/assert.ts';
import type { Side } from '../../model/order.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';

/** One resting order. */
export interface Resting {
  /** Text id on the wire. */
  readonly id: string;
  /** Null: the background's. */
  readonly order: VenueOrder | null;
  readonly side: Side;
  /** Ticks. */
  readonly price: number;
  /** What is left of it; 0 once it has gone. */
  readonly lots: number;
}

class Entry implements Resting {
  readonly id: string;
  readonly order: VenueOrder | null;
  readonly side: Side;
  readonly price: number;
  lots: number;
  prev: Entry | null = null;
  next: Entry | null = null;

  constructor(id: string, order: VenueOrder | null, side: Side, price: number, lots: number) {
    this.id = id;
    this.order = order;
    this.side = side;
    this.price = price;
    this.lots = lots;
  }
}

/** The orders at one price. */
export interface PriceLevel {
  readonly price: number;
  readonly lots: number;
  /** The one that trades next. */
  readonly head: Resting;
}

class Queue {
  readonly price: number;
  lots = 0;
  head: Entry;
  tail: Entry;

  constructor(first: Entry) {
    this.price = first.price;
    this.head = first;
    this.tail = first;
  }
}

export class OrderBook {
  /** Levels of each side, the best one last: where orders come and go. */
  readonly #queues: Readonly<Record<Side, Queue[]>> = { buy: [], sell: [] };
  /** Counts every change: what was made of the book before is still right while it stands. */
  version = 0;

  /** The level that trades first; null: the side is empty. */
  best(side: Side): PriceLevel | null {
    return this.#queues[side].at(-1) ?? null;
  }

  /** Up to `count` levels, the best one first. */
  levels(side: Side, count: number): readonly PriceLevel[] {
    const queues = this.#queues[side];
    return queues.slice(Math.max(0, queues.length - count)).toReversed();
  }

  /** The order that trades after another one at its price; null: it is the last. */
  after(of: Resting): Resting | null {
    assert(of instanceof Entry, 'a resting order is one of this book');
    return of.next;
  }

  /** Rests an order behind those at its price. The caller has seen to it that it crosses none. */
  add(id: string, order: VenueOrder | null, side: Side, price: number, lots: number): Resting {
    const entry = new Entry(id, order, side, price, lots);
    const queues = this.#queues[side];
    const at = placeOf(queues, side, price);
    const queue = queues[at];
    if (queue?.price === price) {
      entry.prev = queue.tail;
      queue.tail.next = entry;
      queue.tail = entry;
      queue.lots += lots;
    } else {
      const made = new Queue(entry);
      made.lots = lots;
      queues.splice(at, 0, made);
    }
    this.version++;
    return entry;
  }

  /** Takes `lots` off an order, which goes with its last one. */
  take(of: Resting, lots: number): void {
    assert(of instanceof Entry && lots > 0 && lots <= of.lots, 'a resting order gives lots that it has');
    const queues = this.#queues[of.side];
    const at = placeOf(queues, of.side, of.price);
    const queue = queues[at];
    assert(queue?.price === of.price, 'a resting order has its level');
    of.lots -= lots;
    queue.lots -= lots;
    this.version++;
    if (of.lots > 0) return;
    if (of.next !== null) of.next.prev = of.prev;
    else if (of.prev !== null) queue.tail = of.prev;
    if (of.prev !== null) of.prev.next = of.next;
    else if (of.next !== null) queue.head = of.next;
    else queues.splice(at, 1);
  }

  /** Removes an order with all that is left of it; nothing where it has gone already. */
  remove(of: Resting): void {
    if (of.lots > 0) this.take(of, of.lots);
  }
}

/** The index of the level at `price`, or where it belongs: buys rise towards the end, sells fall. */
function placeOf(queues: readonly Queue[], side: Side, price: number): number {
  let [low, high] = [0, queues.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = queues[middle]!.price;
    if (side === 'buy' ? found < price : found > price) low = middle + 1;
    else high = middle;
  }
  return low;
}
