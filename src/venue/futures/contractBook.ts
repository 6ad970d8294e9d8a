// Books the money of a contract's fills: positions, margin and fees, in whole units of the settlement asset.

import { assert } from '../../base/assert.ts';
import { exact, MAX_EXACT, mulDiv, type Rounding } from '../../base/number/exact.ts';
import { highestTrue } from '../../base/number/search.ts';
import type { Fill } from '../../model/fill.ts';
import { BarBook } from '../barBook.ts';
import { PpmShares } from '../money.ts';
import type { BookContext, VenueOrderRecord, VenueOrder } from '../venueOrder.ts';
import { type VenuePosition, Reduction } from './position.ts';
import type { ContractTerms, Wallet, Wallets } from './wallets.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Events of contract books besides fills. The paper exchange stores them as profit history. Copy what is needed after the call. */
export interface ReductionSink {
  /** Reports that `lots` left a position at `price` (ticks), with this profit and these fees. The record shows the position afterwards. */
  onReduction(position: Readonly<VenuePosition>, lots: number, price: number, profitUnits: number, feeUnits: number, timeMs: number): void;
}

/** Shares of amounts that an account may have to pay, which are rounded up. */
const ROUNDED_UP = new PpmShares('up');

/** The book of one contract. All money is in units of its settlement asset. */
export class ContractBook extends BarBook {
  /** The contract with its arithmetic and its settlement asset. */
  readonly terms: ContractTerms;
  /** Last mark in ticks; 0 before the first. */
  markTicks = 0;

  protected readonly wallets: Wallets;
  private readonly feeShares: PpmShares;
  private readonly reductions: ReductionSink;
  private readonly reduction = new Reduction();
  private readonly nextPositionId: () => number;

  constructor(
    terms: ContractTerms,
    index: number,
    context: BookContext,
    wallets: Wallets,
    rounding: Rounding,
    reductions: ReductionSink,
    nextPositionId: () => number,
  ) {
    super(terms.instrument, index, context);
    this.terms = terms;
    this.wallets = wallets;
    this.feeShares = new PpmShares(rounding);
    this.reductions = reductions;
    this.nextPositionId = nextPositionId;
  }

  /** Returns the position that an order of this side reduces; null when the whole order opens a position. */
  opposite(accountIndex: number, isBuy: boolean, closes: boolean): VenuePosition | null {
    const { isNet } = this.wallets.setting(accountIndex, this.index);
    if (!isNet && !closes) return null;
    const position = this.wallets.position(accountIndex, this.index, !isBuy);
    return position.lots > 0 && position.isLong !== isBuy ? position : null;
  }

  /** Returns the units to hold for `lots` that open at the worst price `price`: their margin and the higher of the two fees. */
  holdFor(accountIndex: number, lots: number, price: number, makerPpm: number, takerPpm: number): number {
    if (lots === 0) return 0;
    const value = this.terms.money.value(lots, price);
    if (value === INFINITY) return INFINITY;
    const { leverage } = this.wallets.setting(accountIndex, this.index);
    const units = this.terms.money.initial(value, leverage) + ROUNDED_UP.of(value, Math.max(makerPpm, takerPpm));
    // A larger amount cannot be counted exactly, and no account has it.
    return units <= MAX_EXACT ? units : INFINITY;
  }

  /** Returns the price at which an opening order has the largest value: its limit or the last price. */
  maxValuePrice(isBuy: boolean, limit: number): number {
    if (limit === 0) return this.lastPrice;
    if (isBuy && this.terms.money.isLinear) return limit;
    if (!isBuy && !this.terms.money.isLinear) return limit;
    // The order may fill at the market price if that is better than its limit.
    if (this.lastPrice === 0) return limit;
    return this.terms.money.isLinear ? Math.max(limit, this.lastPrice) : Math.min(limit, this.lastPrice);
  }

