// An order book: levels by price, first in first out within a level. It holds user orders and background quotes.

import { assert } from '../../base/assert.ts';
import type { Side } from '../../model/order.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';

/** One resting order. */
export interface RestingOrder {
  /** Text id on the wire. */
  readonly id: string;
  /** Null for background liquidity. */
  readonly order: VenueOrder | null;
  readonly side: Side;
  /** Ticks. */
  readonly price: number;
  /** Unfilled lots; 0 once the order has left the book. */
  readonly lots: number;
}

/** A resting order in the queue of its level, linked to its neighbours. */
class QueuedOrder implements RestingOrder {
  readonly id: string;
  readonly order: VenueOrder | null;
  readonly side: Side;
  readonly price: number;
  lots: number;
  prev: QueuedOrder | null = null;
  next: QueuedOrder | null = null;

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
  /** The order that trades next. */
  readonly head: RestingOrder;
}

/** The queue of one price level. It is never empty. */
class LevelQueue {
  readonly price: number;
  lots = 0;
  head: QueuedOrder;
  tail: QueuedOrder;

  constructor(first: QueuedOrder) {
    this.price = first.price;
    this.head = first;
    this.tail = first;
  }
}

/** The book of one instrument. */
export class OrderBook {
  /** Levels of each side. The best one is last, where most changes happen. */
  readonly #queues: Readonly<Record<Side, LevelQueue[]>> = { buy: [], sell: [] };
  /** Counts every change. A result derived from the book stays valid while it is unchanged. */
  version = 0;

  /** Returns the best level; null if the side is empty. */
  best(side: Side): PriceLevel | null {
    return this.#queues[side].at(-1) ?? null;
  }

  /** Returns at most `count` levels, best first. */
  levels(side: Side, count: number): readonly PriceLevel[] {
    const queues = this.#queues[side];
    return queues.slice(Math.max(0, queues.length - count)).toReversed();
  }

  /** Returns the order behind `resting` at its price; null if it is the last. */
  nextAtPrice(resting: RestingOrder): RestingOrder | null {
    assert(resting instanceof QueuedOrder, 'a resting order is in this book');
    return resting.next;
  }

  /** Adds an order behind those at its price. The caller guarantees that it crosses no other order. */
  add(id: string, order: VenueOrder | null, side: Side, price: number, lots: number): RestingOrder {
    const queued = new QueuedOrder(id, order, side, price, lots);
    const queues = this.#queues[side];
    const index = levelIndex(queues, side, price);
    const queue = queues[index];
    if (queue?.price === price) {
      queued.prev = queue.tail;
      queue.tail.next = queued;
      queue.tail = queued;
      queue.lots += lots;
    } else {
      const level = new LevelQueue(queued);
      level.lots = lots;
      queues.splice(index, 0, level);
    }
    this.version++;
    return queued;
  }

  /** Reduces an order by `lots`. It leaves the book with its last lot. */
  reduce(resting: RestingOrder, lots: number): void {
    assert(resting instanceof QueuedOrder && lots > 0 && lots <= resting.lots, 'a resting order has the lots that are taken from it');
    const queues = this.#queues[resting.side];
    const index = levelIndex(queues, resting.side, resting.price);
    const queue = queues[index];
    assert(queue?.price === resting.price, 'a resting order has its level');
    resting.lots -= lots;
    queue.lots -= lots;
    this.version++;
    if (resting.lots > 0) return;
    if (resting.next !== null) resting.next.prev = resting.prev;
    else if (resting.prev !== null) queue.tail = resting.prev;
    if (resting.prev !== null) resting.prev.next = resting.next;
    else if (resting.next !== null) queue.head = resting.next;
    else queues.splice(index, 1);
  }

  /** Removes an order; does nothing if it has already left. */
  remove(resting: RestingOrder): void {
    if (resting.lots > 0) this.reduce(resting, resting.lots);
  }
}

/** Returns the index of the level at `price`, or where to insert it. Buys are in ascending order, sells in descending order. */
function levelIndex(queues: readonly LevelQueue[], side: Side, price: number): number {
  let low = 0;
  let high = queues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const levelPrice = queues[middle]!.price;
    if (side === 'buy' ? levelPrice < price : levelPrice > price) low = middle + 1;
    else high = middle;
  }
  return low;
}
