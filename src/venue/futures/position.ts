// A position at the venue: its lots, their entry value and the margin that backs them.

import { assert } from '../../base/assert.ts';
import { exact, mulDiv } from '../../base/number/exact.ts';
import type { ContractMoney } from './contractMoney.ts';

/** The amounts that a reduction returns to the account. The record is reused, so copy what is needed after the call. */
export class Reduction {
  /** Margin that is freed. */
  marginUnits = 0;
  /** Profit over the entry value of the lots, without fees and funding; negative for a loss. */
  profitUnits = 0;
}

/**
 * One side of one contract of one account; in net mode `isLong` changes with the position. Money is in settlement units. The record stays
 * when the position is flat, and the next opening reuses it.
 */
export class VenuePosition {
  /** Index of the account. */
  readonly account: number;
  /** Index of the instrument. */
  readonly index: number;
  isLong: boolean;
  /** Open lots; 0 when flat. */
  lots = 0;
  /** Entry value of the lots. A reduction removes its share, rounded half up; the last one removes the remainder. */
  entryUnits = 0;
  /** Average price of the current lots, in ticks with a fraction. A reduction does not change it. */
  averageTicks = 0;
  /** Average price of all lots that were added since the position opened, in ticks with a fraction, and their number. */
  openedTicks = 0;
  openedLots = 0;
  /** Isolated: the largest amount that it can lose. Cross: its initial margin; the rest of the account backs it too. */
  marginUnits = 0;
  /** Leverage and margin mode of the position. */
  leverage = 1;
  isCross = true;
  /** Lots that working orders would close. */
  heldLots = 0;
  /** Since it opened: profit of reductions, fees paid, funding received (negative: paid). */
  realisedUnits = 0;
  feeUnits = 0;
  fundingUnits = 0;
  /** Number of the position at the venue; 0 before the first. */
  id = 0;
  /** Times of the opening and of the last change, ms UTC. */
  openedMs = 0;
  changedMs = 0;

  constructor(accountIndex: number, index: number, isLong: boolean) {
    this.account = accountIndex;
    this.index = index;
    this.isLong = isLong;
  }

  /** Returns the unrealised profit at a value of the lots. */
  profitAt(valueUnits: number, money: ContractMoney): number {
    return this.lots === 0 ? 0 : money.profit(this.isLong, this.entryUnits, valueUnits);
  }

  /** Adds lots at a price in ticks. A flat position becomes a new one with the number `id`. Values and margin in settlement units. */
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

  /** Removes lots with a value of `valueUnits`. Writes the freed margin and the profit to `reduction`. */
  reduce(lots: number, valueUnits: number, money: ContractMoney, timeMs: number, reduction: Reduction): void {
    assert(lots > 0 && lots <= this.lots, 'a reduction closes at most the lots of the position');
    const isAll = lots === this.lots;
    const closedEntryUnits = isAll ? this.entryUnits : mulDiv(this.entryUnits, lots, this.lots, 'halfUp');
    const freedMarginUnits = isAll ? this.marginUnits : mulDiv(this.marginUnits, lots, this.lots, 'down');
    reduction.marginUnits = freedMarginUnits;
    reduction.profitUnits = money.profit(this.isLong, closedEntryUnits, valueUnits);
    this.lots -= lots;
    this.entryUnits -= closedEntryUnits;
    this.marginUnits -= freedMarginUnits;
    this.realisedUnits = exact(this.realisedUnits + reduction.profitUnits);
    this.changedMs = timeMs;
  }

  /** Deducts a loss from the margin of the lots still held; returns how much of it the margin covered. */
  payFromMargin(units: number): number {
    const paid = Math.min(units, this.marginUnits);
    this.marginUnits -= paid;
    return paid;
  }
}
