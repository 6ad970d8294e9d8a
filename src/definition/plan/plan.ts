// A run, resolved: what a definition becomes once its files are loaded and its text is parsed. The engine's input.

import type { Rounding } from '../../base/number/exact.ts';
import type { ContractData } from '../../model/bars/marks.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { InstrumentId, Market } from '../../model/instrument.ts';
import type { Warning } from '../../model/warning.ts';
import type { FeedQuality, StrategyRecord } from '../../model/run/run.ts';
import type { RiskLimits } from '../../risk/limits/limits.ts';
import type { FeeSpec, RiskRuleSpec, SlippageSpec } from '../../strategy/models.ts';
import type { StrategyClass } from '../../strategy/strategy.ts';
import type { FillSettings } from '../../venue/venueConfig.ts';
import type { ModulePlan } from './module.ts';

export interface FeedPlan {
  /** The name by which strategies ask for it; several feeds of one name are a list (`feeds(name)`). */
  readonly name: string;
  /** Warm-up rows in front, then the rows of the run; nothing after its end. */
  readonly bars: BarColumns;
  /** First row that opens at or after the run's start. */
  readonly firstRow: number;
  readonly quality: FeedQuality;
  /** The files of the catalog that it was read from; none for bars that were in memory. */
  readonly files?: readonly string[];
  /** Finer bars of an instrument, in which its orders match; strategies do not see them. */
  readonly isHidden?: boolean;
  /** What to know of its bars. */
  readonly note?: string;
}

export interface StrategyPlan {
  readonly strategy: StrategyClass;
  readonly record: StrategyRecord;
  /** As the definition wrote them; parsed and checked against the class when it is constructed. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Share of the starting cash, a decimal; all shares sum to 1. */
  readonly share: string;
  /** Identity of the code, for its own instance of the block loop. */
  readonly hash: string;
  /** What its code reaches beside the run. */
  readonly reach?: readonly Warning[];
  /** Where its module lies; null, or left out, for a class that was at hand. */
  readonly url?: string | null;
}

export interface FeesPlan {
  readonly makerPpm: number;
  readonly takerPpm: number;
  readonly in: 'received' | 'quote';
  readonly rounding: Rounding;
}

export interface FillsPlan extends FillSettings {
  /** From a decision to its order's arrival at the venue. */
  readonly latencyMs: number;
  /** How far beyond the last close a market buy by quantity may pay, in millionths (house: 1 %). */
  readonly collarPpm: number;
}

/** A file whose model or module takes part in the run. */
export interface ModelRecord {
  readonly use: 'slippage' | 'fees' | 'risk' | 'module';
  readonly file: string;
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** Every file of the bundle, relative to the folder of `file`. */
  readonly inputs: readonly string[];
  /** That folder, absolute. */
  readonly folder: string;
}

/** What authors have put in the place of the built-in models and parts, or beside them. */
export interface ModelsPlan {
  readonly slippage: SlippageSpec | null;
  readonly fees: FeeSpec | null;
  readonly rules: readonly RiskRuleSpec[];
  readonly modules?: readonly ModulePlan[];
  readonly records: readonly ModelRecord[];
  /** What models and modules reach beside the run. */
  readonly reach?: readonly Warning[];
}

/** How the account of a futures run trades, and what its contracts pay and are marked with. */
export interface FuturesPlan {
  readonly leverage: number;
  readonly isCross: boolean;
  readonly isNet: boolean;
  /** Taken by the exchange from what a liquidated position leaves, in millionths of its value. */
  readonly liquidationFeePpm: number;
  readonly data: ReadonlyMap<InstrumentId, ContractData>;
}

export interface RunPlan {
  readonly name: string;
  readonly strategies: readonly StrategyPlan[];
  readonly feeds: readonly FeedPlan[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Starting balances: asset to decimal text. */
  readonly cash: Readonly<Record<string, string>>;
  /** Of a run over both markets: how they lie in its two accounts. */
  readonly funds?: Readonly<Record<Market, Readonly<Record<string, string>>>>;
  /** The size of an order that names none; exactly one key. */
  readonly size: { readonly base?: string; readonly quote?: string; readonly equity?: string };
  readonly fees: FeesPlan;
  readonly fills: FillsPlan;
  readonly risk: RiskLimits;
  readonly models?: ModelsPlan;
  /** Of a run of futures. */
  readonly futures?: FuturesPlan;
  readonly seed: number;
  /** Rows of a block: a setting of tests, never part of the result. */
  readonly blockRows: number;
}
