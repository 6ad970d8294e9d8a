// Says whose an order of the exchange is, and what follows where that was not known: adopted, landed late, doubled, or nobody's.

import { assertNever } from '../../../base/assert.ts';
import type { VenueOrderId } from '../../../model/order.ts';
import type { Channel, ExchangeSink } from '../../../ports/exchange.ts';
import { STATUS_MEANING } from '../../../protocol/codes.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import { waitingId, waitsLike } from './conditions.ts';
import { matchRow } from './match.ts';
import type { OrderRow } from './rows.ts';
import type { Track, Tracks } from './track.ts';
import type { Troubles } from './troubles.ts';

/** Where and when a row was seen: `venueMs` is a lower bound of the exchange's time. */
export interface Sighting {
  readonly instrument: number;
  readonly channel: Channel;
  readonly venueMs: number;
}

export interface OwnershipParts {
  readonly tracks: Tracks;
  readonly troubles: Troubles;
  readonly sink: () => ExchangeSink;
  /** An order of ours has become known under its id: it is followed from now on. */
  readonly adopted: (track: Track) => void;
  /** Cancels an order that is ours and too many. */
  readonly cancelExtra: (instrument: number, venueId: string) => void;
}

/** An order of the exchange that is ours by no sign, until a person has named it. */
export interface Alien {
  readonly venueId: string;
  readonly instrument: number;
  readonly why: string;
  /** It waits for a price: what it asks for is known to the list of such orders alone. */
  readonly isWaiting: boolean;
}

export class Ownership {
  readonly #parts: OwnershipParts;
  /** Named by a person as none of our business. */
  readonly #ignored = new Set<string>();
  /** Seen, ours by no sign, and told. */
  readonly #aliens = new Map<string, Alien>();
  readonly #extras = new Set<string>();

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  get aliens(): ReadonlyMap<string, Alien> {
    return this.#aliens;
  }
  /** Its fills are not ours, and nothing new is to be learned of it. */
  isNobodys(venueId: string): boolean {
    return this.#ignored.has(venueId) || this.#aliens.has(venueId) || this.#extras.has(venueId);
  }
  ignore(venueId: string): void {
    this.#ignored.add(venueId);
    this.claimed(venueId);
  }
  /** A person has named it: it stands against trading no more. */
  claimed(venueId: string): void {
    this.#aliens.delete(venueId);
    if (this.#aliens.size === 0) this.#parts.troubles.over('ALIEN', null);
  }

  /** Whose the row is; null: not ours. What has to follow is done. */
  judge(row: OrderRow, seen: Sighting): Track | null {
    const { venueId } = row;
    if (this.isNobodys(venueId)) return null;
    const match = matchRow(row, seen.instrument, this.#parts.tracks);
    switch (match.kind) {
      case 'known':
        return match.track;
      case 'found':
        this.adopt(match.track, venueId, seen, row.timeMs);
        return match.track;
      case 'duplicate':
        this.#duplicate(match.track, row, seen);
        return null;
      case 'alien':
        this.alien(venueId, seen.instrument, 'no order of ours asks for what it asks');
        return null;
      default:
        return assertNever(match);
    }
  }

  /** The same of a row that waits for its price, which is none of those whose place in that list is known. `own`: orders that were to wait. */
  judgeWaiting(row: TriggerOrder, own: Iterable<Track>, seen: Sighting): void {
    const { triggerOrderId } = row;
    if (this.isNobodys(triggerOrderId)) return;
    const track = Array.from(own).find(({ wanted, signMs, venueId }) => venueId === null && waitsLike(row, wanted, signMs));
    if (track === undefined) return this.alien(triggerOrderId, seen.instrument, 'no order of ours waits like it', true);
    // Its answer is on the way: what it says is better than a likeness.
    if (track.stage === 'sent' || track.stage === 'waiting') return;
    this.adopt(track, waitingId(triggerOrderId, track.cid), seen, null);
  }

  /** A track that had no id has one. */
  adopt(track: Track, venueId: string, { channel, venueMs }: Sighting, timeMs: number | null): void {
    const { tracks } = this.#parts;
    const sink = this.#parts.sink();
    const { isDead, stage } = track;
    // A condition order that has fired goes on as what came of it: nobody is told, for nothing has changed for those in charge.
    const hasFired = track.venueId !== null && !isDead;
    const atMs = timeMs ?? venueMs;
    const id = venueId as VenueOrderId;
    tracks.named(track, venueId);
    tracks.alive(track);
    if (hasFired) return this.#parts.adopted(track);
    if (isDead) sink.landed(track.id, id, atMs);
    else if (stage === 'unknown') sink.evidence(track.id, { channel, venueMs, complete: true, found: true, venueId: id });
    else sink.acked(track.id, id, atMs);
    this.#parts.adopted(track);
  }

  alien(venueId: string, instrument: number, why: string, isWaiting = false): void {
    if (this.isNobodys(venueId)) return;
    this.#aliens.set(venueId, { venueId, instrument, why, isWaiting });
    this.#parts.troubles.raise('ALIEN', null, `order ${venueId} of ${this.#parts.troubles.nameOf(instrument)} is nobody's: ${why}`);
  }

  /** Somebody on the way has sent it twice: the other one counts, this one is taken back, and a person has to look. */
  #duplicate(track: Track, row: OrderRow, { instrument }: Sighting): void {
    this.#extras.add(row.venueId);
    this.#parts.troubles.raise(
      'DUPLICATE',
      null,
      `order ${row.venueId} has the client order id of ${track.venueId ?? 'another'}: ${track.cid}`,
    );
    if (STATUS_MEANING[row.status.word].kind !== 'terminal') this.#parts.cancelExtra(instrument, row.venueId);
  }
}
