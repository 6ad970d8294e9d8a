// The steps of a live bot: one instant as a block of its own, the exchange's reports between instants, and the end.

import { callStrategies, listSignals, visitBlock } from './blockLoop.ts';
import type { Engine } from '../engine.ts';
import { readyMs } from './setUp.ts';
import type { StrategyRun } from '../host/strategyRun.ts';
import { stopStrategies } from './stopStrategies.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Value of an engine's `decided` before its strategies are called at an instant. */
const NOT_VISITED = -1;

/**
 * Delivers the rows that have closed by `instantMs`, ms UTC. Strategies decide on the rows that close at
 * `instantMs`, as in a backtest. Rows that closed earlier are delivered without a call. If no row closes at `instantMs`, only timers are due.
 *
 * With `decide: perFeed` there may be several calls for one instant. Each delivers the rows of some instruments, and the last one, without
 * rows, runs the timers. Throws what a strategy throws, with its name and bar.
 */
export function deliverInstant(engine: Engine, instantMs: number): void {
  try {
    engine.decided = NOT_VISITED;
    deliverWithoutCalls(engine, instantMs);
    enterInstant(engine, instantMs);
    continueInstant(engine, instantMs);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Continues the instant `instantMs` after a strategy has thrown: the others decide as if it had not. */
export function finishInstant(engine: Engine, instantMs: number): void {
  try {
    continueInstant(engine, instantMs);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Begins the instant at `instantMs`, or continues it after a strategy has failed in it. */
function continueInstant(engine: Engine, instantMs: number): void {
  engine.faults.raise(engine);
  if (engine.decided !== NOT_VISITED) return runStep(engine, () => callStrategies(engine, instantMs));
  engine.isPartial = engine.decidesPerFeed && engine.feeds.some((feed) => feed.nextRow < feed.blockEnd);
  // The rows that a strategy waits for may have arrived. A strategy that is ready late starts now.
  for (const run of engine.runs) if (!run.hasStarted) awaitRows(engine, run, instantMs);
  listSignals(engine);
  runStep(engine, () => visitBlock(engine));
}

/** Runs a step and the actions of new halts, and ends the block. */
function runStep(engine: Engine, step: () => void): void {
  if (engine.defersCallbacks) runStepAndDeliver(engine, step);
  else step();
  engine.haltActions?.act();
  engine.closeBlock();
}

/** Delivers the deferred callbacks after the rows of this instant are delivered and before any strategy decides. */
function runStepAndDeliver(engine: Engine, step: () => void): void {
  const { hasOneFeedAndStrategy } = engine;
  engine.defersCallbacks = engine.hasOneFeedAndStrategy = false;
  try {
    step();
    if (!engine.callbacks.isEmpty && !engine.isPartial) engine.deliverCallbacks();
  } finally {
    engine.defersCallbacks = true;
    engine.hasOneFeedAndStrategy = hasOneFeedAndStrategy;
  }
}

/** Applies reports of the exchange at the time `nowMs`, after everything that is due by then, and then calls the strategies. */
export function applyInbox(engine: Engine, nowMs: number, apply: () => void): void {
  try {
    engine.instant.set(nowMs);
    engine.queue.runDue(nowMs);
    apply();
    engine.haltActions?.act();
    if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/**
 * Runs what is due by `nowMs`, the time at which an instant is delivered, before that instant. The instant has the time of its bars' close,
 * which is earlier. What is due between the two would run before it or after it, depending on a timer; a replay has no timers.
 */
export function runDueBefore(engine: Engine, nowMs: number): void {
  if (engine.queue.nextMs <= nowMs) applyInbox(engine, nowMs, () => {});
}

/**
 * Resumes at `nowMs` after the bot was down until `untilMs`. Rows that closed by then are delivered to indicators and marks. Strategies get
 * the events that happened meanwhile. Timers make up for missed calls as their option `missed` says.
 */
export function catchUp(engine: Engine, untilMs: number, nowMs: number): void {
  try {
    engine.instant.set(nowMs);
    engine.queue.runDue(nowMs);
    deliverWithoutCalls(engine, untilMs + 1);
    engine.instant.set(nowMs);
    engine.haltActions?.act();
    engine.faults.raise(engine);
    notifyMissedTimers(engine, untilMs);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Continues `catchUp` after a strategy has thrown: the others get the remaining calls. */
export function finishCatchUp(engine: Engine, untilMs: number): void {
  try {
    engine.faults.raise(engine);
    notifyMissedTimers(engine, untilMs);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Delivers all callbacks, runs the timers that came due up to `untilMs`, and delivers what they caused. */
function notifyMissedTimers(engine: Engine, untilMs: number): void {
  engine.deliverCallbacks();
  engine.deliverHeld();
  engine.timers.runMissed(untilMs, engine.callTimer);
  engine.deliverCallbacks();
}

/** Delivers the remaining callbacks to the other strategies after one has thrown. The failed one gets no more calls. */
export function notifyOthers(engine: Engine): void {
  engine.callbacks.resume();
  if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
}

/** Calls `onStop` of the strategies. After one of them has thrown, a second call continues with the next strategy. */
export function stopLive(engine: Engine): void {
  try {
    stopStrategies(engine);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Finds when a strategy that waits for rows is ready: not before `instantMs`. */
function awaitRows(engine: Engine, run: StrategyRun, instantMs: number): void {
  if (run.awaitsRows) run.readyMs = readyMs(engine, run);
  run.awaitsRows &&= run.readyMs === INFINITY;
  run.readyMs = Math.max(instantMs, run.readyMs);
}

/** Delivers rows that close before `instantMs` to indicators and marks only, one instant after the other. */
function deliverWithoutCalls(engine: Engine, instantMs: number): void {
  for (;;) {
    let nextMs = INFINITY;
    for (const feed of engine.feeds) nextMs = Math.min(nextMs, feed.nextRowCloseMs);
    if (nextMs >= instantMs) return;
    engine.enterBlock(1, nextMs);
    engine.faults.fill(engine.feeds, engine.links);
    engine.closeBlock();
  }
}

/** Enters the block of the rows that close at `instantMs`, and fills their indicators. */
function enterInstant(engine: Engine, instantMs: number): void {
  engine.enterBlock(1, instantMs);
  engine.market?.blockOpened();
  engine.faults.fill(engine.feeds, engine.links);
}
