// The figures of a run, as its summary shows them: what ran, what came of it, and on which data.

import type { FeedQuality, StrategyRecord } from '../../model/run/run.ts';
import type { Warning } from '../../model/warning.ts';
import type { OrderSummary } from '../trades/orderStatistics.ts';
import type { TradeSummary } from '../trades/statistics.ts';
import type { CostBridge } from './costBridge.ts';
import type { Metrics } from './metrics.ts';
import type { Money } from '../series/money.ts';

export interface RunSummary {
  readonly name: string;
  readonly mode: 'backtest';
  /** A list when several ran on one account: `strategy` columns count from its first. */
  readonly strategy: StrategyRecord | readonly StrategyRecord[];
  readonly instruments: readonly {
    readonly id: string;
    readonly base: string;
    readonly quote: string;
    /** What positions are valued at. */
    readonly markSource: string;
  }[];
  readonly feeds: readonly {
    readonly name: string;
    readonly instrument: string;
    readonly interval: string;
    readonly execution: boolean;
    /** Finer bars inside those of the strategy, which it does not see: orders fill in them. */
    readonly inside?: true;
  }[];
  /** ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reportingAsset: string;
  readonly startEquity: Money;
  readonly endEquity: Money;
  readonly seed: number;
  readonly versions: Readonly<Record<string, string>>;
  /** Codes of the risk rules that were on. */
  readonly rules: readonly string[];
  /** Rows that warmed indicators up: before the run, and from inside its range where nothing lay before it. */
  readonly warmupRows: number;
  readonly warmupInRange: number;
}

export interface DataQuality {
  readonly rows: number;
  readonly gaps: number;
  readonly missingBars: number;
  readonly thinBars: number;
  readonly zeroVolume: number;
  readonly roundedPrices: number;
  readonly openLastBar: boolean;
  readonly synthetic: boolean;
  /** By feed, with the hash of its gap manifest. The counts above are their sums. */
  readonly feeds: readonly (FeedQuality & { readonly name: string; readonly instrument: string; readonly interval: string })[];
}

export interface Summary {
  readonly resultHash: string;
  readonly run: RunSummary;
  readonly metrics: Metrics;
  readonly trades: TradeSummary;
  readonly orders: OrderSummary;
  readonly dataQuality: DataQuality;
  readonly costBridge: CostBridge;
  /** What to look at before believing the result, most serious first. Not part of the result hash. */
  readonly warnings: readonly Warning[];
}

/** All figures of a run, before they are judged. */
export type RunFigures = Omit<Summary, 'warnings'>;
