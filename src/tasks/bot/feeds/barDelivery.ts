// Turns closed bars of the exchange into instants, at which strategies decide: on all feeds at once or one by one, and only in time.

import type { BarEvent } from '../../../adapters/exchange/klines/barTracker.ts';
import type { AskKlines } from '../../../adapters/exchange/klines/barPoller.ts';
import type { TradeEvent } from '../../../adapters/exchange/trades/tradeBarTracker.ts';
import type { AskTrades } from '../../../adapters/exchange/trades/tradePoller.ts';
import type { MarketBar } from '../../../adapters/exchange/klines/klineWindow.ts';
import type { ServerTime } from '../../../adapters/exchange/time/serverClock.ts';
import type { Engine } from '../../../engine/engine.ts';
import { feedsByNeed } from '../../../engine/host/needOrder.ts';
import type { Market } from '../../../model/instrument.ts';
import { barsBetween, closeOf, openOf } from '../../../model/interval.ts';
import { formatMinute, formatTime } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { BarTimes } from '../config/barTimes.ts';
import type { KlineSet, LiveSet, BotTradeSet } from './liveFeeds.ts';
import { barFactOf, type BarFact } from './barFact.ts';
import { appendFacts } from './instants.ts';
import { isTradeSet, pollerOf, tradeEventText, type SetPoller } from './setPollers.ts';

/** The collaborators of the delivery. */
export interface BarDeliveryDeps {
  readonly engine: Engine;
  readonly sets: readonly LiveSet[];
  readonly scheduler: Scheduler;
  readonly serverTime: (market: Market) => ServerTime;
  /** `place`: position of the set in the order in which strategies need bars, from 0. */
  readonly ask: (set: KlineSet, place: number) => AskKlines;
  readonly askTrades: (set: BotTradeSet) => AskTrades;
  readonly random: () => number;
  readonly times: BarTimes;
  /** Reads the state of the orders of these instruments; null: of all. Calls `done` once, perhaps within the call. */
  readonly bookFills: (instruments: ReadonlySet<number> | null, done: () => void) => void;
  /** Appends `bars` to their feeds, then strategies decide at `atMs`. With `decide: perFeed` called for each part of an instant. */
  readonly deliver: (atMs: number, bars: readonly BarFact[], append: () => void) => void;
  /** Appends bars that closed until `untilMs` while the bot was down. Strategies do not decide on them. */
  readonly catchUp: (untilMs: number, bars: readonly BarFact[], append: () => void) => void;
  /** Called with `decide: perFeed` when the instant has ended without a last delivery. */
  readonly onInstantEnd: (atMs: number) => void;
  readonly log: (level: 'info' | 'warn', message: string) => void;
  /** The newest instant of a lifetime that continues, ms UTC. Null: a new lifetime begins. */
  readonly sinceMs: number | null;
}

/** Longer waits are cut, because clocks drift. */
const MAX_WAIT_MS = 60_000;

/** After more missed bars in a row than this, strategies no longer wait for a symbol. */
const MAX_MISSED = 3;

/** A set of bars with those that wait to be delivered. */
interface StagedSet {
  readonly set: LiveSet;
  /** Indices of its feeds in the engine. */
  readonly feeds: readonly number[];
  readonly poller: SetPoller;
  /** Received and not delivered yet; oldest first. */
  readonly bars: MarketBar[];
  /** The exchange's time of the newest answer. */
  answeredMs: number;
}

/** The feeds of one instrument, which decide together with `decide: perFeed`. */
interface Part {
  readonly instrument: number;
  readonly staged: readonly StagedSet[];
  /** The newest instant that has ended for its strategies, with or without a decision. */
  overMs: number;
}

