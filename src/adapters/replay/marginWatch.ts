// Watches the margin of futures positions in a backtest. Finds the rows of mark prices that can liquidate a position, and settles funding
// when it is due. The replaying exchange creates one MarginWatch for each run with contracts.

import { listOf } from '../../base/memory/listOf.ts';
import { ticksOf } from '../../model/bars/bars.ts';
import type { Fill } from '../../model/fill.ts';
import type { ContractData, FundingTime, MarkColumns } from '../../model/bars/contractData.ts';
import { firstAfter } from '../../base/number/search.ts';
import type { FuturesSink, FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import type { MarkRow } from '../../venue/futures/liquidation.ts';
import type { VenuePosition } from '../../venue/futures/position.ts';
import type { VenueOrder, VenueSink } from '../../venue/venueOrder.ts';
import type { MatchedFeed, ReplayHost } from './replayHost.ts';
import { FirstBeyond } from './firstBeyond.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** One watched contract. */
interface WatchedContract {
  /** Its execution feed. */
  readonly feed: MatchedFeed;
  /** Mark prices of the rows of the feed, in ticks. */
  readonly marks: Omit<MarkColumns, 'source'>;
  /** Finds the first row whose marks reach a price. */
  readonly rowFinder: FirstBeyond;
  /** Its funding payments by time. */
  readonly funding: readonly FundingTime[];
}

/**
 * The margin watch of one run. Rows that cannot liquidate a position cost nothing. The liquidation price of a single open position is
 * computed when the position changes. A search over coarse extremes then finds the next row that reaches it. Cross positions in several
 * contracts share their margin and are checked on every row.
 */
export class MarginWatch {
  private readonly engine: ReplayHost;
  private readonly contracts: readonly WatchedContract[];
  private venue!: FuturesVenue;
  /** Number of the bot's account at the venue. */
  private account = 0;
  /** Close of the next row at which positions must be checked; Infinity if no row of this block needs it. */
  private nextCheckMs = INFINITY;
  /** Queue handle of the wake-up at `nextCheckMs`; 0 if no wake-up is set. */
  private wakeHandle = 0;
  /** Funding payments that are due at this instant and not settled yet. */
  private readonly dueFunding: { readonly contract: WatchedContract; readonly index: number; readonly payment: FundingTime }[] = [];
  /** True while `checkPositions` applies marks, so that its own liquidations do not start another search. */
  private isCheckingPositions = false;

  /** `data`: marks and funding of the contracts. Contracts come first among the instruments of the run. */
  constructor(engine: ReplayHost, data: readonly ContractData[]) {
    this.engine = engine;
    this.contracts = listOf(data, ({ marks, funding }, index) => {
      const feed = engine.execution[index]!;
      const { bars } = feed;
      const columns = marks ?? {
        open: ticksOf(bars, 'open'),
        high: ticksOf(bars, 'high'),
        low: ticksOf(bars, 'low'),
        close: ticksOf(bars, 'close'),
      };
      return { feed, marks: columns, rowFinder: new FirstBeyond(columns.high, columns.low), funding };
    });
  }

  /** Returns the sink that passes the venue's events to the replaying exchange and the engine. */
  sinkFor(exchange: VenueSink): FuturesSink {
    const engine = this.engine;
    return {
      filled: (order: VenueOrder, fill: Fill) => {
        const { timeMs } = fill;
        exchange.filled(order, fill);
        // Rows that close now are checked after all of this instant is matched. So the search begins before this instant: a fill must not
        // exempt the other positions from the rows that close now.
        this.findNextRow(Math.min(timeMs, engine.nowMs - 1));
      },
      ended: (order, timeMs) => exchange.ended(order, timeMs),
      onReduction: () => {},
      onFunding: (position, units, timeMs) => engine.funded(position.index, position.isLong, units, timeMs),
      onLiquidation: (position, wasLong, fill) => {
        engine.liquidated(position.index, wasLong, fill);
        // A liquidation in the middle of a row: the remainder of the row, and other rows that close now, must still be checked.
        if (!this.isCheckingPositions) this.findNextRow(engine.nowMs - 1);
      },
    };
  }

  /** Connects the venue, before the first row. Schedules funding, and marks each contract at its first price. */
  connect(venue: FuturesVenue, accountIndex: number): void {
    this.venue = venue;
    this.account = accountIndex;
    this.contracts.forEach((contract, index) => this.scheduleFunding(contract, index));
    this.contracts.forEach(({ feed }, index) => venue.setMark(feed.instrument, this.engine.startTicks(index)));
  }

  /** Finds the next row of marks that matters in the block that has opened. */
  blockOpened(): void {
    this.findNextRow(this.engine.nowMs);
  }

  /** Called before an order arrives: the venue computes its margin at current prices. */
  beforeOrder(instrumentIndex: number): void {
    const venue = this.venue;
    const lastTicks = this.engine.lastTicks(instrumentIndex);
    // NaN before the first row.
    const hasPrice = lastTicks === lastTicks;
    venue.book(this.contracts[instrumentIndex]!.feed.instrument).lastPrice = hasPrice ? lastTicks : this.engine.startTicks(instrumentIndex);
    this.setMarks();
  }

  /** True if a row that closes at or before `closeMs` can liquidate a position. */
  mayLiquidate(closeMs: number): boolean {
    return closeMs >= this.nextCheckMs;
  }

  /** Returns the marks of a row that is about to be matched. Side effect: sets the contracts with open positions to their latest marks. */
  marksOf(instrumentIndex: number, row: number): MarkRow {
    this.setMarks();
    const { open, high, low, close } = this.contracts[instrumentIndex]!.marks;
    return { open: open[row]!, high: high[row]!, low: low[row]!, close: close[row]! };
  }

  /**
   * Called when everything at `timeMs` is matched. Checks positions by the marks of rows that close now, if one can matter, then settles
   * funding.
   */
  settleInstant(timeMs: number): void {
    if (this.isCheckingPositions) return;
    if (timeMs >= this.nextCheckMs) this.checkPositions(timeMs);
    if (this.dueFunding.length > 0) this.payFunding();
  }

  /** Applies the marks of the rows that close at `timeMs`, liquidates positions that lack margin, and finds the next row to check. */
  private checkPositions(timeMs: number): void {
    this.isCheckingPositions = true;
    this.contracts.forEach(({ feed, marks }, index) => {
      const row = rowAt(feed, timeMs);
      if (row >= 0) this.venue.markRow(feed.instrument, marks.open[row]!, marks.high[row]!, marks.low[row]!, marks.close[row]!);
      // A contract without a row now has its latest mark, which was not delivered at the last check.
      else this.setMark(index);
    });
    this.venue.settleMarks(timeMs);
    this.isCheckingPositions = false;
    this.findNextRow(timeMs);
  }

  /**
   * Finds the next row that can liquidate a position, and schedules a wake-up at its close. `sinceMs`: time since which positions are
   * unchanged.
   */
  private findNextRow(sinceMs: number): void {
    const { queue } = this.engine;
    const earliestMs = this.nextRowMs(sinceMs);
    if (earliestMs === this.nextCheckMs) return;
    this.nextCheckMs = earliestMs;
    if (this.wakeHandle !== 0) queue.cancel(this.wakeHandle);
    this.wakeHandle = 0;
    // Rows that close now are settled after all of this instant is matched.
    if (earliestMs === INFINITY || earliestMs <= this.engine.nowMs) return;
    this.engine.hasPendingWork = true;
    // The wake-up only makes the run stop at that time. `settleInstant`, which follows every instant, does the work.
    this.wakeHandle = queue.at(earliestMs, () => (this.wakeHandle = 0));
  }

  /**
   * Returns the close of the next row at which a position may lack margin, ms. Several cross positions share their margin, so every close
   * counts.
   */
  private nextRowMs(sinceMs: number): number {
    let earliestMs = INFINITY;
    let crossCount = 0;
    this.setMarks();
    for (const position of this.venue.wallets.openPositions(this.account)) {
      if (position.isCross) crossCount++;
      earliestMs = Math.min(earliestMs, this.nextLiquidationMs(position, sinceMs));
    }
    return crossCount > 1 ? Math.min(earliestMs, this.nextCloseMs(sinceMs)) : earliestMs;
  }

  /** Returns the close of the block's first row that reaches the liquidation price of a position. */
  private nextLiquidationMs(position: VenuePosition, sinceMs: number): number {
    const { feed, rowFinder } = this.contracts[position.index]!;
    // Rows that closed before the position opened do not count. A position that opens now opens inside the rows that close now: they count.
    const { openedMs } = position;
    const safeUntilMs = openedMs === this.engine.nowMs ? openedMs - 1 : openedMs;
    const fromRow = feed.firstAfter(Math.max(sinceMs, safeUntilMs));
    const liquidationTicks = this.venue.liquidationTicks(position);
    const row = position.isLong
      ? rowFinder.firstLow(liquidationTicks, fromRow, feed.blockEnd)
      : rowFinder.firstHigh(liquidationTicks, fromRow, feed.blockEnd);
    return row < 0 ? INFINITY : feed.closeOf(row);
  }

  /** Returns the next close of any contract after `sinceMs`, ms; Infinity after the last one. */
  private nextCloseMs(sinceMs: number): number {
    let earliestMs = INFINITY;
    for (const { feed } of this.contracts) {
      const row = feed.firstAfter(sinceMs);
      if (row < feed.blockEnd) earliestMs = Math.min(earliestMs, feed.closeOf(row));
    }
    return earliestMs;
  }

  /** Sets the marks of all contracts with open positions. */
  private setMarks(): void {
    for (const { index } of this.venue.wallets.openPositions(this.account)) this.setMark(index);
  }
  /** Sets the mark of a contract to the close of its newest delivered row of marks. */
  private setMark(index: number): void {
    const { feed, marks } = this.contracts[index]!;
    const { row } = feed.cursor;
    if (row >= 0) this.venue.setMark(feed.instrument, marks.close[row]!);
  }

  /** Schedules the first funding payment of a contract. When a payment is due, it schedules the next one. */
  private scheduleFunding(contract: WatchedContract, index: number): void {
    const { funding } = contract;
    const { queue } = this.engine;
    // A run that begins later than its data, as in a proof, does not pay funding that was due before its start.
    let nextIndex = funding.findIndex(({ timeMs }) => timeMs >= this.engine.nowMs);
    if (nextIndex < 0) return;
    const scheduleNext = (): void => {
      const payment = funding[nextIndex];
      if (payment === undefined) return;
      // A row that ends now still has to fill orders, from its open on. The resulting positions count for this funding.
      queue.at(payment.timeMs, () => {
        this.engine.hasPendingWork = true;
        this.dueFunding.push({ contract, index, payment });
        nextIndex++;
        scheduleNext();
      });
    };
    scheduleNext();
  }

  /** Settles the due funding payments. */
  private payFunding(): void {
    for (const { contract, index, payment } of this.dueFunding.splice(0)) {
      this.venue.fund(contract.feed.instrument, payment.markTicks, payment.rate, payment.timeMs);
      if (this.venue.wallets.sides(this.account, index).some(({ lots }) => lots > 0)) this.findNextRow(payment.timeMs);
    }
  }
}

/** Returns the row of a feed that closes at a time, or -1. */
function rowAt({ bars: { closeMs }, blockEnd }: MatchedFeed, timeMs: number): number {
  const row = firstAfter(closeMs, 0, blockEnd, timeMs - 1);
  return row < blockEnd && closeMs[row] === timeMs ? row : -1;
}
