// Holds the position of an account in one contract, linear or inverse: books opened and closed lots, margin and funding, and values it.

import { assert } from '../base/assert.ts';
import { exact, MAX_EXACT, mulDiv } from '../base/number/exact.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Instrument } from '../model/instrument.ts';
import { ContractScale } from './contractScale.ts';
import { CashAndBase, markPerTick } from './scale.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** How the account trades a contract. */
export interface MarginTerms {
  readonly leverage: number;
  readonly isCross: boolean;
  readonly isNet: boolean;
}

/** One side of a contract. Money is in settlement units. */
export interface LedgerPosition {
  readonly lots: number;
  /** Entry value of the lots. */
  readonly entryUnits: number;
  /** When it was opened, ms UTC. */
  readonly openedMs: number;
  /** Average entry price, in ticks with a fraction. Reductions do not change it. */
  readonly entryTicks: number;
  readonly marginUnits: number;
  /** Realised profit, fees and funding since it was opened. */
  readonly realisedUnits: number;
  readonly feeUnits: number;
  readonly fundingUnits: number;
}
/** Returns a side without lots. */
const flat = () => ({
  lots: 0,
  openedMs: NAN,
  entryUnits: 0,
  entryTicks: 0,
  marginUnits: 0,
  realisedUnits: 0,
  feeUnits: 0,
  fundingUnits: 0,
});
type PositionSide = ReturnType<typeof flat>;

/** The part of a fill that opens a side. */
export interface OpenedLots {
  readonly lots: number;
  readonly price: number;
  /** Value and fee of these lots. */
  readonly value: number;
  readonly fee: number;
  readonly timeMs: number;
}

/** A contract in the account: the one strategy that trades it, and both sides. In net mode at most one side is open. */
export class ContractHolding {
  /** How lots and ticks of the contract become units of its settlement asset. */
  readonly scale: ContractScale;
  /** Leverage and margin terms of the contract. */
  readonly terms: MarginTerms;
  /** The strategy that trades it; -1 until one does. */
  strategy = -1;
  /** The two sides. In net mode at most one has lots. */
  readonly long: PositionSide = flat();
  readonly short: PositionSide = flat();
  /** Reused while rows are marked. */
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
  open(isLong: boolean, { lots, price, value, fee, timeMs }: OpenedLots): void {
    const { scale, terms } = this;
    const side = this.side(isLong);
    if (side.lots === 0) {
      side.openedMs = timeMs;
      side.realisedUnits = side.feeUnits = side.fundingUnits = 0;
    }
    side.entryTicks = scale.averageTicks(side.lots, side.entryTicks, lots, price);
    side.lots = exact(side.lots + lots);
    side.entryUnits = exact(side.entryUnits + value);
    side.marginUnits += scale.initial(value, terms.leverage);
    side.feeUnits += fee;
  }

  /** Closes lots of a side at a value. Returns their profit. */
  close(isLong: boolean, lots: number, value: number, fee: number): number {
    const { scale, terms } = this;
    const side = this.side(isLong);
    const isAll = lots === side.lots;
    const entry = isAll ? side.entryUnits : mulDiv(side.entryUnits, lots, side.lots, 'halfUp');
    const margin = isAll ? side.marginUnits : mulDiv(side.marginUnits, lots, side.lots, 'down');
    const profit = scale.profit(isLong, entry, value);
    side.lots -= lots;
    side.entryUnits -= entry;
    const marginLeft = side.marginUnits - margin;
    // If an isolated position loses more than the margin of the closed lots, the margin of the other lots pays the remainder.
    side.marginUnits = terms.isCross ? marginLeft : Math.max(0, marginLeft + Math.min(0, margin + profit));
    side.realisedUnits += profit;
    side.feeUnits += fee;
    assert(terms.isCross || side.marginUnits >= 0, 'no more margin is returned than there was');
    return profit;
  }

  /** Books funding of one side: units received, negative if paid. */
  fund(isLong: boolean, units: number): void {
    const side = this.side(isLong);
    if (!this.terms.isCross) side.marginUnits += units;
    side.fundingUnits += units;
  }

  /** Returns the profit of both sides at a price in ticks; NaN if the price is missing or a value is too large to be exact. */
  value(ticks: number): number {
    const { scale, long, short } = this;
    let units = 0;
    if (long.lots > 0) units += scale.profit(true, long.entryUnits, scale.valueOfLots(long.lots, ticks));
    if (short.lots > 0) units += scale.profit(false, short.entryUnits, scale.valueOfLots(short.lots, ticks));
    return Number.isFinite(units) ? units : NAN;
  }

  /** Writes `cash` plus the profit at `ticks[row + offset]` into `out` in [from, to); see `Ledger.markRows`. */
  markRows(cash: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    if (!this.isHeld) out.fill(cash, from, to);
    else if (!this.markWithoutRounding(cash, out, from, to, ticks, offset)) {
      for (let row = from; row < to; row++) out[row] = cash + this.value(ticks[row + offset]!);
    }
  }
  /** Marks the rows with one product for each. Returns false if a value must be rounded or is too large to be exact. */
  private markWithoutRounding(cash: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): boolean {
    const { scale, long, short } = this;
    const perLongTick = scale.unitsPerTick(long.lots);
    const perShortTick = scale.unitsPerTick(short.lots);
    const maxPerTick = Math.max(perLongTick, perShortTick);
    if (maxPerTick === 0) return false;
    const perTick = perLongTick - perShortTick;
    const positionAsCash = this.balances;
    positionAsCash.cash = cash - long.entryUnits + short.entryUnits;
    if (ticks instanceof Int32Array && maxPerTick * 2 ** 31 <= MAX_EXACT) {
      markPerTick(out, from, to, positionAsCash, perTick, ticks, offset);
      return true;
    }
    for (let row = from; row < to; row++) {
      const tick = ticks[row + offset]!;
      if (!(maxPerTick * tick <= MAX_EXACT)) return false;
      out[row] = positionAsCash.cash + perTick * tick;
    }
    return true;
  }
  /** Adds the profit to `out` in [from, to). The price of each row is that of `ticks` from `row` on, or always that of `row` if `step` is 0. */
  addRows(out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    if (!this.isHeld) return;
    for (let writtenRow = from, valuedRow = row; writtenRow < to; writtenRow++, valuedRow += step)
      out[writtenRow] = out[writtenRow]! + this.value(ticks[valuedRow]!);
  }
}
