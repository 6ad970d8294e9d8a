// What a backtest of one market is made of, where spot and futures differ: the books of the bot, the venue, and how the two are compared.

import type { ReplayExchange } from '../../adapters/replay/replayExchange.ts';
import type { TickColumn } from '../../model/bars/bars.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FundingRates } from '../../model/bars/fundingRates.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { ReservationTerms } from '../../orders/reserve/worstCase.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { ExchangePort } from '../../ports/exchange.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { FeeModel } from '../../venue/feeModel.ts';
import type { SlippageModel } from '../../venue/slippage.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';

/** An exchange whose books match rows, as a run has it. */
export type RunVenue = BookVenue<BarBook>;

/** What the venue of a replay is opened with. */
export interface VenueSeat {
  /** The replayed exchange that the venue is connected to. */
  readonly exchange: ExchangePort;
  readonly slippage: SlippageModel;
  /** The fee model of each account, in the order of `accounts`; null: the rates of the run. */
  readonly fees: readonly (FeeModel | null)[];
}

/** The exchange of a run, and the question whether it agrees with the bot. */
export interface OpenedVenue {
  /** Null: an adapter of the author's stands in its place. */
  readonly venue: RunVenue | null;
  /** Throws unless the bot's ledger and the venue's books agree to the last unit. */
  readonly checkBooks: () => void;
}

/** What an account of the run is given, by asset. */
export type Deposits = ReadonlyMap<string, number>;

/** One account at the exchange, as the run begins. */
export interface AccountPlan {
  readonly market: Market;
  /** The books that its money goes into. */
  readonly ledger: Ledger;
  /** Its starting balances: asset to decimal text. */
  readonly cash: Readonly<Record<string, string>>;
}

export interface MarketParts {
  /** The exchange that `open` connects, made of as many replayed ones as there are markets. */
  exchange(make: () => ReplayExchange): ExchangePort;
  ledger(plan: RunPlan, instruments: readonly Instrument[]): Ledger;
  reservationTerms(plan: RunPlan, instruments: readonly Instrument[]): ReservationTerms;
  /** What positions are marked with, by instrument; null: the closes. */
  marks(plan: RunPlan, instruments: readonly Instrument[]): readonly (TickColumn | null)[];
  /** Rates that strategies may know, by instrument; null: none. */
  funding(plan: RunPlan, instruments: readonly Instrument[]): readonly (FundingRates | null)[];
  /** The accounts that are funded; of a run over both markets, one of each. */
  accounts(plan: RunPlan, engine: Engine): readonly AccountPlan[];
  /** What a starting balance is worth in money as the run begins. */
  startingValue(engine: Engine, asset: string, units: number): number;
  /** Opens the venue with the account of the run, funds it, and connects it. `deposits`: by account, as `accounts` lists them. */
  open(plan: RunPlan, engine: Engine, accountAt: VenueSeat, deposits: readonly Deposits[]): OpenedVenue;
}
