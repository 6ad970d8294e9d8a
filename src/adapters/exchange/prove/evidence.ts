// Reads evidence about orders with an unknown outcome. Each read starts with the venue's time and reports whether rows may be missing.

import { assertNever } from '../../../base/assert.ts';
import { start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Order } from '../../../model/order.ts';
import type { Channel, ExchangeSink } from '../../../ports/exchange.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import { isTriggerOrder, isOlder, mayStillWait, triggerTrackId, matchesTrigger } from '../calls/triggers.ts';
import type { OrderIdentifier } from '../observe/orderIdentifier.ts';
import type { HoldingsCheck } from '../account/holdingsCheck.ts';
import type { OrderAttribution } from '../observe/attribution.ts';
import { Paging, type PageIds, type PageStep } from '../calls/paging.ts';
import { oldestFirst, type OrderRow, type Page } from '../calls/venueRows.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { TradesRead } from '../observe/tradeReader.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';
import { EARLY_MS } from '../order/matchRow.ts';
import { OrderTimes } from './orderTimes.ts';

/** What the reader of evidence takes. */
export interface EvidenceReaderDeps {
  readonly venue: VenueCalls;
  readonly attribution: OrderAttribution;
  readonly trackedOrders: TrackedOrders;
  readonly orderIdentifier: OrderIdentifier;
  readonly holdings: HoldingsCheck;
  readonly sink: () => ExchangeSink;
  /** Reads the venue's time now; null if it did not arrive or the clock has jumped. */
  readonly venueNow: () => Work<number | null>;
  /** True if one of our orders is known to wait under this id. */
  readonly isKnownTrigger: (instrumentIndex: number, triggerId: string) => boolean;
  /** Returns the highest venue time that was seen, ms. */
  readonly lastMs: () => number;
  readonly readTrades: (instrumentIndex: number, sinceMs: number, options: CallOptions) => Work<TradesRead>;
}

/** The instrument of an order, and its index. */
type OrderInstrument = Pick<Order, 'instrument' | 'instrumentIndex'>;

const RECONCILE: CallOptions = { priority: 'reconcile' };

/** Reads one list for one order of unknown outcome. */
export class EvidenceReader {
  readonly #deps: EvidenceReaderDeps;
  readonly #orderTimes = new OrderTimes();

  constructor(deps: EvidenceReaderDeps) {
    this.#deps = deps;
  }

  /** Reads the channel and reports the evidence to the sink once. If the read finds the order, attribution reports that instead. */
  read(tracked: TrackedOrder, order: OrderInstrument, channel: Channel): void {
    start(this.#readAndReport(tracked, order, channel));
  }

  /** Reads one channel for an order of unknown outcome. Reports the evidence, unless the order has been found meanwhile. */
  *#readAndReport(tracked: TrackedOrder, order: OrderInstrument, channel: Channel): Work<void> {
    const { venueNow, lastMs, sink, attribution } = this.#deps;
    const readMs = yield* venueNow();
    const venueMs = readMs ?? lastMs();
    const { isComplete, hasDifference } = yield* this.#readChannel(tracked, order, channel, venueMs);
    if (!tracked.isSought) return;
    // An order that counts as foreign may be this order. Then no list proves that this order is absent.
    const isConclusive = isComplete && readMs !== null && !attribution.mayBeForeign(tracked);
    sink().evidence(tracked.id, { channel, venueMs, complete: isConclusive, found: hasDifference });
  }

