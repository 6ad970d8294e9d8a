// Gives the paths of entries the rows of their instrument: prices in ticks, funding, and the last mark price.

import type { FundingTime } from '../../model/bars/contractData.ts';
import { ticksOf, type BarColumns, type TickColumn } from '../../model/bars/bars.ts';
import type { TradeMoney } from './tradeMoney.ts';

/** What `PathRows` is made of. */
export interface PathRowsOptions {
  readonly bars: BarColumns;
  /** First row of the run itself. Rows before it are warm-up. */
  readonly firstRow: number;
  readonly money: TradeMoney;
  readonly funding: readonly FundingTime[];
  /** The mark price at the end of the run, in ticks. */
  readonly lastMark: number;
}

/** The rows of one instrument. */
export class PathRows {
  /** The bars. */
  readonly bars: BarColumns;
  /** Opens and closes in ticks. */
  readonly open: TickColumn;
  readonly close: TickColumn;
  /** The arithmetic of the instrument's money. */
  readonly money: TradeMoney;
  /** Funding times and rates; empty for spot. */
  readonly funding: readonly FundingTime[];
  /** The mark price at the end of the run, in ticks. */
  readonly lastMark: number;
  private readonly firstRow: number;
  /** Highs and lows in ticks; null before their first use. */
  private highTicks: TickColumn | null = null;
  private lowTicks: TickColumn | null = null;

  constructor({ bars, firstRow, money, funding, lastMark }: PathRowsOptions) {
    this.bars = bars;
    this.open = ticksOf(bars, 'open');
    this.close = ticksOf(bars, 'close');
    this.money = money;
    this.funding = funding;
    this.lastMark = lastMark;
    this.firstRow = firstRow;
  }

  // Highs and lows are converted to ticks on first use, because a run without brackets and limits does not need them.
  /** Highs in ticks. */
  get high(): TickColumn {
    return (this.highTicks ??= ticksOf(this.bars, 'high'));
  }
  /** Lows in ticks. */
  get low(): TickColumn {
    return (this.lowTicks ??= ticksOf(this.bars, 'low'));
  }

  /** Distance between the lowest and the highest price of the run, in ticks. */
  get range(): number {
    const { high, low, bars } = this;
    let maxTicks = -Infinity;
    let minTicks = Infinity;
    for (let row = this.firstRow; row < bars.length; row++) {
      if (high[row]! > maxTicks) maxTicks = high[row]!;
      if (low[row]! < minTicks) minTicks = low[row]!;
    }
    return maxTicks - minTicks;
  }
}
