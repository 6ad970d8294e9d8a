// Rules about what all orders and positions of a futures account may come to when every open order fills at its worst.

import { mulDiv, productAtMost } from '../../base/number/exact.ts';
import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import { isReduction, takenLots } from '../rules/openOrderRules.ts';
import { netOfContracts } from './netExposure.ts';
import type { Draft, OrderRule, RiskState } from '../rules/rule.ts';
import { lotsText, moneyText, ratioText } from '../limits/words.ts';

const MILLION = 1_000_000;

export const positionMax: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'POSITION_MAX',
  keys: ['maxPositionQty'],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) => isReduction(order, state) || maxLots(order, state) <= state.limits.positionBase[order.instrumentIndex]!,
  detail: (order, state) => {
    const { instrument } = order;
    return `${lotsText(maxLots(order, state), instrument)} at the worst, at most ${lotsText(state.limits.positionBase[order.instrumentIndex]!, instrument)}`;
  },
};

export const positionNotional: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'POSITION_NOTIONAL',
  keys: ['maxPositionNotional'],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) => isReduction(order, state) || maxUnits(order, state) <= state.limits.positionUnits[order.instrumentIndex]!,
  detail: (order, state) => {
    const { ledger, limits } = state;
    return `${moneyText(maxUnits(order, state), ledger)} at the worst, at most ${moneyText(limits.positionUnits[order.instrumentIndex]!, ledger)}`;
  },
};

export const portfolio: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'PORTFOLIO',
  keys: ['maxGrossNotional', 'maxNetNotional'],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) =>
    isReduction(order, state) ||
    (gross(order, state) <= state.limits.grossUnits &&
      (state.limits.netUnits === Infinity || netOfContracts(order, state) <= state.limits.netUnits)),
  detail(order, state) {
    const { grossUnits, netUnits } = state.limits;
    const money = (units: number): string => moneyText(units, state.ledger);
    const units = gross(order, state);
    if (!(units <= grossUnits)) return `${money(units)} over all contracts at the worst, at most ${money(grossUnits)}`;
    return `${money(netOfContracts(order, state))} net over all contracts at the worst, at most ${money(netUnits)}`;
  },
};

/** Worst notional over all contracts to the equity at the marks, less the fees of what is open. */
export const leverage: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'LEVERAGE',
  keys: ['maxLeverage'],
  needs: ['ledger', 'orders', 'marks'],
  check(order, state) {
    const max = state.limits.leverage;
    if (max === null || isReduction(order, state)) return true;
    const equity = worstEquity(order, state);
    return equity >= 0 && productAtMost(gross(order, state), max.denominator, max.numerator, equity);
  },
  detail(order, state) {
    const [worst, equity] = [moneyText(gross(order, state), state.ledger), moneyText(worstEquity(order, state), state.ledger)];
    return `${worst} over all contracts at the worst, on an equity of ${equity} after fees; at most ${ratioText(state.limits.leverage!)} times`;
  },
};

export const concentration: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'CONCENTRATION',
  keys: ['maxConcentration'],
  needs: ['ledger', 'orders', 'marks'],
  check(order, state) {
    const max = state.limits.concentration;
    if (max === null || isReduction(order, state)) return true;
    const equity = worstEquity(order, state);
    return equity >= 0 && productAtMost(maxUnits(order, state), max.denominator, max.numerator, equity);
  },
  detail(order, state) {
    const [worst, equity] = [moneyText(maxUnits(order, state), state.ledger), moneyText(worstEquity(order, state), state.ledger)];
    return `${worst} of the contract at the worst, on an equity of ${equity} after fees; at most ${ratioText(state.limits.concentration!)} times`;
  },
};

/** The exchange allows the account's leverage only up to some worth of a position. Always on. */
export const tier: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'TIER',
  keys: [],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) => {
    const { ledger } = state;
    const { instrumentIndex } = order;
    if (isReduction(order, state)) return true;
    const value = maxUnits(order, state);
    return value < Infinity && ledger.terms(instrumentIndex).leverage <= ledger.scale(instrumentIndex).maxLeverage(value);
  },
  detail(order, state) {
    const { ledger } = state;
    const { instrumentIndex } = order;
    const amount = maxUnits(order, state);
    const max = ledger.scale(instrumentIndex).maxLeverage(amount);
    return `a position worth ${moneyText(amount, ledger)} may have a leverage of ${max}, the account has ${ledger.terms(instrumentIndex).leverage}`;
  },
};

