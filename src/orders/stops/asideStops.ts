// Stops that are set aside while an order closes what they protect. If that order does not close it, they come back.

import type { OrderId, Side } from '../../model/order.ts';
import type { Ledger } from '../../portfolio/ledger.ts';

/** A stop that waited at the exchange and was cancelled, so that another order could close the position. Prices are in ticks. */
export interface AsideTrigger {
  readonly strategy: number;
  readonly instrument: number;
  readonly isLong: boolean;
  readonly slot: string;
  readonly triggerTicks: number;
  readonly triggersAbove: boolean;
  /** The most lots that it may close. */
  readonly lots: number;
  /** The order that is, or was, this stop at the exchange. */
  id: OrderId;
  /** True once it was sent again, as `id`. */
  isSent: boolean;
  /** The earliest time at which it is sent again, ms UTC. */
  notBeforeMs: number;
  /** When it is tried again because too few lots were free; 0 before the first try. */
  recheckMs: number;
  /** Delay before it is sent once more if it does not arrive, ms. */
  retryMs: number;
}

/** The first value of `retryMs`. */
const FIRST_RETRY_MS = 10_000;

/** One side of a strategy's position whose stops are set aside. */
interface AsideSide {
  readonly strategy: number;
  readonly instrument: number;
  readonly isLong: boolean;
  /** Lots that the stops protected and that are still held. Lots that were opened since do not count. */
  lots: number;
}

/** A bracket, as far as it matters while it is set aside. */
interface AsideBracket extends AsidePlace {
  readonly entryId: number;
  lots: number;
}

/** What a fill, or the cancel of a trigger order, reads of an order. */
interface AsideOrder {
  readonly id: OrderId;
  readonly strategy: number;
  readonly instrumentIndex: number;
  readonly side: Side;
  readonly parent: number;
  readonly firedAtTicks: number;
  readonly slot: string;
  readonly triggerTicks: number;
  readonly triggersAbove: boolean;
  readonly lots: number;
  readonly fingerprintOffset: number;
}

/** The stops of all strategies that are set aside. A stop leaves as soon as the side of the position that it protects is closed. */
export class AsideStops<B extends AsideBracket> {
  /** Number of stops that are set aside. Every fill and every end of an order reads it. */
  count = 0;
  private brackets: B[] = [];
  private triggers: AsideTrigger[] = [];
  private sides: AsideSide[] = [];

  /** Sets a bracket aside that is no longer open. The stops of its side then protect that many lots more. */
  addBracket(bracket: B): void {
    const { strategy, instrument, isLong, lots } = bracket;
    this.brackets.push(bracket);
    this.count++;
    const side = this.sideOf(strategy, instrument, isLong);
    if (side === undefined) this.sides.push({ strategy, instrument, isLong, lots });
    else side.lots += lots;
  }
  /** Notes a stop at the exchange that is about to be cancelled. */
  noteTrigger(order: AsideOrder): void {
    const { id, strategy, instrumentIndex: instrument, side, slot, triggerTicks, triggersAbove, lots, fingerprintOffset } = order;
    const terms = { strategy, instrument, isLong: side === 'sell', slot, triggerTicks, triggersAbove, lots: lots + fingerprintOffset };
    const noted = { ...terms, id, isSent: false, notBeforeMs: 0, recheckMs: 0, retryMs: FIRST_RETRY_MS };
    const otherTriggers = this.triggers.filter((trigger) => trigger.id !== id);
    this.replaceStops(this.brackets, [...otherTriggers, noted]);
  }

