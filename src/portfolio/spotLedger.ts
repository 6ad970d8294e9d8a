// The bot's books of a spot account: cash, holdings, cost and fees of each strategy, from fills only, exact to the last unit.

import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import * as numbers from '../base/number/exact.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Ledger } from './ledger.ts';
import * as scales from './scale.ts';
import { CashAndBase, lotsFor, InstrumentScale, type Factor } from './scale.ts';

// hot: docs/performance.md#imported-constants
const { exact, mulDiv, pow10 } = numbers;
const { markSegment, quoteValueAt, valueDownAt, valueUpAt } = scales;

/** Amounts of one strategy. Hot: docs/performance.md#record-fields and docs/performance.md#double-fields. */
class Book {
  quote = 0.5;
  deposits = 0.5;
  realised = 0.5;
  fees = 0.5;
  constructor() {
    this.quote = this.deposits = this.realised = this.fees = 0;
  }
}
/** The account's total of an instrument's base asset. */
class Asset {
  readonly scale: InstrumentScale;
  readonly minUnits: number;
  /** Used when an account has several holdings; a single holding is its own sum. */
  total = 0.5;
  constructor(instrument: Instrument) {
    this.scale = new InstrumentScale(instrument);
    this.minUnits = instrument.minLots * this.scale.unitsPerLot;
    this.total = 0;
  }
}
/** A strategy's holding of an asset. It links to the book and the asset, which saves further searches. */
class Holding {
  readonly book: Book;
  readonly asset: Asset;
  readonly unitsPerLot: number;
  base = 0.5;
  cost = 0.5;
  constructor(book: Book, asset: Asset) {
    this.book = book;
    this.asset = asset;
    this.unitsPerLot = asset.scale.unitsPerLot;
    this.base = this.cost = 0;
  }
}

/**
 * One book for each strategy, over one account with one quote asset. Money is in units of the quote asset, holdings in units of each base
 * asset. For every book, and so for the account, at any time and to the unit:
 *
 *     cash + cost of what is held = deposits + realised - fees
 *
 * A fee in the base asset leaves the holding at its cost and counts as a fee of that value.
 */
export class SpotLedger implements Ledger {
  readonly market = 'spot';
  readonly instruments: readonly Instrument[];
  readonly strategies: number;
  /** By strategy. */
  private readonly books: readonly Book[];
  /** By instrument. */
  private readonly assets: readonly Asset[];
  /** By strategy, and within each by instrument. */
  private readonly holdings: readonly Holding[];
  /** The holding if there is one strategy and one instrument, as in most runs. Orders read it several times, without a search or a sum. */
  private readonly only: Holding | null;
  /** Cash of an account with several holdings. */
  private quoteTotal = 0.5;
  private readonly balances = new CashAndBase();

  /**
   * Contracts among the instruments belong to another account: none of them is ever held here. Throws ConfigError when the instruments
   * differ in their quote asset, or one of them is listed twice.
   */
  constructor(instruments: readonly Instrument[], strategies: number) {
    checkOneQuote(instruments.filter(isCoin));
    this.instruments = instruments;
    this.strategies = strategies;
    this.assets = listOf(instruments, (instrument) => new Asset(instrument));
    this.books = Array.from({ length: strategies }, () => new Book());
    this.holdings = this.books.flatMap((book) => listOf(this.assets, (asset) => new Holding(book, asset)));
    this.only = this.holdings.length === 1 ? this.holdings[0]! : null;
    this.quoteTotal = 0;
  }

  /**
   * Adds `units` (of that asset) to a strategy's book. Base holdings come in at `costUnits` of quote money, their value at the time: with 0
   * their whole proceeds would count as profit. Throws ConfigError for an asset that no instrument trades.
   */
  deposit(strategy: number, asset: string, units: number, costUnits = 0): void {
    assert(exact(units) >= 0 && exact(costUnits) >= 0, `a deposit is not negative: ${units} ${asset}`);
    const book = this.books[strategy]!;
    if (asset === this.instruments[0]!.quote) {
      book.deposits = exact(book.deposits + units);
      book.quote = exact(book.quote + units);
      this.quoteTotal = exact(this.quoteTotal + units);
      return;
    }
    const index = this.instruments.findIndex((of) => isCoin(of) && of.base === asset);
    if (index < 0) throw new ConfigError(`cash: no instrument of the run trades ${asset}`, `deposit ${this.assetNames().join(' or ')}`);
    const holding = this.holding(strategy, index);
    holding.base = exact(holding.base + units);
    holding.cost = exact(holding.cost + costUnits);
    book.deposits = exact(book.deposits + costUnits);
    holding.asset.total = exact(holding.asset.total + units);
  }

