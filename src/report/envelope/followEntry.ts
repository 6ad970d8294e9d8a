// Follows one entry through the rows of its instrument. Reads finer rows where a row leaves the outcome open.

import type { FundingTime } from '../../model/bars/marks.ts';
import { ticksOf } from '../../model/bars/bars.ts';
import { AsRunPath } from './asRunPath.ts';
import { slipTicks, type Entry } from './entries.ts';
import { OrderPath, type PathMoney } from './orderPath.ts';
import { firstFrom } from '../../base/number/search.ts';
import type { PathRows } from './pathRows.ts';
import type { EnvelopeTerms, FinerRows } from './terms.ts';

/** Called at the close of a row with the lowest and the highest possible profit, each minus the profit of the run, in units. */
export type TakeSpread = (row: number, low: number, high: number) => void;

/** What the paths of one entry may have done. Prices are mirrored. */
export interface Followed {
  /** Lowest and highest profit of the entry minus its profit in the run, in units. 0 when the outcome is certain. */
  readonly low: number;
  readonly high: number;
  /** True when the bars do not determine the time or the price of the entry, or of the exit. */
  readonly isEntryOpen: boolean;
  readonly isExitOpen: boolean;
  /** True when the entry may have ended differently than in the run, or did so according to finer rows. */
  readonly isApart: boolean;
  /** True when a path of the entry was still unfinished when the strategy closed the position. */
  readonly isLeft: boolean;
  /** Profit of the entry in the run, in units. */
  readonly profit: number;
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
  readonly isPaidInside: boolean;
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
    const { bars, open, high, low, close, money, funding, lastMark } = this.rows;
    const { isLong, lots, terms } = entry;
    const sign = isLong ? 1 : -1;
    const pathMoney: PathMoney = {
      closed: (from, to, entryPpm, exitPpm) => money.profit(isLong, lots, Math.abs(from), Math.abs(to), entryPpm, exitPpm),
      slip: (price) => slipTicks(this.terms, price),
    };
    let path = new OrderPath(terms, pathMoney);
    const asRun = new AsRunPath(terms, pathMoney);
    const { length } = bars;
    const firstRow = firstFrom(bars.openMs, length, entry.fromMs);
    const exitRow = firstFrom(bars.openMs, length, entry.exitMs);
    const cancelRow = firstFrom(bars.openMs, length, entry.cancelMs);
    const fundingUnits = (payment: FundingTime): number => (-sign * money.valueOf(lots, payment.markTicks) * payment.rate) / 1e12;
    let next = firstPayment(funding, firstRow < length ? bars.openMs[firstRow]! : Infinity);
    let endMs = bars.closeMs[length - 1] ?? -Infinity;
    let adverse = 0;
    let isPaidInside = false;
    let isLeft = false;
    /** True as soon as another path than that of the run is possible. */
    let isApart = false;
    /** True when finer rows have decided a row. */
    let isRefined = false;
    for (let row = firstRow; row < length; row++) {
      row = this.skipQuietRows(row, Math.min(exitRow, cancelRow, length), path, terms, isLong, isApart, next);
      if (row >= length) break;
      for (; next < funding.length && funding[next]!.timeMs <= bars.openMs[row]!; next++) {
        const units = fundingUnits(funding[next]!);
        path.pay(units, true);
        asRun.pay(units);
      }
      const o = sign * open[row]!;
      const h = isLong ? high[row]! : -low[row]!;
      const l = isLong ? low[row]! : -high[row]!;
      const c = sign * close[row]!;
      if (row === exitRow) {
        isLeft = !path.isOver;
        path.leave(o);
        asRun.leave(o);
      } else if (row === cancelRow) {
        path.cancel();
        asRun.cancel();
      }
      asRun.step(o, h, l, c);
      if (!path.isOver) {
        const before = this.finer === null ? null : path.copy();
        path.step(o, h, l, c);
        if (before !== null) {
          const isUndecided = path.isEntryOpen !== before.isEntryOpen || path.isExitOpen !== before.isExitOpen || !isSame(path, asRun);
          if (isUndecided && stepThrough(before, this.finer!, this.rows, row, isLong)) {
            path = before;
            isApart = true;
            isRefined = true;
          }
        }
        for (; next < funding.length && funding[next]!.timeMs < bars.closeMs[row]!; next++) {
          isPaidInside = true;
          const units = fundingUnits(funding[next]!);
          path.pay(units, false);
          if (!asRun.isPending) asRun.pay(units);
        }
        if (path.open !== null) adverse = Math.max(adverse, (path.open.entryHigh - l) / Math.abs(path.open.entryHigh));
      }
      isApart ||= path.isEntryOpen || path.isExitOpen || !isSame(path, asRun);
      if (isApart) {
        const ownProfit = asRun.profitAt(c);
        take(row, path.lowAt(c) - ownProfit, path.highAt(c) - ownProfit);
      }
      if (path.isOver && !asRun.isPending && !asRun.isOpen) {
        endMs = row === exitRow || row === cancelRow ? bars.openMs[row]! : bars.closeMs[row]!;
        break;
      }
    }
    const isClosedByBracket = Number.isFinite(asRun.exit) && !asRun.isLeft;
    path.finish(sign * lastMark);
    asRun.finish(sign * lastMark);
    return {
      low: isApart ? path.doneLow - asRun.done : 0,
      high: isApart ? path.doneHigh - asRun.done : 0,
      isEntryOpen: path.isEntryOpen,
      isExitOpen: path.isExitOpen || (isApart && !isRefined && !path.isEntryOpen),
      isApart,
      isLeft,
      profit: asRun.done,
      entryPrice: asRun.entry === 0 ? NaN : asRun.entry,
      exitPrice: asRun.exit,
      isClosedByBracket,
      endMs: Math.min(endMs, entry.exitMs),
      adverse: Math.max(adverse, path.adverse),
      isPaidInside,
      isCapped: path.isCapped,
    };
  }

  /** Returns the next row from `row` on in which the entry can fill or end. Works only while the entry has a single path. */
  private skipQuietRows(
    row: number,
    end: number,
    path: OrderPath,
    { kind, level, isChasing, target, stop, trailing }: Entry['terms'],
    isLong: boolean,
    isApart: boolean,
    nextPayment: number,
  ): number {
    if (trailing > 0 || isApart || nextPayment < this.rows.funding.length) return row;
    const { high, low } = this.rows;
    const [up, down] = isLong ? [high, low] : [low, high];
    const sign = isLong ? 1 : -1;
    let next = row;
    if (path.isPending) {
      if (path.open !== null || kind === 'market') return row;
      if (kind === 'trigger' && isChasing) while (next < end && sign * up[next]! < level) next++;
      else while (next < end && sign * down[next]! > level) next++;
    } else if (path.open !== null) while (next < end && sign * down[next]! > stop && sign * up[next]! < target) next++;
    return next;
  }
}

