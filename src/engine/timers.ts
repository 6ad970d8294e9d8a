// Timers of strategies on the UTC grid: `every` a period, `at` a time of day; due after the bars of their instant are in.

const DAY_MS = 86_400_000;

interface Timer {
  readonly strategy: number;
  readonly periodMs: number;
  readonly offsetMs: number;
  readonly handler: () => void;
  dueMs: number;
}

export class Timers {
  /** The earliest due time; Infinity without timers. */
  nextMs = Infinity;
  readonly #timers: Timer[] = [];
  #isStarted = false;

  /** Fires at each multiple of the period since 1970-01-01T00:00Z. `nowMs`: the instant of the run at which it is asked for. */
  every(strategy: number, periodMs: number, handler: () => void, nowMs: number): void {
    this.#add({ strategy, periodMs, offsetMs: 0, handler, dueMs: Infinity }, nowMs);
  }
  /** Fires daily, `dayMs` after 00:00 UTC. */
  at(strategy: number, dayMs: number, handler: () => void, nowMs: number): void {
    this.#add({ strategy, periodMs: DAY_MS, offsetMs: dayMs, handler, dueMs: Infinity }, nowMs);
  }

  has(strategy: number): boolean {
    return this.#timers.some((timer) => timer.strategy === strategy);
  }

  /** Sets every timer to its first time after `ms`. */
  start(ms: number): void {
    this.#isStarted = true;
    for (const timer of this.#timers) timer.dueMs = nextDue(timer, ms);
    this.#findNext();
  }

  /** Calls `call` for every timer due at or before `ms`, in order of registration. */
  runDue(ms: number, call: (strategy: number, handler: () => void) => void): void {
    for (let at = 0; at < this.#timers.length; at++) {
      const timer = this.#timers[at]!;
      if (timer.dueMs > ms) continue;
      timer.dueMs = nextDue(timer, ms);
      call(timer.strategy, timer.handler);
    }
    this.#findNext();
  }

  #add(timer: Timer, nowMs: number): void {
    if (this.#isStarted) timer.dueMs = nextDue(timer, nowMs);
    this.#timers.push(timer);
    this.#findNext();
  }
  #findNext(): void {
    this.nextMs = this.#timers.reduce((least, timer) => Math.min(least, timer.dueMs), Infinity);
  }
}

/** The first time on the timer's grid after `ms`. */
function nextDue({ periodMs, offsetMs }: Timer, ms: number): number {
  return Math.floor((ms - offsetMs) / periodMs + 1) * periodMs + offsetMs;
}
