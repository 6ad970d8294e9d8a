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

/** A rule of contracts, asked with their model. */
interface ContractRule extends Pick<OrderRule, 'code' | 'keys' | 'needs'> {
  check(this: void, order: Draft, state: RiskState, contracts: ContractModel): boolean;
  detail(this: void, order: Draft, state: RiskState, contracts: ContractModel): string;
}

/** Returns a rule that passes every order in coins. */
function ofContracts({ code, keys, needs, check, detail }: ContractRule): OrderRule {
  return {
    kind: 'order',
    code,
    keys,
    needs,
    market: 'futures',
    check: (order, state) => order.instrument.contract === undefined || check(order, state, state.exposure.contracts!),
    detail: (order, state) => detail(order, state, state.exposure.contracts!),
  };
}

/**
 * The exchange keeps one position of a contract, not one for each strategy. The first strategy that trades a contract owns it. No other may
 * order it, not even while an order is open that may become the first trade. Always on.
 */
export const owner = ofContracts({
  code: 'CONTRACT_TAKEN',
  keys: [],
  needs: ['ledger', 'orders'],
  check: (order, state, contracts) => takerOf(order, state, contracts) === order.strategy,
  detail: (order, state, contracts) => `${order.instrument.id} is traded by strategy ${takerOf(order, state, contracts) + 1} of the run`,
});

/** Returns the strategy that has traded the order's contract, or may; the order's own if no other strategy does. */
function takerOf({ instrumentIndex: index, strategy: asking }: Draft, { reservations }: RiskState, { ledger }: ContractModel): number {
  const known = ledger.ownerOf(index);
  if (known >= 0 || reservations.open(index) === 0) return known >= 0 ? known : asking;
  for (let strategy = 0; strategy < ledger.strategies; strategy++) {
    if (strategy !== asking && reservations.buyLots(strategy, index) + reservations.sellLots(strategy, index) > 0) return strategy;
  }
  return asking;
}

/** The exchange allows the account's leverage only up to a certain value of a position. Always on. */
export const tier = ofContracts({
  code: 'TIER',
  keys: [],
  needs: NEEDS,
  check(order, state, contracts) {
    const { ledger } = contracts;
    const { instrumentIndex } = order;
    if (contracts.addsNothing(order, state)) return true;
    const value = contracts.notional(instrumentIndex, order, state);
    return value < INFINITY && ledger.terms(instrumentIndex).leverage <= ledger.scale(instrumentIndex).maxLeverage(value);
  },
  detail(order, state, contracts) {
    const { ledger } = contracts;
    const { instrumentIndex } = order;
    const amount = contracts.notional(instrumentIndex, order, state);
    const max = ledger.scale(instrumentIndex).maxLeverage(amount);
    return `a position worth ${moneyText(amount, ledger)} may have a leverage of ${max}, the account has ${ledger.terms(instrumentIndex).leverage}`;
  },
});

export const marginBuffer = ofContracts({
  code: 'MARGIN_BUFFER',
  keys: ['marginBuffer'],
  needs: NEEDS,
  check(order, state, contracts) {
    const min = state.limits.marginBuffer;
    if (min === null || contracts.addsNothing(order, state)) return true;
    const free = freeUnits(order, state, contracts);
    const equity = equityOf(order, state, contracts);
    return free >= 0 && equity >= 0 && productAtMost(equity, min.numerator, min.denominator, free);
  },
  detail(order, state, contracts) {
    const { ledger } = contracts;
    const [left, equity] = [moneyText(freeUnits(order, state, contracts), ledger), moneyText(equityOf(order, state, contracts), ledger)];
    return `${left} would stay free, of an equity of ${equity}; at least ${ratioText(state.limits.marginBuffer!)} of it`;
  },
});

/** Returns what stays available to the strategy once the order and its other open orders of the account have taken their margin. */
function freeUnits(order: Draft, state: RiskState, contracts: ContractModel): number {
  return contracts.available(order, state) - contracts.requiredMargin(order) - contracts.reservedCash(order.strategy);
}

/** Returns the strategy's equity at the marks. */
function equityOf(order: Draft, state: RiskState, { ledger }: ContractModel): number {
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
export const liquidationDistance = ofContracts({
  code: 'LIQUIDATION_DISTANCE',
  keys: ['minLiquidationAtrs'],
  needs: NEEDS,
  check(order, state, contracts) {
    if (state.limits.liquidationAtrs === null || contracts.addsNothing(order, state)) return true;
    const isLong = order.side === 'buy';
    const lots = contracts.lotsAtWorst(isLong, order);
    return lots === 0 || leftAt(movedTicks(order, state), lots, isLong, order, state) > 0;
  },
  detail(order, state, contracts) {
    const isLong = order.side === 'buy';
    const ticks = movedTicks(order, state);
    if (Number.isNaN(ticks)) return 'no average range is known yet: too few bars have closed';
    const left = moneyText(leftAt(ticks, contracts.lotsAtWorst(isLong, order), isLong, order, state), contracts.ledger);
    const [then, now] = [priceText(ticks, order.instrument), priceText(state.mark, order.instrument)];
    return `a ${isLong ? 'long' : 'short'} would have ${left} more than its maintenance margin at ${then}, from ${now}`;
  },
});

/** Returns the mark after the move; at least a tick. */
function movedTicks({ side, instrumentIndex }: Draft, { limits, rangeTicks, mark }: RiskState): number {
  const { numerator, denominator } = limits.liquidationAtrs!;
  const move = Math.ceil((rangeTicks(instrumentIndex) * numerator) / denominator);
  return side === 'buy' ? Math.max(1, mark - move) : mark + move;
}

/** Returns the funds behind the position at a price, minus the maintenance margin that it needs there; NaN when that cannot be counted. */
function leftAt(ticks: number, lots: number, isLong: boolean, order: Draft, state: RiskState): number {
  const contracts = state.exposure.contracts!;
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
  const { ledger } = state.exposure.contracts!;
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
