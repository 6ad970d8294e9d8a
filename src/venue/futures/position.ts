// A position as the venue keeps it: contracts, what they came in at, and the margin that stands behind them.

import { assert } from '../../base/assert.ts';
import { exact, mulDiv } from '../../base/number/exact.ts';
import type { ContractMoney } from './contractMoney.ts';

/** What a reduction leaves for the account: it is reused, copy what is needed beyond the call. */
export class Reduction {
  /** Margin that is free again. */
  marginUnits = 0;
  /** Profit over what the lots came in at, fees and funding left out; below 0 a loss. */
  profitUnits = 0;
}

/**
 * One side of one contract of one account; in net mode `isLong` turns with the position. Money is in settlement units. The record stays
 * when nothing is held any more, and the next opening begins anew in it.
 */
export class VenuePosition {
  readonly account: number;
  /** Of the instrument. */
  readonly index: number;
  isLong: boolean;
  lots = 0;
  /** Value of the lots as they came in. A part leaves at its share, rounded half up; the last part takes what is left. */
  entryUnits = 0;
  /** Average price of the lots, and of all that came in since it opened, in ticks with a fraction. What leaves does not change them. */
  averageTicks = 0;
  openedTicks = 0;
  openedLots = 0;
  /** isolated: all that it can lose. cross: initial margin, and the rest of the account stands behind it too. */
  marginUnits = 0;
  leverage = 1;
  isCross = true;
  /** Lots that working orders would close. */
  heldLots = 0;
  /** Since it opened: profit of reductions, fees paid, funding received (below 0: paid). */
  realisedUnits = 0;
  feeUnits = 0;
  fundingUnits = 0;
  /** Counts the positions of the venue; 0 before the first. */
  id = 0;
  openedMs = 0;
  changedMs = 0;

  constructor(account: number, index: number, isLong: boolean) {
    this.account = account;
    this.index = index;
    this.isLong = isLong;
  }

  /** Unrealised profit at a value, or at the price at which the lots have it. */
  profitAt(valueUnits: number, money: ContractMoney): number {
    return this.lots === 0 ? 0 : money.profit(this.isLong, this.entryUnits, valueUnits);
  }

  /** Takes lots in. A position that was flat begins anew: `id` names it. */
  open(lots: number, price: number, valueUnits: number, marginUnits: number, timeMs: number, id: number, money: ContractMoney): void {
    if (this.lots === 0) {
      this.id = id;
      this.openedMs = timeMs;
      this.openedLots = this.realisedUnits = this.feeUnits = this.fundingUnits = 0;
    }
    this.averageTicks = money.averageOf(this.lots, this.averageTicks, lots, price);
    this.openedTicks = money.averageOf(this.openedLots, this.openedTicks, lots, price);
    this.lots = exact(this.lots + lots);
    this.entryUnits = exact(this.entryUnits + valueUnits);
    this.openedLots += lots;
    this.marginUnits = exact(this.marginUnits + marginUnits);
    this.changedMs = timeMs;
  }

  /** Gives lots out that are worth `valueUnits`; `into` says what becomes of margin and profit. */
  reduce(lots: number, valueUnits: number, money: ContractMoney, timeMs: number, into: Reduction): void {
    assert(lots > 0 && lots <= this.lots, 'no more is closed than is held');
    const isAll = lots === this.lots;
    const entry = isAll ? this.entryUnits : mulDiv(this.entryUnits, lots, this.lots, 'halfUp');
    const margin = isAll ? this.marginUnits : mulDiv(this.marginUnits, lots, this.lots, 'down');
    into.marginUnits = margin;
    into.profitUnits = money.profit(this.isLong, entry, valueUnits);
    this.lots -= lots;
    this.entryUnits -= entry;
    this.marginUnits -= margin;
    this.realisedUnits = exact(this.realisedUnits + into.profitUnits);
    this.changedMs = timeMs;
  }

  /** Takes a loss from the margin of what is still held; returns how much of it was there. */
  payFromMargin(units: number): number {
    const paid = Math.min(units, this.marginUnits);
    this.marginUnits -= paid;
    return paid;
  }
}
