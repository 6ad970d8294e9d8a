// Rules on exposure: the positions of the account once every open order has filled at its worst. The model computes it for each market.

import * as numbers from '../../base/number/exact.ts';
import type { OrderRule, RiskState, RuleInput } from '../rules/rule.ts';
import { limitMoneyText, ratioText } from '../limits/limitTexts.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#imported-constants
const { productAtMost } = numbers;

/** What each rule of this file reads. */
const NEEDS: readonly RuleInput[] = ['ledger', 'orders', 'marks'];

/** Denies an order if a position might become larger than `maxPositionQty` (docs/risk.md). */
export const positionMaxRule: OrderRule = {
  kind: 'order',
  code: 'POSITION_MAX',
  keys: ['maxPositionQty'],
  needs: NEEDS,
  check: (order, state) =>
    state.exposure.addsNothing(order, state) || state.exposure.position(order) <= state.limits.positionBase[order.instrumentIndex]!,
  detail(order, { exposure, limits }) {
    const max = exposure.positionText(limits.positionBase[order.instrumentIndex]!, order);
    return `${exposure.positionText(exposure.position(order), order)} at the worst, at most ${max}`;
  },
};

/** Denies an order if a position might become worth more than `maxPositionNotional` (docs/risk.md). */
export const positionNotionalRule: OrderRule = {
  kind: 'order',
  code: 'POSITION_NOTIONAL',
  keys: ['maxPositionNotional'],
  needs: NEEDS,
  check: (order, state) =>
    state.exposure.addsNothing(order, state) ||
    state.exposure.notional(order.instrumentIndex, order, state) <= state.limits.positionUnits[order.instrumentIndex]!,
  detail(order, state) {
    const { exposure, ledger, limits } = state;
    const worst = limitMoneyText(exposure.notional(order.instrumentIndex, order, state), ledger);
    return `${worst} at the worst, at most ${limitMoneyText(limits.positionUnits[order.instrumentIndex]!, ledger)}`;
  },
};

/** Denies an order if the positions of the account might become worth more than its gross or its net limit. */
export const portfolioRule: OrderRule = {
  kind: 'order',
  code: 'PORTFOLIO',
  keys: ['maxGrossNotional', 'maxNetNotional'],
  needs: NEEDS,
  check(order, state) {
    const { exposure, limits } = state;
    if (exposure.addsNothing(order, state)) return true;
    if (!(exposure.computeWorstCase(order, state).gross <= maxGross(state))) return false;
    return !exposure.hasShorts || limits.netUnits === INFINITY || exposure.net(order, state) <= limits.netUnits;
  },
  detail(order, state) {
    const { exposure, ledger, limits } = state;
    const max = maxGross(state);
    const { gross } = exposure.computeWorstCase(order, state);
    const excessText = (units: number, kind: string, limit: number): string =>
      `${limitMoneyText(units, ledger)} ${kind}over ${exposure.scopeWords} at the worst, at most ${limitMoneyText(limit, ledger)}`;
    return gross <= max ? excessText(exposure.net(order, state), 'net ', limits.netUnits) : excessText(gross, '', max);
  },
};

/** Returns the limit on the gross notional, in units. Without shorts the gross is the net, so the smaller of both limits counts. */
function maxGross({ exposure, limits: { grossUnits, netUnits } }: RiskState): number {
  return exposure.hasShorts ? grossUnits : Math.min(grossUnits, netUnits);
}

/**
 * Limits the worst notional of the account divided by its equity at the marks, minus the fees of open orders. In an account of both markets
 * a hedge counts on both sides: each can be closed without the other.
 */
export const leverageRule: OrderRule = {
  kind: 'order',
  code: 'LEVERAGE',
  keys: ['maxLeverage'],
  needs: NEEDS,
  check(order, state) {
    const { exposure } = state;
    if (exposure.addsNothing(order, state)) return true;
    const max = state.limits.leverage;
    if (max === null) return true;
    const account = exposure.computeWorstCase(order, state);
    return account.equity >= 0 && productAtMost(account.gross, max.denominator, max.numerator, account.equity);
  },
  detail(order, state) {
    const { exposure, ledger, limits } = state;
    const account = exposure.computeWorstCase(order, state);
    const gross = limitMoneyText(account.gross, ledger);
    const equity = limitMoneyText(account.equity, ledger);
    const limit = `at most ${ratioText(limits.leverage!)} times`;
    return `${gross} over ${exposure.scopeWords} at the worst, on an equity of ${equity} after fees; ${limit}`;
  },
};

/** Denies an order if one instrument might become worth more than `maxConcentration` times the equity. */
export const concentrationRule: OrderRule = {
  kind: 'order',
  code: 'CONCENTRATION',
  keys: ['maxConcentration'],
  needs: NEEDS,
  check(order, state) {
    const { exposure } = state;
    const max = state.limits.concentration;
    if (max === null || exposure.addsNothing(order, state)) return true;
    const { equity } = exposure.computeWorstCase(order, state);
    const notional = exposure.notional(order.instrumentIndex, order, state);
    return equity >= 0 && productAtMost(notional, max.denominator, max.numerator, equity);
  },
  detail(order, state) {
    const { exposure, ledger, limits } = state;
    const worst = limitMoneyText(exposure.notional(order.instrumentIndex, order, state), ledger);
    const equity = limitMoneyText(exposure.computeWorstCase(order, state).equity, ledger);
    const limit = `at most ${ratioText(limits.concentration!)} times`;
    return `${worst} of the ${exposure.instrumentWord} at the worst, on an equity of ${equity} after fees; ${limit}`;
  },
};

/**
 * Requires the means for the order. On spot, a buy needs cash and a sell needs coins. For a contract, lots that open need margin, and lots that
 * close need a position. Cash of the other market does not count, because it would have to be transferred first. Always on.
 */
export const marginRule: OrderRule = {
  kind: 'order',
  code: 'MARGIN',
  keys: [],
  needs: NEEDS,
  check: (order, state) => state.exposure.isBacked(order, state),
  detail: (order, state) => state.exposure.backingText(order, state),
};
