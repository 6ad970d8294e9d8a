// Values the accounts of a run with cash in several quote assets, row by row, in the reporting asset.

import type { TickColumn } from '../../model/bars/bars.ts';
import type { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { FeedRun } from '../feeds/feed.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Writes the equity of rows. The money of each account is summed in its own asset, and then converted at the closes of its conversion. */
export class ConvertedEquity {
  private readonly ledger: ConvertedLedger;
  private readonly feeds: readonly FeedRun[];
  private readonly ticks: readonly TickColumn[];
  /** The equity of one account in its own asset, reused for each account. */
  private accountUnits = new Float64Array(0);

  /** `feeds`: the execution feeds in instrument order. `ticks`: their prices, row by row. */
  constructor(ledger: ConvertedLedger, feeds: readonly FeedRun[], ticks: readonly TickColumn[]) {
    this.ledger = ledger;
    this.feeds = feeds;
    this.ticks = ticks;
  }

  /** Writes the equity at the instants [from, to) into `units`: feeds that are being marked count row by row, others at their newest row. */
  write(units: Float64Array, from: number, to: number): void {
    const { accounts, conversions } = this.ledger;
    units.fill(accounts[0]!.cashTotal, from, to);
    this.addHoldings(0, units, from, to);
    const length = to - from;
    if (this.accountUnits.length < length) this.accountUnits = new Float64Array(2 * length);
    const { accountUnits } = this;
    // Account 0 has the reporting asset. Each other account has a conversion.
    for (let account = 1; account <= conversions.length; account++) {
      accountUnits.fill(accounts[account]!.cashTotal, 0, length);
      this.addHoldings(account, accountUnits, 0, length);
      const conversion = conversions[account - 1]!;
      const ticks = this.ticks[conversion.index]!;
      const { row, step } = newestRow(this.feeds[conversion.index]!);
      for (let index = 0; index < length; index++) {
        const rateTicks = row < 0 ? NAN : ticks[row + index * step]!;
        units[from + index] = units[from + index]! + conversion.value(accountUnits[index]!, rateTicks);
      }
    }
  }

  /** Adds the value of an account's holdings to `units`, in its own asset. */
  private addHoldings(accountIndex: number, units: Float64Array, from: number, to: number): void {
    const { ledger, feeds } = this;
    for (let index = 0; index < feeds.length; index++) {
      if (ledger.accountOf[index] !== accountIndex || !ledger.holds(index)) continue;
      const { row, step } = newestRow(feeds[index]!);
      if (row >= 0) ledger.addRows(index, units, from, to, this.ticks[index]!, row, step);
    }
  }
}

/**
 * Returns the row of a feed at the first instant that is marked, and the number of rows by which it moves at each further one. The row is -1
 * before the first bar.
 */
function newestRow({ aligned, cursor }: FeedRun): { readonly row: number; readonly step: 0 | 1 } {
  const { isMarking, lead, unmarked } = aligned!;
  const nextRow = cursor.row - lead.cursor.row + unmarked;
  return isMarking ? { row: nextRow, step: 1 } : { row: nextRow - 1, step: 0 };
}
