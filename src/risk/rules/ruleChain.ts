// Makes one function of the rules that are on: it returns the first that an order breaks.

import type { Draft, OrderRule, RiskState } from './rule.ts';

export type Chain = (order: Draft, state: RiskState) => OrderRule | null;
type Check = OrderRule['check'];
const pass: Check = () => true;

/** Chains that were made. Runs with the same rules call the same function. Hot: docs/performance.md#rule-chains. */
const chains: { readonly rules: readonly OrderRule[]; readonly chain: Chain }[] = [];
/** Only the newest are kept: a process may make runs without end, each with custom rules. */
const MAX_CHAINS = 32;

/** Returns a function that returns the first rule that fails, or null. */
export function chainOf(rules: readonly OrderRule[]): Chain {
  const known = chains.find((made) => made.rules.length === rules.length && made.rules.every((rule, at) => rule === rules[at]));
  if (known !== undefined) return known.chain;
  const [a = pass, b = pass, c = pass, d = pass, e = pass, f = pass] = rules.map(({ check }): Check => check);
  const chain = link(rules, a, b, c, d, e, f, rules.length > 6 ? chainOf(rules.slice(6)) : null);
  if (chains.push({ rules, chain }) > MAX_CHAINS) chains.shift();
  return chain;
}

/** Returns a function that asks up to six rules and then `rest`, with one call site for each rule. Hot: docs/performance.md#rule-chains. */
function link(rules: readonly OrderRule[], a: Check, b: Check, c: Check, d: Check, e: Check, f: Check, rest: Chain | null): Chain {
  return (order, state) => {
    if (!a(order, state)) return rules[0]!;
    if (!b(order, state)) return rules[1]!;
    if (!c(order, state)) return rules[2]!;
    if (!d(order, state)) return rules[3]!;
    if (!e(order, state)) return rules[4]!;
    if (!f(order, state)) return rules[5]!;
    return rest === null ? null : rest(order, state);
  };
}
