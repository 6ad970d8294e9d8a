// Holds the position of an account in one contract, linear or inverse. Books opened and closed lots, margin and funding, and values the
// position. `FuturesLedger` has one for each contract.

import { assert } from '../base/assert.ts';
import { exact, MAX_EXACT, mulDiv } from '../base/number/exact.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Instrument } from '../model/instrument.ts';
import { ContractScale } from './contractScale.ts';
import { CashAndBase, markPerTick } from './scale.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Leverage, margin mode and position mode in which the account trades a contract. */
export interface MarginTerms {
  readonly leverage: number;
  /** True for cross margin, false for isolated margin. */
  readonly isCross: boolean;
  /** True for net mode, false for two-way mode. */
  readonly isNet: boolean;
}

/** One side of a contract. Money is in settlement units. */
export interface LedgerPosition {
  readonly lots: number;
  /** Entry value of the lots. */
  readonly entryUnits: number;
  /** When the side was opened, ms UTC; NaN before. */
  readonly openedMs: number;
  /** Average entry price, in ticks with a fraction. Reductions do not change it. */
  readonly entryTicks: number;
  /** Margin that the side holds. */
  readonly marginUnits: number;
  /** Realised profit since the side was opened. */
  readonly realisedUnits: number;
  /** Fees since the side was opened. */
  readonly feeUnits: number;
  /** Funding since the side was opened, negative if paid. */
  readonly fundingUnits: number;
}
/** Returns a side without lots. */
const emptySide = () => ({
  lots: 0,
  openedMs: NAN,
  entryUnits: 0,
  entryTicks: 0,
  marginUnits: 0,
  realisedUnits: 0,
  feeUnits: 0,
  fundingUnits: 0,
});
type PositionSide = ReturnType<typeof emptySide>;

/** The part of a fill that opens a side. */
export interface OpenedLots {
  readonly lots: number;
  readonly priceTicks: number;
  /** Value of these lots. */
  readonly valueUnits: number;
  /** Fee of these lots. */
  readonly feeUnits: number;
  readonly timeMs: number;
}

/** The holding of one contract: its two sides, and the one strategy that trades it. In net mode at most one side is open. */
export class ContractHolding {
  /** Converts lots and ticks of the contract to units of its settlement asset. */
  readonly scale: ContractScale;
  /** Leverage and margin terms of the contract. */
  readonly terms: MarginTerms;
  /** Index of the strategy that trades the contract; -1 until one does. */
  strategy = -1;
  /** The long side. */
  readonly long: PositionSide = emptySide();
  /** The short side. */
  readonly short: PositionSide = emptySide();
  /** Reused by `markWithoutRounding`, so that it allocates no object. */
  private readonly balances = new CashAndBase();

  constructor(instrument: Instrument, terms: MarginTerms) {
    this.scale = new ContractScale(instrument);
    this.terms = terms;
  }

  /** Returns one of the two sides. */
  side(isLong: boolean): PositionSide {
    return isLong ? this.long : this.short;
  }
  /** True when a side has lots. */
  get isHeld(): boolean {
    return this.long.lots !== 0 || this.short.lots !== 0;
  }
  /** Margin of both sides, in units. */
  get marginUnits(): number {
    return this.long.marginUnits + this.short.marginUnits;
  }

  /** Books lots that open a side. */
  open(isLong: boolean, { lots, priceTicks, valueUnits, feeUnits, timeMs }: OpenedLots): void {
    const { scale, terms } = this;
    const side = this.side(isLong);
    if (side.lots === 0) {
      side.openedMs = timeMs;
      side.realisedUnits = side.feeUnits = side.fundingUnits = 0;
    }
    side.entryTicks = scale.averageTicks(side.lots, side.entryTicks, lots, priceTicks);
    side.lots = exact(side.lots + lots);
    side.entryUnits = exact(side.entryUnits + valueUnits);
    side.marginUnits += scale.initial(valueUnits, terms.leverage);
    side.feeUnits += feeUnits;
  }

