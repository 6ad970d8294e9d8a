// Reads the evidence about one instrument: whose its trades and orders are, and the bounds of the bot's position.

import { smallestOf } from '../../../base/number/extremes.ts';
import { Paging, type PageStep } from '../../../adapters/exchange/calls/paging.ts';
import { EARLY_MS } from '../../../adapters/exchange/order/matchRow.ts';
import {
  futuresOrderRow,
  futuresTradeRow,
  historyRow,
  spotOrderRow,
  spotTradeRow,
  type OrderRow,
  type Page,
  type TradeRow,
} from '../../../adapters/exchange/calls/venueRows.ts';
import { pagedOf } from '../../../adapters/exchange/calls/spotCalls.ts';
import { MAX_ROWS } from '../../../adapters/exchange/calls/venueCalls.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { sizeText, type Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import { readOpenOrders } from '../cancel/openOrders.ts';
import type { KillVenue } from '../plan/killVenue.ts';
import { attribute, boundsOf, type UncertainOrder, type LostOrder, type Range, type UnnamedOrder } from '../plan/attribution.ts';
import { DistinctRows } from './distinctRows.ts';
import type { LackingOrder } from './executions.ts';
import { changeOf } from './fillRecords.ts';
import type { JournalBooks } from './journalBooks.ts';
import { positionSideOf } from './recordedTerms.ts';

/** Overlap of reads, ms, because rows may appear out of order. */
const OVERLAP_MS = 20_000;
/** Time for which an exchange is expected to list an own trade. Older trades may be missing. */
const RETENTION_MS = 86_400_000;

/** The result of one reading: the positions that the evidence allows, and the orders that remain uncertain. */
export interface PositionEvidence {
  /** Bounds of each strategy's position; below zero: short. */
  readonly held: ReadonlyMap<number, Range>;
  /** Bounds of each strategy's position by side, for a contract in two-way mode. */
  readonly heldOn: Readonly<Record<Side, ReadonlyMap<number, Range>>>;
  readonly uncertain: readonly UncertainOrder[];
}

/** Rows of the lists of orders, and trades that the journal has not booked, by venue order id. */
interface ReadLists {
  readonly rows: ReadonlyMap<string, OrderRow>;
  readonly tradesByOrder: ReadonlyMap<string, readonly TradeRow[]>;
}

/** Reads the evidence for one kill, and notes in its books what it finds. */
export class KillEvidenceReader {
  /** The bot's books as its journal and the evidence have them. */
  readonly books: JournalBooks;
  readonly #venue: KillVenue;
  /** Venue order ids of the journal under which the exchange has shown an own order that has a second copy. */
  readonly #shownIds = new Set<string>();
  /** Foreign orders, identified by a client order id. */
  readonly #foreignIds = new Set<string>();

  constructor(venue: KillVenue, books: JournalBooks) {
    this.#venue = venue;
    this.books = books;
  }