/** Collects the bars of all sets, and delivers an instant once its bars are complete or the grace has ended. */
export class BarDelivery {
  readonly #deps: BarDeliveryDeps;
  readonly #staged: readonly StagedSet[];
  /** In the order in which strategies need them. */
  readonly #byNeed: readonly Part[];
  /** Every instant up to this time has ended. */
  #closedMs: number;
  #isBusy = false;
  /** `decide: perFeed`: parts whose orders are being read. */
  #settling = 0;
  /** `decide: perFeed`: true from the first decision at an instant to its end. */
  #isInInstant = false;
  #isRunning = false;
  #timer: number | null = null;

  constructor(deps: BarDeliveryDeps) {
    this.#deps = deps;
    const { sinceMs, engine } = deps;
    // With `decide: perFeed` the last process may have ended between two parts of its newest instant.
    if (sinceMs === null) this.#closedMs = engine.deps.fromMs;
    else this.#closedMs = engine.decidesPerFeed ? sinceMs - 1 : sinceMs;
    const places = placesOf(deps.engine, deps.sets);
    this.#staged = deps.sets.map((set, index) => this.#stage(set, places[index]!));
    this.#byNeed = engine.parts.byNeed.map((instrument) => {
      const staged = this.#staged.filter(({ feeds }) => feeds.some((feed) => engine.feeds[feed]!.instrumentIndex === instrument));
      return { instrument, staged, overMs: -Infinity };
    });
  }

  /**
   * Catches up with bars that have closed by now, without decisions. After a restart, strategies still decide on bars of the last
   * `graceMs`.
   */
  start(): void {
    this.#isRunning = true;
    const { sinceMs, times, catchUp } = this.#deps;
    if (sinceMs === null) this.#closedMs = Math.max(this.#closedMs, this.#venueMs());
    else {
      this.#closedMs = Math.max(this.#closedMs, Math.floor(this.#venueMs()) - times.graceMs);
      const facts = this.#due(this.#closedMs, this.#staged);
      catchUp(this.#closedMs, facts, () => appendFacts(this.#deps.engine, facts));
    }
    for (const { poller } of this.#staged) poller.start();
    this.#deliverComplete();
  }

  /** Stops all polls. Bars that were received and not delivered are dropped. */
  stop(): void {
    this.#isRunning = false;
    for (const { poller } of this.#staged) poller.stop();
    this.#disarm();
  }

  /** True when no received bar waits for a decision. */
  get isIdle(): boolean {
    return (
      !this.#isBusy &&
      this.#settling === 0 &&
      !this.#isInInstant &&
      this.#staged.every(({ bars }) => bars.every(({ closeMs, isIncomplete }) => closeMs <= this.#closedMs || isIncomplete === true))
    );
  }

  /** Returns a set of bars with its poller, which stages what it receives. `place`: the number of the set. */
  #stage(set: LiveSet, place: number): StagedSet {
    const { engine, scheduler, serverTime, ask, askTrades, random, times } = this.#deps;
    const feeds = engine.feeds.flatMap(({ bars }, feed) => (set.copies.some((copy) => copy === bars) ? [feed] : []));
    const staged: StagedSet = {
      set,
      feeds,
      bars: set.missedBars.filter((bar) => set.copies[0]!.takes(bar)),
      answeredMs: -Infinity,
      poller: pollerOf(
        set,
        { scheduler, serverTime: () => serverTime(set.key.market), random, times, ask: (klines) => ask(klines, place), askTrades },
        {
          onBar: (event) => this.#take(staged, event),
          onTrades: (event) => this.#takeTrades(staged, event),
          onReply: (serverMs) => {
            staged.answeredMs = serverMs;
            if (isTradeSet(set) || isQuiet(staged, serverMs)) this.#scheduleDelivery();
          },
          onProblem: (problem, againMs) => this.#onProblem(set, problem, againMs),
        },
      ),
    };
    return staged;
  }

  #onProblem(set: LiveSet, problem: string, againMs: number | null): void {
    const again = againMs === null ? '' : `; asked again in ${Math.round(againMs / 1000)} s`;
    this.#deps.log('warn', `bars of ${nameOf(set)}: ${problem}${again}`);
  }

  /** Stages a bar that was built from trades, and logs gaps and late trades. */
  #takeTrades(staged: StagedSet, event: TradeEvent): void {
    if (event.kind !== 'bar') return this.#deps.log('warn', `${nameOf(staged.set)}: ${tradeEventText(event)}`);
    this.#add(staged, event.bar);
    const { isIncomplete, openMs, closeMs } = event.bar;
    if (isIncomplete !== true) return;
    const range = `from ${formatTime(openMs)} to ${formatTime(closeMs)}`;
    this.#deps.log('warn', `${nameOf(staged.set)}: trades may be missing in the bar ${range}: no decision on it`);
  }

  /** Stages a new bar, and logs gaps, late bars and revised bars. */
  #take(staged: StagedSet, event: BarEvent): void {
    const { set } = staged;
    const { log } = this.#deps;
    const name = nameOf(set);
    if (event.kind === 'gap')
      return log('warn', `${name}: ${event.bars} bars from ${formatMinute(event.fromMs)} on never came (${event.why})`);
    if (event.kind === 'late') return log('warn', `${name}: the bar of ${formatMinute(event.bar.openMs)} came after a later bar: left out`);
    if (event.kind === 'revised')
      return log('warn', `${name}: the bar of ${formatMinute(event.bar.openMs)} was revised after it was decided on`);
    this.#add(staged, event.bar);
  }

  #add({ set, bars }: StagedSet, bar: MarketBar): void {
    if (!set.copies[0]!.takes(bar))
      return this.#deps.log('warn', `${nameOf(set)}: the bar of ${formatMinute(bar.openMs)} has prices finer than a tick: left out`);
    bars.push(bar);
    this.#scheduleDelivery();
  }

  /** Schedules the delivery for the next turn, because one reply may bring several bars. */
  #scheduleDelivery(): void {
    if (this.#isBusy || !this.#isRunning) return;
    this.#arm(0);
  }

  /**
   * Delivers the next instant if it is complete or its grace period has ended, else waits for it. Decides on one instant at most in a turn.
   */
  #deliverComplete(): void {
    let hasDecided = false;
    while (this.#isRunning && !this.#isBusy) {
      const nowMs = this.#venueMs();
      const atMs = this.#nextInstant();
      const waitMs = atMs - nowMs;
      // Let other events run between two instants.
      if (waitMs > 0 || hasDecided) return this.#arm(Math.max(0, waitMs));
      const deadlineMs = atMs + this.#deps.times.graceMs;
      // A bar from trades may have ended before `t`.
      if (nowMs < deadlineMs && this.#staged.some((staged) => isTradeSet(staged.set) && staged.answeredMs < atMs))
        return this.#arm(deadlineMs - nowMs);
      // Parts that were in time decide first, however long their reads take.
      if (this.#settling > 0 && nowMs > deadlineMs + this.#deps.times.graceMs) return;
      if (nowMs > deadlineMs + this.#deps.times.graceMs) this.#passOver(atMs, nowMs - this.#deps.times.graceMs);
      else if (this.#deps.engine.decidesPerFeed) {
        hasDecided = this.#decidePart(atMs, nowMs >= deadlineMs);
        if (!hasDecided) return this.#arm(Math.max(0, deadlineMs - nowMs) || MAX_WAIT_MS);
      } else if (nowMs >= deadlineMs || this.#isComplete(atMs)) hasDecided = this.#decide(atMs);
      else return this.#arm(deadlineMs - nowMs);
    }
  }

  /** Skips the decision at `t`, because it is too late. Received bars are delivered with the next instant, without a decision. */
  #passOver(t: number, untilMs: number): void {
    if (this.#staged.some(({ bars }) => bars.length > 0))
      this.#deps.log('info', `bars from ${formatMinute(t)} on are caught up without a decision`);
    this.#closedMs = Math.max(t, untilMs);
    this.#isInInstant = false;
  }

  /**
   * Lets the strategies of the first part decide that has all its bars. Ends the instant after its last part. `isLate`: the grace period has
   * ended, so the first part decides without the missing bars. Returns false while it waits for bars.
   */
  #decidePart(t: number, isLate: boolean): boolean {
    const closing = ({ staged }: Part): readonly StagedSet[] => staged.filter((each) => this.#closeAfterClosed(each) === t);
    const open = this.#byNeed.filter((part) => part.overMs < t && closing(part).some(({ set }) => newestCloseMs(set) < t));
    const hasBar = (candidate: StagedSet): boolean => newestCloseMs(candidate.set) >= t || isSettledAt(candidate, t);
    const part = open.find((candidate) => closing(candidate).every(hasBar)) ?? (isLate ? open[0] : undefined);
    if (part !== undefined) {
      this.#warnOfMissing(
        t,
        closing(part).filter((staged) => !hasBar(staged)),
      );
      part.overMs = t;
      this.#isInInstant = true;
      if (part.staged.some((each) => hasBarAt(each, t))) this.#settlePart(t, part);
      return true;
    }
    if (open.length > 0 || this.#settling > 0) return false;
    this.#closedMs = t;
    this.#isInInstant = false;
    const { engine, onInstantEnd } = this.#deps;
    // Timers wait for the last bar, and so do callbacks of strategies without a bar at this instant.
    if (engine.timers.nextMs <= t || !engine.callbacks.isEmpty) this.#settleAndDeliver(t, [], null);
    else onInstantEnd(t);
    return true;
  }

  /** Ends the instant `t` and lets all strategies decide. Returns false without new bars or due timers. */
  #decide(t: number): boolean {
    const due = this.#staged.filter((staged) => isTradeSet(staged.set) || this.#closeAfterClosed(staged) === t);
    this.#warnOfMissing(
      t,
      due.filter((staged) => !isSettledAt(staged, t)),
    );
    this.#closedMs = t;
    const isFresh = this.#staged.some((staged) => hasBarAt(staged, t));
    if (!isFresh && this.#deps.engine.timers.nextMs > t) return false;
    this.#settleAndDeliver(t, this.#staged, null);
    return true;
  }

  /** Logs the sets without data for the instant at `t`. */
  #warnOfMissing(t: number, missing: readonly StagedSet[]): void {
    const { log, times } = this.#deps;
    for (const { set } of missing) {
      const missingData = isTradeSet(set) ? `the trades until ${formatTime(t)}` : `the bar that closed at ${formatMinute(t)}`;
      log(
        'warn',
        `${nameOf(set)}: ${missingData} did not come within ${times.graceMs} ms: no decision on ${isTradeSet(set) ? 'their bars' : 'it'}`,
      );
    }
  }

  /** Delivers the bars of a part once its orders are known. Other parts do not wait for that. */
  #settlePart(t: number, { staged, instrument }: Part): void {
    this.#settling++;
    this.#deps.bookFills(new Set([instrument]), () => {
      if (this.#isRunning) this.#deliver(t, staged);
      this.#settling--;
      this.#scheduleDelivery();
    });
  }

  /** Delivers the bars of `staged` once the orders of `instruments` are known; null: the orders of all instruments. */
  #settleAndDeliver(t: number, staged: readonly StagedSet[], instruments: ReadonlySet<number> | null): void {
    this.#isBusy = true;
    let isWithin = true;
    this.#deps.bookFills(instruments, () => {
      if (this.#isRunning) this.#deliver(t, staged);
      this.#isBusy = false;
      // If `bookFills` has called back within the call, the loop in `#deliverComplete` continues.
      if (!isWithin) this.#scheduleDelivery();
    });
    isWithin = false;
  }

  #deliver(t: number, staged: readonly StagedSet[]): void {
    const { engine, deliver } = this.#deps;
    const facts = this.#due(t, staged);
    deliver(t, facts, () => appendFacts(engine, facts));
  }

  /** Removes and returns the received bars that have closed by `t`. */
  #due(t: number, staged: readonly StagedSet[]): readonly BarFact[] {
    const facts: BarFact[] = [];
    for (const { bars, feeds, set } of staged) {
      // An incomplete bar is delivered after its end, so nobody decides on it.
      const count = bars.findIndex(({ closeMs, isIncomplete }) => closeMs > t || (closeMs === t && isIncomplete === true));
      const due = bars.splice(0, count < 0 ? bars.length : count);
      for (const feed of feeds) for (const bar of due) facts.push(barFactOf(feed, set.key.interval, bar));
    }
    return facts;
  }

  /** True when all bars of `t` are there. */
  #isComplete(t: number): boolean {
    return this.#staged.every((staged) => this.#closeAfterClosed(staged) !== t || isSettledAt(staged, t));
  }

  #nextInstant(): number {
    const { nextMs } = this.#deps.engine.timers;
    const closes = this.#staged.map((staged) => this.#closeAfterClosed(staged));
    return Math.min(...closes, nextMs > this.#closedMs ? nextMs : Infinity);
  }

  /** Returns the next instant of a set. Infinity for bars from trades without a further bar yet. */
  #closeAfterClosed({ set: { key, trades }, bars }: StagedSet): number {
    if (trades === undefined) return closeOf(key.interval, openOf(key.interval, this.#closedMs));
    return bars.find(({ closeMs, isIncomplete }) => closeMs > this.#closedMs && isIncomplete !== true)?.closeMs ?? Infinity;
  }

  /** The venue's time; with several markets the earliest. */
  #venueMs(): number {
    return Math.min(...this.#deps.sets.map(({ key }) => this.#deps.serverTime(key.market).ms));
  }

  /** Tries to deliver again after `waitMs`. */
  #arm(waitMs: number): void {
    this.#disarm();
    const { scheduler } = this.#deps;
    this.#timer = scheduler.at(scheduler.nowMs + Math.ceil(Math.min(waitMs, MAX_WAIT_MS)), () => {
      this.#timer = null;
      this.#deliverComplete();
    });
  }

  #disarm(): void {
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
  }
}

