// Holds the trade reader and the reconciler of each instrument.

import type { Work } from '../../../base/task.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { ExchangeContext } from '../order/context.ts';
import type { Identify } from './identify.ts';
import type { OrderAttribution } from './attribution.ts';
import { InstrumentReconciler } from './instrumentReconciler.ts';
import type { StatusReader } from './statusReader.ts';
import { TradeReader, type TradesRead } from './tradeReader.ts';

/** While the clock is not measured, events up to this long ago may have happened after the start. */
const UNMEASURED_MS = 60_000;
const EARLY_MS = 1000;

export interface ReadersDeps {
  readonly core: ExchangeContext;
  readonly attribution: OrderAttribution;
  readonly identify: Identify;
  readonly statuses: () => StatusReader;
}

interface Pair {
  readonly trades: TradeReader;
  readonly passes: InstrumentReconciler;
}

export class Readers {
  readonly #parts: ReadersDeps;
  readonly #pairs = new Map<number, Pair>();
  /** Venue time (ms) before which the account's activity is not ours; null: not known yet. */
  sinceMs: number | null = null;

  constructor(parts: ReadersDeps) {
    this.#parts = parts;
  }

  trades(index: number): TradeReader {
    return this.#of(index).trades;
  }
  /** `sinceMs` Infinity reads new trades only. */
  readonly readTrades = (index: number, sinceMs: number, options: CallOptions): Work<TradesRead> =>
    this.trades(index).read(sinceMs, options);
  readonly reconcile = (index: number, options: CallOptions): Work<boolean> => this.#of(index).passes.run(options);

  #of(index: number): Pair {
    const known = this.#pairs.get(index);
    if (known) return known;
    const { core, attribution, identify, statuses } = this.#parts;
    const { venue, tracks, raisedCauses, holdings, positions, numbers, sink, venueMs, lagMs } = core;
    const nowMs = (): number => core.parts.scheduler.nowMs;
    const instrument = core.parts.instruments[index]!;
    const shared = { instrument, index, venue, tracks, attribution, raisedCauses, venueMs };
    const trades = new TradeReader(
      { ...shared, holdings, positions, numbers, sink, nowMs, lagMs, bookUnattributed: core.bookUnattributed },
      this.#since(),
    );
    const passes = new InstrumentReconciler({
      ...shared,
      identify,
      trades,
      statuses,
      nowMs,
      delayObserver: core.parts.delayObserver ?? null,
    });
    const made = { trades, passes };
    this.#pairs.set(index, made);
    return made;
  }
  #since(): number {
    if (this.sinceMs !== null) return this.sinceMs;
    const { ms, uncertaintyMs } = this.#parts.core.parts.serverTime();
    this.sinceMs = ms - EARLY_MS - Math.min(uncertaintyMs, UNMEASURED_MS);
    return this.sinceMs;
  }
}
