// Says what each rule decides of an order and by which figures, for an order that is explained. A check itself stops at the first denial.

import { figuresOf } from './figures.ts';
import type { Draft, OrderRule, RiskState } from './rules/rule.ts';

/** What one rule decides. `asked` and `limit` are texts with units; empty for a rule of a module. */
export interface RuleVerdict {
  readonly code: string;
  readonly verdict: 'passed' | 'denied';
  readonly asked: string;
  readonly limit: string;
  /** The text of the denial; empty if the order passes. */
  readonly detail: string;
}

/** Returns the verdicts of all rules, in the order in which they are checked. Changes nothing. */
export function explainRules(rules: readonly OrderRule[], order: Draft, state: RiskState): readonly RuleVerdict[] {
  return rules.map((rule) => {
    const isPassed = rule.check(order, state);
    const [asked, limit] = figuresOf(rule.code, order, state) ?? ['', ''];
    return { code: rule.code, verdict: isPassed ? 'passed' : 'denied', asked, limit, detail: isPassed ? '' : rule.detail(order, state) };
  });
}

/** Returns the verdict of a check that stands before the rules. */
export function denialBefore(code: string, asked: string, limit: string, detail: string): RuleVerdict {
  return { code, verdict: 'denied', asked, limit, detail };
}
