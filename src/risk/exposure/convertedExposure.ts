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

  position({ instrumentIndex: index, worstLots }: Draft): number {
    const { ledger, reservations } = this;
    const account = ledger.of(index);
    return account.baseTotal(index) + (reservations.buyLotsTotal(index) + worstLots) * account.unitsPerLot(index);
  }
  positionText(quantity: number, { instrument }: Draft): string {
    return baseText(quantity, instrument);
  }

  /** Returns the notional of a symbol in the reporting asset: its holding at the mark, and each open buy at the worse of its price and the mark. */
  notional(index: number, order: Draft | null, state: RiskState): number {
    const account = this.ledger.of(index);
    const mark = markOf(index, order, state);
    const units = this.openUnits(index, order, mark);
    return this.up(index, account.baseTotal(index) > 0 ? units + account.valueUp(index, mark) : units, order, state);
  }
  orderNotional(order: Draft, state: RiskState): number {
    return this.up(order.instrumentIndex, order.worstUnits, order, state);
  }

  computeWorstCase(order: Draft | null, state: RiskState): AccountWorstCase {
    const { ledger, reservations } = this;
    const { account: sum } = state;
    sum.gross = 0;
    sum.equity = 0;
    for (let accountIndex = 0; accountIndex < ledger.accounts.length; accountIndex++) {
      const account = ledger.accounts[accountIndex]!;
      // The money of an account is summed in its own asset, and then converted.
      let equity = account.cashTotal;
      let fees = 0;
      let gross = 0;
      for (let index = 0; index < ledger.instruments.length; index++) {
        if (ledger.accountOf[index] !== accountIndex) continue;
        const mark = markOf(index, order, state);
        const open = this.openUnits(index, order, mark);
        fees += mulPpmUp(open, reservations.takerFeePpm(index));
        gross += open;
        if (account.baseTotal(index) === 0) continue;
        gross += account.valueUp(index, mark);
        equity += account.valueDown(index, mark);
      }
      const conversion = accountIndex === 0 ? null : ledger.conversions[accountIndex - 1]!;
      const ticks = conversion === null ? 0 : markOf(conversion.index, order, state);
      sum.gross += conversion === null ? gross : conversion.valueUp(gross, ticks);
      sum.equity += conversion === null ? equity - fees : conversion.valueDown(equity, ticks) - conversion.valueUp(fees, ticks);
    }
    return sum;
  }

  net(order: Draft, state: RiskState): number {
    if (order.sign > 0) return this.computeWorstCase(order, state).gross;
    const { ledger, reservations } = this;
    let units = 0;
    for (let index = 0; index < ledger.instruments.length; index++) {
      const account = ledger.of(index);
      if (account.baseTotal(index) === 0) continue;
      const ticks = state.marks.lastTicks(index);
      let lots = 0;
      for (let strategy = 0; strategy < ledger.strategies; strategy++) lots += reservations.sellLots(strategy, index);
      const surplusUnits = account.valueDown(index, ticks) - (lots > 0 ? reservations.scale(index).notionalUp(ticks, lots) : 0);
      const conversion = ledger.conversionOf(index);
      units +=
        conversion === null
          ? Math.max(0, surplusUnits)
          : conversion.valueDown(Math.max(0, surplusUnits), markOf(conversion.index, order, state));
    }
    return -units;
  }

  /** True when the strategy has the cash of the order's own quote asset for a buy, or the coins for a sell. */
  isBacked(order: Draft): boolean {
    const { ledger, reservations } = this;
    const { strategy, instrumentIndex: index } = order;
    const account = ledger.of(index);
    if (order.sign < 0) return account.covers(strategy, index, reservations.sellLots(strategy, index) + order.worstLots);
    return reservations.cashBeside(strategy, index) + order.worstCash <= account.cash(strategy);
  }
  backingText({ strategy, instrument, instrumentIndex: index, sign, worstCash, worstLots }: Draft): string {
    const { ledger, reservations } = this;
    if (sign > 0) {
      const needs = quoteText(worstCash, instrument);
      const reserved = quoteText(reservations.cashBeside(strategy, index), instrument);
      return `needs ${needs} beside ${reserved} reserved, of ${quoteText(ledger.of(index).cash(strategy), instrument)} in cash`;
    }
    const reserved = lotsText(reservations.sellLots(strategy, index), instrument);
    return `needs ${lotsText(worstLots, instrument)} beside ${reserved} reserved, of ${lotsText(ledger.lots(strategy, index), instrument)} held`;
  }

  /** Returns the notional of an instrument's open buys and of the order, in its own quote asset. */
  private openUnits(index: number, order: Draft | null, mark: number): number {
    const { reservations } = this;
    const units = order !== null && index === order.instrumentIndex ? reservations.unitsAt(order, mark) : 0;
    return reservations.buyLotsTotal(index) > 0 ? units + reservations.buyUnitsAt(index, mark) : units;
  }
  /** Returns money of an instrument's quote asset in the reporting asset, rounded up. */
  private up(index: number, units: number, order: Draft | null, state: RiskState): number {
    const conversion = this.ledger.conversionOf(index);
    return conversion === null ? units : conversion.valueUp(units, markOf(conversion.index, order, state));
  }
}

/** Returns the mark of an instrument: for the order's own the one of the check. */
function markOf(index: number, order: Draft | null, { mark, marks }: RiskState): number {
  return order !== null && index === order.instrumentIndex ? mark : marks.lastTicks(index);
}
