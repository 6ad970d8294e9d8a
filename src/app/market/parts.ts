// What a backtest of one market is made of, where spot and futures differ: the books of the bot, the venue, and how the two are compared.

import type { ReplayExchange } from '../../adapters/replay/replayExchange.ts';
import type { TickColumn } from '../../model/bars.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ReservationTerms } from '../../orders/reservation.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { RowBook } from '../../venue/rowBook.ts';
import type { RunPlan } from '../plan.ts';

/** An exchange whose books match rows, as a run has it. */
export type RunVenue = BookVenue<RowBook>;

/** The exchange of a run, and the question whether it agrees with the bot. */
export interface OpenedVenue {
  readonly venue: RunVenue;
  /** Throws unless the bot's ledger and the venue's books agree to the last unit. */
  readonly checkBooks: () => void;
}

export interface MarketParts {
  ledger(plan: RunPlan, instruments: readonly Instrument[]): Ledger;
  reservationTerms(plan: RunPlan, instruments: readonly Instrument[]): ReservationTerms;
  /** What positions are marked with, by instrument; null: the closes. */
  marks(plan: RunPlan, instruments: readonly Instrument[]): readonly (TickColumn | null)[];
  /** What a starting balance is worth in money as the run begins. */
  worthOf(engine: Engine, asset: string, units: number): number;
  /** Opens the venue with the account of the run, funds it, and connects it. */
  open(plan: RunPlan, engine: Engine, exchange: ReplayExchange, deposits: ReadonlyMap<string, number>): OpenedVenue;
}
