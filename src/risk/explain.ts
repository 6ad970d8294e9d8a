// Explains the risk check of an order: the verdict of each rule with its figures. A real check stops at the first denial.

import { denialFiguresOf } from './figures.ts';
import type { Draft, OrderRule, RiskState } from './rules/rule.ts';

/** The verdict of one rule. `asked` and `limit` are texts with units; both are empty for a custom rule. */
export interface RuleVerdict {
  readonly code: string;
  readonly verdict: 'passed' | 'denied';
  readonly asked: string;
  readonly limit: string;
  /** The text of the denial; empty if the order passes. */
  readonly detail: string;
}

/** Returns the verdicts of all rules, in the sequence in which they are checked. */
export function explainRules(rules: readonly OrderRule[], order: Draft, state: RiskState): readonly RuleVerdict[] {
  return rules.map((rule) => {
    const isPassed = rule.check(order, state);
    const [requested, limit] = denialFiguresOf(rule.code, order, state) ?? ['', ''];
    return {
      code: rule.code,
      verdict: isPassed ? 'passed' : 'denied',
      asked: requested,
      limit,
      detail: isPassed ? '' : rule.detail(order, state),
    };
  });
}

/** Returns the denial of a check that runs before the rules. */
export function denialBefore(code: string, requested: string, limit: string, detail: string): RuleVerdict {
  return { code, verdict: 'denied', asked: requested, limit, detail };
}
