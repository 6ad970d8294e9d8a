// The readers of each instrument: its trades, and looks at all of its orders.

import type { CallOptions } from '../client/restClient.ts';
import type { Core } from '../order/core.ts';
import type { Identify } from './identify.ts';
import type { Ownership } from './ownership.ts';
import { Passes } from './passes.ts';
import type { StatusReader } from './statusReader.ts';
import type { Track } from '../order/track.ts';
import { TradeReader, type TradesRead } from './tradeReader.ts';

/** Before a clock is measured, what happened up to so long ago may have been after the start. */
const UNMEASURED_MS = 60_000;
const EARLY_MS = 1000;

export interface ReaderParts {
  readonly core: Core;
  readonly ownership: Ownership;
  readonly identify: Identify;
  readonly statuses: () => StatusReader;
  readonly filled: (track: Track) => void;
}

interface Pair {
  readonly trades: TradeReader;
  readonly passes: Passes;
}

export class Readers {
  readonly #parts: ReaderParts;
  readonly #pairs = new Map<number, Pair>();
  /** What the account did before this is nobody's, ms of the exchange; null: not known yet. */
  sinceMs: number | null = null;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  trades(index: number): TradeReader {
    return this.#of(index).trades;
  }
  /** `sinceMs` Infinity: what is new is enough. */
  readonly readTrades = (index: number, sinceMs: number, options: CallOptions, done: (read: TradesRead) => void): void =>
    this.trades(index).read(sinceMs, options, done);
  readonly look = (index: number, options: CallOptions, done: (isWhole: boolean) => void): void =>
    this.#of(index).passes.run(options, done);

  #of(index: number): Pair {
    const known = this.#pairs.get(index);
    if (known) return known;
    const { core, ownership, identify, statuses, filled } = this.#parts;
    const { venue, tracks, troubles, holdings, positions, numbers, sink, venueMs, lagMs } = core;
    const nowMs = (): number => core.parts.scheduler.nowMs;
    const instrument = core.parts.instruments[index]!;
    const shared = { instrument, index, venue, tracks, ownership, troubles, venueMs };
    const trades = new TradeReader(
      { ...shared, holdings, positions, numbers, sink, nowMs, lagMs, filled, outside: core.bookOutside },
      this.#since(),
    );
    const passes = new Passes({ ...shared, identify, trades, statuses, nowMs, fence: core.parts.fence ?? null });
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
