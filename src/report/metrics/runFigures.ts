// The types of summary.json: the definition of the run, its results, and the quality of its data.

import type { FeedQuality, StrategyRecord } from '../../model/run/run.ts';
import type { RunProof } from '../../model/run/proof.ts';
import type { Warning } from '../../model/warning.ts';
import type { OrderSummary } from '../trades/orderStatistics.ts';
import type { TradeSummary } from '../trades/statistics.ts';
import type { BreakEven } from './breakEven.ts';
import type { Envelope } from '../envelope/figures.ts';
import type { CostBridge } from './costBridge.ts';
import type { Metrics } from './metrics.ts';
import type { Money } from '../series/money.ts';

/** The run itself: strategies, instruments, feeds, range and money. */
export interface RunSummary {
  readonly name: string;
  readonly mode: 'backtest';
  /** A list when several strategies ran on one account. The `strategy` columns are positions in it. */
  readonly strategy: StrategyRecord | readonly StrategyRecord[];
  readonly instruments: readonly {
    readonly id: string;
    readonly base: string;
    readonly quote: string;
    /** The price by which positions are valued. */
    readonly markSource: string;
  }[];
  readonly feeds: readonly {
    readonly name: string;
    readonly instrument: string;
    readonly interval: string;
    readonly execution: boolean;
    /** An execution-only feed: finer bars in which orders fill. Strategies do not see it. */
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
  /** Only for a run with cash in several quote assets: the cash of each, in the asset, and the instrument whose close values it. */
  readonly cash?: readonly { readonly asset: string; readonly start: Money; readonly end: Money; readonly convertedBy?: string }[];
  readonly seed: number;
  readonly versions: Readonly<Record<string, string>>;
  /** Codes of the active risk rules. */
  readonly rules: readonly string[];
  /** Rows used for warm-up: before the run, and inside its range when there were no earlier rows. */
  readonly warmupRows: number;
  readonly warmupInRange: number;
}

/** Flaws of the bars of a run, counted. */
export interface DataQuality {
  readonly rows: number;
  readonly gaps: number;
  readonly missingBars: number;
  readonly thinBars: number;
  readonly zeroVolume: number;
  readonly roundedPrices: number;
  readonly openLastBar: boolean;
  readonly synthetic: boolean;
  /** By feed, with the hash of its gap manifest. The counts above are the sums over the feeds. */
  readonly feeds: readonly (FeedQuality & { readonly name: string; readonly instrument: string; readonly interval: string })[];
}

/** The content of summary.json (docs/run-folder.md). */
export interface Summary {
  readonly resultHash: string;
  readonly run: RunSummary;
  readonly metrics: Metrics;
  readonly trades: TradeSummary;
  readonly orders: OrderSummary;
  readonly dataQuality: DataQuality;
  readonly costBridge: CostBridge;
  /** Present only when the user requested it. Not part of the result hash. */
  readonly breakEven?: BreakEven;
  /** Range of the figures over all orders of events inside the bars. Present only when the user requested it. */
  readonly envelope?: Envelope;
  /** What to check before trusting the result, most serious first. Not part of the result hash. */
  readonly warnings: readonly Warning[];
  /** Whether the strategies decide from delivered bars, parameters and seed alone. Not part of the result hash. */
  readonly proof?: RunProof;
}

/** All figures of a run, before warnings are derived from them. */
export type RunFigures = Omit<Summary, 'warnings' | 'proof'>;
