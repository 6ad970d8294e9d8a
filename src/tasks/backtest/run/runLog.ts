// The log of a run as JSON lines: messages of strategies, and events of the run.

import { pino } from 'pino';
import type { LogLine } from '../../../ports/log.ts';
import { formatTime } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

/** Most lines of strategies. Logging every bar would fill memory, so further lines are only counted. */
const MAX_LINES = 100_000;

/** The log of a run, with the times of the run. */
export class RunLog {
  readonly #lines: string[] = [];
  readonly #pino = pino({ base: null, timestamp: false, level: 'trace' }, { write: (line: string) => this.#take(line) });
  readonly #clock: Pick<Scheduler, 'nowMs'>;
  #dropped = 0;

  /** `clock`: time outside of the run. */
  constructor(clock: Pick<Scheduler, 'nowMs'>) {
    this.#clock = clock;
  }

  /** Adds a strategy's `log(message, fields)` at a simulated time, for the engine. */
  readonly addLine: LogLine = (timeMs, strategy, message, fields) => {
    if (this.#lines.length >= MAX_LINES) this.#dropped++;
    else this.#pino.info({ time: formatTime(timeMs), strategy, fields }, message);
  };

  /** Adds an event of the run itself, at the time of the clock. */
  addEvent(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#pino.info({ at: formatTime(this.#clock.nowMs), ...fields }, message);
  }

  /** Returns all lines, oldest first. */
  text(): string {
    if (this.#dropped > 0) this.addEvent(`${this.#dropped} lines of strategies were left out`, { limit: MAX_LINES });
    this.#dropped = 0;
    return this.#lines.join('');
  }

  #take(line: string): void {
    this.#lines.push(line);
  }
}
