// Drives the engine of a live bot, one step at a time: events of the exchange, due actions and instants. Nothing runs between steps.

import { InvariantError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import {
  applyInbox,
  catchUp,
  deliverInstant,
  finishCatchUp,
  finishInstant,
  notifyOthers,
  runDueBefore,
} from '../../../engine/loop/liveSteps.ts';
import type { Fill } from '../../../model/fill.ts';
import type { OrderId, VenueOrderId } from '../../../model/order.ts';
import type { Evidence, ExchangeSink } from '../../../ports/exchange.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';

/** The engine, its clock and the listeners of the driver. */
export interface DriverDeps {
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  /** The venue's time, ms. */
  readonly venueMs: () => number;
  /** Called when a strategy has thrown. It gets no more calls. */
  readonly onStrategyFailure: (strategyIndex: number, error: Error) => void;
  /** Called when the bot's own books are inconsistent. It must stop. */
  readonly onInconsistency: (error: Error) => void;
  /** Called before a fill is booked. The fill object is valid only during the call. */
  readonly onFill: (id: OrderId, fill: Fill) => void;
  /** Called before funding is booked. */
  readonly onFunding: (instrumentIndex: number, isLong: boolean, units: number, timeMs: number) => void;
}

/**
 * Runs the steps of one bot. The time of a step is taken once, at its start. All records of the step have that time, so that a replay can
 * take the same steps. An event of the exchange inside a step, such as a refusal, belongs to that step.
 */
export class Driver implements ExchangeSink {
  readonly #deps: DriverDeps;
  /** Time of the current step, or of the last one; venue ms. */
  #stepMs = 0;
  #isInStep = false;
  #isStopped = false;
  #timer: number | null = null;
  /** Time for which the timer is set, venue ms; Infinity: no timer. */
  #timerMs = Infinity;

  constructor(deps: DriverDeps) {
    this.#deps = deps;
    this.#stepMs = Math.floor(deps.venueMs());
  }

  /** The time of journal records: the time of the current step, or of the clock between steps. */
  get nowMs(): number {
    return this.#isInStep ? this.#stepMs : this.#deps.venueMs();
  }
  /** True while a step runs. */
  get isInStep(): boolean {
    return this.#isInStep;
  }

  /** Runs `act` as a step at the current time. `finish` continues it after a strategy has thrown. */
  step(act: () => void, finish?: () => void): void {
    if (this.#isInStep) act();
    else this.#runGuarded(() => applyInbox(this.#deps.engine, this.#stepMs, act), finish);
  }

  /** Lets strategies decide on the bars that close at `atMs`, once all of them are present. `before` runs first, in the same step. */
  instant(atMs: number, before: () => void): void {
    const { engine } = this.#deps;
    const decide = (): void => {
      runDueBefore(engine, this.#stepMs);
      before();
      deliverInstant(engine, atMs);
    };
    this.#runGuarded(decide, () => finishInstant(engine, atMs));
  }

  /** Handles the events until `untilMs` after a restart. `before` runs first, in the same step. */
  catchUp(untilMs: number, before: (nowMs: number) => void): void {
    const { engine } = this.#deps;
    const passBars = (): void => {
      before(this.#stepMs);
      catchUp(engine, untilMs, this.#stepMs);
    };
    this.#runGuarded(passBars, () => finishCatchUp(engine, untilMs));
  }

  /** Takes no more steps. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  // Events of the exchange, each as a step or within the current one.

  acked(id: OrderId, venueId: VenueOrderId, timeMs: number): void {
    this.step(() => this.#deps.engine.acked(id, venueId, timeMs));
  }
  refused(id: OrderId, code: string): void {
    this.step(() => this.#deps.engine.refused(id, code));
  }
  notSent(id: OrderId, cause: string): void {
    this.step(() => this.#deps.engine.notSent(id, cause));
  }
  outcomeUnknown(id: OrderId, cause: string, isContested = false): void {
    this.step(() => this.#deps.engine.outcomeUnknown(id, cause, isContested));
  }
  filled(id: OrderId, fill: Fill): void {
    this.step(() => {
      this.#deps.onFill(id, fill);
      this.#deps.engine.filled(id, fill);
    });
  }
  ended(id: OrderId, how: 'filled' | 'canceled' | 'rejected' | 'expired', timeMs: number): void {
    this.step(() => this.#deps.engine.ended(id, how, timeMs));
  }
  evidence(id: OrderId, evidence: Evidence): void {
    this.step(() => this.#deps.engine.evidence(id, evidence));
  }
  arrivedLate(id: OrderId, venueId: VenueOrderId, timeMs: number): void {
    this.step(() => this.#deps.engine.arrivedLate(id, venueId, timeMs));
  }
  raiseHalt(code: string, instrument: number | null, reason: string): void {
    this.step(() => this.#deps.engine.raiseHalt(code, instrument, reason));
  }
  clearHalt(code: string, instrument: number | null, mistake?: string): void {
    this.step(() => this.#deps.engine.clearHalt(code, instrument, mistake));
  }
  funded(instrumentIndex: number, isLong: boolean, units: number, timeMs: number): void {
    this.step(() => {
      this.#deps.onFunding(instrumentIndex, isLong, units, timeMs);
      this.#deps.engine.funded(instrumentIndex, isLong, units, timeMs);
    });
  }
  liquidated(instrumentIndex: number, wasLong: boolean, fill: Fill): void {
    this.step(() => this.#deps.engine.liquidated(instrumentIndex, wasLong, fill));
  }

  /** Runs `act` as a step. After an error of a strategy, `finish` continues with the others. */
  #runGuarded(act: () => void, finish: () => void = () => {}): void {
    if (this.#isStopped) return;
    this.#isInStep = true;
    // The venue's time never goes back, so neither does the time of steps. Whole ms, as in the journal: a replay has the same time.
    this.#stepMs = Math.max(this.#stepMs, Math.floor(this.#deps.venueMs()));
    try {
      act();
    } catch (error) {
      this.#stopOnError(error, finish);
    } finally {
      this.#isInStep = false;
    }
    this.#setTimer();
  }

  /** Stops the strategy that has thrown, and continues with the others. */
  #stopOnError(error: unknown, finish: () => void): void {
    const { engine, onStrategyFailure, onInconsistency } = this.#deps;
    if (error instanceof InvariantError) return onInconsistency(error);
    onStrategyFailure(engine.currentStrategy, engine.attributeError(error));
    try {
      notifyOthers(engine);
      finish();
    } catch (furtherError) {
      this.#stopOnError(furtherError, finish);
    }
  }

  /** Sets a timer for the next action in the engine's queue. */
  #setTimer(): void {
    const { engine, scheduler, venueMs } = this.#deps;
    const { nextMs } = engine.queue;
    if (nextMs === this.#timerMs && this.#timer !== null) return;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#timerMs = nextMs;
    if (nextMs === Infinity || this.#isStopped) return;
    this.#timer = scheduler.at(scheduler.nowMs + Math.max(0, nextMs - venueMs()), () => {
      this.#timer = null;
      this.step(() => {});
    });
  }
}
