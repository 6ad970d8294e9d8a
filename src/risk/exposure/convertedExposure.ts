// Computes the exposure of a spot account with cash in several quote assets. Limits are in the reporting asset, cash in the order's own.

import { mulPpmUp } from '../../base/number/exact.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { AccountWorstCase, Draft, ExposureModel, RiskState } from '../rules/rule.ts';
import { baseText, lotsText, quoteText } from '../limits/limitTexts.ts';

/** The exposure of coins whose instruments are quoted in several assets. Each amount is converted at the newest close, toward more risk. */
export class ConvertedExposure implements ExposureModel {
  readonly scopeWords = 'all symbols';
  readonly instrumentWord = 'symbol';
  readonly hasShorts = false;
  readonly contracts = null;
  private readonly ledger: ConvertedLedger;
  private readonly reservations: Reservations;

  constructor(ledger: ConvertedLedger, reservations: Reservations) {
    this.ledger = ledger;
    this.reservations = reservations;
  }

  addsNothing(order: Draft): boolean {
    return order.sign < 0;
  }

  position({ instrumentIndex, worstLots }: Draft): number {
    const { ledger, reservations } = this;
    const account = ledger.of(instrumentIndex);
    return (
      account.baseTotal(instrumentIndex) + (reservations.buyLotsTotal(instrumentIndex) + worstLots) * account.unitsPerLot(instrumentIndex)
    );
  }
  positionText(quantity: number, { instrument }: Draft): string {
    return baseText(quantity, instrument);
  }

  /**
   * Returns the notional of a symbol in the reporting asset. Its holding counts at the mark, and each open buy at the worse of its price
   * and the mark.
   */
  notional(instrumentIndex: number, order: Draft | null, state: RiskState): number {
    const account = this.ledger.of(instrumentIndex);
    const mark = markOf(instrumentIndex, order, state);
    const units = this.openUnits(instrumentIndex, order, mark);
    const isHeld = account.baseTotal(instrumentIndex) > 0;
    const ownUnits = isHeld ? units + account.valueUp(instrumentIndex, mark) : units;
    return this.toReportingAsset(instrumentIndex, ownUnits, order, state);
  }
  /** Returns the worst notional of an order, in the reporting asset. */
  orderNotional(order: Draft, state: RiskState): number {
    return this.toReportingAsset(order.instrumentIndex, order.worstUnits, order, state);
  }

  computeWorstCase(order: Draft | null, state: RiskState): AccountWorstCase {
    const { ledger, reservations } = this;
    const { account: worstCase } = state;
    worstCase.gross = 0;
    worstCase.equity = 0;
    for (let accountIndex = 0; accountIndex < ledger.accounts.length; accountIndex++) {
      const account = ledger.accounts[accountIndex]!;
      // The money of an account is summed in its own asset, and then converted.
      let equity = account.cashTotal;
      let fees = 0;
      let gross = 0;
      for (let instrumentIndex = 0; instrumentIndex < ledger.instruments.length; instrumentIndex++) {
        if (ledger.accountOf[instrumentIndex] !== accountIndex) continue;
        const mark = markOf(instrumentIndex, order, state);
        const openUnits = this.openUnits(instrumentIndex, order, mark);
        fees += mulPpmUp(openUnits, reservations.takerFeePpm(instrumentIndex));
        gross += openUnits;
        if (account.baseTotal(instrumentIndex) === 0) continue;
        gross += account.valueUp(instrumentIndex, mark);
        equity += account.valueDown(instrumentIndex, mark);
      }
      const conversion = accountIndex === 0 ? null : ledger.conversions[accountIndex - 1]!;
      const ticks = conversion === null ? 0 : markOf(conversion.index, order, state);
      worstCase.gross += conversion === null ? gross : conversion.valueUp(gross, ticks);
      worstCase.equity += conversion === null ? equity - fees : conversion.valueDown(equity, ticks) - conversion.valueUp(fees, ticks);
    }
    return worstCase;
  }

  net(order: Draft, state: RiskState): number {
    if (order.sign > 0) return this.computeWorstCase(order, state).gross;
    const { ledger, reservations } = this;
    let units = 0;
    for (let instrumentIndex = 0; instrumentIndex < ledger.instruments.length; instrumentIndex++) {
      const account = ledger.of(instrumentIndex);
      if (account.baseTotal(instrumentIndex) === 0) continue;
      const ticks = state.marks.lastTicks(instrumentIndex);
      let sellLots = 0;
      for (let strategyIndex = 0; strategyIndex < ledger.strategies; strategyIndex++)
        sellLots += reservations.sellLots(strategyIndex, instrumentIndex);
      const sellUnits = sellLots > 0 ? reservations.scale(instrumentIndex).notionalUp(ticks, sellLots) : 0;
      const remainingUnits = Math.max(0, account.valueDown(instrumentIndex, ticks) - sellUnits);
      const conversion = ledger.conversionOf(instrumentIndex);
      units += conversion === null ? remainingUnits : conversion.valueDown(remainingUnits, markOf(conversion.index, order, state));
    }
    return -units;
  }

  /** True when the strategy has the cash of the order's own quote asset for a buy, or the coins for a sell. */
  isBacked(order: Draft): boolean {
    const { ledger, reservations } = this;
    const { strategy, instrumentIndex } = order;
    const account = ledger.of(instrumentIndex);
    if (order.sign < 0)
      return account.covers(strategy, instrumentIndex, reservations.sellLots(strategy, instrumentIndex) + order.worstLots);
    return reservations.accountCash(strategy, instrumentIndex) + order.worstCash <= account.cash(strategy);
  }
  backingText({ strategy, instrument, instrumentIndex, sign, worstCash, worstLots }: Draft): string {
    const { ledger, reservations } = this;
    if (sign > 0) {
      const needs = quoteText(worstCash, instrument);
      const reserved = quoteText(reservations.accountCash(strategy, instrumentIndex), instrument);
      return `needs ${needs} beside ${reserved} reserved, of ${quoteText(ledger.of(instrumentIndex).cash(strategy), instrument)} in cash`;
    }
    const reserved = lotsText(reservations.sellLots(strategy, instrumentIndex), instrument);
    return `needs ${lotsText(worstLots, instrument)} beside ${reserved} reserved, of ${lotsText(ledger.lots(strategy, instrumentIndex), instrument)} held`;
  }

  /** Returns the notional of an instrument's open buys and of the order, in its own quote asset. */
  private openUnits(instrumentIndex: number, order: Draft | null, mark: number): number {
    const { reservations } = this;
    const units = order !== null && instrumentIndex === order.instrumentIndex ? reservations.unitsAt(order, mark) : 0;
    return reservations.buyLotsTotal(instrumentIndex) > 0 ? units + reservations.buyUnitsAt(instrumentIndex, mark) : units;
  }
  /** Returns money of an instrument's quote asset in the reporting asset, rounded up. */
  private toReportingAsset(instrumentIndex: number, units: number, order: Draft | null, state: RiskState): number {
    const conversion = this.ledger.conversionOf(instrumentIndex);
    return conversion === null ? units : conversion.valueUp(units, markOf(conversion.index, order, state));
  }
}

/** Returns the mark of an instrument, in ticks. For the order's own instrument it is the mark of the risk check. */
function markOf(instrumentIndex: number, order: Draft | null, { mark, marks }: RiskState): number {
  return order !== null && instrumentIndex === order.instrumentIndex ? mark : marks.lastTicks(instrumentIndex);
}