  /** Books a fill. Its price appears in messages only: the notional is the venue's. Throws InvariantError when more is sold than held. */
  fill(strategy: number, index: number, isBuy: boolean, fill: Fill): void {
    const { notional } = fill;
    const holding = this.holding(strategy, index);
    const { book, base: held, cost } = holding;
    const { quote } = book;
    const units = fill.lots * holding.unitsPerLot;
    const cashFee = fill.feeInBase === true ? 0 : fill.fee;
    const baseFee = fill.fee - cashFee;
    // Each side separately: a sum of whole numbers needs only one check.
    if (isBuy) {
      holding.cost = cost + notional;
      holding.base = exact(held + units - baseFee);
      book.quote = exact(quote - notional - cashFee);
    } else {
      if (!(units + baseFee <= held)) throw this.oversold(strategy, index, fill, units + baseFee);
      const costOut = units === held ? cost : mulDiv(cost, units, held, 'halfUp');
      holding.cost = cost - costOut;
      book.realised += notional - costOut;
      holding.base = exact(held - units - baseFee);
      book.quote = exact(quote + notional - cashFee);
    }
    book.fees += cashFee;
    if (baseFee > 0)
      leaveAsFee(holding, isBuy ? mulDiv(notional, baseFee, units, 'halfUp') : mulDiv(holding.cost, baseFee, held - units, 'halfUp'));
    if (this.only === null) this.addToAccount(holding.asset, holding.base - held, book.quote - quote);
  }

  get cashAsset(): string {
    return this.instruments[0]!.quote;
  }
  get cashDigits(): number {
    return this.instruments[0]!.quoteDigits;
  }
  cash(strategy: number): number {
    return this.only === null ? this.books[strategy]!.quote : this.only.book.quote;
  }
  get cashTotal(): number {
    return this.only === null ? this.quoteTotal : this.only.book.quote;
  }
  /** Returns the holding of a strategy in base units. */
  base(strategy: number, index: number): number {
    return this.holding(strategy, index).base;
  }
  baseTotal(index: number): number {
    return this.only === null ? this.assets[index]!.total : this.only.base;
  }
  lots(strategy: number, index: number): number {
    const { base, unitsPerLot } = this.holding(strategy, index);
    return Math.floor(base / unitsPerLot);
  }
  /** True when at least `lots` are held. */
  covers(strategy: number, index: number, lots: number): boolean {
    const { base, unitsPerLot } = this.holding(strategy, index);
    // A product beyond 2^53 is above every holding, rounded or not.
    return lots * unitsPerLot <= base;
  }
  closable(strategy: number, index: number, isBuy: boolean): number {
    return isBuy === true ? 0 : this.lots(strategy, index);
  }
  lotsFor(index: number, units: number, ticks: number): number {
    return lotsFor(units, ticks, this.instruments[index]!);
  }
  /** True when nothing is held, or only dust that cannot be sold. */
  isFlat(strategy: number, index: number): boolean {
    const { base, asset } = this.holding(strategy, index);
    return base < asset.minUnits;
  }
  qty(strategy: number, index: number): number {
    return this.base(strategy, index);
  }
  qtyDigits(index: number): number {
    return this.instruments[index]!.baseDigits;
  }
  /** Returns the dust in base units: held, but less than the smallest order. 0 while a position is open. */
  dust(strategy: number, index: number): number {
    return this.isFlat(strategy, index) ? this.base(strategy, index) : 0;
  }
  /** Returns what the holding cost, in quote units, without fees. Exact; a part of a holding leaves with its share, rounded half up. */
  cost(strategy: number, index: number): number {
    return this.holding(strategy, index).cost;
  }
  /** Returns the average price of the holding in quote per base, without fees; NaN while nothing is held. For display only. */
  entryPrice(strategy: number, index: number): number {
    const { base, cost } = this.holding(strategy, index);
    const { quoteDigits, baseDigits } = this.instruments[index]!;
    return cost / pow10(quoteDigits) / (base / pow10(baseDigits));
  }
  /** Returns the proceeds of sales minus their cost, without fees, in quote units. */
  realised(strategy: number): number {
    return this.books[strategy]!.realised;
  }
  /** Returns the fees paid, in quote units; those in a base asset at what it had cost. */
  fees(strategy: number): number {
    return this.books[strategy]!.fees;
  }
  /** Returns the cash and the cost of holdings brought in. */
  deposits(strategy: number): number {
    return this.books[strategy]!.deposits;
  }

