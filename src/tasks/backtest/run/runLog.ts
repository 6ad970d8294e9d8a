// The log of a run as JSON lines: what strategies said, and what happened to the run.

import { pino } from 'pino';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import type { LogLine } from '../../../ports/log.ts';
import { formatTime } from '../../../model/time.ts';

/** A strategy that logs every bar fills memory and helps nobody; what is over is counted. */
const MAX_LINES = 100_000;

export class RunLog {
  readonly #lines: string[] = [];
  readonly #pino = pino({ base: null, timestamp: false, level: 'trace' }, { write: (line: string) => this.#take(line) });
  #dropped = 0;

  /** For the engine: a strategy's `log(message, fields)` at a simulated time. */
  readonly line: LogLine = (timeMs, strategy, message, fields) => {
    if (this.#lines.length >= MAX_LINES) this.#dropped++;
    else this.#pino.info({ time: formatTime(timeMs), strategy, fields }, message);
  };

  /** Something that happened to the run itself, at the time of the wall clock. */
  event(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#pino.info({ at: formatTime(nowMs()), ...fields }, message);
  }

  /** All lines, oldest first. */
  text(): string {
    if (this.#dropped > 0) this.event(`${this.#dropped} lines of strategies were left out`, { limit: MAX_LINES });
    this.#dropped = 0;
    return this.#lines.join('');
  }

  #take(line: string): void {
    this.#lines.push(line);
  }
}