  /**
   * Liquidates a whole position at the price `worstTicks`. `backing`: the funds that backed it, without its own profit. The insurance account
   * receives the fee, which is at most the backing that is left at that price.
   */
  liquidate(position: VenuePosition, worstTicks: number, backing: number, feePpm: number, timeMs: number): void {
    const { money, asset } = this.terms;
    const price = this.liquidationPrice(position, worstTicks, backing);
    const { fillBuffer, wallets } = this;
    const { lots } = position;
    const wallet = wallets.wallet(position.account, asset);
    const value = money.value(lots, price);
    fillBuffer.timeMs = timeMs;
    fillBuffer.covered = 0;
    this.closeLots(position, lots, value, wallet);
    const fee = Math.min(ROUNDED_UP.of(value, feePpm), Math.max(0, backing + this.reduction.profitUnits));
    wallet.free = exact(wallet.free - fee);
    wallet.liquidationFees += fee;
    wallets.insurance[asset] = exact(wallets.insurance[asset]! + fee);
    fillBuffer.price = price;
    fillBuffer.lots = lots;
    fillBuffer.notional = value;
    fillBuffer.fee = fee;
    fillBuffer.feeInBase = false;
    fillBuffer.isMaker = false;
    this.coverFromInsurance(position.account, wallet);
    this.reductions.onReduction(position, lots, price, this.reduction.profitUnits, fee, timeMs);
  }

  /** Returns the price at which a position is liquidated. A subclass may choose another price than `worstTicks`. */
  protected liquidationPrice(_position: VenuePosition, worstTicks: number, _backing: number): number {
    return worstTicks;
  }

  /** The fill that was booked last. */
  get lastFill(): Fill {
    return this.fillBuffer;
  }

  override fillableLots(order: VenueOrder, price: number): number {
    return this.computeFillableLots(order, price);
  }

  /** Frees the margin that the order still holds, and the lots that it would close. */
  protected override releaseHold(order: VenueOrderRecord): void {
    this.wallets.lock(this.wallets.wallet(order.account, this.terms.asset), -order.lockedUnits);
    order.lockedUnits = 0;
    this.dropOffset(order, order.offsetLots);
  }

  /** Returns the closing lots of an order, plus the opening lots that its account can back at the fill price. */
  protected override computeFillableLots(order: VenueOrder, price: number): number {
    const { quoteUnits, filledUnits } = order;
    const remainingLots = quoteUnits > 0 ? this.terms.money.lotsWithin(quoteUnits - filledUnits, price) : order.lots - order.filledLots;
    const opposite = this.opposite(order.account, order.side === 'buy', order.closes);
    const openingLots = remainingLots - (opposite === null ? 0 : Math.min(remainingLots, opposite.lots));
    if (openingLots <= 0) return remainingLots;
    const { free } = this.wallets.wallet(order.account, this.terms.asset);
    return remainingLots - openingLots + this.affordableLots(order, openingLots, price, free + order.lockedUnits);
  }

  /** Returns the lots whose margin and fee are within `funds`; at most `lots`. */
  private affordableLots(order: VenueOrder, lots: number, price: number, funds: number): number {
    const cost = (size: number): number => this.holdFor(order.account, size, price, order.makerPpm, order.takerPpm);
    const fullCost = cost(lots);
    if (fullCost <= funds) return lots;
    return highestTrue((size) => cost(size) <= funds, Math.floor((lots / fullCost) * funds), lots);
  }

