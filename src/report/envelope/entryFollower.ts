// Follows one entry through the rows of its instrument. Reads finer rows where a row leaves the outcome open.

import type { FundingTime } from '../../model/bars/contractData.ts';
import { ticksOf } from '../../model/bars/bars.ts';
import { AsRunPath } from './asRunPath.ts';
import { slipTicks, type Entry } from './entries.ts';
import { OrderPath, type PathMoney } from './orderPath.ts';
import { firstFrom } from '../../base/number/search.ts';
import type { PathRows } from './pathRows.ts';
import type { EnvelopeTerms, FinerRows } from './terms.ts';

/** Funding rates are whole multiples of 1e-12. */
const FUNDING_RATE_SCALE = 1e12;
/** Profits that differ by less, in units, are equal up to rounding. */
const SAME_PROFIT_UNITS = 1e-6;

/** Called at the close of a row with the lowest and the highest possible profit, each minus the profit of the run, in units. */
export type TakeSpread = (row: number, low: number, high: number) => void;

/** What the paths of one entry may have done. Prices are mirrored. */
export interface Followed {
  /** Lowest and highest profit of the entry minus its profit in the run, in units. 0 when the outcome is certain. */
  readonly low: number;
  readonly high: number;
  /** True when the bars do not determine the time or the price of the entry, or of the exit. */
  readonly isEntryAmbiguous: boolean;
  readonly isExitAmbiguous: boolean;
  /** True when the entry may have ended differently than in the run. Also true when finer rows say that it did. */
  readonly mayDiffer: boolean;
  /** True when a path of the entry was still unfinished when the strategy closed the position. */
  readonly isUnfinishedAtExit: boolean;
  /** Profit of the entry in the run, in units. */
  readonly profitUnits: number;
  /** Entry and exit price in the run, mirrored. NaN without an entry or an exit. */
  readonly entryPrice: number;
  readonly exitPrice: number;
  /** True when the bracket of the entry closed the trade in the run. */
  readonly isClosedByBracket: boolean;
  /** Time at which all paths of the entry have ended (ms UTC). */
  readonly endMs: number;
  /** Largest adverse move of a position that may have been open, as a fraction of its entry. */
  readonly adverse: number;
  /** True when funding was due inside a row, while a path was unfinished. */
  readonly isFundingDueInside: boolean;
  /** True when a market order may have rested at its highest price. */
  readonly isCapped: boolean;
}

/** Follows entries of one instrument. */
export class EntryFollower {
  private readonly rows: PathRows;
  private readonly terms: EnvelopeTerms;
  private readonly finer: FinerRows | null;

  constructor(rows: PathRows, terms: EnvelopeTerms, finer: FinerRows | null) {
    this.rows = rows;
    this.terms = terms;
    this.finer = finer;
  }

  /** Follows an entry to its end. Calls `take` at each row from which its outcome is open. */
  follow(entry: Entry, take: TakeSpread): Followed {
    const { rows, terms } = this;
    const pathMoney: PathMoney = {
      closed: (from, to, entryPpm, exitPpm) => rows.money.profit(entry.isLong, entry.lots, Math.abs(from), Math.abs(to), entryPpm, exitPpm),
      slip: (price) => slipTicks(terms, price),
    };
    return new EntryWalk(entry, rows, this.finer, pathMoney).follow(take);
  }
}

/** Prices of one row in ticks, mirrored for a short. */
interface MirroredRow {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** One entry on its way through the rows: all of its possible paths beside the path of the run. */
class EntryWalk {
  private readonly entry: Entry;
  private readonly rows: PathRows;
  private readonly finer: FinerRows | null;
  /** 1 for a long entry, -1 for a short one. */
  private readonly sign: 1 | -1;
  private readonly firstRow: number;
  /** Rows at whose open the strategy closes the position, and cancels the order. The number of rows when it never does. */
  private readonly exitRow: number;
  private readonly cancelRow: number;
  private readonly asRun: AsRunPath;
  private path: OrderPath;
  /** Index of the first funding payment that is not booked yet. */
  private nextPayment: number;
  private adverse = 0;
  private isFundingDueInside = false;
  private isUnfinishedAtExit = false;
  /** True as soon as another path than that of the run is possible. */
  private mayDiffer = false;
  /** True when finer rows have decided a row. */
  private isRefined = false;

  constructor(entry: Entry, rows: PathRows, finer: FinerRows | null, money: PathMoney) {
    const { openMs, length } = rows.bars;
    this.entry = entry;
    this.rows = rows;
    this.finer = finer;
    this.sign = entry.isLong ? 1 : -1;
    this.firstRow = firstFrom(openMs, length, entry.fromMs);
    this.exitRow = firstFrom(openMs, length, entry.exitMs);
    this.cancelRow = firstFrom(openMs, length, entry.cancelMs);
    this.path = new OrderPath(entry.terms, money);
    this.asRun = new AsRunPath(entry.terms, money);
    this.nextPayment = firstPayment(rows.funding, this.firstRow < length ? openMs[this.firstRow]! : Infinity);
  }

