// The record of a run, as plain columns and facts. The engine writes it, and `report` reads it.

import type { BarColumns, TickColumn } from '../bars/bars.ts';
import type { Instrument } from '../instrument.ts';
import type { DoneReason, OrderRole, Side } from '../order.ts';
import type { Warning } from '../warning.ts';
import type { RunDecisions } from './decisions.ts';
import type { StreamedFigures } from './streamed.ts';

/** Columns and the result hash encode a side, a role or an ending as its position in these lists. */
export const SIDES: readonly Side[] = ['buy', 'sell'];
/** Order roles by their code, which is the position in this list. */
export const ROLES: readonly OrderRole[] = ['market', 'limit', 'takeProfit', 'stopLoss', 'trailing', 'liquidation', 'condition'];
/** The ways in which an order can end. `open` is an order that had not ended at the end of the run. */
export const ENDINGS: readonly (DoneReason | 'open')[] = [
  'open',
  'denied',
  'notSent',
  'refused',
  'noEffect',
  'filled',
  'canceled',
  'rejected',
  'expired',
];

/** Orders as columns of `length` rows, in the order of creation (row = id - 1). Figures are integers in the scales of the instrument. */
export interface OrderColumns {
  readonly length: number;
  readonly id: Float64Array;
  readonly strategy: Uint8Array;
  /** Index into `RunRecord.instruments`. */
  readonly instrument: Uint16Array;
  /** Index into SIDES. */
  readonly side: Uint8Array;
  /** Index into ROLES. */
  readonly role: Uint8Array;
  /** Index into ENDINGS. */
  readonly ending: Uint8Array;
  readonly reduceOnly: Uint8Array;
  /** The entry to which a bracket leg belongs. 0 for other orders. */
  readonly parent: Float64Array;
  /** Requested quantity in lots. 0 for an order by amount. */
  readonly lots: Float64Array;
  /** Requested quote amount in units. 0 for an order by quantity. */
  readonly quoteUnits: Float64Array;
  /** Limit or trigger price in ticks. 0 without one. */
  readonly limit: Float64Array;
  readonly filledLots: Float64Array;
  /** Notional of the fills, in quote units. */
  readonly filledUnits: Float64Array;
  /** Time of the decision, ms UTC. */
  readonly createdMs: Float64Array;
  /** Time of the arrival at the venue, ms UTC. NaN if the order never arrived. */
  readonly arrivedMs: Float64Array;
  /** Time of the end, ms UTC. NaN for an open order. */
  readonly doneMs: Float64Array;
  /** Slot, as an index into `texts`. */
  readonly slot: Float64Array;
  /** Code of a denial or refusal, as an index into `texts`. 0 without one. */
  readonly code: Float64Array;
  /** 1 if the outcome of the order was ever unknown. */
  readonly wasUnknown: Uint8Array;
  readonly texts: readonly string[];
}

/** Fills as columns of `length` rows, in the order of booking. */
export interface FillColumns {
  readonly length: number;
  readonly tradeId: Float64Array;
  readonly orderId: Float64Array;
  readonly strategy: Uint8Array;
  readonly instrument: Uint16Array;
  readonly side: Uint8Array;
  readonly isMaker: Uint8Array;
  readonly price: Float64Array;
  readonly lots: Float64Array;
  /** Price times quantity, in quote units. */
  readonly notional: Float64Array;
  /** Fee in units of the base asset if `feeInBase` is 1, else in units of the quote asset. */
  readonly fee: Float64Array;
  readonly feeInBase: Uint8Array;
  readonly timeMs: Float64Array;
}

/** Kinds of payments without a trade: funding, and losses of a liquidation that the exchange covered for the account. */
export const PAYMENTS = ['funding', 'covered'] as const;
/** One of the kinds of payments. */
export type PaymentKind = (typeof PAYMENTS)[number];

/** Payments as columns of `length` rows, in the order of booking. */
export interface PaymentColumns {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly strategy: Uint8Array;
  readonly instrument: Uint16Array;
  /** Index into PAYMENTS. */
  readonly kind: Uint8Array;
  /** 1 for a payment of a long position. */
  readonly isLong: Uint8Array;
  /** Units of money received. Negative if paid. */
  readonly units: Float64Array;
  /** Number of fills booked before the payment. Times alone do not give the order of events at the same instant. */
  readonly afterFills: Float64Array;
}

/** Equity in quote units at each instant at which an execution row closed. */
export interface EquityColumns {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly units: Float64Array;
}

