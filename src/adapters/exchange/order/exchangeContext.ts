// State and services that all parts of the REST exchange share: calls, tracked orders, halt causes, venue clock, expected holdings.

import { POSITION_MODEL, POSITION_TYPE } from '../../../protocol/contractModes.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { InvariantError } from '../../../base/errors.ts';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { HTTP_STATUS } from '../../../protocol/errors/httpStatus.ts';
import { OTHER_SUBJECT } from '../client/checkSubject.ts';
import { HoldingBook, PositionBook } from './expectedHoldings.ts';
import { Calls } from '../calls/calls.ts';
import { VenueClockMonitor } from './venueClock.ts';
import { accountHaltCode } from '../calls/createOutcome.ts';
import { TradeNumbers } from './fills.ts';
import { futuresCalls } from '../calls/futuresCalls.ts';
import { Incidents } from './incidents.ts';
import { ReferenceBook, type UnattributedFill } from '../client/referenceBook.ts';
import { INCIDENT_CURSOR, type ContractSettingsTarget, type OrderRequest, type RestExchangeDeps } from '../calls/types.ts';
import { spotCalls } from '../calls/spotCalls.ts';
import { TrackedOrders } from './trackedOrder.ts';
import { RaisedCauses } from './raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** Contract settings if none are configured: those of a new account. */
const DEFAULT_SETTINGS: ContractSettingsTarget = { positionType: POSITION_TYPE.cross, leverage: 1, positionModel: POSITION_MODEL.net };

/** A reply that arrives later than this after the ban began belongs to a call that was sent after the ban. */
const IN_FLIGHT_MS = 60_000;

/** The journal gets at most one incident in this time, ms. */
const INCIDENT_NOTE_MS = 1000;

/** What all parts of the exchange of one market share. Created once for each market. */
export class ExchangeContext {
  /** The collaborators of the exchange. */
  readonly deps: RestExchangeDeps;
  /** Indices of this market's instruments. */
  readonly ownInstruments: readonly number[];
  /** Sends calls to the venue. */
  readonly calls: Calls;
  /** The venue's endpoints, in the shape that both markets share. */
  readonly venue: VenueCalls;
  /** The orders that a list of the venue may still show. */
  readonly trackedOrders: TrackedOrders;
  /** The halt causes that this exchange has raised. */
  readonly raisedCauses: RaisedCauses;
  /** Whether the venue has an incident. */
  readonly incidents: Incidents;
  /** The monitor of the venue's clock. */
  readonly clock: VenueClockMonitor;
  /** What a spot account must hold according to its trades. */
  readonly holdings = new HoldingBook();
  /** What a futures account must hold according to its trades. */
  readonly positions: PositionBook;
  /** What the account holds beyond its strategies. */
  readonly externalBook = new ReferenceBook();
  /** Numbers of trades for the bot, whose ids are longer than a number. */
  readonly tradeNumbers = new TradeNumbers();
  /** The engine; null until it is connected. */
  connectedSink: ExchangeSink | null = null;
  /** Venue time of the newest incident in the journal, ms. */
  #notedIncidentMs = -Infinity;
  /** When the last reply with a ban arrived, ms of our clock. */
  #bannedMs = -Infinity;

  constructor(deps: RestExchangeDeps) {
    this.deps = deps;
    const { market, instruments, scheduler, settings, serverTime, delayObserver = null } = deps;
    this.ownInstruments = instruments.flatMap((instrument, index) => (instrument.market === market ? [index] : []));
    this.trackedOrders = new TrackedOrders(instruments.length, deps.settings.windowMs, (request, venueId) =>
      this.#accountLotsOf(request, venueId),
    );
    this.positions = new PositionBook(instruments.length, this.isTwoWay);
    this.calls = new Calls(deps.client, (_op, outcome, { symbol, contractName }) => {
      const problem = accountHaltCode(outcome);
      if (problem !== null) this.#onAccountHalt(problem);
      this.#noteBan(outcome);
      this.#ignoreReply(outcome, symbol ?? contractName);
    });
    const onOtherAccount = (detail: string): void => this.raisedCauses.raise('MISMATCH', null, detail);
    this.venue =
      market === 'spot'
        ? spotCalls(this.calls, onOtherAccount)
        : futuresCalls(this.calls, this.settingsTarget, onOtherAccount, deps.positionsFrom ?? 'positions');
    this.raisedCauses = new RaisedCauses(this.sink, instruments, deps.isRaisedElsewhere);
    this.incidents = new Incidents(scheduler, settings, {
      onBegin: (reason) => this.raisedCauses.raise('INCIDENT', null, reason),
      onEnd: () => this.raisedCauses.clearIfAllowed('INCIDENT', null),
    });
    this.clock = new VenueClockMonitor({ venue: this.venue, serverTime, settings, delayObserver, raisedCauses: this.raisedCauses });
  }

