// Computes the exposure of a futures account, linear and inverse: its positions, and the open orders that add to them.

import { mulDiv } from '../../base/number/exact.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import { isReduction, takenLots } from '../rules/openOrderRules.ts';
import type { AccountWorstCase, ContractModel, Draft, RiskState } from '../rules/rule.ts';
import { RunningWorstCase, type WorstCasePart } from './runningWorstCase.ts';
import { lotsText, limitMoneyText } from '../limits/limitTexts.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

const MILLION = 1_000_000;

/** The exposure of the contracts of an account. */
export class ContractExposure implements ContractModel {
  readonly scopeWords = 'all contracts';
  readonly instrumentWord = 'contract';
  readonly hasShorts = true;
  readonly contracts = this;
  readonly ledger: FuturesLedger;
  private readonly reservations: Reservations;
  /** True when the account has spot instruments too. */
  private readonly isOneOfTwo: boolean;
  /** Running sums of the worst case; null for an account with one contract. */
  private readonly running: RunningWorstCase | null;

  /** `isOneOfTwo`: the account has spot instruments too, and the reservations hold their orders. */
  constructor(ledger: FuturesLedger, reservations: Reservations, isOneOfTwo: boolean) {
    this.ledger = ledger;
    this.reservations = reservations;
    this.isOneOfTwo = isOneOfTwo;
    const { length } = ledger.instruments;
    this.running = length > 1 ? new RunningWorstCase({ first: 0, end: length }, reservations, ledger, this) : null;
  }

  addsNothing(order: Draft, state: RiskState): boolean {
    return isReduction(order, state);
  }

  /** Returns the larger of the two positions, long or short, that open orders may lead to. In net mode, one may reverse into the other. */
  position(order: Draft): number {
    return Math.max(this.lotsAtWorst(true, order), this.lotsAtWorst(false, order));
  }
  positionText(quantity: number, { instrument }: Draft): string {
    return lotsText(quantity, instrument);
  }
  lotsAtWorst(isLong: boolean, order: Draft): number {
    const { ledger, reservations } = this;
    const { instrumentIndex } = order;
    const heldLots = ledger.side(instrumentIndex, isLong).lots;
    const openLots = isLong ? reservations.buyLotsTotal(instrumentIndex) : reservations.sellLotsTotal(instrumentIndex);
    const lotsOfOrder = opens(instrumentIndex, isLong, order) ? order.worstLots : 0;
    return Math.max(0, heldLots + openLots + lotsOfOrder - this.lotsClosedFirst(instrumentIndex, isLong));
  }

  notional(instrumentIndex: number, order: Draft | null, state: RiskState): number {
    const ticks = markTicksOf(instrumentIndex, order, state);
    return Math.max(this.sideUnits(instrumentIndex, true, ticks, order), this.sideUnits(instrumentIndex, false, ticks, order));
  }

  computeWorstCase(order: Draft | null, state: RiskState): AccountWorstCase {
    const { account, mark, marks } = state;
    const { running } = this;
    const isWritten = order !== null && running !== null && running.write(order, mark, marks, account);
    return isWritten ? account : this.computeOfAll(order, state);
  }
  readonly isIdle = (instrumentIndex: number): boolean =>
    !this.ledger.holds(instrumentIndex) && this.reservations.openOrders(instrumentIndex) === 0;
  readonly partOf = (instrumentIndex: number, ticks: number, order: Draft | null, into: WorstCasePart): void => {
    const { ledger } = this;
    const longUnits = this.sideUnits(instrumentIndex, true, ticks, order);
    const shortUnits = this.sideUnits(instrumentIndex, false, ticks, order);
    into.gross = ledger.terms(instrumentIndex).isNet ? Math.max(longUnits, shortUnits) : longUnits + shortUnits;
    into.fees = this.feesAt(instrumentIndex, ticks, order);
    into.value = ledger.holds(instrumentIndex) ? ledger.holdingValue(instrumentIndex, ticks) : 0;
  };
  /** Computes gross exposure and equity of all contracts at their worst case, in units of the settlement asset. */
  private computeOfAll(order: Draft | null, state: RiskState): AccountWorstCase {
    const { ledger } = this;
    let gross = 0;
    let equity = ledger.cashTotal;
    for (let instrumentIndex = 0; instrumentIndex < ledger.instruments.length; instrumentIndex++) {
      const ticks = markTicksOf(instrumentIndex, order, state);
      const longUnits = this.sideUnits(instrumentIndex, true, ticks, order);
      const shortUnits = this.sideUnits(instrumentIndex, false, ticks, order);
      gross += ledger.terms(instrumentIndex).isNet ? Math.max(longUnits, shortUnits) : longUnits + shortUnits;
      equity -= this.feesAt(instrumentIndex, ticks, order);
      if (ledger.holds(instrumentIndex)) equity += ledger.holdingValue(instrumentIndex, ticks);
    }
    const { account } = state;
    account.gross = gross;
    account.equity = equity;
    return account;
  }

