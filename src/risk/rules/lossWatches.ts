// Runs the loss rules that are on.

import type { Ratio } from '../../base/number/decimalText.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';
import { limitMoneyText } from '../limits/limitTexts.ts';
import type { HaltBoard } from '../live/halts.ts';
import { isLossBeyond } from './lossRules.ts';
import type { EquityRule, EquityWatch } from './rule.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** The watches of the loss rules that are on. */
export class LossWatches {
  private readonly ledger: Ledger;
  private readonly halts: HaltBoard;
  private readonly byCode = new Map<string, EquityWatch>();
  private watches: readonly EquityWatch[] = [];
  /** Number of equity rows that the rules have seen. */
  private scanned = 0;

  constructor(ledger: Ledger, halts: HaltBoard) {
    this.ledger = ledger;
    this.halts = halts;
  }

  /** Turns a rule on, or sets its new limit. */
  set(rule: EquityRule, limits: ResolvedLimits): void {
    const existing = this.byCode.get(rule.code);
    if (existing) existing.setLimit(limits);
    else this.byCode.set(rule.code, this.watch(rule, limits));
    this.watches = [...this.byCode.values()];
  }
  /** Returns the watch of a rule, which raises and clears a halt of the account. */
  private watch(rule: EquityRule, limits: ResolvedLimits): EquityWatch {
    const { code } = rule;
    return rule.watch(
      limits,
      (isHalted, atMs, why) => {
        if (isHalted) this.halts.raise({ kind: 'account' }, 'HALT_NEW', code, why, atMs);
        else this.halts.clear({ kind: 'account' }, code, why, atMs);
      },
      (units) => limitMoneyText(units, this.ledger),
    );
  }
  /** True when a loss rule is on. */
  get hasAny(): boolean {
    return this.watches.length > 0;
  }
  /** True when the loss rule with this code is on. */
  has(code: string): boolean {
    return this.byCode.has(code);
  }

  /** Starts all rules at an equity, in units of the reporting asset. */
  begin(units: number, nowMs: number): void {
    for (const watch of this.watches) watch.begin(units, nowMs);
  }
  /** Shows the rules the equity values that were recorded since the last call. `length`: number of values in the columns. */
  observe(timeMs: Float64Array, units: Float64Array, length: number): void {
    for (const watch of this.watches) watch.scan(timeMs, units, this.scanned, length);
    this.scanned = Math.max(this.scanned, length);
  }
  /** Lets the rules begin a new day or period, if one has begun. */
  roll(nowMs: number): void {
    for (const watch of this.watches) watch.roll(nowMs);
  }
  /** Restarts the baseline of a rule, if it is on. */
  reset(code: string): void {
    this.byCode.get(code)?.reset();
  }

  /** Returns a copy of the state of each rule, by its code. */
  snapshot(): ReadonlyMap<string, readonly number[]> {
    return new Map([...this.byCode].map(([code, watch]) => [code, watch.snapshot()]));
  }
  /** Sets the state of the rules from a snapshot. A rule without an entry keeps its state. */
  restore(memory: ReadonlyMap<string, readonly number[]>): void {
    for (const [code, watch] of this.byCode) {
      const existing = memory.get(code);
      if (existing) watch.restore(existing);
    }
  }

  /** Returns the equity that the rule measures losses from; NaN if it is off. */
  baseline(code: string): number {
    return this.byCode.get(code)?.from ?? NAN;
  }
  /** Returns why an equity of `units` has lost at least `times` a limit; null if it has not. */
  lossBeyond(units: number, times: Ratio): string | null {
    for (const [code, watch] of this.byCode) {
      if (!isLossBeyond(watch, units, times)) continue;
      const limit = `${times.numerator}/${times.denominator} of the limit of ${watch.share.numerator}/${watch.share.denominator}`;
      return Number.isSafeInteger(units)
        ? `${code}: equity of ${limitMoneyText(units, this.ledger)}, ${limitMoneyText(watch.from, this.ledger)} before: a loss of ${limit} or more`
        : `${code}: the equity is not known, so that a loss of ${limit} is not ruled out`;
    }
    return null;
  }
}
