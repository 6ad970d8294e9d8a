// Types of the data that the writer of report.html passes to the script of the page. The data are a small JSON head (`PageData`) and the
// packed columns that the head refers to. Members with the type `PackedColumn` or `PackedDecimals` are such references.

import type { Interval } from '../../model/interval.ts';
import type { ContractFace } from '../kernels/contractValue.ts';

/** A column of integers. Encoding: differences, zigzag, byte planes (lowest first), gzip, base64. */
export interface PackedColumn {
  /** Id of the page element whose text is the column. */
  readonly id: string;
  /** Number of values. */
  readonly length: number;
  /** Bytes for each value. */
  readonly planes: number;
  /** 0 for the values themselves, 1 for their differences, 2 for the differences of the differences. */
  readonly order: 0 | 1 | 2;
}

/** A packed column of decimals: integers times `step`. */
export interface PackedDecimals extends PackedColumn {
  readonly step: PackedStep;
  /** The gaps, each as two numbers: the first row without a value, and the number of rows without one. */
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
  /** Close times of the bars of the indicator's feed, minutes since 1970 UTC. Null when that feed is the finest of the instrument. */
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
  /**
   * Index in `instruments` of the instrument whose close converts the quote asset to the reporting asset. Absent if both assets are equal, and
   * if that instrument has no chart.
   */
  readonly convertedBy?: number;
  /** True when orders fill in the bars of the instrument. */
  readonly execution: boolean;
  /** True when the bars were generated. */
  readonly synthetic: boolean;
  /** Coarse bars for the first picture. Each bar has five cells: open time in minutes, open, high, low, close. */
  readonly first: { readonly interval: Interval; readonly cells: readonly number[] };
  /** Open times of the bars, minutes since 1970 UTC. */
  readonly time: PackedColumn;
  /** Opens minus the close of the bar before, in units of 10^-`digits`. Small numbers pack well. */
  readonly open: PackedColumn;
  /** Distance of the high above the higher of open and close, in the same units. */
  readonly high: PackedColumn;
  /** Distance of the low below the lower of open and close, in the same units. */
  readonly low: PackedColumn;
  /** Closes, in units of 10^-`digits`. */
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

/** The whole run in about 2,000 points, in columns of equal length. Money is in the reporting asset. */
export interface WireOverview {
  /** Times of the points, minutes since 1970 UTC. */
  readonly minutes: readonly number[];
  readonly equity: readonly number[];
  /** Equity of buy-and-hold. Null when the run has no execution feed. */
  readonly hold: readonly number[] | null;
  /** The deepest drawdown since the point before, as a fraction at most 0. */
  readonly drawdown: readonly number[];
  /** Mean absolute value of the positions since the point before, as a fraction of the equity. */
  readonly exposure: readonly number[];
  /** The lowest and the highest equity over all orders of events inside the bars. Null when both equal the equity. */
  readonly band: { readonly low: readonly number[]; readonly high: readonly number[] } | null;
}

/** Closed trades in closing order. */
export interface WireTrades {
  /** Number of closed trades on the page. */
  readonly length: number;
  /** Number of closed trades of the run. The page leaves out trades after the first `length` to limit its size. */
  readonly all: number;
  /** The texts to which the columns `entryTag` and `exitTag` refer by index. */
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

/** The columns of the orders that a clicked bar shows, with the values of the run record. A time of -1 means no time. `isMidBar`: barEvents.ts. */
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
/** The columns of the fills that a clicked bar shows. `order` is the row of the fill's order among the orders. */
export const BAR_FILL_COLUMNS = ['order', 'timeMs', 'isMidBar', 'price', 'lots', 'isMaker'] as const;
/** Name of a column of the orders. */
export type BarOrderColumnName = (typeof BAR_ORDER_COLUMNS)[number];
/** Name of a column of the fills. */
export type BarFillColumnName = (typeof BAR_FILL_COLUMNS)[number];
/** Orders and fills of the whole run. */
export interface WireBarEvents {
  /** The texts to which the columns `tag` and `code` refer by index. */
  readonly texts: readonly string[];
  readonly orders: { readonly [name in BarOrderColumnName]: PackedColumn };
  readonly fills: { readonly [name in BarFillColumnName]: PackedColumn };
}

/** All data of the page of a run. */
export interface PageData {
  readonly name: string;
  readonly resultHash: string;
  /** The reporting asset. */
  readonly asset: string;
  readonly assetDigits: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Equity at the start, in the reporting asset. */
  readonly start: number;
  readonly strategies: readonly string[];
  readonly overview: WireOverview;
  /** The deepest drawdowns, the deepest one first. */
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
/** One drawdown of the equity. */
export interface WireDrawdown {
  readonly peakMs: number;
  readonly troughMs: number;
  /** When the equity reached its peak again; null if it has not. */
  readonly recoveryMs: number | null;
  /** Largest loss as a fraction of the peak, below 0. */
  readonly depth: number;
}
