// Polls the venue for klines after each bar closes on the venue's clock, and reports each closed bar.

import { sanitizeText } from '../../../base/text/untrustedText.ts';
import { closeOf, openOf, type Interval } from '../../../model/interval.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { Kline } from '../../../protocol/shapes/market.ts';
import type { ServerTime } from '../time/serverClock.ts';
import { BarTracker, type BarEvent } from './barTracker.ts';
import { nextPollMs, pollRules, type PollRules } from './pollPlan.ts';
import { barWindow, coarserWindow, MAX_KLINES, rowsSince, type MarketBar } from './klineWindow.ts';

/**
 * Requests the newest `rows` klines (2 to 300). `isRepeat`: an earlier call for the same bar did not bring it. Calls `done` once, never
 * before returning. The returned function cancels the request.
 */
export type AskKlines = (rows: number, done: (outcome: Outcome<Listing<Kline>>) => void, isRepeat?: boolean) => () => void;

/** Takes the bars of a feed. */
export interface BarSink {
  /** Events arrive in the order in which they must be processed. */
  event(event: BarEvent): void;
  /** A reply has been handled. A bar that it lacked did not exist at `serverMs`. */
  answered?(serverMs: number): void;
  /** No reply, or an invalid row: one line for the operator. `againMs`: pause until the next call; null means the usual one. */
  onProblem(problem: string, againMs: number | null): void;
}

/** What the poller takes. */
export interface BarPollerDeps {
  readonly scheduler: Scheduler;
  /** While the venue's clock is not measured (uncertainty Infinity), no bar is reported. */
  readonly serverTime: () => ServerTime;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly ask: AskKlines;
  readonly sink: BarSink;
}

/** Which bars are delivered, and from when. */
export interface FeedOptions {
  /** Interval of the delivered bars. */
  readonly interval: Interval;
  /** Interval of the requested klines: the same, or a shorter one from which the bars are built. */
  readonly from: Interval;
  /** Bars that need no delivery, oldest first. */
  readonly known?: readonly MarketBar[];
  /** Rows of the first call if no bar is known: 2 to 300, default 300. */
  readonly firstRows?: number;
  readonly rules?: PollRules;
}

/** Number of known bars that each call requests again, to detect revisions. */
const REREAD_BARS = 10;
/** Longer waits are cut, because the clock offset drifts. */
const MAX_WAIT_MS = 3_600_000;

/** Polls one instrument and interval, and reports bars, gaps and problems to its sink. */
export class BarPoller {
  readonly #deps: BarPollerDeps;
  readonly #options: FeedOptions;
  readonly #rules: PollRules;
  readonly #tracker: BarTracker;
  #failures = 0;
  /** Open time of the bar that was running at the newest call; NaN before the first. */
  #runningMs = NaN;
  #timer: number | null = null;
  #cancelCall: (() => void) | null = null;
  #isRunning = false;

  constructor(deps: BarPollerDeps, options: FeedOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#rules = options.rules ?? pollRules(options.interval);
    this.#tracker = new BarTracker(options.interval, options.known);
  }

