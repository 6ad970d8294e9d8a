// The kill from end to end: cancel, prove, flatten, prove, report. It knows no strategy, no engine and no risk rule, so that it works when they do not.

import { ConfigError } from '../../base/errors.ts';
import { cancelAll, type Cancelled, type KillOrders } from './cancel/cancelAll.ts';
import { flatten, type Flattened, type Position } from './flatten/flatten.ts';
import { doubtText } from './evidence/attribution.ts';
import type { JournalBooks } from './evidence/journalBooks.ts';
import { Judge } from './evidence/judge.ts';
import { FuturesCloser } from './flatten/futuresCloser.ts';
import type { SliceJournal } from './flatten/sliceJournal.ts';
import { SpotCloser } from './flatten/spotCloser.ts';
import type { SliceTerms } from './killPlan.ts';
import { cancelTriggers } from './cancel/triggers.ts';
import { KillStopped, KillVenue, type KillParts } from './venue.ts';

/** What flattening rests on: read once nothing is open any more. */
export interface KillBooks {
  readonly books: JournalBooks;
  readonly journal: SliceJournal;
  /** False where contracts are in two-way mode. */
  readonly isNet: boolean;
}

export interface KillOptions {
  /** Orders of others as well. */
  readonly all: boolean;
  /** Null: positions are left as they are. Called once everything is cancelled. */
  readonly books: (() => Promise<KillBooks>) | null;
  readonly terms?: SliceTerms;
  /** What the bot is known to hold, in sentences: for a kill that does not come through. */
  readonly believed?: () => readonly string[];
}

export interface KillReport {
  readonly flatten: boolean;
  readonly beganMs: number;
  readonly endedMs: number;
  /** Orders that were open and are no more. */
  readonly cancelled: number;
  readonly triggersCancelled: number;
  readonly slices: Flattened['slices'];
  readonly dust: readonly string[];
  /** What could not be settled, in sentences. Empty: all that was asked for is done, and proved. */
  readonly residuals: readonly string[];
}

/**
 * Runs a kill to its end; what `known` holds is on the wire before the first wait. Never throws for what the exchange does: a report with
 * residuals says it. The caller has closed the gate and written the latch.
 */
export async function runKill(parts: KillParts, known: KillOrders, options: KillOptions): Promise<KillReport> {
  const venue = new KillVenue(parts);
  const report = new Report(venue, options.books !== null);
  try {
    const cancelled = await cancelAll(venue, known, options.all);
    report.cancelled(cancelled);
    if (options.books !== null) {
      const books = await options.books();
      const judge = new Judge(venue, books.books);
      const positions = positionsOf(venue, judge, books);
      report.flattened(await flatten(venue, positions, options.terms));
      // What protects a position that could not be closed stays.
      if (!report.hasPositions) report.triggersCancelled = await cancelTriggers(venue);
      // A slice is an order too: none may be left.
      report.cancelledAgain(await cancelAll(venue, { own: books.books, open: new Map(), unknownUntilMs: {} }, options.all));
    }
  } catch (error) {
    if (!(error instanceof KillStopped || error instanceof ConfigError)) throw error;
    report.stopped(error.message, [...openTexts(known), ...(options.books === null ? [] : (options.believed?.() ?? []))]);
  } finally {
    venue.close();
  }
  return report.done();
}

/** What was not seen to end, when a kill does not come through. */
function openTexts({ open, own }: KillOrders): readonly string[] {
  const known = [...open].flatMap(([id, ids]) => ids.map((venueId) => `${id}: order ${venueId} may still be open`));
  const lost = own === null ? [] : [...own.lost].filter(({ isOver }) => !isOver);
  return [...known, ...lost.map((order) => doubtText({ order, fits: [], isUnseen: true }))];
}

/** Every position that the bot can have: of coins by strategy, of contracts by side. */
function positionsOf({ parts }: KillVenue, judge: Judge, { books, journal, isNet }: KillBooks): readonly Position[] {
  return parts.instruments.flatMap((instrument): readonly Position[] => {
    const lost = books.lostOf(instrument.id).map(({ strategy }) => strategy);
    const strategies = [...new Set([...books.heldOf(instrument.id).keys(), ...books.strategiesOf(instrument.id), ...lost])];
    if (instrument.market === 'spot')
      return strategies.map((strategy) => ({ instrument, strategy, closer: new SpotCloser({ instrument, strategy, judge, journal }) }));
    if (strategies.length === 0) return [];
    return (['buy', 'sell'] as const).map((positionSide) => ({
      instrument,
      strategy: books.strategyHolding(instrument.id, positionSide),
      closer: new FuturesCloser({ instrument, positionSide, judge, journal, isNet }),
    }));
  });
}

class Report {
  readonly #venue: KillVenue;
  readonly #flatten: boolean;
  readonly #beganMs: number;
  #cancelled: Cancelled = { count: 0, left: [] };
  #flattened: Flattened = { slices: [], dust: [], residuals: [] };
  #stopped: readonly string[] = [];
  triggersCancelled = 0;

  constructor(venue: KillVenue, isFlatten: boolean) {
    this.#venue = venue;
    this.#flatten = isFlatten;
    this.#beganMs = venue.nowMs;
  }

  get hasPositions(): boolean {
    return this.#flattened.residuals.length > 0;
  }

  cancelled(found: Cancelled): void {
    this.#cancelled = found;
  }

  cancelledAgain({ count, left }: Cancelled): void {
    this.#cancelled = { count: this.#cancelled.count + count, left };
  }

  flattened(found: Flattened): void {
    this.#flattened = found;
  }

  stopped(why: string, left: readonly string[]): void {
    this.#stopped = [why, ...left];
  }

  done(): KillReport {
    const { tell } = this.#venue.parts;
    const left = this.#cancelled.left.map(
      ({ instrument, order: { venueId, side, qty, price }, whose }) =>
        `${instrument}: order ${venueId} (${side} ${qty}${price === null ? '' : ` at ${price}`}) ` +
        (whose === 'alien' ? 'is not ours and is left open' : 'does not say whose it is and is left open'),
    );
    const residuals = [...this.#stopped, ...left, ...this.#flattened.residuals];
    tell('done', residuals.length === 0 ? 'all is cancelled' + (this.#flatten ? ' and flat' : '') : `${residuals.length} matters are left`);
    return {
      flatten: this.#flatten,
      beganMs: this.#beganMs,
      endedMs: this.#venue.nowMs,
      cancelled: this.#cancelled.count,
      triggersCancelled: this.triggersCancelled,
      slices: this.#flattened.slices,
      dust: this.#flattened.dust,
      residuals,
    };
  }
}
