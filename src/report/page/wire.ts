// Data that the writer of a report passes to the script of its page: a small JSON head, and packed columns that the head names.

import type { Interval } from '../../model/interval.ts';
import type { ContractFace } from '../kernels/contractValue.ts';

/**
 * A column of integers in the text of the element `id`. Encoding: values, first or second differences (`order` 0, 1, 2), zigzag, byte
 * planes (lowest first), gzip, base64.
 */
export interface PackedColumn {
  readonly id: string;
  readonly length: number;
  readonly planes: number;
  readonly order: 0 | 1 | 2;
}

/**
 * A packed column of decimals: integers times `step.times` / 10^`step.digits`. `holes` lists the runs of rows without a value as first row
 * and count.
 */
export interface PackedDecimals extends PackedColumn {
  readonly step: PackedStep;
  readonly holes: readonly number[];
}
/** Value of one integer step: 1, 2 or 5 times 10^-digits. */
export interface PackedStep {
  readonly times: 1 | 2 | 5;
  readonly digits: number;
}

/** The values of one indicator. */
export interface WireTrace {
  readonly name: string;
  /** `price` draws over the bars. Any other name is a separate pane. */
  readonly pane: string;
  readonly values: PackedDecimals;
  /** Closing times of the bars of the indicator's feed (minutes UTC). Null when that feed is the finest of the instrument. */
  readonly closes: PackedColumn | null;
}

/** The chart of one instrument. `face` and `isInverse` define how a holding converts to money. */
export interface WireInstrument extends ContractFace {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  /** True when quantities count contracts, not coins of `base`. */
  readonly isContract: boolean;
  readonly quantityDigits: number;
  readonly baseDigits: number;
  readonly priceDigits: number;
  /** Digits of the price columns: `priceDigits`, or fewer where 32 bits cannot hold them. */
  readonly digits: number;
  readonly interval: Interval;
  /** Interval of the bars of the run. Finer than `interval` when the page would have become too large. */
  readonly ranOn: Interval;
  /** Position on the page of the instrument whose close values the quote asset in the reporting asset. Absent for the reporting asset. */
  readonly convertedBy?: number;
  /** False when no order fills in the bars of the instrument. */
  readonly execution: boolean;
  readonly synthetic: boolean;
  /** Coarse bars for the first picture. Each bar has five cells: open time in minutes, open, high, low, close. */
  readonly first: { readonly interval: Interval; readonly cells: readonly number[] };
  readonly time: PackedColumn;
  readonly open: PackedColumn;
  readonly high: PackedColumn;
  readonly low: PackedColumn;
  readonly close: PackedColumn;
  /** Codes of volumes (volumeCode.ts), in base or in contracts. Null when no bar has a volume. */
  readonly volume: PackedColumn | null;
  readonly traces: readonly WireTrace[];
  /** Changes of the holding: times (ms) and amounts (units of the base asset). Null when there are too many for the page. */
  readonly fills: { readonly ms: PackedColumn; readonly units: PackedColumn } | null;
  /** Stop-loss and take-profit levels: start and end (ms), price in ticks, and 1 for a take-profit. */
  readonly brackets: {
    readonly from: PackedColumn;
    readonly to: PackedColumn;
    readonly price: PackedColumn;
    readonly isTarget: PackedColumn;
  };
}

/** The whole run in about 2,000 points. Money in units of the asset, the rest fractions. */
export interface WireOverview {
  readonly minutes: readonly number[];
  readonly equity: readonly number[];
  /** Buy-and-hold. Null when the run has no execution feed. */
  readonly hold: readonly number[] | null;
  readonly drawdown: readonly number[];
  readonly exposure: readonly number[];
  /** The lowest and the highest equity over all orders of events inside the bars. Null when both equal the equity. */
  readonly band: { readonly low: readonly number[]; readonly high: readonly number[] } | null;
}

/** Closed trades in closing order. */
export interface WireTrades {
  readonly length: number;
  /** Number of trades of the run. Trades after `length` are left out to limit the size. */
  readonly all: number;
  readonly tags: readonly string[];
  readonly columns: { readonly [name in TradeColumnName]: PackedColumn };
}
/** The columns of the closed trades, in the order in which they are packed. */
export const TRADE_COLUMNS = [
  'instrument',
  'strategy',
  'side',
  'entryMs',
  'exitMs',
  'entryPrice',
  'exitPrice',
  'lots',
  'pnl',
  'fees',
  'return',
  'mae',
  'mfe',
  'entryTag',
  'exitTag',
  'exitReason',
] as const;
/** Name of a column of the closed trades. */
export type TradeColumnName = (typeof TRADE_COLUMNS)[number];
/** Digits of the fractions (return, mae, mfe) of trades. */
export const FRACTION_DIGITS = 7;
/** Extra digits of the average prices of trades, in addition to those of the instrument. */
export const PRICE_EXTRA_DIGITS = 2;
/** Stands for a figure of a trade that was not recorded. */
export const NOT_RECORDED = -(2 ** 40);

/**
 * The columns of orders and of fills that a clicked bar shows, with the values of the run record. -1 means no time. `isMidBar`: see
 * barEvents.ts.
 */
export const BAR_ORDER_COLUMNS = [
  'id',
  'instrument',
  'createdMs',
  'isMidBar',
  'doneMs',
  'side',
  'role',
  'ending',
  'lots',
  'quoteUnits',
  'price',
  'filledLots',
  'parent',
  'tag',
  'code',
] as const;
/** The columns of the fills. `order` is the row of the order in `orders`. */
export const BAR_FILL_COLUMNS = ['order', 'timeMs', 'isMidBar', 'price', 'lots', 'isMaker'] as const;
/** Name of a column of the orders. */
export type BarOrderColumnName = (typeof BAR_ORDER_COLUMNS)[number];
/** Name of a column of the fills. */
export type BarFillColumnName = (typeof BAR_FILL_COLUMNS)[number];
/** Orders and fills of the whole run. */
export interface WireBarEvents {
  /** Tags and codes. */
  readonly texts: readonly string[];
  readonly orders: { readonly [name in BarOrderColumnName]: PackedColumn };
  readonly fills: { readonly [name in BarFillColumnName]: PackedColumn };
}

/** All data of the page of a run. */
export interface PageData {
  readonly name: string;
  readonly resultHash: string;
  readonly asset: string;
  readonly assetDigits: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Starting equity in the asset. */
  readonly start: number;
  readonly strategies: readonly string[];
  readonly overview: WireOverview;
  /** The deepest drawdowns: peak, trough, recovery (null: not recovered), depth. */
  readonly drawdowns: readonly WireDrawdown[];
  readonly equity: { readonly minutes: PackedColumn; readonly values: PackedDecimals };
  readonly instruments: readonly WireInstrument[];
  readonly trades: WireTrades;
  /** Orders and fills by bar. Null when there are too many for the page. */
  readonly barEvents: WireBarEvents | null;
  readonly rollingSharpe: { readonly ms: readonly number[]; readonly values: readonly (number | null)[] };
  /** Compounded return (a fraction) in each hour of the week from Monday 00:00 UTC. Null when a bar is a day or longer. */
  readonly hours: readonly number[] | null;
}
/** One drawdown. `recoveryMs` is null when it has not recovered, and `depth` is a fraction below 0. */
export interface WireDrawdown {
  readonly peakMs: number;
  readonly troughMs: number;
  readonly recoveryMs: number | null;
  readonly depth: number;
}