/** Returns the position of each set in the order in which strategies need bars. */
function placesOf({ feeds, runs }: Engine, sets: readonly LiveSet[]): readonly number[] {
  const neededFeeds = feedsByNeed(feeds, runs);
  return sets.map(({ copies }) => neededFeeds.findIndex(({ bars }) => copies.some((copy) => copy === bars)));
}

/** Returns the close of the newest delivered bar, ms UTC; -Infinity before the first. */
function newestCloseMs({ copies }: LiveSet): number {
  const { length, closeMs } = copies[0]!;
  return length === 0 ? -Infinity : closeMs[length - 1]!;
}

/** True when a set has its bar of `t` or a later one, or the exchange has replied without one for a quiet symbol. */
const isSettledAt = (staged: StagedSet, t: number): boolean =>
  staged.bars.some(({ closeMs }) => closeMs >= t) || (staged.answeredMs >= t && (isTradeSet(staged.set) || isQuiet(staged, t)));

/** True when a set has a bar of `t` on which strategies decide. */
const hasBarAt = ({ bars }: StagedSet, t: number): boolean =>
  bars.some(({ closeMs, isIncomplete }) => closeMs === t && isIncomplete !== true);

/** True for a symbol that has not traded yet, or has missed its newest bars. Strategies wait for a reply about it, not for a bar. */
function isQuiet({ set, bars }: StagedSet, atMs: number): boolean {
  const lastMs = bars.at(-1)?.closeMs ?? newestCloseMs(set);
  return (
    lastMs === -Infinity || barsBetween(set.key.interval, openOf(set.key.interval, lastMs), openOf(set.key.interval, atMs)) > MAX_MISSED
  );
}

const nameOf = ({ key }: LiveSet): string => `${key.symbol} ${key.interval}`;
