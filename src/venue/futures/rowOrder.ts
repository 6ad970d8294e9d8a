// The order of events within a row of a contract: opens, stops, entries, take-profits, and the liquidations between them
// (docs/matching.md).

import { appendAll } from '../../base/memory/appendAll.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { VenueOrderRecord, VenueOrder } from '../venueOrder.ts';
import type { ContractBook } from './contractBook.ts';
import type { FuturesVenue } from './futuresVenue.ts';
import type { MarkRow } from './liquidation.ts';
import type { VenuePosition } from './position.ts';
import { type ReachedTriggers, type Trigger, triggerRank, triggersWhenRising } from './triggers.ts';

/** A row of traded prices, in ticks. */
export interface TradedRow {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
}

/** Order of events inside a row: the smaller number acts first. Orders that arrived with a fill at the open take part in that open. */
export const STAGE = { lateOpen: 0, stop: 1, condition: 2, entry: 3, profit: 4, stopOfEntry: 5 } as const;
/** The ranks of these stages in the order that is best for a position: profits come before stops. */
export const BEST_STAGES: Readonly<Record<keyof typeof STAGE, number>> = {
  lateOpen: 0,
  profit: 1,
  stop: 2,
  condition: 3,
  entry: 4,
  stopOfEntry: 5,
};
const STAGES = Object.keys(STAGE) as (keyof typeof STAGE)[];

/** An event that a row causes at a price level. */
export interface RowEvent {
  readonly account: number;
  /** In ticks; 0 for a market order, which has no level. */
  readonly level: number;
  readonly isBuy: boolean;
  /** True when it can only reduce a position. */
  readonly closes: boolean;
  /** True when a falling price reaches its level. */
  readonly isFalling: boolean;
  /** True when it acts at the open of the row. */
  readonly isAtOpen: boolean;
  /** One of `STAGE`. Unused at the open, where events act as they are listed. */
  readonly stage: number;
  /** True while it can still act: its order is open, or its trigger or stop waits. */
  isPending(): boolean;
  /** Executes the event. */
  act(): void;
}

/** Trigger orders that wait at the exchange. */
export interface RowTriggers {
  /** Returns the trigger orders that the prices of a row (ticks) reach, at its open and after it. */
  reachedBy(instrument: Instrument, openMs: number, open: number, high: number, low: number): ReachedTriggers;
  /** Places the order of a trigger order, at `price` in ticks. */
  fireAt(trigger: Trigger, price: number, timeMs: number): void;
}

/** Local stops of the bot that the row reaches. Only the simulated exchange of a backtest knows them. */
export interface RowStops {
  /** Returns stops that the open has already passed. */
  gapped(): RowEvent[];
  /** Returns stops that a price after the open reaches. */
  afterOpen(): RowEvent[];
  /** Returns stops of entries that filled inside the row; each is listed once. */
  ofEntries(): RowEvent[];
}

/** Liquidates a position at `timeMs`, inside the row that closes at `closeMs`. */
export type EndPosition = (position: VenuePosition, marks: MarkRow, timeMs: number, closeMs: number) => void;

const NO_STOPS: RowStops = { gapped: () => [], afterOpen: () => [], ofEntries: () => [] };

/**
 * Orders the events of a row. If the worst mark of the row reaches the liquidation price of a position, the liquidation comes before every
 * event at that price or beyond. It also comes before every event that would reduce the position at a profit. Events that the price reaches
 * earlier come first. The liquidation price is the one that the position shows, with the other positions of its account at the last marks.
 */
export class RowOrder {
  private readonly venue: FuturesVenue;
  private readonly book: ContractBook;
  private readonly endPosition: EndPosition;
  /** The rank of each stage in the order of events. */
  private readonly stageRanks: readonly number[];
  /** Orders at the open that wait for a liquidation. */
  private heldEvents: RowEvent[] = [];

  /** `endPosition`: replaces the venue's `endPosition`, for a caller with books of its own. `stageRanks`: the order of the stages. */
  constructor(
    venue: FuturesVenue,
    instrument: Instrument,
    endPosition: EndPosition = (...args) => venue.endPosition(...args),
    stageRanks: Readonly<Record<keyof typeof STAGE, number>> = STAGE,
  ) {
    this.stageRanks = STAGES.map((stage) => stageRanks[stage]);
    this.venue = venue;
    this.book = venue.book(instrument);
    this.endPosition = endPosition;
  }

