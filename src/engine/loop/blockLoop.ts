// The loop that drives every run, block by block: it fills indicators and visits each instant at which something can happen.
//
// Each strategy class imports its own copy of this module, under its own query. Only this module calls `fill`, handlers and `onBar`.
// hot: docs/performance.md#one-loop-a-class

import type { BarMarket } from '../../ports/exchange.ts';
import type { Engine } from '../engine.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { NO_ROW, type SignalWatch } from '../feeds/signalQueue.ts';
import type { StrategyRun } from '../host/strategyRun.ts';
import { stopStrategies } from './stopStrategies.ts';
import { matchDue, refreshAllWorking } from './workingFeeds.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

export type BlockLoop = (engine: Engine) => void;
export type LaneLoop = (engines: readonly Engine[]) => void;

/** Runs the engine to the end of its rows. Throws what a strategy throws, with its name and bar. */
export function blockLoop(engine: Engine): void {
  try {
    while (engine.openBlock()) {
      fillIndicators(engine);
      listSignals(engine);
      visitBlock(engine);
      engine.closeBlock();
    }
    stopStrategies(engine);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Runs engines that share their feeds, one for each parameter set, block by block. Each gives the same result as it does alone. */
export function laneLoop(engines: readonly Engine[]): void {
  const [sharing] = engines;
  if (sharing === undefined) return;
  let current = sharing;
  const startRows = sharing.feeds.map((feed) => feed.nextRow);
  try {
    while (sharing.openBlock(engines)) {
      for (let index = 0; index < startRows.length; index++) startRows[index] = sharing.feeds[index]!.nextRow;
      fillIndicators(sharing);
      for (const engine of engines) {
        current = engine;
        engine.joinBlock(sharing, startRows);
        listSignals(engine);
        visitBlock(engine);
        engine.closeBlock();
      }
    }
    for (const engine of engines) stopStrategies((current = engine));
  } catch (error) {
    throw current.attributeError(error);
  }
}

/** Computes the values of every indicator for the rows of the open block. */
export function fillIndicators(engine: Engine): void {
  for (const feed of engine.feeds) {
    if (feed.blockEnd === feed.nextRow) continue;
    const { kernels } = feed.indicators;
    for (let index = 0; index < kernels.length; index++) kernels[index]!.fill(feed.nextRow, feed.blockEnd);
  }
  for (const { feed, kernels } of engine.links)
    if (feed.blockEnd > feed.nextRow) for (const kernel of kernels) kernel.fill(feed.nextRow, feed.blockEnd);
}

/** Lists the rows of the open block at which each watched signal is true, from the bar at which its strategy is ready. */
export function listSignals(engine: Engine): void {
  for (const run of engine.runs) {
    for (const watch of run.watches) {
      const { feed } = watch;
      watch.count = feed.indicators.listRows(watch.signal, feed.nextRow, feed.blockEnd, watch.rows);
      setListedRow(watch, 0);
      // Handlers are not called until every series of the strategy is ready.
      const { closeMs } = feed.bars;
      while (watch.row < NO_ROW && closeMs[watch.row - feed.cursor.base]! < run.readyMs) setListedRow(watch, watch.rowIndex + 1);
    }
    run.signals.fill(run.watches);
  }
}

/** Makes the listed row `index` the next one. */
function setListedRow(watch: SignalWatch, index: number): void {
  watch.rowIndex = index;
  watch.row = index < watch.count ? watch.rows[index]! : NO_ROW;
}

/** Visits the instants of the open block in order of time. Fills, timers and callbacks happen here. */
export function visitBlock(engine: Engine): void {
  const { hasOneFeedAndStrategy } = engine;
  // Events between blocks may have added work that the row-by-row visits do not look for.
  engine.hasPendingWork = true;
  for (;;) {
    if (hasOneFeedAndStrategy === true) {
      visitPlainRows(engine, engine.execution[0]!, engine.runs[0]!);
      engine.hasPendingWork = true;
    }
    const instantMs = nextInstant(engine);
    if (instantMs > engine.blockEndMs) return;
    visitInstant(engine, instantMs);
  }
}

/** Visits the rows of the only execution feed, up to the next instant at which anything else is due. */
function visitPlainRows(engine: Engine, feed: FeedRun, run: StrategyRun): void {
  let limitMs = Math.min(engine.queue.nextMs, engine.timers.nextMs);
  for (const otherFeed of engine.feeds) if (otherFeed !== feed) limitMs = Math.min(limitMs, otherFeed.nextCloseMs);
  const { closeMs } = feed.bars;
  const end = feed.firstAfter(limitMs - 1); // after the rows that close before the limit: times are whole ms
  // Until the strategy has started it gets no callback, and no order can be working.
  let row = feed.nextRow;
  if (!run.hasStarted) {
    while (row < end && closeMs[row - feed.cursor.base]! < run.readyMs) row++;
    feed.cursor.row = row - 1;
    feed.nextRow = row;
    if (row === end) return;
    engine.instant.set(feed.closeOf(row));
    feed.cursor.row = row;
    startStrategy(engine, run);
    // The row must still be matched and delivered. An order sent by `onStart` may be due before the limit found above.
    feed.cursor.row = row - 1;
    return visitPlainRows(engine, feed, run);
  }
  if (run.hasOnBar && run.listened.includes(feed)) visitEachRow(engine, feed, run, row, end);
  else visitListedRows(engine, feed, run, row, end);
}

function visitEachRow(engine: Engine, feed: FeedRun, run: StrategyRun, from: number, end: number): void {
  const { instant, market } = engine;
  const { instrumentIndex } = feed;
  // Only a row or a call of the strategy can change this, so it is not checked in between.
  let isWorking = market !== null && market.workingOrders(instrumentIndex) > 0;
  const lastMs = end > from ? feed.closeOf(end - 1) : -INFINITY;
  instant.follow(feed);
  let row = from;
  /** Rows before this one need no match. */
  let quietTo = from;
  while (row < end) {
    let to = end;
    // hot: docs/performance.md#strict-true
    if (isWorking === true) {
      to = quietTo;
      if (quietTo <= row) {
        isWorking = matchRow(engine, market!, feed, row);
        to = isWorking === true ? row + 1 : end;
      }
    }
    row = decideRows(engine, feed, run, row, to);
    if (engine.hasPendingWork === false) {
      // Only after a row on which the strategy has not acted: one that acts at every bar would look ahead in vain.
      if (isWorking === true && row < end) quietTo = passRows(market!, instrumentIndex, row, end);
      continue;
    }
    quietTo = row;
    if (isInterrupted(engine, feed, row, lastMs)) return visitPlainRows(engine, feed, run);
    isWorking = market !== null && market.workingOrders(instrumentIndex) > 0;
  }
  feed.nextRow = end;
  if (end > from) instant.set(lastMs);
}

/** Delivers rows until the strategy submits or cancels an order. Returns the row after it, or `to`. hot: docs/performance.md#own-loop */
function decideRows(engine: Engine, feed: FeedRun, run: StrategyRun, from: number, to: number): number {
  const { cursor } = feed;
  const { watches } = run;
  const handlerCount = watches.length;
  const instance = run.instance!;
  for (let row = from; row < to; row++) {
    cursor.row = row;
    for (let index = 0; index < handlerCount; index++) {
      const watch = watches[index]!;
      if (watch.row !== row || watch.feed !== feed) continue;
      setListedRow(watch, watch.rowIndex + 1);
      // Called without an object, because `this` of a handler must not be the watch.
      const { handler } = watch;
      const returned: unknown = handler();
      if (returned !== undefined) engine.rejectReturn(run, returned);
    }
    const returned: unknown = instance.onBar!();
    if (returned !== undefined) engine.rejectReturn(run, returned);
    if (engine.hasPendingWork === true) return row + 1;
  }
  return to;
}

/**
 * Called when the strategy has submitted or cancelled an order before `row`. True when an event may now be due before `lastMs`, the close
 * of the last row to visit.
 */
function isInterrupted(engine: Engine, feed: FeedRun, row: number, lastMs: number): boolean {
  engine.hasPendingWork = false;
  if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
  if (engine.queue.nextMs > lastMs && engine.timers.nextMs > lastMs) return false;
  feed.nextRow = row;
  engine.instant.set(feed.closeOf(row - 1));
  return true;
}

/** Returns the first row of [from, to) that must be matched; `from` if the market passes over none. */
const passRows = (market: BarMarket, instrumentIndex: number, from: number, to: number): number =>
  market.passRows === undefined ? from : market.passRows(instrumentIndex, from, to);

/** Visits rows of a strategy without `onBar`: only those with a listed signal, and those to match. */
function visitListedRows(engine: Engine, feed: FeedRun, run: StrategyRun, from: number, end: number): void {
  const { instant, market } = engine;
  const { cursor, instrumentIndex } = feed;
  const { watches } = run;
  const handlerCount = watches.length;
  let row = from;
  let isWorking = market !== null && market.workingOrders(instrumentIndex) > 0;
  const lastMs = end > from ? feed.closeOf(end - 1) : -INFINITY;
  instant.follow(feed);
  for (;;) {
    // Without a row to match, the next one is that of a signal. A row that must be matched is visited too.
    const rowToMatch = isWorking === true ? passRows(market!, instrumentIndex, row, end) : end;
    if (rowToMatch > row) {
      let nextRow = rowToMatch;
      for (let index = 0; index < handlerCount; index++) {
        const watch = watches[index]!;
        if (watch.row < nextRow && watch.feed === feed) nextRow = watch.row;
      }
      row = nextRow;
    }
    if (row >= end) break;
    if (row === rowToMatch) {
      cursor.row = row - 1;
      isWorking = matchRow(engine, market!, feed, row);
    }
    cursor.row = row;
    for (let index = 0; index < handlerCount; index++) {
      const watch = watches[index]!;
      if (watch.row !== row || watch.feed !== feed) continue;
      setListedRow(watch, watch.rowIndex + 1);
      const { handler } = watch;
      const returned: unknown = handler();
      if (returned !== undefined) engine.rejectReturn(run, returned);
    }
    row++;
    if (engine.hasPendingWork === false) continue;
    if (isInterrupted(engine, feed, row, lastMs)) return visitPlainRows(engine, feed, run);
    isWorking = market !== null && market.workingOrders(instrumentIndex) > 0;
  }
  cursor.row = end - 1;
  feed.nextRow = end;
  if (end > from) instant.set(lastMs);
}

/**
 * Matches the row after the cursor in a run with one feed, which the instant follows, and reports the fills. True when an order is still
 * working afterwards. The caller delivers the row.
 */
function matchRow(engine: Engine, market: BarMarket, feed: FeedRun, row: number): boolean {
  const { instant } = engine;
  const { instrumentIndex } = feed;
  // The row is not delivered yet while it is matched, but its close is the time.
  instant.rowsAhead = 1;
  market.matchRow(instrumentIndex, row);
  market.settleMarks();
  instant.rowsAhead = 0;
  if (!engine.callbacks.isEmpty) {
    feed.cursor.row = row;
    engine.deliverCallbacks();
  }
  return market.workingOrders(instrumentIndex) > 0;
}

/** Returns the next time at which something can happen; Infinity when nothing is left. */
function nextInstant(engine: Engine): number {
  const { alignedFeeds, hasOneFeedAndStrategy, runs } = engine;
  refreshAllWorking(engine);
  let instantMs = engine.isPartial === true ? engine.queue.nextMs : Math.min(engine.queue.nextMs, engine.timers.nextMs);
  for (let index = 0; index < alignedFeeds.length; index++) {
    const aligned = alignedFeeds[index]!;
    if (aligned.hasOnBar === true || aligned.isWorking === true) instantMs = Math.min(instantMs, aligned.nextCloseMs);
  }
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index]!;
    if (run.hasStarted === false) instantMs = Math.min(instantMs, engine.decidesPerFeed === true ? startMsOf(run) : run.readyMs);
    if (hasOneFeedAndStrategy === false) instantMs = Math.min(instantMs, run.signals.nextMs);
    else for (const watch of run.watches) if (watch.row < NO_ROW) instantMs = Math.min(instantMs, watch.feed.closeOf(watch.row));
  }
  return instantMs;
}

