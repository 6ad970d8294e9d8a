// Follows one entry through the rows of its instrument, with finer rows where a row leaves something open.

import type { FundingTime } from '../../model/bars/marks.ts';
import { ticksOf } from '../../model/bars/bars.ts';
import { AsRunPath } from './asRunPath.ts';
import { slipTicks, type Entry } from './entries.ts';
import { OrderPath, type PathMoney } from './orderPath.ts';
import { firstFrom } from '../../base/number/search.ts';
import type { PathRows } from './pathRows.ts';
import type { EnvelopeTerms, FinerRows } from './terms.ts';

/** Takes how far the lowest and the highest profit lie from the run's own, at the close of a row of the instrument. */
export type TakeSpread = (row: number, low: number, high: number) => void;

export interface Followed {
  /** Lowest and highest profit of the entry less that of the run, in units: 0 when nothing was left open. */
  readonly low: number;
  readonly high: number;
  readonly isEntryOpen: boolean;
  readonly isExitOpen: boolean;
  /** True when it may have ended otherwise, or did so according to finer rows. */
  readonly isApart: boolean;
  /** True when a path of it is still alive as its strategy leaves. */
  readonly isLeft: boolean;
  /** Its profit in the run, in units. */
  readonly profit: number;
  /** The run's own path: mirrored prices, NaN where it did not come to it. */
  readonly entryPrice: number;
  readonly exitPrice: number;
  /** True when its bracket closed the trade in the run. */
  readonly isClosedByBracket: boolean;
  /** When no path of it is alive any more, ms. */
  readonly overMs: number;
  /** Largest adverse move of a position that may have been open, as a fraction of its entry. */
  readonly adverse: number;
  readonly isPaidInside: boolean;
}

export class EntryFollower {
  private readonly rows: PathRows;
  private readonly terms: EnvelopeTerms;
  private readonly finer: FinerRows | null;

  constructor(rows: PathRows, terms: EnvelopeTerms, finer: FinerRows | null) {
    this.rows = rows;
    this.terms = terms;
    this.finer = finer;
  }

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
    const from = firstFrom(bars.openMs, length, entry.fromMs);
    const exitRow = firstFrom(bars.openMs, length, entry.exitMs);
    const cancelRow = firstFrom(bars.openMs, length, entry.cancelMs);
    const paid = (units: number, each: FundingTime): number => (-sign * units * each.rate) / 1e12;
    let next = firstPayment(funding, from < length ? bars.openMs[from]! : Infinity);
    let overMs = bars.closeMs[length - 1] ?? -Infinity;
    let adverse = 0;
    let isPaidInside = false;
    let isLeft = false;
    /** True once what is possible is not what the run did alone. */
    let isApart = false;
    let isRefined = false;
    for (let row = from; row < length; row++) {
      row = this.quietUntil(row, Math.min(exitRow, cancelRow, length), path, terms, isLong, isApart, next);
      if (row >= length) break;
      for (; next < funding.length && funding[next]!.timeMs <= bars.openMs[row]!; next++) {
        const units = paid(money.valueOf(lots, funding[next]!.markTicks), funding[next]!);
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
        if (before !== null && (path.isEntryOpen !== before.isEntryOpen || path.isExitOpen !== before.isExitOpen || !isSame(path, asRun))) {
          if (stepThrough(before, this.finer!, this.rows, row, isLong)) {
            path = before;
            isApart = true;
            isRefined = true;
          }
        }
        for (; next < funding.length && funding[next]!.timeMs < bars.closeMs[row]!; next++) {
          isPaidInside = true;
          const units = paid(money.valueOf(lots, funding[next]!.markTicks), funding[next]!);
          path.pay(units, false);
          if (!asRun.isPending) asRun.pay(units);
        }
        if (path.open !== null) adverse = Math.max(adverse, (path.open.entryHigh - l) / Math.abs(path.open.entryHigh));
      }
      isApart ||= path.isEntryOpen || path.isExitOpen || !isSame(path, asRun);
      if (isApart) {
        const mine = asRun.at(c);
        take(row, path.lowAt(c) - mine, path.highAt(c) - mine);
      }
      if (path.isOver && !asRun.isPending && !asRun.isOpen) {
        overMs = row === exitRow || row === cancelRow ? bars.openMs[row]! : bars.closeMs[row]!;
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
      overMs: Math.min(overMs, entry.exitMs),
      adverse: Math.max(adverse, path.adverse),
      isPaidInside,
    };
  }

  /** Skips rows in which nothing can happen to an entry that has one path until now. */
  private quietUntil(
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
    let at = row;
    if (path.isPending) {
      if (path.open !== null || kind === 'market') return row;
      if (kind === 'trigger' && isChasing) while (at < end && sign * up[at]! < level) at++;
      else while (at < end && sign * down[at]! > level) at++;
    } else if (path.open !== null) while (at < end && sign * down[at]! > stop && sign * up[at]! < target) at++;
    return at;
  }
}

/** True when the only path is that of the run. */
function isSame(path: OrderPath, asRun: AsRunPath): boolean {
  if (path.isPending !== asRun.isPending || (path.open !== null) !== asRun.isOpen) return false;
  return !path.isOver || Math.abs(path.doneLow - asRun.done) < 1e-6;
}

/** Goes through the finer rows of a row until nothing of the entry is left. False: they are not those of the row. */
function stepThrough(path: OrderPath, finer: FinerRows, rows: PathRows, row: number, isLong: boolean): boolean {
  const { instrument, openMs, closeMs } = rows.bars;
  const toMs = closeMs[row]!;
  let [top, bottom] = [-Infinity, Infinity];
  path.isFine = true;
  for (let fromMs = openMs[row]!; fromMs < toMs && !path.isOver;) {
    const part = finer.next(instrument, fromMs, toMs);
    if (part === null) return false;
    if (part.length === 0) break;
    const [open, high, low, close] = [ticksOf(part, 'open'), ticksOf(part, 'high'), ticksOf(part, 'low'), ticksOf(part, 'close')];
    if (fromMs === openMs[row] && open[0] !== rows.open[row]) return false;
    for (let at = 0; at < part.length && !path.isOver; at++) {
      top = Math.max(top, high[at]!);
      bottom = Math.min(bottom, low[at]!);
      if (isLong) path.step(open[at]!, high[at]!, low[at]!, close[at]!);
      else path.step(-open[at]!, -low[at]!, -high[at]!, -close[at]!);
    }
    fromMs = part.closeMs[part.length - 1]!;
  }
  path.isFine = false;
  // Finer bars may be missing. What is left has seen all of the row only if they reach its prices.
  return path.isOver || (top === rows.high[row] && bottom === rows.low[row]);
}

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
