// Liquidation by mark price: which positions a row of marks liquidates, at what price and in what order.

import { MAX_EXACT } from '../../base/number/exact.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Fill } from '../../model/fill.ts';
import type { ContractBook } from './contractBook.ts';
import type { VenuePosition } from './position.ts';
import type { Wallets } from './wallets.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** What a liquidation causes outside of the wallets. */
export interface LiquidationActions {
  /** Cancels every order of an account whose contract settles in the asset, so that the funds that they hold count as margin again. */
  cancelAll(accountIndex: number, assetIndex: number, timeMs: number): void;
  onLiquidation(position: VenuePosition, wasLong: boolean, fill: Fill, timeMs: number): void;
}

/** The marks of one contract within a row, in ticks. */
export interface MarkRow {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}
/** The row of a contract. `isNew`: it was set since the last `settle`. */
type PendingRow = { -readonly [Key in keyof MarkRow]: number } & { isNew: boolean };

/**
 * Applies the liquidation rule. It is pessimistic, because a row gives the prices that were reached but not their times.
 *
 * - An isolated position is liquidated when its margin plus its profit at the worst mark of the row is at most its maintenance margin.
 * - Cross positions of one settlement asset share their margin: they are checked together, each at its worst mark. When their funds are at
 *   most the sum of their maintenance margins, the orders of the account are cancelled, which frees their funds. Then positions are closed
 *   one by one, the largest loss first, until the remaining ones have their margin.
 * - The price is the first one that breaks the rule, on the way from the row's open; the open itself if it breaks the rule already. (If
 *   several cross positions are liquidated together, the price of the first one is computed with the others at their worst.)
 * - A position that opened inside the row is checked at the worst mark of the row like any other, on the way from its entry price.
 *
 * `isDue` and `end` check one position before the row has ended, for events at its liquidation price or beyond it.
 */
export class Liquidator {
  private readonly wallets: Wallets;
  private readonly books: readonly ContractBook[];
  private readonly feePpm: number;
  private readonly actions: LiquidationActions;
  private readonly rows: readonly PendingRow[];
  /** Close of the rows that are being checked. */
  private timeMs = 0;
  /**
   * The only position that `end` checks with its row, while all others use their last marks. Null: each uses the row of its contract.
   */
  private singleCheck: { readonly position: Readonly<VenuePosition>; readonly row: MarkRow } | null = null;

  constructor(wallets: Wallets, books: readonly ContractBook[], feePpm: number, actions: LiquidationActions) {
    this.wallets = wallets;
    this.books = books;
    this.feePpm = feePpm;
    this.actions = actions;
    this.rows = listOf(books, () => ({ open: 0, high: 0, low: 0, close: 0, isNew: false }));
  }

  /** Sets the marks of a contract for the next `settle`, in ticks. */
  setRow(index: number, open: number, high: number, low: number, close: number): void {
    const row = this.rows[index]!;
    row.open = open;
    row.high = high;
    row.low = low;
    row.close = close;
    row.isNew = true;
  }

  /** Liquidates every position whose margin the marks of the row do not allow, and makes the closes the newest marks. */
  settle(timeMs: number): void {
    this.timeMs = timeMs;
    for (let accountIndex = 0; accountIndex < this.wallets.accounts.length; accountIndex++) {
      this.settleIsolated(accountIndex, timeMs);
      for (let asset = 0; asset < this.wallets.assets.length; asset++) this.settleCross(accountIndex, asset, timeMs);
    }
    this.rows.forEach((row, index) => {
      if (row.isNew) this.books[index]!.markTicks = row.close;
      row.isNew = false;
    });
  }

  /** Returns the liquidation price of a position, with all other positions at the last marks. */
  liquidationPrice(position: Readonly<VenuePosition>): number {
    const { money, asset } = this.books[position.index]!.terms;
    const { isLong, lots, entryUnits, isCross } = position;
    if (lots === 0) return isLong ? 0 : INFINITY;
    const backing = isCross ? this.backing(position, asset, (other) => this.markOf(other)) : position.marginUnits;
    return money.liquidationTicks(isLong, lots, entryUnits, backing);
  }

  /** True when the worst mark of a row reaches the liquidation price of a position, with all other positions at the last marks. */
  isDue(position: Readonly<VenuePosition>, row: MarkRow): boolean {
    if (position.lots === 0) return false;
    const limitTicks = this.liquidationPrice(position);
    return position.isLong ? row.low <= limitTicks : row.high >= limitTicks;
  }

  /**
   * Liquidates a position for which `isDue` is true in a row that closes at `closeMs`. A cross one is liquidated as `settle` does, with the
   * other positions of its account at the last marks. `timeMs`: the time of the liquidation within the row.
   */
  end(position: VenuePosition, row: MarkRow, timeMs: number, closeMs: number): void {
    this.singleCheck = { position, row };
    this.timeMs = closeMs;
    if (position.isCross) this.settleCross(position.account, this.books[position.index]!.terms.asset, timeMs);
    else this.liquidateIfDue(position, position.marginUnits, timeMs);
    this.singleCheck = null;
  }

  /** Liquidates the isolated positions of an account that the new rows of their contracts do not allow. */
  private settleIsolated(accountIndex: number, timeMs: number): void {
    for (const position of this.wallets.openPositions(accountIndex)) {
      if (!position.isCross && this.rows[position.index]!.isNew) this.liquidateIfDue(position, position.marginUnits, timeMs);
    }
  }

