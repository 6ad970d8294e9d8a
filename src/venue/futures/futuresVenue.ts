// The futures exchange's truth: accounts, settings, admission of orders, funding, and liquidation by mark price. No clock, no I/O.

import { exact, MAX_EXACT, mulDiv } from '../../base/number/exact.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import { BookVenue } from '../bookVenue.ts';
import type { BookContext, VenueSink } from '../barBook.ts';
import type { VenueOrderRecord, VenueOrder } from '../venueOrder.ts';
import { ContractBook, type ReductionSink } from './contractBook.ts';
import { contractsOf, type FuturesVenueConfig } from './futuresConfig.ts';
import { Liquidator, type MarkRow } from './liquidation.ts';
import type { VenuePosition } from './position.ts';
import { type ContractSetting, Wallets } from './wallets.ts';

/** Funding rates are whole in 10^-12. */
export const FUNDING_DIGITS = 12;
const RATE_SCALE = 10 ** FUNDING_DIGITS;

/** The venue's own words, beyond those about orders. Everything is booked before a call. */
export interface FuturesSink extends VenueSink, ReductionSink {
  /** Funding of a position: units received, below 0 paid. */
  funded(position: Readonly<VenuePosition>, units: number, timeMs: number): void;
  /** A position was closed by the venue; `fill.fee` is the liquidation fee. The record is flat already, `wasLong` says what it was. */
  liquidated(position: Readonly<VenuePosition>, wasLong: boolean, fill: Fill): void;
  /** What an open order holds has changed without a fill of its own: other orders took the lots that it counted on. */
  rebacked?(order: VenueOrder): void;
}

export class FuturesVenue extends BookVenue<ContractBook> {
  readonly wallets: Wallets;
  private readonly config: FuturesVenueConfig;
  private readonly sink: FuturesSink;
  private readonly liquidator: Liquidator;
  /** Of the order checked last: its book, the lots of it that would close, and the units that it has to hold. */
  private lastBook: ContractBook;
  private closing = 0;
  private needed = 0;
  /** Counts positions. Restored with them. */
  lastPositionId = 0;

  /** `Book`: how executions are booked. Throws ConfigError at a setting or a list of instruments that no venue can run with. */
  constructor(config: FuturesVenueConfig, sink: FuturesSink, Book: typeof ContractBook = ContractBook) {
    const { contracts, assets } = contractsOf(config);
    const wallets = new Wallets(contracts, assets);
    const trimming: VenueSink = {
      filled: (order, fill) => this.filled(order, fill),
      ended: (order, timeMs) => sink.ended(order, timeMs),
    };
    const context: BookContext = {
      config,
      feeModel: config.fees.model ?? null,
      sink: trimming,
      accounts: wallets.accounts,
      lastTradeId: 0,
    };
    const books = listOf(
      contracts,
      (terms, index) => new Book(terms, index, context, wallets, config.fees.rounding, sink, () => ++this.lastPositionId),
    );
    super(books, config.state, VENUE_CODES.noPendingOrder.code);
    this.config = config;
    this.sink = sink;
    this.wallets = wallets;
    this.lastBook = books[0]!;
    this.liquidator = new Liquidator(wallets, books, config.liquidationFeePpm, {
      cancelAll: (account, asset, timeMs) => this.cancelAll(account, asset, timeMs),
      liquidated: (position, wasLong, fill, timeMs) => {
        fill.tradeId = ++context.lastTradeId;
        this.trim(this.books[position.index]!, position, timeMs);
        this.sink.liquidated(position, wasLong, fill);
      },
    });
  }

  /** The index of the new account. Throws ConfigError when the name is taken. */
  openAccount(name: string): number {
    const { opening, state, maxOpenOrders } = this.config;
    const setting = ({ money: { contract } }: { readonly money: { readonly contract: { minLeverage: number; maxLeverage: number } } }) => ({
      ...opening,
      leverage: Math.max(contract.minLeverage, Math.min(opening.leverage, contract.maxLeverage)),
    });
    return this.wallets.open(name, setting, state?.restrictedAccounts?.includes(name) ?? false, maxOpenOrders);
  }

  /** Adds units of a settlement asset from outside. Throws ConfigError for one in which no contract settles. */
  deposit(account: number, asset: string, units: number): void {
    this.wallets.deposit(account, this.wallets.asset(asset), units);
  }

  // --- Settings