/**
 * Margin for what the order opens, beside what other orders may take, out of what the strategy has left; and a position for what can only
 * close one. Always on.
 */
export const margin: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'MARGIN',
  keys: [],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) => isBacked(order, state, state.reservations.cash(order.strategy)),
  detail(order, state) {
    const { strategy, instrumentIndex, side, worstLots } = order;
    if (order.reduceOnly) {
      const held = state.ledger.closable(strategy, instrumentIndex, side === 'buy', true);
      const { instrument } = order;
      const taken = takenLots(strategy, instrumentIndex, side === 'buy', state.ledger, state.reservations);
      return `${lotsText(worstLots, instrument)} to close, beside ${lotsText(taken, instrument)} that other orders close, of ${lotsText(held, instrument)} held`;
    }
    const money = (units: number): string => moneyText(units, state.ledger);
    const reserved = money(state.reservations.cash(strategy));
    return `needs ${money(requiredMargin(order, state))} of margin and fees beside ${reserved} reserved, of ${money(available(order, state))} available`;
  },
};

/** `reserved`: what other orders may take out of the same. */
export function isBacked(order: Draft, state: RiskState<FuturesLedger>, reserved: number): boolean {
  return isReduction(order, state) || (!order.reduceOnly && requiredMargin(order, state) + reserved <= available(order, state));
}

/**
 * The exchange has one position of a contract and not one for each strategy: the first one that trades it keeps it, and nobody else orders
 * it while an order of another strategy may become that first trade. Always on.
 */
export const owner: OrderRule<FuturesLedger> = {
  kind: 'order',
  code: 'CONTRACT_TAKEN',
  keys: [],
  needs: ['ledger', 'orders'],
  check: ({ strategy, instrumentIndex }, state) => takerOf(instrumentIndex, strategy, state) === strategy,
  detail: ({ instrument, instrumentIndex, strategy }, state) =>
    `${instrument.id} is traded by strategy ${takerOf(instrumentIndex, strategy, state) + 1} of the run`,
};

/** The strategy that has traded a contract, or may: the one that asks, if no other one does. */
function takerOf(index: number, asking: number, { ledger, reservations }: RiskState<FuturesLedger>): number {
  const known = ledger.ownerOf(index);
  if (known >= 0 || reservations.open(index) === 0) return known >= 0 ? known : asking;
  for (let strategy = 0; strategy < ledger.strategies; strategy++) {
    if (strategy !== asking && reservations.buyLots(strategy, index) + reservations.sellLots(strategy, index) > 0) return strategy;
  }
  return asking;
}

/** Margin and fee of the order's lots that do not close anything; the exchange lets an order by value close nothing beforehand. */
export function requiredMargin(order: Draft, { ledger, reservations }: RiskState<FuturesLedger>): number {
  const { strategy, instrumentIndex, side, worstLots, worstCash, quoteUnits } = order;
  const isBuy = side === 'buy';
  const others = isBuy ? reservations.buyLots(strategy, instrumentIndex) : reservations.sellLots(strategy, instrumentIndex);
  const closes = quoteUnits > 0 ? 0 : Math.max(0, ledger.closable(strategy, instrumentIndex, isBuy, false) - others);
  if (closes === 0 || !(worstCash < Infinity)) return worstCash;
  return closes >= worstLots ? 0 : mulDiv(worstCash, worstLots - closes, worstLots, 'up');
}

export function available({ strategy, instrumentIndex }: Draft, { ledger, instruments, marks, mark }: RiskState<FuturesLedger>): number {
  let units = ledger.cash(strategy) - ledger.marginUsed(strategy);
  let profit = 0;
  for (let index = 0; index < instruments.length; index++) {
    if (ledger.ownerOf(index) !== strategy || !ledger.holds(index) || !ledger.terms(index).isCross) continue;
    profit += ledger.holdingValue(index, index === instrumentIndex ? mark : marks.lastTicks(index));
  }
  if (!(profit >= 0)) units += profit;
  return units;
}

