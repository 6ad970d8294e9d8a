// Reads for the resolver: each begins with the exchange's own time, and says of itself whether anything may be missing.

import type { Order } from '../../../model/order.ts';
import type { Channel, ExchangeSink } from '../../../ports/exchange.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import { isCondition, isOlder, mayWait, waitingId, waitsLike } from '../calls/conditions.ts';
import type { Identify } from '../observe/identify.ts';
import type { Holdings } from '../account/holdings.ts';
import type { Ownership } from '../observe/ownership.ts';
import { Paging } from '../calls/paging.ts';
import type { OrderRow, Page } from '../calls/rows.ts';
import type { Track } from '../order/track.ts';
import type { TradesRead } from '../observe/tradeReader.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface EvidenceParts {
  readonly venue: VenueCalls;
  readonly ownership: Ownership;
  readonly identify: Identify;
  readonly holdings: Holdings;
  readonly sink: () => ExchangeSink;
  /** The exchange's time, asked for now; null: it did not come, or the clock has jumped. */
  readonly venueNow: (done: (ms: number | null) => void) => void;
  /** True where an order of ours is known to wait there under this id. */
  readonly isWaiting: (instrument: number, triggerId: string) => boolean;
  /** The highest time of the exchange that was ever heard. */
  readonly lastMs: () => number;
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions, done: (read: TradesRead) => void) => void;
}

const RECONCILE: CallOptions = { priority: 'reconcile' };
/** How much earlier than its signature an order may seem to have been made. */
const EARLY_MS = 1000;

export class EvidenceReader {
  readonly #parts: EvidenceParts;

  constructor(parts: EvidenceParts) {
    this.#parts = parts;
  }

  /** Tells the sink once, unless the order is found: then it was told with that. */
  read(track: Track, order: Pick<Order, 'instrument' | 'instrumentIndex'>, channel: Channel): void {
    const { venueNow, lastMs, sink } = this.#parts;
    venueNow((ms) => {
      const venueMs = ms ?? lastMs();
      const tell = (complete: boolean, found = false): void => {
        if (track.stage !== 'unknown') return;
        sink().evidence(track.id, { channel, venueMs, complete: complete && ms !== null, found });
      };
      this.#readChannel(track, order, channel, venueMs, tell);
    });
  }

  #readChannel(
    track: Track,
    { instrument, instrumentIndex: index }: Pick<Order, 'instrument' | 'instrumentIndex'>,
    channel: Channel,
    venueMs: number,
    tell: (complete: boolean, found?: boolean) => void,
  ): void {
    const { venue, holdings, identify, readTrades } = this.#parts;
    const sinceMs = track.signMs - EARLY_MS;
    switch (channel) {
      case 'openOrders':
        return this.#waiting(track, index, venueMs, (isWhole) =>
          venue.openOrders(instrument, RECONCILE, (listed) => {
            if (listed === null) return tell(false);
            identify.rows(listed, instrument, index, RECONCILE, (page) => {
              this.#judge(page, index, channel, venueMs);
              tell(isWhole && page.isWhole);
            });
          }),
        );
      case 'orderHistory':
        return this.#history(track, index, sinceMs, venueMs, tell);
      case 'myTrades':
        return readTrades(index, sinceMs, RECONCILE, ({ isWhole, strays }) => tell(isWhole && strays === 0));
      case 'balances':
      case 'positions':
        return holdings.verify([index], RECONCILE, ({ isWhole, differences }) => tell(isWhole, differences.length > 0));
    }
  }

  #judge(page: Page<OrderRow>, instrument: number, channel: Channel, venueMs: number): void {
    for (const row of page.rows) this.#parts.ownership.judge(row, { instrument, channel, venueMs });
  }

  /**
   * A condition order waits in a list of its own, where it is known by what it asks for. What has fired is looked for among orders.
   * A row that is alike and says that it is older is no proof of either: it may be another's, and the time may be wrong.
   */
  #waiting(track: Track, index: number, venueMs: number, done: (isWhole: boolean) => void): void {
    const { venue, ownership, isWaiting } = this.#parts;
    if (!isCondition(track.wanted)) return done(true);
    venue.waiting(track.wanted.instrument, RECONCILE, (rows) => {
      const isFree = ({ triggerOrderId: id }: TriggerOrder): boolean => !isWaiting(index, id) && !ownership.isIgnored(id);
      const alike = rows?.filter((row) => waitsLike(row, track.wanted) && isFree(row)) ?? [];
      const own = alike.find((row) => !isOlder(row, track.signMs));
      if (own !== undefined && track.stage === 'unknown') {
        const seen = { instrument: index, channel: 'openOrders', venueMs } as const;
        ownership.adopt(track, waitingId(own.triggerOrderId, track.cid), seen, null);
      }
      done(rows !== null && (own !== undefined || !alike.some(mayWait)));
    });
  }

  /** Newest first, until it reaches back before the order can have been made. Rows of others are none of its business. */
  #history(track: Track, index: number, sinceMs: number, venueMs: number, tell: (complete: boolean) => void): void {
    const { venue, ownership } = this.#parts;
    const { instrument } = track.wanted;
    const paging = new Paging(null);
    let isFirst = true;
    const took = (page: Page<OrderRow> | null): void => {
      if (page === null || !page.isReadable) return tell(false);
      const own = page.rows.find(({ cid }) => cid !== null && cid.toUpperCase() === track.cid.toUpperCase());
      if (own !== undefined) ownership.judge(own, { instrument: index, channel: 'orderHistory', venueMs });
      if (track.stage !== 'unknown') return;
      const seen = { ids: page.rows.map(({ venueId }) => venueId), isFull: page.isCut };
      const reachesBack = page.rows.some(({ timeMs }) => timeMs !== null && timeMs < sinceMs);
      const step = isFirst ? paging.first(seen, reachesBack) : paging.next(seen, reachesBack);
      isFirst = false;
      if (step.kind === 'ask') venue.history(instrument, step.fromId, RECONCILE, took);
      else tell(step.kind === 'complete');
    };
    venue.history(instrument, null, RECONCILE, took);
  }
}
