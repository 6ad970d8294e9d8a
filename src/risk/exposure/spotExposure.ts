// Computes the exposure of a spot account: its holdings, and the open buys that add to them.

import * as numbers from '../../base/number/exact.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { SpotLedger } from '../../portfolio/spotLedger.ts';
import type { AccountWorstCase, Draft, ExposureModel, RiskState } from '../rules/rule.ts';
import { RunningWorstCase, type WorstCasePart } from './runningWorstCase.ts';
import { baseText, lotsText, limitMoneyText } from '../limits/limitTexts.ts';

// hot: docs/performance.md#imported-constants
const { mulPpmUp } = numbers;

/** The exposure of the coins of an account. */
export class SpotExposure implements ExposureModel {
  readonly scopeWords = 'all symbols';
  readonly instrumentWord = 'symbol';
  readonly hasShorts = false;
  readonly contracts = null;
  private readonly ledger: SpotLedger;
  private readonly reservations: Reservations;
  /** Index of the first spot instrument. In an account of both markets contracts come before it, and the reservations hold their orders. */
  private readonly first: number;
  /** True when the account has contracts too. */
  private readonly isOneOfTwo: boolean;
  /** True when the account has several spot instruments. */
  private readonly isOfMany: boolean;
  /** Running sums of the worst case; null for one instrument. */
  private readonly running: RunningWorstCase | null;

  constructor(ledger: SpotLedger, reservations: Reservations, first: number) {
    this.ledger = ledger;
    this.reservations = reservations;
    this.first = first;
    this.isOneOfTwo = first > 0;
    const { length } = ledger.instruments;
    this.isOfMany = length > 1;
    this.running = this.isOfMany ? new RunningWorstCase({ first, end: length }, reservations, ledger, this) : null;
  }

  addsNothing(order: Draft): boolean {
    return order.sign < 0;
  }

  position({ instrumentIndex, worstLots }: Draft): number {
    const { ledger, reservations } = this;
    const lots = reservations.buyLotsTotal(instrumentIndex) + worstLots;
    return ledger.baseTotal(instrumentIndex) + lots * ledger.unitsPerLot(instrumentIndex);
  }
  positionText(quantity: number, { instrument }: Draft): string {
    return baseText(quantity, instrument);
  }

  /** Returns the notional of a symbol: its holding at the mark, and each open buy at the higher of its worst price and the mark. */
  notional(instrumentIndex: number, order: Draft | null, state: RiskState): number {
    const { ledger, reservations } = this;
    const orderHere = order !== null && instrumentIndex === order.instrumentIndex ? order : null;
    const mark = orderHere === null ? state.marks.lastTicks(instrumentIndex) : state.mark;
    let units = orderHere === null ? 0 : reservations.unitsAt(orderHere, mark);
    if (reservations.buyLotsTotal(instrumentIndex) > 0) units += reservations.buyUnitsAt(instrumentIndex, mark);
    return ledger.baseTotal(instrumentIndex) > 0 ? units + ledger.valueUp(instrumentIndex, mark) : units;
  }

