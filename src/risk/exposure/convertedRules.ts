// The rules that read an order's money in the reporting asset, for an account with cash in several quote assets.

import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { Draft, OrderRule, RiskRule, RiskState } from '../rules/rule.ts';
import { isReduction } from '../rules/openOrderRules.ts';
import { notionalMaxRule } from '../rules/sizeRules.ts';
import { limitMoneyText, limitPriceText } from '../limits/limitTexts.ts';
import { ConvertedExposure } from './convertedExposure.ts';

/** Returns the worst notional of an order in the money of the limits: the reporting asset. */
export function orderNotional(order: Draft, state: RiskState): number {
  return state.exposure instanceof ConvertedExposure ? state.exposure.orderNotional(order, state) : order.worstUnits;
}

/** `notionalMaxRule` in the reporting asset. */
const convertedNotionalMax: OrderRule = {
  ...notionalMaxRule,
  check(order, state) {
    const maxUnits = state.limits.orderUnits[order.instrumentIndex]!;
    return orderNotional(order, state) <= maxUnits || isReduction(order, state);
  },
  detail: (order, state) => {
    const { ledger, limits } = state;
    const worst = limitMoneyText(orderNotional(order, state), ledger);
    const worstPrice = limitPriceText(order.worstTicks, order.instrument);
    return `${worst} at the worst price of ${worstPrice}, at most ${limitMoneyText(limits.orderUnits[order.instrumentIndex]!, ledger)}`;
  },
};

/** Returns the rules for a ledger: with several quote assets, those that convert what they compare. */
export function rulesThatConvert(ledger: unknown, rules: readonly RiskRule[]): readonly RiskRule[] {
  if (!(ledger instanceof ConvertedLedger)) return rules;
  return rules.map((rule) => (rule === notionalMaxRule ? convertedNotionalMax : rule));
}
