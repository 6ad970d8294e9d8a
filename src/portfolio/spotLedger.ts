// Keeps the bot's books of a spot account: the cash and the coins of each strategy, from fills only, exact to the last unit.

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
  private readonly only: CoinHolding | null;
  private readonly balances = new CashAndBase();

  /**
   * Contracts, and with `ownQuote` coins of another quote asset, belong to another account and are never held here. Throws ConfigError when
   * the other instruments differ in their quote asset, or when one of them is listed twice.
   */
  constructor(instruments: readonly Instrument[], strategies: number, ownQuote: string | null = null) {
    const coins = instruments.filter((each) => isCoin(each) && (ownQuote === null || each.quote === ownQuote));
    checkOneQuote(coins);
    const { quote, quoteDigits } = ownQuote === null ? instruments[0]! : coins[0]!;
    super(instruments, strategies, quote, quoteDigits);
    this.assets = listOf(instruments, (instrument) => new CoinAsset(instrument));
    this.holdings = this.books.flatMap((book) => listOf(this.assets, (asset) => new CoinHolding(book, asset)));
    this.only = this.holdings.length === 1 ? this.holdings[0]! : null;
  }

  /**
   * Adds `units` of the asset to a strategy's book. `costUnits`: the cost of deposited coins in quote money. It should be their value at
   * the time; with 0, their whole proceeds count as profit. Throws ConfigError for an asset that no instrument trades.
   */
  deposit(strategy: number, asset: string, units: number, costUnits = 0): void {
    assert(exact(units) >= 0 && exact(costUnits) >= 0, `a deposit is not negative: ${units} ${asset}`);
    if (asset === this.cashAsset) {
      this.depositCash(strategy, units);
      return;
    }
    const index = this.instruments.findIndex(
      (candidate) => isCoin(candidate) && candidate.base === asset && candidate.quote === this.cashAsset,
    );
    if (index < 0) throw new ConfigError(`cash: no instrument of the run trades ${asset}`, `deposit ${this.assetNames().join(' or ')}`);
    const holding = this.holding(strategy, index);
    const { book } = holding;
    holding.base = exact(holding.base + units);
    holding.cost = exact(holding.cost + costUnits);
    book.deposits = exact(book.deposits + costUnits);
    holding.asset.total = exact(holding.asset.total + units);
    this.positionChanged(index);
  }

  /** Books a fill with the venue's notional. Throws InvariantError when more is sold than held. */
  fill(strategy: number, index: number, isBuy: boolean, fill: Fill): void {
    const holding = this.holding(strategy, index);
    const { base, book } = holding;
    const { cash } = book;
    if (!holding.fill(isBuy, fill)) throw this.oversellError(strategy, index, fill, holding.unitsSold(fill));
    if (this.only !== null) return;
    this.addToAccount(holding.asset, holding.base - base, book.cash - cash);
    this.positionChanged(index);
  }

  override cash(strategy: number): number {
    return this.only === null ? this.books[strategy]!.cash : this.only.book.cash;
  }
  override get cashTotal(): number {
    return this.only === null ? this.total : this.only.book.cash;
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
  /** True when the holding is less than the smallest order. */
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
  /** Returns the dust in base units: a holding below the smallest order. 0 while a position is open. */
  dust(strategy: number, index: number): number {
    return this.isFlat(strategy, index) ? this.base(strategy, index) : 0;
  }
  /** Returns the cost of the holding in quote units, without fees. A sold part takes its share of the cost with it, rounded half up. */
  cost(strategy: number, index: number): number {
    return this.holding(strategy, index).cost;
  }
  /** Returns the average price of the holding in quote per base, without fees; NaN while nothing is held. For display only. */
  entryPrice(strategy: number, index: number): number {
    const { base, cost } = this.holding(strategy, index);
    const { quoteDigits, baseDigits } = this.instruments[index]!;
    return cost / pow10(quoteDigits) / (base / pow10(baseDigits));
  }
  openedMs(strategy: number, index: number): number {
    return this.isFlat(strategy, index) ? NAN : this.holding(strategy, index).openedMs;
  }
  profitUnits(strategy: number, index: number, ticks: number): number {
    return this.isFlat(strategy, index) ? 0 : this.strategyValue(strategy, index, ticks) - this.cost(strategy, index);
  }
  /** Returns the base units in one lot. */
  unitsPerLot(index: number): number {
    return this.assets[index]!.scale.unitsPerLot;
  }
  /** Returns the factor from ticks x base units to quote units, for `markSegment`. */
  scale(index: number): Factor {
    return this.asset(index).scale.ofUnits;
  }
  /** Returns the value of the account's holding at a price in ticks, in quote units, rounded half up. */
  value(index: number, ticks: number): number {
    return quoteValueAt(this.baseTotal(index), ticks, this.scale(index));
  }
  /** Returns the value rounded down; `valueUp` rounds it up. For limits. */
  valueDown(index: number, ticks: number): number {
    return valueDownAt(this.baseTotal(index), ticks, this.scale(index));
  }
  valueUp(index: number, ticks: number): number {
    return valueUpAt(this.baseTotal(index), ticks, this.scale(index));
  }
  protected override strategyValue(strategy: number, index: number, ticks: number): number {
    return quoteValueAt(this.base(strategy, index), ticks, this.scale(index));
  }
  protected override costOfHoldings(strategy: number): number {
    return this.assets.reduce((sum, _, index) => sum + this.cost(strategy, index), 0);
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
    const balances = this.balances;
    balances.cash = this.cashTotal;
    balances.baseUnits = this.baseTotal(index);
    markSegment(out, from, to, balances, ticks, offset, this.scale(index));
  }
  addRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    const units = this.baseTotal(index);
    if (units === 0) return;
    const scale = this.scale(index);
    for (let outIndex = from; outIndex < to; outIndex++, row += step)
      out[outIndex] = out[outIndex]! + quoteValueAt(units, ticks[row]!, scale);
  }

  override assertReconciled(): void {
    super.assertReconciled();
    this.assets.forEach((_, index) => {
      let sum = 0;
      for (let strategy = 0; strategy < this.strategies; strategy++) sum += this.base(strategy, index);
      assert(
        sum === this.baseTotal(index),
        `the books add up to ${sum} of ${this.instruments[index]!.base}, the account has ${this.baseTotal(index)}`,
      );
    });
  }

  private holding(strategy: number, index: number): CoinHolding {
    return this.only ?? this.holdings[strategy * this.assets.length + index]!;
  }
  private addToAccount(asset: CoinAsset, units: number, quoteUnits: number): void {
    asset.total = exact(asset.total + units);
    this.total = exact(this.total + quoteUnits);
  }
  private asset(index: number): CoinAsset {
    return this.only === null ? this.assets[index]! : this.only.asset;
  }
  private oversellError(strategy: number, index: number, { price }: Fill, units: number): InvariantError {
    const { id, base } = this.instruments[index]!;
    const heldLots = this.base(strategy, index);
    return new InvariantError(`book ${strategy}: a fill of ${id} at ${price} ticks sells ${units} units of ${base}, ${heldLots} are held`);
  }
  private assetNames(): string[] {
    return [
      this.cashAsset,
      ...this.instruments.filter((candidate) => isCoin(candidate) && candidate.quote === this.cashAsset).map(({ base }) => base),
    ];
  }
}

const isCoin = ({ contract }: Instrument): boolean => contract === undefined;

/** Throws ConfigError for instruments with different quote assets. */
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