  protected override settle(order: VenueOrderRecord, isComplete: boolean): void {
    const { fillBuffer, wallets } = this;
    const { price, lots, isMaker } = fillBuffer;
    const { money, asset } = this.terms;
    const isBuy = order.side === 'buy';
    const wallet = wallets.wallet(order.account, asset);
    const value = money.value(lots, price);
    const fee = this.feeShares.of(value, this.feePpm(order, price, lots, value, isMaker));
    fillBuffer.notional = value;
    fillBuffer.fee = fee;
    fillBuffer.feeInBase = false;
    fillBuffer.covered = 0;

    const opposite = this.opposite(order.account, isBuy, order.closes);
    const closingLots = opposite === null ? 0 : Math.min(lots, opposite.lots);
    assert(!order.closes || closingLots === lots, 'a closing order has a position to close');
    this.dropOffset(order, Math.min(order.offsetLots, lots));
    const lockedUnits = order.lockedUnits;
    this.setHold(order, wallet, 0);

    const closedValue = closingLots === lots ? value : money.value(closingLots, price);
    const closedFee = closingLots === lots ? fee : mulDiv(fee, closingLots, lots, 'down');
    // The fee is booked first, so that the account pays it and the insurance account does not cover it.
    wallet.free = exact(wallet.free - fee);
    wallet.fees += fee;
    wallets.fees[asset] = exact(wallets.fees[asset]! + fee);
    if (opposite !== null && closingLots > 0) {
      opposite.feeUnits += closedFee;
      this.closeLots(opposite, closingLots, closedValue, wallet);
      this.reductions.onReduction(opposite, closingLots, price, this.reduction.profitUnits, closedFee, fillBuffer.timeMs);
    }
    if (lots > closingLots) this.openLots(order, price, lots - closingLots, value - closedValue, fee - closedFee, wallet);
    if (!isComplete) this.setHold(order, wallet, this.remainderHold(order, Math.min(lockedUnits, wallet.free)));
    this.coverFromInsurance(order.account, wallet);
  }

  /** Opens or enlarges a position by a fill, and takes its initial margin from the wallet. `price`: ticks. */
  private openLots(order: VenueOrderRecord, price: number, lots: number, valueUnits: number, feeUnits: number, wallet: Wallet): void {
    const { account } = order;
    const isBuy = order.side === 'buy';
    const { leverage, isCross } = this.wallets.setting(account, this.index);
    const position = this.wallets.position(account, this.index, isBuy);
    const isNew = position.lots === 0;
    if (isNew) {
      position.isLong = isBuy;
      position.leverage = leverage;
      position.isCross = isCross;
    }
    const { money } = this.terms;
    const margin = money.initial(valueUnits, leverage);
    wallet.free = exact(wallet.free - margin);
    position.open(lots, price, valueUnits, margin, this.fillBuffer.timeMs, isNew ? this.nextPositionId() : position.id, money);
    position.feeUnits += feeUnits;
  }

  /** Removes lots from a position, and returns their margin plus profit or minus loss to the account. */
  private closeLots(position: VenuePosition, lots: number, valueUnits: number, wallet: Wallet): void {
    const { wallets, reduction, fillBuffer } = this;
    const { money, asset } = this.terms;
    position.reduce(lots, valueUnits, money, fillBuffer.timeMs, reduction);
    wallets.market[asset] = exact(wallets.market[asset]! - reduction.profitUnits);
    wallet.realised = exact(wallet.realised + reduction.profitUnits);
    let credit = reduction.marginUnits + reduction.profitUnits;
    if (!position.isCross && credit < 0) {
      // An isolated position loses at most its margin: first that of the closed lots, then that of the remaining lots.
      const uncoveredUnits = -credit - position.payFromMargin(-credit);
      this.cover(wallet, uncoveredUnits);
      fillBuffer.covered += uncoveredUnits;
      credit = 0;
    }
    wallet.free = exact(wallet.free + credit);
  }

  /** Makes the insurance account pay the debt of an account that has no funds and no cross positions left. */
  coverFromInsurance(accountIndex: number, wallet: Wallet): void {
    if (wallet.free >= 0 || wallet.free + wallet.locked >= 0) return;
    for (const position of this.wallets.openPositions(accountIndex, this.terms.asset)) if (position.isCross) return;
    const units = -(wallet.free + wallet.locked);
    this.fillBuffer.covered += units;
    this.cover(wallet, units);
    wallet.free = exact(wallet.free + units);
  }