/** The larger of the two positions that the order's contract may come to: in net mode one of them turns into the other. */
function maxLots(order: Draft, state: RiskState<FuturesLedger>): number {
  return Math.max(lotsAtWorst(true, order, state), lotsAtWorst(false, order, state));
}
export function maxUnits(order: Draft, state: RiskState<FuturesLedger>): number {
  const { instrumentIndex } = order;
  return Math.max(worstUnits(instrumentIndex, true, order, state), worstUnits(instrumentIndex, false, order, state));
}

/** Over all contracts; of one whose long and short are kept apart both count. */
export function gross(order: Draft, state: RiskState<FuturesLedger>): number {
  let units = 0;
  for (let index = 0; index < state.instruments.length; index++) {
    const long = worstUnits(index, true, order, state);
    const short = worstUnits(index, false, order, state);
    units += state.ledger.terms(index).isNet ? Math.max(long, short) : long + short;
  }
  return units;
}

/** Lots of one side of the order's contract when every order that can open it fills, the draft among them. */
export function lotsAtWorst(isLong: boolean, order: Draft, state: RiskState<FuturesLedger>): number {
  const { ledger, reservations } = state;
  const { instrumentIndex: index } = order;
  const open = isLong ? reservations.buyLotsTotal(index) : reservations.sellLotsTotal(index);
  const more = opens(index, isLong, order) ? order.worstLots : 0;
  return Math.max(0, ledger.side(index, isLong).lots + open + more - opposed(index, isLong, state));
}

/** The same in units: what is held at the mark, and each order at the dearer of its worst price and the mark. */
function worstUnits(index: number, isLong: boolean, order: Draft, state: RiskState<FuturesLedger>): number {
  const { ledger, reservations } = state;
  const ticks = index === order.instrumentIndex ? state.mark : state.marks.lastTicks(index);
  const scale = ledger.scale(index);
  const { lots } = ledger.side(index, isLong);
  let units = lots > 0 ? scale.notionalUp(ticks, lots) : 0;
  let open = isLong ? reservations.buyLotsTotal(index) : reservations.sellLotsTotal(index);
  if (open > 0) units += isLong ? reservations.buyUnitsAt(index, ticks) : reservations.sellUnitsAt(index, ticks);
  if (opens(index, isLong, order)) {
    open += order.worstLots;
    units += reservations.unitsAt(order, ticks);
  }
  const closing = opposed(index, isLong, state);
  if (closing === 0) return units;
  // The cheapest of these orders may close the other side first, but none of their lots counts for less than the mark.
  return closing >= open ? 0 : units - scale.notionalDown(ticks, closing);
}

function opens(index: number, isLong: boolean, { instrumentIndex, side, reduceOnly }: Draft): boolean {
  return index === instrumentIndex && !reduceOnly && (side === 'buy') === isLong;
}

/** Net mode: lots held of the other side, which are closed before this one opens, but for those that orders that only close may take. */
function opposed(index: number, isLong: boolean, { ledger, reservations }: RiskState<FuturesLedger>): number {
  const { lots } = ledger.side(index, !isLong);
  if (lots === 0 || !ledger.terms(index).isNet) return 0;
  return Math.max(0, lots - reservations.closingLots(ledger.ownerOf(index), index, isLong));
}

/** Equity of the account at the marks, less taker fees of every open order that may open and of the draft; NaN when it cannot be counted. */
export function worstEquity(order: Draft, { ledger, reservations, instruments, marks, mark }: RiskState<FuturesLedger>): number {
  let equity = ledger.cashTotal;
  for (let index = 0; index < instruments.length; index++) {
    const isOwn = index === order.instrumentIndex;
    const ticks = isOwn ? mark : marks.lastTicks(index);
    let open = isOwn ? reservations.unitsAt(order, ticks) : 0;
    if (reservations.buyLotsTotal(index) > 0) open += reservations.buyUnitsAt(index, ticks);
    if (reservations.sellLotsTotal(index) > 0) open += reservations.sellUnitsAt(index, ticks);
    if (open > 0) equity -= open <= Number.MAX_SAFE_INTEGER ? mulDiv(open, reservations.takerFeePpm(index), MILLION, 'up') : NaN;
    if (ledger.holds(index)) equity += ledger.holdingValue(index, ticks);
  }
  return equity;
}
