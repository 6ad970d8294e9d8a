// The wall clock, the monotonic clock and timers: the only file of the program that touches them.

import { setImmediate as turned } from 'node:timers/promises';

/** Unix time in ms, UTC. */
export function nowMs(): number {
  return Date.now();
}

/** Ms since some fixed moment of this thread; never goes back. For durations only. */
export function monotonicMs(): number {
  return performance.now();
}

/** Unix time in ms at which this process started; the same from every thread of it. */
export function processStartMs(): number {
  return Date.now() - process.uptime() * 1000;
}

/** Calls `run` every `periodMs` until the returned function is called. */
export function repeat(periodMs: number, run: () => void): () => void {
  const timer = setInterval(run, periodMs);
  return () => clearInterval(timer);
}

/** Calls `run` once after `ms`, unless the returned function is called before. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Calls `run` once the event loop has turned. */
export function soon(run: () => void): void {
  setImmediate(run);
}

/** Resolves once the event loop has turned: what else waits has had its chance, and what only weak references held can be freed. */
export function nextTurn(): Promise<void> {
  return turned();
}