  /**
   * Returns the worst notional of one side of a contract. Held lots count at the mark, and each order at the worse of its worst price and
   * the mark.
   */
  private sideUnits(instrumentIndex: number, isLong: boolean, ticks: number, order: Draft | null): number {
    const { ledger, reservations } = this;
    const scale = ledger.scale(instrumentIndex);
    const { lots } = ledger.side(instrumentIndex, isLong);
    let units = lots > 0 ? scale.notionalUp(ticks, lots) : 0;
    let openLots = isLong ? reservations.buyLotsTotal(instrumentIndex) : reservations.sellLotsTotal(instrumentIndex);
    if (openLots > 0) units += isLong ? reservations.buyUnitsAt(instrumentIndex, ticks) : reservations.sellUnitsAt(instrumentIndex, ticks);
    if (order !== null && opens(instrumentIndex, isLong, order)) {
      openLots += order.worstLots;
      units += reservations.unitsAt(order, ticks);
    }
    const closedLots = this.lotsClosedFirst(instrumentIndex, isLong);
    if (closedLots === 0) return units;
    // The order with the lowest price may close the other side first. Each of its lots counts at least at the mark, so subtract only that.
    return closedLots >= openLots ? 0 : units - scale.notionalDown(ticks, closedLots);
  }

  /**
   * Returns the lots of the other side that must be closed before this side opens, without those that reduce-only orders may close. In
   * two-way mode it is 0.
   */
  private lotsClosedFirst(instrumentIndex: number, isLong: boolean): number {
    const { ledger, reservations } = this;
    const { lots } = ledger.side(instrumentIndex, !isLong);
    if (lots === 0 || !ledger.terms(instrumentIndex).isNet) return 0;
    return Math.max(0, lots - reservations.closingLots(ledger.ownerOf(instrumentIndex), instrumentIndex, isLong));
  }

  /** Returns the taker fees of the order and of all open orders that may open the contract; NaN if they cannot be counted. */
  private feesAt(instrumentIndex: number, ticks: number, order: Draft | null): number {
    const { reservations } = this;
    let openUnits = order !== null && instrumentIndex === order.instrumentIndex ? reservations.unitsAt(order, ticks) : 0;
    if (reservations.buyLotsTotal(instrumentIndex) > 0) openUnits += reservations.buyUnitsAt(instrumentIndex, ticks);
    if (reservations.sellLotsTotal(instrumentIndex) > 0) openUnits += reservations.sellUnitsAt(instrumentIndex, ticks);
    if (!(openUnits > 0)) return 0;
    return openUnits <= Number.MAX_SAFE_INTEGER ? mulDiv(openUnits, reservations.takerFeePpm(instrumentIndex), MILLION, 'up') : NAN;
  }

  /** Returns the net as the interface defines it. Positions count at the mark, an order at the worse of its worst price and the mark. */
  net(order: Draft, state: RiskState): number {
    const { ledger, reservations } = this;
    const isBuy = order.side === 'buy';
    let units = 0;
    for (let instrumentIndex = 0; instrumentIndex < ledger.instruments.length; instrumentIndex++) {
      const ticks = markTicksOf(instrumentIndex, order, state);
      const scale = ledger.scale(instrumentIndex);
      const sideLots = ledger.side(instrumentIndex, isBuy).lots;
      const oppositeLots = ledger.side(instrumentIndex, !isBuy).lots;
      if (sideLots > 0) units += scale.notionalUp(ticks, sideLots);
      if (oppositeLots > 0) units -= scale.notionalDown(ticks, oppositeLots);
      const openLots = isBuy ? reservations.buyLotsTotal(instrumentIndex) : reservations.sellLotsTotal(instrumentIndex);
      if (openLots > 0) {
        units += isBuy ? reservations.buyUnitsAt(instrumentIndex, ticks) : reservations.sellUnitsAt(instrumentIndex, ticks);
      }
      // An order that only closes the other side moves the net too.
      const owner = ledger.ownerOf(instrumentIndex);
      const closingLots = owner < 0 ? 0 : reservations.closingLots(owner, instrumentIndex, isBuy);
      if (closingLots > 0) units += scale.notionalUp(ticks, closingLots);
      if (instrumentIndex === order.instrumentIndex) units += reservations.unitsAt(order, ticks);
    }
    return units;
  }

