// Combines the rules that are on into one function, which returns the first rule that an order breaks.

import type { Draft, OrderRule, RiskState } from './rule.ts';

/** Returns the first rule that an order breaks. Null when it breaks none. */
export type Chain = (order: Draft, state: RiskState) => OrderRule | null;
/** The check of one rule: true when an order passes. */
type Check = OrderRule['check'];
/** Takes the place of a rule that a link lacks. */
const passes: Check = () => true;
/** Number of rules that one function checks before it calls the next one. */
const RULES_PER_LINK = 6;

/** Chains by their rules. Runs with the same rules use the same function. Hot: docs/performance.md#rule-chains. */
const chains: { readonly rules: readonly OrderRule[]; readonly chain: Chain }[] = [];
/** Only the newest chains are kept, because a process may start any number of runs with custom rules. */
const MAX_CHAINS = 32;

/** Returns a function that returns the first rule that fails, or null. */
export function chainOf(rules: readonly OrderRule[]): Chain {
  const hasSameRules = (known: { readonly rules: readonly OrderRule[] }): boolean =>
    known.rules.length === rules.length && known.rules.every((rule, index) => rule === rules[index]);
  const existing = chains.find(hasSameRules);
  if (existing !== undefined) return existing.chain;
  const [check1 = passes, check2 = passes, check3 = passes, check4 = passes, check5 = passes, check6 = passes] = rules.map(
    ({ check }): Check => check,
  );
  const nextChain = rules.length > RULES_PER_LINK ? chainOf(rules.slice(RULES_PER_LINK)) : null;
  const chain = link(rules, check1, check2, check3, check4, check5, check6, nextChain);
  if (chains.push({ rules, chain }) > MAX_CHAINS) chains.shift();
  return chain;
}

/**
 * Returns a function that checks up to six rules and then `nextChain`, with one call site for each rule. Hot: docs/performance.md#rule-chains.
 */
function link(
  rules: readonly OrderRule[],
  check1: Check,
  check2: Check,
  check3: Check,
  check4: Check,
  check5: Check,
  check6: Check,
  nextChain: Chain | null,
): Chain {
  return (order, state) => {
    if (!check1(order, state)) return rules[0]!;
    if (!check2(order, state)) return rules[1]!;
    if (!check3(order, state)) return rules[2]!;
    if (!check4(order, state)) return rules[3]!;
    if (!check5(order, state)) return rules[4]!;
    if (!check6(order, state)) return rules[5]!;
    return nextChain === null ? null : nextChain(order, state);
  };
}
