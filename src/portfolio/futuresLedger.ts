// Keeps the bot's books of a futures account: the cash and the contracts of each strategy, from fills and payments only.

import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import { exact, mulDiv, pow10 } from '../base/number/exact.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import { AccountBooks } from './accountBooks.ts';
import { ContractHolding, type LedgerPosition, type MarginTerms } from './contractHolding.ts';
import type { ContractScale } from './contractScale.ts';
import type { Ledger } from './ledger.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/**
 * The books of an account with one settlement asset. Each contract belongs to the first strategy that trades it, because the exchange has
 * one position in it, not one for each strategy.
 */
export class FuturesLedger extends AccountBooks implements Ledger {
  readonly market = 'futures';
  /** By instrument. */
  private readonly holdings: readonly ContractHolding[];

  /** Throws ConfigError when the contracts differ in their settlement asset, or one of them is listed twice. */
  constructor(instruments: readonly Instrument[], strategies: number, terms: (instrument: Instrument) => MarginTerms) {
    const { marginCoin, marginDigits } = settlementOf(instruments);
    super(instruments, strategies, marginCoin, marginDigits);
    this.holdings = listOf(instruments, (instrument) => new ContractHolding(instrument, terms(instrument)));
  }

  deposit(strategy: number, asset: string, units: number): void {
    assert(exact(units) >= 0, `a deposit is not negative: ${units} ${asset}`);
    if (asset !== this.cashAsset) {
      throw new ConfigError(`cash: the contracts of the run settle in ${this.cashAsset}, not in ${asset}`, `deposit ${this.cashAsset}`);
    }
    this.depositCash(strategy, units);
  }

  fill(strategy: number, index: number, isBuy: boolean, fill: Fill, closes: boolean): void {
    const holding = this.holdingFor(strategy, index);
    const book = this.books[strategy]!;
    const { lots, price, notional, fee, covered, timeMs } = fill;
    const opposite = holding.side(!isBuy);
    const closing = holding.terms.isNet || closes ? Math.min(lots, opposite.lots) : 0;
    if (closes && closing < lots) throw overcloseError(this.instruments[index]!, strategy, fill, opposite.lots);
    const closingValue = closing === lots ? notional : holding.scale.valueOfLots(closing, price);
    const closingFee = closing === lots ? fee : mulDiv(fee, closing, lots, 'down');
    if (closing > 0) {
      const profit = holding.close(!isBuy, closing, closingValue, closingFee);
      book.realised = exact(book.realised + profit);
      this.pay(book, profit);
    }
    if (lots > closing) holding.open(isBuy, { lots: lots - closing, price, value: notional - closingValue, fee: fee - closingFee, timeMs });
    book.fees += fee;
    book.covered += covered;
    this.pay(book, covered - fee);
    this.positionChanged(index);
  }

  /**
   * Books funding of the position on one side of a contract: units received, negative if paid. Returns the strategy whose position it is.
   */
  funded(index: number, isLong: boolean, units: number): number {
    const holding = this.holdings[index]!;
    assert(holding.strategy >= 0, 'a contract with funding belongs to a strategy');
    const book = this.books[holding.strategy]!;
    holding.fund(isLong, units);
    book.funding += units;
    this.pay(book, units);
    return holding.strategy;
  }

  /** Returns the strategy that trades a contract; -1 if none has traded it yet. */
  ownerOf(index: number): number {
    return this.holdings[index]!.strategy;
  }
  side(index: number, isLong: boolean): LedgerPosition {
    return this.holdings[index]!.side(isLong);
  }
  scale(index: number): ContractScale {
    return this.holdings[index]!.scale;
  }
  terms(index: number): MarginTerms {
    return this.holdings[index]!.terms;
  }
  funding(strategy: number): number {
    return this.books[strategy]!.funding;
  }

  lots(strategy: number, index: number): number {
    const { long, short, strategy: owner } = this.holdings[index]!;
    return owner === strategy ? long.lots - short.lots : 0;
  }
  closable(strategy: number, index: number, isBuy: boolean, closes: boolean): number {
    const { long, short, terms, strategy: owner } = this.holdings[index]!;
    if (owner !== strategy || !(terms.isNet || closes)) return 0;
    return isBuy ? short.lots : long.lots;
  }
  lotsFor(index: number, units: number, ticks: number): number {
    return this.holdings[index]!.scale.lotsWithin(units, ticks);
  }
  isFlat(strategy: number, index: number): boolean {
    const { long, short, strategy: owner } = this.holdings[index]!;
    return owner !== strategy || (long.lots === 0 && short.lots === 0);
  }
  qty(strategy: number, index: number): number {
    return this.lots(strategy, index);
  }
  qtyDigits(index: number): number {
    return this.instruments[index]!.quantityDigits;
  }
  entryPrice(strategy: number, index: number): number {
    const { long, short } = this.holdings[index]!;
    const heldLots = this.lots(strategy, index);
    const { lots, entryTicks } = heldLots < 0 ? short : long;
    if (lots === 0 || heldLots === 0) return NAN;
    return entryTicks / pow10(this.instruments[index]!.priceDigits);
  }

