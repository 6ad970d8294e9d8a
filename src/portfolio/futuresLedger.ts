// The bot's books of a futures account: wallet, positions, margin, funding and fees of each strategy, from fills and payments only.

import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import { exact, MAX_EXACT, mulDiv, pow10 } from '../base/number/exact.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import { ContractScale } from './contractScale.ts';
import type { Ledger } from './ledger.ts';
import { CashAndBase, markPerTick } from './scale.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** How the account trades a contract. */
export interface MarginTerms {
  readonly leverage: number;
  readonly isCross: boolean;
  readonly isNet: boolean;
}

/** One side of a contract. Money in settlement units. */
export interface LedgerPosition {
  readonly lots: number;
  /** Entry value of the lots. */
  readonly entryUnits: number;
  /** Average entry price, in ticks with a fraction. Reductions do not change it. */
  readonly entryTicks: number;
  readonly marginUnits: number;
  /** Since it was opened. */
  readonly realisedUnits: number;
  readonly feeUnits: number;
  readonly fundingUnits: number;
}
const flat = () => ({ lots: 0, entryUnits: 0, entryTicks: 0, marginUnits: 0, realisedUnits: 0, feeUnits: 0, fundingUnits: 0 });
type PositionSide = ReturnType<typeof flat>;

/** The book of one strategy. */
class Book {
  wallet = 0.5;
  deposits = 0;
  realised = 0;
  fees = 0;
  funding = 0;
  covered = 0;
  constructor() {
    this.wallet = 0;
  }
}

/** A contract in the account: the one strategy that trades it, and both sides. In net mode at most one side is open. */
interface Line {
  readonly scale: ContractScale;
  readonly terms: MarginTerms;
  /** -1 until a strategy trades it. */
  strategy: number;
  readonly long: PositionSide;
  readonly short: PositionSide;
}

/**
 * One settlement asset. Each contract belongs to the first strategy that trades it, because the exchange has one position of it and not one
 * for each strategy. For every book at any time, to the unit:
 *
 *     wallet = deposits + realised - fees + funding + what others covered of its losses
 */
export class FuturesLedger implements Ledger {
  readonly market = 'futures';
  readonly instruments: readonly Instrument[];
  readonly strategies: number;
  readonly cashAsset: string;
  readonly cashDigits: number;
  private readonly books: readonly Book[];
  private readonly lines: readonly Line[];
  private total = 0;
  /** For the rows being marked. */
  private readonly balances = new CashAndBase();

  /** Throws ConfigError when the contracts differ in their settlement asset, or one of them is listed twice. */
  constructor(instruments: readonly Instrument[], strategies: number, terms: (instrument: Instrument) => MarginTerms) {
    const first = settlementOf(instruments);
    this.instruments = instruments;
    this.strategies = strategies;
    this.cashAsset = first.marginCoin;
    this.cashDigits = first.marginDigits;
    this.books = Array.from({ length: strategies }, () => new Book());
    this.lines = listOf(instruments, (instrument) => ({
      scale: new ContractScale(instrument),
      terms: terms(instrument),
      strategy: -1,
      long: flat(),
      short: flat(),
    }));
  }

  deposit(strategy: number, asset: string, units: number): void {
    assert(exact(units) >= 0, `a deposit is not negative: ${units} ${asset}`);
    if (asset !== this.cashAsset) {
      throw new ConfigError(`cash: the contracts of the run settle in ${this.cashAsset}, not in ${asset}`, `deposit ${this.cashAsset}`);
    }
    const book = this.books[strategy]!;
    book.deposits = exact(book.deposits + units);
    this.pay(book, units);
  }

  fill(strategy: number, index: number, isBuy: boolean, fill: Fill, closes: boolean): void {
    const line = this.lineOf(strategy, index);
    const book = this.books[strategy]!;
    const { lots, notional, fee, covered } = fill;
    const opposite = isBuy ? line.short : line.long;
    const closing = line.terms.isNet || closes ? Math.min(lots, opposite.lots) : 0;
    if (closes && closing < lots) throw overclosed(this.instruments[index]!, strategy, fill, opposite.lots);
    const closingValue = closing === lots ? notional : line.scale.valueOfLots(closing, fill.price);
    const closingFee = closing === lots ? fee : mulDiv(fee, closing, lots, 'down');
    if (closing > 0) {
      opposite.feeUnits += closingFee;
      this.close(line, opposite, !isBuy, closing, closingValue, book);
    }
    if (lots > closing) open(line, isBuy ? line.long : line.short, lots - closing, fill.price, notional - closingValue, fee - closingFee);
    book.fees += fee;
    book.covered += covered;
    this.pay(book, covered - fee);
  }

