// Types of the REST exchange: its collaborators, the state restored after a restart, and the results of audits.

import type { PositionModel, PositionType } from '../../../protocol/contractModes.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import type { EndedOrder, Order, OrderId, Side } from '../../../model/order.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { RestClient } from '../client/restClient.ts';
import type { ServerTime } from '../time/serverClock.ts';
import type { UnattributedFill } from '../client/referenceBook.ts';
import type { OrderSettings } from './orderSettings.ts';

/** Writes notes beside the order records. A live bot writes them to its journal; tests may omit them. */
export interface ExchangeNotes {
  /** Writes how far a list has been read. Everything before the cursor is journalled. */
  cursor(body: { readonly symbol: string; readonly channel: string; readonly value: string }): unknown;
  /** A fill that is booked to the account, not to a strategy. */
  unattributedFill?(fill: UnattributedFill): unknown;
  /** Writes the setting of a contract: requested, or confirmed by the exchange. */
  setting(body: { readonly contract: string; readonly name: string; readonly value: string; readonly confirmed: boolean }): unknown;
}

/** The cursor that holds the venue time of the newest reply which admits a delay between gateway and lists. */
export const INCIDENT_CURSOR = { symbol: 'delays', channel: 'incident' } as const;

/** Returns the record of an incident in a journal that both markets share. */
export const incidentRecord = (market: Market, venueMs: number) => ({
  symbol: `${market}/${INCIDENT_CURSOR.symbol}`,
  channel: INCIDENT_CURSOR.channel,
  value: String(venueMs),
});

/** Receives measurements of the venue's delays. All times are venue times. */
export interface DelayObserver {
  /** The current values of D and L. */
  readonly visibilityDelayMs: number;
  readonly readLagMs: number;
  /** The venue has shown this time. */
  onVenueTime(venueMs: number): void;
  /** A create request was admitted `delayMs` after it was signed. */
  onAdmission(delayMs: number, venueMs: number): void;
  /** A list was `lagMs` old when it was read. */
  onReadLag(lagMs: number): void;
  /** An incident has begun or continues: the venue does not know what it did. */
  onIncident(venueMs: number): void;
  /** A clock has jumped, so the delays that were measured before no longer hold. */
  onClockJump(): void;
}

/** The settings that a contract must have before a position may be opened. */
export interface ContractSettingsTarget {
  readonly positionType: PositionType;
  readonly leverage: number;
  readonly positionModel: PositionModel;
}

/** The collaborators and settings of one market's REST exchange. */
export interface RestExchangeDeps {
  readonly client: Pick<RestClient, 'call'>;
  readonly scheduler: Scheduler;
  /** The clock of this market's service. */
  readonly serverTime: () => ServerTime;
  readonly market: Market;
  /** The run's instruments, in its order; instrument indices refer to it. Instruments of another market are ignored. */
  readonly instruments: readonly Instrument[];
  readonly journal: Journal;
  readonly notes?: ExchangeNotes;
  /** Returns the client order id of an order of this run. */
  readonly clientOrderIdOf: (id: OrderId) => string;
  /** Returns the order manager's record of an order that was restored, or undefined if it has none any more. */
  readonly orderOf: (id: OrderId) => BelievedOrder | undefined;
  readonly settings: OrderSettings;
  /** Futures only. */
  readonly contractSettingsTarget?: (instrumentIndex: number) => ContractSettingsTarget;
  /** Futures only: the call that has the positions; default `positions`. */
  readonly positionsFrom?: Dialect['positionsFrom'];
  /** Receives what replies show about the venue's delays and clock. */
  readonly delayObserver?: DelayObserver;
  /** Lots of all strategies together that an order of this side would reduce. */
  readonly heldLots?: (instrumentIndex: number, side: Side) => number;
  /** Returns how many lots of a fill of an order the books of its strategy can take; Infinity: all. */
  readonly bookableLots?: (id: OrderId) => number;
  /** Futures only: true if strategies hold a position on this side. */
  readonly holdsSide?: (instrumentIndex: number, isLong: boolean) => boolean;
  /** Futures only: called once for each contract with a held position whose funding the exchange does not report. */
  readonly onUnreportedFunding?: (instrumentIndex: number) => void;
  /** True if another service of the account has raised the same cause, so that clearing it here does not clear it. */
  readonly isRaisedElsewhere?: (code: HaltCode, instrumentIndex: number | null) => boolean;
}

