// Keeps the bot's books of a spot account: the cash and the coins of each strategy, from fills only, exact to the last unit.

import { repeatedIn } from '../base/repeatedIn.ts';
import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import * as numbers from '../base/number/exact.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import { AccountBooks } from './accountBooks.ts';
import { CoinAsset, CoinHolding } from './coinHolding.ts';
import type { Ledger } from './ledger.ts';
import * as scales from './scale.ts';
import { CashAndBase, lotsFor, type Factor } from './scale.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const { exact, pow10 } = numbers;
const { markSegment, quoteValueAt, valueDownAt, valueUpAt } = scales;

/**
 * The books of an account with one quote asset. Money is in units of the quote asset, holdings in units of each base asset. A fee in the
 * base asset counts at the cost of these units.
 */
export class SpotLedger extends AccountBooks implements Ledger {
  readonly market = 'spot';
  /** By instrument. */
  private readonly assets: readonly CoinAsset[];
  /** By strategy, and within each by instrument. */
  private readonly holdings: readonly CoinHolding[];
  /**
   * The only holding, if there is one strategy and one instrument, as in most runs; otherwise null. It saves the search for a holding and
   * the sum over the account.
   */
  private readonly onlyHolding: CoinHolding | null;
  /** The cash and the holding of the account, reused while rows are marked. */
  private readonly balances = new CashAndBase();

  /**
   * Contracts, and with `ownQuote` coins of another quote asset, belong to another account and are never held here. Throws ConfigError when
   * the other instruments differ in their quote asset, or when one of them is listed twice.
   */
  constructor(instruments: readonly Instrument[], strategyCount: number, ownQuote: string | null = null) {
    const coins = instruments.filter((instrument) => isCoin(instrument) && (ownQuote === null || instrument.quote === ownQuote));
    checkOneQuote(coins);
    const { quote, quoteDigits } = ownQuote === null ? instruments[0]! : coins[0]!;
    super(instruments, strategyCount, quote, quoteDigits);
    this.assets = listOf(instruments, (instrument) => new CoinAsset(instrument));
    this.holdings = this.books.flatMap((book) => listOf(this.assets, (asset) => new CoinHolding(book, asset)));
    this.onlyHolding = this.holdings.length === 1 ? this.holdings[0]! : null;
  }

  /**
   * Adds `units` of the asset to a strategy's book. `costUnits`: the cost of deposited coins in quote money. It should be their value at
   * the time; with 0, their whole proceeds count as profit. Throws ConfigError for an asset that no instrument trades.
   */
  deposit(strategyIndex: number, asset: string, units: number, costUnits = 0): void {
    assert(exact(units) >= 0 && exact(costUnits) >= 0, `a deposit is not negative: ${units} ${asset}`);
    if (asset === this.cashAsset) {
      this.depositCash(strategyIndex, units);
      return;
    }
    const instrumentIndex = this.instruments.findIndex(
      (candidate) => isCoin(candidate) && candidate.base === asset && candidate.quote === this.cashAsset,
    );
    if (instrumentIndex < 0)
      throw new ConfigError(`cash: no instrument of the run trades ${asset}`, `deposit ${this.assetNames().join(' or ')}`);
    const holding = this.holding(strategyIndex, instrumentIndex);
    const { book } = holding;
    holding.base = exact(holding.base + units);
    holding.cost = exact(holding.cost + costUnits);
    book.deposits = exact(book.deposits + costUnits);
    holding.asset.total = exact(holding.asset.total + units);
    this.positionChanged(instrumentIndex);
  }

  /** Books a fill with the venue's notional. Throws InvariantError when more is sold than held. */
  fill(strategyIndex: number, instrumentIndex: number, isBuy: boolean, fill: Fill): void {
    const holding = this.holding(strategyIndex, instrumentIndex);
    const { base, book } = holding;
    const { cash } = book;
    if (!holding.fill(isBuy, fill)) throw this.oversellError(strategyIndex, instrumentIndex, fill, holding.unitsSold(fill));
    if (this.onlyHolding !== null) return;
    this.addToAccount(holding.asset, holding.base - base, book.cash - cash);
    this.positionChanged(instrumentIndex);
  }