  /** Returns the base units in one lot. */
  unitsPerLot(index: number): number {
    return this.assets[index]!.scale.unitsPerLot;
  }
  /** Returns the factor from ticks x base units to quote units, for `markSegment`. */
  scale(index: number): Factor {
    return this.asset(index).scale.ofUnits;
  }
  /** Returns the value of the account's holding at a price in ticks, in quote units: exact if it divides, else rounded half up. */
  value(index: number, ticks: number): number {
    return quoteValueAt(this.baseTotal(index), ticks, this.scale(index));
  }
  /** The same rounded down, and rounded up: for limits. */
  valueDown(index: number, ticks: number): number {
    return valueDownAt(this.baseTotal(index), ticks, this.scale(index));
  }
  valueUp(index: number, ticks: number): number {
    return valueUpAt(this.baseTotal(index), ticks, this.scale(index));
  }
  /**
   * Returns cash plus holdings at `marks` (ticks by instrument), in quote units. Each holding is rounded separately. A mark is read only
   * for an instrument that is held; a missing one (NaN) makes the equity NaN: unknown. Above 2^53 for display only.
   */
  equityUnits(strategy: number, marks: ArrayLike<number>): number {
    let equity = this.cash(strategy);
    for (let index = 0; index < this.assets.length; index++) {
      const held = this.base(strategy, index);
      if (held !== 0) equity += quoteValueAt(held, marks[index]!, this.scale(index));
    }
    return equity;
  }
  /** The same for the whole account. */
  equityTotalUnits(marks: ArrayLike<number>): number {
    let equity = this.cashTotal;
    for (let index = 0; index < this.assets.length; index++) if (this.baseTotal(index) !== 0) equity += this.value(index, marks[index]!);
    return equity;
  }

  holds(index: number): boolean {
    return this.baseTotal(index) !== 0;
  }
  isOneSided(): boolean {
    return true;
  }
  holdingValue(index: number, ticks: number): number {
    return this.value(index, ticks);
  }
  markRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    const held = this.balances;
    held.cash = this.cashTotal;
    held.baseUnits = this.baseTotal(index);
    markSegment(out, from, to, held, ticks, offset, this.scale(index));
  }
  addRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    const units = this.baseTotal(index);
    if (units === 0) return;
    const scale = this.scale(index);
    for (let at = from; at < to; at++, row += step) out[at] = out[at]! + quoteValueAt(units, ticks[row]!, scale);
  }

  /** Throws InvariantError when a book does not balance, or the books do not add up to the account. Not for the hot path. */
  assertReconciled(): void {
    const totals = Array.from({ length: 1 + this.instruments.length }, () => 0);
    for (let strategy = 0; strategy < this.strategies; strategy++) {
      totals[0]! += this.cash(strategy);
      let cost = 0;
      for (let index = 0; index < this.instruments.length; index++) {
        totals[1 + index]! += this.base(strategy, index);
        cost += this.cost(strategy, index);
      }
      const left = this.cash(strategy) + cost;
      const right = this.deposits(strategy) + this.realised(strategy) - this.fees(strategy);
      assert(left === right, `book ${strategy}: cash + cost ${left} is not deposits + realised - fees ${right}`);
    }
    const account = [this.cashTotal, ...this.assets.map((_, index) => this.baseTotal(index))];
    totals.forEach((sum, at) => assert(sum === account[at], `the books add up to ${sum}, the account has ${account[at]}`));
  }

  private holding(strategy: number, index: number): Holding {
    return this.only ?? this.holdings[strategy * this.assets.length + index]!;
  }
  private addToAccount(asset: Asset, units: number, quoteUnits: number): void {
    asset.total = exact(asset.total + units);
    this.quoteTotal = exact(this.quoteTotal + quoteUnits);
  }
  private asset(index: number): Asset {
    return this.only === null ? this.assets[index]! : this.only.asset;
  }
  private oversold(strategy: number, index: number, { price }: Fill, units: number): InvariantError {
    const { id, base } = this.instruments[index]!;
    const held = this.base(strategy, index);
    return new InvariantError(`book ${strategy}: a fill of ${id} at ${price} ticks sells ${units} units of ${base}, ${held} are held`);
  }
  private assetNames(): string[] {
    return [this.cashAsset, ...this.instruments.filter(isCoin).map(({ base }) => base)];
  }
}

const isCoin = ({ contract }: Instrument): boolean => contract === undefined;

/** Books a fee paid in base units: it counts at what the units had cost. */
function leaveAsFee(holding: Holding, costUnits: number): void {
  holding.cost -= costUnits;
  holding.book.fees += costUnits;
}

function checkOneQuote(instruments: readonly Instrument[]): void {
  const [first] = instruments;
  assert(first !== undefined, 'a ledger has an instrument');
  for (const { id, base, quote, quoteDigits } of instruments) {
    if (quote !== first.quote || quoteDigits !== first.quoteDigits) {
      const remedy = 'run instruments of one quote asset together, with the same quoteDigits';
      throw new ConfigError(
        `${id}: expected money in ${first.quote} of ${first.quoteDigits} digits, got ${quote} of ${quoteDigits}`,
        remedy,
      );
    }
    if (instruments.filter((other) => other.base === base).length > 1 || base === quote) {
      throw new ConfigError(`${id}: ${base} is held through two instruments`, 'name each instrument once');
    }
  }
}