  /** True when orders at the open wait for a liquidation, so that `matchAfterOpen` must be called. */
  get isHeldBack(): boolean {
    return this.heldEvents.length > 0;
  }

  /** True when the marks liquidate a current position of the contract. */
  isAnyDue(marks: MarkRow): boolean {
    const { wallets } = this.venue;
    for (let accountIndex = 0; accountIndex < wallets.accounts.length; accountIndex++) {
      for (const position of wallets.sides(accountIndex, this.book.index)) if (this.venue.isDue(position, marks)) return true;
    }
    return false;
  }

  /** Offers the open to all orders except those that come after a liquidation, which `matchAfterOpen` offers. */
  open(row: TradedRow, marks: MarkRow, volumeLots: number): void {
    const { book } = this;
    this.heldEvents = [];
    if (!this.isAnyDue(marks)) return book.matchOpen(row.openMs, row.open, volumeLots);
    book.beginRow(volumeLots);
    for (const event of this.ordersAtOpen(row)) {
      if (!event.isPending()) continue;
      if (this.liquidatedBefore(event, marks) === null) event.act();
      else this.heldEvents.push(event);
    }
  }

  /** Processes the row after its open, once `open` or the book's `matchOpen` was called. */
  matchAfterOpen(row: TradedRow, marks: MarkRow, triggers: RowTriggers | null, stops: RowStops = NO_STOPS): void {
    const { book } = this;
    const { openMs, closeMs, open, high, low } = row;
    const reachedTriggers = triggers?.reachedBy(book.instrument, openMs, open, high, low) ?? { atOpen: [], afterOpen: [] };
    const triggersAtOpen = reachedTriggers.atOpen.map((trigger) => this.triggerEvent(trigger, open, openMs, true, triggers!));
    this.runEvents([...this.heldEvents.splice(0), ...stops.gapped(), ...triggersAtOpen], row, marks, openMs, () => []);
    const events = [
      ...stops.afterOpen(),
      ...reachedTriggers.afterOpen.map((trigger) => this.triggerEvent(trigger, trigger.price, closeMs, false, triggers!)),
      ...this.ordersAfterOpen(row),
    ];
    this.runEvents(this.nearestFirst(events, open), row, marks, closeMs, () => this.nearestFirst(stops.ofEntries(), open));
  }

  /** Processes stops of entries that filled inside the row, after all other events of the row. */
  runStopsOfEntries(row: TradedRow, marks: MarkRow, stops: RowStops): void {
    this.runEvents(this.nearestFirst(stops.ofEntries(), row.open), row, marks, row.closeMs, () => []);
  }

  /**
   * Executes events in their order. An event that comes after a liquidation waits until no other event is left. `laterEvents`: returns the
   * events that come last.
   */
  private runEvents(events: RowEvent[], { closeMs }: TradedRow, marks: MarkRow, timeMs: number, laterEvents: () => RowEvent[]): void {
    for (let remaining = events; ;) {
      remaining = remaining.filter((event) => event.isPending());
      const index = remaining.findIndex((event) => this.liquidatedBefore(event, marks) === null);
      if (index >= 0) {
        remaining[index]!.act();
        remaining.splice(index, 1);
        continue;
      }
      const later = laterEvents();
      appendAll(remaining, later);
      if (later.length > 0) continue;
      const [first] = remaining;
      if (first === undefined) return;
      const position = this.liquidatedBefore(first, marks)!;
      const { lots } = position;
      this.endPosition(position, marks, timeMs, closeMs);
      // If neither this nor another position was liquidated, the event acts now. This prevents an endless loop.
      if (position.lots === lots && this.liquidatedBefore(first, marks) === position) remaining.shift()!.act();
    }
  }

  /** Returns the position whose liquidation comes before an event, or null. */
  private liquidatedBefore(event: RowEvent, marks: MarkRow): VenuePosition | null {
    const { venue, book } = this;
    if (event.level === 0) return null;
    for (const position of venue.wallets.sides(event.account, book.index)) {
      if (position.lots === 0 || !this.comesAfter(event, position) || !venue.isDue(position, marks)) continue;
      return position;
    }
    return null;
  }

