// The simulated futures venue: accounts, settings, admission of orders, funding, and liquidation by mark price. No clock, no I/O.

import { exact, MAX_EXACT, mulDiv } from '../../base/number/exact.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import { BookVenue } from '../bookVenue.ts';
import type { BookContext, VenueOrderRecord, VenueOrder, VenueSink } from '../venueOrder.ts';
import { ContractBook, type ReductionSink } from './contractBook.ts';
import { contractsOf, type FuturesVenueConfig } from './futuresConfig.ts';
import { Liquidator, type MarkRow } from './liquidation.ts';
import type { VenuePosition } from './position.ts';
import { type ContractSetting, Wallets } from './wallets.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Funding rates are whole numbers of 10^-12. */
export const FUNDING_DIGITS = 12;
const RATE_SCALE = 10 ** FUNDING_DIGITS;

/** Events of the futures venue beyond those about orders. Everything is booked before a call. */
export interface FuturesSink extends VenueSink, ReductionSink {
  /** Reports funding of a position: units received, negative if paid. */
  onFunding(position: Readonly<VenuePosition>, units: number, timeMs: number): void;
  /**
   * Reports that the venue closed a position; `fill.fee` is the liquidation fee. The record is already flat; `wasLong` is its former side.
   */
  onLiquidation(position: Readonly<VenuePosition>, wasLong: boolean, fill: Fill): void;
  /** Reports that the margin held for an open order has changed without a fill, because another order closed the lots that it held. */
  onHoldChange?(order: VenueOrder): void;
}

/** The venue of all contracts of a run or of a paper exchange. */
export class FuturesVenue extends BookVenue<ContractBook> {
  /** The accounts with their balances, settings and positions. */
  readonly wallets: Wallets;
  private readonly config: FuturesVenueConfig;
  private readonly sink: FuturesSink;
  private readonly liquidator: Liquidator;
  /** For the order that `check` has seen last: its book, its closing lots, and the units to hold for it. `place` reads them. */
  private lastBook: ContractBook;
  private closingLots = 0;
  private neededUnits = 0;
  /** Number of positions; restored with them. */
  lastPositionId = 0;

