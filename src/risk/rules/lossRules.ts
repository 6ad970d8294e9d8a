// Loss rules: a daily loss, or a fall of equity below its peak, halts new risk at the row in which it happens.

import type { Ratio } from '../../base/number/decimalText.ts';
import { mulDiv } from '../../base/number/exact.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';
import type { EquityRule, EquityWatch, Halt } from './rule.ts';
import { ratioText } from '../limits/limitTexts.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

const DAY_MS = 86_400_000;
type MoneyText = (units: number) => string;

/**
 * Returns the highest equity at which `share` of `from` is lost, rounded down because equities are whole; -Infinity if `from` is not above
 * 0.
 */
function floorAfter(from: number, { numerator, denominator }: Ratio): number {
  return from > 0 ? mulDiv(from, denominator - numerator, denominator, 'down') : -INFINITY;
}

/**
 * True when the equity `units` has lost at least `multiple` times the share of the limit, computed exactly. Also true when a figure is not a whole
 * number, because the loss is then unknown.
 */
export function isLossBeyond({ from, share }: Pick<EquityWatch, 'from' | 'share'>, units: number, multiple: Ratio): boolean {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(units) || from <= 0) return true;
  const lostUnits = BigInt(from) - BigInt(units);
  return (
    lostUnits * BigInt(share.denominator) * BigInt(multiple.denominator) >=
    BigInt(from) * BigInt(share.numerator) * BigInt(multiple.numerator)
  );
}

/** The common part of both rules: the baseline of losses, the equity at which the limit is reached, and whether the halt is raised. */
abstract class FallWatch {
  protected fallShare: Ratio;
  protected readonly halt: Halt;
  protected readonly money: MoneyText;
  /** The newest equity. */
  protected newestUnits = NAN;
  /** The equity that losses are measured from. */
  protected baseline = NAN;
  /** The equity at or below which the rule halts. */
  protected floor = -INFINITY;
  protected isHalted = false;
  private readonly shareOf: (limits: ResolvedLimits) => Ratio | null;

  constructor(shareOf: (limits: ResolvedLimits) => Ratio | null, limits: ResolvedLimits, halt: Halt, money: MoneyText) {
    this.shareOf = shareOf;
    this.fallShare = shareOf(limits)!;
    this.halt = halt;
    this.money = money;
  }
  get from(): number {
    return this.baseline;
  }
  get share(): Ratio {
    return this.fallShare;
  }
  reset(): void {
    this.isHalted = false;
    this.measureFrom(this.newestUnits);
  }
  setLimit(limits: ResolvedLimits): void {
    this.fallShare = this.shareOf(limits)!;
    this.measureFrom(this.baseline);
  }
  protected measureFrom(units: number): void {
    this.baseline = units;
    this.floor = floorAfter(units, this.fallShare);
  }
}

/** Halts new risk until the next day after a loss since 00:00 UTC, relative to the equity at that time. A run has no deposits. */
class DayWatch extends FallWatch implements EquityWatch {
  private dayEnd = -INFINITY;

  begin(units: number, nowMs: number): void {
    this.newestUnits = units;
    this.startDay(units, nowMs);
  }
  roll(nowMs: number): void {
    if (nowMs >= this.dayEnd) this.startDay(this.newestUnits, nowMs);
  }
  scan(timeMs: Float64Array, units: Float64Array, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      const equity = units[row]!;
      const ms = timeMs[row]!;
      // A row that closes at 00:00 has the equity of that time. If the first row of a day closes later, the row before it has.
      if (ms >= this.dayEnd) this.startDay(ms % DAY_MS === 0 ? equity : this.newestUnits, ms);
      this.newestUnits = equity;
      if (equity <= this.floor && !this.isHalted) {
        this.isHalted = true;
        this.halt(
          true,
          ms,
          `equity of ${this.money(equity)}, ${this.money(this.baseline)} at 00:00 UTC: a loss of ${ratioText(this.fallShare)} or more`,
        );
      }
    }
  }
  snapshot(): readonly number[] {
    return [this.dayEnd, this.baseline, this.isHalted ? 1 : 0];
  }
  restore([dayEnd = NAN, baseline = NAN, isHalted = 0]: readonly number[]): void {
    if (dayEnd !== this.dayEnd || Number.isNaN(baseline)) return;
    this.measureFrom(baseline);
    this.isHalted = isHalted === 1;
  }

  private startDay(baseline: number, nowMs: number): void {
    const start = nowMs - (nowMs % DAY_MS);
    this.dayEnd = start + DAY_MS;
    this.measureFrom(baseline);
    if (this.isHalted) this.halt(false, start, 'a new day');
    this.isHalted = false;
  }
}

/** Halts new risk after a fall of equity below its peak since the start of the run. Once the operator clears it, the peak starts again. */
class PeakWatch extends FallWatch implements EquityWatch {
  begin(units: number): void {
    this.newestUnits = units;
    this.reset();
  }
  snapshot(): readonly number[] {
    return [this.baseline, this.isHalted ? 1 : 0];
  }
  restore([peak = NAN, isHalted = 0]: readonly number[]): void {
    if (peak > this.baseline) this.measureFrom(peak);
    this.isHalted = isHalted === 1;
  }
  roll(): void {
    // The peak does not depend on the day.
  }
  scan(timeMs: Float64Array, units: Float64Array, from: number, to: number): void {
    if (to > from) this.newestUnits = units[to - 1]!;
    if (this.isHalted) return;
    let peak = this.baseline;
    let floor = this.floor;
    for (let row = from; row < to; row++) {
      const equity = units[row]!;
      if (equity > peak) {
        peak = equity;
        floor = floorAfter(peak, this.fallShare);
      } else if (equity <= floor) {
        this.isHalted = true;
        this.baseline = peak;
        this.halt(
          true,
          timeMs[row]!,
          `equity of ${this.money(equity)}, ${this.money(peak)} at the peak: down by ${ratioText(this.fallShare)} or more`,
        );
        return;
      }
    }
    this.baseline = peak;
    this.floor = floor;
  }
}

/** Halts the account when its equity has fallen too far since the start of the day (UTC). */
export const dailyLossRule: EquityRule = {
  kind: 'equity',
  code: 'DAILY_LOSS',
  keys: ['maxDailyLoss'],
  needs: ['ledger', 'marks'],
  watch: (limits, halt, money) => new DayWatch(({ dailyLoss: share }) => share, limits, halt, money),
};

/** Halts the account when its equity has fallen too far below its highest value. */
export const drawdownRule: EquityRule = {
  kind: 'equity',
  code: 'DRAWDOWN',
  keys: ['maxDrawdown'],
  needs: ['ledger', 'marks'],
  watch: (limits, halt, money) => new PeakWatch(({ drawdown: share }) => share, limits, halt, money),
};
