// Provides the venue's time: our clock plus an offset that is measured regularly. Returned times do not run backwards.

import { timeMs, type TimeMs } from '../../../base/brand.ts';
import type { Market } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import { offsetOf, type ClockSample, type Offset } from './clockOffset.ts';

/** Reads the time of the service of `market` once. Calls `done` once, with null if no time arrived. */
export type ReadTime = (market: Market, done: (sample: ClockSample | null) => void) => void;

/** The time of the venue's clock, with its uncertainty. */
export interface ServerTime {
  /** Unix time in whole ms. */
  readonly ms: TimeMs;
  /** Maximum error of `ms`; Infinity until the clock has been measured. */
  readonly uncertaintyMs: number;
}

/** What a caller may choose. */
export interface ServerClockOptions {
  /** The market whose clock counts for both, if one service offers both; null (default): each has its own. */
  readonly shared?: Market | null;
  /** Samples in a measurement; default 5. */
  readonly samples?: number;
  /** ms between measurements while started; default 300 000. */
  readonly periodMs?: number;
  /** Called when a measurement differs by more than `JUMP_MS`, with the difference in ms. */
  readonly jumped?: (market: Market, byMs: number) => void;
}

/** Maximum drift of two clocks, in ms per ms: about 100 ms in a quarter of an hour. Quartz clocks drift less. */
const MAX_DRIFT = 1e-4;
/**
 * For a backward correction up to this, returned times stand still. A larger one means that a clock was set. It takes effect at once,
 * because the venue would refuse every request while the time does not advance.
 */
export const JUMP_MS = 2000;
/** The uncertainty that users of the time assume while the clock has not been measured, ms. */
export const UNMEASURED_UNCERTAINTY_MS = 60_000;
/** Minimum time between two measurements of a service that rejects our time or does not report its own. */
const MIN_GAP_MS = 5000;

interface MeasuredOffset extends Offset {
  /** Our time at which the measurement began. No sample is older. */
  readonly atMs: number;
}

/** The measured time of one market. */
interface MarketClock {
  measured: MeasuredOffset | null;
  /** The latest time returned. */
  lastReturnedMs: number;
  /** Our times at which the last measurement and the last correction began. */
  measuringSinceMs: number;
  correctingSinceMs: number;
  /** Callbacks that wait for the running measurement; null if none is running. */
  waiting: ((isMeasured: boolean) => void)[] | null;
  timer: number | null;
}

/** Returns a clock that nothing has measured yet. */
const newClock = (): MarketClock => ({
  measured: null,
  lastReturnedMs: -Infinity,
  measuringSinceMs: -Infinity,
  correctingSinceMs: -Infinity,
  waiting: null,
  timer: null,
});

/** The clocks of both markets. */
export class ServerClock {
  readonly #scheduler: Scheduler;
  readonly #options: Required<ServerClockOptions>;
  readonly #clocks: Readonly<Record<Market, MarketClock>> = { spot: newClock(), futures: newClock() };
  #readTime: ReadTime | null = null;

  constructor(scheduler: Scheduler, { shared = null, samples = 5, periodMs = 300_000, jumped = () => {} }: ServerClockOptions = {}) {
    this.#scheduler = scheduler;
    this.#options = { shared, samples, periodMs, jumped };
  }

  /** Sets the client function that reads the time. It comes later, because the client itself needs this clock. */
  attach(readTime: ReadTime): void {
    this.#readTime = readTime;
  }

  /** True once the clock of `market` has been measured. */
  isMeasured(market: Market): boolean {
    return this.#clockOf(market).measured !== null;
  }

