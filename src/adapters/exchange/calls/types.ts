// What the exchange behind REST is made from, what it is told after a restart, and what its audits say.

import type { Instrument, Market } from '../../../model/instrument.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { RestClient } from '../client/restClient.ts';
import type { ServerTime } from '../time/serverClock.ts';
import type { UnattributedFill } from '../client/unattributed.ts';
import type { OrderSettings } from './settings.ts';

/** What is written down beside the records of orders. The journal of a live bot is one; tests may leave it out. */
export interface ExchangeNotes {
  /** Everything before it is journalled. */
  cursor(body: { readonly symbol: string; readonly channel: string; readonly value: string }): unknown;
  /** A fill that is booked to the account itself. */
  outside?(fill: UnattributedFill): unknown;
  setting(body: { readonly contract: string; readonly name: string; readonly value: string; readonly confirmed: boolean }): unknown;
}

/** All times are the exchange's. */
export interface DelayObserver {
  /** D and L as they are held now. */
  readonly visibilityDelayMs: number;
  readonly readLagMs: number;
  onVenueTime(venueMs: number): void;
  onAdmission(delayMs: number, venueMs: number): void;
  onReadLag(lagMs: number): void;
  onIncident(venueMs: number): void;
  onClockJump(): void;
}

/** What a contract is to be set to before it may be opened. */
export interface ContractSettingsTarget {
  /** 1 cross, 2 isolated. */
  readonly positionType: 1 | 2;
  readonly leverage: number;
  /** 1 net, 2 two-way. */
  readonly positionModel: 1 | 2;
}

export interface RestExchangeDeps {
  readonly client: Pick<RestClient, 'call'>;
  readonly scheduler: Scheduler;
  /** The clock of this market's service. */
  readonly serverTime: () => ServerTime;
  readonly market: Market;
  /** Of the run, in its order: their positions are the indices of everything. Those of another market are let be. */
  readonly instruments: readonly Instrument[];
  readonly journal: Journal;
  readonly notes?: ExchangeNotes;
  /** The client order id of an order of this run. */
  readonly clientOrderIdOf: (id: OrderId) => string;
  readonly settings: OrderSettings;
  /** Futures alone. */
  readonly contractSettingsTarget?: (instrument: number) => ContractSettingsTarget;
  /** Is told what the answers of the exchange say about its delays and its clock. */
  readonly delayObserver?: DelayObserver;
  /** Lots of an instrument that the books of all strategies hold, below 0 short. */
  readonly heldLots?: (instrument: number) => number;
  /** The same stands against trading at another service of the account: what is over here alone is not over. */
  readonly isRaisedElsewhere?: (code: HaltCode, instrument: number | null) => boolean;
}

/** What an order asks for: a copy, for records of the order manager are used again. */
export type OrderRequest = Pick<
  Order,
  | 'id'
  | 'instrumentIndex'
  | 'instrument'
  | 'side'
  | 'role'
  | 'lots'
  | 'quoteUnits'
  | 'limit'
  | 'reduceOnly'
  | 'timeInForce'
  | 'triggerTicks'
> & {
  /** Of a condition order; undefined: what is left of an earlier version does not say. */
  readonly triggersAbove?: boolean | undefined;
};

/** An order of an earlier life of the process. */
export interface RestoredTrackedOrder {
  readonly request: OrderRequest;
  readonly cid: string;
  /** The time with which it was signed; where its SEND is lost, the time of the exchange at the restart. */
  readonly signMs: number;
  readonly venueId: string | null;
  /** The id that another order has too, so that it was taken from this one; null or absent: there is none. */
  readonly contestedId?: string | null;
  readonly filledLots: number;
  readonly filledUnits: number;
  /** `unconfirmed`: a terminal status was read once. `tomb`: proved without effect, or refused. */
  readonly state: 'unknown' | 'working' | 'cancelSent' | 'unconfirmed' | 'tomb';
}

export interface RestoredTracking {
  readonly orders: readonly RestoredTrackedOrder[];
  /** `<instrument id> <trade id> <side>` of every fill that was booked: both legs of a trade with ourselves have its id. */
  readonly trades: ReadonlySet<string>;
  /** Ids of all instruments that were ever traded. */
  readonly symbols: readonly string[];
  /** The time of the first record: what the account did before is nobody's. */
  readonly sinceMs: number;
  /** Fills that are booked to the account itself. */
  readonly outside?: readonly UnattributedFill[];
  /** The newest value that this exchange has noted, by `<symbol> <channel>`. */
  readonly cursors: ReadonlyMap<string, string>;
}

/** Causes that this exchange raises through `ExchangeSink.trouble`. */
export type HaltCode =
  | 'ALIEN' | 'STRAY' | 'GAP' | 'MISMATCH' | 'ECHO'
  | 'ADMISSION' | 'DUPLICATE' | 'LOCKED' | 'KEY' | 'BANNED' | 'INCIDENT' | 'CLOCK' | 'SETTINGS' | 'STATUS' | 'FEE_COIN' | 'FINE_FILL'; // prettier-ignore

/** Something that the exchange shows and that our records do not explain. */
export interface AuditDifference {
  readonly code: HaltCode;
  /** Null: of the account. */
  readonly instrument: number | null;
  /** The exchange's order id, where it is about one: what `orders adopt` and `orders ignore` take. */
  readonly venueId: string | null;
  /** One line for a person. */
  readonly what: string;
}

export type AuditKind = 'fast' | 'full';

/** `gap`: some list was not complete or did not come, so nothing is proved; try again. */
export interface AuditResult {
  readonly kind: 'ok' | 'gap' | 'mismatch';
  /** Of a gap what was missing, of a mismatch what differs. */
  readonly differences: readonly AuditDifference[];
  /** Everything came that was asked for: what was compared was compared with all of it. */
  readonly isComplete: boolean;
  /** A lower bound of the exchange's time at which everything was read. */
  readonly venueMs: number;
}
