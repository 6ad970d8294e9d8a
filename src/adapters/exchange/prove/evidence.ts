// Reads evidence about unknown orders. Each read starts with the venue's time and reports whether anything may be missing.

import { start, type Work } from '../../../base/task.ts';
import type { Order } from '../../../model/order.ts';
import type { Channel, ExchangeSink } from '../../../ports/exchange.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import { isTriggerOrder, isOlder, mayWait, triggerTrackId, matchesTrigger } from '../calls/triggers.ts';
import type { Identify } from '../observe/identify.ts';
import type { HoldingsCheck } from '../account/holdingsCheck.ts';
import type { OrderAttribution } from '../observe/attribution.ts';
import { Paging } from '../calls/paging.ts';
import type { OrderRow, Page } from '../calls/rows.ts';
import type { TrackedOrder } from '../order/trackedOrder.ts';
import type { TradesRead } from '../observe/tradeReader.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface EvidenceReaderDeps {
  readonly venue: VenueCalls;
  readonly ownership: OrderAttribution;
  readonly identify: Identify;
  readonly holdings: HoldingsCheck;
  readonly sink: () => ExchangeSink;
  /** Reads the venue's time now. Passes null if it did not arrive or the clock has jumped. */
  readonly venueNow: (done: (ms: number | null) => void) => void;
  /** True if one of our orders is known to wait under this id. */
  readonly isWaiting: (instrument: number, triggerId: string) => boolean;
  /** The highest venue time seen. */
  readonly lastMs: () => number;
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions) => Work<TradesRead>;
}

const RECONCILE: CallOptions = { priority: 'reconcile' };
/** How far an order's creation time may precede its signing time. */
const EARLY_MS = 1000;

export class EvidenceReader {
  readonly #parts: EvidenceReaderDeps;

  constructor(parts: EvidenceReaderDeps) {
    this.#parts = parts;
  }

  /** Reports evidence to the sink once. If the read finds the order, attribution has already reported that. */
  read(track: TrackedOrder, order: Pick<Order, 'instrument' | 'instrumentIndex'>, channel: Channel): void {
    const { venueNow, lastMs, sink } = this.#parts;
    venueNow((ms) => {
      const venueMs = ms ?? lastMs();
      const report = (complete: boolean, found = false): void => {
        if (track.stage !== 'unknown') return;
        sink().evidence(track.id, { channel, venueMs, complete: complete && ms !== null, found });
      };
      this.#readChannel(track, order, channel, venueMs, report);
    });
  }

  #readChannel(
    track: TrackedOrder,
    { instrument, instrumentIndex: index }: Pick<Order, 'instrument' | 'instrumentIndex'>,
    channel: Channel,
    venueMs: number,
    report: (complete: boolean, found?: boolean) => void,
  ): void {
    const { venue, holdings, identify, readTrades } = this.#parts;
    const sinceMs = track.signMs - EARLY_MS;
    switch (channel) {
      case 'openOrders':
        return this.#waiting(track, index, venueMs, (isWhole) =>
          start(venue.openOrders(instrument, RECONCILE)).whenOver((listed) => {
            if (listed === null) return report(false);
            start(identify.rows(listed, instrument, index, RECONCILE)).whenOver((page) => {
              this.#judge(page, index, channel, venueMs);
              report(isWhole && page.isWhole);
            });
          }),
        );
      case 'orderHistory':
        return this.#history(track, index, sinceMs, venueMs, report);
      case 'myTrades':
        return start(readTrades(index, sinceMs, RECONCILE)).whenOver(({ isWhole, unattributed }) => report(isWhole && unattributed === 0));
      case 'balances':
      case 'positions':
        return holdings.verify([index], RECONCILE, ({ isWhole, differences }) => report(isWhole, differences.length > 0));
    }
  }

  #judge(page: Page<OrderRow>, instrument: number, channel: Channel, venueMs: number): void {
    for (const row of page.rows) this.#parts.ownership.attribute(row, { instrument, channel, venueMs });
  }

  /**
   * A waiting trigger order has its own list, where its terms identify it. Fired ones are searched among the orders. A row with equal terms
   * that says it is older proves nothing: it may be another order, or its time may be wrong.
   */
  #waiting(track: TrackedOrder, index: number, venueMs: number, done: (isWhole: boolean) => void): void {
    const { venue, ownership, isWaiting } = this.#parts;
    if (!isTriggerOrder(track.request)) return done(true);
    start(venue.waiting(track.request.instrument, RECONCILE)).whenOver((rows) => {
      const isFree = ({ triggerOrderId: id }: TriggerOrder): boolean => !isWaiting(index, id) && !ownership.isIgnored(id);
      const alike = rows?.filter((row) => matchesTrigger(row, track.request) && isFree(row)) ?? [];
      const own = alike.find((row) => !isOlder(row, track.signMs));
      if (own !== undefined && track.stage === 'unknown') {
        const seen = { instrument: index, channel: 'openOrders', venueMs } as const;
        ownership.adopt(track, triggerTrackId(own.triggerOrderId, track.cid), seen, null);
      }
      done(rows !== null && (own !== undefined || !alike.some(mayWait)));
    });
  }

  /** Reads the history, newest first, until it reaches back before the order's creation. Rows of other orders are ignored. */
  #history(track: TrackedOrder, index: number, sinceMs: number, venueMs: number, report: (complete: boolean) => void): void {
    const { venue, ownership } = this.#parts;
    const { instrument } = track.request;
    const paging = new Paging(null);
    let isFirst = true;
    const took = (page: Page<OrderRow> | null): void => {
      if (page === null || !page.isReadable) return report(false);
      const own = page.rows.find(({ cid }) => cid !== null && cid.toUpperCase() === track.cid.toUpperCase());
      if (own !== undefined) ownership.attribute(own, { instrument: index, channel: 'orderHistory', venueMs });
      if (track.stage !== 'unknown') return;
      const seen = { ids: page.rows.map(({ venueId }) => venueId), isFull: page.isCut };
      const reachesBack = page.rows.some(({ timeMs }) => timeMs !== null && timeMs < sinceMs);
      const step = isFirst ? paging.first(seen, reachesBack) : paging.next(seen, reachesBack);
      isFirst = false;
      if (step.kind === 'ask') start(venue.history(instrument, step.fromId, RECONCILE)).whenOver(took);
      else report(step.kind === 'complete');
    };
    start(venue.history(instrument, null, RECONCILE)).whenOver(took);
  }
}
