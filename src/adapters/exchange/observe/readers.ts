// Holds the trade reader and the reconciler of each instrument.

import type { Work } from '../../../base/task.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { ExchangeContext } from '../order/exchangeContext.ts';
import { UNMEASURED_UNCERTAINTY_MS } from '../time/serverClock.ts';
import type { OrderIdentifier } from './orderIdentifier.ts';
import type { OrderAttribution } from './attribution.ts';
import { InstrumentReconciler } from './instrumentReconciler.ts';
import type { StatusReader } from './statusReader.ts';
import { TradeReader, type TradesRead } from './tradeReader.ts';

/** How far a trade's time may precede the start. */
const EARLY_TRADE_MS = 1000;

/** What the readers take. */
export interface ReadersDeps {
  readonly context: ExchangeContext;
  readonly attribution: OrderAttribution;
  readonly orderIdentifier: OrderIdentifier;
  readonly statuses: () => StatusReader;
}

interface InstrumentReaders {
  readonly trades: TradeReader;
  readonly reconciler: InstrumentReconciler;
}

/** The readers of one market by instrument, created when they are first needed. */
export class Readers {
  readonly #deps: ReadersDeps;
  readonly #byInstrument = new Map<number, InstrumentReaders>();
  /** Venue time (ms) before which the account's activity is not ours; null: not known yet. */
  sinceMs: number | null = null;

  constructor(deps: ReadersDeps) {
    this.#deps = deps;
  }

  /** Returns the trade reader of the instrument. */
  trades(index: number): TradeReader {
    return this.#of(index).trades;
  }
  /** Reads the instrument's trades. `sinceMs` Infinity: new trades only. */
  readonly readTrades = (index: number, sinceMs: number, options: CallOptions): Work<TradesRead> =>
    this.trades(index).read(sinceMs, options);
  /** Reconciles an instrument. Returns true if every list was complete. */
  readonly reconcile = (index: number, options: CallOptions): Work<boolean> => this.#of(index).reconciler.run(options);

  /** Returns the readers of an instrument, and creates them at first use. */
  #of(index: number): InstrumentReaders {
    const reader = this.#byInstrument.get(index);
    if (reader) return reader;
    const { context, attribution, orderIdentifier, statuses } = this.#deps;
    const { venue, trackedOrders, raisedCauses, holdings, positions, tradeNumbers, sink, venueMs, lagMs } = context;
    const nowMs = (): number => context.deps.scheduler.nowMs;
    const instrument = context.deps.instruments[index]!;
    const sharedDeps = { instrument, index, venue, trackedOrders, attribution, raisedCauses, venueMs };
    const trades = new TradeReader(
      {
        ...sharedDeps,
        holdings,
        positions,
        isTwoWay: context.isTwoWay(index),
        tradeNumbers,
        sink,
        nowMs,
        lagMs,
        bookableLots: (id) => context.deps.bookableLots?.(id) ?? Infinity,
        bookUnattributed: context.bookUnattributed,
      },
      this.#since(),
    );
    const reconciler = new InstrumentReconciler({
      ...sharedDeps,
      orderIdentifier,
      trades,
      statuses,
      nowMs,
      delayObserver: context.deps.delayObserver ?? null,
    });
    const readers = { trades, reconciler };
    this.#byInstrument.set(index, readers);
    return readers;
  }
  #since(): number {
    if (this.sinceMs !== null) return this.sinceMs;
    const { ms, uncertaintyMs } = this.#deps.context.deps.serverTime();
    this.sinceMs = ms - EARLY_TRADE_MS - Math.min(uncertaintyMs, UNMEASURED_UNCERTAINTY_MS);
    return this.sinceMs;
  }
}
