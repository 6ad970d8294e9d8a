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

/** Loss since 00:00 UTC, relative to the equity then: halts new risk until the next day. A run has no deposits. */
class DayWatch implements EquityWatch {
  private fallShare: Ratio;
  private readonly halt: Halt;
  private readonly money: Money;
  private dayEnd = -INFINITY;
  private last = NAN;
  private anchor = NAN;
  private floor = -INFINITY;
  private isHalted = false;

  constructor(share: Ratio, halt: Halt, money: Money) {
    this.fallShare = share;
    this.halt = halt;
    this.money = money;
  }
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

  reset(): void {
    this.isHalted = false;
    this.anchor = this.last;
    this.floor = floorAfter(this.last, this.fallShare);
  }
  get from(): number {
    return this.anchor;
  }
  get share(): Ratio {
    return this.fallShare;
  }
  setLimit({ dailyLoss: share }: ResolvedLimits): void {
    this.fallShare = share!;
    this.floor = floorAfter(this.anchor, this.fallShare);
  }
  snapshot(): readonly number[] {
    return [this.dayEnd, this.anchor, this.isHalted ? 1 : 0];
  }
  restore([dayEnd = NAN, anchor = NAN, isHalted = 0]: readonly number[]): void {
    if (dayEnd !== this.dayEnd || Number.isNaN(anchor)) return;
    this.anchor = anchor;
    this.floor = floorAfter(anchor, this.fallShare);
    this.isHalted = isHalted === 1;
  }

  private startDay(anchor: number, nowMs: number): void {
    const start = nowMs - (nowMs % DAY_MS);
    this.dayEnd = start + DAY_MS;
    this.anchor = anchor;
    this.floor = floorAfter(anchor, this.fallShare);
    if (this.isHalted) this.halt(false, start, 'a new day');
    this.isHalted = false;
  }
}

/** Fall of equity below its peak since the begin of the run: halts new risk until the operator clears it, then counts from that equity. */
class PeakWatch implements EquityWatch {
  private fallShare: Ratio;
  private readonly halt: Halt;
  private readonly money: Money;
  private last = NAN;
  private peak = NAN;
  private floor = -INFINITY;
  private isHalted = false;

  constructor(share: Ratio, halt: Halt, money: Money) {
    this.fallShare = share;
    this.halt = halt;
    this.money = money;
  }
  begin(units: number): void {
    this.last = units;
    this.reset();
  }
  reset(): void {
    this.isHalted = false;
    this.peak = this.last;
    this.floor = floorAfter(this.last, this.fallShare);
  }
  get from(): number {
    return this.peak;
  }
  get share(): Ratio {
    return this.fallShare;
  }
  setLimit({ drawdown: share }: ResolvedLimits): void {
    this.fallShare = share!;
    this.floor = floorAfter(this.peak, this.fallShare);
  }
  snapshot(): readonly number[] {
    return [this.peak, this.isHalted ? 1 : 0];
  }
  restore([peak = NAN, isHalted = 0]: readonly number[]): void {
    if (peak > this.peak) {
      this.peak = peak;
      this.floor = floorAfter(peak, this.fallShare);
    }
    this.isHalted = isHalted === 1;
  }
  roll(): void {
    // The peak does not depend on the day.
  }
  scan(timeMs: Float64Array, units: Float64Array, from: number, to: number): void {
    if (to > from) this.last = units[to - 1]!;
    if (this.isHalted) return;
    let peak = this.peak;
    let floor = this.floor;
    for (let row = from; row < to; row++) {
      const equity = units[row]!;
      if (equity > peak) {
        peak = equity;
        floor = floorAfter(peak, this.fallShare);
      } else if (equity <= floor) {
        this.isHalted = true;
        this.peak = peak;
        this.halt(
          true,
          timeMs[row]!,
          `equity of ${this.money(equity)}, ${this.money(peak)} at the peak: down by ${ratioText(this.fallShare)} or more`,
        );
        return;
      }
    }
    this.peak = peak;
    this.floor = floor;
  }
}

export const dailyLoss: EquityRule = {
  kind: 'equity',
  code: 'DAILY_LOSS',
  keys: ['maxDailyLoss'],
  needs: ['ledger', 'marks'],
  watch: ({ dailyLoss: share }, halt, money) => new DayWatch(share!, halt, money),
};

export const drawdown: EquityRule = {
  kind: 'equity',
  code: 'DRAWDOWN',
  keys: ['maxDrawdown'],
  needs: ['ledger', 'marks'],
  watch: ({ drawdown: share }, halt, money) => new PeakWatch(share!, halt, money),
};