  /**
   * Books funding of the position on one side of a contract: units received, negative if paid. Returns the strategy whose position it is.
   */
  funded(index: number, isLong: boolean, units: number): number {
    const line = this.lines[index]!;
    assert(line.strategy >= 0, 'funding is of a position, and a position is a strategy’s');
    const side = isLong ? line.long : line.short;
    const book = this.books[line.strategy]!;
    if (!line.terms.isCross) side.marginUnits += units;
    side.fundingUnits += units;
    book.funding += units;
    this.pay(book, units);
    return line.strategy;
  }

  cash(strategy: number): number {
    return this.books[strategy]!.wallet;
  }
  get cashTotal(): number {
    return this.total;
  }
  /** Returns the strategy that trades a contract; -1 if none has traded it yet. */
  ownerOf(index: number): number {
    return this.lines[index]!.strategy;
  }
  side(index: number, isLong: boolean): LedgerPosition {
    const line = this.lines[index]!;
    return isLong ? line.long : line.short;
  }
  scale(index: number): ContractScale {
    return this.lines[index]!.scale;
  }
  terms(index: number): MarginTerms {
    return this.lines[index]!.terms;
  }
  realised(strategy: number): number {
    return this.books[strategy]!.realised;
  }
  fees(strategy: number): number {
    return this.books[strategy]!.fees;
  }
  funding(strategy: number): number {
    return this.books[strategy]!.funding;
  }

  lots(strategy: number, index: number): number {
    const { long, short, strategy: owner } = this.lines[index]!;
    return owner === strategy ? long.lots - short.lots : 0;
  }
  closable(strategy: number, index: number, isBuy: boolean, closes: boolean): number {
    const { long, short, terms, strategy: owner } = this.lines[index]!;
    if (owner !== strategy || !(terms.isNet || closes)) return 0;
    return isBuy ? short.lots : long.lots;
  }
  lotsFor(index: number, units: number, ticks: number): number {
    return this.lines[index]!.scale.lotsWithin(units, ticks);
  }
  isFlat(strategy: number, index: number): boolean {
    const { long, short, strategy: owner } = this.lines[index]!;
    return owner !== strategy || (long.lots === 0 && short.lots === 0);
  }
  qty(strategy: number, index: number): number {
    return this.lots(strategy, index);
  }
  qtyDigits(index: number): number {
    return this.instruments[index]!.quantityDigits;
  }
  entryPrice(strategy: number, index: number): number {
    const { long, short } = this.lines[index]!;
    const held = this.lots(strategy, index);
    const { lots, entryTicks } = held < 0 ? short : long;
    if (lots === 0 || held === 0) return NAN;
    return entryTicks / pow10(this.instruments[index]!.priceDigits);
  }

  /** Returns the margin that the positions of a strategy hold. */
  marginUsed(strategy: number): number {
    let units = 0;
    for (const { strategy: owner, long, short } of this.lines) if (owner === strategy) units += long.marginUnits + short.marginUnits;
    return units;
  }
  /**
   * Returns what a strategy can still use: its wallet minus margins, minus the losses of its cross positions at `marks`. Profits do not
   * count.
   */
  available(strategy: number, marks: ArrayLike<number>): number {
    let profit = 0;
    this.lines.forEach(({ strategy: owner, terms }, index) => {
      if (owner === strategy && terms.isCross && this.holds(index)) profit += this.holdingValue(index, marks[index]!);
    });
    const units = this.cash(strategy) - this.marginUsed(strategy);
    return profit < 0 ? units + profit : units;
  }