/** A feed of a run. */
export interface FeedRecord {
  readonly name: string;
  readonly bars: BarColumns;
  /** First row inside the run. Earlier rows only warmed up indicators. */
  readonly firstRow: number;
  /** True for an execution feed, in whose bars orders fill and positions are valued. */
  readonly execution: boolean;
  /** True for an execution-only feed, which strategies do not see. */
  readonly isExecutionOnly?: boolean;
  /** Time from which the symbol takes part in the run, by the definition, ms UTC. */
  readonly listedFromMs?: number;
  /** Time at which the symbol leaves the run, by the definition, ms UTC. */
  readonly listedToMs?: number;
  readonly quality: FeedQuality;
}

/** The quality of the bars of a feed over the rows of the run. */
export interface FeedQuality {
  /** Content hash of the gap manifest. */
  readonly manifestHash: string;
  readonly rows: number;
  readonly gaps: number;
  readonly missingBars: number;
  readonly thinBars: number;
  readonly zeroVolume: number;
  readonly roundedPrices: number;
  readonly openLastBar: boolean;
  readonly synthetic: boolean;
}
/** The quality of no rows. Rows without a fault differ from it in their number and in the hash. */
export const CLEAN_QUALITY: FeedQuality = {
  manifestHash: '',
  rows: 0,
  gaps: 0,
  missingBars: 0,
  thinBars: 0,
  zeroVolume: 0,
  roundedPrices: 0,
  openLastBar: false,
  synthetic: false,
};

/** The values of an indicator by row of its feed, NaN while it is not ready. Only charts use them. */
export interface IndicatorTrace {
  readonly name: string;
  /** Pane of the chart: `price` for the pane of the bars, any other name for a pane of its own. */
  readonly pane: string;
  /** Index into `RunRecord.feeds`. */
  readonly feed: number;
  readonly values: Float64Array;
  /** Returns the values at `rows`, in rising order, without the column of all values. Missing if the column exists anyway. */
  readonly at?: (rows: Int32Array) => Float64Array;
}

/** A strategy of a run. */
export interface StrategyRecord {
  readonly name: string;
  readonly file: string;
  readonly hash: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
}

/** A quote asset of a run with several of them: its cash, and the instrument whose close values it in the reporting asset. */
export interface QuoteAssetRecord {
  readonly asset: string;
  /** Index into `RunRecord.instruments`. Null for the reporting asset itself. */
  readonly conversion: number | null;
  /** Cash at the start and at the end, in units of the asset, which has as many digits as the reporting asset. */
  readonly startUnits: number;
  readonly endUnits: number;
}

/** Everything that a run records. */
export interface RunRecord {
  readonly name: string;
  readonly mode: 'backtest';
  readonly strategies: readonly StrategyRecord[];
  readonly instruments: readonly Instrument[];
  /** Asset in which equity, cash and results are counted. */
  readonly reportingAsset: string;
  /** Number of digits of the reporting asset. */
  readonly reportingDigits: number;
  /** The quote assets, the reporting asset first. Only for a run with cash in several of them. */
  readonly quoteAssets?: readonly QuoteAssetRecord[];
  /** First instant of the run, ms UTC. */
  readonly fromMs: number;
  /** Last instant of the run, ms UTC. */
  readonly toMs: number;
  /** Equity at `fromMs`, in units of the reporting asset. */
  readonly startUnits: number;
  readonly seed: number;
  /** Codes of the active risk rules. */
  readonly rules: readonly string[];
  readonly feeds: readonly FeedRecord[];
  readonly orders: OrderColumns;
  readonly fills: FillColumns;
  readonly equity: EquityColumns;
  /** Payments without a trade. Futures only. */
  readonly payments?: PaymentColumns;
  /** True in two-way mode, with separate long and short positions of a contract. Futures only. */
  readonly isTwoWay?: boolean;
  /** Origin of the mark prices of each instrument, as text. Futures only. */
  readonly markSources?: readonly string[];
  /** Mark prices of each instrument in ticks, by row of its execution feed. Null where the closes are the mark prices. Futures only. */
  readonly markTicks?: readonly (TickColumn | null)[];
  readonly indicators: readonly IndicatorTrace[];
  /** Number of warm-up rows from inside the range, because no earlier bars exist. */
  readonly warmupInRange: number;
  /** The decisions of the strategies, if the run kept them. */
  readonly decisions?: RunDecisions;
  /** Lowest and highest equity that other orders of events inside the bars allow, by instant of `equity`. Null without such a band. */
  readonly equityBand?: { readonly low: Float64Array; readonly high: Float64Array } | null;
  /** Figures over all bars, in place of whole columns. Only for a run whose bars were read block by block. */
  readonly streamed?: StreamedFigures;
  /** Warnings of the loading and the run. The report adds those of its figures and bars. Absent without warnings. */
  readonly warnings?: readonly Warning[];
}