  computeWorstCase(order: Draft | null, state: RiskState): AccountWorstCase {
    const { account, mark } = state;
    if (order === null || this.isOfMany === true) {
      const isWritten = order !== null && this.running!.write(order, mark, state.marks, account);
      return isWritten ? account : this.computeOfMany(order, state);
    }
    account.gross = 0;
    account.equity = this.ledger.cashTotal;
    this.addSymbol(account, order.instrumentIndex, mark, this.reservations.unitsAt(order, mark));
    return account;
  }
  readonly isIdle = (instrumentIndex: number): boolean =>
    this.ledger.baseTotal(instrumentIndex) === 0 && this.reservations.buyLotsTotal(instrumentIndex) === 0;
  readonly partOf = (instrumentIndex: number, ticks: number, order: Draft | null, into: WorstCasePart): void => {
    const { ledger, reservations } = this;
    let openUnits = order === null ? 0 : reservations.unitsAt(order, ticks);
    if (reservations.buyLotsTotal(instrumentIndex) > 0) openUnits += reservations.buyUnitsAt(instrumentIndex, ticks);
    const isHeld = ledger.baseTotal(instrumentIndex) > 0;
    into.fees = mulPpmUp(openUnits, reservations.takerFeePpm(instrumentIndex));
    into.gross = isHeld ? openUnits + ledger.valueUp(instrumentIndex, ticks) : openUnits;
    into.value = isHeld ? ledger.valueDown(instrumentIndex, ticks) : 0;
  };
  /** Computes gross exposure and equity of all symbols at their worst case, in units of the quote asset. */
  private computeOfMany(order: Draft | null, { account, mark, marks }: RiskState): AccountWorstCase {
    const { length } = this.ledger.instruments;
    account.gross = 0;
    account.equity = this.ledger.cashTotal;
    for (let instrumentIndex = this.first; instrumentIndex < length; instrumentIndex++) {
      if (order !== null && instrumentIndex === order.instrumentIndex)
        this.addSymbol(account, instrumentIndex, mark, this.reservations.unitsAt(order, mark));
      else this.addSymbol(account, instrumentIndex, marks.lastTicks(instrumentIndex), 0);
    }
    return account;
  }
  /** Adds the holding and open buys of one symbol to the worst case. `ownUnits`: the notional of the current order. */
  private addSymbol(account: AccountWorstCase, instrumentIndex: number, mark: number, ownUnits: number): void {
    const { ledger, reservations } = this;
    let openUnits = ownUnits;
    if (reservations.buyLotsTotal(instrumentIndex) > 0) openUnits += reservations.buyUnitsAt(instrumentIndex, mark);
    account.gross += openUnits;
    account.equity -= mulPpmUp(openUnits, reservations.takerFeePpm(instrumentIndex));
    if (ledger.baseTotal(instrumentIndex) > 0) {
      account.gross += ledger.valueUp(instrumentIndex, mark);
      account.equity += ledger.valueDown(instrumentIndex, mark);
    }
  }

  /** Returns the net exposure. Holdings offset short positions only by the part that open sells cannot reduce. */
  net(order: Draft, state: RiskState): number {
    return order.sign > 0 ? this.computeWorstCase(order, state).gross : -this.remainingUnits(state);
  }
  /** Returns the value of the holdings that remain after all open sells, at the marks. */
  private remainingUnits({ marks }: RiskState): number {
    const { ledger, reservations, first } = this;
    let units = 0;
    for (let instrumentIndex = first; instrumentIndex < ledger.instruments.length; instrumentIndex++) {
      if (ledger.baseTotal(instrumentIndex) === 0) continue;
      const ticks = marks.lastTicks(instrumentIndex);
      let sellLots = 0;
      for (let strategyIndex = 0; strategyIndex < ledger.strategies; strategyIndex++)
        sellLots += reservations.sellLots(strategyIndex, instrumentIndex);
      const sellUnits = sellLots > 0 ? reservations.scale(instrumentIndex).notionalUp(ticks, sellLots) : 0;
      units += Math.max(0, ledger.valueDown(instrumentIndex, ticks) - sellUnits);
    }
    return units;
  }

  /** True when the strategy itself has the cash for a buy or the coins for a sell, because spot has no credit. */
  isBacked(order: Draft): boolean {
    const { ledger, reservations } = this;
    const { strategy, instrumentIndex } = order;
    if (order.sign < 0) {
      const sellLots = reservations.sellLots(strategy, instrumentIndex) + order.worstLots;
      return ledger.covers(strategy, instrumentIndex, sellLots);
    }
    const reservedUnits = this.isOneOfTwo === true ? reservations.marketCash(strategy, 'spot') : reservations.cash(strategy);
    return reservedUnits + order.worstCash <= ledger.cash(strategy);
  }
  backingText({ strategy, instrument, instrumentIndex, sign, worstCash, worstLots }: Draft): string {
    const { ledger, reservations } = this;
    if (sign > 0) {
      const neededText = limitMoneyText(worstCash, ledger);
      const reserved = limitMoneyText(reservations.cash(strategy), ledger);
      return `needs ${neededText} beside ${reserved} reserved, of ${limitMoneyText(ledger.cash(strategy), ledger)} in cash`;
    }
    const reserved = lotsText(reservations.sellLots(strategy, instrumentIndex), instrument);
    const heldText = lotsText(ledger.lots(strategy, instrumentIndex), instrument);
    return `needs ${lotsText(worstLots, instrument)} beside ${reserved} reserved, of ${heldText} held`;
  }
}