  isBacked(order: Draft, state: RiskState): boolean {
    if (isReduction(order, state)) return true;
    const neededUnits = this.requiredMargin(order) + this.reservedCash(order.strategy);
    return !order.reduceOnly && neededUnits <= this.available(order, state);
  }
  backingText(order: Draft, state: RiskState): string {
    const { ledger, reservations } = this;
    const { strategy, instrument, instrumentIndex, side, worstLots } = order;
    if (order.reduceOnly) {
      const closableLots = ledger.closable(strategy, instrumentIndex, side === 'buy', true);
      const lotsTaken = takenLots(strategy, instrumentIndex, side === 'buy', ledger, reservations);
      const takenText = `${lotsText(lotsTaken, instrument)} that other orders close`;
      return `${lotsText(worstLots, instrument)} to close, beside ${takenText}, of ${lotsText(closableLots, instrument)} held`;
    }
    const money = (units: number): string => limitMoneyText(units, ledger);
    const reserved = money(reservations.cash(strategy));
    const available = money(this.available(order, state));
    return `needs ${money(this.requiredMargin(order))} of margin and fees beside ${reserved} reserved, of ${available} available`;
  }
  reservedCash(strategyIndex: number): number {
    return this.isOneOfTwo ? this.reservations.marketCash(strategyIndex, 'futures') : this.reservations.cash(strategyIndex);
  }

  /**
   * Returns the margin and fee of the lots that open. For an order by value that is all of them, because the exchange reserves no lots for
   * it.
   */
  requiredMargin(order: Draft): number {
    const { ledger, reservations } = this;
    const { strategy, instrumentIndex, side, worstLots, worstCash, quoteUnits } = order;
    const isBuy = side === 'buy';
    const otherLots = isBuy ? reservations.buyLots(strategy, instrumentIndex) : reservations.sellLots(strategy, instrumentIndex);
    const closableLots = ledger.closable(strategy, instrumentIndex, isBuy, false);
    const closedLots = quoteUnits > 0 ? 0 : Math.max(0, closableLots - otherLots);
    if (closedLots === 0 || !(worstCash < INFINITY)) return worstCash;
    return closedLots >= worstLots ? 0 : mulDiv(worstCash, worstLots - closedLots, worstLots, 'up');
  }

  available(order: Draft, state: RiskState): number {
    const { ledger } = this;
    const { strategy } = order;
    let profitUnits = 0;
    for (let instrumentIndex = 0; instrumentIndex < ledger.instruments.length; instrumentIndex++) {
      if (ledger.ownerOf(instrumentIndex) !== strategy || !ledger.holds(instrumentIndex) || !ledger.terms(instrumentIndex).isCross)
        continue;
      profitUnits += ledger.holdingValue(instrumentIndex, markTicksOf(instrumentIndex, order, state));
    }
    const freeUnits = ledger.cash(strategy) - ledger.marginUsed(strategy);
    // A loss of cross positions reduces what is free; a profit does not count before it is realised.
    return profitUnits >= 0 ? freeUnits : freeUnits + profitUnits;
  }
}

/** True when the order can open this side of the contract. */
function opens(instrumentIndex: number, isLong: boolean, order: Draft): boolean {
  return instrumentIndex === order.instrumentIndex && !order.reduceOnly && (order.side === 'buy') === isLong;
}

/** Returns the mark of a contract, in ticks. For the order's own contract it is the mark of the risk check. */
export function markTicksOf(instrumentIndex: number, order: Draft | null, { mark, marks }: RiskState): number {
  return order !== null && instrumentIndex === order.instrumentIndex ? mark : marks.lastTicks(instrumentIndex);
}
