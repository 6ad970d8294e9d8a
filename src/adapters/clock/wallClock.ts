// The wall clock, the monotonic clock and timers: the only file of the program that touches them.

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