  /**
   * Reads an instrument until its list of own trades is complete: it has the trades of the journal, and all that a status has shown to be executed.
   * Throws KillGaveUp, with the quantity that is left, if that takes too long.
   */
  async read(instrument: Instrument): Promise<PositionEvidence> {
    let lagText = '';
    const timeLimit = this.#venue.timeLimit(() => lagText);
    for (;;) {
      const { evidence, trades } = await this.#readOnce(instrument);
      const { accountFills, executions } = this.books;
      const isOwn = (venueId: string): boolean => this.books.isOwnId(venueId);
      const lacking = executions.lackingOrders(instrument.id, trades, isOwn, accountFills.rowsOf(instrument.id));
      if (lacking.length === 0) return evidence;
      lagText = this.#lagText(instrument, evidence, lacking);
      this.#venue.deps.onPhase('waiting', `${lagText}; nothing is sold before the list shows it`);
      await timeLimit.wait(this.#venue.deps.settings.readLagMs);
    }
  }

  /** Reads orders, then trades, and attributes what no client order id identifies. */
  async #readOnce(instrument: Instrument): Promise<{ readonly evidence: PositionEvidence; readonly trades: readonly TradeRow[] }> {
    // Read orders first: an order that ends between the two reads shows in the trades.
    const isBeyondHorizon = this.#horizonCheck(instrument);
    const open = await readOpenOrders(this.#venue, instrument);
    const history = await this.#readHistory(instrument);
    this.#noteExecuted(instrument, [...open.orders, ...history.rows]);
    const trades = await this.#readTrades(instrument);
    const unbooked = this.#unbookedTrades(instrument, trades);
    const rows = new Map([...open.orders, ...history.rows].map((row) => [row.venueId, row]));
    const unnamed = await this.#readUnnamed(instrument, unbooked, rows);
    const reading = { isComplete: open.isComplete && history.isComplete, isBeyondHorizon };
    const { found, uncertain } = attribute(this.books.lostOf(instrument.id), unnamed, reading);
    for (const [cid, venueId] of found) this.books.setVenueId(cid, venueId);
    const rangesOf = (side: Side | null) => this.#heldRanges(instrument, unbooked, uncertain, side);
    const heldOn = { buy: rangesOf('buy'), sell: rangesOf('sell') };
    return { evidence: { held: rangesOf(null), heldOn, uncertain }, trades };
  }

  /** Notes what orders of a list have executed, because the list of trades may be older. */
  #noteExecuted({ id }: Instrument, rows: readonly OrderRow[]): void {
    for (const row of rows) this.books.executions.noteExecuted(id, row);
  }

