// The parts, feeds and settings from which an engine is made.

import type { Scratch } from '../base/memory/rowLog.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { FundingRates } from '../model/bars/fundingRates.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Brackets } from '../orders/stops/brackets.ts';
import type { OrderManager } from '../orders/orderManager.ts';
import type { Reservations } from '../orders/reserve/reservation.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import type { DueQueue } from '../ports/dueQueue.ts';
import type { BarMarket, OrderGateway } from '../ports/exchange.ts';
import type { LogLine } from '../ports/log.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import type { Size } from '../strategy/types.ts';
import type { FeedRun } from './feeds/feed.ts';
import type { Instant } from './feeds/instant.ts';
import type { NamedValues } from './feeds/knownViews.ts';

/** What an engine is made of. The composition root makes it once for each bot. */
export interface EngineDeps {
  /** In instrument order. */
  readonly instruments: readonly Instrument[];
  readonly feeds: readonly FeedRun[];
  readonly instant: Instant;
  readonly ledger: Ledger;
  readonly reservations: Reservations;
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly risk: RiskModule;
  readonly exchange: OrderGateway;
  /** The market of a replay; null: the exchange matches by itself. */
  readonly market: BarMarket | null;
  readonly queue: DueQueue;
  readonly defaultSize: Size;
  /** Multiplies every size that a strategy asks for. Default: 1. */
  readonly sizeScale?: number;
  readonly collarPpm: number;
  readonly blockRows: number;
  readonly fromMs: number;
  readonly log: LogLine;
  readonly scratch: Scratch;
  /** Futures: the prices in ticks by which positions are marked, by instrument and row of its execution feed. Null: the closes. */
  readonly marks?: readonly (TickColumn | null)[];
  /** Futures: the funding rates of contracts, by instrument; null if unknown. */
  readonly funding?: readonly (FundingRates | null)[];
  /** External series, by name. Absent: the run has none. */
  readonly known?: readonly NamedValues[];
  /**
   * Written once for each block. They hold the number of blocks that all engines with these cells have done, the rows done of the first
   * execution feed, and the block's end in seconds. Null if nothing watches the run.
   */
  readonly progressCells: Int32Array | null;
  /** When each instrument leaves the run, ms UTC; Infinity for one that stays. Absent: all stay. */
  readonly leavesMs?: readonly number[] | undefined;
  /** True: strategies decide feed by feed (`decide: perFeed`). Default false: they decide once the bars of all feeds have arrived. */
  readonly decidesPerFeed?: boolean;
}
