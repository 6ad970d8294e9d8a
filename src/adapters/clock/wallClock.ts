// The wall clock, the monotonic clock and timers. No other file of the program uses them.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** The clocks as they were before strategy code was loaded; null: this thread does not run a strategy alone. */
let heldClocks: { readonly wallMs: () => number; readonly monotonicMs: () => number } | null = null;

/** Remembers the present clocks. From now on this thread reads them, also if strategy code replaces `Date.now` or `performance.now`. */
export function holdClocks(): void {
  heldClocks ??= { wallMs: Date.now, monotonicMs: performance.now.bind(performance) };
}

/** Returns the Unix time in ms, UTC. */
export function nowMs(): number {
  return heldClocks === null ? Date.now() : heldClocks.wallMs();
}

/** Returns the ms since a fixed start of this thread. Never runs back; for durations only. */
export function monotonicMs(): number {
  return heldClocks === null ? performance.now() : heldClocks.monotonicMs();
}

/** Returns the Unix time in ms at which this process started, the same in all of its threads. */
export function processStartMs(): number {
  return Date.now() - process.uptime() * 1000;
}

/** Calls `run` every `periodMs` until the returned function is called. */
export function repeatEvery(periodMs: number, run: () => void): () => void {
  const timer = setInterval(run, periodMs);
  return () => clearInterval(timer);
}

/** Calls `run` once after `ms`, unless the returned function is called before. */
export function runAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Calls `run` after the current turn of the event loop. */
export function runSoon(run: () => void): void {
  setImmediate(run);
}

/** Resolves after a turn of the event loop, so that other callbacks have run and weakly held objects can be freed. */
export function waitForNextTurn(): Promise<void> {
  return nextTurn();
}
