// Rules for contracts (risk-and-security, R-12): which strategy may trade a contract, and with which leverage. Free margin and a distance
// to liquidation must remain once an order has filled at its worst.

import { productAtMost } from '../../base/number/exact.ts';
import { markTicksOf } from './contractExposure.ts';
import type { ContractModel, Draft, OrderRule, RiskState, RuleInput } from '../rules/rule.ts';
import { limitMoneyText, limitPriceText, ratioText } from '../limits/limitTexts.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

const NEEDS: readonly RuleInput[] = ['ledger', 'orders', 'marks'];

/**
 * Denies an order for a contract that another strategy trades, or may trade first by an open order. The exchange keeps one position of a
 * contract, not one for each strategy. Always on.
 */
export const ownerRule: OrderRule = {
  kind: 'order',
  code: 'CONTRACT_TAKEN',
  keys: [],
  needs: ['ledger', 'orders'],
  market: 'futures',
  check: (order, state) => isSpot(order) || tradingStrategy(order, state) === order.strategy,
  detail: (order, state) => `${order.instrument.id} is traded by strategy ${tradingStrategy(order, state) + 1} of the run`,
};

/** True for a spot order, which the rules for contracts pass. */
const isSpot = ({ instrument }: Draft): boolean => instrument.contract === undefined;

/** Returns the exposure of the contracts. Rules of futures run only if there is one. */
function modelOf({ exposure: { contracts } }: RiskState): ContractModel {
  return contracts!;
}

/** Returns the strategy that has traded the order's contract, or that has an open order for it; otherwise the order's own. */
function tradingStrategy(order: Draft, state: RiskState): number {
  const { ledger } = modelOf(state);
  const { reservations } = state;
  const { instrumentIndex } = order;
  const owner = ledger.ownerOf(instrumentIndex);
  if (owner >= 0) return owner;
  if (reservations.openOrders(instrumentIndex) === 0) return order.strategy;
  for (let strategyIndex = 0; strategyIndex < ledger.strategies; strategyIndex++) {
    const openLots = reservations.buyLots(strategyIndex, instrumentIndex) + reservations.sellLots(strategyIndex, instrumentIndex);
    if (strategyIndex !== order.strategy && openLots > 0) return strategyIndex;
  }
  return order.strategy;
}

/** Denies a position whose value is too large for the account's leverage, by the exchange's margin tiers. Always on. */
export const tierRule: OrderRule = {
  kind: 'order',
  code: 'TIER',
  keys: [],
  needs: NEEDS,
  market: 'futures',
  check(order, state) {
    if (isSpot(order)) return true;
    const contracts = modelOf(state);
    const { ledger } = contracts;
    const { instrumentIndex } = order;
    if (contracts.addsNothing(order, state)) return true;
    const value = contracts.notional(instrumentIndex, order, state);
    return value < INFINITY && ledger.terms(instrumentIndex).leverage <= ledger.scale(instrumentIndex).maxLeverage(value);
  },
  detail(order, state) {
    const contracts = modelOf(state);
    const { ledger } = contracts;
    const { instrumentIndex } = order;
    const amount = contracts.notional(instrumentIndex, order, state);
    const maxLeverage = ledger.scale(instrumentIndex).maxLeverage(amount);
    const { leverage } = ledger.terms(instrumentIndex);
    return `a position worth ${limitMoneyText(amount, ledger)} may have a leverage of ${maxLeverage}, the account has ${leverage}`;
  },
};

/** Denies an order that would leave less than the share `marginBuffer` of the strategy's equity free. */
export const marginBufferRule: OrderRule = {
  kind: 'order',
  code: 'MARGIN_BUFFER',
  keys: ['marginBuffer'],
  needs: NEEDS,
  market: 'futures',
  check(order, state) {
    const minShare = state.limits.marginBuffer;
    if (minShare === null || isSpot(order) || modelOf(state).addsNothing(order, state)) return true;
    const freeUnits = freeUnitsAfter(order, state);
    const equityUnits = equityOf(order, state);
    return freeUnits >= 0 && equityUnits >= 0 && productAtMost(equityUnits, minShare.numerator, minShare.denominator, freeUnits);
  },
  detail(order, state) {
    const { ledger } = state;
    const free = limitMoneyText(freeUnitsAfter(order, state), ledger);
    const equity = limitMoneyText(equityOf(order, state), ledger);
    return `${free} would stay free, of an equity of ${equity}; at least ${ratioText(state.limits.marginBuffer!)} of it`;
  },
};

/** Returns the money that stays free for the strategy once this order and its other open orders have taken their margin. */
function freeUnitsAfter(order: Draft, state: RiskState): number {
  const contracts = modelOf(state);
  return contracts.available(order, state) - contracts.requiredMargin(order) - contracts.reservedCash(order.strategy);
}

