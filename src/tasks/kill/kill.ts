// Runs a kill from end to end: cancel, prove, flatten, prove, report. It works without strategies, engine and risk rules, which may have failed.

import { ConfigError } from '../../base/errors.ts';
import type { InstrumentId } from '../../model/instrument.ts';
import { cancelAll, type Cancelled } from './cancel/cancelAll.ts';
import type { KillOrders } from './cancel/killOrders.ts';
import { flatten, FlattenProgress, type Flattened, type PositionToClose } from './flatten/flatten.ts';
import { doubtText } from './plan/attribution.ts';
import type { JournalBooks } from './evidence/journalBooks.ts';
import { Judge } from './evidence/judge.ts';
import { FuturesCloser } from './flatten/futuresCloser.ts';
import type { SliceJournal } from './flatten/sliceJournal.ts';
import { SpotCloser } from './flatten/spotCloser.ts';
import type { SliceTerms } from './plan/killPlan.ts';
import { drainTriggers } from './cancel/triggers.ts';
import { KillStopped, KillVenue, type KillDeps } from './plan/venue.ts';

/** The books and the journal for flattening, read once no order is open. */
export interface KillBooks {
  readonly books: JournalBooks;
  readonly journal: SliceJournal;
  /** False when contracts are in two-way mode. */
  readonly isNet: boolean;
}

/** The extent of a kill. */
export interface KillOptions {
  /** Cancels foreign orders as well. */
  readonly all: boolean;
  /** Null: positions are not closed. Called once all orders are cancelled. */
  readonly books: (() => Promise<KillBooks>) | null;
  readonly terms?: SliceTerms;
  /** Positions that the bot is believed to have, as sentences: for the report of a kill that does not complete. */
  readonly believed?: () => readonly string[];
}

/** The result of a kill. */
export interface KillReport {
  readonly flatten: boolean;
  readonly beganMs: number;
  readonly endedMs: number;
  /** Number of orders that were open and have ended. */
  readonly cancelled: number;
  readonly triggersCancelled: number;
  readonly slices: Flattened['slices'];
  readonly dust: readonly string[];
  /** Unsettled orders and positions, as sentences. Empty: everything requested is done and proved. */
  readonly residuals: readonly string[];
}

/**
 * Runs a kill to its end. The known orders are cancelled before the first wait. Never throws because of the exchange: the report lists
 * residuals. The caller has closed the kill switch and written its file.
 */
export async function runKill(deps: KillDeps, known: KillOrders, options: KillOptions): Promise<KillReport> {
  const venue = new KillVenue(deps);
  const report = new Report(venue, options.books !== null);
  // Orders whose end is not proved yet.
  let left = known;
  const progress = new FlattenProgress();
  try {
    const cancelled = await cancelAll(venue, known, options.all);
    report.noteCancelled(cancelled);
    left = { ...known, open: new Map() };
    if (options.books !== null) {
      const books = await options.books();
      const judge = new Judge(venue, books.books);
      const positions = positionsOf(venue, judge, books);
      report.noteFlattened(await flatten(venue, positions, options.terms, progress));
      // Protective orders of a position that could not be closed stay.
      report.triggersCancelled += await cancelProtective(venue, books.books.orders, options.all, report.open);
      // Slices are orders too, so verify that none of them is open.
      report.noteCancelledAgain(await cancelAll(venue, { ...books.books.orders, open: new Map(), unknownUntilMs: {} }, options.all));
    }
  } catch (error) {
    if (!(error instanceof KillStopped || error instanceof ConfigError)) throw error;
    report.noteStopped(error.message, progress, [...openTexts(left), ...(options.books === null ? [] : (options.believed?.() ?? []))]);
  } finally {
    venue.close();
  }
  return report.toReport();
}

/** Cancels the protective orders of closed positions and returns their number. `open`: instruments whose positions may remain. */
async function cancelProtective(venue: KillVenue, known: KillOrders, all: boolean, open: ReadonlySet<InstrumentId>): Promise<number> {
  const ended = new Set<string>();
  const closed = venue.deps.instruments.filter(({ id }) => !open.has(id));
  await Promise.all(closed.map((instrument) => drainTriggers(venue, instrument, known, { all, which: 'every', ended })));
  return ended.size;
}

/** Returns sentences about orders that may still be open, for a kill that does not complete. */
function openTexts({ open, waiting, own }: KillOrders): readonly string[] {
  const known = [
    ...[...open].flatMap(([id, ids]) => ids.map((venueId) => `${id}: order ${venueId} may still be open`)),
    ...[...waiting].flatMap(([id, ids]) => ids.map((triggerId) => `${id}: trigger order ${triggerId} may still wait`)),
  ];
  const lost = own === null ? [] : [...own.withoutVenueId].filter(({ isOver }) => !isOver);
  return [...known, ...lost.map((order) => doubtText({ order, fits: [], isUnseen: true }))];
}

/** Returns every position that the bot may have: by strategy for coins, by side for contracts. */
function positionsOf({ deps }: KillVenue, judge: Judge, { books, journal, isNet }: KillBooks): readonly PositionToClose[] {
  return deps.instruments.flatMap((instrument): readonly PositionToClose[] => {
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

/** Collects the results of a kill while it runs. */
class Report {
  readonly #venue: KillVenue;
  readonly #flatten: boolean;
  readonly #beganMs: number;
  #cancelled: Cancelled = { count: 0, left: [], triggers: 0, leftTriggers: [] };
  #flattened: Flattened = { slices: [], dust: [], residuals: [], open: new Set() };
  #stopped: readonly string[] = [];
  triggersCancelled = 0;

  constructor(venue: KillVenue, isFlatten: boolean) {
    this.#venue = venue;
    this.#flatten = isFlatten;
    this.#beganMs = venue.nowMs;
  }

  /** Instruments with a position that is left, or may be left. */
  get open(): ReadonlySet<InstrumentId> {
    return this.#flattened.open;
  }

  noteCancelled(found: Cancelled): void {
    this.#cancelled = found;
    this.triggersCancelled += found.triggers;
  }

  noteCancelledAgain(found: Cancelled): void {
    this.triggersCancelled += found.triggers;
    this.#cancelled = { ...found, count: this.#cancelled.count + found.count };
  }

  noteFlattened(found: Flattened): void {
    this.#flattened = found;
  }

  noteStopped(reason: string, { slices, inFlight }: FlattenProgress, left: readonly string[]): void {
    this.#stopped = [reason, ...inFlight, ...left];
    this.#flattened = { ...this.#flattened, slices: slices.slice() };
  }

  toReport(): KillReport {
    const { onPhase } = this.#venue.deps;
    const left = this.#cancelled.left.map(
      ({ instrument, order: { venueId, side, qty, price }, attribution }) =>
        `${instrument}: order ${venueId} (${side} ${qty}${price === null ? '' : ` at ${price}`}) ` +
        (attribution === 'alien' ? 'is not ours and stays open' : 'has an unknown owner and stays open'),
    );
    const waiting = this.#cancelled.leftTriggers.map(
      ({ instrument, trigger: { triggerOrderId, side, volume, triggerPrice } }) =>
        `${instrument}: trigger order ${triggerOrderId} (${side} ${volume} at ${triggerPrice}) has an unknown owner and stays waiting`,
    );
    const residuals = [...this.#stopped, ...left, ...waiting, ...this.#flattened.residuals];
    onPhase(
      'done',
      residuals.length === 0 ? `everything is cancelled${this.#flatten ? ' and flat' : ''}` : `${residuals.length} problems remain`,
    );
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
