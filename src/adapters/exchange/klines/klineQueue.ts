// Sends the kline calls of one market in sequence: bars that strategies need first come first, and repeated calls come last.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { AskKlines } from './barPoller.ts';

/** Bounds of the queue. */
export interface KlineQueueOptions {
  /** Maximum number of calls under way, at least 1: as many as the rate limit allows in a window. */
  readonly maxCalls: number;
}

/** Calls are collected for this long, ms: the timers of feeds that close together do not expire within the same ms. */
const GATHER_MS = 5;
/** Maximum number of calls under way. More calls would wait in the rate limiter, whose queue ignores their places. */
export const MAX_CALLS = 64;

/** A waiting call, and what decides its turn. */
interface QueuedKlines {
  readonly rank: number;
  readonly isRepeat: boolean;
  readonly sequence: number;
  readonly begin: () => void;
}

/** The waiting kline calls of one market. It limits how many are under way. */
export class KlineQueue {
  readonly #scheduler: Scheduler;
  readonly #maxCalls: number;
  readonly #waiting: QueuedKlines[] = [];
  #sequence = 0;
  #callsUnderWay = 0;
  #feedCount = 0;
  #timer: number | null = null;

  constructor(scheduler: Scheduler, { maxCalls }: KlineQueueOptions) {
    this.#scheduler = scheduler;
    this.#maxCalls = Math.max(1, Math.min(MAX_CALLS, Math.floor(maxCalls)));
  }

  /** Returns `ask` in this queue. Calls with a lower `rank` go first; a repeated call goes after all first ones. */
  askInOrder(rank: number, ask: AskKlines): AskKlines {
    this.#feedCount++;
    return (rows, done, isRepeat = false) => {
      let cancel: (() => void) | null = null;
      let isOver = false;
      const onEnd = (): void => {
        if (isOver) return;
        isOver = true;
        this.#callsUnderWay--;
        this.#startWaiting();
      };
      const call: QueuedKlines = {
        rank,
        isRepeat,
        sequence: ++this.#sequence,
        begin: () => {
          this.#callsUnderWay++;
          cancel = ask(
            rows,
            (outcome) => {
              onEnd();
              done(outcome);
            },
            isRepeat,
          );
        },
      };
      this.#waiting.push(call);
      this.#scheduleStart();
      return () => {
        const index = this.#waiting.indexOf(call);
        if (index >= 0) this.#waiting.splice(index, 1);
        else if (cancel !== null) {
          onEnd();
          cancel();
        }
      };
    };
  }

  /** Starts the next calls soon. The calls of a single feed start at once. */
  #scheduleStart(): void {
    if (this.#feedCount === 1) return this.#startWaiting();
    this.#timer ??= this.#scheduler.at(this.#scheduler.nowMs + GATHER_MS, () => {
      this.#timer = null;
      this.#startWaiting();
    });
  }

  /** Starts waiting calls while fewer than `#maxCalls` are under way. */
  #startWaiting(): void {
    if (this.#timer !== null) return;
    while (this.#callsUnderWay < this.#maxCalls && this.#waiting.length > 0) {
      const firstCall = this.#waiting.reduce((best, call) => (isBefore(call, best) ? call : best));
      this.#waiting.splice(this.#waiting.indexOf(firstCall), 1);
      firstCall.begin();
    }
  }
}

function isBefore(a: QueuedKlines, b: QueuedKlines): boolean {
  if (a.isRepeat !== b.isRepeat) return b.isRepeat;
  return a.rank === b.rank ? a.sequence < b.sequence : a.rank < b.rank;
}
