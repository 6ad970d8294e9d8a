// One look at an instrument: what is open, what was traded, and what has become of each order that the list does not show.

import type { Instrument } from '../../../model/instrument.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { Ownership } from './ownership.ts';
import { forAll } from '../calls/all.ts';
import { isOther, mayWait, waitingIn } from '../calls/conditions.ts';
import type { Identify } from './identify.ts';
import type { FenceEars } from '../calls/parts.ts';
import type { OrderRow, Page } from '../calls/rows.ts';
import { isTerminal, type StatusReader } from './statusReader.ts';
import type { Track, Tracks } from '../order/track.ts';
import type { TradeReader } from './tradeReader.ts';
import type { Troubles } from '../order/troubles.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface PassParts {
  readonly instrument: Instrument;
  readonly index: number;
  readonly venue: VenueCalls;
  readonly tracks: Tracks;
  readonly ownership: Ownership;
  readonly identify: Identify;
  readonly troubles: Troubles;
  readonly trades: TradeReader;
  readonly statuses: () => StatusReader;
  readonly venueMs: () => number;
  /** Of our clock. */
  readonly nowMs: () => number;
  readonly fence: FenceEars | null;
}

interface Asked {
  readonly options: CallOptions;
  readonly done: (isWhole: boolean) => void;
}

export class Passes {
  readonly #parts: PassParts;
  readonly #waiting: Asked[] = [];
  #isRunning = false;

  constructor(parts: PassParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** `done` is called once, with whether every list was complete. A look that is under way may have begun too early: another follows. */
  run(options: CallOptions, done: (isWhole: boolean) => void): void {
    this.#waiting.push({ options, done });
    if (!this.#isRunning) this.#begin();
  }

  #begin(): void {
    const asked = this.#waiting.splice(0);
    if (asked.length === 0) return;
    this.#isRunning = true;
    const { options } = asked[0]!;
    const { trades, index, troubles, nowMs } = this.#parts;
    const askedMs = nowMs();
    this.#openOrders(options, (page) => {
      const listed = page === null ? null : this.#judge(page);
      this.#judgeWaiting(listed, options, (areWaitingWhole) =>
        trades.read(Infinity, options, ({ isWhole, strays }) => {
          const isComplete = page !== null && page.isWhole && areWaitingWhole && isWhole;
          if (page !== null && !page.isWhole) troubles.raise('GAP', index, 'the list of open orders is cut off or cannot be read');
          else if (isComplete) troubles.over('GAP', index);
          this.#checkOthers(listed, askedMs, options, () => {
            this.#isRunning = false;
            for (const { done } of asked) done(isComplete && strays === 0);
            if (!this.#isRunning) this.#begin();
          });
        }),
      );
    });
  }

  /** Null: the list did not come. */
  #openOrders(options: CallOptions, done: (page: Page<OrderRow> | null) => void): void {
    const { venue, instrument, index, identify } = this.#parts;
    venue.openOrders(instrument, options, (page) => {
      if (page === null) done(null);
      else identify.rows(page, instrument, index, options, done);
    });
  }

  /** The orders of ours that the list shows as open. */
  #judge(page: Page<OrderRow>): Set<Track> {
    const { ownership, index, venueMs, instrument } = this.#parts;
    const seen = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
    const found = new Set<Track>();
    if (page.isWhole) ownership.listed(index, new Set(page.rows.map(({ venueId }) => venueId)));
    for (const row of page.rows) {
      const track = ownership.judge(row, seen);
      if (track === null) continue;
      this.#listed(track);
      const isBehind = toScaled(row.executed, instrument.quantityDigits) !== track.filledLots;
      if (!isTerminal(row) && !isBehind) found.add(track);
    }
    return found;
  }

  /** Those that wait for a price, in a list of their own. It is read where orders of ours were ever to wait there. */
  #judgeWaiting(listed: Set<Track> | null, options: CallOptions, done: (isWhole: boolean) => void): void {
    const { venue, instrument, index, tracks, ownership, venueMs } = this.#parts;
    const own = tracks.conditionsOf(index);
    if (own.size === 0) return done(true);
    venue.waiting(instrument, options, (rows) => {
      const seen = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
      for (const row of rows ?? []) {
        if (!mayWait(row)) continue;
        const known = Array.from(own).find(({ venueId }) => waitingIn(venueId)?.triggerId === row.triggerOrderId);
        if (known?.venueId && isOther(row, known.wanted)) ownership.contested([known], known.venueId);
        else if (known !== undefined) listed?.add(known);
        else ownership.judgeWaiting(row, own, seen);
      }
      done(rows !== null);
    });
  }

  /** How much later than its acknowledgement a list shows an order is the lag of the lists. */
  #listed(track: Track): void {
    const { fence, nowMs } = this.#parts;
    if (track.listed === 'missed') fence?.lagged(nowMs() - track.knownMs);
    track.listed = 'seen';
  }

  /** Without a list every order is asked about. */
  #checkOthers(listed: ReadonlySet<Track> | null, askedMs: number, options: CallOptions, done: () => void): void {
    const { tracks, index } = this.#parts;
    const others = Array.from(tracks.openOf(index)).filter((track) => track.stage === 'live' && !(listed?.has(track) ?? false));
    const miss = (track: Track): void => {
      if (listed !== null) this.#missed(track, askedMs);
    };
    forAll<Track, void>(others, (track, one) => this.#parts.statuses().check(track, options, () => one(miss(track))), done);
  }
  /**
   * An order that a later list shows as open has been open since its acknowledgement: a list that was asked for after that and did not
   * show it was older. A list that was on its way meanwhile says nothing.
   */
  #missed(track: Track, askedMs: number): void {
    const isLate = track.stage === 'live' && track.knownMs < askedMs && waitingIn(track.venueId) === null;
    if (isLate && track.listed === 'not yet') track.listed = 'missed';
  }
}