  /** Follows the entry to its end. Calls `take` at each row from which its outcome is open. */
  follow(take: TakeSpread): Followed {
    const { asRun, exitRow, cancelRow } = this;
    const { openMs, closeMs, length } = this.rows.bars;
    const firstDecisionRow = Math.min(exitRow, cancelRow, length);
    let endMs = closeMs[length - 1] ?? -Infinity;
    for (let row = this.firstRow; row < length; row++) {
      row = this.skipQuietRows(row, firstDecisionRow);
      if (row >= length) break;
      const prices = this.mirroredRow(row);
      this.payBefore(openMs[row]!);
      this.applyDecisions(row, prices.open);
      asRun.step(prices.open, prices.high, prices.low, prices.close);
      if (!this.path.isOver) this.stepPaths(row, prices);
      this.mayDiffer ||= this.path.isEntryAmbiguous || this.path.isExitAmbiguous || !isSame(this.path, asRun);
      if (this.mayDiffer) {
        const runProfit = asRun.profitAt(prices.close);
        take(row, this.path.lowAt(prices.close) - runProfit, this.path.highAt(prices.close) - runProfit);
      }
      if (this.path.isOver && !asRun.isPending && !asRun.isOpen) {
        endMs = row === exitRow || row === cancelRow ? openMs[row]! : closeMs[row]!;
        break;
      }
    }
    return this.finish(endMs);
  }

  /** Returns the next row from `row` on in which the entry can fill or end, at most `end`. It is `row` itself unless there is one path. */
  private skipQuietRows(row: number, end: number): number {
    const { path, sign } = this;
    const { high, low, funding } = this.rows;
    const { kind, level, isChasing, target, stop, trailing } = this.entry.terms;
    if (trailing > 0 || this.mayDiffer || this.nextPayment < funding.length) return row;
    // Mirrored prices: the best one of a row is above its worst one, also for a short.
    const best = this.entry.isLong ? high : low;
    const worst = this.entry.isLong ? low : high;
    let quietEnd = row;
    if (path.isPending) {
      if (path.open !== null || kind === 'market') return row;
      if (kind === 'trigger' && isChasing) while (quietEnd < end && sign * best[quietEnd]! < level) quietEnd++;
      else while (quietEnd < end && sign * worst[quietEnd]! > level) quietEnd++;
    } else if (path.open !== null) {
      while (quietEnd < end && sign * worst[quietEnd]! > stop && sign * best[quietEnd]! < target) quietEnd++;
    }
    return quietEnd;
  }

  /** Returns the prices of a row, mirrored for a short. */
  private mirroredRow(row: number): MirroredRow {
    const { open, high, low, close } = this.rows;
    return this.entry.isLong
      ? { open: open[row]!, high: high[row]!, low: low[row]!, close: close[row]! }
      : { open: -open[row]!, high: -low[row]!, low: -high[row]!, close: -close[row]! };
  }

  /** Books the funding that was due up to the open of a row. */
  private payBefore(openMs: number): void {
    const { funding } = this.rows;
    for (; this.nextPayment < funding.length && funding[this.nextPayment]!.timeMs <= openMs; this.nextPayment++) {
      const units = this.fundingUnits(funding[this.nextPayment]!);
      this.path.pay(units, true);
      this.asRun.pay(units);
    }
  }

  /** Books the funding that is due inside a row. All paths pay it, but a position may have been closed before it. */
  private payInside(closeMs: number): void {
    const { funding } = this.rows;
    for (; this.nextPayment < funding.length && funding[this.nextPayment]!.timeMs < closeMs; this.nextPayment++) {
      this.isFundingDueInside = true;
      const units = this.fundingUnits(funding[this.nextPayment]!);
      this.path.pay(units, false);
      if (!this.asRun.isPending) this.asRun.pay(units);
    }
  }

  /** Returns a funding payment in units, above 0 when the position receives it. */
  private fundingUnits({ markTicks, rate }: FundingTime): number {
    return (-this.sign * this.rows.money.valueOf(this.entry.lots, markTicks) * rate) / FUNDING_RATE_SCALE;
  }

  /** Applies the exit or the cancel that the strategy decided for the open of a row. */
  private applyDecisions(row: number, open: number): void {
    if (row === this.exitRow) {
      this.isUnfinishedAtExit = !this.path.isOver;
      this.path.closeAtOpen(open);
      this.asRun.closeAtOpen(open);
    } else if (row === this.cancelRow) {
      this.path.cancel();
      this.asRun.cancel();
    }
  }

