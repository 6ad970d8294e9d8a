// Passes live facts, such as the age of prices and audits, to the risk rules once a second.

import { fixedLengthMs } from '../../../model/interval.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { LiveFacts } from '../../../risk/live/liveWatch.ts';

/** The engine, and the facts that it does not know itself. */
export interface RiskTickerDeps {
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  /** The venue's time, ms. */
  readonly venueMs: () => number;
  /** Time of the last complete audit, venue time; null: never. */
  readonly auditMs: () => number | null;
  /** Uncertainty of the least certain clock, ms. */
  readonly clockErrorMs: () => number;
  /** Last sign of the operator's presence, venue time; Infinity: not required. */
  readonly heartbeatMs?: () => number;
  /** Time of the oldest unacknowledged alert, venue time; Infinity: none. */
  readonly alertMs?: () => number;
  /** Runs `act` as a step of the engine. */
  readonly step: (act: () => void) => void;
}

const PERIOD_MS = 1000;
/** Length of the longest bar. Bars of a month have no fixed length. */
const MONTH_MS = 31 * 86_400_000;

/** The ticks of one bot. */
export class RiskTicker {
  readonly #deps: RiskTickerDeps;
  #timer: number | null = null;

  constructor(deps: RiskTickerDeps) {
    this.#deps = deps;
  }

  /** Ticks while an active rule needs these facts. */
  start(): void {
    const { engine, scheduler } = this.#deps;
    if (!engine.risk.wantsFacts) return;
    this.#timer = scheduler.at(scheduler.nowMs + PERIOD_MS, () => {
      this.#tick();
      this.start();
    });
  }
  /** Ends the timer. */
  stop(): void {
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    const { engine, venueMs, step } = this.#deps;
    step(() => engine.risk.tick(liveFactsOf(this.#deps), venueMs()));
  }
}

/** Returns the facts for the risk rules. Prices are those of the newest bars. */
export function liveFactsOf({
  engine,
  auditMs,
  clockErrorMs,
  heartbeatMs,
  alertMs,
}: Omit<RiskTickerDeps, 'scheduler' | 'venueMs' | 'step'>): LiveFacts {
  const newestRow = (instrumentIndex: number): number => engine.execution[instrumentIndex]!.bars.length - 1;
  const closeMs = (instrumentIndex: number): number => engine.execution[instrumentIndex]!.bars.closeMs[newestRow(instrumentIndex)] ?? NaN;
  return {
    instruments: engine.instruments.length,
    priceMs: closeMs,
    barCloseMs: closeMs,
    barLengthMs: (instrument) => fixedLengthMs(engine.execution[instrument]!.bars.interval) ?? MONTH_MS,
    isSound: (instrument) => {
      const { bars } = engine.execution[instrument]!;
      const row = newestRow(instrument);
      return bars.close[row]! > 0 && bars.high[row]! >= bars.low[row]!;
    },
    auditMs: auditMs() ?? NaN,
    clockErrorMs: clockErrorMs(),
    heartbeatMs: heartbeatMs?.() ?? Infinity,
    alertMs: alertMs?.() ?? Infinity,
    heldLots: (instrument) => heldLots(engine, instrument),
    guardedLots: (instrument) => protectedLots(engine, instrument),
  };
}

/** Returns the lots of all strategies, long and short ones added. */
function heldLots({ runs, ledger }: Engine, instrumentIndex: number): number {
  const closableLots = (strategyIndex: number, isShort: boolean): number => ledger.closable(strategyIndex, instrumentIndex, isShort, true);
  return runs.reduce((lots, { index }) => lots + closableLots(index, false) + closableLots(index, true), 0);
}

/**
 * Returns the lots protected by local stops and by trigger orders at the exchange. A trigger order whose price is already reached does not
 * count, because it should have triggered.
 */
function protectedLots(engine: Engine, instrumentIndex: number): number {
  const lastTicks = engine.lastTicks(instrumentIndex);
  const localLots = engine.brackets
    .list(instrumentIndex)
    .filter(({ stopTicks, trailingTicks }) => stopTicks > 0 || trailingTicks > 0)
    .reduce((lots, bracket) => lots + bracket.lots, 0);
  return engine.orders.active().reduce((lots, order) => {
    const { triggerTicks, triggersAbove } = order;
    const isWorkingStop =
      order.instrumentIndex === instrumentIndex && order.role === 'stopLoss' && triggerTicks > 0 && order.lifecycle === 'working';
    const isAhead = triggersAbove ? lastTicks < triggerTicks : lastTicks > triggerTicks;
    return isWorkingStop && isAhead ? lots + order.lots - order.filledLots : lots;
  }, localLots);
}
