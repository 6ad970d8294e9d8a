// Lists all rules in the sequence in which they are checked.

import type { Market } from '../model/instrument.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import { openOrdersRule } from './rules/openOrders.ts';
import * as exposure from './exposure/exposureRules.ts';
import { LIVE_RULES } from './live/liveRules.ts';
import * as loss from './rules/lossRules.ts';
import * as contracts from './exposure/marginRules.ts';
import { deployCapRule, duplicateRule, parentRule, restrictedRule, selfTradeRule } from './rules/placementRules.ts';
import { messageRateRule } from './rules/rate.ts';
import type { RiskRule } from './rules/rule.ts';
import * as size from './rules/sizeRules.ts';

/** The rules of a run over both markets. The first rule that fails gives the denial its code. */
export const PAIRED_RULES: readonly RiskRule[] = [
  loss.dailyLossRule,
  loss.drawdownRule,
  size.timeInForceRule,
  size.instrumentRule,
  size.tradingStatusRule,
  size.precisionRule,
  size.reduceOnlyRule,
  size.qtyMaxRule,
  size.notionalMaxRule,
  size.priceBandRule,
  restrictedRule,
  duplicateRule,
  parentRule,
  selfTradeRule,
  openOrdersRule,
  contracts.ownerRule,
  exposure.positionMaxRule,
  exposure.positionNotionalRule,
  exposure.portfolioRule,
  exposure.leverageRule,
  exposure.concentrationRule,
  contracts.tierRule,
  exposure.marginRule,
  contracts.marginBufferRule,
  contracts.liquidationDistanceRule,
  deployCapRule,
  messageRateRule,
  ...LIVE_RULES,
];
/** The rules of a spot account, in the order in which they are checked. */
export const RULES = rulesOf('spot');
/** The rules of a futures account, in the order in which they are checked. */
export const FUTURES_RULES = rulesOf('futures');

/** Returns the rules that apply to a market. */
function rulesOf(market: Market): readonly RiskRule[] {
  return PAIRED_RULES.filter((rule) => rule.kind !== 'order' || rule.market === undefined || rule.market === market);
}

/** Returns the rules for a ledger. */
export function rulesFor(market: Ledger['market']): readonly RiskRule[] {
  if (market === 'both') return PAIRED_RULES;
  return market === 'spot' ? RULES : FUTURES_RULES;
}