/** Returns when a strategy may start with `decide: perFeed`: at a bar of its feed. */
const startMsOf = ({ readyMs, listened }: StrategyRun): number => Math.max(readyMs, listened[0]!.nextCloseMs);

/** Visits one instant, in the order that docs/maintainers/event-order.md states. */
function visitInstant(engine: Engine, instantMs: number): void {
  const { alignedFeeds, market, queue } = engine;
  // Nothing was due at the rows that closed earlier. Deliver them, because marks are read as of this instant.
  for (let index = 0; index < alignedFeeds.length; index++) {
    const aligned = alignedFeeds[index]!;
    if (aligned.nextCloseMs < instantMs) aligned.deliverThrough(instantMs - 1);
    aligned.isDue = aligned.nextCloseMs === instantMs;
  }
  engine.instant.set(instantMs);
  if (queue.nextMs <= instantMs) engine.hasPendingWork = true;
  queue.runDue(instantMs);
  refreshAllWorking(engine);
  for (let index = 0; index < alignedFeeds.length; index++) {
    const { isDue, isWorking } = alignedFeeds[index]!;
    if (isDue === true && isWorking === true) {
      matchDue(engine, market!);
      break;
    }
  }
  market?.settleMarks();
  engine.decided = 0;
  if (engine.decidesPerFeed === true) {
    engine.parts.begin();
    return decideByPart(engine, instantMs);
  }
  for (let index = 0; index < alignedFeeds.length; index++) {
    const aligned = alignedFeeds[index]!;
    if (aligned.isDue === true) aligned.deliver(1);
  }
  callStrategies(engine, instantMs);
}

