// Rules on the total of orders and holdings of a spot account when every open order fills at its worst.

import * as numbers from '../../base/number/exact.ts';
import type { SpotLedger } from '../../portfolio/spotLedger.ts';
import type { Draft, OrderRule, RiskState, AccountWorstCase } from '../rules/rule.ts';
import { baseText, lotsText, moneyText, ratioText } from '../limits/words.ts';

// hot: docs/performance.md#imported-constants
const { productAtMost, mulPpmUp } = numbers;

export const positionMax: OrderRule<SpotLedger> = {
  kind: 'order',
  code: 'POSITION_MAX',
  keys: ['maxPositionQty'],
  needs: ['ledger', 'orders', 'marks'],
  // A spot sell adds to no position.
  check: (order, state) => order.sign < 0 || longMax(order, state) <= state.limits.positionBase[order.instrumentIndex]!,
  detail: (order, state) => {
    const { instrument } = order;
    return `${baseText(longMax(order, state), instrument)} at the worst, at most ${baseText(state.limits.positionBase[order.instrumentIndex]!, instrument)}`;
  },
};

export const positionNotional: OrderRule<SpotLedger> = {
  kind: 'order',
  code: 'POSITION_NOTIONAL',
  keys: ['maxPositionNotional'],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) =>
    order.sign < 0 || worstNotional(order.instrumentIndex, order, state) <= state.limits.positionUnits[order.instrumentIndex]!,
  detail: (order, state) =>
    `${moneyText(worstNotional(order.instrumentIndex, order, state), state.ledger)} at the worst, at most ${moneyText(state.limits.positionUnits[order.instrumentIndex]!, state.ledger)}`,
};

export const portfolio: OrderRule<SpotLedger> = {
  kind: 'order',
  code: 'PORTFOLIO',
  // Coins are long only, so net equals gross.
  keys: ['maxGrossNotional', 'maxNetNotional'],
  needs: ['ledger', 'orders', 'marks'],
  check: (order, state) =>
    order.sign < 0 || computeAccountWorstCase(order, state, 0).gross <= Math.min(state.limits.grossUnits, state.limits.netUnits),
  detail: (order, state) => {
    const max = Math.min(state.limits.grossUnits, state.limits.netUnits);
    return `${moneyText(computeAccountWorstCase(order, state, 0).gross, state.ledger)} over all symbols at the worst, at most ${moneyText(max, state.ledger)}`;
  },
};

export const leverage: OrderRule<SpotLedger> = {
  kind: 'order',
  code: 'LEVERAGE',
  keys: ['maxLeverage'],
  needs: ['ledger', 'orders', 'marks'],
  check(order, state) {
    if (order.sign < 0) return true;
    const max = state.limits.leverage;
    if (max === null) return true;
    const account = computeAccountWorstCase(order, state, 0);
    return account.equity >= 0 && productAtMost(account.gross, max.denominator, max.numerator, account.equity);
  },
  detail(order, state) {
    const account = computeAccountWorstCase(order, state, 0);
    const [gross, equity] = [moneyText(account.gross, state.ledger), moneyText(account.equity, state.ledger)];
    return `${gross} over all symbols at the worst, on an equity of ${equity} after fees; at most ${ratioText(state.limits.leverage!)} times`;
  },
};

export const concentration: OrderRule<SpotLedger> = {
  kind: 'order',
  code: 'CONCENTRATION',
  keys: ['maxConcentration'],
  needs: ['ledger', 'orders', 'marks'],
  check(order, state) {
    const max = state.limits.concentration;
    if (order.sign < 0 || max === null) return true;
    const equity = computeAccountWorstCase(order, state, 0).equity;
    return equity >= 0 && productAtMost(worstNotional(order.instrumentIndex, order, state), max.denominator, max.numerator, equity);
  },
  detail(order, state) {
    const worst = moneyText(worstNotional(order.instrumentIndex, order, state), state.ledger);
    const equity = moneyText(computeAccountWorstCase(order, state, 0).equity, state.ledger);
    return `${worst} of the symbol at the worst, on an equity of ${equity} after fees; at most ${ratioText(state.limits.concentration!)} times`;
  },
};

