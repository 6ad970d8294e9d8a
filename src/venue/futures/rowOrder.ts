// The order in which a row of a contract acts: its open, stops, entries and profits, and the liquidations between them (docs/matching.md).

import type { Instrument } from '../../model/instrument.ts';
import type { VenueOrderRecord, VenueOrder } from '../venueOrder.ts';
import type { ContractBook } from './contractBook.ts';
import type { FuturesVenue } from './futuresVenue.ts';
import type { MarkRow } from './liquidation.ts';
import type { VenuePosition } from './position.ts';
import { type ReachedTriggers, type Trigger, triggerRank, triggersOnRise } from './triggers.ts';

/** A row of traded prices, in ticks. */
export interface TradedRow {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
}

/** What acts first inside a row: the smaller number. */
export const STAGE = { stop: 0, condition: 1, lateOpen: 2, entry: 3, profit: 4, stopOfEntry: 5 } as const;

/** Something that a row sets off at a level. */
export interface RowEvent {
  readonly account: number;
  /** In ticks; 0: a market order, which has none. */
  readonly level: number;
  readonly isBuy: boolean;
  /** It can only reduce a position. */
  readonly closes: boolean;
  /** A falling price reaches its level. */
  readonly falls: boolean;
  /** It acts at the open of the row. */
  readonly atOpen: boolean;
  /** One of `STAGE`; of no meaning at the open, where things act as they are listed. */
  readonly stage: number;
  /** False: it has ended, or nothing of it is left to do. */
  isThere(): boolean;
  act(): void;
}

/** Condition orders that wait at the exchange. */
export interface RowTriggers {
  reachedBy(instrument: Instrument, openMs: number, open: number, high: number, low: number): ReachedTriggers;
  fireAt(trigger: Trigger, price: number, timeMs: number): void;
}

/** Stops that the bot holds itself and the row reaches. The exchange of a backtest alone knows them. */
export interface RowStops {
  gapped(): RowEvent[];
  inside(): RowEvent[];
  /** Of entries that filled inside the row; each is listed once. */
  ofEntries(): RowEvent[];
}

export type EndPosition = (position: VenuePosition, marks: MarkRow, timeMs: number, closeMs: number) => void;

const NO_STOPS: RowStops = { gapped: () => [], inside: () => [], ofEntries: () => [] };

/**
 * The rule: where the worst mark of the row reaches the price of a position's liquidation, the liquidation comes before everything that the
 * price meets there or beyond, and before what would take from the position on its other side. What the price meets on the way comes first.
 * The price of liquidation is that which the position shows: everything else of its account as it is at the last marks.
 */
export class RowOrder {
  private readonly venue: FuturesVenue;
  private readonly book: ContractBook;
  private readonly end: EndPosition;
  /** Orders at the open that wait for a liquidation. */
  private held: RowEvent[] = [];

  /** `end`: for whoever keeps books of his own, in the place of the venue's `endPosition`. */
  constructor(venue: FuturesVenue, instrument: Instrument, end: EndPosition = (...of) => venue.endPosition(...of)) {
    this.venue = venue;
    this.book = venue.book(instrument);
    this.end = end;
  }

  /** Orders at the open wait for a liquidation: `inside` has to be called. */
  get isHeldBack(): boolean {
    return this.held.length > 0;
  }

  /** True when the marks end a position of the contract, as it is now. */
  isAnyoneDue(marks: MarkRow): boolean {
    const { wallets } = this.venue;
    for (let account = 0; account < wallets.accounts.length; account++) {
      for (const position of wallets.sides(account, this.book.index)) if (this.venue.isDue(position, marks)) return true;
    }
    return false;
  }

  /** Offers the open to all orders, but for those that come after a liquidation: `inside` goes on with them. */
  open(row: TradedRow, marks: MarkRow, volumeLots: number): void {
    const { book } = this;
    this.held = [];
    if (!this.isAnyoneDue(marks)) return book.matchOpen(row.openMs, row.open, volumeLots);
    book.beginRow(volumeLots);
    for (const event of this.ordersAtOpen(row)) {
      if (!event.isThere()) continue;
      if (this.denyCode(event, marks) === null) event.act();
      else this.held.push(event);
    }
  }

  /** The rest of the row, after `open` or the book's `matchOpen`. */
  inside(row: TradedRow, marks: MarkRow, triggers: RowTriggers | null, stops: RowStops = NO_STOPS): void {
    const { book } = this;
    const { openMs, closeMs, open, high, low } = row;
    const fired = triggers?.reachedBy(book.instrument, openMs, open, high, low) ?? { atOpen: [], inside: [] };
    const opening = fired.atOpen.map((trigger) => this.condition(trigger, open, openMs, true, triggers!));
    this.work([...this.held.splice(0), ...stops.gapped(), ...opening], row, marks, openMs, () => []);
    const events = [
      ...stops.inside(),
      ...fired.inside.map((trigger) => this.condition(trigger, trigger.price, closeMs, false, triggers!)),
      ...this.ordersInside(row),
    ];
    this.work(nearestFirst(events, open), row, marks, closeMs, () => nearestFirst(stops.ofEntries(), open));
  }

