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

/** Writes an amount of the reporting asset for a message. */
type MoneyText = (units: number) => string;

/**
 * Returns the highest equity at which `share` of the baseline is lost, rounded down because equities are whole; -Infinity if the baseline is
 * not above 0.
 */
function floorAfter(baselineUnits: number, share: Ratio): number {
  const { numerator, denominator } = share;
  return baselineUnits > 0 ? mulDiv(baselineUnits, denominator - numerator, denominator, 'down') : -INFINITY;
}

/**
 * True when the equity `units` has lost at least `multiple` times the share of the limit, computed exactly. Also true when a figure is not a whole
 * number, because the loss is then unknown.
 */
export function isLossBeyond(watch: Pick<EquityWatch, 'baselineUnits' | 'share'>, units: number, multiple: Ratio): boolean {
  const { baselineUnits, share } = watch;
  if (!Number.isSafeInteger(baselineUnits) || !Number.isSafeInteger(units) || baselineUnits <= 0) return true;
  const lostUnits = BigInt(baselineUnits) - BigInt(units);
  const scaledLoss = lostUnits * BigInt(share.denominator) * BigInt(multiple.denominator);
  const scaledAllowance = BigInt(baselineUnits) * BigInt(share.numerator) * BigInt(multiple.numerator);
  return scaledLoss >= scaledAllowance;
}

/** The common part of both rules: the baseline of losses, the equity at which the limit is reached, and whether the halt is raised. */
abstract class FallWatch {
  protected fallShare: Ratio;
  protected readonly halt: Halt;
  protected readonly moneyText: MoneyText;
  /** The newest equity, in units. */
  protected newestUnits = NAN;
  /** The equity that losses are measured from, in units. */
  protected baseline = NAN;
  /** The equity at or below which the rule halts. */
  protected floorUnits = -INFINITY;
  /** True while the rule halts the account. */
  protected isHalted = false;
  /** Returns the limit of the rule: the share of the baseline that may be lost. */
  private readonly shareOf: (limits: ResolvedLimits) => Ratio | null;

  constructor(shareOf: (limits: ResolvedLimits) => Ratio | null, limits: ResolvedLimits, halt: Halt, moneyText: MoneyText) {
    this.shareOf = shareOf;
    this.fallShare = shareOf(limits)!;
    this.halt = halt;
    this.moneyText = moneyText;
  }
  /** The equity that losses are measured from, in units; NaN before `begin`. */
  get baselineUnits(): number {
    return this.baseline;
  }
  /** The share of the baseline that may be lost. */
  get share(): Ratio {
    return this.fallShare;
  }
  /** Clears the halt and measures losses from the newest equity. */
  reset(): void {
    this.isHalted = false;
    this.measureFrom(this.newestUnits);
  }
  /** Takes a changed limit. The baseline stays. */
  setLimit(limits: ResolvedLimits): void {
    this.fallShare = this.shareOf(limits)!;
    this.measureFrom(this.baseline);
  }
  /** Sets the baseline, and with it the equity at which the rule halts. */
  protected measureFrom(units: number): void {
    this.baseline = units;
    this.floorUnits = floorAfter(units, this.fallShare);
  }
}

/** Halts new risk until the next day after a loss since 00:00 UTC, relative to the equity at that time. A run has no deposits. */
class DayWatch extends FallWatch implements EquityWatch {
  /** The end of the current day, ms UTC. */
  private dayEndMs = -INFINITY;
  /** True while marks at or before the start of the day may still come, because an order began the day before its first mark. */
  private awaitsFirstMark = false;

  begin(units: number, nowMs: number): void {
    this.newestUnits = units;
    this.startDay(units, nowMs);
  }
  /** Starts a new day if `nowMs` is in one. Marks at or before its start that come later still set its baseline. */
  roll(nowMs: number): void {
    if (nowMs < this.dayEndMs) return;
    this.startDay(this.newestUnits, nowMs);
    this.awaitsFirstMark = true;
  }
  scan(timeMs: Float64Array, units: Float64Array, firstRow: number, endRow: number): void {
    for (let row = firstRow; row < endRow; row++) {
      const equity = units[row]!;
      const ms = timeMs[row]!;
      // A row that closes at 00:00 has the equity of that time. If the first row of a day closes later, the row before it has.
      if (ms >= this.dayEndMs) this.startDay(ms % DAY_MS === 0 ? equity : this.newestUnits, ms);
      else if (this.awaitsFirstMark) this.takeFirstMark(equity, ms);
      this.newestUnits = equity;
      if (equity <= this.floorUnits && !this.isHalted) {
        this.isHalted = true;
        const figures = `equity of ${this.moneyText(equity)}, ${this.moneyText(this.baseline)} at 00:00 UTC`;
        this.halt(true, ms, `${figures}: a loss of ${ratioText(this.fallShare)} or more`);
      }
    }
  }
  snapshot(): readonly number[] {
    return [this.dayEndMs, this.baseline, this.isHalted ? 1 : 0];
  }
  restore([dayEndMs = NAN, baseline = NAN, isHalted = 0]: readonly number[]): void {
    if (dayEndMs !== this.dayEndMs || Number.isNaN(baseline)) return;
    this.measureFrom(baseline);
    this.isHalted = isHalted === 1;
  }

  /** Measures losses from a mark that came after an order had begun the day, unless the mark is later than 00:00. */
  private takeFirstMark(equity: number, ms: number): void {
    const startMs = this.dayEndMs - DAY_MS;
    if (ms <= startMs) this.measureFrom(equity);
    if (ms >= startMs) this.awaitsFirstMark = false;
  }

  private startDay(baseline: number, nowMs: number): void {
    const startMs = nowMs - (nowMs % DAY_MS);
    this.dayEndMs = startMs + DAY_MS;
    this.awaitsFirstMark = false;
    this.measureFrom(baseline);
    if (this.isHalted) this.halt(false, startMs, 'a new day');
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
  scan(timeMs: Float64Array, units: Float64Array, firstRow: number, endRow: number): void {
    if (endRow > firstRow) this.newestUnits = units[endRow - 1]!;
    if (this.isHalted) return;
    let peak = this.baseline;
    let floorUnits = this.floorUnits;
    for (let row = firstRow; row < endRow; row++) {
      const equity = units[row]!;
      if (equity > peak) {
        peak = equity;
        floorUnits = floorAfter(peak, this.fallShare);
      } else if (equity <= floorUnits) {
        this.isHalted = true;
        this.baseline = peak;
        const figures = `equity of ${this.moneyText(equity)}, ${this.moneyText(peak)} at the peak`;
        this.halt(true, timeMs[row]!, `${figures}: down by ${ratioText(this.fallShare)} or more`);
        return;
      }
    }
    this.baseline = peak;
    this.floorUnits = floorUnits;
  }
}

/** Halts the account when its equity has fallen too far since the start of the day (UTC). */
export const dailyLossRule: EquityRule = {
  kind: 'equity',
  code: 'DAILY_LOSS',
  keys: ['maxDailyLoss'],
  needs: ['ledger', 'marks'],
  watch: (limits, halt, moneyText) => new DayWatch(({ dailyLoss }) => dailyLoss, limits, halt, moneyText),
};

/** Halts the account when its equity has fallen too far below its highest value. */
export const drawdownRule: EquityRule = {
  kind: 'equity',
  code: 'DRAWDOWN',
  keys: ['maxDrawdown'],
  needs: ['ledger', 'marks'],
  watch: (limits, halt, moneyText) => new PeakWatch(({ drawdown }) => drawdown, limits, halt, moneyText),
};