  /** True if the measurement of the clock began after our time `sinceMs`. */
  isMeasuredSince(market: Market, sinceMs: number): boolean {
    return (this.#clockOf(market).measured?.atMs ?? -Infinity) > sinceMs;
  }

  /** Returns the venue's current time, with which requests are signed. Before the first measurement it is our own. */
  now(market: Market): ServerTime {
    const clock = this.#clockOf(market);
    const { nowMs } = this.#scheduler;
    const { measured } = clock;
    const ms = Math.floor(nowMs + (measured?.offsetMs ?? 0));
    const reportedMs = Math.max(ms, clock.lastReturnedMs);
    clock.lastReturnedMs = reportedMs;
    const uncertaintyMs = measured === null ? Infinity : measured.uncertaintyMs + (nowMs - measured.atMs) * MAX_DRIFT + (reportedMs - ms);
    return { ms: timeMs(reportedMs), uncertaintyMs };
  }

  /** Measures the clock of `market`. Callers during a measurement share it. Calls `done` once; true if the service reported its time. */
  measure(market: Market, done: (isMeasured: boolean) => void = () => {}): void {
    const clock = this.#clockOf(market);
    if (clock.waiting !== null) {
      clock.waiting.push(done);
      return;
    }
    if (this.#readTime === null) {
      done(false);
      return;
    }
    clock.waiting = [done];
    clock.measuringSinceMs = this.#scheduler.nowMs;
    this.#sample(this.#options.shared ?? market, clock, clock.measuringSinceMs, []);
  }

  /**
   * Calls `done` once when the clock of `market` has been measured. Calls it before returning if the clock is measured already, or if a
   * measurement failed less than 5 s ago. Our own time is then the best guess.
   */
  whenReady(market: Market, done: () => void): void {
    const clock = this.#clockOf(market);
    const hasJustFailed = clock.waiting === null && this.#scheduler.nowMs - clock.measuringSinceMs < MIN_GAP_MS;
    if (clock.measured !== null || hasJustFailed) done();
    else this.measure(market, done);
  }

  /** Measures the clock of a service that rejected our time. Passes false if that was tried less than 5 s ago, to prevent a loop. */
  correct(market: Market, done: (isMeasured: boolean) => void = () => {}): void {
    const clock = this.#clockOf(market);
    const { nowMs } = this.#scheduler;
    if (clock.waiting === null && nowMs - clock.correctingSinceMs < MIN_GAP_MS) {
      done(false);
      return;
    }
    clock.correctingSinceMs = nowMs;
    this.measure(market, done);
  }

  /** Measures the clocks of these markets now and every `periodMs`, until `stop`. */
  start(markets: readonly Market[]): void {
    for (const source of new Set(markets.map((market) => this.#options.shared ?? market))) {
      const clock = this.#clocks[source];
      if (clock.timer === null) this.#repeat(source, clock);
    }
  }

  /** Ends the measurements. The last offsets stay. */
  stop(): void {
    for (const clock of Object.values(this.#clocks)) {
      if (clock.timer !== null) this.#scheduler.cancel(clock.timer);
      clock.timer = null;
    }
  }

  #clockOf(market: Market): MarketClock {
    return this.#clocks[this.#options.shared ?? market];
  }

  #repeat(source: Market, clock: MarketClock): void {
    clock.timer = this.#scheduler.at(this.#scheduler.nowMs + this.#options.periodMs, () => this.#repeat(source, clock));
    this.measure(source);
  }

  /** Takes samples one by one, so that they share a connection and do not delay each other. */
  #sample(source: Market, clock: MarketClock, beganMs: number, samples: readonly ClockSample[]): void {
    const takeSample = (sample: ClockSample | null): void => {
      const collected = sample === null ? samples : [...samples, sample];
      // If a sample fails, the measurement uses the samples before it.
      if (sample !== null && collected.length < this.#options.samples) this.#sample(source, clock, beganMs, collected);
      else this.#finish(source, clock, beganMs, collected);
    };
    this.#readTime!(source, takeSample);
  }

  #finish(source: Market, clock: MarketClock, beganMs: number, samples: readonly ClockSample[]): void {
    const waiting = clock.waiting ?? [];
    clock.waiting = null;
    if (samples.length > 0) this.#accept(source, clock, { ...offsetOf(samples), atMs: beganMs });
    for (const done of waiting) done(samples.length > 0);
  }

  /** Takes a new offset of a market, and reports a jump against the last one. */
  #accept(source: Market, clock: MarketClock, measured: MeasuredOffset): void {
    const previous = clock.measured;
    clock.measured = measured;
    const byMs = previous === null ? 0 : measured.offsetMs - previous.offsetMs;
    if (Math.abs(byMs) > JUMP_MS) this.#options.jumped(source, byMs);
    // Times returned before the first measurement were our own.
    if (previous === null || byMs < -JUMP_MS) clock.lastReturnedMs = -Infinity;
  }
}
