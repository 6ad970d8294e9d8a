// The kill from end to end: cancel, prove, flatten, prove, report. It knows no strategy, no engine and no risk rule, so that it works when they do not.

import { ConfigError } from '../../base/errors.ts';
import { cancelAll, type Cancelled, type KillOrders } from './cancel/cancelAll.ts';
import { flatten, type Flattened, type Position } from './flatten/flatten.ts';
import { futuresPositions } from './flatten/futuresCloser.ts';
import type { SliceTerms } from './killPlan.ts';
import type { SliceJournal } from './flatten/sliceJournal.ts';
import { SpotCloser, type SpotHolding } from './flatten/spotCloser.ts';
import { cancelTriggers } from './cancel/triggers.ts';
import { KillStopped, KillVenue, type KillParts } from './venue.ts';

/** What flattening rests on: read once nothing is open any more. */
export interface KillBooks {
  /** Coins that the bot's own books hold, by strategy. */
  readonly spot: readonly (SpotHolding & { readonly strategy: number })[];
  /** The strategy to which the position of a contract belongs. */
  readonly strategyOf: (instrument: SpotHolding['instrument']) => number;
  readonly journal: SliceJournal;
}

export interface KillOptions {
  /** Orders of others as well. */
  readonly all: boolean;
  /** Null: positions are left as they are. Called once everything is cancelled. */
  readonly books: (() => Promise<KillBooks>) | null;
  readonly terms?: SliceTerms;
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
      report.flattened(await flatten(venue, await positionsOf(venue, books), options.terms));
      // What protects a position that could not be closed stays.
      if (!report.hasPositions) report.triggersCancelled = await cancelTriggers(venue);
      // A slice is an order too: none may be left.
      report.cancelledAgain(await cancelAll(venue, { ...known, open: new Map(), unknownSignMs: {} }, options.all));
    }
  } catch (error) {
    if (!(error instanceof KillStopped || error instanceof ConfigError)) throw error;
    report.stopped(error.message);
  }
  return report.done();
}

async function positionsOf(venue: KillVenue, { spot, strategyOf, journal }: KillBooks): Promise<readonly Position[]> {
  const coins = spot.map((holding) => ({
    instrument: holding.instrument,
    strategy: holding.strategy,
    closer: new SpotCloser(holding, journal),
  }));
  return [...coins, ...(await futuresPositions(venue, strategyOf, journal))];
}

class Report {
  readonly #venue: KillVenue;
  readonly #flatten: boolean;
  readonly #beganMs: number;
  #cancelled: Cancelled = { count: 0, left: [] };
  #flattened: Flattened = { slices: [], dust: [], residuals: [] };
  #stopped: string | null = null;
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

  stopped(why: string): void {
    this.#stopped = why;
  }

  done(): KillReport {
    const { tell } = this.#venue.parts;
    const left = this.#cancelled.left.map(
      ({ instrument, order: { venueId, side, qty, price }, whose }) =>
        `${instrument}: order ${venueId} (${side} ${qty}${price === null ? '' : ` at ${price}`}) ` +
        (whose === 'alien' ? 'is not ours and is left open' : 'does not say whose it is and is left open'),
    );
    const residuals = [...(this.#stopped === null ? [] : [this.#stopped]), ...left, ...this.#flattened.residuals];
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