  /** Liquidates cross positions of an account, the largest loss first, until its margin suffices. */
  private settleCross(accountIndex: number, assetIndex: number, timeMs: number): void {
    if (!this.lacksMargin(accountIndex, assetIndex)) return;
    this.actions.cancelAll(accountIndex, assetIndex, timeMs);
    while (this.lacksMargin(accountIndex, assetIndex)) {
      const position = this.largestLoss(accountIndex, assetIndex);
      if (position === null) return;
      const backing = this.backing(position, assetIndex, (other) => this.worstOf(other));
      // Apart from rounding, the position breaks the rule at its worst mark at the latest, so it is closed there if at no earlier price.
      if (!this.liquidateIfDue(position, backing, timeMs)) this.close(position, this.worstOf(position), backing, timeMs);
    }
  }

  /** Closes a position if its row reaches the liquidation price. Returns true if it did. */
  private liquidateIfDue(position: VenuePosition, backing: number, timeMs: number): boolean {
    const { money } = this.books[position.index]!.terms;
    const { isLong, lots, entryUnits } = position;
    const limitTicks = money.liquidationTicks(isLong, lots, entryUnits, backing);
    const worstTicks = this.worstOf(position);
    if (isLong ? worstTicks > limitTicks : worstTicks < limitTicks) return false;
    const row = this.rowOf(position);
    const firstTicks = row === null ? worstTicks : this.firstPriceOf(position, row);
    this.close(position, isLong ? Math.min(firstTicks, limitTicks) : Math.max(firstTicks, limitTicks), backing, timeMs);
    return true;
  }

  /** Returns the first price of a row that counts for a position, in ticks: its entry if it was opened inside the row, else the open. */
  private firstPriceOf(position: VenuePosition, row: MarkRow): number {
    return this.openedDuringRow(position, row) ? Math.round(position.averageTicks) : row.open;
  }

  /** Liquidates a position at a price in ticks, and reports it. */
  private close(position: VenuePosition, price: number, backing: number, timeMs: number): void {
    const book = this.books[position.index]!;
    const { isLong } = position;
    book.liquidate(position, price, backing, this.feePpm, timeMs);
    this.actions.onLiquidation(position, isLong, book.lastFill, timeMs);
  }

  /** True when the funds of cross positions at their worst marks are at most the sum of their maintenance margins. */
  private lacksMargin(accountIndex: number, assetIndex: number): boolean {
    const { free, locked } = this.wallets.wallet(accountIndex, assetIndex);
    let excess = free + locked;
    let hasCrossPosition = false;
    for (const position of this.wallets.openPositions(accountIndex, assetIndex)) {
      if (!position.isCross) continue;
      hasCrossPosition = true;
      excess += this.excessMargin(position, this.worstOf(position));
    }
    return hasCrossPosition && excess <= 0;
  }

  /** Returns the margin plus profit of a cross position at a mark, minus its maintenance margin. */
  private excessMargin(position: VenuePosition, ticks: number): number {
    if (ticks === 0) return position.marginUnits;
    const { money } = this.books[position.index]!.terms;
    const value = money.value(position.lots, ticks);
    // The profit or loss is too large to count.
    if (value === INFINITY) return money.isLinear === position.isLong ? MAX_EXACT : -INFINITY;
    return position.marginUnits + position.profitAt(value, money) - money.maintenance(value);
  }

  /**
   * Returns the funds behind one cross position: the account's balance, plus what its other cross positions have above their maintenance
   * margins at the marks of `markOf`.
   */
  private backing(closing: Readonly<VenuePosition>, assetIndex: number, markOf: (position: VenuePosition) => number): number {
    const { free, locked } = this.wallets.wallet(closing.account, assetIndex);
    let units = free + locked + closing.marginUnits;
    for (const position of this.wallets.openPositions(closing.account, assetIndex)) {
      if (position.isCross && position !== closing) units += this.excessMargin(position, markOf(position));
    }
    return units;
  }

  /** Returns the cross position with the largest loss at its worst mark; null without one. */
  private largestLoss(accountIndex: number, assetIndex: number): VenuePosition | null {
    let worstPosition: VenuePosition | null = null;
    let minProfit = INFINITY;
    for (const position of this.wallets.openPositions(accountIndex, assetIndex)) {
      const ticks = this.worstOf(position);
      if (!position.isCross || ticks === 0) continue;
      const { money } = this.books[position.index]!.terms;
      const profit = position.profitAt(money.value(position.lots, ticks), money);
      if (profit < minProfit) {
        minProfit = profit;
        worstPosition = position;
      }
    }
    return worstPosition;
  }

  /** Returns the last mark of a position's contract, in ticks. */
  private markOf({ index }: Readonly<VenuePosition>): number {
    return this.books[index]!.markTicks;
  }
  /** Returns the row of marks with which a position is checked; null: the last mark of its contract is used. */
  private rowOf(position: Readonly<VenuePosition>): MarkRow | null {
    if (this.singleCheck !== null) return this.singleCheck.position === position ? this.singleCheck.row : null;
    const row = this.rows[position.index]!;
    return row.isNew ? row : null;
  }
  /**
   * Returns the worst mark for a position in its row, or the last mark without a row. Linear and inverse contracts lose in the same
   * direction.
   */
  private worstOf(position: Readonly<VenuePosition>): number {
    const row = this.rowOf(position);
    if (row === null) return this.markOf(position);
    return position.isLong ? row.low : row.high;
  }

  /** True when the position opened inside the row and not at its open. If high equals low, nothing opens inside the row. */
  private openedDuringRow({ openedMs }: Readonly<VenuePosition>, { low, high }: MarkRow): boolean {
    return openedMs >= this.timeMs && low < high;
  }
}
