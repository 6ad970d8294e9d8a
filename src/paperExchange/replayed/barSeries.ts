// The bars that a market replays, in whole ticks and lots, with the marks and the funding of its contract.

import { pow10 } from '../../base/number/exact.ts';
import { type BarColumns, ticksOf, type TickColumn } from '../../model/bars/bars.ts';
import { lotsPerCoin, wholeLots } from '../../model/instrument.ts';
import type { MarkRow } from '../../venue/futures/liquidation.ts';
import type { FillBar } from '../../venue/slippage.ts';
import type { TickBar } from '../market/klines.ts';

/** Prices or mark prices in ticks, one for each row of the bars. */
export interface TickColumns {
  readonly open: TickColumn;
  readonly high: TickColumn;
  readonly low: TickColumn;
  readonly close: TickColumn;
}

/** One funding: its time, the rate (whole in 10^-12), and the mark in ticks that it applies to. */
export interface RowFunding {
  readonly timeMs: number;
  readonly rate: number;
  readonly markTicks: number;
}

/** The rows that one market replays. `bars` must have the market's own instrument object. */
export interface ReplayedRows {
  readonly bars: BarColumns;
  /** Rows before this one are the history that the exchange opens with. */
  readonly firstRow: number;
  /** Marks of a contract. Null: the bars' own prices. */
  readonly marks: TickColumns | null;
  /** Funding of a contract, in order of time. */
  readonly funding: readonly RowFunding[];
}

/** Reads bars, marks and funding row by row. */
export class ReplayedSeries {
  readonly bars: BarColumns;
  /** The first row that is replayed. Earlier rows are history. */
  readonly firstRow: number;
  /** Mark prices of each row. */
  readonly marks: TickColumns;
  /** Funding times and rates, ascending. */
  readonly funding: readonly RowFunding[];
  readonly #prices: TickColumns;
  readonly #lotsPerCoin: number;
  /** Units of a volume of 1 at the digits of the instrument's quantities, as klines have them. */
  readonly #volumeScale: number;

  constructor({ bars, firstRow, marks, funding }: ReplayedRows) {
    this.bars = bars;
    this.firstRow = firstRow;
    const { instrument } = bars;
    this.#prices = { open: ticksOf(bars, 'open'), high: ticksOf(bars, 'high'), low: ticksOf(bars, 'low'), close: ticksOf(bars, 'close') };
    this.marks = marks ?? this.#prices;
    this.funding = funding;
    this.#lotsPerCoin = lotsPerCoin(instrument);
    this.#volumeScale = pow10(instrument.quantityDigits);
  }

  /** Returns the marks of a row. */
  marksOf(row: number): MarkRow {
    const { open, high, low, close } = this.marks;
    return { open: open[row]!, high: high[row]!, low: low[row]!, close: close[row]! };
  }
  /** Number of rows. */
  get length(): number {
    return this.bars.length;
  }
  /** Returns the open time of a row, ms UTC; Infinity after the last row. */
  openMs(row: number): number {
    return this.bars.openMs[row] ?? Infinity;
  }
  /** Returns the close time of a row, ms UTC; Infinity after the last row. */
  closeMs(row: number): number {
    return this.bars.closeMs[row] ?? Infinity;
  }

  /** Returns the bar as clients see it. Its `lots` are the volume at the digits of quantities, rounded to the nearest. */
  bar(row: number): TickBar {
    const { open, high, low, close } = this.#prices;
    const volume = Math.round(this.bars.volume[row]! * this.#volumeScale);
    return { openMs: this.bars.openMs[row]!, open: open[row]!, high: high[row]!, low: low[row]!, close: close[row]!, lots: volume };
  }
  /** Returns the volume of the row in lots, rounded down. A volume cap allows a share of them. */
  wholeLots(row: number): number {
    return wholeLots(this.bars.volume[row]!, this.#lotsPerCoin);
  }
  /** Returns a row as the bar on which slippage may depend. */
  fillBar(row: number): FillBar {
    const { open, high, low, close } = this.bar(row);
    return { open, high, low, close, volumeLots: this.bars.volume[row]! * this.#lotsPerCoin };
  }
  /** Price before the first row, in ticks: the last close of the history, or the first open. */
  get startTicks(): number {
    return this.firstRow > 0 ? this.#prices.close[this.firstRow - 1]! : this.#prices.open[0]!;
  }
}
