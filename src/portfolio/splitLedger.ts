// What the books of several accounts share: whatever belongs to one instrument is in the account that holds it.

import type { TickColumn } from '../model/bars/bars.ts';
import type { Ledger } from './ledger.ts';

/** The base of books over several accounts. Each instrument belongs to one of them, and its members are documented in `Ledger`. */
export abstract class SplitLedger {
  /** Returns the books that hold an instrument. */
  abstract of(index: number): Ledger;

  lots(strategy: number, index: number): number {
    return this.of(index).lots(strategy, index);
  }
  closable(strategy: number, index: number, isBuy: boolean, closes: boolean): number {
    return this.of(index).closable(strategy, index, isBuy, closes);
  }
  lotsFor(index: number, units: number, ticks: number): number {
    return this.of(index).lotsFor(index, units, ticks);
  }
  isFlat(strategy: number, index: number): boolean {
    return this.of(index).isFlat(strategy, index);
  }
  qty(strategy: number, index: number): number {
    return this.of(index).qty(strategy, index);
  }
  qtyDigits(index: number): number {
    return this.of(index).qtyDigits(index);
  }
  entryPrice(strategy: number, index: number): number {
    return this.of(index).entryPrice(strategy, index);
  }
  openedMs(strategy: number, index: number, isLong?: boolean): number {
    return this.of(index).openedMs(strategy, index, isLong);
  }
  profitUnits(strategy: number, index: number, ticks: number): number {
    return this.of(index).profitUnits(strategy, index, ticks);
  }
  holds(index: number): boolean {
    return this.of(index).holds(index);
  }
  isOneSided(index: number): boolean {
    return this.of(index).isOneSided(index);
  }
  holdingValue(index: number, ticks: number): number {
    return this.of(index).holdingValue(index, ticks);
  }
  addRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    this.of(index).addRows(index, out, from, to, ticks, row, step);
  }
}
