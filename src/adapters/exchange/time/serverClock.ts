// The exchange's clock as it is known here: measured by asking for its time, kept by ours, and never running backwards.

import { timeMs, type TimeMs } from '../../../base/brand.ts';
import type { Market } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import { offsetOf, type ClockSample, type Offset } from './offset.ts';

/** Asks the service of `market` for its time, once. Calls `done` once; null where no time came. */
export type AskTime = (market: Market, done: (sample: ClockSample | null) => void) => void;

export interface ServerTime {
  /** Unix time in whole ms. */
  readonly ms: TimeMs;
  /** By how much that may be wrong, ms; Infinity until the clock has been measured. */
  readonly uncertaintyMs: number;
}

export interface ServerClockOptions {
  /** The market whose clock is taken for both, where one service offers both; null (default): each has its own. */
  readonly shared?: Market | null;
  /** Questions to a measurement; default 5. */
  readonly samples?: number;
  /** ms from one measurement to the next while the clock is started; default 300 000. */
  readonly periodMs?: number;
  /** Told when a measurement finds the clock further off than `JUMP_MS` allows for, with the difference in ms. */
  readonly jumped?: (market: Market, byMs: number) => void;
}

/** How much two clocks drift apart in a ms: 100 ms in a quarter of an hour, more than any quartz does. */
const DRIFT = 1e-4;
/**
 * A correction backwards up to this is taken by standing still until it is made up. A larger one means that one of the clocks was set,
 * and standing still for so long would have every request refused: it is followed at once.
 */
export const JUMP_MS = 2000;
/** A service that keeps refusing our time, or does not tell its own, moves us to measure its clock no more often than this. */
const MIN_GAP_MS = 5000;

interface Measured extends Offset {
  /** Our time at which the measurement began; of the answers, none is older. */
  readonly atMs: number;
}

interface MarketClock {
  measured: Measured | null;
  /** The latest time that was given out. */
  lastReturnedMs: number;
  /** Our times at which the last measurement and the last correction began. */
  triedMs: number;
  correctedMs: number;
  /** Those who wait for the measurement under way; null while there is none. */
  waiting: ((isMeasured: boolean) => void)[] | null;
  timer: number | null;
}

const newClock = (): MarketClock => ({
  measured: null,
  lastReturnedMs: -Infinity,
  triedMs: -Infinity,
  correctedMs: -Infinity,
  waiting: null,
  timer: null,
});

export class ServerClock {
  readonly #scheduler: Scheduler;
  readonly #options: Required<ServerClockOptions>;
  readonly #clocks: Readonly<Record<Market, MarketClock>> = { spot: newClock(), futures: newClock() };
  #ask: AskTime | null = null;

  constructor(scheduler: Scheduler, { shared = null, samples = 5, periodMs = 300_000, jumped = () => {} }: ServerClockOptions = {}) {
    this.#scheduler = scheduler;
    this.#options = { shared, samples, periodMs, jumped };
  }

  /** The client that asks; it comes later, as it needs this clock itself. */
  attach(ask: AskTime): void {
    this.#ask = ask;
  }

  /** True once the clock of `market` has been measured. */
  isMeasured(market: Market): boolean {
    return this.#clockOf(market).measured !== null;
  }

  /** True where the clock was measured, or its measurement began, after our time `sinceMs`. */
  isMeasuredSince(market: Market, sinceMs: number): boolean {
    return (this.#clockOf(market).measured?.atMs ?? -Infinity) > sinceMs;
  }

  /** The exchange's time now, which requests are signed with. Before the first measurement: our own. */
  now(market: Market): ServerTime {
    const clock = this.#clockOf(market);
    const { nowMs } = this.#scheduler;
    const { measured } = clock;
    const ms = Math.floor(nowMs + (measured?.offsetMs ?? 0));
    const reportedMs = Math.max(ms, clock.lastReturnedMs);
    clock.lastReturnedMs = reportedMs;
    const uncertaintyMs = measured === null ? Infinity : measured.uncertaintyMs + (nowMs - measured.atMs) * DRIFT + (reportedMs - ms);
    return { ms: timeMs(reportedMs), uncertaintyMs };
  }

  /**
   * Measures the clock of `market` anew, together with those who asked meanwhile. Calls `done` once: whether the service told its time.
   */
  measure(market: Market, done: (isMeasured: boolean) => void = () => {}): void {
    const clock = this.#clockOf(market);
    if (clock.waiting !== null) {
      clock.waiting.push(done);
      return;
    }
    if (this.#ask === null) {
      done(false);
      return;
    }
    clock.waiting = [done];
    clock.triedMs = this.#scheduler.nowMs;
    this.#sample(this.#options.shared ?? market, clock, clock.triedMs, []);
  }

  /**
   * Calls `done` once when the clock of `market` has been measured: within the call where it is already, and where that failed less than
   * 5 s ago, as our own time is then as good a guess as any.
   */
  whenReady(market: Market, done: () => void): void {
    const clock = this.#clockOf(market);
    const hasJustFailed = clock.waiting === null && this.#scheduler.nowMs - clock.triedMs < MIN_GAP_MS;
    if (clock.measured !== null || hasJustFailed) done();
    else this.measure(market, done);
  }

  /** The same for a service that has refused our time; false, too, where that was tried less than 5 s ago, so that it never loops. */
  correct(market: Market, done: (isMeasured: boolean) => void = () => {}): void {
    const clock = this.#clockOf(market);
    const { nowMs } = this.#scheduler;
    if (clock.waiting === null && nowMs - clock.correctedMs < MIN_GAP_MS) {
      done(false);
      return;
    }
    clock.correctedMs = nowMs;
    this.measure(market, done);
  }

  /** Measures the clocks of these markets now and then every `periodMs`, until `stop`. */
  start(markets: readonly Market[]): void {
    for (const source of new Set(markets.map((market) => this.#options.shared ?? market))) {
      const clock = this.#clocks[source];
      if (clock.timer === null) this.#repeat(source, clock);
    }
  }

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

  /** One question after the other, so that they share a connection and do not delay each other. */
  #sample(source: Market, clock: MarketClock, beganMs: number, samples: readonly ClockSample[]): void {
    const asked = (sample: ClockSample | null): void => {
      const all = sample === null ? samples : [...samples, sample];
      // A service that does not answer is not asked again; a median of fewer is better than none.
      if (sample !== null && all.length < this.#options.samples) this.#sample(source, clock, beganMs, all);
      else this.#finish(source, clock, beganMs, all);
    };
    this.#ask!(source, asked);
  }

  #finish(source: Market, clock: MarketClock, beganMs: number, samples: readonly ClockSample[]): void {
    const waiting = clock.waiting ?? [];
    clock.waiting = null;
    if (samples.length > 0) this.#take(source, clock, { ...offsetOf(samples), atMs: beganMs });
    for (const done of waiting) done(samples.length > 0);
  }

  #take(source: Market, clock: MarketClock, measured: Measured): void {
    const before = clock.measured;
    clock.measured = measured;
    const byMs = before === null ? 0 : measured.offsetMs - before.offsetMs;
    if (Math.abs(byMs) > JUMP_MS) this.#options.jumped(source, byMs);
    // What was told before the first measurement was our own time.
    if (before === null || byMs < -JUMP_MS) clock.lastReturnedMs = -Infinity;
  }
}
