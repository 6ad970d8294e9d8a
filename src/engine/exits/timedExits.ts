// The exits of one strategy at a given time (`closeAt`). An exit that is due is repeated while the position that it was for stays open.

import { StrategyError } from '../../base/errors.ts';
import { closeOf, openOf, typicalLengthMs, type Interval } from '../../model/interval.ts';
import { isTradeBars } from '../../model/tradeBars.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { FeedRun } from '../feeds/feed.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** What `TimedExits` needs of the engine. */
export interface TimedExitHost {
  readonly ledger: Ledger;
  readonly nowMs: number;
  readonly timers: { once(strategyIndex: number, key: number, timeMs: number | null, handler: () => void, nowMs: number): void };
}

/** The strategy that exits. */
interface ExitingStrategy {
  readonly index: number;
  readonly name: string;
  exit(feed: FeedRun): void;
  /** True while an exit from the instrument waits for cancels, or its order is unfinished. */
  isUnderWay(instrumentIndex: number): boolean;
}

/** When the two sides of a position were opened, ms UTC; NaN for a side that is not held. */
interface OpenedSides {
  readonly longMs: number;
  readonly shortMs: number;
}

/** The exits at a time of one strategy. Each instrument has at most one, which waits or is repeated. */
export class TimedExits {
  private readonly host: TimedExitHost;
  private readonly strategy: ExitingStrategy;

  constructor(host: TimedExitHost, strategy: ExitingStrategy) {
    this.host = host;
    this.strategy = strategy;
  }

  /**
   * Exits the instrument of a feed at `timeMs`, or now if that has passed. Replaces the exit that waits there; null: only removes that. Throws
   * StrategyError for a time that is not finite.
   */
  at(feed: FeedRun, timeMs: number | null): void {
    if (timeMs !== null && !Number.isFinite(timeMs))
      throw new StrategyError(
        `${this.strategy.name}: closeAt(${timeMs}): expected a time in ms UTC`,
        'give a finite number, such as this.nowMs + 3_600_000',
      );
    const { nowMs } = this.host;
    const isNow = timeMs !== null && timeMs <= nowMs;
    this.schedule(feed, isNow ? null : timeMs, () => this.exit(feed));
    if (isNow) this.exit(feed);
  }

  private exit(feed: FeedRun): void {
    const heldPosition = this.heldIn(feed);
    this.strategy.exit(feed);
    this.repeatWhileHeld(feed, heldPosition);
  }
  /** Checks at the close of the feed's next bar whether the exit has closed the position. */
  private repeatWhileHeld(feed: FeedRun, held: OpenedSides): void {
    if (!this.isStillHeld(feed, held)) return;
    this.schedule(feed, nextCloseMs(feed.bars.interval, this.host.nowMs), () => this.repeat(feed, held));
  }
  private repeat(feed: FeedRun, held: OpenedSides): void {
    if (!this.isStillHeld(feed, held)) return;
    if (!this.strategy.isUnderWay(feed.instrumentIndex)) this.strategy.exit(feed);
    this.repeatWhileHeld(feed, held);
  }

  private schedule({ instrumentIndex }: FeedRun, timeMs: number | null, handler: () => void): void {
    this.host.timers.once(this.strategy.index, instrumentIndex, timeMs, handler, this.host.nowMs);
  }
  /** Returns when the two sides of the position of an instrument were opened. */
  private heldIn({ instrumentIndex }: FeedRun): OpenedSides {
    const { ledger } = this.host;
    const openedMs = (isLong: boolean): number =>
      ledger.closable(this.strategy.index, instrumentIndex, !isLong, true) > 0
        ? ledger.openedMs(this.strategy.index, instrumentIndex, isLong)
        : NAN;
    return { longMs: openedMs(true), shortMs: openedMs(false) };
  }
  /** True while a part of the same position is held, and nothing was opened since. */
  private isStillHeld(feed: FeedRun, held: OpenedSides): boolean {
    const { longMs, shortMs } = this.heldIn(feed);
    // The time of a side that is not held is NaN.
    const isClosedOrSame = (openedMs: number, earlierOpenedMs: number): boolean => !(openedMs >= 0) || openedMs === earlierOpenedMs;
    return (longMs >= 0 || shortMs >= 0) && isClosedOrSame(longMs, held.longMs) && isClosedOrSame(shortMs, held.shortMs);
  }
}

/** Returns when the bar of an interval that is open at `nowMs` closes, ms UTC. Bars from trades lie on no grid, and count as a minute long. */
const nextCloseMs = (interval: Interval, nowMs: number): number =>
  isTradeBars(interval) ? nowMs + typicalLengthMs(interval) : closeOf(interval, openOf(interval, nowMs));
