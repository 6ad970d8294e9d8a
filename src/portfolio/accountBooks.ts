// The base class of the spot and the futures ledger: the cash of each strategy, where it came from, and the check that both agree.

import { assert } from '../base/assert.ts';
import type { ChangedIndexes } from '../base/memory/changedIndexes.ts';
import * as numbers from '../base/number/exact.ts';
import type { Instrument } from '../model/instrument.ts';

// hot: docs/performance.md#imported-constants
const { exact } = numbers;

/** Money of one strategy. Hot: docs/performance.md#record-fields and docs/performance.md#double-fields. */
export class StrategyBook {
  /** Cash, in units. */
  cash = 0.5;
  /** Everything that was deposited, at its value then. */
  deposits = 0.5;
  /** Realised profit without fees. */
  realised = 0.5;
  /** Fees paid. */
  fees = 0.5;
  /** Funding of contracts that was received, negative if paid. */
  funding = 0.5;
  /** Losses of contracts beyond their margin, which the exchange has covered. */
  covered = 0.5;
  constructor() {
    this.cash = this.deposits = this.realised = this.fees = this.funding = this.covered = 0;
  }
}

/**
 * One book for each strategy, over one account with one cash asset. For every book, and so for the account, at any time and to the unit:
 *
 *     cash + cost of coins = deposits + realised - fees + funding + covered
 */
export abstract class AccountBooks {
  /** The instruments of the run. Methods take their index in this list. */
  readonly instruments: readonly Instrument[];
  /** Number of strategies. */
  readonly strategies: number;
  /** The asset in which cash is counted. */
  readonly cashAsset: string;
  /** Number of decimals of that asset: a unit is 10^-cashDigits of it. */
  readonly cashDigits: number;
  /** By strategy. */
  protected readonly books: readonly StrategyBook[];
  /** Cash of the account, in units. */
  protected total = 0.5;
  /** Where changes of positions are marked, by instrument. */
  private readonly followers: ChangedIndexes[] = [];

  constructor(instruments: readonly Instrument[], strategyCount: number, cashAsset: string, cashDigits: number) {
    this.instruments = instruments;
    this.strategies = strategyCount;
    this.cashAsset = cashAsset;
    this.cashDigits = cashDigits;
    this.books = Array.from({ length: strategyCount }, () => new StrategyBook());
    this.total = 0;
  }

  /** True when any strategy holds the instrument. */
  abstract holds(instrumentIndex: number): boolean;
  /** Returns the value of the account's holding at a price in ticks, in units of cash. */
  abstract holdingValue(instrumentIndex: number, ticks: number): number;
  /** Returns the value of a strategy's holding at a price in ticks: what it adds to the cash. 0 at any price if it holds nothing. */
  protected abstract strategyValue(strategyIndex: number, instrumentIndex: number, ticks: number): number;
  /** Returns the cost of the coins that a strategy holds. */
  protected abstract costOfHoldings(strategyIndex: number): number;

  /** From now on marks in `changed` each instrument whose position changes. A ledger with a single holding marks nothing. */
  follow(changed: ChangedIndexes): void {
    this.followers.push(changed);
  }
  /** Marks an instrument for all followers. */
  protected positionChanged(instrumentIndex: number): void {
    const { followers } = this;
    for (let index = 0; index < followers.length; index++) followers[index]!.mark(instrumentIndex);
  }

  /** Returns the cash of a strategy, in units. */
  cash(strategyIndex: number): number {
    return this.books[strategyIndex]!.cash;
  }
  /** The cash of all strategies, in units. */
  get cashTotal(): number {
    return this.total;
  }
  /** Returns the realised profit of a strategy, without fees, in units of cash. */
  realised(strategyIndex: number): number {
    return this.books[strategyIndex]!.realised;
  }
  /** Returns the fees paid, in units of cash. A fee in a base asset counts at the cost of that asset. */
  fees(strategyIndex: number): number {
    return this.books[strategyIndex]!.fees;
  }
  /** Returns the deposits of a strategy: cash, and the cost of deposited coins. */
  deposits(strategyIndex: number): number {
    return this.books[strategyIndex]!.deposits;
  }

  /** Returns the equity of a strategy at marks in ticks by instrument, in units of cash. */
  equityUnits(strategyIndex: number, marks: ArrayLike<number>): number {
    let equity = this.cash(strategyIndex);
    for (let index = 0; index < this.instruments.length; index++) equity += this.strategyValue(strategyIndex, index, marks[index]!);
    return equity;
  }
  /** Returns the equity of the account at marks in ticks by instrument, in units of cash. */
  equityTotalUnits(marks: ArrayLike<number>): number {
    let equity = this.cashTotal;
    for (let index = 0; index < this.instruments.length; index++) {
      if (this.holds(index)) equity += this.holdingValue(index, marks[index]!);
    }
    return equity;
  }

  /** Throws InvariantError when a book does not balance, or the books do not add up to the account. Not for the hot path. */
  assertReconciled(): void {
    let bookedCash = 0;
    this.books.forEach(({ cash, deposits, realised, fees, funding, covered }, strategy) => {
      const history = deposits + realised - fees + funding + covered;
      const present = cash + this.costOfHoldings(strategy);
      assert(present === history, `book ${strategy}: cash and cost of coins are ${present}, its history says ${history}`);
      bookedCash += cash;
    });
    assert(bookedCash === this.cashTotal, `the books add up to ${bookedCash}, the account has ${this.cashTotal}`);
  }

  /** Books a deposit of cash. */
  protected depositCash(strategyIndex: number, units: number): void {
    const book = this.books[strategyIndex]!;
    book.deposits = exact(book.deposits + units);
    this.pay(book, units);
  }
  /** Adds units to a strategy's cash and to the account. */
  protected pay(book: StrategyBook, units: number): void {
    book.cash = exact(book.cash + units);
    this.total = exact(this.total + units);
  }
}
