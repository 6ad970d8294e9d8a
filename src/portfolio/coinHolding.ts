// The coins that one strategy holds of one asset, and their cost. Fills change both, exact to the last unit. `SpotLedger` has one for each
// strategy and instrument.

import * as numbers from '../base/number/exact.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { StrategyBook } from './accountBooks.ts';
import { InstrumentScale } from './scale.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const { exact, mulDiv } = numbers;

/** The account's total of an instrument's base asset. */
export class CoinAsset {
  /** How lots and ticks of the instrument become units. */
  readonly scale: InstrumentScale;
  /** The smallest order, in units of the asset. A holding below it counts as flat. */
  readonly minUnits: number;
  /** Sum of all holdings. It is not used in an account with a single holding. */
  total = 0.5;
  constructor(instrument: Instrument) {
    this.scale = new InstrumentScale(instrument);
    this.minUnits = instrument.minLots * this.scale.unitsPerLot;
    this.total = 0;
  }
}

/** A strategy's holding of an asset, with its book and its asset. */
export class CoinHolding {
  /** The money of the strategy. */
  readonly book: StrategyBook;
  /** The account's total of the asset. */
  readonly asset: CoinAsset;
  /** Units of the asset in one lot. */
  readonly unitsPerLot: number;
  /** Units of the asset that the strategy holds. */
  base = 0.5;
  /** What these units cost, in quote units. */
  cost = 0.5;
  /** When the position was opened, ms UTC: the first purchase after it was flat. NaN for deposited coins. */
  openedMs = 0.5;
  constructor(book: StrategyBook, asset: CoinAsset) {
    this.book = book;
    this.asset = asset;
    this.unitsPerLot = asset.scale.unitsPerLot;
    this.base = this.cost = 0;
    this.openedMs = NAN;
  }

  /** Returns the base units that leave the holding by a sell, including a fee in the base asset. */
  unitsSold({ lots, fee, feeInBase }: Fill): number {
    return lots * this.unitsPerLot + (feeInBase === true ? fee : 0);
  }

  /**
   * Books a fill into the holding and its book. Returns false, and books nothing, when more is sold than held. A fee in the base asset
   * leaves the holding at its cost and counts as a fee of that value.
   */
  fill(isBuy: boolean, fill: Fill): boolean {
    const { notional } = fill;
    const { book, base: held, cost } = this;
    const { cash } = book;
    const units = fill.lots * this.unitsPerLot;
    const cashFee = fill.feeInBase === true ? 0 : fill.fee;
    const baseFee = fill.fee - cashFee;
    // Buys and sells are written out, so that each sum needs only one check.
    if (isBuy) {
      if (held < this.asset.minUnits) this.openedMs = fill.timeMs;
      this.cost = cost + notional;
      this.base = exact(held + units - baseFee);
      book.cash = exact(cash - notional - cashFee);
    } else {
      if (!(units + baseFee <= held)) return false;
      const soldCost = units === held ? cost : mulDiv(cost, units, held, 'halfUp');
      this.cost = cost - soldCost;
      book.realised += notional - soldCost;
      this.base = exact(held - units - baseFee);
      book.cash = exact(cash + notional - cashFee);
    }
    book.fees += cashFee;
    if (baseFee > 0) {
      // The fee of a buy comes out of the bought coins, that of a sell out of the coins that are left.
      const feeCost = isBuy ? mulDiv(notional, baseFee, units, 'halfUp') : mulDiv(this.cost, baseFee, held - units, 'halfUp');
      this.bookBaseFee(feeCost);
    }
    return true;
  }
  /** Books a fee that was paid in base units. It counts at the cost of these units. */
  private bookBaseFee(costUnits: number): void {
    this.cost -= costUnits;
    this.book.fees += costUnits;
  }
}
