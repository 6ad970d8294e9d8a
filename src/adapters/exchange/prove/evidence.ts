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
  readonly isKnownTrigger: (instrument: number, triggerId: string) => boolean;
  /** The highest venue time seen. */
  readonly lastMs: () => number;
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions) => Work<TradesRead>;
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
    start(this.#report(tracked, order, channel));
  }

  /** Reads one channel for an order of unknown outcome. Reports the evidence, unless the order has been found meanwhile. */
  *#report(tracked: TrackedOrder, order: OrderInstrument, channel: Channel): Work<void> {
    const { venueNow, lastMs, sink } = this.#deps;
    const ms = yield* venueNow();
    const venueMs = ms ?? lastMs();
    const { complete, found } = yield* this.#readChannel(tracked, order, channel, venueMs);
    if (!tracked.isSought) return;
    sink().evidence(tracked.id, { channel, venueMs, complete: complete && ms !== null, found });
  }

  /** Reads one channel. `complete`: nothing that concerns the order can be missing. `found`: holdings differ from the books. */
  *#readChannel(
    tracked: TrackedOrder,
    { instrument, instrumentIndex: index }: OrderInstrument,
    channel: Channel,
    venueMs: number,
  ): Work<{ readonly complete: boolean; readonly found: boolean }> {
    const { holdings, readTrades } = this.#deps;
    const sinceMs = tracked.signMs - EARLY_MS;
    switch (channel) {
      case 'openOrders':
        return { complete: yield* this.#openOrders(tracked, instrument, index, venueMs), found: false };
      case 'orderHistory':
        return { complete: yield* this.#history(tracked, index, sinceMs, venueMs), found: false };
      case 'myTrades': {
        const { isComplete, unattributed } = yield* readTrades(index, sinceMs, RECONCILE);
        return { complete: isComplete && unattributed === 0, found: false };
      }
      case 'balances':
      case 'positions': {
        const { isComplete, differences } = yield* holdings.verify([index], RECONCILE);
        return { complete: isComplete, found: differences.length > 0 };
      }
      default:
        return assertNever(channel);
    }
  }

  /** Reads the waiting trigger orders, then the open orders. Returns true if both lists were complete. */
  *#openOrders(tracked: TrackedOrder, instrument: Instrument, index: number, venueMs: number): Work<boolean> {
    const { venue, orderIdentifier } = this.#deps;
    const areTriggersComplete = yield* this.#triggerOrders(tracked, index, venueMs);
    const listed = yield* venue.openOrders(instrument, RECONCILE);
    if (listed === null) return false;
    const page = yield* orderIdentifier.withClientOrderIds(listed, instrument, index, RECONCILE);
    this.#attributeRows(page, index, 'openOrders', venueMs);
    return areTriggersComplete && page.isComplete;
  }

  #attributeRows(page: Page<OrderRow>, instrument: number, channel: Channel, venueMs: number): void {
    for (const row of oldestFirst(page.rows)) {
      const tracked = this.#deps.attribution.attribute(row, { instrument, channel, venueMs });
      if (tracked !== null) this.#noteTime(tracked, row.timeMs);
    }
  }

  /** Notes the time of an own order. What a trigger order has placed is as old as the moment at which it fired. */
  #noteTime({ request, signMs }: TrackedOrder, timeMs: number | null): void {
    if (!isTriggerOrder(request)) this.#orderTimes.noteOrderTime(signMs, timeMs);
  }

  /**
   * Reads the list of waiting trigger orders, where the terms identify an order. Fired ones are in the list of open orders. A row with
   * equal terms and an earlier time proves nothing: it may be another order, or its time may be wrong. Other own orders may show by how much the
   * times of the exchange lie behind. This lag is subtracted if only one lost order and one row have these terms. Returns false if a row that
   * proves nothing waits, or if the list was incomplete.
   */
  *#triggerOrders(tracked: TrackedOrder, index: number, venueMs: number): Work<boolean> {
    const { venue, attribution, isKnownTrigger } = this.#deps;
    if (!isTriggerOrder(tracked.request)) return true;
    const rows = yield* venue.readTriggerOrders(tracked.request.instrument, RECONCILE);
    const isFree = ({ triggerOrderId: id }: TriggerOrder): boolean => !isKnownTrigger(index, id) && !attribution.isIgnored(id);
    const withEqualTerms = rows?.filter((row) => matchesTrigger(row, tracked.request) && isFree(row)) ?? [];
    const ownRow =
      withEqualTerms.find((row) => !isOlder(row, tracked.signMs)) ?? this.#onlyRowOf(tracked, index, withEqualTerms.filter(mayStillWait));
    if (ownRow !== undefined && tracked.isSought) {
      const sighting = { instrument: index, channel: 'openOrders', venueMs } as const;
      attribution.adopt(tracked, triggerTrackId(ownRow.triggerOrderId, tracked.clientOrderId), sighting, null);
    }
    return rows !== null && (ownRow !== undefined || !withEqualTerms.some(mayStillWait));
  }

  /** Returns the only row that has the terms of the only lost order like it, if it is as old as that order by the times of other own orders. */
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

  /** Reads the order history from the newest row back to the time before the order was created. Returns true if no row is missing. */
  *#history(tracked: TrackedOrder, index: number, sinceMs: number, venueMs: number): Work<boolean> {
    const { venue, attribution } = this.#deps;
    const { instrument } = tracked.request;
    const paging = new Paging(null);
    let fromId: string | null = null;
    for (let isFirst = true; ; isFirst = false) {
      const page: Page<OrderRow> | null = yield* venue.history(instrument, fromId, RECONCILE);
      if (page === null || !page.isReadable) return false;
      this.#noteTimes(page.rows);
      const ownRow = oldestFirst(page.rows).find(({ cid }) => cid !== null && cid.toUpperCase() === tracked.clientOrderId.toUpperCase());
      if (ownRow !== undefined) attribution.attribute(ownRow, { instrument: index, channel: 'orderHistory', venueMs });
      // Attribution has found the order.
      if (!tracked.isSought) return false;
      const pageSeen: PageIds = { ids: page.rows.map(({ venueId }) => venueId), isFull: page.isCut };
      const reachesBack = page.rows.some(({ timeMs }) => timeMs !== null && timeMs < sinceMs);
      const step: PageStep = isFirst ? paging.takeNewest(pageSeen, reachesBack) : paging.takeRequested(pageSeen, reachesBack);
      if (step.kind !== 'ask') return step.kind === 'complete';
      fromId = step.fromId;
    }
  }
}