  /** Books units that the insurance account pays for an account. */
  private cover(wallet: Wallet, units: number): void {
    const { insurance } = this.wallets;
    const { asset } = this.terms;
    insurance[asset] = exact(insurance[asset]! - units);
    wallet.covered = exact(wallet.covered + units);
  }

  /** Changes the units that the wallet holds for an order to `units`. */
  private setHold(order: VenueOrderRecord, wallet: Wallet, units: number): void {
    this.wallets.lock(wallet, units - order.lockedUnits);
    order.lockedUnits = units;
  }

  /** Returns the units that stay held for the remainder of an order, at most `units`. An order by value ends with its fill. */
  private remainderHold(order: VenueOrderRecord, units: number): number {
    if (order.quoteUnits > 0 || units <= 0) return 0;
    const openLots = order.lots - order.filledLots - order.offsetLots;
    const price = this.maxValuePrice(order.side === 'buy', order.limit);
    return Math.min(units, this.holdFor(order.account, openLots, price, order.makerPpm, order.takerPpm));
  }

  /** Releases lots of the position that the order would close. */
  private dropOffset(order: VenueOrderRecord, lots: number): void {
    if (lots === 0) return;
    order.offsetLots -= lots;
    const position = this.wallets.position(order.account, this.index, order.side === 'sell');
    position.heldLots -= lots;
    assert(position.heldLots >= 0, 'an order releases at most the lots that it holds');
  }

  /**
   * Makes an order hold margin instead of lots that its position no longer has. Returns false, and changes nothing, if the order may only
   * close or if the account has too little margin.
   */
  holdMarginInstead(order: VenueOrderRecord, position: VenuePosition): boolean {
    if (order.closes) return false;
    const isBuy = order.side === 'buy';
    const wallet = this.wallets.wallet(order.account, this.terms.asset);
    const missingLots = position.isLong === isBuy ? order.offsetLots : Math.min(order.offsetLots, position.heldLots - position.lots);
    const openingLots = order.lots - order.filledLots - (order.offsetLots - missingLots);
    const price = this.maxValuePrice(isBuy, order.limit);
    const units = price > 0 ? this.holdFor(order.account, openingLots, price, order.makerPpm, order.takerPpm) : INFINITY;
    if (!(units <= wallet.free + order.lockedUnits)) return false;
    this.dropOffset(order, missingLots);
    this.setHold(order, wallet, units);
    return true;
  }

  /** Returns the lots of a position that no closing order holds (canCloseVolume of the API). */
  closable(position: Readonly<VenuePosition>): number {
    let lockedLots = 0;
    const addLockedLots = (order: VenueOrder): boolean => {
      if (order.closes && this.holdsLotsOf(order, position)) lockedLots += order.offsetLots;
      return false;
    };
    if (position.heldLots > 0) this.newest(addLockedLots);
    return Math.max(0, position.lots - lockedLots);
  }

  /** Returns the newest order that holds lots of the position but may also open: in net mode, one of the other side. */
  newestOpening(position: Readonly<VenuePosition>): VenueOrderRecord {
    const newestOrder = this.newest((order) => !order.closes && this.holdsLotsOf(order, position));
    assert(newestOrder !== null, 'closing orders hold at most the lots of their position');
    return newestOrder;
  }

  /**
   * Returns the newest order that holds lots which the position no longer has, because another order closed them or, in net mode, reversed
   * the position. Null when every order has its lots.
   */
  overcommittedOrder(position: VenuePosition): VenueOrderRecord | null {
    if (position.heldLots === 0) return null;
    const hasTooFewLots = position.heldLots > position.lots;
    return this.newest((order) => this.holdsLotsOf(order, position) && (hasTooFewLots || position.isLong === (order.side === 'buy')));
  }

  /** True when the order would close lots of the position. */
  private holdsLotsOf({ account, offsetLots, side }: VenueOrder, position: Readonly<VenuePosition>): boolean {
    return account === position.account && offsetLots > 0 && this.wallets.position(account, this.index, side === 'sell') === position;
  }
}
