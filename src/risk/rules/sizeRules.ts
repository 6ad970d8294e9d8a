// Rules on a single order: its instrument, precision, size and price.

import type { Ratio } from '../../base/number/decimalText.ts';
import { productAtMost } from '../../base/number/exact.ts';
import { isReduction } from './openOrderRules.ts';
import type { Draft, OrderRule, RiskState } from './rule.ts';
import { lotsText, limitMoneyText, limitPriceText, quoteText, ratioText } from '../limits/limitTexts.ts';

/** Denies a spot order with a time in force, because the specification has it for futures only. */
export const timeInForceRule: OrderRule = {
  kind: 'order',
  code: 'TIME_IN_FORCE',
  keys: [],
  needs: [],
  market: 'spot',
  check: (order) => order.timeInForce === null || order.instrument.market !== 'spot',
  detail: (order) => `${order.timeInForce} is not available on spot`,
};

/** Denies instruments that are not in the run, or that the ledger cannot hold. */
export const instrumentRule: OrderRule = {
  kind: 'order',
  code: 'INSTRUMENT',
  keys: [],
  needs: [],
  check: (order, { tradable }) => tradable === order.instrument,
  detail: ({ instrument: { id } }, { ledger: { market } }) =>
    `${id} is not ${market === 'both' ? 'an' : `a ${market}`} instrument of this run`,
};

/** Denies orders that open a contract whose status is not open for trading. */
export const tradingStatusRule: OrderRule = {
  kind: 'order',
  code: 'NOT_TRADING',
  keys: [],
  needs: [],
  market: 'futures',
  check: ({ instrument: { contract }, reduceOnly }) => contract === undefined || contract.isTrading || reduceOnly,
  detail: (order) => `${order.instrument.id} is not open for trading`,
};

/** Denies a size below the smallest order. Sizes were rounded toward less risk before, and are never rounded up. */
export const precisionRule: OrderRule = {
  kind: 'order',
  code: 'PRECISION',
  keys: [],
  needs: ['marks'],
  check(order, state) {
    const isByAmount = order.quoteUnits > 0;
    return isByAmount ? order.quoteUnits >= minUnits(order, state) : order.lots >= order.instrument.minLots;
  },
  detail(order, state) {
    const { quoteUnits, lots, instrument } = order;
    if (!(quoteUnits > 0))
      return `${lotsText(lots, instrument)} are below the smallest order of ${lotsText(instrument.minLots, instrument)}`;
    const minText = quoteText(minUnits(order, state), instrument);
    return `${quoteText(quoteUnits, instrument)} buy less than the smallest order: ${minText} at the mark`;
  },
};

/** Returns the value of the smallest order at the mark, in units, rounded up. */
function minUnits({ instrumentIndex, instrument: { minLots } }: Draft, { mark, reservations }: RiskState): number {
  return reservations.scale(instrumentIndex).notionalUp(mark, minLots);
}

/** Denies reduce-only buys on spot, because a buy cannot reduce a holding. MARGIN denies a sell beyond the holding. */
export const reduceOnlyRule: OrderRule = {
  kind: 'order',
  code: 'REDUCE_ONLY',
  keys: [],
  needs: [],
  market: 'spot',
  check: (order) => order.sign < 0 || !order.reduceOnly || order.instrument.contract !== undefined,
  detail: () => 'a spot buy cannot be reduce-only',
};

/** Denies an order of more than `maxOrderQty`. Reductions pass: a limit that was tightened must not keep a strategy in its position. */
export const qtyMaxRule: OrderRule = {
  kind: 'order',
  code: 'QTY_MAX',
  keys: ['maxOrderQty'],
  needs: ['marks'],
  check: (order, state) => order.worstLots <= state.limits.orderLots[order.instrumentIndex]! || isReduction(order, state),
  detail: ({ worstLots, instrument, instrumentIndex }, { limits }) =>
    `${lotsText(worstLots, instrument)}, at most ${lotsText(limits.orderLots[instrumentIndex]!, instrument)}`,
};

/** Denies an order worth more than `maxOrderNotional`. Reductions pass, as in `qtyMax`. */
export const notionalMaxRule: OrderRule = {
  kind: 'order',
  code: 'NOTIONAL_MAX',
  keys: ['maxOrderNotional'],
  needs: ['marks'],
  check: (order, state) => order.worstUnits <= state.limits.orderUnits[order.instrumentIndex]! || isReduction(order, state),
  detail({ worstUnits, worstTicks, instrument, instrumentIndex }, { limits, ledger }) {
    const maxText = limitMoneyText(limits.orderUnits[instrumentIndex]!, ledger);
    return `${limitMoneyText(worstUnits, ledger)} at the worst price of ${limitPriceText(worstTicks, instrument)}, at most ${maxText}`;
  },
};

/** Denies a limit on the taking side too far beyond the last price: a typing error, or a stale price. */
export const priceBandRule: OrderRule = {
  kind: 'order',
  code: 'COLLAR',
  keys: ['priceBand'],
  needs: ['marks'],
  check(order, state) {
    if (order.limit === 0 || state.limits.priceBand === null) return true;
    // A reduction at the market passes if the bot sends it as a limit, because the bot has computed that limit.
    return isInBand(order, state.mark, state.limits.priceBand) || (isAtCollar(order) && isReduction(order, state));
  },
  detail({ limit, side, instrument }, { limits, mark }) {
    const lastPrice = limitPriceText(mark, instrument);
    return `a ${side} at ${limitPriceText(limit, instrument)} is more than ${ratioText(limits.priceBand!)} beyond the last price of ${lastPrice}`;
  },
};

/** True when the limit lies within the band around the mark, or on the side that rests. */
function isInBand({ limit, side }: Draft, mark: number, { numerator, denominator }: Ratio): boolean {
  if (side === 'buy') return productAtMost(limit, denominator, mark, denominator + numerator);
  return numerator >= denominator || productAtMost(mark, denominator - numerator, limit, denominator);
}

/** True when the limit is the collar of the bot: an order at the market, or a stop. A strategy or a bracket sets all other limits. */
const isAtCollar = ({ role }: Draft): boolean => role !== 'limit' && role !== 'takeProfit';
