// The run plan, the input of the engine: a definition with all files loaded and all text converted.

import type { Rounding } from '../../base/number/exact.ts';
import type { ContractData } from '../../model/bars/contractData.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { KnownValues } from '../../model/bars/knownValues.ts';
import type { InstrumentId, Market } from '../../model/instrument.ts';
import type { Warning } from '../../model/warning.ts';
import type { FeedQuality, StrategyRecord } from '../../model/run/run.ts';
import type { RiskLimits } from '../../risk/limits/limits.ts';
import type { FeeSpec, RiskRuleSpec, SlippageSpec } from '../../strategy/models.ts';
import type { StrategyClass } from '../../strategy/strategy.ts';
import type { QueueSettings } from '../../venue/trades/tradeMatcher.ts';
import type { FillSettings } from '../../venue/venueConfig.ts';
import type { ModulePlan } from './module.ts';

/** A feed with its bars. */
export interface FeedPlan {
  /** The name by which strategies ask for it. Several feeds with one name form a list (`feeds(name)`). */
  readonly name: string;
  /** Warm-up rows, then the rows of the run. */
  readonly bars: BarColumns;
  /** First row that opens at or after the start of the run. */
  readonly firstRow: number;
  readonly quality: FeedQuality;
  /** The catalog files that it was read from; missing for bars from memory. */
  readonly files?: readonly string[];
  /** True for an execution-only feed: orders match in its finer bars, and strategies do not see it. */
  readonly isExecutionOnly?: boolean;
  /** When its symbol joins the run, ms UTC (`listed`). */
  readonly listedFromMs?: number;
  /** When its symbol leaves the run, ms UTC (`listed`). Positions in it are closed in its last bar. */
  readonly listedToMs?: number;
  /** Rows of trades only: number of trade ids between the first and the last that are missing. */
  readonly missingIds?: number;
  /** A note about its bars, for the reader of the results. */
  readonly note?: string;
}

/** A strategy of the run. */
export interface StrategyPlan {
  readonly strategy: StrategyClass;
  readonly record: StrategyRecord;
  /** Parameters as the definition has them. They are parsed and checked when the class is constructed. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Share of the starting cash, a decimal; all shares sum to 1. */
  readonly share: string;
  /** Hash of the code. Strategies with equal code share an instance of the block loop. */
  readonly hash: string;
  /** Warnings about what its code uses outside the run. */
  readonly reach?: readonly Warning[];
  /** URL of its module; null or missing for a class given in code. */
  readonly url?: string | null;
}

/** The fees of a spot run. */
export interface FeesPlan {
  readonly makerPpm: number;
  readonly takerPpm: number;
  readonly in: 'received' | 'quote';
  readonly rounding: Rounding;
  /** Replaces all four fee rates of every contract, ppm; missing: the rates of its record. */
  readonly contractPpm?: number;
}

/** How orders fill. */
export interface FillsPlan extends FillSettings {
  /** Time from a decision to the arrival of its order at the venue. */
  readonly latencyMs: number;
  /** The queue before resting limits, for fills against trades; missing: no queue. */
  readonly queue?: QueueSettings;
  /** Additional slippage in millionths of the price, also beside a model's; missing: 0. */
  readonly addedSlippagePpm?: number;
  /** Market-order collar: how far beyond the last close a market buy by quantity may pay, in millionths (default 1 %). */
  readonly collarPpm: number;
}

/** A file whose model or module is part of the run. */
export interface ModelRecord {
  readonly use: 'slippage' | 'fees' | 'risk' | 'module';
  readonly file: string;
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** Every file of the bundle, relative to the folder of `file`. */
  readonly inputs: readonly string[];
  /** The folder of `file`, absolute. */
  readonly folder: string;
}

/** User-defined models and parts that replace or extend the built-in ones. */
export interface ModelsPlan {
  readonly slippage: SlippageSpec | null;
  readonly fees: FeeSpec | null;
  readonly rules: readonly RiskRuleSpec[];
  readonly modules?: readonly ModulePlan[];
  readonly records: readonly ModelRecord[];
  /** Warnings about what models and modules use outside the run. */
  readonly reach?: readonly Warning[];
}

/** When strategies decide at an instant: once all feeds that close then have their bars (`whenComplete`), or feed by feed (`perFeed`). */
export type DecideMode = 'whenComplete' | 'perFeed';

/** How the account of a futures run trades, and the marks and funding of its contracts. */
export interface FuturesPlan {
  readonly leverage: number;
  readonly isCross: boolean;
  readonly isNet: boolean;
  /** Fee of a liquidation in millionths of the position's value. The exchange takes it from the remaining margin. */
  readonly liquidationFeePpm: number;
  readonly data: ReadonlyMap<InstrumentId, ContractData>;
}

/** An external series, as strategies ask for it. */
export interface SeriesPlan {
  readonly name: string;
  /** The symbol whose feeds have the series; null: all feeds have it. */
  readonly symbol: string | null;
  readonly values: KnownValues;
  /** Its name in the catalog, and the hash of its data. */
  readonly input: { readonly name: string; readonly sha256: string };
  /** The file that it was read from. */
  readonly file: string;
}

/** Everything that the engine needs for a run. */
export interface RunPlan {
  readonly name: string;
  readonly strategies: readonly StrategyPlan[];
  readonly feeds: readonly FeedPlan[];
  /** External series; missing: none. */
  readonly series?: readonly SeriesPlan[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Starting balances: asset to decimal text. */
  readonly cash: Readonly<Record<string, string>>;
  /** For a run over both markets: the balances of its two accounts. */
  readonly funds?: Readonly<Record<Market, Readonly<Record<string, string>>>>;
  /** With several quote assets: by asset other than the reporting asset, the instrument whose close values it. Missing: one quote asset. */
  readonly convert?: Readonly<Record<string, InstrumentId>>;
  /** Size of an order without a size of its own; exactly one key. */
  readonly size: { readonly base?: string; readonly quote?: string; readonly equity?: string };
  /** Factor for all sizes that strategies request, before rounding; missing: 1. */
  readonly sizeScale?: number;
  readonly fees: FeesPlan;
  readonly fills: FillsPlan;
  readonly risk: RiskLimits;
  readonly models?: ModelsPlan;
  /** Only for a run with futures. */
  readonly futures?: FuturesPlan;
  readonly seed: number;
  /** When strategies decide at an instant; missing: `whenComplete`. */
  readonly decide?: DecideMode;
  /** Rows of a block. A setting for tests; it does not affect the result. */
  readonly blockRows: number;
}