  /** Closes lots of a side. `valueUnits` and `feeUnits` are the value and the fee of these lots. Returns their profit in units. */
  close(isLong: boolean, lots: number, valueUnits: number, feeUnits: number): number {
    const { scale, terms } = this;
    const side = this.side(isLong);
    const closesAll = lots === side.lots;
    const entryUnits = closesAll ? side.entryUnits : mulDiv(side.entryUnits, lots, side.lots, 'halfUp');
    const marginUnits = closesAll ? side.marginUnits : mulDiv(side.marginUnits, lots, side.lots, 'down');
    const profitUnits = scale.profit(isLong, entryUnits, valueUnits);
    side.lots -= lots;
    side.entryUnits -= entryUnits;
    const remainingUnits = side.marginUnits - marginUnits;
    // If closed lots of an isolated position lose more than their margin, the margin of the other lots pays the difference.
    side.marginUnits = terms.isCross ? remainingUnits : Math.max(0, remainingUnits + Math.min(0, marginUnits + profitUnits));
    side.realisedUnits += profitUnits;
    side.feeUnits += feeUnits;
    assert(terms.isCross || side.marginUnits >= 0, 'no more margin is returned than there was');
    return profitUnits;
  }

  /** Books a funding payment of one side. `units` are received; negative if paid. */
  fund(isLong: boolean, units: number): void {
    const side = this.side(isLong);
    if (!this.terms.isCross) side.marginUnits += units;
    side.fundingUnits += units;
  }

  /** Returns the unrealised profit of both sides at a price in ticks. NaN: the price is missing, or a value is too large to be exact. */
  profitUnits(ticks: number): number {
    const { scale, long, short } = this;
    let units = 0;
    if (long.lots > 0) units += scale.profit(true, long.entryUnits, scale.valueOfLots(long.lots, ticks));
    if (short.lots > 0) units += scale.profit(false, short.entryUnits, scale.valueOfLots(short.lots, ticks));
    return Number.isFinite(units) ? units : NAN;
  }

  /** Writes `cash` plus the unrealised profit at the price `ticks[row + offset]` into `out[row]`, for rows in [from, to); see `Ledger.markRows`. */
  markRows(cash: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    if (!this.isHeld) out.fill(cash, from, to);
    else if (!this.markWithoutRounding(cash, out, from, to, ticks, offset)) {
      for (let row = from; row < to; row++) out[row] = cash + this.profitUnits(ticks[row + offset]!);
    }
  }

  /** As `markRows`, with one multiplication for each row. Returns false if a value needs rounding or is too large to be exact. */
  private markWithoutRounding(cash: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): boolean {
    const { scale, long, short } = this;
    const longUnitsPerTick = scale.unitsPerTick(long.lots);
    const shortUnitsPerTick = scale.unitsPerTick(short.lots);
    const maxUnitsPerTick = Math.max(longUnitsPerTick, shortUnitsPerTick);
    if (maxUnitsPerTick === 0) return false;
    const unitsPerTick = longUnitsPerTick - shortUnitsPerTick;
    const positionAsCash = this.balances;
    positionAsCash.cash = cash - long.entryUnits + short.entryUnits;
    if (ticks instanceof Int32Array && maxUnitsPerTick * 2 ** 31 <= MAX_EXACT) {
      markPerTick(out, from, to, positionAsCash, unitsPerTick, ticks, offset);
      return true;
    }
    for (let row = from; row < to; row++) {
      const tick = ticks[row + offset]!;
      if (!(maxUnitsPerTick * tick <= MAX_EXACT)) return false;
      out[row] = positionAsCash.cash + unitsPerTick * tick;
    }
    return true;
  }

  /**
   * Adds the unrealised profit to `out` in [from, to). The first price is `ticks[row]`. With `step` 1 each further row has the next price, with
   * `step` 0 all rows have the same price.
   */
  addRows(out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    if (!this.isHeld) return;
    for (let writtenRow = from, valuedRow = row; writtenRow < to; writtenRow++, valuedRow += step)
      out[writtenRow] = out[writtenRow]! + this.profitUnits(ticks[valuedRow]!);
  }
}
