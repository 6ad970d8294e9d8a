// Loss rules: a daily loss and a fall from the peak halt new risk, at the row at which they happen.

import type { Ratio } from '../../base/number/decimalText.ts';
import { mulDiv } from '../../base/number/exact.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';
import type { EquityRule, EquityWatch, Halt } from './rule.ts';
import { ratioText } from '../limits/words.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

const DAY_MS = 86_400_000;
type Money = (units: number) => string;

/** Returns the equity at or below which `share` of `from` is lost: the exact bound, rounded down because equities are whole. */
function floorAfter(from: number, { numerator, denominator }: Ratio): number {
  return from > 0 ? mulDiv(from, denominator - numerator, denominator, 'down') : -INFINITY;
}

/**
 * True when `units` has lost at least `times` the limit of `watch`, exactly. Also true when a figure is not a whole number, because the
 * loss is then unknown.
 */
export function isLossBeyond({ from, share }: Pick<EquityWatch, 'from' | 'share'>, units: number, times: Ratio): boolean {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(units) || from <= 0) return true;
  const lost = BigInt(from) - BigInt(units);
  return lost * BigInt(share.denominator) * BigInt(times.denominator) >= BigInt(from) * BigInt(share.numerator) * BigInt(times.numerator);
}

/** What both rules have: the equity that losses are measured from, the bound below it, and whether the halt is raised. */
abstract class FallWatch {
  protected fallShare: Ratio;
  protected readonly halt: Halt;
  protected readonly money: Money;
  protected last = NAN;
  protected anchor = NAN;
  protected floor = -INFINITY;
  protected isHalted = false;
  private readonly shareOf: (limits: ResolvedLimits) => Ratio | null;

  constructor(shareOf: (limits: ResolvedLimits) => Ratio | null, limits: ResolvedLimits, halt: Halt, money: Money) {
    this.shareOf = shareOf;
    this.fallShare = shareOf(limits)!;
    this.halt = halt;
    this.money = money;
  }
  get from(): number {
    return this.anchor;
  }
  get share(): Ratio {
    return this.fallShare;
  }
  reset(): void {
    this.isHalted = false;
    this.measureFrom(this.last);
  }
  setLimit(limits: ResolvedLimits): void {
    this.fallShare = this.shareOf(limits)!;
    this.measureFrom(this.anchor);
  }
  protected measureFrom(units: number): void {
    this.anchor = units;
    this.floor = floorAfter(units, this.fallShare);
  }
}

/** Loss since 00:00 UTC, relative to the equity then: halts new risk until the next day. A run has no deposits. */
class DayWatch extends FallWatch implements EquityWatch {
  private dayEnd = -INFINITY;

  begin(units: number, nowMs: number): void {
    this.last = units;
    this.startDay(units, nowMs);
  }
  roll(nowMs: number): void {
    if (nowMs >= this.dayEnd) this.startDay(this.last, nowMs);
  }
  scan(timeMs: Float64Array, units: Float64Array, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      const equity = units[row]!;
      const ms = timeMs[row]!;
      // A row that closes at 00:00 has the newest equity of that time, so it is the baseline. Any other first row of a day comes after it.
      if (ms >= this.dayEnd) this.startDay(ms % DAY_MS === 0 ? equity : this.last, ms);
      this.last = equity;
      if (equity <= this.floor && !this.isHalted) {
        this.isHalted = true;
        this.halt(
          true,
          ms,
          `equity of ${this.money(equity)}, ${this.money(this.anchor)} at 00:00 UTC: a loss of ${ratioText(this.fallShare)} or more`,
        );
      }
    }
  }
  snapshot(): readonly number[] {
    return [this.dayEnd, this.anchor, this.isHalted ? 1 : 0];
  }
  restore([dayEnd = NAN, anchor = NAN, isHalted = 0]: readonly number[]): void {
    if (dayEnd !== this.dayEnd || Number.isNaN(anchor)) return;
    this.measureFrom(anchor);
    this.isHalted = isHalted === 1;
  }

  private startDay(anchor: number, nowMs: number): void {
    const start = nowMs - (nowMs % DAY_MS);
    this.dayEnd = start + DAY_MS;
    this.measureFrom(anchor);
    if (this.isHalted) this.halt(false, start, 'a new day');
    this.isHalted = false;
  }
}

/** Fall of equity below its peak since the begin of the run: halts new risk until the operator clears it, then counts from that equity. */
class PeakWatch extends FallWatch implements EquityWatch {
  begin(units: number): void {
    this.last = units;
    this.reset();
  }
  snapshot(): readonly number[] {
    return [this.anchor, this.isHalted ? 1 : 0];
  }
  restore([peak = NAN, isHalted = 0]: readonly number[]): void {
    if (peak > this.anchor) this.measureFrom(peak);
    this.isHalted = isHalted === 1;
  }
  roll(): void {
    // The peak does not depend on the day.
  }
  scan(timeMs: Float64Array, units: Float64Array, from: number, to: number): void {
    if (to > from) this.last = units[to - 1]!;
    if (this.isHalted) return;
    let peak = this.anchor;
    let floor = this.floor;
    for (let row = from; row < to; row++) {
      const equity = units[row]!;
      if (equity > peak) {
        peak = equity;
        floor = floorAfter(peak, this.fallShare);
      } else if (equity <= floor) {
        this.isHalted = true;
        this.anchor = peak;
        this.halt(
          true,
          timeMs[row]!,
          `equity of ${this.money(equity)}, ${this.money(peak)} at the peak: down by ${ratioText(this.fallShare)} or more`,
        );
        return;
      }
    }
    this.anchor = peak;
    this.floor = floor;
  }
}

export const dailyLoss: EquityRule = {
  kind: 'equity',
  code: 'DAILY_LOSS',
  keys: ['maxDailyLoss'],
  needs: ['ledger', 'marks'],
  watch: (limits, halt, money) => new DayWatch(({ dailyLoss: share }) => share, limits, halt, money),
};

export const drawdown: EquityRule = {
  kind: 'equity',
  code: 'DRAWDOWN',
  keys: ['maxDrawdown'],
  needs: ['ledger', 'marks'],
  watch: (limits, halt, money) => new PeakWatch(({ drawdown: share }) => share, limits, halt, money),
};
