// What the books of several accounts share: whatever belongs to one instrument is in the account that holds it.

import type { TickColumn } from '../model/bars/bars.ts';
import type { Ledger } from './ledger.ts';

/** The base of books over several accounts. Each instrument belongs to one of them, and its members are documented in `Ledger`. */
export abstract class SplitLedger {
  /** Returns the books that hold an instrument. */
  abstract of(instrumentIndex: number): Ledger;

  lots(strategy: number, instrumentIndex: number): number {
    return this.of(instrumentIndex).lots(strategy, instrumentIndex);
  }
  closable(strategy: number, instrumentIndex: number, isBuy: boolean, closes: boolean): number {
    return this.of(instrumentIndex).closable(strategy, instrumentIndex, isBuy, closes);
  }
  lotsFor(instrumentIndex: number, units: number, ticks: number): number {
    return this.of(instrumentIndex).lotsFor(instrumentIndex, units, ticks);
  }
  isFlat(strategy: number, instrumentIndex: number): boolean {
    return this.of(instrumentIndex).isFlat(strategy, instrumentIndex);
  }
  qty(strategy: number, instrumentIndex: number): number {
    return this.of(instrumentIndex).qty(strategy, instrumentIndex);
  }
  qtyDigits(instrumentIndex: number): number {
    return this.of(instrumentIndex).qtyDigits(instrumentIndex);
  }
  entryPrice(strategy: number, instrumentIndex: number): number {
    return this.of(instrumentIndex).entryPrice(strategy, instrumentIndex);
  }
  openedMs(strategy: number, instrumentIndex: number, isLong?: boolean): number {
    return this.of(instrumentIndex).openedMs(strategy, instrumentIndex, isLong);
  }
  profitUnits(strategy: number, instrumentIndex: number, ticks: number): number {
    return this.of(instrumentIndex).profitUnits(strategy, instrumentIndex, ticks);
  }
  holds(instrumentIndex: number): boolean {
    return this.of(instrumentIndex).holds(instrumentIndex);
  }
  isOneSided(instrumentIndex: number): boolean {
    return this.of(instrumentIndex).isOneSided(instrumentIndex);
  }
  holdingValue(instrumentIndex: number, ticks: number): number {
    return this.of(instrumentIndex).holdingValue(instrumentIndex, ticks);
  }
  addRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    this.of(instrumentIndex).addRows(instrumentIndex, out, from, to, ticks, row, step);
  }
}
