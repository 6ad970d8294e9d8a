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
  constructor(instruments: readonly Instrument[], strategyCount: number, terms: (instrument: Instrument) => MarginTerms) {
    const { marginCoin, marginDigits } = settlementOf(instruments);
    super(instruments, strategyCount, marginCoin, marginDigits);
    this.holdings = listOf(instruments, (instrument) => new ContractHolding(instrument, terms(instrument)));
  }

  deposit(strategyIndex: number, asset: string, units: number): void {
    assert(exact(units) >= 0, `a deposit is not negative: ${units} ${asset}`);
    if (asset !== this.cashAsset) {
      throw new ConfigError(`cash: the contracts of the run settle in ${this.cashAsset}, not in ${asset}`, `deposit ${this.cashAsset}`);
    }
    this.depositCash(strategyIndex, units);
  }

  fill(strategyIndex: number, instrumentIndex: number, isBuy: boolean, fill: Fill, isReduceOnly: boolean): void {
    const holding = this.holdingFor(strategyIndex, instrumentIndex);
    const book = this.books[strategyIndex]!;
    const { lots, price, notional, fee, covered, timeMs } = fill;
    const opposite = holding.side(!isBuy);
    const closedLots = holding.terms.isNet || isReduceOnly ? Math.min(lots, opposite.lots) : 0;
    if (isReduceOnly && closedLots < lots) throw overcloseError(this.instruments[instrumentIndex]!, strategyIndex, fill, opposite.lots);
    const closedValue = closedLots === lots ? notional : holding.scale.valueOfLots(closedLots, price);
    const closedFee = closedLots === lots ? fee : mulDiv(fee, closedLots, lots, 'down');
    if (closedLots > 0) {
      const profit = holding.close(!isBuy, closedLots, closedValue, closedFee);
      book.realised = exact(book.realised + profit);
      this.pay(book, profit);
    }
    if (lots > closedLots) {
      holding.open(isBuy, {
        lots: lots - closedLots,
        priceTicks: price,
        valueUnits: notional - closedValue,
        feeUnits: fee - closedFee,
        timeMs,
      });
    }
    book.fees += fee;
    book.covered += covered;
    this.pay(book, covered - fee);
    this.positionChanged(instrumentIndex);
  }

  /**
   * Books funding of the position on one side of a contract: units received, negative if paid. Returns the strategy whose position it is.
   */
  funded(instrumentIndex: number, isLong: boolean, units: number): number {
    const holding = this.holdings[instrumentIndex]!;
    assert(holding.strategy >= 0, 'a contract with funding belongs to a strategy');
    const book = this.books[holding.strategy]!;
    holding.fund(isLong, units);
    book.funding += units;
    this.pay(book, units);
    return holding.strategy;
  }

  /** Returns the strategy that trades a contract; -1 if none has traded it yet. */
  ownerOf(instrumentIndex: number): number {
    return this.holdings[instrumentIndex]!.strategy;
  }
  /** Returns one side of the position in a contract. */
  side(instrumentIndex: number, isLong: boolean): LedgerPosition {
    return this.holdings[instrumentIndex]!.side(isLong);
  }
  /** Returns how lots and ticks of a contract become money. */
  scale(instrumentIndex: number): ContractScale {
    return this.holdings[instrumentIndex]!.scale;
  }
  /** Returns how the account trades a contract. */
  terms(instrumentIndex: number): MarginTerms {
    return this.holdings[instrumentIndex]!.terms;
  }
  /** Returns the funding that a strategy has received, negative if paid, in units. */
  funding(strategyIndex: number): number {
    return this.books[strategyIndex]!.funding;
  }

  lots(strategyIndex: number, instrumentIndex: number): number {
    const { long, short, strategy: owner } = this.holdings[instrumentIndex]!;
    return owner === strategyIndex ? long.lots - short.lots : 0;
  }
  closable(strategyIndex: number, instrumentIndex: number, isBuy: boolean, isReduceOnly: boolean): number {
    const { long, short, terms, strategy: owner } = this.holdings[instrumentIndex]!;
    if (owner !== strategyIndex || !(terms.isNet || isReduceOnly)) return 0;
    return isBuy ? short.lots : long.lots;
  }
  lotsFor(instrumentIndex: number, units: number, ticks: number): number {
    return this.holdings[instrumentIndex]!.scale.lotsWithin(units, ticks);
  }
  isFlat(strategyIndex: number, instrumentIndex: number): boolean {
    const { long, short, strategy: owner } = this.holdings[instrumentIndex]!;
    return owner !== strategyIndex || (long.lots === 0 && short.lots === 0);
  }
  qty(strategyIndex: number, instrumentIndex: number): number {
    return this.lots(strategyIndex, instrumentIndex);
  }
  qtyDigits(instrumentIndex: number): number {
    return this.instruments[instrumentIndex]!.quantityDigits;
  }
  entryPrice(strategyIndex: number, instrumentIndex: number): number {
    const { long, short } = this.holdings[instrumentIndex]!;
    const heldLots = this.lots(strategyIndex, instrumentIndex);
    const { lots, entryTicks } = heldLots < 0 ? short : long;
    if (lots === 0 || heldLots === 0) return NAN;
    return entryTicks / pow10(this.instruments[instrumentIndex]!.priceDigits);
  }

  openedMs(strategyIndex: number, instrumentIndex: number, isLong?: boolean): number {
    if (this.isFlat(strategyIndex, instrumentIndex)) return NAN;
    const { long, short } = this.holdings[instrumentIndex]!;
    if (isLong !== undefined) return isLong ? long.openedMs : short.openedMs;
    if (long.lots === 0 || short.lots === 0) return long.lots === 0 ? short.openedMs : long.openedMs;
    return Math.min(long.openedMs, short.openedMs);
  }
  profitUnits(strategyIndex: number, instrumentIndex: number, ticks: number): number {
    return this.strategyValue(strategyIndex, instrumentIndex, ticks);
  }

  /** Returns the margin that the positions of a strategy hold. */
  marginUsed(strategyIndex: number): number {
    let units = 0;
    for (const { strategy: owner, marginUnits } of this.holdings) if (owner === strategyIndex) units += marginUnits;
    return units;
  }
  /**
   * Returns the money that a strategy can use: its cash minus margins, minus the losses of its cross positions at `marks`. Profits do not
   * count.
   */
  available(strategyIndex: number, marks: ArrayLike<number>): number {
    let profitUnits = 0;
    this.holdings.forEach(({ strategy: owner, terms }, instrumentIndex) => {
      if (owner === strategyIndex && terms.isCross && this.holds(instrumentIndex))
        profitUnits += this.holdingValue(instrumentIndex, marks[instrumentIndex]!);
    });
    const freeUnits = this.cash(strategyIndex) - this.marginUsed(strategyIndex);
    return profitUnits < 0 ? freeUnits + profitUnits : freeUnits;
  }

  holds(instrumentIndex: number): boolean {
    return this.holdings[instrumentIndex]!.isHeld;
  }
  isOneSided(instrumentIndex: number): boolean {
    const { long, short } = this.holdings[instrumentIndex]!;
    return long.lots === 0 || short.lots === 0;
  }
  holdingValue(instrumentIndex: number, ticks: number): number {
    return this.holdings[instrumentIndex]!.profitUnits(ticks);
  }
  protected override strategyValue(strategyIndex: number, instrumentIndex: number, ticks: number): number {
    const holding = this.holdings[instrumentIndex]!;
    return holding.strategy === strategyIndex && holding.isHeld ? holding.profitUnits(ticks) : 0;
  }
  protected override costOfHoldings(): number {
    return 0;
  }
  markRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    this.holdings[instrumentIndex]!.markRows(this.total, out, from, to, ticks, offset);
  }
  addRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    this.holdings[instrumentIndex]!.addRows(out, from, to, ticks, row, step);
  }

  /** Returns the holding of a contract, which belongs to the strategy from now on. Throws ConfigError if it belongs to another one. */
  private holdingFor(strategyIndex: number, instrumentIndex: number): ContractHolding {
    const holding = this.holdings[instrumentIndex]!;
    if (holding.strategy < 0) holding.strategy = strategyIndex;
    else if (holding.strategy !== strategyIndex) {
      const { id } = this.instruments[instrumentIndex]!;
      throw new ConfigError(
        `${id}: strategies ${holding.strategy + 1} and ${strategyIndex + 1} both trade it, but an account has one position of a contract`,
        'run them apart, or give each contracts of its own',
      );
    }
    return holding;
  }
}

/** Returns the error for a fill that closes more lots than are held. */
function overcloseError({ id }: Instrument, strategyIndex: number, { price, lots }: Fill, heldLots: number): InvariantError {
  return new InvariantError(`book ${strategyIndex}: a fill of ${id} at ${price} ticks closes ${lots} lots, ${heldLots} are held`);
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
