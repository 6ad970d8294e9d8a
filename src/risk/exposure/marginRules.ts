// Rules on what must be left once a contract order has filled at its worst: free margin, and distance to liquidation (risk-and-security,
//

import { productAtMost } from '../../base/number/exact.ts';
import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import { isReduction } from '../rules/openOrderRules.ts';
import { available, lotsAtWorst, requiredMargin, worstEquity } from './futuresExposure.ts';
import type { Draft, OrderRule, RiskState } from '../rules/rule.ts';
import { moneyText, priceText, ratioText } from '../limits/words.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

type State = RiskState<FuturesLedger>;

export const marginBuffer: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'MARGIN_BUFFER',
  keys: ['marginBuffer'],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) => hasBuffer(order, state, state.reservations.cash(order.strategy)),
  detail(order, state) {
    const free = available(order, state) - requiredMargin(order, state) - state.reservations.cash(order.strategy);
    const [left, equity] = [moneyText(free, state.ledger), moneyText(equityOf(order, state), state.ledger)];
    return `${left} would stay free, of an equity of ${equity}; at least ${ratioText(state.limits.marginBuffer!)} of it`;
  },
};

/** True when the margin buffer is left. `reserved`: what other orders may take from the same account. */
export function hasBuffer(order: Draft, state: State, reserved: number): boolean {
  const min = state.limits.marginBuffer;
  if (min === null || isReduction(order, state)) return true;
  const free = available(order, state) - requiredMargin(order, state) - reserved;
  const equity = equityOf(order, state);
  return free >= 0 && equity >= 0 && productAtMost(equity, min.numerator, min.denominator, free);
}

/** Returns the strategy's equity at the marks. */
function equityOf({ strategy, instrumentIndex }: Draft, { ledger, instruments, marks, mark }: State): number {
  let units = ledger.cash(strategy);
  for (let index = 0; index < instruments.length; index++) {
    if (ledger.ownerOf(index) !== strategy || !ledger.holds(index)) continue;
    units += ledger.holdingValue(index, index === instrumentIndex ? mark : marks.lastTicks(index));
  }
  return units;
}

/**
 * The position to which the order may lead must survive a move against it of `liquidationAtrs` average ranges, from the mark. The order is
 * denied while the range is unknown because too few bars have closed.
 */
export const liquidationDistance: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'LIQUIDATION_DISTANCE',
  keys: ['minLiquidationAtrs'],
  needs: ['ledger', 'orders', 'marks'],
  check(order, state) {
    if (state.limits.liquidationAtrs === null || isReduction(order, state)) return true;
    const isLong = order.side === 'buy';
    const lots = lotsAtWorst(isLong, order, state);
    return lots === 0 || leftAt(movedTicks(order, state), lots, isLong, order, state) > 0;
  },
  detail(order, state) {
    const isLong = order.side === 'buy';
    const ticks = movedTicks(order, state);
    if (Number.isNaN(ticks)) return 'no average range is known yet: too few bars have closed';
    const left = moneyText(leftAt(ticks, lotsAtWorst(isLong, order, state), isLong, order, state), state.ledger);
    const [then, now] = [priceText(ticks, order.instrument), priceText(state.mark, order.instrument)];
    return `a ${isLong ? 'long' : 'short'} would have ${left} more than its maintenance margin at ${then}, from ${now}`;
  },
};

/** Returns the mark after the move; at least a tick. */
function movedTicks({ side, instrumentIndex }: Draft, { limits, rangeTicks, mark }: State): number {
  const { numerator, denominator } = limits.liquidationAtrs!;
  const move = Math.ceil((rangeTicks(instrumentIndex) * numerator) / denominator);
  return side === 'buy' ? Math.max(1, mark - move) : mark + move;
}

/** Returns the funds behind the position at a price, minus the maintenance margin that it needs there; NaN when that cannot be counted. */
function leftAt(ticks: number, lots: number, isLong: boolean, order: Draft, state: State): number {
  const { ledger, mark } = state;
  const { instrumentIndex } = order;
  const scale = ledger.scale(instrumentIndex);
  const [now, then] = [scale.valueOfLots(lots, mark), scale.valueOfLots(lots, ticks)];
  if (!(Number.isFinite(now) && Number.isFinite(then))) return NAN;
  const { isCross, leverage } = ledger.terms(instrumentIndex);
  const loss = Math.abs(then - now);
  if (isCross) return worstEquity(order, state) - maintenanceOfOthers(isLong, order, state) - loss - scale.maintenance(then);
  const held = ledger.side(instrumentIndex, isLong);
  const value = scale.valueOfLots(Math.min(held.lots, lots), mark);
  const profit = held.lots > 0 ? scale.profit(isLong, held.entryUnits, scale.valueOfLots(held.lots, mark)) : 0;
  return held.marginUnits + profit + scale.initial(now - value, leverage) - loss - scale.maintenance(then);
}

/** Cross positions share their margin: returns what all positions except the order's own need at the marks. */
function maintenanceOfOthers(isLong: boolean, { instrumentIndex }: Draft, { ledger, instruments, marks, mark }: State): number {
  let units = 0;
  for (let index = 0; index < instruments.length; index++) {
    for (const isOfLong of [true, false]) {
      const { lots } = ledger.side(index, isOfLong);
      const isOwn = index === instrumentIndex && (isOfLong === isLong || ledger.terms(index).isNet);
      if (lots === 0 || isOwn) continue;
      const scale = ledger.scale(index);
      const value = scale.valueOfLots(lots, index === instrumentIndex ? mark : marks.lastTicks(index));
      units += Number.isFinite(value) ? scale.maintenance(value) : NAN;
    }
  }
  return units;
}