/**
 * Visits one instrument after the other, in the order in which strategies need them: its bars are delivered, then its strategies decide.
 * Due timers run last, unless more bars of the instant may come. After a strategy has thrown, a second call continues.
 */
function decideByPart(engine: Engine, instantMs: number): void {
  const { runs, parts } = engine;
  const instruments = parts.orderAt?.(instantMs) ?? parts.byNeed;
  for (; parts.place < instruments.length; parts.place++) {
    const instrumentIndex = instruments[parts.place]!;
    if (!parts.deliver(engine, instrumentIndex)) continue;
    const isIncluded = ({ listened }: StrategyRun): boolean => listened[0]!.instrumentIndex === instrumentIndex;
    for (const run of runs) if (run.hasStarted === false && isIncluded(run) && instantMs >= run.readyMs) startStrategy(engine, run);
    if (!engine.callbacks.isEmpty) engine.deliverCallbacks(isIncluded);
    while (engine.decided < runs.length) {
      const run = runs[engine.decided++]!;
      if (isIncluded(run)) decide(engine, run, instantMs);
    }
    if (!engine.callbacks.isEmpty) engine.deliverCallbacks(isIncluded);
    if (engine.risk.watchesEquity) engine.recorder.show(engine.risk);
    parts.isDelivered = false;
  }
  if (engine.isPartial) return;
  if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
  if (engine.timers.nextMs <= instantMs) engine.runTimers(instantMs);
}