/** What the order manager believes about an order. */
export type BelievedOrder = Pick<Order, 'id' | 'lifecycle' | 'reason'>;

/** The terms of an order. It is a copy, because the order manager reuses its records. */
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
  /** For a trigger order; undefined if a journal of an earlier version does not say. */
  readonly triggersAbove?: boolean | undefined;
};

/** An order of an earlier run of the process. */
export interface RestoredTrackedOrder {
  readonly request: OrderRequest;
  readonly clientOrderId: string;
  /** Signing time; if the SEND record is lost, the venue time at the restart. */
  readonly signMs: number;
  readonly venueId: string | null;
  /** The venue order id that was taken from this order because another order has it too; null or absent if it is not contested. */
  readonly contestedId?: string | null;
  readonly filledLots: number;
  readonly filledUnits: number;
  /** Venue time of its last booked fill, ms; absent if it has none. An order that has filled ends at that time, also after a restart. */
  readonly lastFillMs?: number;
  /** True for a foreign order that the operator has adopted. */
  readonly isAdopted?: boolean;
  /** `unconfirmed`: a terminal status was read once. `provenAbsent`: proven to have had no effect, or refused. */
  readonly state: 'unknown' | 'working' | 'cancelSent' | 'unconfirmed' | 'provenAbsent';
}

/** The state of an earlier run, from the journal. */
export interface RestoredTracking {
  readonly orders: readonly RestoredTrackedOrder[];
  /** `<instrument id> <trade id> <side>` of every booked fill. The side is needed because both legs of a self-trade have one id. */
  readonly trades: ReadonlySet<string>;
  /** Ids of all instruments ever traded. */
  readonly symbols: readonly string[];
  /** Time of the first record. Earlier activity of the account is not ours. */
  readonly sinceMs: number;
  /** Fills that are booked to the account, not to a strategy. */
  readonly unattributedFills?: readonly UnattributedFill[];
  /** The text of the halt for duplicates; absent or null if there is no such halt. */
  readonly duplicates?: string | null;
  /** Orders that have ended, by client order id. */
  readonly ended?: ReadonlyMap<string, EndedOrder>;
  /** The latest value of each cursor, by `<symbol> <channel>`. */
  readonly cursors: ReadonlyMap<string, string>;
}

/** Halt causes that this exchange raises through `ExchangeSink.raiseHalt`. */
export type HaltCode =
  | 'ALIEN' | 'STRAY' | 'GAP' | 'MISMATCH' | 'ECHO'
  | 'ADMISSION' | 'DUPLICATE' | 'LOCKED' | 'KEY' | 'BANNED' | 'INCIDENT' | 'CLOCK' | 'SETTINGS' | 'STATUS' | 'FEE_COIN' | 'FINE_FILL' | 'POST_TRADE'; // prettier-ignore

/** A difference between the venue's data and our records. */
export interface AuditDifference {
  readonly code: HaltCode;
  /** Null if it concerns the account. */
  readonly instrument: number | null;
  /** The venue order id, if one order is concerned. `orders adopt` and `orders ignore` take it. */
  readonly venueId: string | null;
  /** One line for the operator. */
  readonly what: string;
}

/** `fast`: instruments with unfinished orders. `full`: all instruments. */
export type AuditKind = 'fast' | 'full';

/** `gap`: a list was incomplete or did not arrive, so nothing is proven. Try again. */
export interface AuditResult {
  readonly kind: 'ok' | 'gap' | 'mismatch';
  /** What was missing (gap), or what differs (mismatch). */
  readonly differences: readonly AuditDifference[];
  /** True if every read was complete, so that the comparison covers everything. */
  readonly isComplete: boolean;
  /** Lower bound of the venue time at which everything was read. */
  readonly venueMs: number;
}
