// Reads the account's trades of one instrument without gaps and books each one once, to its order.

import { smallestOf } from '../../../base/number/extremes.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { pending, start, type Work } from '../../../base/task.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderId } from '../../../model/order.ts';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { HoldingBook, PositionBook, PositionPart } from '../order/expectedHoldings.ts';
import { feeShare, FillScale, type TradeNumbers } from '../order/fills.ts';
import type { UnattributedFill } from '../client/referenceBook.ts';
import type { OrderAttribution } from './attribution.ts';
import { Paging, type PageStep } from '../calls/paging.ts';
import type { OrderRow, TradeRow } from '../calls/venueRows.ts';
import { BookedTradeIds } from './bookedTradeIds.ts';
import { PositionSides } from './positionSides.ts';
import { mirrorTrade } from './selfTrade.ts';
import { EARLY_MS } from '../order/matchRow.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import { MAX_ROWS, type TradesFrom, type VenueCalls } from '../calls/venueCalls.ts';

/** The result of one read of the trades. */
export interface TradesRead {
  /** True if no trade is missing since the last known one. */
  readonly isComplete: boolean;
  /** Number of unattributed fills. */
  readonly unattributed: number;
  /** Number of new rows. */
  readonly newRows: number;
}

/** The instrument of a reader, and its collaborators. */
export interface TradeReaderDeps {
  readonly instrument: Instrument;
  readonly index: number;
  readonly venue: VenueCalls;
  readonly trackedOrders: TrackedOrders;
  readonly attribution: OrderAttribution;
  readonly raisedCauses: RaisedCauses;
  readonly holdings: HoldingBook;
  readonly positions: PositionBook;
  /** True for a contract whose long and short positions are separate. */
  readonly isTwoWay: boolean;
  readonly tradeNumbers: TradeNumbers;
  readonly sink: () => ExchangeSink;
  /** A lower bound of the venue's current time. */
  readonly venueMs: () => number;
  /** Time of our clock. */
  readonly nowMs: () => number;
  /** L: how old a list may be when it is read. */
  readonly lagMs: () => number;
  /** Returns how many lots of a fill of an order the books of its strategy can take; Infinity: all. */
  readonly bookableLots: (id: OrderId) => number;
  /** Books a fill to the account, not to a strategy. */
  readonly bookUnattributed: (fill: UnattributedFill) => void;
}

/** A requested read that has not begun. */
interface PendingRead {
  readonly sinceMs: number;
  readonly options: CallOptions;
  readonly onRead: (read: TradesRead) => void;
}

/** Every read goes back at least this far, because rows may become visible out of order. Twice the read lag if that is longer. */
const OVERLAP_MS = 20_000;
/** The first page may have this many more trades than are known in the overlap. */
const MAX_NEW_TRADES = 20;

/** The trades of one instrument. A trade is booked once, even if several reads show it. */
export class TradeReader {
  /** The trades that were booked. */
  readonly bookedIds: BookedTradeIds;
  readonly #deps: TradeReaderDeps;
  readonly #scale: FillScale;
  readonly #sides: PositionSides;
  readonly #fill = new Fill();
  readonly #pendingReads: PendingRead[] = [];
  #isReading = false;
  /** Rows that are not booked yet, by key, oldest first, with our time of their first read. */
  readonly #unattributed = new Map<string, { readonly row: TradeRow; readonly atMs: number }>();
  /** Fills of foreign orders, by venue order id. If the operator adopts the order, they are booked. */
  readonly #foreignFills = new Map<string, TradeRow[]>();

  /** Trades before `sinceMs` are not ours. */
  constructor(deps: TradeReaderDeps, sinceMs: number) {
    this.#deps = deps;
    this.#scale = new FillScale(deps.instrument);
    this.#sides = new PositionSides({ ...deps, lotsOf: (row) => this.#scale.lotsOf(row) });
    this.bookedIds = new BookedTradeIds(sinceMs);
  }

