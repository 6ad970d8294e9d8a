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
  readonly place: number;
  readonly isAgain: boolean;
  readonly sequence: number;
  readonly begin: () => void;
}

/** The waiting kline calls of one market. It limits how many are under way. */
export class KlineQueue {
  readonly #scheduler: Scheduler;
  readonly #maxCalls: number;
  readonly #waiting: QueuedKlines[] = [];
  #sequence = 0;
  #underWay = 0;
  #members = 0;
  #timer: number | null = null;

  constructor(scheduler: Scheduler, { maxCalls }: KlineQueueOptions) {
    this.#scheduler = scheduler;
    this.#maxCalls = Math.max(1, Math.min(MAX_CALLS, Math.floor(maxCalls)));
  }

  /** Returns `ask` in this queue. Calls with a lower `place` go first; a repeated call goes after all first ones. */
  askInOrder(place: number, ask: AskKlines): AskKlines {
    this.#members++;
    return (rows, done, isAgain = false) => {
      let cancel: (() => void) | null = null;
      let isOver = false;
      const leave = (): void => {
        if (isOver) return;
        isOver = true;
        this.#underWay--;
        this.#fill();
      };
      const call: QueuedKlines = {
        place,
        isAgain,
        sequence: ++this.#sequence,
        begin: () => {
          this.#underWay++;
          cancel = ask(
            rows,
            (outcome) => {
              leave();
              done(outcome);
            },
            isAgain,
          );
        },
      };
      this.#waiting.push(call);
      this.#scheduleRun();
      return () => {
        const index = this.#waiting.indexOf(call);
        if (index >= 0) this.#waiting.splice(index, 1);
        else if (cancel !== null) {
          leave();
          cancel();
        }
      };
    };
  }

  /** Starts the next calls soon. The calls of a single feed start at once. */
  #scheduleRun(): void {
    if (this.#members === 1) return this.#fill();
    this.#timer ??= this.#scheduler.at(this.#scheduler.nowMs + GATHER_MS, () => {
      this.#timer = null;
      this.#fill();
    });
  }

  /** Starts waiting calls while fewer than `#maxCalls` are under way. */
  #fill(): void {
    if (this.#timer !== null) return;
    while (this.#underWay < this.#maxCalls && this.#waiting.length > 0) {
      const firstCall = this.#waiting.reduce((best, call) => (isBefore(call, best) ? call : best));
      this.#waiting.splice(this.#waiting.indexOf(firstCall), 1);
      firstCall.begin();
    }
  }
}

function isBefore(a: QueuedKlines, b: QueuedKlines): boolean {
  if (a.isAgain !== b.isAgain) return b.isAgain;
  return a.place === b.place ? a.sequence < b.sequence : a.place < b.place;
}
