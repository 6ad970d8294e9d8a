// What the exchange does on its own clock: marks by the second, with liquidation; funding every eight hours.

import type { Scheduler } from '../../ports/scheduler.ts';
import type { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import { FUNDING_MS, type FundingSchedule } from './funding.ts';

const MARK_MS = 1000;

export interface TimedEventsDeps {
  readonly venue: FuturesVenue;
  readonly markets: readonly TradedMarket[];
  readonly rates: FundingSchedule;
  readonly scheduler: Scheduler;
  /** Liquidates by the marks that have just been taken. */
  readonly settle: () => void;
}

export class TimedEvents {
  readonly #parts: TimedEventsDeps;
  #isMarkDue = false;

  constructor(parts: TimedEventsDeps) {
    this.#parts = parts;
    this.#nextFunding();
  }

  /** A book has changed, or somebody's position: marks are taken at the next whole second. As long as nothing changes none are needed. */
  scheduleMarks(): void {
    if (this.#isMarkDue) return;
    this.#isMarkDue = true;
    this.#atWhole(MARK_MS, () => {
      this.#isMarkDue = false;
      this.#takeMarks();
    });
  }

  /** Positions are judged by marks as they are now. Markets of rows judge theirs when a row closes. */
  #takeMarks(): void {
    const { venue, markets, settle } = this.#parts;
    const traded = markets.filter(({ rows }) => rows === null);
    for (const market of traded) mark(venue, market);
    if (traded.length > 0) settle();
  }

  #nextFunding(): void {
    this.#atWhole(FUNDING_MS, () => {
      const { venue, markets, rates, scheduler } = this.#parts;
      // The first marks at or after this time.
      this.#takeMarks();
      for (const { instrument, rows } of markets) {
        const { markTicks } = venue.book(instrument);
        // The period that ends now. Markets of rows bring their own.
        if (markTicks > 0 && rows === null) venue.fund(instrument, markTicks, rates.at(instrument, scheduler.nowMs - 1), scheduler.nowMs);
      }
      // And by what it has left of their margins: nothing else may happen for hours.
      this.#takeMarks();
      this.#nextFunding();
    });
  }

  /** At the next whole multiple of `ms`. */
  #atWhole(ms: number, run: () => void): void {
    const { scheduler } = this.#parts;
    scheduler.at((Math.floor(scheduler.nowMs / ms) + 1) * ms, run);
  }
}

/** The mark of a contract is taken anew. A row of one price: what happened between two marks is not what positions are judged by. */
function mark(venue: FuturesVenue, { instrument, matcher: { book }, referencePrice }: TradedMarket): void {
  const { lastPrice } = venue.book(instrument);
  if (lastPrice === 0) return;
  const [bid, ask] = [book.best('buy')?.price ?? lastPrice, book.best('sell')?.price ?? lastPrice];
  // Of three that agree by themselves: who moves one of them, by an order or a trade, does not move the mark beyond the others.
  const ticks = referencePrice > 0 ? median(referencePrice, Math.round((bid + ask) / 2), lastPrice) : median(bid, ask, lastPrice);
  venue.markRow(instrument, ticks, ticks, ticks, ticks);
}

const median = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
