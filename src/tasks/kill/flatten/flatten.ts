// Steps 5 and 6 of a kill: closes positions in slices that can only reduce them, each settled before the next, then verifies the result.

import { ConfigError } from '../../../base/errors.ts';
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
  /** Quantity beyond `qty` that is proved to be the bot's, and that the exchange does not let it close, because open orders hold it. */
  readonly blockedQty: Decimal;
  /** Quantity that the bot may hold beyond both. */
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
  /** `filled`: in coins or contracts. */
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

/** The result for one position. `gaveUp`: its flattening ended without proof. */
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
/** Polls to wait before an empty book is read again. */
const EMPTY_BOOK_POLLS = 4;
/** Longest time for which a slice rests in the book, as a share of the time limit of the kill. */
const MAX_REST_SHARE = 0.2;

/** Closes instruments in parallel, and the positions of one instrument in sequence. Throws KillStopped. */
export async function flatten(
  venue: KillVenue,
  positions: readonly PositionToClose[],
  terms?: SliceTerms,
  progress = new FlattenProgress(),
): Promise<FlattenResult> {
  const ids = [...new Set(positions.map(({ instrument }) => instrument.id))];
  const flattenInstrument = async (id: InstrumentId): Promise<readonly FlattenedPosition[]> => {
    const flattened: FlattenedPosition[] = [];
    try {
      for (const position of positions)
        if (position.instrument.id === id) flattened.push(await flattenPosition(venue, position, progress, terms));
      return flattened;
    } catch (error) {
      if (!(error instanceof KillGaveUp)) throw error;
      return [abandonedPosition(id, error.message, progress)];
    }
  };
  const resultsById = await Promise.all(ids.map(flattenInstrument));
  const results = resultsById.flat();
  const idsWhere = (applies: (result: FlattenedPosition) => boolean): ReadonlySet<InstrumentId> =>
    new Set(ids.filter((_, index) => resultsById[index]!.some(applies)));
  return {
    slices: results.flatMap(({ slices }) => slices),
    residuals: results.flatMap(({ residuals }) => residuals),
    dust: results.flatMap(({ dust }) => dust),
    openInstruments: idsWhere(({ residuals }) => residuals.length > 0),
    unprovenInstruments: idsWhere(({ gaveUp }) => gaveUp === true),
  };
}

/** Returns the result for an instrument that was given up: its slices count, and slices that may still be open are named. */
function abandonedPosition(id: InstrumentId, reason: string, progress: FlattenProgress): FlattenedPosition {
  const slices = progress.slices.filter(({ instrument }) => instrument === id);
  const mayBeOpen = [...progress.inFlight].filter((text) => text.startsWith(`${id}: `));
  return { slices, residuals: [gaveUpText(id, reason), ...mayBeOpen], dust: [], gaveUp: true };
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
  // How much worse than the best price a slice may be, and how many slices in a row were refused.
  let collarStep = 0;
  let refusals = 0;
  let restMs = pollEveryMs;
  let isBookEmpty = false;
  const timeLimit = venue.timeLimit(() => (isBookEmpty ? 'the book has no orders to close against' : 'the slices do not fill'));
  const endWith = (residual: string | null): FlattenedPosition => ({ slices, residuals: residual === null ? [] : [residual], dust: [] });
  for (;;) {
    const closable = await closer.closable(venue);
    if (closable === null || isDust(instrument, closable.qty)) break;
    // Only this position ends here. The report needs what was closed of it, and every other position.
    if (timeLimit.reached !== null)
      return endWith(`${instrument.id}: ${sizeText(closable.qty.toFixed(), instrument)} left: ${timeLimit.reached}`);
    const { bids, asks } = await closer.readBook(venue);
    const { side, qty: max } = closable;
    const slice = nextSlice(instrument, { side, max, levels: side === 'sell' ? bids : asks, collarStep }, terms);
    isBookEmpty = slice === null;
    if (slice === null) {
      venue.deps.onPhase('flattening', `${instrument.id}: the book is empty; retrying`);
      await timeLimit.wait(pollEveryMs * EMPTY_BOOK_POLLS);
      continue;
    }
    venue.deps.onPhase('flattening', `${instrument.id}: ${side} ${slice.qty} of ${closable.qty.toFixed()} at ${slice.price}`);
    const inFlightText = `${instrument.id}: a slice (${side} ${slice.qty} at ${slice.price}) may still be open`;
    progress.inFlight.add(inFlightText);
    const outcome = await closer.place(venue, { instrument, strategy, side, ...slice }, restMs).catch((error: unknown) => {
      // The journal has not taken the slice, so it was not sent.
      if (error instanceof ConfigError) progress.inFlight.delete(inFlightText);
      throw error;
    });
    progress.inFlight.delete(inFlightText);
    if (outcome.kind === 'unknown') {
      const leftText = sizeText(closable.qty.plus(closable.blockedQty).plus(closable.uncertainQty).toFixed(), instrument);
      return endWith(`${instrument.id}: at most ${leftText} left: a slice of ${slice.qty} is of unknown outcome: ${outcome.why}`);
    }
    if (outcome.kind === 'refused') {
      refusals++;
      if (refusals >= MAX_REFUSALS) return endWith(`${instrument.id}: ${closable.qty.toFixed()} left: ${outcome.why}`);
    } else {
      refusals = 0;
      const filled = new Decimal(outcome.filled);
      const doneSlice = { instrument: instrument.id, side, qty: slice.qty, price: slice.price, filled: outcome.filled };
      slices.push(doneSlice);
      progress.slices.push(doneSlice);
      // If the slice did not fill completely, the next one accepts a worse price.
      if (filled.lessThan(slice.qty)) collarStep++;
      const hasFilled = filled.greaterThan(0);
      // A market that trades now and then, such as one of bars, needs a slice that waits for it.
      restMs = hasFilled ? pollEveryMs : Math.min(restMs * 2, giveUpMs * MAX_REST_SHARE);
      if (hasFilled) timeLimit.restart();
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
  const maxOf = (qtyOf: (reading: Closable) => Decimal): Decimal => Decimal.max(0, ...readings.map(qtyOf));
  const provenQty = maxOf(({ qty }) => qty);
  const blockedQty = maxOf((reading) => reading.blockedQty);
  const uncertainQty = maxOf((reading) => reading.uncertainQty);
  const uncertainties = second?.uncertainties ?? [];
  const leftText = (qty: Decimal): string => `${instrument.id}: ${sizeText(qty.toFixed(), instrument)} left`;
  const total = provenQty.plus(blockedQty).plus(uncertainQty);
  if (isDust(instrument, total)) {
    const dust = total.greaterThan(0) ? [`${leftText(total)}, less than the smallest order`] : [];
    return { residuals: uncertainties, dust };
  }
  const leftTexts: string[] = [];
  if (!isDust(instrument, provenQty)) leftTexts.push(leftText(provenQty));
  if (!isDust(instrument, blockedQty)) leftTexts.push(`${leftText(blockedQty)}, held by open orders of the account`);
  if (!isDust(instrument, uncertainQty)) leftTexts.push(`${leftText(uncertainQty)}, which may be the bot's, but that is not proved`);
  // Each part may be dust although their sum is not.
  if (leftTexts.length === 0) leftTexts.push(leftText(total));
  return { residuals: [...leftTexts, ...uncertainties], dust: [] };
}
