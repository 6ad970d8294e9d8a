// Combines the rules that are on into one function, which returns the first rule that an order breaks.

import type { Draft, OrderRule, RiskState } from './rule.ts';

/** Returns the first rule that an order breaks. Null when it breaks none. */
export type Chain = (order: Draft, state: RiskState) => OrderRule | null;
type Check = OrderRule['check'];
const pass: Check = () => true;

/** Chains by their rules. Runs with the same rules use the same function. Hot: docs/performance.md#rule-chains. */
const chains: { readonly rules: readonly OrderRule[]; readonly chain: Chain }[] = [];
/** Only the newest chains are kept, because a process may start any number of runs with custom rules. */
const MAX_CHAINS = 32;

/** Returns a function that returns the first rule that fails, or null. */
export function chainOf(rules: readonly OrderRule[]): Chain {
  const existing = chains.find((each) => each.rules.length === rules.length && each.rules.every((rule, index) => rule === rules[index]));
  if (existing !== undefined) return existing.chain;
  const [a = pass, b = pass, c = pass, d = pass, e = pass, f = pass] = rules.map(({ check }): Check => check);
  const chain = link(rules, a, b, c, d, e, f, rules.length > 6 ? chainOf(rules.slice(6)) : null);
  if (chains.push({ rules, chain }) > MAX_CHAINS) chains.shift();
  return chain;
}

/**
 * Returns a function that checks up to six rules and then `nextChain`, with one call site for each rule. Hot: docs/performance.md#rule-chains.
 */
function link(rules: readonly OrderRule[], a: Check, b: Check, c: Check, d: Check, e: Check, f: Check, nextChain: Chain | null): Chain {
  return (order, state) => {
    if (!a(order, state)) return rules[0]!;
    if (!b(order, state)) return rules[1]!;
    if (!c(order, state)) return rules[2]!;
    if (!d(order, state)) return rules[3]!;
    if (!e(order, state)) return rules[4]!;
    if (!f(order, state)) return rules[5]!;
    return nextChain === null ? null : nextChain(order, state);
  };
}