  /** Reads one channel. `isComplete`: nothing that concerns the order can be missing. `hasDifference`: holdings differ from the books. */
  *#readChannel(
    tracked: TrackedOrder,
    { instrument, instrumentIndex: index }: OrderInstrument,
    channel: Channel,
    venueMs: number,
  ): Work<{ readonly isComplete: boolean; readonly hasDifference: boolean }> {
    const { holdings, readTrades } = this.#deps;
    const sinceMs = tracked.signMs - EARLY_MS;
    switch (channel) {
      case 'openOrders':
        return { isComplete: yield* this.#readOpenOrders(tracked, instrument, index, venueMs), hasDifference: false };
      case 'orderHistory':
        return { isComplete: yield* this.#readHistory(tracked, index, sinceMs, venueMs), hasDifference: false };
      case 'myTrades': {
        const { isComplete, unattributed } = yield* readTrades(index, sinceMs, RECONCILE);
        return { isComplete: isComplete && unattributed === 0, hasDifference: false };
      }
      case 'balances':
      case 'positions': {
        const { isComplete, differences } = yield* holdings.verify([index], RECONCILE);
        return { isComplete, hasDifference: differences.length > 0 };
      }
      default:
        return assertNever(channel);
    }
  }

  /** Reads the waiting trigger orders, then the open orders, and attributes the rows to tracked orders. Returns true if both lists were complete. */
  *#readOpenOrders(tracked: TrackedOrder, instrument: Instrument, index: number, venueMs: number): Work<boolean> {
    const { venue, orderIdentifier } = this.#deps;
    const areTriggersComplete = yield* this.#readWaitingTriggers(tracked, index, venueMs);
    const openOrdersPage = yield* venue.openOrders(instrument, RECONCILE);
    if (openOrdersPage === null) return false;
    const page = yield* orderIdentifier.withClientOrderIds(openOrdersPage, instrument, index, RECONCILE);
    this.#attributeRows(page, index, 'openOrders', venueMs);
    // A row may name the order under an id that the operator has ignored. Then the order is not absent.
    return areTriggersComplete && page.isComplete && rowsNaming(tracked, page).length === 0;
  }

  #attributeRows(page: Page<OrderRow>, instrumentIndex: number, channel: Channel, venueMs: number): void {
    for (const row of oldestFirst(page.rows)) {
      const tracked = this.#deps.attribution.attribute(row, { instrument: instrumentIndex, channel, venueMs });
      if (tracked !== null) this.#noteTime(tracked, row.timeMs);
    }
  }

  /** Notes the time of an own order. Rows of trigger orders do not count, because their time is that at which the order fired. */
  #noteTime({ request, signMs }: TrackedOrder, timeMs: number | null): void {
    if (!isTriggerOrder(request)) this.#orderTimes.noteOrderTime(signMs, timeMs);
  }

  /**
   * Reads the list of waiting trigger orders, where the terms identify an order, and adopts the row of the order. Fired trigger orders are in
   * the list of open orders instead. A row with equal terms and an earlier time proves nothing: it may be another order, or its time may be
   * wrong. `#onlyRowOf` decides about a single such row. Returns false if a row that proves nothing waits, or if the list was incomplete.
   */
  *#readWaitingTriggers(tracked: TrackedOrder, index: number, venueMs: number): Work<boolean> {
    const { venue, attribution, isKnownTrigger } = this.#deps;
    if (!isTriggerOrder(tracked.request)) return true;
    const rows = yield* venue.readTriggerOrders(tracked.request.instrument, RECONCILE);
    const isFree = ({ triggerOrderId: id }: TriggerOrder): boolean => !isKnownTrigger(index, id) && !attribution.isIgnored(id);
    const equalRows = rows?.filter((row) => matchesTrigger(row, tracked.request) && isFree(row)) ?? [];
    const ownRow =
      equalRows.find((row) => !isOlder(row, tracked.signMs)) ?? this.#onlyRowOf(tracked, index, equalRows.filter(mayStillWait));
    if (ownRow !== undefined && tracked.isSought) {
      const source = { instrument: index, channel: 'openOrders', venueMs } as const;
      attribution.adopt(tracked, triggerTrackId(ownRow.triggerOrderId, tracked.clientOrderId), source, null);
    }
    return rows !== null && (ownRow !== undefined || !equalRows.some(mayStillWait));
  }

  /**
   * Returns a row of terms that only one row and only one lost order have. Undefined if the row is older than that order. The age allows for the
   * lag of the exchange's times, which other own orders show.
   */
  #onlyRowOf({ signMs }: TrackedOrder, index: number, [onlyRow, ...otherRows]: readonly TriggerOrder[]): TriggerOrder | undefined {
    if (onlyRow === undefined || otherRows.length > 0 || isOlder(onlyRow, signMs - this.#orderTimes.lagMs(signMs))) return undefined;
    const lostOrders = Array.from(this.#deps.trackedOrders.triggersOf(index)).filter(({ venueId }) => venueId === null);
    return lostOrders.filter((order) => matchesTrigger(onlyRow, order.request)).length === 1 ? onlyRow : undefined;
  }

  /** Notes the times of the exchange in rows of own orders. */
  #noteTimes(rows: readonly OrderRow[]): void {
    for (const { cid, timeMs } of rows) {
      const own = cid === null ? undefined : this.#deps.trackedOrders.byClientOrderId(cid);
      if (own !== undefined) this.#noteTime(own, timeMs);
    }
  }

  /**
   * Reads the order history from the newest row back to the time before the order was created. Returns true if no row is missing, and false also
   * if the history shows the order.
   */
  *#readHistory(tracked: TrackedOrder, index: number, sinceMs: number, venueMs: number): Work<boolean> {
    const { venue, attribution } = this.#deps;
    const { instrument } = tracked.request;
    const paging = new Paging(null);
    let fromId: string | null = null;
    for (let isFirst = true; ; isFirst = false) {
      const page: Page<OrderRow> | null = yield* venue.history(instrument, fromId, RECONCILE);
      if (page === null || !page.isReadable) return false;
      this.#noteTimes(page.rows);
      const ownRows = rowsNaming(tracked, page);
      for (const ownRow of ownRows) attribution.attribute(ownRow, { instrument: index, channel: 'orderHistory', venueMs });
      // Attribution has found the order and has reported it, or the operator has ignored an order that the exchange names as this one.
      if (ownRows.length > 0 || !tracked.isSought) return false;
      const pageSeen: PageIds = { ids: page.rows.map(({ venueId }) => venueId), isFull: page.isCut };
      const reachesBack = page.rows.some(({ timeMs }) => timeMs !== null && timeMs < sinceMs);
      const step: PageStep = isFirst ? paging.takeNewest(pageSeen, reachesBack) : paging.takeRequested(pageSeen, reachesBack);
      if (step.kind !== 'ask') return step.kind === 'complete';
      fromId = step.fromId;
    }
  }
}

/** Returns the rows that have the client order id of the order, oldest first. */
function rowsNaming({ clientOrderId }: TrackedOrder, { rows }: Page<OrderRow>): readonly OrderRow[] {
  return oldestFirst(rows).filter(({ cid }) => cid?.toUpperCase() === clientOrderId.toUpperCase());
}
