// Short texts of the rules of docs/matching.md, by number.

import type { MatchingRule } from '../../../venue/trace/matchTracer.ts';

/** One phrase for each rule, without a final period. */
export const RULE_TEXTS: Readonly<Record<MatchingRule, string>> = {
  4: 'a market order fills at the next open',
  5: 'the limit is marketable at the open',
  6: 'the open has jumped over the resting limit',
  7: 'the row trades through the resting limit',
  8: 'the row reaches the stop',
  9: 'a leg of an entry that filled at the open of the same row',
  10: 'the stop of an entry that filled inside the same row',
  11: 'the cap on the share of the volume is used up',
  12: 'slippage',
  13: 'the time in force ends with its first row',
  14: 'POST_ONLY makes, and never takes',
  15: 'the account can back no more',
  16: 'the row fires the trigger',
  17: 'the order of the trigger is executed at once',
  19: 'the worst mark leaves the position without its margin',
  20: 'the first price at which the margin is broken',
  30: 'the row reaches the stop entry',
};