  /** Leverage of an account on a contract. False: refused, see `refusal`. */
  setLeverage(account: number, instrument: Instrument, leverage: number): boolean {
    const { contract } = this.book(instrument).terms.money;
    if (!(Number.isInteger(leverage) && leverage >= contract.minLeverage && leverage <= contract.maxLeverage)) {
      return this.refuse(VENUE_CODES.paramError.code);
    }
    return this.change(account, instrument, (setting) => (setting.leverage = leverage));
  }
  setMarginMode(account: number, instrument: Instrument, isCross: boolean): boolean {
    return this.change(account, instrument, (setting) => (setting.isCross = isCross));
  }
  /** One position for both sides, or long and short apart. */
  setPositionMode(account: number, instrument: Instrument, isNet: boolean): boolean {
    return this.change(account, instrument, (setting) => (setting.isNet = isNet), true);
  }
  setting(account: number, instrument: Instrument): Readonly<ContractSetting> {
    return this.wallets.setting(account, this.book(instrument).index);
  }

  /** A change touches what is opened from now on. `always`: no switch lets it through while positions or orders hang on it. */
  private change(account: number, instrument: Instrument, make: (setting: ContractSetting) => void, always = false): boolean {
    const book = this.book(instrument);
    const isRefused = this.config.settingsInUse === 'refuse' || always;
    if (isRefused && this.isInUse(account, book)) return this.refuse(VENUE_CODES.unsupportedOperation.code);
    make(this.wallets.setting(account, book.index));
    return true;
  }
  private isInUse(account: number, book: ContractBook): boolean {
    const [first, second] = this.wallets.sides(account, book.index);
    return first.lots > 0 || second.lots > 0 || book.newest((order) => order.account === account) !== null;
  }

  // --- Orders

  override place(account: number, ref: number, intent: OrderIntent, nowMs: number): VenueOrder | null {
    const code = this.check(account, intent);
    if (code !== 0) {
      this.refusal = code;
      return null;
    }
    const { lastBook: book, wallets } = this;
    const { contract } = book.terms.money;
    const order = this.orders.acquire(book.instrument, wallets.accounts[account]!);
    order.ref = ref;
    order.account = account;
    order.side = intent.side;
    order.limit = intent.limit;
    order.lots = intent.lots;
    order.quoteUnits = intent.quoteUnits;
    order.closes = intent.reduceOnly;
    order.timeInForce = intent.timeInForce;
    order.rests = false;
    order.filledLots = 0;
    order.filledUnits = 0;
    order.admittedMs = nowMs;
    order.makerPpm = intent.reduceOnly ? contract.closeMakerFeePpm : contract.openMakerFeePpm;
    order.takerPpm = intent.reduceOnly ? contract.closeTakerFeePpm : contract.openTakerFeePpm;
    order.offsetLots = this.closing;
    order.lockedUnits = this.needed;
    wallets.lock(wallets.wallet(account, book.terms.asset), this.needed);
    if (this.closing > 0) {
      const position = wallets.position(account, book.index, intent.side === 'sell');
      position.heldLots += this.closing;
      if (position.heldLots > position.lots) this.giveWay(book, position, nowMs);
    }
    book.add(order);
    return order;
  }

  /** The order of the checks is the dialect's (10.1): switched off, combination, instrument, account, closable volume, margin. */
  override check(account: number, intent: OrderIntent): number {
    if (this.placeOff) return VENUE_CODES.unsupportedOperation.code;
    const book = this.bookOf.get(intent.instrument);
    if (book === undefined) return VENUE_CODES.badSymbol.code;
    this.lastBook = book;
    const { limit, lots, quoteUnits, reduceOnly } = intent;
    const { contract } = book.terms.money;
    if (limit < 0) return VENUE_CODES.mandatoryParamEmpty.code;
    if (contract.maxMarketLots > 0 && limit === 0 && lots > contract.maxMarketLots) return VENUE_CODES.paramError.code;
    // Only a MARKET order that opens can be given by value.
    const byValue = quoteUnits !== 0;
    if (byValue ? lots !== 0 || limit !== 0 || reduceOnly : false) return VENUE_CODES.unknownComposition.code;
    if (intent.timeInForce !== null && limit === 0) return VENUE_CODES.unknownComposition.code;
    if (!reduceOnly && !contract.isTrading) return VENUE_CODES.exchangeLock.code;
    const code = this.checkTerms(book, this.wallets.accounts[account]!, limit, byValue ? quoteUnits : lots, byValue);
    return code !== 0 ? code : this.checkMargin(account, intent, book);
  }