  /** Returns the lots of the fills of an order that are booked to the account. */
  #accountLotsOf({ side, instrument }: OrderRequest, venueId: string): Decimal {
    const lots = this.externalBook.qtyOf(instrument.id, venueId).times(Decimal.pow(10, instrument.quantityDigits));
    return side === 'buy' ? lots : lots.negated();
  }

  /** Returns the connected engine. Throws InvariantError before. */
  readonly sink = (): ExchangeSink => {
    if (this.connectedSink === null) throw new InvariantError('the exchange is not connected');
    return this.connectedSink;
  };
  /** Books a fill to the account and journals it. */
  readonly bookUnattributed = (fill: UnattributedFill): void => {
    this.externalBook.book(fill);
    this.deps.notes?.unattributedFill?.(fill);
  };
  /** Returns the expected venue time, ms. */
  readonly venueMs = (): number => this.deps.serverTime().ms;
  /** Returns L, the read lag: how old a list may be when it is read, ms. */
  readonly lagMs = (): number => Math.max(this.deps.settings.readLagMs, this.deps.delayObserver?.readLagMs ?? 0);
  /** Returns the settings that a contract must have at the venue. */
  readonly settingsTarget = (instrumentIndex: number): ContractSettingsTarget =>
    this.deps.contractSettingsTarget?.(instrumentIndex) ?? DEFAULT_SETTINGS;

  /** True for a contract whose long and short positions are separate. */
  readonly isTwoWay = (instrumentIndex: number): boolean => this.settingsTarget(instrumentIndex).positionModel === POSITION_MODEL.twoWay;

  /** Raises or clears the ban. Replies to calls that were in flight when the ban began do not end it. */
  #noteBan(outcome: Outcome<unknown>): void {
    const { nowMs } = this.deps.scheduler;
    if ((outcome.kind === 'refused' || outcome.kind === 'unknown') && outcome.status === HTTP_STATUS.banned) {
      this.#bannedMs = nowMs;
      this.raisedCauses.raise('BANNED', null, 'the exchange has banned this address: nothing is sent for five minutes or more');
    } else if (outcome.kind === 'acked' && nowMs > this.#bannedMs + IN_FLIGHT_MS) this.raisedCauses.clearIfAllowed('BANNED', null);
  }
  /** Raises a gap for a reply about another symbol or account, which is ignored as a whole. The next complete list clears the cause. */
  #ignoreReply(outcome: Outcome<unknown>, wireName: unknown): void {
    if (outcome.kind !== 'unknown' || !outcome.cause.startsWith(OTHER_SUBJECT)) return;
    const index = this.ownInstruments.find((candidate) => this.deps.instruments[candidate]!.wireName === wireName);
    if (index !== undefined) this.raisedCauses.raise('GAP', index, outcome.cause);
  }
  /** Journals the time of an incident, so that the next process and a kill assume the longer delay, too. */
  #noteIncident(venueMs: number): void {
    if (venueMs < this.#notedIncidentMs + INCIDENT_NOTE_MS) return;
    this.#notedIncidentMs = venueMs;
    this.deps.notes?.cursor({ ...INCIDENT_CURSOR, value: String(Math.ceil(venueMs)) });
  }
  /** Reacts to a reply that concerns the whole account: an incident widens the visibility delay, the others raise a halt cause. */
  #onAccountHalt(code: 'LOCKED' | 'KEY' | 'INCIDENT'): void {
    if (code === 'INCIDENT') {
      const venueMs = this.clock.lastMs;
      this.deps.delayObserver?.onIncident(venueMs);
      this.#noteIncident(venueMs);
      return this.incidents.noteReply();
    }
    if (code === 'KEY') this.calls.isLocked = true;
    this.raisedCauses.raise(code, null, code === 'KEY' ? 'the exchange does not take the key' : 'the exchange has locked trading');
  }
}
