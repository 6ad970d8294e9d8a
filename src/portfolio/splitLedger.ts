// The base class of ledgers over several accounts. It passes each call about one instrument to the ledger of the account that holds it.

import type { TickColumn } from '../model/bars/bars.ts';
import type { Ledger } from './ledger.ts';

/** Each instrument belongs to one of several accounts. The interface `Ledger` documents the methods. */
export abstract class SplitLedger {
  /** Returns the ledger of the account that holds an instrument. */
  abstract of(instrumentIndex: number): Ledger;

  lots(strategyIndex: number, instrumentIndex: number): number {
    return this.of(instrumentIndex).lots(strategyIndex, instrumentIndex);
  }
  closable(strategyIndex: number, instrumentIndex: number, isBuy: boolean, isReduceOnly: boolean): number {
    return this.of(instrumentIndex).closable(strategyIndex, instrumentIndex, isBuy, isReduceOnly);
  }
  lotsFor(instrumentIndex: number, units: number, ticks: number): number {
    return this.of(instrumentIndex).lotsFor(instrumentIndex, units, ticks);
  }
  isFlat(strategyIndex: number, instrumentIndex: number): boolean {
    return this.of(instrumentIndex).isFlat(strategyIndex, instrumentIndex);
  }
  qty(strategyIndex: number, instrumentIndex: number): number {
    return this.of(instrumentIndex).qty(strategyIndex, instrumentIndex);
  }
  qtyDigits(instrumentIndex: number): number {
    return this.of(instrumentIndex).qtyDigits(instrumentIndex);
  }
  entryPrice(strategyIndex: number, instrumentIndex: number): number {
    return this.of(instrumentIndex).entryPrice(strategyIndex, instrumentIndex);
  }
  openedMs(strategyIndex: number, instrumentIndex: number, isLong?: boolean): number {
    return this.of(instrumentIndex).openedMs(strategyIndex, instrumentIndex, isLong);
  }
  profitUnits(strategyIndex: number, instrumentIndex: number, ticks: number): number {
    return this.of(instrumentIndex).profitUnits(strategyIndex, instrumentIndex, ticks);
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