  /** Returns a sentence: what the list of trades lacks, and how much of the position is left if the missing trades are counted. */
  #lagText(instrument: Instrument, { held, heldOn }: PositionEvidence, lacking: readonly LackingOrder[]): string {
    const leftOn = (positionSide: Side | null): Decimal => {
      const ranges = [...(positionSide === null ? held : heldOn[positionSide]).values()];
      const listed = ranges.reduce((sum, { high, low }) => sum.plus(positionSide === 'sell' ? low : high), new Decimal(0));
      const isOf = (order: LackingOrder): boolean => positionSide === null || this.books.positionSideOf(order) === positionSide;
      return lacking.filter(isOf).reduce((sum, { side, executed, shown }) => {
        const missing = executed.minus(shown);
        return side === 'buy' ? sum.plus(missing) : sum.minus(missing);
      }, listed);
    };
    const sides = this.books.isTwoWay(instrument.id) ? (['buy', 'sell'] as const) : [null];
    const left = sides.map((side) => sizeText(leftOn(side).abs().toFixed(), instrument)).join(' and ');
    const orders = lacking.map(
      ({ venueId, executed, shown }) => `${shown.toFixed()} of the ${executed.toFixed()} that order ${venueId} has filled`,
    );
    return `${instrument.id}: the list of own trades shows ${orders.join(', ')}; by that ${left} left`;
  }

  /** Returns trades that the journal has not booked to an order: from the list, and unattributed fills of the journal. */
  #unbookedTrades(instrument: Instrument, trades: readonly TradeRow[]): readonly TradeRow[] {
    const keyOf = ({ tradeId, side }: TradeRow): string => `${tradeId} ${side}`;
    // The exchange may no longer list them.
    const journalFills = this.books.accountFills.rowsOf(instrument.id);
    const listedKeys = new Set(journalFills.length === 0 ? [] : trades.map(keyOf));
    const unlistedFills = journalFills.filter((fill) => !listedKeys.has(keyOf(fill)));
    const unbooked = [...trades, ...unlistedFills].filter((row) => !this.books.isBooked(instrument.id, row));
    // The order's part of a trade is booked, and the account's part, which is beyond what the strategy held, is in doubt.
    const partsInDoubt = this.books.accountFills.unsettledExcessOf(instrument.id).filter((row) => this.books.isBooked(instrument.id, row));
    return [...unbooked, ...partsInDoubt];
  }

  /** Returns the executed quantity of an order, from its trades. Throws KillStopped. */
  async readExecuted(instrument: Instrument, venueId: string): Promise<Decimal> {
    const orderTrades = (await this.#readTrades(instrument)).filter((row) => row.venueId === venueId);
    return orderTrades.reduce((sum, { qty }) => sum.plus(qty), new Decimal(0));
  }

  /** Returns a check for orders past their absence horizon. If the exchange admitted such an order, every list read from now on shows it. */
  #horizonCheck({ market }: Instrument): (order: LostOrder) => boolean {
    const { serverTime, settings } = this.#venue.deps;
    const { ms, uncertaintyMs } = serverTime(market);
    // A clock that was never measured proves nothing.
    const earliestMs = ms - uncertaintyMs;
    const visibilityDelayMs = this.#venue.visibilityDelayMs(market);
    return ({ latestMs }) => earliestMs >= latestMs + visibilityDelayMs + settings.readLagMs;
  }

  /** Returns orders that no client order id identifies, after reading every id that is available. */
  async #readUnnamed(
    instrument: Instrument,
    unbooked: readonly TradeRow[],
    rows: ReadonlyMap<string, OrderRow>,
  ): Promise<readonly UnnamedOrder[]> {
    const tradesByOrder = new Map<string, TradeRow[]>();
    for (const row of unbooked) tradesByOrder.set(row.venueId, [...(tradesByOrder.get(row.venueId) ?? []), row]);
    const unnamed: UnnamedOrder[] = [];
    for (const venueId of new Set([...tradesByOrder.keys(), ...rows.keys()])) {
      if (this.#isKnown(instrument, venueId)) continue;
      const listed = rows.get(venueId) ?? null;
      const row = listed?.cid ? listed : ((await this.#queryOrder(instrument, venueId)) ?? listed);
      if (row !== null) this.#noteExecuted(instrument, [row]);
      if (!row?.cid) {
        unnamed.push(unnamedOf(instrument, venueId, row, tradesByOrder.get(venueId) ?? []));
        continue;
      }
      const isOwn = this.books.isOwnCid(row.cid) && !(await this.#isSecondOpening(instrument, row, { rows, tradesByOrder }));
      if (isOwn) this.books.noteVenueId(row.cid, venueId, row.action);
      else this.#foreignIds.add(venueId);
    }
    return unnamed;
  }

  /**
   * True for a second copy of a spot buy, or of an order that opens contracts. What it bought or opened belongs to the account, in a running bot
   * too, so a kill must not close it. A second copy of a sell, or of an order that closes, counts: the bot no longer has those coins or contracts.
   * An order that the exchange does not have under its acknowledged id has no second copy: the acknowledgement had a wrong id.
   */
  async #isSecondOpening(instrument: Instrument, row: OrderRow, lists: ReadLists): Promise<boolean> {
    const { cid, side, action, venueId } = row;
    const isOpening = instrument.market === 'spot' ? side === 'buy' : action === 'OPEN';
    if (!isOpening || cid === null || this.books.isIgnored(instrument.id, venueId)) return false;
    const knownId = this.books.venueIdOfRowCid(cid);
    if (knownId === null || knownId === venueId) return false;
    if (await this.#hasCopyUnder(instrument, knownId, row, lists)) return true;
    this.books.forgetWrongId(cid);
    return false;
  }
  /**
   * True if the exchange has a copy of an order, or trades of its side, under a venue order id, or the journal has booked trades under that id.
   * A list may lag, so a second query confirms that the exchange has no such order.
   */
  async #hasCopyUnder(instrument: Instrument, venueId: string, order: OrderRow, { rows, tradesByOrder }: ReadLists): Promise<boolean> {
    if (this.#shownIds.has(venueId) || this.books.executions.hasBooked(instrument.id, venueId)) return true;
    const hasTrades = (tradesByOrder.get(venueId) ?? []).some(({ side }) => side === order.side);
    const wasShown = hasTrades || (order.cid !== null && this.books.wasShown(order.cid));
    const timeLimit = this.#venue.timeLimit(`${instrument.id}: order ${venueId} is not found`);
    for (let isFirst = true; ; isFirst = false) {
      const row = rows.get(venueId) ?? (await this.#queryOrder(instrument, venueId));
      if (row === null ? wasShown : isCopyOf(row, order)) break;
      if (row !== null || !isFirst) return false;
      await timeLimit.wait(this.#venue.deps.settings.readLagMs);
    }
    this.#shownIds.add(venueId);
    return true;
  }

  /** True when it is known whose an order is: own, foreign, or ignored by the operator. */
  #isKnown(instrument: Instrument, venueId: string): boolean {
    return this.books.isOwnId(venueId) || this.#foreignIds.has(venueId) || this.books.isIgnored(instrument.id, venueId);
  }

  /** Queries an order by its id. Returns null if the exchange does not know it. */
  async #queryOrder({ market, wireName }: Instrument, orderId: string): Promise<OrderRow | null> {
    if (market === 'spot') {
      const order = await this.#venue.readOrder('spot.queryOrder', { symbol: wireName, orderId });
      return order && spotOrderRow(order);
    }
    const order = await this.#venue.readOrder('futures.orderInformation', { contractName: wireName, orderId });
    return order && futuresOrderRow(order);
  }

  /** Reads the order history of a contract, back to the time before which the journal is complete. Spot has no such list. */
  async #readHistory(instrument: Instrument): Promise<{ readonly rows: readonly OrderRow[]; readonly isComplete: boolean }> {
    if (instrument.market === 'spot') return { rows: [], isComplete: true };
    const sinceMs = this.#sinceMs(instrument);
    return this.#readPages(null, async (fromId) => {
      const args = { contractName: instrument.wireName, limit: MAX_ROWS, ...(fromId === null ? {} : { fromId }) };
      const page = pagedOf(await this.#venue.read('futures.orderHistory', args), MAX_ROWS, historyRow);
      const ids = page.rows.map(({ venueId }) => venueId);
      return { page, ids, reachesBack: page.rows.some(({ timeMs }) => timeMs !== null && timeMs < sinceMs) };
    });
  }

  /** Reads the list of own trades, again and again until it has no gap after the trades of the journal. */
  async #readTrades(instrument: Instrument): Promise<readonly TradeRow[]> {
    const timeLimit = this.#venue.timeLimit(`${instrument.id}: the list of own trades has a gap`);
    for (;;) {
      const sinceMs = this.#sinceMs(instrument);
      const cursor = this.books.tradeBefore(instrument.id, sinceMs);
      const firstMs = (this.books.firstMs(instrument.id) ?? sinceMs) - EARLY_MS;
      const { rows, isComplete } = await this.#readPages(cursor, async (fromId) => {
        const page = await this.#readTradePage(instrument, fromId);
        return {
          page,
          ids: page.rows.map(({ tradeId }) => tradeId),
          reachesBack: cursor === null && page.rows.some(({ timeMs }) => timeMs < firstMs),
        };
      });
      // Trades before the bot's first order are foreign.
      if (isComplete && this.#hasNewestTrade(instrument, rows)) return rows.filter(({ timeMs }) => timeMs >= firstMs);
      this.#venue.deps.onPhase('waiting', `${instrument.id}: the list of own trades has a gap; nothing is sold before it is complete`);
      await timeLimit.wait(this.#venue.deps.settings.readLagMs);
    }
  }

  /** False when the list lacks the newest trade of the journal, so that rows are missing. */
  #hasNewestTrade({ id, market }: Instrument, trades: readonly TradeRow[]): boolean {
    const newest = this.books.newestTrade(id);
    if (newest === null || newest.executedMs < this.#venue.deps.serverTime(market).ms - RETENTION_MS) return true;
    return trades.some(({ tradeId }) => tradeId === newest.tradeId);
  }

  async #readTradePage({ market, wireName }: Instrument, fromId: string | null): Promise<Page<TradeRow>> {
    const args = { limit: MAX_ROWS, ...(fromId === null ? {} : { fromId }) };
    return market === 'spot'
      ? pagedOf(await this.#venue.read('spot.myTrades', { symbol: wireName, ...args }), MAX_ROWS, spotTradeRow)
      : pagedOf(await this.#venue.read('futures.myTrades', { contractName: wireName, ...args }), MAX_ROWS, futuresTradeRow);
  }

  /** Reads a list page by page, back to `cursor` or until a page reaches back far enough. */
  async #readPages<T>(
    cursor: string | null,
    ask: (fromId: string | null) => Promise<{ readonly page: Page<T>; readonly ids: readonly string[]; readonly reachesBack: boolean }>,
  ): Promise<{ readonly rows: readonly T[]; readonly isComplete: boolean }> {
    const paging = new Paging(cursor);
    const rows = new DistinctRows<T>();
    let isReadable = true;
    for (let fromId: string | null = null; ;) {
      const { page, ids, reachesBack } = await ask(fromId);
      isReadable &&= page.isReadable;
      for (const [index, row] of page.rows.entries()) rows.add(ids[index]!, row);
      const pageContent = { ids, isFull: page.isCut };
      const step: PageStep = fromId === null ? paging.takeNewest(pageContent, reachesBack) : paging.takeRequested(pageContent, reachesBack);
      if (step.kind !== 'ask') return { rows: rows.list, isComplete: isReadable && step.kind === 'complete' };
      fromId = step.fromId;
    }
  }

  /** Returns a time before which the journal is complete, ms. */
  #sinceMs({ id, market }: Instrument): number {
    const lostSignMs = this.books.lostOf(id).flatMap(({ signMs, latestMs }) => (latestMs === Infinity ? [] : [signMs]));
    const lastMs = Number.isNaN(this.books.lastMs) ? this.#venue.deps.serverTime(market).ms : this.books.lastMs;
    return Math.min(lastMs, smallestOf(lostSignMs)) - OVERLAP_MS;
  }

  /** Returns the bounds of each strategy's position: its fills, more or less the orders that remain uncertain. */
  #heldRanges(
    instrument: Instrument,
    unbooked: readonly TradeRow[],
    allUncertain: readonly UncertainOrder[],
    positionSide: Side | null,
  ): PositionEvidence['held'] {
    const uncertain = allUncertain.filter(
      ({ order: { request } }) => positionSide === null || positionSideOf(request.side, request.reduceOnly) === positionSide,
    );
    const sums = new Map(this.books.heldOf(instrument.id, positionSide));
    // What an order has closed beyond its strategy's position may have closed what the strategy opened, or what the account held.
    const excessParts = new Map<number, Decimal>();
    for (const row of unbooked) {
      if (positionSide !== null && this.books.positionSideOf(row) !== positionSide) continue;
      const strategy = this.books.strategyOfOrder(instrument.id, row.venueId);
      const parts = this.books.accountFills.isExcess(instrument.id, row) ? excessParts : sums;
      if (strategy !== null) parts.set(strategy, (parts.get(strategy) ?? new Decimal(0)).plus(changeOf(instrument, row)));
    }
    const strategies = new Set([...sums.keys(), ...excessParts.keys(), ...uncertain.map(({ order }) => order.strategy)]);
    return new Map(
      Array.from(strategies, (strategy) => {
        const sum = sums.get(strategy) ?? new Decimal(0);
        const { low, high } = boundsOf(uncertain.filter(({ order }) => order.strategy === strategy));
        const part = excessParts.get(strategy) ?? new Decimal(0);
        return [strategy, { low: sum.plus(low).plus(Decimal.min(0, part)), high: sum.plus(high).plus(Decimal.max(0, part)) }];
      }),
    );
  }
}

/** True if nothing in a row contradicts that it is another copy of an order. */
function isCopyOf({ cid, side, action, qty }: OrderRow, order: OrderRow): boolean {
  const hasSameId = cid === null || cid.toUpperCase() === order.cid?.toUpperCase();
  const hasSameAction = action === null || order.action === null || action === order.action;
  return hasSameId && hasSameAction && side === order.side && new Decimal(qty).equals(order.qty);
}

/** Returns an order without a client order id, with the terms that its trades show. */
function unnamedOf(instrument: Instrument, venueId: string, row: OrderRow | null, trades: readonly TradeRow[]): UnnamedOrder {
  const prices = trades.map(({ price }) => new Decimal(price));
  const sum = (values: readonly Decimal[]): Decimal => values.reduce((total, value) => total.plus(value), new Decimal(0));
  return {
    venueId,
    row,
    side: row?.side ?? trades[0]!.side,
    qty: sum(trades.map(({ qty }) => new Decimal(qty))),
    prices: prices.length === 0 ? null : [Decimal.min(...prices), Decimal.max(...prices)],
    timeMs: row?.timeMs ?? smallestOf(trades.map(({ timeMs }) => timeMs)),
    effect: sum(trades.map((trade) => changeOf(instrument, trade))),
  };
}