  /** Applies a row to the possible paths. Finer rows replace it if it leaves the outcome open. */
  private stepPaths(row: number, { open, high, low, close }: MirroredRow): void {
    const { finer } = this;
    const pathsBefore = finer === null ? null : this.path.copy();
    this.path.step(open, high, low, close);
    if (finer !== null && pathsBefore !== null && this.isUndecided(pathsBefore)) this.refine(pathsBefore, finer, row);
    this.payInside(this.rows.bars.closeMs[row]!);
    const position = this.path.open;
    if (position !== null) this.adverse = Math.max(this.adverse, (position.entryHigh - low) / Math.abs(position.entryHigh));
  }

  /** True when the last row left an outcome open that was certain before, or ended otherwise than the run. */
  private isUndecided(pathsBefore: OrderPath): boolean {
    const { path, asRun } = this;
    const isNewlyAmbiguous = path.isEntryAmbiguous !== pathsBefore.isEntryAmbiguous || path.isExitAmbiguous !== pathsBefore.isExitAmbiguous;
    return isNewlyAmbiguous || !isSame(path, asRun);
  }

  /** Replaces the step of a row by its finer rows. Rejects them when they do not match the row. */
  private refine(pathsBefore: OrderPath, finer: FinerRows, row: number): void {
    const { instrument, closeMs } = this.rows.bars;
    if (!this.stepThrough(pathsBefore, finer, row)) return finer.reject(instrument, closeMs[row]!);
    this.path = pathsBefore;
    this.mayDiffer = true;
    this.isRefined = true;
  }

  /** Applies the finer rows inside a row until the entry has ended. Returns false when the finer rows do not match the row. */
  private stepThrough(path: OrderPath, finer: FinerRows, row: number): boolean {
    const { rows } = this;
    const { instrument, openMs, closeMs } = rows.bars;
    const toMs = closeMs[row]!;
    let maxTicks = -Infinity;
    let minTicks = Infinity;
    path.isFine = true;
    for (let fromMs = openMs[row]!; fromMs < toMs && !path.isOver;) {
      const fine = finer.next(instrument, fromMs, toMs);
      if (fine === null) return false;
      if (fine.length === 0) break;
      const open = ticksOf(fine, 'open');
      const high = ticksOf(fine, 'high');
      const low = ticksOf(fine, 'low');
      const close = ticksOf(fine, 'close');
      if (fromMs === openMs[row] && open[0] !== rows.open[row]) return false;
      for (let fineRow = 0; fineRow < fine.length && !path.isOver; fineRow++) {
        maxTicks = Math.max(maxTicks, high[fineRow]!);
        minTicks = Math.min(minTicks, low[fineRow]!);
        if (this.entry.isLong) path.step(open[fineRow]!, high[fineRow]!, low[fineRow]!, close[fineRow]!);
        else path.step(-open[fineRow]!, -low[fineRow]!, -high[fineRow]!, -close[fineRow]!);
      }
      fromMs = fine.closeMs[fine.length - 1]!;
    }
    path.isFine = false;
    // Finer bars may be missing. An unfinished path is complete only if they reach the high and the low of the row.
    return path.isOver || (maxTicks === rows.high[row] && minTicks === rows.low[row]);
  }

  /** Values open positions at the last mark price, and returns what the paths may have done. */
  private finish(endMs: number): Followed {
    const { path, asRun, mayDiffer } = this;
    const mark = this.sign * this.rows.lastMark;
    const isClosedByBracket = Number.isFinite(asRun.exit) && !asRun.isClosedByStrategy;
    path.finish(mark);
    asRun.finish(mark);
    return {
      low: mayDiffer ? path.doneLow - asRun.done : 0,
      high: mayDiffer ? path.doneHigh - asRun.done : 0,
      isEntryAmbiguous: path.isEntryAmbiguous,
      isExitAmbiguous: path.isExitAmbiguous || (mayDiffer && !this.isRefined && !path.isEntryAmbiguous),
      mayDiffer,
      isUnfinishedAtExit: this.isUnfinishedAtExit,
      profitUnits: asRun.done,
      entryPrice: asRun.entry === 0 ? NaN : asRun.entry,
      exitPrice: asRun.exit,
      isClosedByBracket,
      endMs: Math.min(endMs, this.entry.exitMs),
      adverse: Math.max(this.adverse, path.adverse),
      isFundingDueInside: this.isFundingDueInside,
      isCapped: path.isCapped,
    };
  }
}

/** True when the only possible path is the path of the run. */
function isSame(path: OrderPath, asRun: AsRunPath): boolean {
  if (path.isPending !== asRun.isPending || (path.open !== null) !== asRun.isOpen) return false;
  return !path.isOver || Math.abs(path.doneLow - asRun.done) < SAME_PROFIT_UNITS;
}

/** Returns the index of the first payment after `timeMs`. */
function firstPayment(funding: readonly FundingTime[], timeMs: number): number {
  let low = 0;
  let high = funding.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (funding[middle]!.timeMs <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
