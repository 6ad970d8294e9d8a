// Polls the venue for recent trades at short intervals, and reports each bar that has ended.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { PublicTrade } from '../../../protocol/shapes/market.ts';
import type { CallOptions, RestClient } from '../client/restClient.ts';
import { causeOf } from '../klines/barPoller.ts';
import type { ServerTime } from '../time/serverClock.ts';
import type { TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { TradeBarTracker, TradeEvent } from './tradeBarTracker.ts';
import { haveIds, MAX_TRADES, tradeWindow } from './tradeWindow.ts';

/** Requests the newest `rows` trades (1 to 1000). Calls `done` once, never before returning. The returned function cancels the request. */
export type AskTrades = (rows: number, done: (outcome: Outcome<Listing<PublicTrade>>) => void) => () => void;

/** Returns the function that requests the newest trades of one symbol. Only the spot market has an endpoint for them. */
export const marketTradesOf =
  (client: Pick<RestClient, 'call'>, symbol: string, options: CallOptions): AskTrades =>
  (limit, done) =>
    client.call('spot.recentTrades', { symbol, limit }, done, options);

/** Receives what a poller finds. */
export interface TradeSink {
  /** A bar has ended, or trades were missed. */
  event(event: TradeEvent): void;
  /** A reply has been handled. Every bar that ended by `settledMs` of the venue has been reported. */
  answered(settledMs: number): void;
  /** No reply, or an invalid one: one line for the operator. `againMs`: pause until the next call; null means the usual one. */
  onProblem(problem: string, againMs: number | null): void;
}

/** The collaborators of a poller. */
export interface TradePollerDeps {
  readonly scheduler: Scheduler;
  /** While the venue's clock is not measured (uncertainty Infinity), no call is made. */
  readonly serverTime: () => ServerTime;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly ask: AskTrades;
  readonly sink: TradeSink;
}

/** What a poller polls. */
export interface TradePollerOptions {
  readonly tracker: TradeBarTracker;
  readonly digits: TradeDigits;
  /** Time that the venue needs until all trades of a ms are in its replies, ms. */
  readonly delayMs: number;
}

/** Shortest and longest pause between two calls, ms. */
export const MIN_TRADE_POLL_MS = 900;
const MAX_TRADE_POLL_MS = 1000;
/** Longest pause without a reply, ms. It is short, because a reply reaches back over 1000 trades only. */
const OUTAGE_MS = 8000;
/** Rows of a call: this many times the new trades of the previous reply, and at least `MIN_ROWS`. */
const ROWS_FACTOR = 4;
const MIN_ROWS = 100;

/** Polls the trades of one instrument. */
export class TradePoller {
  readonly #deps: TradePollerDeps;
  readonly #options: TradePollerOptions;
  #rows = MAX_TRADES;
  #failures = 0;
  #timer: number | null = null;
  #cancelCall: (() => void) | null = null;
  #isRunning = false;

  constructor(deps: TradePollerDeps, options: TradePollerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Starts polling, with a first call at once. No effect while it runs. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#wait(0);
  }

  /** Stops polling. No event follows. */
  stop(): void {
    this.#isRunning = false;
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#cancelCall?.();
    this.#cancelCall = null;
  }

  #wait(waitMs: number): void {
    const { scheduler } = this.#deps;
    this.#timer = scheduler.at(scheduler.nowMs + Math.ceil(waitMs), () => {
      this.#timer = null;
      this.#poll(this.#rows);
    });
  }

  /** Requests the newest `rows` trades, and takes the reply. */
  #poll(rows: number): void {
    const { ms, uncertaintyMs } = this.#deps.serverTime();
    if (!(uncertaintyMs < Infinity)) return this.#reportFailure("the exchange's clock could not be measured");
    const settledMs = ms - uncertaintyMs - this.#options.delayMs;
    this.#cancelCall = this.#deps.ask(rows, (outcome) => {
      if (!this.#isRunning) return;
      this.#cancelCall = null;
      if (outcome.kind !== 'acked') return this.#reportFailure(causeOf(outcome));
      if (!haveIds(outcome.value))
        return this.#reportFailure('the exchange gives trades without ids, so a missed one would not be noticed');
      this.#handleReply(outcome.value, rows, settledMs);
    });
  }

  /** Takes a reply, or polls for the longest one if it does not connect to the known trades. Plans the next poll. */
  #handleReply(listing: Listing<PublicTrade>, rows: number, settledMs: number): void {
    const { tracker, digits } = this.#options;
    const { sink } = this.#deps;
    const window = tradeWindow(listing, rows, digits);
    // Only the longest reply shows whether there is a gap.
    if (rows < MAX_TRADES && !tracker.isLinked(window)) return this.#poll(MAX_TRADES);
    this.#failures = 0;
    const previousTradeCount = tracker.tradeCount;
    const events = tracker.eventsIn(window, settledMs);
    this.#rows = Math.min(MAX_TRADES, Math.max(MIN_ROWS, ROWS_FACTOR * (tracker.tradeCount - previousTradeCount)));
    for (const problem of window.problems) if (this.#isRunning) sink.onProblem(problem, null);
    for (const event of events) if (this.#isRunning) sink.event(event);
    if (!this.#isRunning) return;
    sink.answered(settledMs);
    // The sink may have stopped the feed.
    if (this.#isRunning) this.#wait(MIN_TRADE_POLL_MS + (MAX_TRADE_POLL_MS - MIN_TRADE_POLL_MS) * this.#deps.random());
  }

  #reportFailure(problem: string): void {
    const pauseMs = Math.min(OUTAGE_MS, MAX_TRADE_POLL_MS * 2 ** Math.min(30, this.#failures)) * (0.5 + this.#deps.random() / 2);
    this.#failures++;
    this.#deps.sink.onProblem(problem, pauseMs);
    if (this.#isRunning) this.#wait(pauseMs);
  }
}