  /**
   * Makes the first call within `spreadMs` from now. If a bar is missing, the call comes at least `delayMs` after a close. The venue may
   * still build a bar that closed later. A bot that was not stopped has not decided on such a bar either.
   */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { serverTime, random } = this.#deps;
    const { delayMs, spreadMs } = this.#rules;
    const { interval } = this.#options;
    const { lastMs } = this.#tracker;
    const { ms } = serverTime();
    const closedMs = openOf(interval, ms);
    const isMissing = lastMs !== null && closeOf(interval, lastMs) < closedMs;
    this.#wait((isMissing ? Math.max(ms, closedMs + delayMs) : ms) + spreadMs * random());
  }

  /** Stops polling. No event follows. */
  stop(): void {
    this.#isRunning = false;
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#cancelCall?.();
    this.#cancelCall = null;
  }

  /** Polls at a time of the exchange. A long wait is split, because the clocks may drift meanwhile. */
  #wait(untilServerMs: number): void {
    const { scheduler, serverTime } = this.#deps;
    const waitMs = untilServerMs - serverTime().ms;
    const isTooLong = waitMs > MAX_WAIT_MS;
    this.#timer = scheduler.at(scheduler.nowMs + Math.max(0, Math.ceil(isTooLong ? MAX_WAIT_MS : waitMs)), () => {
      this.#timer = null;
      if (isTooLong) this.#wait(untilServerMs);
      else this.#poll();
    });
  }

  /** Requests the newest klines, handles the reply, and plans the next poll. */
  #poll(): void {
    const serverMs = this.#earliestVenueMs();
    if (serverMs === null) return this.#reportFailure("the exchange's clock could not be measured");
    const rows = this.#rowCount(serverMs);
    const onOutcome = (outcome: Outcome<Listing<Kline>>): void => {
      if (!this.#isRunning) return;
      this.#cancelCall = null;
      if (outcome.kind !== 'acked') return this.#reportFailure(causeOf(outcome));
      this.#handleReply(outcome.value, rows, serverMs);
      // The sink may have stopped the feed.
      if (this.#isRunning) this.#wait(this.#nextMs());
    };
    const runningMs = openOf(this.#options.interval, serverMs);
    const isRepeat = runningMs === this.#runningMs;
    this.#runningMs = runningMs;
    this.#cancelCall = this.#deps.ask(rows, onOutcome, isRepeat);
  }

  /**
   * Returns a lower bound of the venue's time, ms; null if the clock is unknown. With the bound, a bar counts as closed only if it
   * certainly is.
   */
  #earliestVenueMs(): number | null {
    const { ms, uncertaintyMs } = this.#deps.serverTime();
    return uncertaintyMs < Infinity ? ms - uncertaintyMs : null;
  }

  #rowCount(serverMs: number): number {
    const { interval, from, firstRows = MAX_KLINES } = this.#options;
    const { lastMs } = this.#tracker;
    if (lastMs === null) return firstRows;
    // A bar built from shorter ones needs all of them from its open on.
    return interval === from ? Math.min(MAX_KLINES, rowsSince(from, lastMs, serverMs) + REREAD_BARS) : rowsSince(from, lastMs, serverMs);
  }

  /** Passes the events of a reply to the sink. The sink may stop the poller at any of them. */
  #handleReply(listing: Listing<Kline>, rows: number, serverMs: number): void {
    const { interval, from } = this.#options;
    const { sink } = this.#deps;
    const fine = barWindow(listing, from, rows, serverMs);
    const window = interval === from ? fine : coarserWindow(fine, interval);
    this.#failures = 0;
    const events = this.#tracker.eventsIn(window);
    for (const problem of fine.refused) if (this.#isRunning) sink.onProblem(problem, null);
    for (const event of events) if (this.#isRunning) sink.event(event);
    if (this.#isRunning && fine.refused.length === 0) sink.answered?.(serverMs);
  }

  #reportFailure(problem: string): void {
    this.#failures++;
    const nextMs = this.#nextMs();
    this.#deps.sink.onProblem(problem, nextMs - this.#deps.serverTime().ms);
    if (this.#isRunning) this.#wait(nextMs);
  }

  /** Returns the time of the next call on the venue's clock. */
  #nextMs(): number {
    const { ms } = this.#deps.serverTime();
    const serverMs = this.#earliestVenueMs() ?? ms;
    const state = { interval: this.#options.interval, lastMs: this.#tracker.lastMs, serverMs, failures: this.#failures };
    return nextPollMs(state, this.#rules, this.#deps.random()) + (ms - serverMs);
  }
}

/** Returns why there is no reply, as one line for the operator. */
export function causeOf(outcome: Exclude<Outcome<unknown>, { readonly kind: 'acked' }>): string {
  const cause = outcome.kind === 'refused' ? `code ${outcome.code} with HTTP ${outcome.status}: ${outcome.msg}` : outcome.cause;
  return sanitizeText(cause);
}