  /** Removes the brackets of one side, and returns them. */
  takeBrackets(strategyIndex: number, instrumentIndex: number, isLong: boolean): readonly B[] {
    const takenBrackets = this.brackets.filter((bracket) => isOf(bracket, strategyIndex, instrumentIndex, isLong));
    if (takenBrackets.length === 0) return takenBrackets;
    const remaining = this.brackets.filter((bracket) => !takenBrackets.includes(bracket));
    this.replaceStops(remaining, this.triggers);
    return takenBrackets;
  }
  /** Returns the stops of one side that were at the exchange. */
  triggersOf(strategyIndex: number, instrumentIndex: number, isLong: boolean): readonly AsideTrigger[] {
    return this.triggers.filter((trigger) => isOf(trigger, strategyIndex, instrumentIndex, isLong));
  }
  /** Removes a stop that was at the exchange. */
  removeTrigger(trigger: AsideTrigger): void {
    const remaining = this.triggers.filter((candidate) => candidate !== trigger);
    this.replaceStops(this.brackets, remaining);
  }
  /** Replaces both lists of stops, and counts them. */
  private replaceStops(brackets: B[], triggers: AsideTrigger[]): void {
    this.brackets = brackets;
    this.triggers = triggers;
    this.count = brackets.length + triggers.length;
  }

  /** Notes that the stops of a side protect `lots`: what is held as an order is about to close it. No effect without such stops. */
  setProtectedLots(strategyIndex: number, instrumentIndex: number, isLong: boolean, lots: number): void {
    if (this.count === 0 || !this.has(strategyIndex, instrumentIndex, isLong)) return;
    const side = this.sideOf(strategyIndex, instrumentIndex, isLong);
    if (side === undefined) this.sides.push({ strategy: strategyIndex, instrument: instrumentIndex, isLong, lots });
    else side.lots = lots;
  }
  /** Returns the lots that are left of those that the stops of a side protected. */
  lotsLeft(strategyIndex: number, instrumentIndex: number, isLong: boolean): number {
    return this.sideOf(strategyIndex, instrumentIndex, isLong)?.lots ?? 0;
  }
  private sideOf(strategyIndex: number, instrumentIndex: number, isLong: boolean): AsideSide | undefined {
    return this.sides.find((side) => isOf(side, strategyIndex, instrumentIndex, isLong));
  }

  /** Handles a fill that the ledger has booked: forgets the stops of a side that the fill has closed, and reduces the bracket of a leg. */
  onFill({ strategy, instrumentIndex, side, parent, firedAtTicks }: AsideOrder, lots: number, ledger: Ledger): void {
    const isLong = side === 'sell';
    const closedSide = this.sideOf(strategy, instrumentIndex, isLong);
    if (closedSide === undefined) return;
    closedSide.lots -= lots;
    if (closedSide.lots <= 0 || ledger.isFlat(strategy, instrumentIndex)) return this.forget(strategy, instrumentIndex, isLong);
    // The lots of a stop leg left the bracket when the leg was sent.
    const bracket = parent === 0 || firedAtTicks > 0 ? undefined : this.brackets.find(({ entryId }) => entryId === parent);
    if (bracket === undefined) return;
    bracket.lots -= lots;
    if (bracket.lots > 0) return;
    const remaining = this.brackets.filter((candidate) => candidate !== bracket);
    this.replaceStops(remaining, this.triggers);
  }

  /** Forgets the stops of a strategy on an instrument, or those of one side. */
  forget(strategyIndex: number, instrumentIndex: number, isLong: boolean | null): void {
    const stays = (stop: AsidePlace): boolean => !isOf(stop, strategyIndex, instrumentIndex, isLong);
    this.replaceStops(this.brackets.filter(stays), this.triggers.filter(stays));
    this.sides = this.sides.filter(stays);
  }

  /** True when stops of a strategy on one side of an instrument are set aside. */
  has(strategyIndex: number, instrumentIndex: number, isLong: boolean): boolean {
    const isIncluded = (stop: AsidePlace): boolean => isOf(stop, strategyIndex, instrumentIndex, isLong);
    return this.brackets.some(isIncluded) || this.triggers.some(isIncluded);
  }
}

/** The position side that a stop protects: strategy and instrument as indices. */
type AsidePlace = { readonly strategy: number; readonly instrument: number; readonly isLong: boolean };

/** True for a stop of a strategy on an instrument. `isLong`: on this side; null: on either. */
const isOf = (stop: AsidePlace, strategyIndex: number, instrumentIndex: number, isLong: boolean | null): boolean =>
  stop.strategy === strategyIndex && stop.instrument === instrumentIndex && (isLong ?? stop.isLong) === stop.isLong;
