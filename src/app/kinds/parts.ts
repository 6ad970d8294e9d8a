// The parts of a backtest that differ between spot and futures: the books of the bot, the venue, and the comparison of the two.

import type { ReplayExchange } from '../../adapters/replay/replayExchange.ts';
import type { TickColumn } from '../../model/bars/bars.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FundingRates } from '../../model/bars/fundingRates.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { ReservationTerms } from '../../orders/reserve/worstCase.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { BarMarket, OrderGateway } from '../../ports/exchange.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { FeeModel } from '../../venue/feeModel.ts';
import type { SlippageModel } from '../../venue/slippage.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';

/** A venue whose books match rows, as used by a run. */
export type RunVenue = BookVenue<BarBook>;

/** What the venue of a replay is opened with. */
export interface VenueDeps {
  /** The replayed exchange that the venue is connected to. */
  readonly exchange: OrderGateway;
  readonly slippage: SlippageModel;
  /** The fee model of each account, in the order of `accounts`; null: the rates of the run. */
  readonly fees: readonly (FeeModel | null)[];
}

/** The venue of a run, and the check that it agrees with the bot. */
export interface OpenedVenue {
  /** Null: a custom adapter replaces it. */
  readonly venue: RunVenue | null;
  /** All venues of the run: a run over both markets has two. */
  readonly venues: readonly RunVenue[];
  /** Throws unless the bot's ledger and the venue's books agree to the last unit. */
  readonly checkBooks: () => void;
}

/** The deposits of an account of the run, by asset. */
export type Deposits = ReadonlyMap<string, number>;

/** One account at the exchange when the run begins. */
export interface AccountPlan {
  readonly market: Market;
  /** The ledger that its money goes into. */
  readonly ledger: Ledger;
  /** Its starting balances: asset to decimal text. */
  readonly cash: Readonly<Record<string, string>>;
}

export interface MarketParts {
  /** Returns the exchange that `open` connects, made of one replayed exchange for each market. */
  exchange(make: () => ReplayExchange): OrderGateway & BarMarket;
  ledger(plan: RunPlan, instruments: readonly Instrument[]): Ledger;
  reservationTerms(plan: RunPlan, instruments: readonly Instrument[]): ReservationTerms;
  /** Returns the prices by which positions are marked, by instrument; null: the closes. */
  marks(plan: RunPlan, instruments: readonly Instrument[]): readonly (TickColumn | null)[];
  /** Returns the rates that strategies may know, by instrument; null: unknown. */
  funding(plan: RunPlan, instruments: readonly Instrument[]): readonly (FundingRates | null)[];
  /** Returns the accounts that are funded; for a run over both markets, one of each. */
  accounts(plan: RunPlan, engine: Engine): readonly AccountPlan[];
  /** Returns the value of a starting balance in money when the run begins. */
  startingValue(engine: Engine, asset: string, units: number): number;
  /** Opens the venue with the account of the run, funds it, and connects it. `deposits`: by account, in the order of `accounts`. */
  open(plan: RunPlan, engine: Engine, deps: VenueDeps, deposits: readonly Deposits[]): OpenedVenue;
}
