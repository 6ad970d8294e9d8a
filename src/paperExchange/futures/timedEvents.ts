// Timed events of the exchange: mark prices every second, with liquidation, and funding every eight hours.

import type { Scheduler } from '../../ports/scheduler.ts';
import type { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import { FUNDING_INTERVAL_MS, type FundingSchedule } from './funding.ts';

const MARK_INTERVAL_MS = 1000;

/** What the timed events act on. */
export interface TimedEventsDeps {
  readonly venue: FuturesVenue;
  readonly markets: readonly TradedMarket[];
  readonly rates: FundingSchedule;
  readonly scheduler: Scheduler;
  /** Liquidates positions by the latest marks. */
  readonly settle: () => void;
}

/** Schedules marks and funding of the contracts of one exchange. */
export class TimedEvents {
  readonly #deps: TimedEventsDeps;
  #isMarkDue = false;

  constructor(deps: TimedEventsDeps) {
    this.#deps = deps;
    this.#scheduleFunding();
  }

  /** Schedules marks for the next whole second, after a change of a book or a position. Without a change no marks are needed. */
  scheduleMarks(): void {
    if (this.#isMarkDue) return;
    this.#isMarkDue = true;
    this.#atNextMultiple(MARK_INTERVAL_MS, () => {
      this.#isMarkDue = false;
      this.#takeMarks();
    });
  }

  /** Takes marks and judges positions by them. Bar markets judge theirs when a row closes. */
  #takeMarks(): void {
    const { venue, markets, settle } = this.#deps;
    const bookMarkets = markets.filter(({ barRows }) => barRows === null);
    for (const market of bookMarkets) setMark(venue, market);
    if (bookMarkets.length > 0) settle();
  }

  /** Pays funding at the next funding time, then schedules the one after it. */
  #scheduleFunding(): void {
    this.#atNextMultiple(FUNDING_INTERVAL_MS, () => {
      const { venue, markets, rates, scheduler } = this.#deps;
      // Takes the marks of the funding: the first ones at or after its time.
      this.#takeMarks();
      for (const { instrument, barRows } of markets) {
        const { markTicks } = venue.book(instrument);
        // Pays the funding of the period that ends now. Bar markets bring their own rates.
        if (markTicks > 0 && barRows === null)
          venue.fund(instrument, markTicks, rates.rateAt(instrument, scheduler.nowMs - 1), scheduler.nowMs);
      }
      // Positions are judged again with the margin left after funding, because hours may pass before the next change.
      this.#takeMarks();
      this.#scheduleFunding();
    });
  }

  /** Calls `onDue` at the next whole multiple of `ms`. */
  #atNextMultiple(ms: number, onDue: () => void): void {
    const { scheduler } = this.#deps;
    scheduler.at((Math.floor(scheduler.nowMs / ms) + 1) * ms, onDue);
  }
}

/** Sets a new mark. All four prices are equal, because positions are not judged by prices between two marks. */
function setMark(venue: FuturesVenue, { instrument, matcher: { book }, referencePrice }: TradedMarket): void {
  const { lastPrice } = venue.book(instrument);
  if (lastPrice === 0) return;
  const bid = book.best('buy')?.price ?? lastPrice;
  const ask = book.best('sell')?.price ?? lastPrice;
  // The median of three prices: an order or trade that moves one of them cannot move the mark beyond the other two.
  const ticks = referencePrice > 0 ? medianOf(referencePrice, Math.round((bid + ask) / 2), lastPrice) : medianOf(bid, ask, lastPrice);
  venue.markRow(instrument, ticks, ticks, ticks, ticks);
}

/** Returns the middle one of three prices. */
const medianOf = (first: number, second: number, third: number): number =>
  Math.max(Math.min(first, second), Math.min(Math.max(first, second), third));