/** Calls the strategies at an instant. After one of them has thrown, a second call continues with the calls that remain. */
export function callStrategies(engine: Engine, instantMs: number): void {
  if (engine.decidesPerFeed === true) return decideByPart(engine, instantMs);
  const { runs } = engine;
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index]!;
    if (run.hasStarted === false && instantMs >= run.readyMs) startStrategy(engine, run);
  }
  if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
  if (engine.timers.nextMs <= instantMs) engine.runTimers(instantMs);
  while (engine.decided < runs.length) decide(engine, runs[engine.decided++]!, instantMs);
  if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
}

function decide(engine: Engine, run: StrategyRun, instantMs: number): void {
  engine.currentStrategy = run.index;
  if (engine.hasOneFeedAndStrategy === false) callQueued(engine, run, instantMs);
  else {
    // The row-by-row visits do not move the queue, so read each watch itself.
    for (const watch of run.watches) {
      if (watch.row === NO_ROW || watch.feed.bars.closeMs[watch.row - watch.feed.cursor.base] !== instantMs) continue;
      setListedRow(watch, watch.rowIndex + 1);
      callHandler(engine, run, watch);
    }
  }
  if (!run.hasOnBar || !run.hasStarted || !run.hasFresh) return;
  const returned: unknown = run.instance!.onBar!();
  if (returned !== undefined) engine.rejectReturn(run, returned);
}

/** Calls the handlers that are due at the instant, in the order in which the strategy registered them. */
function callQueued(engine: Engine, run: StrategyRun, instantMs: number): void {
  const { signals } = run;
  while (signals.nextMs === instantMs) {
    const watch = signals.first;
    setListedRow(watch, watch.rowIndex + 1);
    signals.requeueFirst();
    callHandler(engine, run, watch);
  }
}

function callHandler(engine: Engine, run: StrategyRun, { handler }: SignalWatch): void {
  const returned: unknown = run.hasStarted ? handler() : undefined;
  if (returned !== undefined) engine.rejectReturn(run, returned);
}

function startStrategy(engine: Engine, run: StrategyRun): void {
  run.hasStarted = true;
  engine.currentStrategy = run.index;
  run.instance!.onStart?.();
}
