// Runs the loss rules that are on. The risk module passes it the equity of the account.

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
  /** The watch of each rule, by the code of the rule. */
  private readonly byCode = new Map<string, EquityWatch>();
  private watches: readonly EquityWatch[] = [];
  /** Number of equity rows that the rules have seen. */
  private scannedRows = 0;

  constructor(ledger: Ledger, halts: HaltBoard) {
    this.ledger = ledger;
    this.halts = halts;
  }

  /** Turns a rule on, or sets its new limit. */
  set(rule: EquityRule, limits: ResolvedLimits): void {
    const existing = this.byCode.get(rule.code);
    if (existing) existing.setLimit(limits);
    else this.byCode.set(rule.code, this.startWatch(rule, limits));
    this.watches = [...this.byCode.values()];
  }
  /** Returns the watch of a rule, which raises and clears a halt of the account. */
  private startWatch(rule: EquityRule, limits: ResolvedLimits): EquityWatch {
    const { code } = rule;
    return rule.watch(
      limits,
      (isHalted, atMs, reason) => {
        if (isHalted) this.halts.raise({ kind: 'account' }, 'HALT_NEW', code, reason, atMs);
        else this.halts.clear({ kind: 'account' }, code, reason, atMs);
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
    for (const watch of this.watches) watch.scan(timeMs, units, this.scannedRows, length);
    this.scannedRows = Math.max(this.scannedRows, length);
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
      const savedValues = memory.get(code);
      if (savedValues) watch.restore(savedValues);
    }
  }

  /** Returns the equity that the rule measures losses from; NaN if it is off. */
  baseline(code: string): number {
    return this.byCode.get(code)?.baselineUnits ?? NAN;
  }
  /** Returns why an equity of `units` has lost at least `times` a limit; null if it has not. */
  lossBeyond(units: number, times: Ratio): string | null {
    for (const [code, watch] of this.byCode) {
      if (!isLossBeyond(watch, units, times)) continue;
      const limit = `${times.numerator}/${times.denominator} of the limit of ${watch.share.numerator}/${watch.share.denominator}`;
      if (!Number.isSafeInteger(units)) return `${code}: the equity is not known, so that a loss of ${limit} is not ruled out`;
      const equity = limitMoneyText(units, this.ledger);
      const baseline = limitMoneyText(watch.baselineUnits, this.ledger);
      return `${code}: equity of ${equity}, ${baseline} before: a loss of ${limit} or more`;
    }
    return null;
  }
}
