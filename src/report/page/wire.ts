// What the writer of a report hands to the script of its page: a small JSON head, and packed columns that it refers to by name.

import type { Interval } from '../../model/interval.ts';
import type { ContractFace } from '../kernels/contractValue.ts';

/**
 * A column of integers as bytes: themselves, their differences or the differences of those (`order` 0, 1, 2), zigzag, in byte planes
 * (lowest first), gzip, base64, as the text of the element `id`.
 */
export interface PackedColumn {
  readonly id: string;
  readonly length: number;
  readonly planes: number;
  readonly order: 0 | 1 | 2;
}

/** A packed column of decimals: integers times `step.times` / 10^`step.digits`, and runs of rows that have no value (first row, count, ...). */
export interface PackedDecimals extends PackedColumn {
  readonly step: PackedStep;
  readonly holes: readonly number[];
}
/** What one unit of an integer stands for: 1, 2 or 5 of 10^-digits. */
export interface PackedStep {
  readonly times: 1 | 2 | 5;
  readonly digits: number;
}

export interface WireTrace {
  readonly name: string;
  /** `price` draws over the bars, any other name is a pane of its own. */
  readonly pane: string;
  readonly values: PackedDecimals;
  /** Closes of its own feed's bars (minutes UTC); null where that feed is the instrument's finest. */
  readonly closes: PackedColumn | null;
}

/** `face` and `isInverse`: how a holding becomes money. */
export interface WireInstrument extends ContractFace {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  /** Quantities count contracts, not coins of `base`. */
  readonly isContract: boolean;
  readonly quantityDigits: number;
  readonly baseDigits: number;
  readonly priceDigits: number;
  /** Digits of the price columns: `priceDigits`, or fewer where 32 bits do not hold them. */
  readonly digits: number;
  readonly interval: Interval;
  /** The interval of the run's own bars: finer than `interval` where the page would have grown too large. */
  readonly ranOn: Interval;
  /** A bar that the strategy did not trade on: its instrument's feeds only inform. */
  readonly execution: boolean;
  readonly synthetic: boolean;
  /** A coarse level, to draw from before anything is unpacked: bars as open time in minutes, open, high, low, close in turn. */
  readonly first: { readonly interval: Interval; readonly cells: readonly number[] };
  readonly time: PackedColumn;
  readonly open: PackedColumn;
  readonly high: PackedColumn;
  readonly low: PackedColumn;
  readonly close: PackedColumn;
  readonly traces: readonly WireTrace[];
  /** Changes of the holding: when (ms) and by how much (units of the base asset); null where there are too many to carry. */
  readonly fills: { readonly ms: PackedColumn; readonly units: PackedColumn } | null;
  /** Stops and targets: from, until (ms), price in ticks, 1 for a target. */
  readonly brackets: {
    readonly from: PackedColumn;
    readonly to: PackedColumn;
    readonly price: PackedColumn;
    readonly isTarget: PackedColumn;
  };
}

/** A picture of the whole run in about 2,000 points. Money in units of the asset, the rest fractions. */
export interface WireOverview {
  readonly minutes: readonly number[];
  readonly equity: readonly number[];
  /** Buy-and-hold; null where nothing was executed on. */
  readonly hold: readonly number[] | null;
  readonly drawdown: readonly number[];
  readonly exposure: readonly number[];
}

/** Closed trades in closing order. */
export interface WireTrades {
  readonly length: number;
  /** Trades of the run; those after `length` are left out for size. */
  readonly all: number;
  readonly tags: readonly string[];
  readonly columns: { readonly [name in TradeColumnName]: PackedColumn };
}
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
] as const;
export type TradeColumnName = (typeof TRADE_COLUMNS)[number];
/** Digits of the fractions (return, mae, mfe) of trades. */
export const FRACTION_DIGITS = 7;
/** Average prices of trades carry this many digits more than the instrument. */
export const PRICE_EXTRA_DIGITS = 2;
/** Stands for a figure of a trade that was not recorded. */
export const NOT_RECORDED = -(2 ** 40);

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
  /** The deepest drawdowns: peak, trough, recovery (null: not regained), depth. */
  readonly drawdowns: readonly WireDrawdown[];
  readonly equity: { readonly minutes: PackedColumn; readonly values: PackedDecimals };
  readonly instruments: readonly WireInstrument[];
  readonly trades: WireTrades;
  readonly rollingSharpe: { readonly ms: readonly number[]; readonly values: readonly (number | null)[] };
  /** Compounded return (a fraction) within each hour of the week from Monday 00:00 UTC; null where a bar is a day or longer. */
  readonly hours: readonly number[] | null;
}
export interface WireDrawdown {
  readonly peakMs: number;
  readonly troughMs: number;
  readonly recoveryMs: number | null;
  readonly depth: number;
}
