// The parts of a backtest that differ between spot and futures: the bot's books, the venue, and the comparison of both.

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

/** A venue that matches orders against rows of bars. */
export type RunVenue = BookVenue<BarBook>;

/** The collaborators of the venue of a replay. */
export interface VenueDeps {
  /** The replayed exchange to which the venue is connected. */
  readonly exchange: OrderGateway;
  readonly slippage: SlippageModel;
  /** The fee model of each account, in the order of `accounts`. Null where the fee rates of the run apply. */
  readonly fees: readonly (FeeModel | null)[];
}

/** The venue of a run, and the check that it agrees with the bot. */
export interface OpenedVenue {
  /** Null when a custom adapter replaces the venue. */
  readonly venue: RunVenue | null;
  /** All venues of the run. A run over both markets has two. */
  readonly venues: readonly RunVenue[];
  /** Throws unless the bot's ledger and the venue's books agree to the last unit. */
  readonly checkBooks: () => void;
}

/** The deposits of an account of the run, by asset. */
export type Deposits = ReadonlyMap<string, number>;

/** One account at the exchange at the start of the run. */
export interface AccountPlan {
  readonly market: Market;
  /** The ledger into which its money is deposited. */
  readonly ledger: Ledger;
  /** Its starting balances, as decimals by asset. */
  readonly cash: Readonly<Record<string, string>>;
}

/** The parts that depend on the market. */
export interface MarketParts {
  /** Returns the exchange that `open` connects. Calls `make` for each market to get its replayed exchange. */
  exchange(make: () => ReplayExchange): OrderGateway & BarMarket;
  /** Returns the bot's own books. */
  ledger(plan: RunPlan, instruments: readonly Instrument[]): Ledger;
  /** Returns the terms by which orders reserve cash. */
  reservationTerms(plan: RunPlan, instruments: readonly Instrument[]): ReservationTerms;
  /** Returns the mark prices of each instrument. Null where positions are valued at the closes. */
  marks(plan: RunPlan, instruments: readonly Instrument[]): readonly (TickColumn | null)[];
  /** Returns the funding rates of each instrument that strategies may read. Null where they are unknown. */
  funding(plan: RunPlan, instruments: readonly Instrument[]): readonly (FundingRates | null)[];
  /** Returns the accounts to fund: one for each market. */
  accounts(plan: RunPlan, engine: Engine): readonly AccountPlan[];
  /** Returns the value of a starting balance at the start of the run, in units of the quote asset. */
  startingValue(engine: Engine, asset: string, units: number): number;
  /** Opens the venue, funds the accounts of the run and connects them. `deposits` is in the order of `accounts`. */
  open(plan: RunPlan, engine: Engine, deps: VenueDeps, deposits: readonly Deposits[]): OpenedVenue;
}
