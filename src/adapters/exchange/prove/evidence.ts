// Reads evidence about unknown orders. Each read starts with the venue's time and reports whether anything may be missing.

import { assertNever } from '../../../base/assert.ts';
import { start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Order } from '../../../model/order.ts';
import type { Channel, ExchangeSink } from '../../../ports/exchange.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import { isTriggerOrder, isOlder, mayWait, triggerTrackId, matchesTrigger } from '../calls/triggers.ts';
import type { Identify } from '../observe/identify.ts';
import type { HoldingsCheck } from '../account/holdingsCheck.ts';
import type { OrderAttribution } from '../observe/attribution.ts';
import { Paging, type PageSeen, type PageStep } from '../calls/paging.ts';
import type { OrderRow, Page } from '../calls/rows.ts';
import type { TrackedOrder } from '../order/trackedOrder.ts';
import type { TradesRead } from '../observe/tradeReader.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface EvidenceReaderDeps {
  readonly venue: VenueCalls;
  readonly attribution: OrderAttribution;
  readonly identify: Identify;
  readonly holdings: HoldingsCheck;
  readonly sink: () => ExchangeSink;
  /** Reads the venue's time now; null if it did not arrive or the clock has jumped. */
  readonly venueNow: () => Work<number | null>;
  /** True if one of our orders is known to wait under this id. */
  readonly isWaiting: (instrument: number, triggerId: string) => boolean;
  /** The highest venue time seen. */
  readonly lastMs: () => number;
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions) => Work<TradesRead>;
}

/** Where an order trades. */
type OrderPlace = Pick<Order, 'instrument' | 'instrumentIndex'>;

const RECONCILE: CallOptions = { priority: 'reconcile' };
/** How far an order's creation time may precede its signing time. */
const EARLY_MS = 1000;

export class EvidenceReader {
  readonly #parts: EvidenceReaderDeps;

  constructor(parts: EvidenceReaderDeps) {
    this.#parts = parts;
  }

  /** Reports evidence to the sink once. If the read finds the order, attribution has already reported that. */
  read(track: TrackedOrder, order: OrderPlace, channel: Channel): void {
    start(this.#report(track, order, channel));
  }

  *#report(track: TrackedOrder, order: OrderPlace, channel: Channel): Work<void> {
    const { venueNow, lastMs, sink } = this.#parts;
    const ms = yield* venueNow();
    const venueMs = ms ?? lastMs();
    const { complete, found } = yield* this.#readChannel(track, order, channel, venueMs);
    if (!track.isSought) return;
    sink().evidence(track.id, { channel, venueMs, complete: complete && ms !== null, found });
  }

  *#readChannel(
    track: TrackedOrder,
    { instrument, instrumentIndex: index }: OrderPlace,
    channel: Channel,
    venueMs: number,
  ): Work<{ readonly complete: boolean; readonly found: boolean }> {
    const { holdings, readTrades } = this.#parts;
    const sinceMs = track.signMs - EARLY_MS;
    switch (channel) {
      case 'openOrders':
        return { complete: yield* this.#openOrders(track, instrument, index, venueMs), found: false };
      case 'orderHistory':
        return { complete: yield* this.#history(track, index, sinceMs, venueMs), found: false };
      case 'myTrades': {
        const { isWhole, unattributed } = yield* readTrades(index, sinceMs, RECONCILE);
        return { complete: isWhole && unattributed === 0, found: false };
      }
      case 'balances':
      case 'positions': {
        const { isWhole, differences } = yield* holdings.verify([index], RECONCILE);
        return { complete: isWhole, found: differences.length > 0 };
      }
      default:
        return assertNever(channel);
    }
  }

  /** Waiting trigger orders first. Returns true if both lists were complete. */
  *#openOrders(track: TrackedOrder, instrument: Instrument, index: number, venueMs: number): Work<boolean> {
    const { venue, identify } = this.#parts;
    const areWaitingWhole = yield* this.#waiting(track, index, venueMs);
    const listed = yield* venue.openOrders(instrument, RECONCILE);
    if (listed === null) return false;
    const page = yield* identify.rows(listed, instrument, index, RECONCILE);
    this.#judge(page, index, 'openOrders', venueMs);
    return areWaitingWhole && page.isWhole;
  }

  #judge(page: Page<OrderRow>, instrument: number, channel: Channel, venueMs: number): void {
    for (const row of page.rows) this.#parts.attribution.attribute(row, { instrument, channel, venueMs });
  }

  /**
   * A waiting trigger order has its own list, where its terms identify it. Fired ones are searched among the orders. A row with equal terms
   * that says it is older proves nothing: it may be another order, or its time may be wrong.
   */
  *#waiting(track: TrackedOrder, index: number, venueMs: number): Work<boolean> {
    const { venue, attribution, isWaiting } = this.#parts;
    if (!isTriggerOrder(track.request)) return true;
    const rows = yield* venue.waiting(track.request.instrument, RECONCILE);
    const isFree = ({ triggerOrderId: id }: TriggerOrder): boolean => !isWaiting(index, id) && !attribution.isIgnored(id);
    const alike = rows?.filter((row) => matchesTrigger(row, track.request) && isFree(row)) ?? [];
    const own = alike.find((row) => !isOlder(row, track.signMs));
    if (own !== undefined && track.isSought) {
      const seen = { instrument: index, channel: 'openOrders', venueMs } as const;
      attribution.adopt(track, triggerTrackId(own.triggerOrderId, track.cid), seen, null);
    }
    return rows !== null && (own !== undefined || !alike.some(mayWait));
  }

  /** Reads the history, newest first, until it reaches back before the order's creation. Rows of other orders are ignored. */
  *#history(track: TrackedOrder, index: number, sinceMs: number, venueMs: number): Work<boolean> {
    const { venue, attribution } = this.#parts;
    const { instrument } = track.request;
    const paging = new Paging(null);
    let fromId: string | null = null;
    for (let isFirst = true; ; isFirst = false) {
      const page: Page<OrderRow> | null = yield* venue.history(instrument, fromId, RECONCILE);
      if (page === null || !page.isReadable) return false;
      const own = page.rows.find(({ cid }) => cid !== null && cid.toUpperCase() === track.cid.toUpperCase());
      if (own !== undefined) attribution.attribute(own, { instrument: index, channel: 'orderHistory', venueMs });
      // Found: nothing is left to prove.
      if (!track.isSought) return false;
      const seen: PageSeen = { ids: page.rows.map(({ venueId }) => venueId), isFull: page.isCut };
      const reachesBack = page.rows.some(({ timeMs }) => timeMs !== null && timeMs < sinceMs);
      const step: PageStep = isFirst ? paging.takeNewest(seen, reachesBack) : paging.takeRequested(seen, reachesBack);
      if (step.kind !== 'ask') return step.kind === 'complete';
      fromId = step.fromId;
    }
  }
}