  openedMs(strategy: number, index: number, isLong?: boolean): number {
    if (this.isFlat(strategy, index)) return NAN;
    const { long, short } = this.holdings[index]!;
    if (isLong !== undefined) return isLong ? long.openedMs : short.openedMs;
    if (long.lots === 0 || short.lots === 0) return long.lots === 0 ? short.openedMs : long.openedMs;
    return Math.min(long.openedMs, short.openedMs);
  }
  profitUnits(strategy: number, index: number, ticks: number): number {
    return this.strategyValue(strategy, index, ticks);
  }

  /** Returns the margin that the positions of a strategy hold. */
  marginUsed(strategy: number): number {
    let units = 0;
    for (const { strategy: owner, marginUnits } of this.holdings) if (owner === strategy) units += marginUnits;
    return units;
  }
  /**
   * Returns the money that a strategy can use: its cash minus margins, minus the losses of its cross positions at `marks`. Profits do not
   * count.
   */
  available(strategy: number, marks: ArrayLike<number>): number {
    let profit = 0;
    this.holdings.forEach(({ strategy: owner, terms }, index) => {
      if (owner === strategy && terms.isCross && this.holds(index)) profit += this.holdingValue(index, marks[index]!);
    });
    const units = this.cash(strategy) - this.marginUsed(strategy);
    return profit < 0 ? units + profit : units;
  }

  holds(index: number): boolean {
    return this.holdings[index]!.isHeld;
  }
  isOneSided(index: number): boolean {
    const { long, short } = this.holdings[index]!;
    return long.lots === 0 || short.lots === 0;
  }
  holdingValue(index: number, ticks: number): number {
    return this.holdings[index]!.value(ticks);
  }
  protected override strategyValue(strategy: number, index: number, ticks: number): number {
    const holding = this.holdings[index]!;
    return holding.strategy === strategy && holding.isHeld ? holding.value(ticks) : 0;
  }
  protected override costOfHoldings(): number {
    return 0;
  }
  markRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    this.holdings[index]!.markRows(this.total, out, from, to, ticks, offset);
  }
  addRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    this.holdings[index]!.addRows(out, from, to, ticks, row, step);
  }

  /** Returns the holding of a contract, which belongs to the strategy from now on. Throws ConfigError if it belongs to another one. */
  private holdingFor(strategy: number, index: number): ContractHolding {
    const holding = this.holdings[index]!;
    if (holding.strategy < 0) holding.strategy = strategy;
    else if (holding.strategy !== strategy) {
      const { id } = this.instruments[index]!;
      throw new ConfigError(
        `${id}: strategies ${holding.strategy + 1} and ${strategy + 1} both trade it, but an account has one position of a contract`,
        'run them apart, or give each contracts of its own',
      );
    }
    return holding;
  }
}

function overcloseError({ id }: Instrument, strategy: number, { price, lots }: Fill, heldLots: number): InvariantError {
  return new InvariantError(`book ${strategy}: a fill of ${id} at ${price} ticks closes ${lots} lots, ${heldLots} are held`);
}

/** Returns the asset that settles all contracts, and its digits. Throws ConfigError if there are two. */
function settlementOf(instruments: readonly Instrument[]): { readonly marginCoin: string; readonly marginDigits: number } {
  const [first] = instruments;
  assert(first?.contract !== undefined, 'a futures ledger has a contract');
  for (const { id, contract } of instruments) {
    if (contract?.marginCoin !== first.contract.marginCoin || contract.marginDigits !== first.contract.marginDigits) {
      throw new ConfigError(
        `${id}: expected a contract that settles in ${first.contract.marginCoin} of ${first.contract.marginDigits} digits`,
        'run contracts of one settlement asset together',
      );
    }
    if (instruments.filter((other) => other.id === id).length > 1) throw new ConfigError(`${id} is named twice`, 'name each contract once');
  }
  return first.contract;
}
