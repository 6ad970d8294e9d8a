// Rules of contracts alone: who trades a contract, the leverage that its size allows, and what must be left once an order has filled at its
// worst: free margin, and distance to liquidation (risk-and-security, R-12).

import { productAtMost } from '../../base/number/exact.ts';
import { ticksOf } from './contractExposure.ts';
import type { ContractModel, Draft, OrderRule, RiskState, RuleInput } from '../rules/rule.ts';
import { moneyText, priceText, ratioText } from '../limits/words.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

const NEEDS: readonly RuleInput[] = ['ledger', 'orders', 'marks'];

/**
 * The exchange keeps one position of a contract, not one for each strategy. The first strategy that trades a contract owns it. No other may
 * order it, not even while an order is open that may become the first trade. Always on.
 */
export const owner: OrderRule = {
  kind: 'order',
  code: 'CONTRACT_TAKEN',
  keys: [],
  needs: ['ledger', 'orders'],
  market: 'futures',
  check: (order, state) => isCoin(order) || takerOf(order, state) === order.strategy,
  detail: (order, state) => `${order.instrument.id} is traded by strategy ${takerOf(order, state) + 1} of the run`,
};

/** A rule of contracts passes every order in coins. */
const isCoin = ({ instrument }: Draft): boolean => instrument.contract === undefined;

function modelOf({ exposure: { contracts } }: RiskState): ContractModel {
  return contracts!;
}

/** Returns the strategy that has traded the order's contract, or may; the order's own if no other strategy does. */
function takerOf({ instrumentIndex: index, strategy: asking }: Draft, state: RiskState): number {
  const { ledger } = modelOf(state);
  const { reservations } = state;
  const known = ledger.ownerOf(index);
  if (known >= 0 || reservations.open(index) === 0) return known >= 0 ? known : asking;
  for (let strategy = 0; strategy < ledger.strategies; strategy++) {
    if (strategy !== asking && reservations.buyLots(strategy, index) + reservations.sellLots(strategy, index) > 0) return strategy;
  }
  return asking;
}

/** The exchange allows the account's leverage only up to a certain value of a position. Always on. */
export const tier: OrderRule = {
  kind: 'order',
  code: 'TIER',
  keys: [],
  needs: NEEDS,
  market: 'futures',
  check(order, state) {
    if (isCoin(order)) return true;
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
    const max = ledger.scale(instrumentIndex).maxLeverage(amount);
    return `a position worth ${moneyText(amount, ledger)} may have a leverage of ${max}, the account has ${ledger.terms(instrumentIndex).leverage}`;
  },
};

export const marginBuffer: OrderRule = {
  kind: 'order',
  code: 'MARGIN_BUFFER',
  keys: ['marginBuffer'],
  needs: NEEDS,
  market: 'futures',
  check(order, state) {
    const min = state.limits.marginBuffer;
    if (min === null || isCoin(order) || modelOf(state).addsNothing(order, state)) return true;
    const free = freeUnits(order, state);
    const equity = equityOf(order, state);
    return free >= 0 && equity >= 0 && productAtMost(equity, min.numerator, min.denominator, free);
  },
  detail(order, state) {
    const { ledger } = state;
    const [left, equity] = [moneyText(freeUnits(order, state), ledger), moneyText(equityOf(order, state), ledger)];
    return `${left} would stay free, of an equity of ${equity}; at least ${ratioText(state.limits.marginBuffer!)} of it`;
  },
};

/** Returns what stays available to the strategy once the order and its other open orders of the account have taken their margin. */
function freeUnits(order: Draft, state: RiskState): number {
  const contracts = modelOf(state);
  return contracts.available(order, state) - contracts.requiredMargin(order) - contracts.reservedCash(order.strategy);
}

/** Returns the strategy's equity at the marks. */
function equityOf(order: Draft, state: RiskState): number {
  const { ledger } = modelOf(state);
  const { strategy } = order;
  let units = ledger.cash(strategy);
  for (let index = 0; index < ledger.instruments.length; index++) {
    if (ledger.ownerOf(index) === strategy && ledger.holds(index)) units += ledger.holdingValue(index, ticksOf(index, order, state));
  }
  return units;
}