  holds(index: number): boolean {
    const { long, short } = this.lines[index]!;
    return long.lots !== 0 || short.lots !== 0;
  }
  isOneSided(index: number): boolean {
    const { long, short } = this.lines[index]!;
    return long.lots === 0 || short.lots === 0;
  }
  holdingValue(index: number, ticks: number): number {
    const { scale, long, short } = this.lines[index]!;
    let units = 0;
    if (long.lots > 0) units += scale.profit(true, long.entryUnits, scale.valueOfLots(long.lots, ticks));
    if (short.lots > 0) units += scale.profit(false, short.entryUnits, scale.valueOfLots(short.lots, ticks));
    // With a missing mark, or a value too large for a double, profit or loss is unknown.
    return Number.isFinite(units) ? units : NAN;
  }
  equityUnits(strategy: number, marks: ArrayLike<number>): number {
    let equity = this.cash(strategy);
    for (let index = 0; index < this.lines.length; index++) {
      if (this.lines[index]!.strategy === strategy && this.holds(index)) equity += this.holdingValue(index, marks[index]!);
    }
    return equity;
  }
  equityTotalUnits(marks: ArrayLike<number>): number {
    let equity = this.total;
    for (let index = 0; index < this.lines.length; index++) if (this.holds(index)) equity += this.holdingValue(index, marks[index]!);
    return equity;
  }
  markRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    if (!this.holds(index)) out.fill(this.total, from, to);
    else if (!this.markPlain(index, out, from, to, ticks, offset)) {
      for (let row = from; row < to; row++) out[row] = this.total + this.holdingValue(index, ticks[row + offset]!);
    }
  }
  addRows(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, row: number, step: 0 | 1): void {
    if (!this.holds(index)) return;
    for (let at = from; at < to; at++, row += step) out[at] = out[at]! + this.holdingValue(index, ticks[row]!);
  }

  /** The common case, one product a row. False if a value has to be rounded, or exceeds what a double holds. */
  private markPlain(index: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): boolean {
    const { scale, long, short } = this.lines[index]!;
    const perLongTick = scale.unitsPerTick(long.lots);
    const perShortTick = scale.unitsPerTick(short.lots);
    const max = Math.max(perLongTick, perShortTick);
    if (max === 0) return false;
    const perTick = perLongTick - perShortTick;
    const held = this.balances;
    held.cash = this.total - long.entryUnits + short.entryUnits;
    if (ticks instanceof Int32Array && max * 2 ** 31 <= MAX_EXACT) {
      markPerTick(out, from, to, held, perTick, ticks, offset);
      return true;
    }
    for (let row = from; row < to; row++) {
      const tick = ticks[row + offset]!;
      if (!(max * tick <= MAX_EXACT)) return false;
      out[row] = held.cash + perTick * tick;
    }
    return true;
  }

  assertReconciled(): void {
    let total = 0;
    this.books.forEach(({ wallet, deposits, realised, fees, funding, covered }, strategy) => {
      const history = deposits + realised - fees + funding + covered;
      assert(wallet === history, `book ${strategy}: the wallet has ${wallet}, its history says ${history}`);
      total += wallet;
    });
    assert(total === this.total, `the books add up to ${total}, the account has ${this.total}`);
  }

  private lineOf(strategy: number, index: number): Line {
    const line = this.lines[index]!;
    if (line.strategy < 0) line.strategy = strategy;
    else if (line.strategy !== strategy) {
      const { id } = this.instruments[index]!;
      throw new ConfigError(
        `${id}: strategies ${line.strategy + 1} and ${strategy + 1} both trade it, but an account has one position of a contract`,
        'run them apart, or give each contracts of its own',
      );
    }
    return line;
  }

  private close({ scale, terms }: Line, side: PositionSide, isLong: boolean, lots: number, value: number, book: Book): void {
    const isAll = lots === side.lots;
    const entry = isAll ? side.entryUnits : mulDiv(side.entryUnits, lots, side.lots, 'halfUp');
    const margin = isAll ? side.marginUnits : mulDiv(side.marginUnits, lots, side.lots, 'down');
    const profit = scale.profit(isLong, entry, value);
    side.lots -= lots;
    side.entryUnits -= entry;
    // The margin of the lots that stay first pays what an isolated position loses beyond the margin of the lots that leave.
    side.marginUnits = terms.isCross ? side.marginUnits - margin : Math.max(0, side.marginUnits - margin + Math.min(0, margin + profit));
    side.realisedUnits += profit;
    book.realised = exact(book.realised + profit);
    this.pay(book, profit);
    assert(terms.isCross || side.marginUnits >= 0, 'no more margin is given back than there was');
  }

  private pay(book: Book, units: number): void {
    book.wallet = exact(book.wallet + units);
    this.total = exact(this.total + units);
  }
}

function open({ scale, terms }: Line, side: PositionSide, lots: number, price: number, value: number, fee: number): void {
  if (side.lots === 0) side.realisedUnits = side.feeUnits = side.fundingUnits = 0;
  side.entryTicks = scale.averageTicks(side.lots, side.entryTicks, lots, price);
  side.lots = exact(side.lots + lots);
  side.entryUnits = exact(side.entryUnits + value);
  side.marginUnits += scale.initial(value, terms.leverage);
  side.feeUnits += fee;
}

function overclosed({ id }: Instrument, strategy: number, { price, lots }: Fill, held: number): InvariantError {
  return new InvariantError(`book ${strategy}: a fill of ${id} at ${price} ticks closes ${lots} lots, ${held} are held`);
}

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