/** Spot has no credit: cash for every buy, coins for every sell, both from the strategy's own book. Always on. */
export const margin: OrderRule<SpotLedger> = {
  kind: 'order',
  code: 'MARGIN',
  keys: [],
  needs: ['ledger', 'orders', 'marks'],
  check(order, { ledger, reservations }) {
    const { strategy } = order;
    if (order.sign > 0) return reservations.cash(strategy) + order.worstCash <= ledger.cash(strategy);
    const { instrumentIndex } = order;
    return ledger.covers(strategy, instrumentIndex, reservations.sellLots(strategy, instrumentIndex) + order.worstLots);
  },
  detail(order, { ledger, reservations }) {
    const { strategy, instrumentIndex } = order;
    if (order.sign > 0) {
      const [needs, held] = [moneyText(order.worstCash, ledger), moneyText(reservations.cash(strategy), ledger)];
      return `needs ${needs} beside ${held} reserved, of ${moneyText(ledger.cash(strategy), ledger)} in cash`;
    }
    const reserved = lotsText(reservations.sellLots(strategy, instrumentIndex), order.instrument);
    const held = lotsText(ledger.lots(strategy, instrumentIndex), order.instrument);
    return `needs ${lotsText(order.worstLots, order.instrument)} beside ${reserved} reserved, of ${held} held`;
  },
};

/** Returns the account's base units when the order and every other buy of its instrument fill. */
function longMax({ instrumentIndex, worstLots }: Draft, { ledger, reservations }: RiskState<SpotLedger>): number {
  const lots = reservations.buyLotsTotal(instrumentIndex) + worstLots;
  return ledger.baseTotal(instrumentIndex) + lots * ledger.unitsPerLot(instrumentIndex);
}

/**
 * Returns the holding at the mark plus every open buy at the dearer of its worst price and the mark. A missing mark gives NaN or Infinity,
 * which exceeds every limit.
 */
export function worstNotional(index: number, order: Draft, state: RiskState<SpotLedger>): number {
  const { ledger, reservations } = state;
  const isOwn = index === order.instrumentIndex;
  const mark = isOwn ? state.mark : state.marks.lastTicks(index);
  let units = isOwn ? reservations.unitsAt(order, mark) : 0;
  if (reservations.buyLotsTotal(index) > 0) units += reservations.buyUnitsAt(index, mark);
  return ledger.baseTotal(index) > 0 ? units + ledger.valueUp(index, mark) : units;
}

/**
 * Computes the worst case of the account, both figures in one pass, and writes them to a record of the state. `first`: index of the first
 * spot instrument. Hot: docs/performance.md#out-parameters.
 */
export function computeAccountWorstCase(order: Draft, state: RiskState<SpotLedger>, first: number): AccountWorstCase {
  const { reservations, account, mark } = state;
  const { instrumentIndex } = order;
  account.gross = 0;
  account.equity = state.ledger.cashTotal;
  if (instrumentIndex >= first) addSymbol(state, instrumentIndex, mark, reservations.unitsAt(order, mark));
  if (state.isOfMany) addOthers(instrumentIndex, state, first);
  return account;
}

function addOthers(own: number, state: RiskState<SpotLedger>, first: number): void {
  for (let index = first; index < state.instruments.length; index++)
    if (index !== own) addSymbol(state, index, state.marks.lastTicks(index), 0);
}

/** Adds the holding and open buys of one symbol. `ownUnits`: what the current order adds to them. */
function addSymbol({ ledger, reservations, account }: RiskState<SpotLedger>, index: number, mark: number, ownUnits: number): void {
  let open = ownUnits;
  if (reservations.buyLotsTotal(index) > 0) open += reservations.buyUnitsAt(index, mark);
  account.gross += open;
  account.equity -= mulPpmUp(open, reservations.takerFeePpm(index));
  if (ledger.baseTotal(index) > 0) {
    account.gross += ledger.valueUp(index, mark);
    account.equity += ledger.valueDown(index, mark);
  }
}