  /** Steps 16 and 17: what the order may close, and what it has to hold for the lots that it would open. */
  private checkMargin(account: number, intent: OrderIntent, book: ContractBook): number {
    const { money, asset } = book.terms;
    const isBuy = intent.side === 'buy';
    const from = book.opposite(account, isBuy, intent.reduceOnly);
    const closable = from === null ? 0 : Math.max(0, from.lots - from.heldLots);
    if (intent.reduceOnly) {
      this.closing = intent.lots;
      this.needed = 0;
      // What may open is in the way of nothing that closes, a stop's order above all: see `giveWay`.
      const isThere = intent.lots <= closable || (from !== null && intent.lots <= book.closable(from));
      return isThere ? 0 : VENUE_CODES.closeVolumeExceeded.code;
    }
    const price = book.maxValuePrice(isBuy, intent.limit);
    // Without a price nothing can be said about margin: no bar has come yet.
    if (price <= 0) return VENUE_CODES.marketNotSupported.code;
    const lots = intent.quoteUnits > 0 ? money.lotsWithin(intent.quoteUnits, price) : intent.lots;
    if (lots === 0) return VENUE_CODES.quantityTooSmall.code;
    const { maxMarketLots } = money.contract;
    if (intent.quoteUnits > 0 && maxMarketLots > 0 && lots > maxMarketLots) return VENUE_CODES.paramError.code;
    // More than can be counted: nobody has the margin.
    if (intent.lots > MAX_EXACT || intent.quoteUnits > MAX_EXACT) return VENUE_CODES.balanceNotEnough.code;
    this.closing = intent.quoteUnits > 0 ? 0 : Math.min(lots, closable);
    const opening = lots - this.closing;
    const { openMakerFeePpm, openTakerFeePpm } = money.contract;
    this.needed = book.holdFor(account, opening, price, openMakerFeePpm, openTakerFeePpm);
    if (!(this.needed <= this.available(account, asset))) return VENUE_CODES.balanceNotEnough.code;
    return opening === 0 || this.fitsTier(account, book, isBuy, opening, price) ? 0 : VENUE_CODES.paramError.code;
  }

  /** The account's leverage must be allowed for what the position would be worth. */
  private fitsTier(account: number, book: ContractBook, isBuy: boolean, lots: number, price: number): boolean {
    const { money } = book.terms;
    const position = this.wallets.position(account, book.index, isBuy);
    const held = position.isLong === isBuy ? position.lots : 0;
    const value = money.value(held + lots, price);
    return value !== Infinity && this.wallets.setting(account, book.index).leverage <= money.maxLeverage(value);
  }

  /** Units that new orders may hold: what is free, less the losses of cross positions at the last marks. Profits do not count. */
  available(account: number, asset: number): number {
    let units = this.wallets.wallet(account, asset).free;
    let profit = 0;
    for (const position of this.wallets.openPositions(account, asset)) if (position.isCross) profit += this.unrealised(position);
    if (profit < 0) units += profit;
    return units;
  }

  /** Unrealised profit of a position at its contract's last mark; 0 before the first. */
  unrealised(position: Readonly<VenuePosition>): number {
    const { markTicks, terms } = this.books[position.index]!;
    if (position.lots === 0 || markTicks === 0) return 0;
    // A reading: from what cannot be counted on it stands still.
    const value = Math.min(terms.money.value(position.lots, markTicks), MAX_EXACT);
    return terms.money.profit(position.isLong, position.entryUnits, value);
  }

  // --- Marks, funding, liquidation

