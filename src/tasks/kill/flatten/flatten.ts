// Steps 5 and 6 of a kill: closes positions in slices that can only reduce them, each settled before the next, then verifies the result.

import { Decimal } from '../../../base/number/decimal.ts';
import { sizeText, type Instrument, type InstrumentId } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import { isDust, nextSlice, type BookLevel, type SliceTerms } from '../plan/killPlan.ts';
import { KillGaveUp, type KillVenue } from '../plan/killVenue.ts';

/** The closable part of a position, determined again before every slice. Quantities are in coins or contracts. */
export interface Closable {
  /** The side of the reducing order. */
  readonly side: Side;
  /** The smallest position of the bot that agrees with all evidence. Never more than this is closed. */
  readonly qty: Decimal;
  /** Quantity that the bot may hold beyond `qty`. */
  readonly uncertainQty: Decimal;
  /** Why `uncertainQty` may not be the bot's, as sentences. */
  readonly uncertainties: readonly string[];
}

/** The terms of a slice. */
export interface SliceOrder {
  readonly instrument: Instrument;
  /** Index of the strategy that has the position. */
  readonly strategy: number;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
}

/** The outcome of a slice. */
export type SliceOutcome =
  | { readonly kind: 'ended'; readonly filled: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** The outcome is unknown: no further slice of this position may be sent. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Closes a position. Each market has its own implementation. */
export interface Closer {
  /** Returns the closable part; null: the bot has no position there. Throws KillStopped. */
  closable(venue: KillVenue): Promise<Closable | null>;
  readBook(venue: KillVenue): Promise<{ readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] }>;
  /** Sends a slice once, and resolves when its outcome is certain. `restMs`: how long it may rest in the book before it is cancelled. */
  place(venue: KillVenue, slice: SliceOrder, restMs: number): Promise<SliceOutcome>;
}

/** A position, and how it is closed. */
export interface PositionToClose {
  readonly instrument: Instrument;
  readonly strategy: number;
  readonly closer: Closer;
}

/** A slice that has ended. */
export interface DoneSlice {
  readonly instrument: InstrumentId;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
  readonly filled: string;
}

/** The result of flattening. */
export interface FlattenResult {
  readonly slices: readonly DoneSlice[];
  /** Remaining positions and the reasons, as sentences; empty: flat. Remainders below the smallest order are in `dust`. */
  readonly residuals: readonly string[];
  readonly dust: readonly string[];
  /** Instruments with a position that remains or may remain. */
  readonly openInstruments: ReadonlySet<InstrumentId>;
  /** Instruments whose flattening ended without proof, because the exchange did not answer or nothing progressed. */
  readonly unprovenInstruments: ReadonlySet<InstrumentId>;
}

interface FlattenedPosition extends Omit<FlattenResult, 'openInstruments' | 'unprovenInstruments'> {
  readonly gaveUp?: boolean;
}

/** Returns why an instrument ended without proof, as a sentence that names it. */
export const gaveUpText = (id: InstrumentId, reason: string): string => (reason.includes(`${id}: `) ? reason : `${id}: ${reason}`);

/** The slices of a flattening, for the report of a kill that is stopped in the middle of it. */
export class FlattenProgress {
  /** The slices that have ended. */
  readonly slices: DoneSlice[] = [];
  /** Slices that were sent and have not ended, as sentences. */
  readonly inFlight = new Set<string>();
}

/** Stop after this many refused slices in a row. */
const MAX_REFUSALS = 5;
const PAUSE_BETWEEN_SLICES_MS = 250;

/** Closes instruments in parallel, and the positions of one instrument in sequence. Throws KillStopped. */
export async function flatten(
  venue: KillVenue,
  positions: readonly PositionToClose[],
  terms?: SliceTerms,
  progress = new FlattenProgress(),
): Promise<FlattenResult> {
  const ids = [...new Set(positions.map(({ instrument }) => instrument.id))];
  const parts = await Promise.all(
    ids.map(async (id) => {
      const done: FlattenedPosition[] = [];
      try {
        for (const position of positions)
          if (position.instrument.id === id) done.push(await flattenPosition(venue, position, progress, terms));
      } catch (error) {
        if (!(error instanceof KillGaveUp)) throw error;
        // Only this instrument ends here. Its slices count, and what may still be open of it is named.
        const isOf = (text: string): boolean => text.startsWith(`${id}: `);
        const slices = progress.slices.filter(({ instrument }) => instrument === id);
        return [{ slices, residuals: [gaveUpText(id, error.message), ...[...progress.inFlight].filter(isOf)], dust: [], gaveUp: true }];
      }
      return done;
    }),
  );
  return {
    slices: parts.flat().flatMap(({ slices }) => slices),
    residuals: parts.flat().flatMap(({ residuals }) => residuals),
    dust: parts.flat().flatMap(({ dust }) => dust),
    openInstruments: new Set(ids.filter((_, index) => parts[index]!.some(({ residuals }) => residuals.length > 0))),
    unprovenInstruments: new Set(ids.filter((_, index) => parts[index]!.some(({ gaveUp }) => gaveUp === true))),
  };
}