  /** Stops of entries that filled inside the row, where nothing else of it is left. */
  stopsOfEntries(row: TradedRow, marks: MarkRow, stops: RowStops): void {
    this.work(nearestFirst(stops.ofEntries(), row.open), row, marks, row.closeMs, () => []);
  }

  /** Acts out events in their order. One that comes after a liquidation waits for those that come before it. `more`: what comes last. */
  private work(events: RowEvent[], { closeMs }: TradedRow, marks: MarkRow, timeMs: number, more: () => RowEvent[]): void {
    for (let left = events; ;) {
      left = left.filter((event) => event.isThere());
      const at = left.findIndex((event) => this.denyCode(event, marks) === null);
      if (at >= 0) {
        left[at]!.act();
        left.splice(at, 1);
        continue;
      }
      const last = more();
      left.push(...last);
      if (last.length > 0) continue;
      const [first] = left;
      if (first === undefined) return;
      const position = this.denyCode(first, marks)!;
      const { lots } = position;
      this.end(position, marks, timeMs, closeMs);
      // Another position of a cross account has gone in its place, or the event acts after all: never twice in vain.
      if (position.lots === lots && this.denyCode(first, marks) === position) left.shift()!.act();
    }
  }

  /** The position whose liquidation comes before an event; null: there is none. */
  private denyCode(event: RowEvent, marks: MarkRow): VenuePosition | null {
    const { venue, book } = this;
    if (event.level === 0) return null;
    for (const position of venue.wallets.sides(event.account, book.index)) {
      if (position.lots === 0 || !this.comesAfter(event, position) || !venue.isDue(position, marks)) continue;
      return position;
    }
    return null;
  }

  /** Whether an event would come after the liquidation of a position: at its price or beyond, or as a profit that is not certain. */
  private comesAfter(event: RowEvent, position: Readonly<VenuePosition>): boolean {
    const { isLong } = position;
    if (event.falls === isLong) {
      const limit = this.venue.liquidationTicks(position);
      return isLong ? event.level <= limit : event.level >= limit;
    }
    const { isNet } = this.venue.wallets.setting(event.account, this.book.index);
    return !event.atOpen && event.isBuy !== isLong && (isNet || event.closes);
  }

  /** Orders that the open fills; and those with a time in force that end there, which wait for nothing. */
  private ordersAtOpen({ openMs, open }: TradedRow): RowEvent[] {
    const events: RowEvent[] = [];
    for (const order of this.book.concerned(openMs)) {
      if (takesAt(order, open)) events.push(this.atOpen(order, order.limit, openMs, open));
      else if (order.timeInForce !== null) events.push(this.atOpen(order, 0, openMs, open));
    }
    return events;
  }

  private ordersInside({ openMs, closeMs, open, high, low }: TradedRow): RowEvent[] {
    const { book } = this;
    const events: RowEvent[] = [];
    const isLate = book.hasLateArrivals;
    for (const order of book.concerned(openMs)) {
      if (isLate && (takesAt(order, open) || order.timeInForce !== null)) events.push(this.atOpen(order, order.limit, openMs, open));
      if (!book.isReached(order, open, high, low)) continue;
      const takes = book.opposite(order.account, order.side === 'buy', order.closes) !== null;
      events.push(this.order(order, order.limit, false, takes ? STAGE.profit : STAGE.entry, () => book.fillReached(order, closeMs)));
    }
    return events;
  }

  private atOpen(order: VenueOrderRecord, level: number, openMs: number, open: number): RowEvent {
    return this.order(order, level, true, STAGE.lateOpen, () => this.book.offer(order, openMs, open));
  }
  private order(order: VenueOrderRecord, level: number, atOpen: boolean, stage: number, act: () => void): RowEvent {
    const { id, account, closes } = order;
    const isBuy = order.side === 'buy';
    return { account, level, isBuy, closes, falls: isBuy, atOpen, stage, isThere: () => isOpen(order, id), act };
  }

  private condition(trigger: Trigger, price: number, timeMs: number, atOpen: boolean, triggerOrders: RowTriggers): RowEvent {
    const { account, price: level, child } = trigger;
    return {
      account,
      level,
      isBuy: child.side === 'buy',
      closes: child.reduceOnly,
      falls: !triggersOnRise(trigger),
      atOpen,
      stage: [STAGE.condition, STAGE.entry, STAGE.profit][triggerRank(trigger)]!,
      isThere: () => trigger.status === 'pending',
      act: () => triggerOrders.fireAt(trigger, price, timeMs),
    };
  }
}

/** By stage, of each the nearest to the open first, then as listed. */
function nearestFirst(events: readonly RowEvent[], open: number): RowEvent[] {
  return events.toSorted((a, b) => a.stage - b.stage || Math.abs(a.level - open) - Math.abs(b.level - open));
}

/** True when an order would trade at once at `price`. */
function takesAt({ limit, side }: VenueOrder, price: number): boolean {
  return limit === 0 || (side === 'buy' ? limit >= price : limit <= price);
}

/** A record serves other orders once it is released. */
const isOpen = (order: VenueOrder, id: number): boolean => order.isOpen && order.id === id;