  /**
   * A row of mark prices, in ticks, of one contract. Rows of several contracts that close at one time are given first, then `settleMarks`
   * is called once: a cross account is judged with the worst of all of them, for nobody knows which came first.
   */
  markRow(instrument: Instrument, open: number, high: number, low: number, close: number): void {
    this.liquidator.row(this.book(instrument).index, open, high, low, close);
  }
  /** Liquidates what the rows since the last call leave without its maintenance margin; their closes are the marks then. */
  settleMarks(timeMs: number): void {
    this.liquidator.settle(timeMs);
  }
  /** True when the worst mark of a row ends a position, everything else of its account as it is at the last marks. */
  isDue(position: Readonly<VenuePosition>, row: MarkRow): boolean {
    return this.liquidator.isDue(position, row);
  }
  /** Liquidates a position that is due by a row which is still being matched. */
  endPosition(position: VenuePosition, row: MarkRow, timeMs: number, closeMs: number): void {
    this.liquidator.end(position, row, timeMs, closeMs);
  }
  /** A mark alone, in ticks: for the price before the first row. */
  setMark(instrument: Instrument, ticks: number): void {
    this.book(instrument).markTicks = ticks;
  }
  /**
   * The price in ticks at which a position would be liquidated, everything else of its account as it is at the last marks: 0 for a long,
   * Infinity for a short, that no price endangers.
   */
  liquidationTicks(position: Readonly<VenuePosition>): number {
    return this.liquidator.threshold(position);
  }

  /**
   * Funding of every position of a contract: longs pay a positive rate to shorts. `rate` is whole in 10^-12 of the value at `ticks`,
   * rounded half up at the unit; an isolated position pays from its margin, a cross one from the account. What would make a sum too large to
   * count is not paid.
   */
  fund(instrument: Instrument, ticks: number, rate: number, timeMs: number): void {
    const { index, terms } = this.book(instrument);
    for (let account = 0; account < this.wallets.accounts.length; account++) {
      for (const position of this.wallets.sides(account, index)) {
        if (position.lots === 0 || rate === 0) continue;
        const value = Math.min(terms.money.value(position.lots, ticks), MAX_EXACT);
        const share = mulDiv(value, Math.abs(rate), RATE_SCALE, 'halfUp');
        if (!this.wallets.canMove(position, terms.asset, share)) continue;
        const units = this.credit(position, terms.asset, position.isLong === rate > 0 ? -share : share);
        this.sink.funded(position, units, timeMs);
      }
    }
  }

  /** Books funding on a position, below 0 paid; returns what of it the account got or paid. */
  private credit(position: VenuePosition, asset: number, units: number): number {
    const { wallets } = this;
    const wallet = wallets.wallet(position.account, asset);
    let own = units;
    if (position.isCross) wallet.free = exact(wallet.free + units);
    else {
      // An isolated position pays what it has; the insurance pays the rest, and the next mark ends it.
      own = Math.max(units, -position.marginUnits);
      position.marginUnits += own;
      wallets.insurance[asset] = exact(wallets.insurance[asset]! + units - own);
    }
    position.fundingUnits = exact(position.fundingUnits + own);
    wallet.funding = exact(wallet.funding + own);
    wallets.market[asset] = exact(wallets.market[asset]! - units);
    return own;
  }

  /** Throws InvariantError unless, in each asset, deposits = balances + margins + fees + insurance + what the market took. For tests. */
  override assertConserved(): void {
    this.wallets.assertConserved();
  }

  private filled(order: VenueOrder, fill: Fill): void {
    const book = this.books[this.book(order.instrument).index]!;
    const { account, side } = order;
    const { timeMs } = fill;
    this.sink.filled(order, fill);
    this.trim(book, this.wallets.position(account, book.index, side === 'sell'), timeMs);
  }

  /**
   * Where a position has fewer lots than its orders count on, the newest of them count on them no more: one that may open holds margin for
   * them, and goes where its account has none; one that closes goes.
   */
  private trim(book: ContractBook, position: VenuePosition, timeMs: number): void {
    for (let order = book.overcommitted(position); order !== null; order = book.overcommitted(position))
      this.letOff(book, position, order, timeMs);
  }

  /** An order that closes takes the lots which orders that may open count on, of the newest of them first. */
  private giveWay(book: ContractBook, position: VenuePosition, timeMs: number): void {
    while (position.heldLots > position.lots) this.letOff(book, position, book.newestOpening(position), timeMs);
  }

  private letOff(book: ContractBook, position: VenuePosition, order: VenueOrderRecord, timeMs: number): void {
    if (book.holdMarginInstead(order, position)) this.sink.rebacked?.(order);
    else book.cancel(order, timeMs);
  }

  private cancelAll(account: number, asset: number, timeMs: number): void {
    for (const book of this.books) {
      if (book.terms.asset !== asset) continue;
      const isOwn = (order: VenueOrder): boolean => order.account === account;
      for (let order: VenueOrderRecord | null = book.newest(isOwn); order !== null; order = book.newest(isOwn)) book.cancel(order, timeMs);
    }
  }
}