  override cash(strategyIndex: number): number {
    return this.onlyHolding === null ? this.books[strategyIndex]!.cash : this.onlyHolding.book.cash;
  }
  override get cashTotal(): number {
    return this.onlyHolding === null ? this.total : this.onlyHolding.book.cash;
  }
  /** Returns the holding of a strategy in base units. */
  base(strategyIndex: number, instrumentIndex: number): number {
    return this.holding(strategyIndex, instrumentIndex).base;
  }
  /** Returns the holding of the account in base units. */
  baseTotal(instrumentIndex: number): number {
    return this.onlyHolding === null ? this.assets[instrumentIndex]!.total : this.onlyHolding.base;
  }
  lots(strategyIndex: number, instrumentIndex: number): number {
    const { base, unitsPerLot } = this.holding(strategyIndex, instrumentIndex);
    return Math.floor(base / unitsPerLot);
  }
  /** True when at least `lots` are held. */
  covers(strategyIndex: number, instrumentIndex: number, lots: number): boolean {
    const { base, unitsPerLot } = this.holding(strategyIndex, instrumentIndex);
    // A product beyond 2^53 is above every holding, rounded or not.
    return lots * unitsPerLot <= base;
  }
  closable(strategyIndex: number, instrumentIndex: number, isBuy: boolean): number {
    return isBuy === true ? 0 : this.lots(strategyIndex, instrumentIndex);
  }
  lotsFor(instrumentIndex: number, units: number, ticks: number): number {
    return lotsFor(units, ticks, this.instruments[instrumentIndex]!);
  }
  /** True when the holding is less than the smallest order. */
  isFlat(strategyIndex: number, instrumentIndex: number): boolean {
    const { base, asset } = this.holding(strategyIndex, instrumentIndex);
    return base < asset.minUnits;
  }
  qty(strategyIndex: number, instrumentIndex: number): number {
    return this.base(strategyIndex, instrumentIndex);
  }
  qtyDigits(instrumentIndex: number): number {
    return this.instruments[instrumentIndex]!.baseDigits;
  }
  /** Returns the dust in base units: a holding below the smallest order. 0 while a position is open. */
  dust(strategyIndex: number, instrumentIndex: number): number {
    return this.isFlat(strategyIndex, instrumentIndex) ? this.base(strategyIndex, instrumentIndex) : 0;
  }
  /** Returns the cost of the holding in quote units, without fees. A sold part takes its share of the cost with it, rounded half up. */
  cost(strategyIndex: number, instrumentIndex: number): number {
    return this.holding(strategyIndex, instrumentIndex).cost;
  }
  /** Returns the average price of the holding in quote per base, without fees; NaN while nothing is held. For display only. */
  entryPrice(strategyIndex: number, instrumentIndex: number): number {
    const { base, cost } = this.holding(strategyIndex, instrumentIndex);
    const { quoteDigits, baseDigits } = this.instruments[instrumentIndex]!;
    return cost / pow10(quoteDigits) / (base / pow10(baseDigits));
  }
  openedMs(strategyIndex: number, instrumentIndex: number): number {
    return this.isFlat(strategyIndex, instrumentIndex) ? NAN : this.holding(strategyIndex, instrumentIndex).openedMs;
  }
  profitUnits(strategyIndex: number, instrumentIndex: number, ticks: number): number {
    return this.isFlat(strategyIndex, instrumentIndex)
      ? 0
      : this.strategyValue(strategyIndex, instrumentIndex, ticks) - this.cost(strategyIndex, instrumentIndex);
  }
  /** Returns the base units in one lot. */
  unitsPerLot(instrumentIndex: number): number {
    return this.assets[instrumentIndex]!.scale.unitsPerLot;
  }
  /** Returns the factor from ticks x base units to quote units, for `markSegment`. */
  scale(instrumentIndex: number): Factor {
    return this.asset(instrumentIndex).scale.ofUnits;
  }
  /** Returns the value of the account's holding at a price in ticks, in quote units, rounded half up. */
  value(instrumentIndex: number, ticks: number): number {
    return quoteValueAt(this.baseTotal(instrumentIndex), ticks, this.scale(instrumentIndex));
  }
  /** Returns the value of the account's holding rounded down, for limits. */
  valueDown(instrumentIndex: number, ticks: number): number {
    return valueDownAt(this.baseTotal(instrumentIndex), ticks, this.scale(instrumentIndex));
  }
  /** Returns the value of the account's holding rounded up, for limits. */
  valueUp(instrumentIndex: number, ticks: number): number {
    return valueUpAt(this.baseTotal(instrumentIndex), ticks, this.scale(instrumentIndex));
  }
  protected override strategyValue(strategyIndex: number, instrumentIndex: number, ticks: number): number {
    return quoteValueAt(this.base(strategyIndex, instrumentIndex), ticks, this.scale(instrumentIndex));
  }
  protected override costOfHoldings(strategyIndex: number): number {
    return this.assets.reduce((sum, _, instrumentIndex) => sum + this.cost(strategyIndex, instrumentIndex), 0);
  }

