// The steps of a live bot: one instant as a block of its own, what the exchange tells in between, and the end.

import { callStrategies, listSignals, stop, visitBlock } from './blockLoop.ts';
import type { Engine } from '../engine.ts';
import { readyMs } from './setUp.ts';
import type { StrategyRun } from '../host/strategyRun.ts';

/**
 * Delivers the rows that have closed by `t`, ms UTC, and lets the strategies decide on those that close at it: the same visit as in a
 * backtest. Rows that closed earlier go by without a call of a strategy. Without a row it is the instant of a timer. Throws what a
 * strategy throws, with its name and bar.
 */
export function deliverInstant(engine: Engine, t: number): void {
  try {
    engine.decided = NOT_VISITED;
    passOver(engine, t);
    enter(engine, t);
    goOn(engine, t);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Continues the instant `t` after a strategy has thrown: the others decide as if it had not. */
export function finishInstant(engine: Engine, t: number): void {
  try {
    goOn(engine, t);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** `decided` of an engine, before its strategies have their turns at an instant. */
const NOT_VISITED = -1;

function goOn(engine: Engine, t: number): void {
  engine.faults.raise(engine);
  if (engine.decided !== NOT_VISITED) return visit(engine, () => callStrategies(engine, t));
  // The rows that a strategy waits for may have come: a late one starts now, not in the past.
  for (const run of engine.runs) if (!run.started) awaitRows(engine, run, t);
  listSignals(engine);
  visit(engine, () => visitBlock(engine));
}

function visit(engine: Engine, act: () => void): void {
  if (engine.defersCallbacks) telling(engine, act);
  else act();
  engine.haltActions?.act();
  engine.closeBlock();
}

/** What was kept for this instant is told once its rows are delivered, before anyone decides. */
function telling(engine: Engine, act: () => void): void {
  const { hasOneFeedAndStrategy } = engine;
  engine.defersCallbacks = engine.hasOneFeedAndStrategy = false;
  try {
    act();
    if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
  } finally {
    engine.defersCallbacks = true;
    engine.hasOneFeedAndStrategy = hasOneFeedAndStrategy;
  }
}

/** Applies what the exchange has told, at the time `nowMs`, after all that is due by then; then tells the strategies. */
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
 * The bot was down until `untilMs`, and goes on at `nowMs`: rows that closed by then are delivered to indicators and marks, strategies hear
 * what happened meanwhile, and timers make up for what they missed as they were asked to.
 */
export function catchUp(engine: Engine, untilMs: number, nowMs: number): void {
  try {
    engine.instant.set(nowMs);
    engine.queue.runDue(nowMs);
    passOver(engine, untilMs + 1);
    engine.instant.set(nowMs);
    engine.haltActions?.act();
    engine.faults.raise(engine);
    notifyMissedTimers(engine, untilMs);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Continues `catchUp` after a strategy has thrown: the others get the calls that remain. */
export function finishCatchUp(engine: Engine, untilMs: number): void {
  try {
    engine.faults.raise(engine);
    notifyMissedTimers(engine, untilMs);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

function notifyMissedTimers(engine: Engine, untilMs: number): void {
  engine.deliverCallbacks();
  engine.deliverHeld();
  engine.timers.runMissed(untilMs, engine.callTimer);
  engine.deliverCallbacks();
}

/** A strategy has thrown, and gets no more calls: the others hear what they were to hear after it. */
export function notifyOthers(engine: Engine): void {
  engine.callbacks.resume();
  if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
}

/** Calls `onStop` of the strategies. After one of them has thrown, a second call continues with the next strategy. */
export function stopLive(engine: Engine): void {
  try {
    stop(engine);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

function awaitRows(engine: Engine, run: StrategyRun, t: number): void {
  if (run.awaitsRows) run.readyMs = readyMs(engine, run);
  run.awaitsRows &&= run.readyMs === Infinity;
  run.readyMs = Math.max(t, run.readyMs);
}

/** Rows that close before `t` are delivered to indicators and marks alone, one instant after the other. */
function passOver(engine: Engine, t: number): void {
  for (;;) {
    let nextMs = Infinity;
    for (const feed of engine.feeds) nextMs = Math.min(nextMs, feed.nextRowCloseMs);
    if (nextMs >= t) return;
    engine.enterBlock(1, nextMs);
    engine.faults.fill(engine.feeds);
    engine.closeBlock();
  }
}

function enter(engine: Engine, t: number): void {
  engine.enterBlock(1, t);
  engine.exchange.blockOpened();
  engine.faults.fill(engine.feeds);
}
