// Maintenance windows: the bot takes no new risk in them. The config decides whether working orders that open are kept or cancelled.

import { largestOf, smallestOf } from '../../../base/number/extremes.ts';
import { cronTimes } from '../../../adapters/clock/cron.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import { formatMinute, parseTime } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { LiveFile } from './liveSchema.ts';

/** A span of time from `fromMs` to before `toMs`, ms UTC. */
export interface MaintenanceSpan {
  readonly fromMs: number;
  readonly toMs: number;
}
/** A window of the config, once or repeated. */
export interface MaintenanceWindow {
  /** True when working orders that open are cancelled at the start. */
  readonly cancelsOpening: boolean;
  /** Returns the span that contains `timeMs`, else the next one. Null: no span follows. */
  readonly spanAt: (timeMs: number) => MaintenanceSpan | null;
}

/** Halt code for each choice. The engine's halt actions cancel opening orders by this code, so that a replay does the same. */
const CAUSE_CODES = { keep: 'MAINTENANCE', cancel: 'MAINTENANCE_CANCEL' } as const;
const ACCOUNT = { kind: 'account' } as const;
const MINUTE_MS = 60_000;
/** Length of the longest wait, ms. The clock is read again after it, because clocks drift. */
const MAX_WAIT_MS = 60_000;

/** Returns the windows of a config. Throws ConfigError for a window that does not end after its start, and for an invalid cron pattern. */
export function maintenanceWindows(entries: LiveFile['maintenance'] = []): readonly MaintenanceWindow[] {
  return entries.map((window, index) => {
    const cancelsOpening = window.orders === 'cancel';
    if ('cron' in window) return { cancelsOpening, spanAt: spanByCron(window.cron, window.minutes * MINUTE_MS, window.timeZone ?? 'UTC') };
    const fromMs = parseTime(window.from);
    const toMs = parseTime(window.to);
    if (fromMs === null || toMs === null || toMs <= fromMs) {
      throw new ConfigError(
        `maintenance.${index}: expected from and to as UTC times, the second one later, got ${window.from} to ${window.to}`,
        "such as { from: '2026-12-01 03:00', to: '2026-12-01 04:00' }",
      );
    }
    return { cancelsOpening, spanAt: (ms) => (ms < toMs ? { fromMs, toMs } : null) };
  });
}

/** Returns the spans of a window that begins at the times of a cron pattern. */
function spanByCron(pattern: string, lengthMs: number, timeZone: string): MaintenanceWindow['spanAt'] {
  const nextStartMs = cronTimes(pattern, timeZone);
  // Returns the first window that has not ended by `ms`.
  return (timeMs) => {
    const fromMs = nextStartMs(timeMs - lengthMs);
    return fromMs === Infinity ? null : { fromMs, toMs: fromMs + lengthMs };
  };
}

/** The windows, and the engine that they halt. */
export interface MaintenanceDeps {
  readonly windows: readonly MaintenanceWindow[];
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  /** The venue's time, ms. */
  readonly venueMs: () => number;
  /** Runs `act` as a step of the engine. */
  readonly step: (act: () => void) => void;
}

/** Halts a bot during its maintenance windows. */
export class Maintenance {
  readonly #deps: MaintenanceDeps;
  #timer: number | null = null;

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps;
  }

  /** Checks the windows now, and again at every start and end of one. */
  start(): void {
    this.#check();
  }
  /** Ends the timer. A halt that is in force stays. */
  stop(): void {
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  /** Raises and clears the halts for the present time, and schedules the next check. */
  #check(): void {
    const { windows, scheduler, venueMs } = this.#deps;
    if (windows.length === 0) return;
    const nowMs = venueMs();
    const spans = windows.flatMap(({ cancelsOpening, spanAt }) => {
      const span = spanAt(nowMs);
      return span === null ? [] : [{ ...span, cancelsOpening }];
    });
    for (const cancelsOpening of [false, true]) {
      const openSpans = spans.filter((span) => span.fromMs <= nowMs && span.cancelsOpening === cancelsOpening);
      this.#updateHalt(cancelsOpening, openSpans, nowMs);
    }
    const nextEdgeMs = smallestOf(spans.map(({ fromMs, toMs }) => (fromMs <= nowMs ? toMs : fromMs)));
    if (nextEdgeMs === Infinity) return;
    const waitMs = Math.ceil(Math.min(nextEdgeMs - nowMs, MAX_WAIT_MS));
    this.#timer = scheduler.at(scheduler.nowMs + waitMs, () => this.#check());
  }

  /** Raises the halt of one kind of window if one is open, and clears it otherwise. */
  #updateHalt(cancelsOpening: boolean, openSpans: readonly MaintenanceSpan[], nowMs: number): void {
    const { engine, step } = this.#deps;
    const code = cancelsOpening ? CAUSE_CODES.cancel : CAUSE_CODES.keep;
    const { halts } = engine.risk;
    const isInWindow = openSpans.length > 0;
    if (isInWindow === halts.holds(ACCOUNT, code)) return;
    const untilMs = largestOf(openSpans.map(({ toMs }) => toMs));
    step(() => {
      if (isInWindow) halts.raise(ACCOUNT, 'HALT_NEW', code, `maintenance until ${formatMinute(untilMs)}`, nowMs);
      else halts.clear(ACCOUNT, code, 'the maintenance window has ended', nowMs);
    });
  }
}
