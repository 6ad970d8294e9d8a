// The record of a run: plain columns and facts, written by the engine and read by `report`. No behaviour, no text per row.

import type { BarColumns, TickColumn } from '../bars/bars.ts';
import type { Instrument } from '../instrument.ts';
import type { DoneReason, OrderRole, Side } from '../order.ts';
import type { Warning } from '../warning.ts';
import type { RunDecisions } from './decisions.ts';
import type { StreamedFigures } from './streamed.ts';

/** The codes of enumerations in columns (and in the result hash): the position in these lists. */
export const SIDES: readonly Side[] = ['buy', 'sell'];
export const ROLES: readonly OrderRole[] = ['market', 'limit', 'takeProfit', 'stopLoss', 'trailing', 'liquidation', 'condition'];
/** How an order ended; `open` if it had not ended when the run did. */
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

/** One row an order, in order of creation (row = id - 1). Integers in the instrument's scales. Arrays are `length` long. */
export interface OrderColumns {
  readonly length: number;
  readonly id: Float64Array;
  readonly strategy: Uint8Array;
  /** Index into `RunRecord.instruments`. */
  readonly instrument: Uint16Array;
  /** Index into SIDES, ROLES, ENDINGS. */
  readonly side: Uint8Array;
  readonly role: Uint8Array;
  readonly ending: Uint8Array;
  readonly reduceOnly: Uint8Array;
  /** The entry that a bracket leg belongs to, else 0. */
  readonly parent: Float64Array;
  /** Requested quantity in lots (0: by amount) and quote amount in units (0: by quantity). */
  readonly lots: Float64Array;
  readonly quoteUnits: Float64Array;
  /** Limit or trigger price in ticks, 0 without one. */
  readonly limit: Float64Array;
  readonly filledLots: Float64Array;
  /** Notional of the fills, in quote units. */
  readonly filledUnits: Float64Array;
  /** When it was decided, arrived at the venue (NaN: never), and ended (NaN: open). */
  readonly createdMs: Float64Array;
  readonly arrivedMs: Float64Array;
  readonly doneMs: Float64Array;
  /** Index into `texts`: the slot, and the code of a denial or refusal (0 without one). */
  readonly slot: Float64Array;
  readonly code: Float64Array;
  /** 1 when the order ever was `unknown`. */
  readonly wasUnknown: Uint8Array;
  readonly texts: readonly string[];
}

/** One row a fill, in booking order. */
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
  /** price x lots in quote units. */
  readonly notional: Float64Array;
  /** In units of the fee asset: the base asset if `feeInBase` is 1, else the quote asset. */
  readonly fee: Float64Array;
  readonly feeInBase: Uint8Array;
  readonly timeMs: Float64Array;
}

/** Kinds of payments without a trade: funding, and losses of a liquidation that the account could not pay and others covered. */
export const PAYMENTS = ['funding', 'covered'] as const;
export type PaymentKind = (typeof PAYMENTS)[number];

/** One row a payment, in booking order. */
export interface PaymentColumns {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly strategy: Uint8Array;
  readonly instrument: Uint16Array;
  /** Index into PAYMENTS. */
  readonly kind: Uint8Array;
  /** 1 for a long position, or a fill of one. */
  readonly isLong: Uint8Array;
  /** Units of money received; negative if paid. */
  readonly units: Float64Array;
  /** Number of fills booked before it: times alone do not give the order within an instant. */
  readonly afterFills: Float64Array;
}

/** Equity in quote units at each instant at which an execution row closed. */
export interface EquityColumns {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly units: Float64Array;
}

export interface FeedRecord {
  readonly name: string;
  readonly bars: BarColumns;
  /** First row inside the run; rows before it only warmed indicators up. */
  readonly firstRow: number;
  /** True for an execution feed, which matches and marks its instrument. */
  readonly execution: boolean;
  /** True for an execution-only feed: strategies do not see it. */
  readonly isExecutionOnly?: boolean;
  /** When its symbol leaves the run by the definition, ms UTC. */
  readonly listedToMs?: number;
  /** Content hash of the gap manifest, and its counts over the rows of the run. */
  readonly quality: FeedQuality;
}

export interface FeedQuality {
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

/** An indicator that a strategy registered, row by row of its feed (NaN while not ready). For charts only. */
export interface IndicatorTrace {
  readonly name: string;
  /** `price` draws over the bars; any other name is a pane of its own. */
  readonly pane: string;
  /** Index into `RunRecord.feeds`. */
  readonly feed: number;
  readonly values: Float64Array;
}

export interface StrategyRecord {
  readonly name: string;
  readonly file: string;
  readonly hash: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
}

export interface RunRecord {
  readonly name: string;
  readonly mode: 'backtest';
  readonly strategies: readonly StrategyRecord[];
  readonly instruments: readonly Instrument[];
  /** The asset in which equity, cash and results are counted, and its digits. */
  readonly reportingAsset: string;
  readonly reportingDigits: number;
  /** First and last instant of the run (ms UTC): `E_0` is `startUnits` at `fromMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly startUnits: number;
  readonly seed: number;
  /** Codes of the risk rules that were on. */
  readonly rules: readonly string[];
  readonly feeds: readonly FeedRecord[];
  readonly orders: OrderColumns;
  readonly fills: FillColumns;
  readonly equity: EquityColumns;
  /** Futures only. */
  readonly payments?: PaymentColumns;
  /** Futures: true in two-way mode, with separate long and short positions of a contract. */
  readonly isTwoWay?: boolean;
  /**
   * Futures: by instrument, the prices by which its positions are marked: their source in words, and in ticks by row of its execution feed
   * (null: the closes).
   */
  readonly markSources?: readonly string[];
  readonly markTicks?: readonly (TickColumn | null)[];
  readonly indicators: readonly IndicatorTrace[];
  /** Rows of warm-up taken from inside the range because no earlier data exist. */
  readonly warmupInRange: number;
  /** What strategies asked for, if it was kept. */
  readonly decisions?: RunDecisions;
  /** The lowest and the highest equity that other orders of events inside the bars allow, by instant of `equity`. Null: that of the run. */
  readonly equityBand?: { readonly low: Float64Array; readonly high: Float64Array } | null;
  /** Only for a run whose bars were read block by block: figures over all of them, in the place of whole columns. */
  readonly streamed?: StreamedFigures;
  /** Warnings found while the run was loaded and made; the report adds those of its figures and bars. Absent: no warnings. */
  readonly warnings?: readonly Warning[];
}
