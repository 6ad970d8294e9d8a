// Rules of a run over both markets: the rules of its market check an order, and the totals of both accounts are limited together.

import { productAtMost } from '../../base/number/exact.ts';
import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { PairedLedger } from '../../portfolio/pairedLedger.ts';
import type { SpotLedger } from '../../portfolio/spotLedger.ts';
import { isReduction } from '../rules/openOrderRules.ts';
import * as futures from './futuresExposure.ts';
import * as left from './marginRules.ts';
import { keptCoins, netOfContracts } from './netExposure.ts';
import type { Draft, OrderRule, RiskState } from '../rules/rule.ts';
import * as size from '../rules/sizeRules.ts';
import * as spot from './spotExposure.ts';
import { moneyText, ratioText } from '../limits/words.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

type State = RiskState<PairedLedger>;
const isContract = ({ instrument }: Draft): boolean => instrument.contract !== undefined;

/** Returns the state as the rules of one market see it: ledger and instruments of that market, everything else unchanged. */
function seenWith<Books extends Ledger>(state: State, ledger: Books, instruments: State['instruments']): RiskState<Books> {
  return { ...state, ledger, instruments };
}
const ofSpot = (state: State): RiskState<SpotLedger> => seenWith(state, state.ledger.spot, state.instruments);
const ofFutures = (state: State): RiskState<FuturesLedger> => seenWith(state, state.ledger.futures, state.ledger.futures.instruments);

/** Returns a rule for a limit that both markets have: it checks each order by the rule of its market. */
function either(coins: OrderRule<SpotLedger>, contracts: OrderRule<FuturesLedger>): OrderRule<PairedLedger> {
  return {
    ...contracts,
    check: (order, state) => (isContract(order) ? contracts.check(order, ofFutures(state)) : coins.check(order, ofSpot(state))),
    detail: (order, state) => (isContract(order) ? contracts.detail(order, ofFutures(state)) : coins.detail(order, ofSpot(state))),
  };
}

/** Returns a rule that applies to contracts only, or to spot only. */
function ofContracts(rule: OrderRule<FuturesLedger>): OrderRule<PairedLedger> {
  return {
    ...rule,
    check: (order, state) => !isContract(order) || rule.check(order, ofFutures(state)),
    detail: (order, state) => rule.detail(order, ofFutures(state)),
  };
}
export const reduceOnly: OrderRule<PairedLedger> = {
  ...size.reduceOnly,
  check: (order, state) => isContract(order) || size.reduceOnly.check(order, state),
};

export const instrument: OrderRule<PairedLedger> = {
  ...size.instrument,
  check: (order, { instruments }) => instruments[order.instrumentIndex] === order.instrument,
  detail: ({ instrument: { id } }) => `${id} is not an instrument of this run`,
};

export const positionMax = either(spot.positionMax, futures.positionMax);
export const positionNotional = either(spot.positionNotional, futures.positionNotional);
export const owner = ofContracts(futures.owner);
export const tier = ofContracts(futures.tier);

export const portfolio: OrderRule<PairedLedger> = {
  ...futures.portfolio,
  check: (order, state) =>
    addsNothing(order, state) ||
    (gross(order, state) <= state.limits.grossUnits && (state.limits.netUnits === INFINITY || net(order, state) <= state.limits.netUnits)),
  detail(order, state) {
    const { grossUnits, netUnits } = state.limits;
    const money = (units: number): string => moneyText(units, state.ledger);
    const units = gross(order, state);
    if (!(units <= grossUnits)) return `${money(units)} over both markets at the worst, at most ${money(grossUnits)}`;
    return `${money(net(order, state))} net over both markets at the worst, at most ${money(netUnits)}`;
  },
};

/** Limits coins and contracts against the equity of both accounts. A hedge counts on both sides: each can be closed without the other. */
export const leverage: OrderRule<PairedLedger> = {
  ...futures.leverage,
  check(order, state) {
    const max = state.limits.leverage;
    if (max === null || addsNothing(order, state)) return true;
    const equity = worstEquity(order, state);
    return equity >= 0 && productAtMost(gross(order, state), max.denominator, max.numerator, equity);
  },
  detail(order, state) {
    const [worst, equity] = [moneyText(gross(order, state), state.ledger), moneyText(worstEquity(order, state), state.ledger)];
    return `${worst} over both markets at the worst, on an equity of ${equity} after fees; at most ${ratioText(state.limits.leverage!)} times`;
  },
};

export const concentration: OrderRule<PairedLedger> = {
  ...futures.concentration,
  check(order, state) {
    const max = state.limits.concentration;
    if (max === null || addsNothing(order, state)) return true;
    const equity = worstEquity(order, state);
    return equity >= 0 && productAtMost(worstOf(order, state), max.denominator, max.numerator, equity);
  },
  detail(order, state) {
    const [worst, equity] = [moneyText(worstOf(order, state), state.ledger), moneyText(worstEquity(order, state), state.ledger)];
    return `${worst} of the symbol at the worst, on an equity of ${equity} after fees; at most ${ratioText(state.limits.concentration!)} times`;
  },
};
function worstOf(order: Draft, state: State): number {
  return isContract(order) ? futures.maxUnits(order, ofFutures(state)) : spot.worstNotional(order.instrumentIndex, order, ofSpot(state));
}

/** Each account backs its own orders: cash of the other one would have to be transferred first. */
export const margin: OrderRule<PairedLedger> = {
  ...futures.margin,
  check(order, state) {
    if (isContract(order)) return futures.isBacked(order, ofFutures(state), reserved(order, state));
    if (order.side === 'sell') return isReduction(order, state);
    return reserved(order, state) + order.worstCash <= state.ledger.spot.cash(order.strategy);
  },
  detail(order, state) {
    const market = isContract(order) ? futures.margin.detail(order, ofFutures(state)) : spot.margin.detail(order, ofSpot(state));
    return `${market}; of the reserved, ${moneyText(reserved(order, state), state.ledger)} are of the ${order.instrument.market} account`;
  },
};

export const marginBuffer: OrderRule<PairedLedger> = {
  ...ofContracts(left.marginBuffer),
  check: (order, state) => !isContract(order) || left.hasBuffer(order, ofFutures(state), reserved(order, state)),
};
export const liquidationDistance = ofContracts(left.liquidationDistance);

/** Returns the cash that the strategy's orders may still take from the account of this order. */
function reserved(order: Draft, { reservations }: State): number {
  return reservations.cashOf(order.strategy, order.instrument.market);
}

function addsNothing(order: Draft, state: State): boolean {
  return isContract(order) ? isReduction(order, state) : order.side === 'sell';
}

function gross(order: Draft, state: State): number {
  return futures.gross(order, ofFutures(state)) + spot.computeAccountWorstCase(order, ofSpot(state), state.ledger.contracts).gross;
}

/** Coins are long: they add to long contracts, and offset short ones as far as they are certain to stay. */
function net(order: Draft, state: State): number {
  const { contracts } = state.ledger;
  const units = netOfContracts(order, ofFutures(state));
  return order.side === 'buy'
    ? units + spot.computeAccountWorstCase(order, ofSpot(state), contracts).gross
    : units - keptCoins(ofSpot(state), contracts);
}

function worstEquity(order: Draft, state: State): number {
  return futures.worstEquity(order, ofFutures(state)) + spot.computeAccountWorstCase(order, ofSpot(state), state.ledger.contracts).equity;
}
