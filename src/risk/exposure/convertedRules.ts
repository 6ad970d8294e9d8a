// Risk rules for an account with cash in several quote assets: the notional of an order is compared in the reporting asset.

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

/** As `notionalMaxRule`, but it converts the order's notional to the reporting asset. */
const convertedNotionalMax: OrderRule = {
  ...notionalMaxRule,
  check(order, state) {
    const maxUnits = state.limits.orderUnits[order.instrumentIndex]!;
    return orderNotional(order, state) <= maxUnits || isReduction(order, state);
  },
  detail: (order, state) => {
    const { ledger, limits } = state;
    const notionalText = limitMoneyText(orderNotional(order, state), ledger);
    const worstPriceText = limitPriceText(order.worstTicks, order.instrument);
    const maxText = limitMoneyText(limits.orderUnits[order.instrumentIndex]!, ledger);
    return `${notionalText} at the worst price of ${worstPriceText}, at most ${maxText}`;
  },
};

/** Returns the rules for a ledger. With several quote assets, the rule on the notional converts it; otherwise the rules stay as they are. */
export function rulesForLedger(ledger: unknown, rules: readonly RiskRule[]): readonly RiskRule[] {
  if (!(ledger instanceof ConvertedLedger)) return rules;
  return rules.map((rule) => (rule === notionalMaxRule ? convertedNotionalMax : rule));
}