  /** True while a read is under way. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Returns the lots of all known fills of a foreign order. */
  foreignLots(venueId: string): number {
    const rows = this.#foreignFills.get(venueId) ?? [];
    return rows.reduce((sum, row) => sum.plus(this.#scale.lotsOf(row)), new Decimal(0)).toNumber();
  }
  /** True if the expected position includes all trades that were read. */
  get hasCountedAll(): boolean {
    return this.#sides.uncounted.length === 0;
  }
  /** Net lots of the fills that are booked neither to a strategy nor to the account, of one part of the position. Above 0 is bought. */
  openLots(part: PositionPart): Decimal {
    const rows = Array.from(this.#unattributed.values(), ({ row }) => row).filter((row) => this.#ownerOf(row) === undefined);
    return [...rows, ...Array.from(this.#foreignFills.values()).flat()]
      .filter((row) => this.#sides.mayChange(row, part))
      .reduce((sum, row) => sum.plus(this.#scale.lotsOf(row).times(row.side === 'buy' ? 1 : -1)), new Decimal(0));
  }
  /** Returns the lots of an order in the rows that are read and not booked yet. */
  unbookedLots(order: TrackedOrder): number {
    const rows = Array.from(this.#unattributed.values(), ({ row }) => row).filter((row) => this.#ownerOf(row) === order);
    return rows.reduce((sum, row) => sum.plus(this.#scale.lotsOf(row)), new Decimal(0)).toNumber();
  }
  /** Returns the newest trade before every trade that is not booked yet; null without one. */
  get lastBookedId(): string | null {
    const unbookedRows = [...Array.from(this.#unattributed.values(), ({ row }) => row), ...Array.from(this.#foreignFills.values()).flat()];
    return this.bookedIds.newestBelow(unbookedRows.map(({ tradeId }) => tradeId));
  }
  /** Books the fills of an order that the operator has adopted. */
  adoptFills(venueId: string): void {
    const atMs = -Infinity;
    for (const row of this.#foreignFills.get(venueId) ?? []) this.#unattributed.set(keyOf(row), { row, atMs });
    this.#foreignFills.delete(venueId);
    this.#bookKnown();
  }
  /** Books the fills of an order that the operator has ignored to the account. */
  ignoreFills(venueId: string): void {
    for (const row of this.#foreignFills.get(venueId) ?? []) this.#bookUnattributed(row);
    this.#foreignFills.delete(venueId);
  }

  /**
   * Reads new trades, and reads those from `sinceMs` on again, because rows may become visible out of order. Infinity: the shortest
   * overlap.
   */
  *read(sinceMs: number, options: CallOptions): Work<TradesRead> {
    return yield* pending<TradesRead>((done) => {
      this.#pendingReads.push({ sinceMs, options, onRead: done });
      if (!this.#isReading) start(this.#serve());
      return () => {};
    });
  }

  /** One read serves all requests made before it begins. Those made meanwhile are served by the next one. */
  *#serve(): Work<void> {
    for (let served = this.#pendingReads.splice(0); served.length > 0; served = this.#pendingReads.splice(0)) {
      this.#isReading = true;
      const { venueMs, lagMs } = this.#deps;
      const requestedMs = smallestOf(served.map((request) => request.sinceMs));
      const sinceMs = Math.min(requestedMs, venueMs() - Math.max(OVERLAP_MS, 2 * lagMs()));
      const { options } = served.find((request) => request.options.priority === 'reconcile') ?? served[0]!;
      const { rows, isComplete } = yield* this.#rowsSince(sinceMs, options);
      const newRows = this.#countRows(rows, isComplete);
      yield* this.#attribute(options);
      this.#isReading = false;
      const unattributed = this.#reportUnattributed();
      const areBooked =
        this.#unattributed.size === unattributed && this.#sides.uncounted.every((row) => this.#unattributed.has(keyOf(row)));
      for (const { onRead } of served) onRead({ isComplete: isComplete && areBooked, unattributed, newRows });
      if (this.#isReading) return;
    }
  }

  /** Reads pages until they connect to the known trades. `isComplete`: no row is missing or unreadable. */
  *#rowsSince(sinceMs: number, options: CallOptions): Work<{ readonly rows: ReadonlyMap<string, TradeRow>; readonly isComplete: boolean }> {
    const { venue, instrument } = this.#deps;
    const cursor = this.bookedIds.cursorBefore(sinceMs);
    const paging = new Paging(cursor);
    const rows = new Map<string, TradeRow>();
    const boundMs = this.bookedIds.isEmpty || this.bookedIds.needsAll ? this.bookedIds.sinceMs : sinceMs;
    let isReadable = true;
    // Usually few trades are new, and reading a thousand rows takes longer than requesting them. If there are more, the next pages are
    // long.
    const max = Math.min(MAX_ROWS, MAX_NEW_TRADES + 2 * this.bookedIds.countSince(sinceMs));
    let from: TradesFrom = { fromId: null, max: cursor === null ? MAX_ROWS : max };
    for (let isFirst = true; ; isFirst = false) {
      const page = yield* venue.trades(instrument, from, options);
      if (page === null) return { rows, isComplete: false };
      for (const row of page.rows) {
        if (isTrade(row)) rows.set(keyOf(row), row);
        else isReadable = false;
      }
      if (!page.isReadable) isReadable = false;
      const pageSeen = { ids: page.rows.map(({ tradeId }) => tradeId), isFull: page.isCut };
      const reachesBack = cursor === null && page.rows.some((row) => row.timeMs < boundMs);
      const step: PageStep = isFirst ? paging.takeNewest(pageSeen, reachesBack) : paging.takeRequested(pageSeen, reachesBack);
      if (step.kind !== 'ask') return { rows, isComplete: step.kind === 'complete' && isReadable };
      from = { fromId: step.fromId, max: MAX_ROWS };
    }
  }

  /** Counts the rows in the totals, and adds the new ones to the unattributed rows. Returns the number of new rows. */
  #countRows(rows: ReadonlyMap<string, TradeRow>, isComplete: boolean): number {
    // Lists are newest first. Both legs of a self-trade have one id, so only the order of the list shows which came first.
    const newRows = Array.from(rows.values())
      .toReversed()
      .filter((row) => this.bookedIds.isNew(row));
    for (const row of rows.values()) {
      this.bookedIds.noteListed(row);
      this.#countInTotals(row);
    }
    if (isComplete) this.bookedIds.noteAllCounted();
    else if (rows.size > 0) this.bookedIds.noteGap();
    const missingLegs = isComplete ? newRows.flatMap((row) => this.#missingLegOf(row, rows)) : [];
    const atMs = this.#deps.nowMs();
    for (const row of [...newRows, ...missingLegs])
      if (!this.#unattributed.has(keyOf(row))) this.#unattributed.set(keyOf(row), { row, atMs });
    return newRows.length;
  }

  /** Raises or clears the halt cause of fills without an order. Returns their number. */
  #reportUnattributed(): number {
    const { raisedCauses, index } = this.#deps;
    const rowsWithoutOrder = Array.from(this.#unattributed.values(), ({ row }) => row).filter((row) => this.#ownerOf(row) === undefined);
    if (rowsWithoutOrder.length > 0) raisedCauses.raise('STRAY', index, `fills of no order that is known: ${tradesText(rowsWithoutOrder)}`);
    else raisedCauses.clearIfAllowed('STRAY', index);
    return rowsWithoutOrder.length;
  }

  /** Returns the other leg of a self-trade if the venue lists only one leg. */
  #missingLegOf(row: TradeRow, rows: ReadonlyMap<string, TradeRow>): readonly TradeRow[] {
    const { trackedOrders, instrument } = this.#deps;
    const tracked = row.otherId === null || row.otherId === row.venueId ? undefined : trackedOrders.byVenueId(row.otherId);
    if (tracked === undefined) return [];
    const mirroredTrade = mirrorTrade(row, instrument, tracked.request.reduceOnly);
    return rows.has(keyOf(mirroredTrade)) || !this.bookedIds.isNew(mirroredTrade) ? [] : [mirroredTrade];
  }

  /** Adds a trade to the expected holdings, once, whichever order it belongs to. */
  #countInTotals(row: TradeRow): void {
    if (!this.bookedIds.countsInTotals(row)) return;
    const { holdings, instrument } = this.#deps;
    this.#sides.count(row);
    if (instrument.contract === undefined) holdings.book(this.#scale.changesOf(row), row.timeMs);
  }

  /** Returns the order of the fill if it has the same instrument and side. */
  #ownerOf({ venueId, side }: TradeRow): TrackedOrder | undefined {
    const tracked = this.#deps.trackedOrders.byVenueId(venueId);
    return tracked?.request.instrumentIndex === this.#deps.index && tracked.request.side === side ? tracked : undefined;
  }

  /** Queries the unknown orders one by one, then books all fills that have an owner. */
  *#attribute(options: CallOptions): Work<void> {
    const { trackedOrders, attribution, index, venueMs } = this.#deps;
    const unattributed = new Map(Array.from(this.#unattributed.values(), ({ row, atMs }) => [row.venueId, atMs]));
    for (const venueId of new Set([...unattributed.keys(), ...this.#sides.uncounted.map((row) => row.venueId)])) {
      const isAttributed = !unattributed.has(venueId) || trackedOrders.byVenueId(venueId) !== undefined || attribution.isExcluded(venueId);
      if (isAttributed && !this.#sides.isUnknown(venueId)) continue;
      const row = yield* this.#orderOf(venueId, options);
      if (row === 'none' && isAttributed) this.#sides.noteUnlisted(venueId, unattributed.get(venueId) ?? Infinity);
      if (row === null || row === 'none') continue;
      if (isAttributed) attribution.noteAction(row);
      else attribution.attribute(row, { instrument: index, channel: 'myTrades', venueMs: venueMs() });
    }
    this.#sides.countKnown();
    this.#bookKnown();
  }

  /**
   * True if trades with this venue order id were read whose order is not known. Nothing in them may contradict that they are of this order.
   */
  mayHaveFilled({ request, signMs }: TrackedOrder, venueId: string): boolean {
    const unattributedRows = Array.from(this.#unattributed.values(), ({ row }) => row).filter((row) => row.venueId === venueId);
    const rows = [...unattributedRows, ...(this.#foreignFills.get(venueId) ?? [])];
    const lots = rows.reduce((sum, row) => sum.plus(this.#scale.lotsOf(row)), new Decimal(0));
    const limit = new Decimal(request.limit).div(Decimal.pow(10, request.instrument.priceDigits));
    const isWithinLimit = (price: string): boolean =>
      request.limit === 0 || (request.side === 'buy' ? limit.greaterThanOrEqualTo(price) : limit.lessThanOrEqualTo(price));
    if (rows.length === 0 || (request.lots > 0 && lots.greaterThan(request.lots))) return false;
    return rows.every(({ side, timeMs, price }) => side === request.side && timeMs >= signMs - EARLY_MS && isWithinLimit(price));
  }
  /** Returns the order's row. Spot has the client order id in the reply to a query, futures only in the history. */
  *#orderOf(venueId: string, options: CallOptions): Work<OrderRow | 'none' | null> {
    const { venue, instrument } = this.#deps;
    if (instrument.contract !== undefined) {
      const page = yield* venue.history(instrument, null, options);
      const orderRow = page?.rows.find((row) => row.venueId === venueId);
      if (orderRow) return orderRow;
    }
    return yield* venue.order(instrument, venueId, options);
  }

  /**
   * Books all fills whose owner is known, oldest first. A position's profit depends on the sequence of its fills. So a contract fill waits
   * up to the read lag for an earlier fill without an owner.
   */
  #bookKnown(): void {
    const { trackedOrders, attribution, instrument, nowMs, lagMs } = this.#deps;
    const sorted = Array.from(this.#unattributed).toSorted(([, a], [, b]) => (BigInt(a.row.tradeId) < BigInt(b.row.tradeId) ? -1 : 1));
    for (const [key, { row, atMs }] of sorted) {
      const tracked = this.#ownerOf(row);
      const isOfOurOrder = tracked !== undefined || trackedOrders.byVenueId(row.venueId) !== undefined;
      const isUndecided = isOfOurOrder || !attribution.isExcluded(row.venueId) || this.#sides.isUnknown(row.venueId);
      if (tracked === undefined && isUndecided) {
        if (instrument.contract !== undefined && nowMs() < atMs + lagMs()) return;
        continue;
      }
      // Remove the row before the fill is reported, because the strategy may cancel orders at once and a booked fill must not count twice.
      this.#unattributed.delete(key);
      if (tracked !== undefined) this.#book(tracked, row);
      else if (attribution.foreignOrders.has(row.venueId))
        this.#foreignFills.set(row.venueId, [...(this.#foreignFills.get(row.venueId) ?? []), row]);
      else this.#bookUnattributed(row);
      this.bookedIds.add(row);
    }
  }

  /**
   * Books a fill to its order, in whole lots and as far as the books of its strategy take it. The rest goes to the account: the fraction of a
   * lot, and lots that the strategy did not hold.
   */
  #book(tracked: TrackedOrder, row: TradeRow): void {
    const { tradeNumbers, raisedCauses, index, sink, bookableLots } = this.#deps;
    const fill = this.#fill;
    const lotsOfRow = this.#scale.lotsOf(row);
    const sum = lotsOfRow.plus(tracked.accountLots.minus(tracked.accountLots.floor()));
    const wholeLots = sum.floor().toNumber();
    const lots = Math.min(wholeLots, bookableLots(tracked.id));
    if (this.#scale.isFine(row)) this.#raiseFineFill(row, sum.minus(wholeLots));
    const excessLots = wholeLots - lots;
    const ownFee = feeShare(row.fee, lots, wholeLots);
    if (lots > 0) {
      this.#scale.write({ ...row, fee: ownFee.toFixed() }, lots, tradeNumbers.tradeNumberOf(row.tradeId), fill);
      if (this.#scale.hasForeignFee(row))
        raisedCauses.raise('FEE_COIN', index, `fees are taken in ${row.feeCoin ?? 'another coin'}, which the books do not have`);
    }
    const restOfRow = lotsOfRow.minus(lots);
    if (!restOfRow.isZero()) {
      const restUnits = this.#scale.rowUnits(row) - (lots > 0 ? fill.notional : 0);
      const restRow = { ...row, fee: new Decimal(row.fee).minus(lots > 0 ? ownFee : 0).toFixed() };
      const hasFee = lots === 0 || excessLots > 0;
      const rest = this.#scale.unattributedFill(restRow, restOfRow, restUnits, hasFee, this.#sides.longOf(row));
      this.#deps.bookUnattributed(lots > 0 ? { ...rest, split: true } : rest);
    }
    tracked.accountLots = tracked.accountLots.plus(restOfRow);
    tracked.lastFillMs = row.timeMs;
    // Before the strategy is notified: it must not open anything on an account that is not as its books say.
    if (excessLots > 0) this.#raiseExcess(tracked, row, excessLots);
    if (lots === 0) return;
    tracked.filledLots += lots;
    tracked.filledUnits += fill.notional;
    sink().filled(tracked.id, fill);
  }
  /** Halts the account because an order has closed, or sold, more than its strategy held, or has opened a contract of another strategy. */
  #raiseExcess({ request }: TrackedOrder, { tradeId, venueId, side, qty, price }: TradeRow, excessLots: number): void {
    const { raisedCauses, instrument } = this.#deps;
    const tradeText = `trade ${sanitizeText(tradeId, 40)} of order ${sanitizeText(venueId, 40)}, ${side === 'buy' ? 'bought' : 'sold'} ${qty} at ${price}`;
    const excessText = new Decimal(excessLots).div(Decimal.pow(10, instrument.quantityDigits)).toFixed();
    const isOpening = instrument.contract !== undefined && !request.reduceOnly;
    const reason = isOpening ? 'the contract belongs to another strategy, so' : 'the strategy of the order did not hold';
    const excess = isOpening
      ? `${excessText} of it is a position of the account`
      : `${excessText} of it, which is a position of the account`;
    raisedCauses.raise('POST_TRADE', null, `${tradeText}: ${reason} ${excess}`);
  }
  /** Halts the instrument because a fill is finer than a lot or a tick. */
  #raiseFineFill({ tradeId, venueId, qty, price }: TradeRow, fractionLots: Decimal): void {
    const { raisedCauses, index, instrument } = this.#deps;
    const tradeText = `trade ${sanitizeText(tradeId, 40)} of order ${sanitizeText(venueId, 40)}: ${qty} at ${price} is finer than a lot or a tick`;
    const restText = fractionLots.div(Decimal.pow(10, instrument.quantityDigits)).toFixed();
    raisedCauses.raise('FINE_FILL', index, `${tradeText}; ${restText} ${instrument.base} of it is a position of the account`);
  }

  /** Books a fill that belongs to the account and to no strategy. */
  #bookUnattributed(row: TradeRow): void {
    const { attribution, bookUnattributed } = this.#deps;
    const fill = this.#scale.unattributedFill(row, this.#scale.lotsOf(row), this.#scale.rowUnits(row), true, this.#sides.longOf(row));
    bookUnattributed(fill);
    attribution.duplicates.addFill(row.venueId, fill);
  }
}

/** Maximum number of trades that a halt lists. */
const MAX_TRADES_IN_TEXT = 5;
/** Returns a text with the first trades, and the number of the others. */
function tradesText(rows: readonly TradeRow[]): string {
  const tradeTexts = rows.slice(0, MAX_TRADES_IN_TEXT).map(({ tradeId, venueId, side, qty, price }) => {
    const trade = sanitizeText(tradeId, 40);
    const order = sanitizeText(venueId, 40);
    return `trade ${trade} of order ${order}, ${side === 'buy' ? 'bought' : 'sold'} ${qty} at ${price}`;
  });
  const unnamedCount = rows.length - tradeTexts.length;
  return `${tradeTexts.join('; ')}${unnamedCount > 0 ? `; and ${unnamedCount} more` : ''}`;
}

/** A real trade has a price and a quantity above 0. */
const isTrade = ({ price, qty }: TradeRow): boolean => isAboveZero(price) && isAboveZero(qty);
/** True for a decimal above 0. Looks only at its digits, because long lists of trades are read often. */
const isAboveZero = (text: string): boolean => text[0] !== '-' && /[1-9]/.test(text);
const keyOf = ({ tradeId, side }: Pick<TradeRow, 'tradeId' | 'side'>): string => `${tradeId} ${side}`;
