// Rules on the total of orders and positions of a futures account when every open order fills at its worst.

import { mulDiv, productAtMost } from '../../base/number/exact.ts';
import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import { isReduction, takenLots } from '../rules/openOrderRules.ts';
import { netOfContracts } from './netExposure.ts';
import type { Draft, OrderRule, RiskState } from '../rules/rule.ts';
import { lotsText, moneyText, ratioText } from '../limits/words.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

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
      (state.limits.netUnits === INFINITY || netOfContracts(order, state) <= state.limits.netUnits)),
  detail(order, state) {
    const { grossUnits, netUnits } = state.limits;
    const money = (units: number): string => moneyText(units, state.ledger);
    const units = gross(order, state);
    if (!(units <= grossUnits)) return `${money(units)} over all contracts at the worst, at most ${money(grossUnits)}`;
    return `${money(netOfContracts(order, state))} net over all contracts at the worst, at most ${money(netUnits)}`;
  },
};

/** Limits worst notional over all contracts divided by equity at the marks, minus the fees of open orders. */
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

/** The exchange allows the account's leverage only up to a certain value of a position. Always on. */
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
    return value < INFINITY && ledger.terms(instrumentIndex).leverage <= ledger.scale(instrumentIndex).maxLeverage(value);
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
 * Requires margin for what the order opens, besides what other orders may take, from what the strategy has left. An order that can only
 * close requires a position. Always on.
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

/** True when the strategy can back the order. `reserved`: what other orders may take from the same funds. */
export function isBacked(order: Draft, state: RiskState<FuturesLedger>, reserved: number): boolean {
  return isReduction(order, state) || (!order.reduceOnly && requiredMargin(order, state) + reserved <= available(order, state));
}

/**
 * The exchange keeps one position of a contract, not one for each strategy. The first strategy that trades a contract owns it. No other may
 * order it, not even while an order is open that may become the first trade. Always on.
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

/** Returns the strategy that has traded a contract, or may; `asking` if no other strategy does. */
function takerOf(index: number, asking: number, { ledger, reservations }: RiskState<FuturesLedger>): number {
  const known = ledger.ownerOf(index);
  if (known >= 0 || reservations.open(index) === 0) return known >= 0 ? known : asking;
  for (let strategy = 0; strategy < ledger.strategies; strategy++) {
    if (strategy !== asking && reservations.buyLots(strategy, index) + reservations.sellLots(strategy, index) > 0) return strategy;
  }
  return asking;
}

/** Returns margin and fee of the order's lots that close nothing. At the exchange an order by value never reserves lots to close. */
export function requiredMargin(order: Draft, { ledger, reservations }: RiskState<FuturesLedger>): number {
  const { strategy, instrumentIndex, side, worstLots, worstCash, quoteUnits } = order;
  const isBuy = side === 'buy';
  const others = isBuy ? reservations.buyLots(strategy, instrumentIndex) : reservations.sellLots(strategy, instrumentIndex);
  const closes = quoteUnits > 0 ? 0 : Math.max(0, ledger.closable(strategy, instrumentIndex, isBuy, false) - others);
  if (closes === 0 || !(worstCash < INFINITY)) return worstCash;
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

/** Returns the larger of the two positions to which the order's contract may come: in net mode, one of them reverses into the other. */
function maxLots(order: Draft, state: RiskState<FuturesLedger>): number {
  return Math.max(lotsAtWorst(true, order, state), lotsAtWorst(false, order, state));
}
export function maxUnits(order: Draft, state: RiskState<FuturesLedger>): number {
  const { instrumentIndex } = order;
  return Math.max(worstUnits(instrumentIndex, true, order, state), worstUnits(instrumentIndex, false, order, state));
}

/** Returns the worst notional over all contracts. In two-way mode both sides of a contract count. */
export function gross(order: Draft, state: RiskState<FuturesLedger>): number {
  let units = 0;
  for (let index = 0; index < state.instruments.length; index++) {
    const long = worstUnits(index, true, order, state);
    const short = worstUnits(index, false, order, state);
    units += state.ledger.terms(index).isNet ? Math.max(long, short) : long + short;
  }
  return units;
}

/** Returns the lots of one side of the order's contract when every order that can open it fills, including the draft. */
export function lotsAtWorst(isLong: boolean, order: Draft, state: RiskState<FuturesLedger>): number {
  const { ledger, reservations } = state;
  const { instrumentIndex: index } = order;
  const open = isLong ? reservations.buyLotsTotal(index) : reservations.sellLotsTotal(index);
  const more = opens(index, isLong, order) ? order.worstLots : 0;
  return Math.max(0, ledger.side(index, isLong).lots + open + more - opposed(index, isLong, state));
}

/** The same in units: held lots at the mark, and each order at the dearer of its worst price and the mark. */
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
  // The cheapest of these orders may close the other side first, but each of their lots counts for at least the mark.
  return closing >= open ? 0 : units - scale.notionalDown(ticks, closing);
}

function opens(index: number, isLong: boolean, { instrumentIndex, side, reduceOnly }: Draft): boolean {
  return index === instrumentIndex && !reduceOnly && (side === 'buy') === isLong;
}

/**
 * Net mode: returns the lots held on the other side that are closed before this one opens, without those that reduce-only orders may take.
 */
function opposed(index: number, isLong: boolean, { ledger, reservations }: RiskState<FuturesLedger>): number {
  const { lots } = ledger.side(index, !isLong);
  if (lots === 0 || !ledger.terms(index).isNet) return 0;
  return Math.max(0, lots - reservations.closingLots(ledger.ownerOf(index), index, isLong));
}

/**
 * Returns the account's equity at the marks, minus the taker fees of the draft and of every open order that may open; NaN when it cannot be
 * counted.
 */
export function worstEquity(order: Draft, { ledger, reservations, instruments, marks, mark }: RiskState<FuturesLedger>): number {
  let equity = ledger.cashTotal;
  for (let index = 0; index < instruments.length; index++) {
    const isOwn = index === order.instrumentIndex;
    const ticks = isOwn ? mark : marks.lastTicks(index);
    let open = isOwn ? reservations.unitsAt(order, ticks) : 0;
    if (reservations.buyLotsTotal(index) > 0) open += reservations.buyUnitsAt(index, ticks);
    if (reservations.sellLotsTotal(index) > 0) open += reservations.sellUnitsAt(index, ticks);
    if (open > 0) equity -= open <= Number.MAX_SAFE_INTEGER ? mulDiv(open, reservations.takerFeePpm(index), MILLION, 'up') : NAN;
    if (ledger.holds(index)) equity += ledger.holdingValue(index, ticks);
  }
  return equity;
}
