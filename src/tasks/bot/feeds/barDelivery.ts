// Turns closed bars of the exchange into instants, at which strategies decide: on all feeds at once or one by one, and only in time.

import { smallestOf } from '../../../base/number/extremes.ts';
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

/** The feeds of one instrument. With `decide: perFeed` strategies decide on them together, apart from other instruments. */
interface InstrumentPart {
  readonly instrument: number;
  readonly staged: readonly StagedSet[];
  /** The newest instant that has ended for its strategies, with or without a decision. */
  endedMs: number;
}

/** Collects the bars of all sets, and delivers an instant once its bars are complete or the grace has ended. */
export class BarDelivery {
  readonly #deps: BarDeliveryDeps;
  readonly #staged: readonly StagedSet[];
  /** In the order in which strategies need them. */
  readonly #partsByNeed: readonly InstrumentPart[];
  /** Every instant up to this time has ended. */
  #endedMs: number;
  #isBusy = false;
  /** `decide: perFeed`: number of parts whose orders are being read. */
  #partsBeingRead = 0;
  /** `decide: perFeed`: true from the first decision at an instant to its end. */
  #isInInstant = false;
  #isRunning = false;
  #timer: number | null = null;

  constructor(deps: BarDeliveryDeps) {
    this.#deps = deps;
    const { sinceMs, engine } = deps;
    // With `decide: perFeed` the last process may have ended between two parts of its newest instant.
    if (sinceMs === null) this.#endedMs = engine.deps.fromMs;
    else this.#endedMs = engine.decidesPerFeed ? sinceMs - 1 : sinceMs;
    const places = placesOf(deps.engine, deps.sets);
    this.#staged = deps.sets.map((set, index) => this.#openSet(set, places[index]!));
    this.#partsByNeed = engine.parts.byNeed.map((instrument) => {
      const staged = this.#staged.filter(({ feeds }) => feeds.some((feed) => engine.feeds[feed]!.instrumentIndex === instrument));
      return { instrument, staged, endedMs: -Infinity };
    });
  }

  /**
   * Catches up with bars that have closed by now, without decisions. After a restart, strategies still decide on bars of the last
   * `graceMs`.
   */
  start(): void {
    this.#isRunning = true;
    const { sinceMs, times, catchUp } = this.#deps;
    if (sinceMs === null) this.#endedMs = Math.max(this.#endedMs, this.#venueMs());
    else {
      this.#endedMs = Math.max(this.#endedMs, Math.floor(this.#venueMs()) - times.graceMs);
      const facts = this.#takeClosedBars(this.#endedMs, this.#staged);
      catchUp(this.#endedMs, facts, () => appendFacts(this.#deps.engine, facts));
    }
    for (const { poller } of this.#staged) poller.start();
    this.#deliverDueInstants();
  }

  /** Stops all polls. Bars that were received and not delivered are dropped. */
  stop(): void {
    this.#isRunning = false;
    for (const { poller } of this.#staged) poller.stop();
    this.#cancelTimer();
  }

  /** True when no received bar waits for a decision. */
  get isIdle(): boolean {
    if (this.#isBusy || this.#partsBeingRead > 0 || this.#isInInstant) return false;
    return this.#staged.every(({ bars }) => bars.every(({ closeMs, isIncomplete }) => closeMs <= this.#endedMs || isIncomplete === true));
  }

  /** Returns a set of bars with its poller, which stages what it receives. `place`: the number of the set. */
  #openSet(set: LiveSet, place: number): StagedSet {
    const { engine, scheduler, serverTime, ask, askTrades, random, times } = this.#deps;
    const feeds = engine.feeds.flatMap(({ bars }, feed) => (set.copies.some((copy) => copy === bars) ? [feed] : []));
    const staged: StagedSet = {
      set,
      feeds,
      bars: set.missedBars.filter((bar) => set.copies[0]!.hasWholeTicks(bar)),
      answeredMs: -Infinity,
      poller: pollerOf(
        set,
        { scheduler, serverTime: () => serverTime(set.key.market), random, times, ask: (klines) => ask(klines, place), askTrades },
        {
          onBar: (event) => this.#stageKline(staged, event),
          onTrades: (event) => this.#stageTradeBar(staged, event),
          onReply: (serverMs) => {
            staged.answeredMs = serverMs;
            if (isTradeSet(set) || isQuiet(staged, serverMs)) this.#scheduleDelivery();
          },
          onProblem: (problem, againMs) => this.#logProblem(set, problem, againMs),
        },
      ),
    };
    return staged;
  }

  #logProblem(set: LiveSet, problem: string, againMs: number | null): void {
    const retryText = againMs === null ? '' : `; asked again in ${Math.round(againMs / 1000)} s`;
    this.#deps.log('warn', `bars of ${nameOf(set)}: ${problem}${retryText}`);
  }

  /** Stages a bar that was built from trades, and logs gaps and late trades. */
  #stageTradeBar(staged: StagedSet, event: TradeEvent): void {
    if (event.kind !== 'bar') return this.#deps.log('warn', `${nameOf(staged.set)}: ${tradeEventText(event)}`);
    this.#stageBar(staged, event.bar);
    const { isIncomplete, openMs, closeMs } = event.bar;
    if (isIncomplete !== true) return;
    const range = `from ${formatTime(openMs)} to ${formatTime(closeMs)}`;
    this.#deps.log('warn', `${nameOf(staged.set)}: trades may be missing in the bar ${range}: no decision on it`);
  }

  /** Stages a new bar, and logs gaps, late bars and revised bars. */
  #stageKline(staged: StagedSet, event: BarEvent): void {
    const { set } = staged;
    const { log } = this.#deps;
    const name = nameOf(set);
    if (event.kind === 'gap')
      return log('warn', `${name}: ${event.bars} bars from ${formatMinute(event.fromMs)} on never came (${event.why})`);
    if (event.kind === 'late') return log('warn', `${name}: the bar of ${formatMinute(event.bar.openMs)} came after a later bar: left out`);
    if (event.kind === 'revised')
      return log('warn', `${name}: the bar of ${formatMinute(event.bar.openMs)} was revised after it was decided on`);
    this.#stageBar(staged, event.bar);
  }

  /** Stages a bar, unless its prices do not fit the tick of the instrument. */
  #stageBar({ set, bars }: StagedSet, bar: MarketBar): void {
    if (!set.copies[0]!.hasWholeTicks(bar))
      return this.#deps.log('warn', `${nameOf(set)}: the bar of ${formatMinute(bar.openMs)} has prices finer than a tick: left out`);
    bars.push(bar);
    this.#scheduleDelivery();
  }

  /** Schedules the delivery for the next turn, because one reply may bring several bars. */
  #scheduleDelivery(): void {
    if (this.#isBusy || !this.#isRunning) return;
    this.#retryIn(0);
  }

  /**
   * Delivers the next instant if it is complete or its grace period has ended, else waits for it. Decides on one instant at most in a turn.
   */
  #deliverDueInstants(): void {
    const { engine, times } = this.#deps;
    let hasDecided = false;
    while (this.#isRunning && !this.#isBusy) {
      const nowMs = this.#venueMs();
      const atMs = this.#nextInstant();
      // Let other events run between two instants.
      if (atMs > nowMs || hasDecided) return this.#retryIn(Math.max(0, atMs - nowMs));
      const deadlineMs = atMs + times.graceMs;
      const hasGraceEnded = nowMs >= deadlineMs;
      if (!hasGraceEnded && this.#awaitsTrades(atMs)) return this.#retryIn(deadlineMs - nowMs);
      if (nowMs > deadlineMs + times.graceMs) {
        // Parts that were in time decide first, however long their reads take.
        if (this.#partsBeingRead > 0) return;
        this.#skipInstant(atMs, nowMs - times.graceMs);
      } else if (engine.decidesPerFeed) {
        hasDecided = this.#decidePart(atMs, hasGraceEnded);
        if (!hasDecided) return this.#retryIn(hasGraceEnded ? MAX_WAIT_MS : deadlineMs - nowMs);
      } else if (hasGraceEnded || this.#isComplete(atMs)) hasDecided = this.#decide(atMs);
      else return this.#retryIn(deadlineMs - nowMs);
    }
  }

  /** True while trades until `atMs` may be missing. A bar from trades may have ended before `atMs`. */
  #awaitsTrades(atMs: number): boolean {
    return this.#staged.some(({ set, answeredMs }) => isTradeSet(set) && answeredMs < atMs);
  }

  /** Skips the decision at `atMs`, because it is too late. Received bars are delivered with the next instant, without a decision. */
  #skipInstant(atMs: number, untilMs: number): void {
    if (this.#staged.some(({ bars }) => bars.length > 0))
      this.#deps.log('info', `bars from ${formatMinute(atMs)} on are caught up without a decision`);
    this.#endedMs = Math.max(atMs, untilMs);
    this.#isInInstant = false;
  }

  /**
   * Lets the strategies of the first part decide that has all its bars. Ends the instant after its last part. `isLate`: the grace period has
   * ended, so the first part decides without the missing bars. Returns false while it waits for bars.
   */
  #decidePart(atMs: number, isLate: boolean): boolean {
    const closingSets = ({ staged }: InstrumentPart): readonly StagedSet[] => staged.filter((set) => this.#nextCloseOf(set) === atMs);
    const hasBar = (staged: StagedSet): boolean => newestCloseMs(staged.set) >= atMs || isSettledAt(staged, atMs);
    const isUndecided = (part: InstrumentPart): boolean =>
      part.endedMs < atMs && closingSets(part).some(({ set }) => newestCloseMs(set) < atMs);
    const undecidedParts = this.#partsByNeed.filter(isUndecided);
    const completePart = undecidedParts.find((part) => closingSets(part).every(hasBar));
    const nextPart = completePart ?? (isLate ? undecidedParts[0] : undefined);
    if (nextPart !== undefined) {
      const missing = closingSets(nextPart).filter((staged) => !hasBar(staged));
      this.#warnAboutMissing(atMs, missing);
      nextPart.endedMs = atMs;
      this.#isInInstant = true;
      if (nextPart.staged.some((staged) => hasBarAt(staged, atMs))) this.#readAndDeliverPart(atMs, nextPart);
      return true;
    }
    if (undecidedParts.length > 0 || this.#partsBeingRead > 0) return false;
    this.#endedMs = atMs;
    this.#isInInstant = false;
    const { engine, onInstantEnd } = this.#deps;
    // Timers wait for the last bar, and so do callbacks of strategies without a bar at this instant.
    if (engine.timers.nextMs <= atMs || !engine.callbacks.isEmpty) this.#readAndDeliver(atMs, [], null);
    else onInstantEnd(atMs);
    return true;
  }

  /** Ends the instant `atMs` and lets all strategies decide. Returns false without new bars or due timers. */
  #decide(atMs: number): boolean {
    const due = this.#staged.filter((staged) => isTradeSet(staged.set) || this.#nextCloseOf(staged) === atMs);
    const missing = due.filter((staged) => !isSettledAt(staged, atMs));
    this.#warnAboutMissing(atMs, missing);
    this.#endedMs = atMs;
    const hasNewBar = this.#staged.some((staged) => hasBarAt(staged, atMs));
    if (!hasNewBar && this.#deps.engine.timers.nextMs > atMs) return false;
    this.#readAndDeliver(atMs, this.#staged, null);
    return true;
  }

  /** Logs the sets without data for the instant at `atMs`. */
  #warnAboutMissing(atMs: number, missing: readonly StagedSet[]): void {
    const { log, times } = this.#deps;
    for (const { set } of missing) {
      const lateness = `did not come within ${times.graceMs} ms: no decision on`;
      if (isTradeSet(set)) log('warn', `${nameOf(set)}: the trades until ${formatTime(atMs)} ${lateness} their bars`);
      else log('warn', `${nameOf(set)}: the bar that closed at ${formatMinute(atMs)} ${lateness} it`);
    }
  }

  /** Delivers the bars of a part once its orders are known. Other parts do not wait for that. */
  #readAndDeliverPart(atMs: number, { staged, instrument }: InstrumentPart): void {
    this.#partsBeingRead++;
    this.#deps.bookFills(new Set([instrument]), () => {
      if (this.#isRunning) this.#deliver(atMs, staged);
      this.#partsBeingRead--;
      this.#scheduleDelivery();
    });
  }

  /** Delivers the bars of `staged` once the orders of `instruments` are known; null: the orders of all instruments. */
  #readAndDeliver(atMs: number, staged: readonly StagedSet[], instruments: ReadonlySet<number> | null): void {
    this.#isBusy = true;
    let isWithinCall = true;
    this.#deps.bookFills(instruments, () => {
      if (this.#isRunning) this.#deliver(atMs, staged);
      this.#isBusy = false;
      // If `bookFills` has called back within the call, the loop in `#deliverDueInstants` continues.
      if (!isWithinCall) this.#scheduleDelivery();
    });
    isWithinCall = false;
  }

  /** Hands the received bars of `staged` to the engine, which lets strategies decide at `atMs`. */
  #deliver(atMs: number, staged: readonly StagedSet[]): void {
    const { engine, deliver } = this.#deps;
    const facts = this.#takeClosedBars(atMs, staged);
    deliver(atMs, facts, () => appendFacts(engine, facts));
  }

  /** Removes and returns the received bars that have closed by `atMs`. */
  #takeClosedBars(atMs: number, staged: readonly StagedSet[]): readonly BarFact[] {
    const facts: BarFact[] = [];
    for (const { bars, feeds, set } of staged) {
      // An incomplete bar is delivered after its end, so strategies do not decide on it.
      const firstOpen = bars.findIndex(({ closeMs, isIncomplete }) => closeMs > atMs || (closeMs === atMs && isIncomplete === true));
      const closedBars = bars.splice(0, firstOpen < 0 ? bars.length : firstOpen);
      for (const feed of feeds) for (const bar of closedBars) facts.push(barFactOf(feed, set.key.interval, bar));
    }
    return facts;
  }

  /** True when all bars of `atMs` are there. */
  #isComplete(atMs: number): boolean {
    return this.#staged.every((staged) => this.#nextCloseOf(staged) !== atMs || isSettledAt(staged, atMs));
  }

  /** Returns the next time at which a bar closes or a timer is due, ms UTC. */
  #nextInstant(): number {
    const { nextMs } = this.#deps.engine.timers;
    const closes = this.#staged.map((staged) => this.#nextCloseOf(staged));
    return Math.min(nextMs > this.#endedMs ? nextMs : Infinity, smallestOf(closes));
  }

  /** Returns the next instant of a set. Infinity for bars from trades without a further bar yet. */
  #nextCloseOf({ set: { key, trades }, bars }: StagedSet): number {
    if (trades === undefined) return closeOf(key.interval, openOf(key.interval, this.#endedMs));
    return bars.find(({ closeMs, isIncomplete }) => closeMs > this.#endedMs && isIncomplete !== true)?.closeMs ?? Infinity;
  }

  /** The venue's time; with several markets the earliest. */
  #venueMs(): number {
    return smallestOf(this.#deps.sets.map(({ key }) => this.#deps.serverTime(key.market).ms));
  }

  /** Tries to deliver again after `waitMs`. */
  #retryIn(waitMs: number): void {
    this.#cancelTimer();
    const { scheduler } = this.#deps;
    this.#timer = scheduler.at(scheduler.nowMs + Math.ceil(Math.min(waitMs, MAX_WAIT_MS)), () => {
      this.#timer = null;
      this.#deliverDueInstants();
    });
  }

  #cancelTimer(): void {
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

/** True when a set has its bar of `atMs` or a later one, or the exchange has replied without one for a quiet symbol. */
const isSettledAt = (staged: StagedSet, atMs: number): boolean =>
  staged.bars.some(({ closeMs }) => closeMs >= atMs) || (staged.answeredMs >= atMs && (isTradeSet(staged.set) || isQuiet(staged, atMs)));

/** True when a set has a bar of `atMs` on which strategies decide. */
const hasBarAt = ({ bars }: StagedSet, atMs: number): boolean =>
  bars.some(({ closeMs, isIncomplete }) => closeMs === atMs && isIncomplete !== true);

/** True for a symbol that has not traded yet, or has missed its newest bars. Strategies wait for a reply about it, not for a bar. */
function isQuiet({ set, bars }: StagedSet, atMs: number): boolean {
  const { interval } = set.key;
  const lastMs = bars.at(-1)?.closeMs ?? newestCloseMs(set);
  return lastMs === -Infinity || barsBetween(interval, openOf(interval, lastMs), openOf(interval, atMs)) > MAX_MISSED;
}

const nameOf = ({ key }: LiveSet): string => `${key.symbol} ${key.interval}`;
