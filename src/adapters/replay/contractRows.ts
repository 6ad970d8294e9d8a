// Matches rows of contracts in a replay: directly if at most one event can happen, in the venue's event order otherwise.

import { type Bracket, isReached, levelOf } from '../../orders/stops/brackets.ts';
import type { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import { BEST_STAGES, RowOrder, type RowEvent, type RowStops, STAGE, type TradedRow } from '../../venue/futures/rowOrder.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { ReplayHost } from './replayHost.ts';
import { followRow, type EventOrder } from './eventOrder.ts';
import type { MarginWatch } from './marginWatch.ts';
import type { ReplayTriggers } from './replayTriggers.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

/** The rows of all contracts of a replay. */
export class ContractRows {
  private readonly engine: ReplayHost;
  private readonly account: number;
  private readonly watch: MarginWatch;
  private readonly triggers: ReplayTriggers;
  /** By instrument. */
  private readonly orders: readonly RowOrder[];
  private readonly eventOrder: EventOrder;

  constructor(
    engine: ReplayHost,
    venue: FuturesVenue,
    accountIndex: number,
    watch: MarginWatch,
    triggers: ReplayTriggers,
    eventOrder: EventOrder = null,
  ) {
    this.eventOrder = eventOrder;
    this.engine = engine;
    this.account = accountIndex;
    this.watch = watch;
    this.triggers = triggers;
    this.orders = engine.instruments
      .filter((instrument) => venue.trades(instrument))
      .map((instrument) => new RowOrder(venue, instrument, undefined, eventOrder === 'best' ? BEST_STAGES : STAGE));
  }

  /** Matches the open of a row in which a position may be liquidated. */
  open(instrumentIndex: number, index: number, row: TradedRow, volumeLots: number): void {
    this.orders[instrumentIndex]!.open(row, this.watch.marksOf(instrumentIndex, index), volumeLots);
  }

  /** Matches the rest of a row after its open; `index` is the row number. */
  matchAfterOpen(book: BarBook, instrumentIndex: number, index: number, row: TradedRow): void {
    const order = this.orders[instrumentIndex]!;
    const { closeMs } = row;
    const watch = this.watch;
    if (order.isHeldBack || (watch.mayLiquidate(closeMs) && order.isAnyDue(watch.marksOf(instrumentIndex, index))))
      this.matchInOrder(instrumentIndex, index, row);
    else {
      const { openMs, open, high, low } = row;
      const { brackets } = this.engine;
      const count = brackets.reachedCount(instrumentIndex, high, low) + book.reachedCount(openMs, open, high, low);
      const isAnyStop = count > 0 ? brackets.waiting(instrumentIndex) > 0 : brackets.isTrailing(instrumentIndex);
      if (count > 1 || this.triggers.isReached(instrumentIndex, row) || (this.eventOrder !== null && isAnyStop))
        this.matchInOrder(instrumentIndex, index, row);
      else if (count === 1) this.matchSingle(book, instrumentIndex, index, row);
    }
  }

  /** At most one stop or order is reached, so no order of events matters. It may be an entry whose stop the rest of the row reaches. */
  private matchSingle(book: BarBook, instrumentIndex: number, index: number, row: TradedRow): void {
    const { bracketManager, brackets } = this.engine;
    const { openMs, closeMs, open, high, low } = row;
    bracketManager.legTimeMs = openMs;
    brackets.triggerAtOpen(instrumentIndex, open, bracketManager.onHit);
    bracketManager.legTimeMs = closeMs;
    brackets.triggerInRow(instrumentIndex, high, low, -INFINITY, bracketManager.onHit);
    book.matchRange(openMs, closeMs, open, high, low);
    bracketManager.legTimeMs = closeMs;
    if (this.watch.mayLiquidate(closeMs)) {
      this.orders[instrumentIndex]!.runStopsOfEntries(
        row,
        this.watch.marksOf(instrumentIndex, index),
        this.stops(instrumentIndex, index, row),
      );
    } else brackets.triggerInRow(instrumentIndex, high, low, closeMs, bracketManager.onHit);
    bracketManager.legTimeMs = NAN;
  }

  private matchInOrder(instrumentIndex: number, index: number, row: TradedRow): void {
    this.orders[instrumentIndex]!.matchAfterOpen(
      row,
      this.watch.marksOf(instrumentIndex, index),
      this.triggers,
      this.stops(instrumentIndex, index, row),
    );
  }

  /** Local stops of brackets. */
  private stops(instrumentIndex: number, index: number, { openMs, closeMs, open, high, low }: TradedRow): RowStops {
    const { brackets, execution } = this.engine;
    const { eventOrder } = this;
    const close = execution[instrumentIndex]!.closeTicks[index]!;
    const handledBrackets = new Set<Bracket>();
    const bracketsWhere = (test: (bracket: Bracket) => boolean): readonly Bracket[] =>
      brackets.list(instrumentIndex).filter((bracket) => !handledBrackets.has(bracket) && test(bracket));
    const clamp = (price: number): number => Math.max(low, Math.min(high, price));
    return {
      gapped: () => bracketsWhere((bracket) => isReached(bracket, open, open)).map((bracket) => this.stop(bracket, open, openMs)),
      afterOpen: () => {
        // Stops that the open reaches have ended by now. A level beyond the open is one that the best order of events has raised.
        if (eventOrder !== null) followRow(brackets.list(instrumentIndex), eventOrder, { openMs, closeMs, open, high, low, close });
        return bracketsWhere((bracket) => isReached(bracket, high, low)).map((bracket) => {
          const price = clamp(levelOf(bracket));
          const worseOfOpen = bracket.isLong ? Math.min(price, open) : Math.max(price, open);
          return this.stop(bracket, eventOrder === null ? worseOfOpen : price, closeMs);
        });
      },
      ofEntries: () =>
        bracketsWhere((bracket) => bracket.armedMs >= closeMs && isReached(bracket, high, low)).map((bracket) => {
          handledBrackets.add(bracket);
          const price = clamp(levelOf(bracket));
          const { isLong, entryTicks } = bracket;
          return this.stop(bracket, isLong ? Math.min(price, entryTicks) : Math.max(price, entryTicks), closeMs, STAGE.stopOfEntry);
        }),
    };
  }

  /** Returns the event that the stop of a bracket is reached. `price`: at which it executes, in ticks. */
  private stop(bracket: Bracket, price: number, timeMs: number, stage: number = STAGE.stop): RowEvent {
    const { brackets, bracketManager } = this.engine;
    const { instrument, isLong } = bracket;
    return {
      account: this.account,
      level: levelOf(bracket),
      isBuy: !isLong,
      closes: true,
      isFalling: isLong,
      isAtOpen: false,
      stage,
      isPending: () => brackets.list(instrument).includes(bracket) && bracket.triedMs !== this.engine.nowMs,
      act: () => {
        const rowTimeMs = bracketManager.legTimeMs;
        bracketManager.legTimeMs = timeMs;
        bracketManager.hit(bracket, price);
        bracketManager.legTimeMs = rowTimeMs;
      },
    };
  }
}