  holds(instrumentIndex: number): boolean {
    return this.baseTotal(instrumentIndex) !== 0;
  }
  isOneSided(): boolean {
    return true;
  }
  holdingValue(instrumentIndex: number, ticks: number): number {
    return this.value(instrumentIndex, ticks);
  }
  markRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    const balances = this.balances;
    balances.cash = this.cashTotal;
    balances.baseUnits = this.baseTotal(instrumentIndex);
    markSegment(out, from, to, balances, ticks, offset, this.scale(instrumentIndex));
  }
  addRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    const units = this.baseTotal(instrumentIndex);
    if (units === 0) return;
    const scale = this.scale(instrumentIndex);
    for (let outIndex = from; outIndex < to; outIndex++, row += step)
      out[outIndex] = out[outIndex]! + quoteValueAt(units, ticks[row]!, scale);
  }

  override assertReconciled(): void {
    super.assertReconciled();
    this.assets.forEach((_, instrumentIndex) => {
      let bookedUnits = 0;
      for (let strategyIndex = 0; strategyIndex < this.strategies; strategyIndex++)
        bookedUnits += this.base(strategyIndex, instrumentIndex);
      assert(
        bookedUnits === this.baseTotal(instrumentIndex),
        `the books add up to ${bookedUnits} of ${this.instruments[instrumentIndex]!.base}, the account has ${this.baseTotal(instrumentIndex)}`,
      );
    });
  }

  private holding(strategyIndex: number, instrumentIndex: number): CoinHolding {
    return this.onlyHolding ?? this.holdings[strategyIndex * this.assets.length + instrumentIndex]!;
  }
  /** Adds the changes of a fill to the sums of the account. */
  private addToAccount(asset: CoinAsset, units: number, quoteUnits: number): void {
    asset.total = exact(asset.total + units);
    this.total = exact(this.total + quoteUnits);
  }
  private asset(instrumentIndex: number): CoinAsset {
    return this.onlyHolding === null ? this.assets[instrumentIndex]! : this.onlyHolding.asset;
  }
  private oversellError(strategyIndex: number, instrumentIndex: number, { price }: Fill, units: number): InvariantError {
    const { id, base } = this.instruments[instrumentIndex]!;
    const heldUnits = this.base(strategyIndex, instrumentIndex);
    return new InvariantError(
      `book ${strategyIndex}: a fill of ${id} at ${price} ticks sells ${units} units of ${base}, ${heldUnits} are held`,
    );
  }
  /** Returns the names of the assets that can be deposited. */
  private assetNames(): string[] {
    const coins = this.instruments.filter((instrument) => isCoin(instrument) && instrument.quote === this.cashAsset);
    return [this.cashAsset, ...coins.map(({ base }) => base)];
  }
}

/** True for a spot instrument. */
const isCoin = ({ contract }: Instrument): boolean => contract === undefined;

/** Throws ConfigError for instruments with different quote assets. */
function checkOneQuote(instruments: readonly Instrument[]): void {
  const [first] = instruments;
  assert(first !== undefined, 'a ledger has an instrument');
  const repeatedBases = repeatedIn(instruments.map(({ base }) => base));
  for (const { id, base, quote, quoteDigits } of instruments) {
    if (quote !== first.quote || quoteDigits !== first.quoteDigits) {
      const remedy = 'run instruments of one quote asset together, with the same quoteDigits';
      throw new ConfigError(
        `${id}: expected money in ${first.quote} of ${first.quoteDigits} digits, got ${quote} of ${quoteDigits}`,
        remedy,
      );
    }
    if (repeatedBases.has(base) || base === quote) {
      throw new ConfigError(`${id}: ${base} is held through two instruments`, 'name each instrument once');
    }
  }
}