/**
 * The position to which the order may lead must survive a move against it of `liquidationAtrs` average ranges, from the mark. The order is
 * denied while the range is unknown because too few bars have closed.
 */
export const liquidationDistance: OrderRule = {
  kind: 'order',
  code: 'LIQUIDATION_DISTANCE',
  keys: ['minLiquidationAtrs'],
  needs: NEEDS,
  market: 'futures',
  check(order, state) {
    if (state.limits.liquidationAtrs === null || isCoin(order) || modelOf(state).addsNothing(order, state)) return true;
    const isLong = order.side === 'buy';
    const lots = modelOf(state).lotsAtWorst(isLong, order);
    return lots === 0 || marginLeftAt(movedTicks(order, state), lots, isLong, order, state) > 0;
  },
  detail(order, state) {
    const isLong = order.side === 'buy';
    const ticks = movedTicks(order, state);
    if (Number.isNaN(ticks)) return 'no average range is known yet: too few bars have closed';
    const lots = modelOf(state).lotsAtWorst(isLong, order);
    const left = moneyText(marginLeftAt(ticks, lots, isLong, order, state), state.ledger);
    const [then, now] = [priceText(ticks, order.instrument), priceText(state.mark, order.instrument)];
    return `a ${isLong ? 'long' : 'short'} would have ${left} more than its maintenance margin at ${then}, from ${now}`;
  },
};

/** Returns the mark after the move; at least a tick. */
function movedTicks({ side, instrumentIndex }: Draft, { limits, rangeTicks, mark }: RiskState): number {
  const { numerator, denominator } = limits.liquidationAtrs!;
  const move = Math.ceil((rangeTicks(instrumentIndex) * numerator) / denominator);
  return side === 'buy' ? Math.max(1, mark - move) : mark + move;
}

/** Returns the funds behind the position at a price, minus the maintenance margin that it needs there; NaN when that cannot be counted. */
function marginLeftAt(ticks: number, lots: number, isLong: boolean, order: Draft, state: RiskState): number {
  const contracts = modelOf(state);
  const { ledger } = contracts;
  const { instrumentIndex } = order;
  const scale = ledger.scale(instrumentIndex);
  const [now, then] = [scale.valueOfLots(lots, state.mark), scale.valueOfLots(lots, ticks)];
  if (!(Number.isFinite(now) && Number.isFinite(then))) return NAN;
  const { isCross, leverage } = ledger.terms(instrumentIndex);
  const loss = Math.abs(then - now);
  if (isCross) {
    const { equity } = contracts.computeWorstCase(order, state);
    return equity - maintenanceOfOthers(isLong, order, state) - loss - scale.maintenance(then);
  }
  const held = ledger.side(instrumentIndex, isLong);
  const value = scale.valueOfLots(Math.min(held.lots, lots), state.mark);
  const profit = held.lots > 0 ? scale.profit(isLong, held.entryUnits, scale.valueOfLots(held.lots, state.mark)) : 0;
  return held.marginUnits + profit + scale.initial(now - value, leverage) - loss - scale.maintenance(then);
}

/** Cross positions share their margin: returns what all positions except the order's own need at the marks. */
function maintenanceOfOthers(isLong: boolean, order: Draft, state: RiskState): number {
  const { ledger } = modelOf(state);
  let units = 0;
  for (let index = 0; index < ledger.instruments.length; index++) {
    for (const isOfLong of [true, false]) {
      const { lots } = ledger.side(index, isOfLong);
      const isOwn = index === order.instrumentIndex && (isOfLong === isLong || ledger.terms(index).isNet);
      if (lots === 0 || isOwn) continue;
      const scale = ledger.scale(index);
      const value = scale.valueOfLots(lots, ticksOf(index, order, state));
      units += Number.isFinite(value) ? scale.maintenance(value) : NAN;
    }
  }
  return units;
}