/** Returns the strategy's equity at the marks. */
function equityOf(order: Draft, state: RiskState): number {
  const { ledger } = modelOf(state);
  const { strategy } = order;
  let units = ledger.cash(strategy);
  for (let index = 0; index < ledger.instruments.length; index++) {
    if (ledger.ownerOf(index) === strategy && ledger.holds(index)) units += ledger.holdingValue(index, markTicksOf(index, order, state));
  }
  return units;
}

/**
 * Denies an order if the resulting position would be liquidated by an adverse move of `minLiquidationAtrs` average ranges from the mark.
 * Also denies it while too few bars have closed to know the average range.
 */
export const liquidationDistanceRule: OrderRule = {
  kind: 'order',
  code: 'LIQUIDATION_DISTANCE',
  keys: ['minLiquidationAtrs'],
  needs: NEEDS,
  market: 'futures',
  check(order, state) {
    if (state.limits.liquidationAtrs === null || isSpot(order) || modelOf(state).addsNothing(order, state)) return true;
    const isLong = order.side === 'buy';
    const lots = modelOf(state).lotsAtWorst(isLong, order);
    return lots === 0 || marginSurplusAt(adverseTicks(order, state), lots, order, state) > 0;
  },
  detail(order, state) {
    const isLong = order.side === 'buy';
    const ticks = adverseTicks(order, state);
    if (Number.isNaN(ticks)) return 'no average range is known yet: too few bars have closed';
    const lots = modelOf(state).lotsAtWorst(isLong, order);
    const surplus = limitMoneyText(marginSurplusAt(ticks, lots, order, state), state.ledger);
    const adversePrice = limitPriceText(ticks, order.instrument);
    const markPrice = limitPriceText(state.mark, order.instrument);
    return `a ${isLong ? 'long' : 'short'} would have ${surplus} more than its maintenance margin at ${adversePrice}, from ${markPrice}`;
  },
};

/** Returns the mark after the adverse move, in ticks; at least 1. */
function adverseTicks({ side, instrumentIndex }: Draft, { limits, rangeTicks, mark }: RiskState): number {
  const { numerator, denominator } = limits.liquidationAtrs!;
  const moveTicks = Math.ceil((rangeTicks(instrumentIndex) * numerator) / denominator);
  return side === 'buy' ? Math.max(1, mark - moveTicks) : mark + moveTicks;
}

/**
 * Returns the money that covers a position of `lots` at the price `ticks`, minus its maintenance margin there, in units. NaN if it cannot
 * be counted.
 */
function marginSurplusAt(ticks: number, lots: number, order: Draft, state: RiskState): number {
  const isLong = order.side === 'buy';
  const contracts = modelOf(state);
  const { ledger } = contracts;
  const { instrumentIndex } = order;
  const scale = ledger.scale(instrumentIndex);
  const valueAtMark = scale.valueOfLots(lots, state.mark);
  const valueAfterMove = scale.valueOfLots(lots, ticks);
  if (!(Number.isFinite(valueAtMark) && Number.isFinite(valueAfterMove))) return NAN;
  const { isCross, leverage } = ledger.terms(instrumentIndex);
  const lossUnits = Math.abs(valueAfterMove - valueAtMark);
  if (isCross) {
    const { equity } = contracts.computeWorstCase(order, state);
    return equity - maintenanceOfOthers(isLong, order, state) - lossUnits - scale.maintenance(valueAfterMove);
  }
  const position = ledger.side(instrumentIndex, isLong);
  const heldValue = scale.valueOfLots(position.lots, state.mark);
  const profitUnits = position.lots > 0 ? scale.profit(isLong, position.entryUnits, heldValue) : 0;
  const keptValue = scale.valueOfLots(Math.min(position.lots, lots), state.mark);
  const addedMargin = scale.initial(valueAtMark - keptValue, leverage);
  return position.marginUnits + profitUnits + addedMargin - lossUnits - scale.maintenance(valueAfterMove);
}

/** Returns the maintenance margin of all positions except the order's own, at the marks. Cross positions share their margin. */
function maintenanceOfOthers(isLong: boolean, order: Draft, state: RiskState): number {
  const { ledger } = modelOf(state);
  let units = 0;
  for (let index = 0; index < ledger.instruments.length; index++) {
    for (const isOfLong of [true, false]) {
      const { lots } = ledger.side(index, isOfLong);
      const isOwn = index === order.instrumentIndex && (isOfLong === isLong || ledger.terms(index).isNet);
      if (lots === 0 || isOwn) continue;
      const scale = ledger.scale(index);
      const value = scale.valueOfLots(lots, markTicksOf(index, order, state));
      units += Number.isFinite(value) ? scale.maintenance(value) : NAN;
    }
  }
  return units;
}
