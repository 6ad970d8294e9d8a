// Steps 5 and 6 of a kill: closes positions in slices that can only reduce them, one at a time, each certain before the next; then proves that they are closed.

import { Decimal } from '../../../base/decimal.ts';
import { sizeText, type Instrument, type InstrumentId } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import { isDust, sliceOf, type BookLevel, type SliceTerms } from '../killPlan.ts';
import type { KillVenue } from '../venue.ts';

/** What may be closed, and is: read anew before every slice. */
export interface Closable {
  /** The side of the order that reduces it. */
  readonly side: Side;
  /** The smallest position that is compatible with everything that was read: coins, or contracts. */
  readonly qty: Decimal;
}

export interface SliceOrder {
  readonly instrument: Instrument;
  /** Position of the strategy that the position belongs to. */
  readonly strategy: number;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
}

export type SliceFate =
  | { readonly kind: 'ended'; readonly filled: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody can say what became of it: no further slice of this position may leave. */
  | { readonly kind: 'unknown'; readonly why: string };

/** What differs between the markets. */
export interface Closer {
  /** Null: nothing is there. Throws KillStopped. */
  closable(venue: KillVenue): Promise<Closable | null>;
  readBook(venue: KillVenue): Promise<{ readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] }>;
  /** Sends once, and comes back when its end is certain. */
  place(venue: KillVenue, slice: SliceOrder): Promise<SliceFate>;
}

export interface Position {
  readonly instrument: Instrument;
  readonly strategy: number;
  readonly closer: Closer;
}

export interface DoneSlice {
  readonly instrument: InstrumentId;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
  readonly filled: string;
}

export interface Flattened {
  readonly slices: readonly DoneSlice[];
  /** What is left of positions and why, in sentences; empty: flat. Dust is in `dust`. */
  readonly residuals: readonly string[];
  readonly dust: readonly string[];
}

/** An exchange that takes no slice for this many in a row will not take the next one either. */
const MOST_REFUSALS = 5;
const PAUSE_BETWEEN_SLICES_MS = 250;

/** Instruments at the same time; positions of one instrument, of several strategies, one after the other. Throws KillStopped. */
export async function flatten(venue: KillVenue, positions: readonly Position[], terms?: SliceTerms): Promise<Flattened> {
  const ids = [...new Set(positions.map(({ instrument }) => instrument.id))];
  const parts = await Promise.all(
    ids.map(async (id) => {
      const done: Flattened[] = [];
      for (const position of positions) if (position.instrument.id === id) done.push(await flattenOne(venue, position, terms));
      return done;
    }),
  );
  return {
    slices: parts.flat().flatMap(({ slices }) => slices),
    residuals: parts.flat().flatMap(({ residuals }) => residuals),
    dust: parts.flat().flatMap(({ dust }) => dust),
  };
}

async function flattenOne(venue: KillVenue, { instrument, strategy, closer }: Position, terms?: SliceTerms): Promise<Flattened> {
  const slices: DoneSlice[] = [];
  let [step, refusals] = [0, 0];
  const end = (residual: string | null): Flattened => ({ slices, residuals: residual === null ? [] : [residual], dust: [] });
  for (;;) {
    const found = await closer.closable(venue);
    if (found === null || found.qty.lessThanOrEqualTo(0)) break;
    if (isDust(instrument, found.qty)) break;
    const { bids, asks } = await closer.readBook(venue);
    const slice = sliceOf(instrument, found.side, found.qty, found.side === 'sell' ? bids : asks, step, terms);
    if (slice === null) {
      venue.parts.tell('flattening', `${instrument.id}: nobody is in the book; trying on`);
      await venue.wait(venue.parts.settings.lookEveryMs * 4);
      continue;
    }
    venue.parts.tell('flattening', `${instrument.id}: ${found.side} ${slice.qty} of ${found.qty.toFixed()} at ${slice.price}`);
    const fate = await closer.place(venue, { instrument, strategy, side: found.side, ...slice });
    if (fate.kind === 'unknown') return end(`${instrument.id}: a slice of ${slice.qty} is of unknown outcome: ${fate.why}`);
    if (fate.kind === 'refused') {
      if (++refusals >= MOST_REFUSALS) return end(`${instrument.id}: ${found.qty.toFixed()} left: ${fate.why}`);
    } else {
      refusals = 0;
      slices.push({ instrument: instrument.id, side: found.side, qty: slice.qty, price: slice.price, filled: fate.filled });
      // Where the book gives way less than was asked for, the next one reaches further.
      step = new Decimal(fate.filled).lessThan(slice.qty) ? step + 1 : step;
    }
    await venue.wait(PAUSE_BETWEEN_SLICES_MS);
  }
  return { slices, ...(await verifyFlat(venue, instrument, closer)) };
}

/** Two readings, a read lag apart, have to agree that nothing is left that could be closed. */
async function verifyFlat(venue: KillVenue, instrument: Instrument, closer: Closer): Promise<Omit<Flattened, 'slices'>> {
  venue.parts.tell('verifying', `${instrument.id}: is it flat`);
  const readings: Decimal[] = [];
  for (let at = 0; at < 2; at++) {
    if (at > 0) await venue.wait(venue.parts.settings.readLagMs);
    readings.push((await closer.closable(venue))?.qty ?? new Decimal(0));
  }
  const most = Decimal.max(...readings);
  if (most.lessThanOrEqualTo(0)) return { residuals: [], dust: [] };
  const says = `${instrument.id}: ${sizeText(most.toFixed(), instrument)} left`;
  return isDust(instrument, most) ? { residuals: [], dust: [`${says}, less than the smallest order`] } : { residuals: [says], dust: [] };
}