/** Closes one position slice by slice. */
async function flattenPosition(
  venue: KillVenue,
  { instrument, strategy, closer }: PositionToClose,
  progress: FlattenProgress,
  terms?: SliceTerms,
): Promise<FlattenedPosition> {
  const slices: DoneSlice[] = [];
  const { pollEveryMs, giveUpMs } = venue.deps.settings;
  let [step, refusals, restMs] = [0, 0, pollEveryMs];
  const timeLimit = venue.timeLimit('the book has no orders to close against');
  const endWith = (residual: string | null): FlattenedPosition => ({ slices, residuals: residual === null ? [] : [residual], dust: [] });
  for (;;) {
    const closable = await closer.closable(venue);
    if (closable === null || isDust(instrument, closable.qty)) break;
    // Only this position ends here: what was closed, and every other position, belongs in the report.
    if (timeLimit.reached !== null)
      return endWith(`${instrument.id}: ${sizeText(closable.qty.toFixed(), instrument)} left: ${timeLimit.reached}`);
    const { bids, asks } = await closer.readBook(venue);
    const { side, qty: max } = closable;
    const slice = nextSlice(instrument, { side, max, levels: side === 'sell' ? bids : asks, collarStep: step }, terms);
    if (slice === null) {
      venue.deps.onPhase('flattening', `${instrument.id}: the book is empty; retrying`);
      await timeLimit.wait(venue.deps.settings.pollEveryMs * 4);
      continue;
    }
    venue.deps.onPhase('flattening', `${instrument.id}: ${closable.side} ${slice.qty} of ${closable.qty.toFixed()} at ${slice.price}`);
    const sent = `${instrument.id}: a slice (${closable.side} ${slice.qty} at ${slice.price}) may still be open`;
    progress.inFlight.add(sent);
    const outcome = await closer.place(venue, { instrument, strategy, side: closable.side, ...slice }, restMs);
    progress.inFlight.delete(sent);
    if (outcome.kind === 'unknown') return endWith(`${instrument.id}: a slice of ${slice.qty} is of unknown outcome: ${outcome.why}`);
    if (outcome.kind === 'refused') {
      if (++refusals >= MAX_REFUSALS) return endWith(`${instrument.id}: ${closable.qty.toFixed()} left: ${outcome.why}`);
    } else {
      refusals = 0;
      const done = { instrument: instrument.id, side: closable.side, qty: slice.qty, price: slice.price, filled: outcome.filled };
      slices.push(done);
      progress.slices.push(done);
      // If the slice did not fill completely, the next one accepts a worse price.
      step = new Decimal(outcome.filled).lessThan(slice.qty) ? step + 1 : step;
      const isProgress = new Decimal(outcome.filled).greaterThan(0);
      // A market that trades now and then, such as one of bars, needs a slice that waits for it.
      restMs = isProgress ? pollEveryMs : Math.min(restMs * 2, giveUpMs / 5);
      if (isProgress) timeLimit.restart();
    }
    await timeLimit.wait(PAUSE_BETWEEN_SLICES_MS);
  }
  return { slices, ...(await verifyFlat(venue, instrument, closer)) };
}

/** Verifies by two reads, a read lag apart, that the bot has no position. Returns what remains. */
async function verifyFlat(venue: KillVenue, instrument: Instrument, closer: Closer): Promise<Omit<FlattenedPosition, 'slices'>> {
  venue.deps.onPhase('verifying', `${instrument.id}: checking that it is flat`);
  const first = await closer.closable(venue);
  await venue.wait(venue.deps.settings.readLagMs);
  const second = await closer.closable(venue);
  const readings = [first, second].filter((reading) => reading !== null);
  const max = (valueOf: (reading: Closable) => Decimal): Decimal => Decimal.max(0, ...readings.map(valueOf));
  const [sure, rest] = [max(({ qty }) => qty), max((reading) => reading.uncertainQty)];
  const warnings = second?.uncertainties ?? [];
  const message = (qty: Decimal): string => `${instrument.id}: ${sizeText(qty.toFixed(), instrument)} left`;
  const total = sure.plus(rest);
  if (isDust(instrument, total)) {
    const dust = total.greaterThan(0) ? [`${message(total)}, less than the smallest order`] : [];
    return { residuals: warnings, dust };
  }
  const remaining = isDust(instrument, sure) ? [] : [message(sure)];
  const possiblyLeft = isDust(instrument, rest) ? [] : [`${message(rest)}, which may be the bot's, but that is not proved`];
  return {
    residuals: [...(remaining.length + possiblyLeft.length === 0 ? [message(total)] : remaining), ...possiblyLeft, ...warnings],
    dust: [],
  };
}