/** True when the only possible path is the path of the run. */
function isSame(path: OrderPath, asRun: AsRunPath): boolean {
  if (path.isPending !== asRun.isPending || (path.open !== null) !== asRun.isOpen) return false;
  return !path.isOver || Math.abs(path.doneLow - asRun.done) < 1e-6;
}

/** Applies the finer rows inside a row until the entry has ended. Returns false when the finer rows do not match the row. */
function stepThrough(path: OrderPath, finer: FinerRows, rows: PathRows, row: number, isLong: boolean): boolean {
  const { instrument, openMs, closeMs } = rows.bars;
  const toMs = closeMs[row]!;
  let [top, bottom] = [-Infinity, Infinity];
  path.isFine = true;
  for (let fromMs = openMs[row]!; fromMs < toMs && !path.isOver;) {
    const fine = finer.next(instrument, fromMs, toMs);
    if (fine === null) return false;
    if (fine.length === 0) break;
    const [open, high, low, close] = [ticksOf(fine, 'open'), ticksOf(fine, 'high'), ticksOf(fine, 'low'), ticksOf(fine, 'close')];
    if (fromMs === openMs[row] && open[0] !== rows.open[row]) return false;
    for (let fineRow = 0; fineRow < fine.length && !path.isOver; fineRow++) {
      top = Math.max(top, high[fineRow]!);
      bottom = Math.min(bottom, low[fineRow]!);
      if (isLong) path.step(open[fineRow]!, high[fineRow]!, low[fineRow]!, close[fineRow]!);
      else path.step(-open[fineRow]!, -low[fineRow]!, -high[fineRow]!, -close[fineRow]!);
    }
    fromMs = fine.closeMs[fine.length - 1]!;
  }
  path.isFine = false;
  // Finer bars may be missing. An unfinished path is complete only if they reach the high and the low of the row.
  return path.isOver || (top === rows.high[row] && bottom === rows.low[row]);
}

/** Returns the index of the first payment after `ms`. */
function firstPayment(funding: readonly FundingTime[], ms: number): number {
  let low = 0;
  let high = funding.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (funding[middle]!.timeMs <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