  /** True when an event comes after the liquidation of a position: at its price or beyond, or as a profit that may come too late. */
  private comesAfter(event: RowEvent, position: Readonly<VenuePosition>): boolean {
    const { isLong } = position;
    if (event.isFalling === isLong) {
      const limit = this.venue.liquidationTicks(position);
      return isLong ? event.level <= limit : event.level >= limit;
    }
    const { isNet } = this.venue.wallets.setting(event.account, this.book.index);
    return !event.isAtOpen && event.isBuy !== isLong && (isNet || event.closes);
  }

  /** Returns the orders that the open fills, and those with a time in force, which end at the open and never wait. */
  private ordersAtOpen({ openMs, open }: TradedRow): RowEvent[] {
    const events: RowEvent[] = [];
    for (const order of this.book.ordersInRow(openMs)) {
      if (tradesAt(order, open)) events.push(this.atOpen(order, order.limit, openMs, open));
      else if (order.timeInForce !== null) events.push(this.atOpen(order, 0, openMs, open));
    }
    return events;
  }

  /** Returns the orders whose limits the row reaches after its open, and those that arrived too late for the open. */
  private ordersAfterOpen({ openMs, closeMs, open, high, low }: TradedRow): RowEvent[] {
    const { book } = this;
    const events: RowEvent[] = [];
    const isLate = book.hasOrdersAfterOpen;
    for (const order of book.ordersInRow(openMs)) {
      if (isLate && (tradesAt(order, open) || order.timeInForce !== null)) events.push(this.atOpen(order, order.limit, openMs, open));
      if (!book.isReached(order, open, high, low)) continue;
      const reducesPosition = book.opposite(order.account, order.side === 'buy', order.closes) !== null;
      events.push(
        this.orderEvent(order, order.limit, false, reducesPosition ? STAGE.profit : STAGE.entry, () => book.fillReached(order, closeMs)),
      );
    }
    return events;
  }

  /** Sorts by stage; within a stage, the nearest to the open first, then as listed. */
  private nearestFirst(events: readonly RowEvent[], open: number): RowEvent[] {
    const { stageRanks } = this;
    return events.toSorted((a, b) => stageRanks[a.stage]! - stageRanks[b.stage]! || Math.abs(a.level - open) - Math.abs(b.level - open));
  }

  /** Returns the event of an order that trades, or ends, at the open. */
  private atOpen(order: VenueOrderRecord, level: number, openMs: number, open: number): RowEvent {
    return this.orderEvent(order, level, true, STAGE.lateOpen, () => this.book.offer(order, openMs, open));
  }
  /** Returns an event of an order. It is pending while the order is open. */
  private orderEvent(order: VenueOrderRecord, level: number, isAtOpen: boolean, stage: number, act: () => void): RowEvent {
    const { id, account, closes } = order;
    const isBuy = order.side === 'buy';
    return { account, level, isBuy, closes, isFalling: isBuy, isAtOpen, stage, isPending: () => isOpen(order, id), act };
  }

  /** Returns the event that a trigger order is reached. */
  private triggerEvent(trigger: Trigger, price: number, timeMs: number, isAtOpen: boolean, triggerOrders: RowTriggers): RowEvent {
    const { account, price: level, child } = trigger;
    return {
      account,
      level,
      isBuy: child.side === 'buy',
      closes: child.reduceOnly,
      isFalling: !triggersWhenRising(trigger),
      isAtOpen,
      stage: [STAGE.condition, STAGE.entry, STAGE.profit][triggerRank(trigger)]!,
      isPending: () => trigger.status === 'pending',
      act: () => triggerOrders.fireAt(trigger, price, timeMs),
    };
  }
}

/** True when an order would trade at once at `price`. */
function tradesAt({ limit, side }: VenueOrder, price: number): boolean {
  return limit === 0 || (side === 'buy' ? limit >= price : limit <= price);
}

/** True when the order is open. Compares the id, because another order may use the record once it is released. */
const isOpen = (order: VenueOrder, id: number): boolean => order.isOpen && order.id === id;