  /** `Book`: the class that books fills. Throws ConfigError for an invalid setting or list of instruments. */
  constructor(config: FuturesVenueConfig, sink: FuturesSink, Book: typeof ContractBook = ContractBook) {
    const { contracts, assets } = contractsOf(config);
    const wallets = new Wallets(contracts, assets);
    const trimmingSink: VenueSink = {
      filled: (order, fill) => this.filled(order, fill),
      ended: (order, timeMs) => sink.ended(order, timeMs),
    };
    const context: BookContext = {
      config,
      feeModel: config.fees.model ?? null,
      sink: trimmingSink,
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
      onLiquidation: (position, wasLong, fill, timeMs) => {
        fill.tradeId = ++context.lastTradeId;
        const book = this.books[position.index]!;
        book.tracer?.liquidated(book.instrument, fill);
        this.trimOrders(this.books[position.index]!, position, timeMs);
        this.sink.onLiquidation(position, wasLong, fill);
      },
    });
  }

  /** Opens an account and returns its index. Throws ConfigError when the name is taken. */
  openAccount(name: string): number {
    const { opening, state, maxOpenOrders } = this.config;
    const setting = ({ money: { contract } }: { readonly money: { readonly contract: { minLeverage: number; maxLeverage: number } } }) => ({
      ...opening,
      leverage: Math.max(contract.minLeverage, Math.min(opening.leverage, contract.maxLeverage)),
    });
    return this.wallets.openAccount(name, setting, state?.restrictedAccounts?.includes(name) ?? false, maxOpenOrders);
  }

  /** Adds units of a settlement asset from outside. Throws ConfigError for an asset in which no contract settles. */
  deposit(accountIndex: number, asset: string, units: number): void {
    this.wallets.deposit(accountIndex, this.wallets.asset(asset), units);
  }

  // --- Settings

  /** Sets the leverage of an account on a contract. False: refused, see `refusal`. */
  setLeverage(accountIndex: number, instrument: Instrument, leverage: number): boolean {
    const { contract } = this.book(instrument).terms.money;
    if (!(Number.isInteger(leverage) && leverage >= contract.minLeverage && leverage <= contract.maxLeverage)) {
      return this.refuse(VENUE_CODES.paramError.code);
    }
    return this.changeSetting(accountIndex, instrument, (setting) => (setting.leverage = leverage));
  }
  /** Sets cross or isolated margin for later openings. Returns false if the venue refuses the change. */
  setMarginMode(accountIndex: number, instrument: Instrument, isCross: boolean): boolean {
    return this.changeSetting(accountIndex, instrument, (setting) => (setting.isCross = isCross));
  }
  /** Sets net mode (one position for both sides) or two-way mode (a long and a short position). */
  setPositionMode(accountIndex: number, instrument: Instrument, isNet: boolean): boolean {
    return this.changeSetting(accountIndex, instrument, (setting) => (setting.isNet = isNet), { isNeverInUse: true });
  }
  /** Returns the settings of an account for a contract. */
  setting(accountIndex: number, instrument: Instrument): Readonly<ContractSetting> {
    return this.wallets.setting(accountIndex, this.book(instrument).index);
  }

  /**
   * Changes a setting for later openings. Returns false if the venue refuses the change. `isNeverInUse`: refused while there are positions or
   * orders, whatever `settingsInUse` allows.
   */
  private changeSetting(
    accountIndex: number,
    instrument: Instrument,
    applyChange: (setting: ContractSetting) => void,
    { isNeverInUse }: { readonly isNeverInUse: boolean } = { isNeverInUse: false },
  ): boolean {
    const book = this.book(instrument);
    const isLocked = this.config.settingsInUse === 'refuse' || isNeverInUse;
    if (isLocked && this.isInUse(accountIndex, book)) return this.refuse(VENUE_CODES.unsupportedOperation.code);
    applyChange(this.wallets.setting(accountIndex, book.index));
    return true;
  }
  /** True when the account has a position or an order in the contract. */
  private isInUse(accountIndex: number, book: ContractBook): boolean {
    const [long, short] = this.wallets.sides(accountIndex, book.index);
    return long.lots > 0 || short.lots > 0 || book.newest((order) => order.account === accountIndex) !== null;
  }

  // --- Orders

  override place(accountIndex: number, ref: number, intent: OrderIntent, nowMs: number): VenueOrder | null {
    const code = this.check(accountIndex, intent);
    if (code !== 0) {
      this.refusal = code;
      return null;
    }
    const { lastBook: book, wallets } = this;
    const { contract } = book.terms.money;
    const order = this.orders.acquire(book.instrument, wallets.accounts[accountIndex]!);
    order.ref = ref;
    order.account = accountIndex;
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
    order.offsetLots = this.closingLots;
    order.lockedUnits = this.neededUnits;
    wallets.lock(wallets.wallet(accountIndex, book.terms.asset), this.neededUnits);
    if (this.closingLots > 0) {
      const position = wallets.position(accountIndex, book.index, intent.side === 'sell');
      position.heldLots += this.closingLots;
      if (position.heldLots > position.lots) this.releaseLotsToClose(book, position, nowMs);
    }
    book.add(order);
    return order;
  }

  /** The order of the checks is the dialect's (10.1): switched off, combination, instrument, account, closable volume, margin. */
  override check(accountIndex: number, intent: OrderIntent): number {
    if (this.isPlaceOff) return VENUE_CODES.unsupportedOperation.code;
    const book = this.bookByInstrument.get(intent.instrument);
    if (book === undefined) return VENUE_CODES.badSymbol.code;
    this.lastBook = book;
    const { limit, lots, quoteUnits, reduceOnly } = intent;
    const { contract } = book.terms.money;
    if (limit < 0) return VENUE_CODES.mandatoryParamEmpty.code;
    if (contract.maxMarketLots > 0 && limit === 0 && lots > contract.maxMarketLots) return VENUE_CODES.paramError.code;
    // Only a MARKET order that opens can be given by value.
    const isByValue = quoteUnits !== 0;
    if (isByValue && (lots !== 0 || limit !== 0 || reduceOnly)) return VENUE_CODES.unknownComposition.code;
    if (intent.timeInForce !== null && limit === 0) return VENUE_CODES.unknownComposition.code;
    if (!reduceOnly && !contract.isTrading) return VENUE_CODES.exchangeLock.code;
    const code = this.checkTerms(book, this.wallets.accounts[accountIndex]!, limit, isByValue ? quoteUnits : lots, isByValue);
    return code !== 0 ? code : this.checkMargin(accountIndex, intent, book);
  }

  /** Steps 16 and 17 of the checks: the lots that the order may close, and the margin to hold for the lots that it would open. */
  private checkMargin(accountIndex: number, intent: OrderIntent, book: ContractBook): number {
    const { money, asset } = book.terms;
    const isBuy = intent.side === 'buy';
    const opposite = book.opposite(accountIndex, isBuy, intent.reduceOnly);
    const closableLots = opposite === null ? 0 : Math.max(0, opposite.lots - opposite.heldLots);
    if (intent.reduceOnly) {
      this.closingLots = intent.lots;
      this.neededUnits = 0;
      // An order that may open never blocks a closing order such as a stop: see `releaseLotsToClose`.
      const canClose = intent.lots <= closableLots || (opposite !== null && intent.lots <= book.closable(opposite));
      return canClose ? 0 : VENUE_CODES.closeVolumeExceeded.code;
    }
    const price = book.maxValuePrice(isBuy, intent.limit);
    // Before the first bar there is no price, so the margin cannot be computed.
    if (price <= 0) return VENUE_CODES.marketNotSupported.code;
    const lots = intent.quoteUnits > 0 ? money.lotsWithin(intent.quoteUnits, price) : intent.lots;
    if (lots === 0) return VENUE_CODES.quantityTooSmall.code;
    const { maxMarketLots } = money.contract;
    if (intent.quoteUnits > 0 && maxMarketLots > 0 && lots > maxMarketLots) return VENUE_CODES.paramError.code;
    // A larger amount cannot be counted exactly, and no account has the margin for it.
    if (intent.lots > MAX_EXACT || intent.quoteUnits > MAX_EXACT) return VENUE_CODES.balanceNotEnough.code;
    this.closingLots = intent.quoteUnits > 0 ? 0 : Math.min(lots, closableLots);
    const openingLots = lots - this.closingLots;
    const { openMakerFeePpm, openTakerFeePpm } = money.contract;
    this.neededUnits = book.holdFor(accountIndex, openingLots, price, openMakerFeePpm, openTakerFeePpm);
    if (!(this.neededUnits <= this.available(accountIndex, asset))) return VENUE_CODES.balanceNotEnough.code;
    return openingLots === 0 || this.fitsTier(accountIndex, book, isBuy, openingLots, price) ? 0 : VENUE_CODES.paramError.code;
  }

  /** True when the tier of the position's new value allows the account's leverage. */
  private fitsTier(accountIndex: number, book: ContractBook, isBuy: boolean, lots: number, price: number): boolean {
    const { money } = book.terms;
    const position = this.wallets.position(accountIndex, book.index, isBuy);
    const sameSideLots = position.isLong === isBuy ? position.lots : 0;
    const value = money.value(sameSideLots + lots, price);
    return value !== INFINITY && this.wallets.setting(accountIndex, book.index).leverage <= money.maxLeverage(value);
  }

  /**
   * Returns the units that new orders may hold: the free balance minus the losses of cross positions at the last marks. Profits do not
   * count.
   */
  available(accountIndex: number, assetIndex: number): number {
    let units = this.wallets.wallet(accountIndex, assetIndex).free;
    let profit = 0;
    for (const position of this.wallets.openPositions(accountIndex, assetIndex))
      if (position.isCross) profit += this.unrealisedProfit(position);
    if (profit < 0) units += profit;
    return units;
  }

  /** Returns the unrealised profit of a position at its contract's last mark; 0 before the first. */
  unrealisedProfit(position: Readonly<VenuePosition>): number {
    const { markTicks, terms } = this.books[position.index]!;
    if (position.lots === 0 || markTicks === 0) return 0;
    // For display only: a value that is too large to count is capped.
    const value = Math.min(terms.money.value(position.lots, markTicks), MAX_EXACT);
    return terms.money.profit(position.isLong, position.entryUnits, value);
  }

  // --- Marks, funding, liquidation

  /**
   * Passes a row of mark prices, in ticks, of one contract. Pass the rows of all contracts that close at one time first, then call
   * `settleMarks` once. A cross account is checked at the worst mark of each, because their order within the row is unknown.
   */
  markRow(instrument: Instrument, open: number, high: number, low: number, close: number): void {
    this.liquidator.setRow(this.book(instrument).index, open, high, low, close);
  }
  /**
   * Liquidates positions whose margin falls to the maintenance margin in the rows since the last call. The closes of the rows become the
   * marks.
   */
  settleMarks(timeMs: number): void {
    this.liquidator.settle(timeMs);
  }
  /** True when the worst mark of a row liquidates a position, with the other positions of its account at the last marks. */
  isDue(position: Readonly<VenuePosition>, row: MarkRow): boolean {
    return this.liquidator.isDue(position, row);
  }
  /** Liquidates a position for which `isDue` is true, while its row is still being matched. */
  endPosition(position: VenuePosition, row: MarkRow, timeMs: number, closeMs: number): void {
    this.liquidator.end(position, row, timeMs, closeMs);
  }
  /** Sets the mark before the first row, in ticks. */
  setMark(instrument: Instrument, ticks: number): void {
    this.book(instrument).markTicks = ticks;
  }
  /**
   * Returns the price in ticks at which a position would be liquidated, with the other positions of its account at the last marks. 0 for a
   * long, Infinity for a short, if no price leads to liquidation.
   */
  liquidationTicks(position: Readonly<VenuePosition>): number {
    return this.liquidator.liquidationPrice(position);
  }

  /**
   * Books the funding of every position of a contract: longs pay a positive rate to shorts. `rate` is a whole number of 10^-12 of the value
   * at `ticks`; the payment is rounded half up at the unit. An isolated position pays from its margin, a cross one from the account. A
   * payment that would make a sum too large to count is skipped.
   */
  fund(instrument: Instrument, ticks: number, rate: number, timeMs: number): void {
    const { index, terms } = this.book(instrument);
    for (let accountIndex = 0; accountIndex < this.wallets.accounts.length; accountIndex++) {
      for (const position of this.wallets.sides(accountIndex, index)) {
        if (position.lots === 0 || rate === 0) continue;
        const value = Math.min(terms.money.value(position.lots, ticks), MAX_EXACT);
        const paymentUnits = mulDiv(value, Math.abs(rate), RATE_SCALE, 'halfUp');
        if (!this.wallets.canMove(position, terms.asset, paymentUnits)) continue;
        const units = this.bookFunding(position, terms.asset, position.isLong === rate > 0 ? -paymentUnits : paymentUnits);
        this.sink.onFunding(position, units, timeMs);
      }
    }
  }

  /** Books funding on a position, negative if paid; returns the part that the account received or paid. */
  private bookFunding(position: VenuePosition, assetIndex: number, units: number): number {
    const { wallets } = this;
    const wallet = wallets.wallet(position.account, assetIndex);
    let bookedUnits = units;
    if (position.isCross) wallet.free = exact(wallet.free + units);
    else {
      // An isolated position pays at most its margin. The insurance account pays the rest, and the next mark liquidates the position.
      bookedUnits = Math.max(units, -position.marginUnits);
      position.marginUnits += bookedUnits;
      wallets.insurance[assetIndex] = exact(wallets.insurance[assetIndex]! + units - bookedUnits);
    }
    position.fundingUnits = exact(position.fundingUnits + bookedUnits);
    wallet.funding = exact(wallet.funding + bookedUnits);
    wallets.market[assetIndex] = exact(wallets.market[assetIndex]! - units);
    return bookedUnits;
  }

  /** Throws InvariantError unless, in each asset, deposits = balances + margins + fees + insurance + market. For tests. */
  override assertConserved(): void {
    this.wallets.assertConserved();
  }

  /** Reports a fill, and then adjusts the other orders of the position that it has changed. */
  private filled(order: VenueOrder, fill: Fill): void {
    const book = this.books[this.book(order.instrument).index]!;
    const { account, side } = order;
    const { timeMs } = fill;
    this.sink.filled(order, fill);
    this.trimOrders(book, this.wallets.position(account, book.index, side === 'sell'), timeMs);
  }

  /**
   * Adjusts orders, newest first, when a position has fewer lots than its orders hold. An order that may open holds margin instead, or is
   * canceled if its account has none. A closing order is canceled.
   */
  private trimOrders(book: ContractBook, position: VenuePosition, timeMs: number): void {
    for (let order = book.overcommittedOrder(position); order !== null; order = book.overcommittedOrder(position))
      this.holdMarginOrCancel(book, position, order, timeMs);
  }

  /** Frees lots for a closing order: orders that may open hold margin instead of lots, newest first. */
  private releaseLotsToClose(book: ContractBook, position: VenuePosition, timeMs: number): void {
    while (position.heldLots > position.lots) this.holdMarginOrCancel(book, position, book.newestOpening(position), timeMs);
  }

  /** Makes an order hold margin instead of lots, or cancels it. */
  private holdMarginOrCancel(book: ContractBook, position: VenuePosition, order: VenueOrderRecord, timeMs: number): void {
    if (book.holdMarginInstead(order, position)) this.sink.onHoldChange?.(order);
    else book.cancel(order, timeMs);
  }

  /** Cancels the account's orders contract by contract, the newest of each first, in all contracts that settle in the asset. */
  private cancelAll(accountIndex: number, assetIndex: number, timeMs: number): void {
    for (const book of this.books) {
      if (book.terms.asset !== assetIndex) continue;
      const isOwn = (order: VenueOrder): boolean => order.account === accountIndex;
      for (let order: VenueOrderRecord | null = book.newest(isOwn); order !== null; order = book.newest(isOwn)) book.cancel(order, timeMs);
    }
  }
}
