// Runs a kill from end to end: cancel, prove, flatten, prove, report. It works without strategies, engine and risk rules, which may have failed.

import { ConfigError } from '../../base/errors.ts';
import type { Instrument, InstrumentId } from '../../model/instrument.ts';
import { cancelAll, type CancelResult, type LeftOrder } from './cancel/cancelAll.ts';
import type { KillOrders } from './cancel/killOrders.ts';
import { flatten, FlattenProgress, gaveUpText, type FlattenResult, type PositionToClose } from './flatten/flatten.ts';
import { uncertainOrderText } from './plan/attribution.ts';
import type { JournalBooks } from './evidence/journalBooks.ts';
import { KillEvidenceReader } from './evidence/evidenceReader.ts';
import { FuturesCloser } from './flatten/futuresCloser.ts';
import type { SliceJournal } from './flatten/sliceJournal.ts';
import { SpotCloser } from './flatten/spotCloser.ts';
import type { SliceTerms } from './plan/killPlan.ts';
import { drainTriggers, type LeftTrigger } from './cancel/drainTriggers.ts';
import { KillStopped, KillVenue, type KillDeps } from './plan/killVenue.ts';

/** Share of the time limit after which an instrument whose orders cannot be cancelled no longer delays the flattening of the others. */
const SET_ASIDE_SHARE = 0.1;

/** The books and the journal for flattening, read once no order is open, except of instruments that cannot be cancelled. */
export interface KillBooks {
  readonly books: JournalBooks;
  readonly journal: SliceJournal;
  /** False when contracts are in two-way mode. */
  readonly isNet: boolean;
}

/** The extent of a kill. */
export interface KillOptions {
  /** True when the kill also cancels foreign orders. */
  readonly includesForeign: boolean;
  /** Null: positions are not closed. Called once all orders are cancelled. */
  readonly books: (() => Promise<KillBooks>) | null;
  readonly terms?: SliceTerms;
  /** Positions that the bot is believed to have, as sentences: for the report of a kill that does not complete. */
  readonly believedPositions?: () => readonly string[];
}

/** The result of a kill. */
export interface KillReport {
  readonly flatten: boolean;
  readonly beganMs: number;
  readonly endedMs: number;
  /** Number of orders that were open and have ended. */
  readonly cancelled: number;
  readonly triggersCancelled: number;
  readonly slices: FlattenResult['slices'];
  readonly dust: readonly string[];
  /** Unsettled orders and positions, as sentences. Empty: everything requested is done and proved. */
  readonly residuals: readonly string[];
}

/**
 * Runs a kill to its end. The known orders are cancelled before the first wait. Never throws because of the exchange: the report lists
 * residuals. The caller has engaged the kill switch before.
 */
export async function runKill(deps: KillDeps, knownOrders: KillOrders, options: KillOptions): Promise<KillReport> {
  const venue = new KillVenue(deps);
  const report = new KillReportBuilder(venue, options.books !== null);
  const kill = new KillRun(venue, report, knownOrders, options);
  try {
    await kill.run();
  } catch (error) {
    if (!(error instanceof KillStopped || error instanceof ConfigError)) throw error;
    report.noteStopped(error.message, kill.progress, [...kill.openTexts(), ...kill.journalPositions()]);
  } finally {
    venue.close();
  }
  return report.toReport();
}

/** The steps of one kill, and what is left to do while it runs. */
class KillRun {
  readonly progress = new FlattenProgress();
  readonly #venue: KillVenue;
  readonly #report: KillReportBuilder;
  readonly #knownOrders: KillOrders;
  readonly #options: KillOptions;
  /** Orders whose end is not proved yet. */
  #remaining: KillOrders;
  /** Instruments whose orders could not be cancelled, each with the reason. */
  readonly #stuck = new Map<InstrumentId, string>();
  /** Ids of the protective trigger orders that have been cancelled. */
  readonly #protectiveIds = new Set<string>();
  /** The reading of books and journal; null until the first position is to be closed. */
  #books: Promise<KillBooks> | null = null;

  constructor(venue: KillVenue, report: KillReportBuilder, knownOrders: KillOrders, options: KillOptions) {
    this.#venue = venue;
    this.#report = report;
    this.#knownOrders = knownOrders;
    this.#options = options;
    this.#remaining = knownOrders;
  }

  /** Cancels all orders, closes the positions if that was requested, and reports what could not be cancelled. */
  async run(): Promise<void> {
    const { books } = this.#options;
    const { giveUpMs } = this.#venue.deps.settings;
    if (books !== null) this.#venue.giveUpMs = giveUpMs * SET_ASIDE_SHARE;
    const { stuck } = await this.#cancelKnown();
    this.#remaining = ordersOfInstruments(this.#knownOrders, stuck);
    this.#noteStuck(stuck);
    if (books !== null) await this.#closePositions(stuck, books);
    this.#report.noteStuck(this.#stuck, this.openTexts(), this.journalPositions());
  }

  /** Returns sentences about orders that may still be open. */
  openTexts(): readonly string[] {
    return openOrderTexts(this.#remaining);
  }

  /** Returns sentences about positions that the bot is believed to have. Empty for a kill that closes none. */
  journalPositions(): readonly string[] {
    return this.#options.books === null ? [] : (this.#options.believedPositions?.() ?? []);
  }

  /** Closes all positions, those of stuck instruments later, and cancels what protected them. */
  async #closePositions(stuck: CancelResult['stuck'], readBooks: () => Promise<KillBooks>): Promise<void> {
    const { deps } = this.#venue;
    const { giveUpMs } = deps.settings;
    const isAllStuck = stuck.size === deps.instruments.length;
    this.#venue.giveUpMs = isAllStuck ? giveUpMs * (1 - SET_ASIDE_SHARE) : giveUpMs;
    const stuckInstruments = deps.instruments.filter(({ id }) => stuck.has(id));
    const freeInstruments = deps.instruments.filter(({ id }) => !stuck.has(id));
    await Promise.all([this.#close(freeInstruments, readBooks), this.#closeLater(stuckInstruments, readBooks)]);
    if (this.#books !== null) await this.#cancelWhatIsLeft(await this.#books);
  }

  /** Closes the positions of instruments whose orders have ended. */
  async #close(instruments: readonly Instrument[], readBooks: () => Promise<KillBooks>): Promise<void> {
    if (instruments.length === 0) return;
    const books = await (this.#books ??= readBooks());
    const { orders } = books.books;
    const nowStuck = await this.#cancelAddedOrders(orders, instruments);
    const cancelled = instruments.filter(({ id }) => !nowStuck.has(id));
    const { includesForeign, terms } = this.#options;
    const cancelTriggers = (instrument: Instrument): Promise<readonly LeftTrigger[]> =>
      drainTriggers(this.#venue, instrument, orders, { includesForeign, selection: 'every', ended: this.#protectiveIds });
    const positions = positionsOf(cancelled, new KillEvidenceReader(this.#venue, books.books), books, cancelTriggers);
    this.#report.noteFlattened(await flatten(this.#venue, positions, terms, this.progress));
  }

  /** Cancels the orders of stuck instruments once more, and closes the positions of those that are free now. */
  async #closeLater(instruments: readonly Instrument[], readBooks: () => Promise<KillBooks>): Promise<void> {
    if (instruments.length === 0) return;
    const again = await this.#cancelKnown(instruments);
    for (const { id } of instruments) this.#stuck.delete(id);
    this.#noteStuck(again.stuck);
    this.#remaining = ordersOfInstruments(this.#knownOrders, this.#stuck);
    const freed = instruments.filter(({ id }) => !again.stuck.has(id));
    await this.#close(freed, readBooks);
  }

  /**
   * Cancels again if the books know of orders that were journalled until this process had the journal, such as the slices of another kill.
   * Returns the instruments that are stuck now.
   */
  async #cancelAddedOrders(orders: KillOrders, instruments: readonly Instrument[]): Promise<CancelResult['stuck']> {
    if (!hasLaterUnknownOrders(this.#venue, orders, this.#knownOrders)) return new Map();
    return this.#cancelAgain(orders, instruments);
  }

  /** Cancels what protected the closed positions, and slices that are still open. */
  async #cancelWhatIsLeft({ books }: KillBooks): Promise<void> {
    const venue = this.#venue;
    const report = this.#report;
    const cancelled = venue.deps.instruments.filter(({ id }) => !this.#stuck.has(id));
    // Protective orders of a position that could not be closed stay.
    const closed = withoutIds(cancelled, report.open);
    const { includesForeign } = this.#options;
    report.noteProtective(await cancelProtective(venue, books.orders, includesForeign, { closed, ended: this.#protectiveIds }));
    // Slices are orders too, so verify that none of them is open.
    const slices = { ...books.orders, open: new Map(), unknownUntilMs: {} };
    await this.#cancelAgain(slices, withoutIds(cancelled, report.gaveUp));
  }

  /** Cancels the orders that were known at the start. */
  async #cancelKnown(instruments?: readonly Instrument[]): Promise<CancelResult> {
    const result = await cancelAll(this.#venue, this.#knownOrders, this.#options.includesForeign, instruments);
    this.#report.noteCancelled(result);
    return result;
  }

  /** Cancels `orders` of instruments that were cancelled before. Returns the instruments that are stuck now. */
  async #cancelAgain(orders: KillOrders, instruments: readonly Instrument[]): Promise<CancelResult['stuck']> {
    const again = await cancelAll(this.#venue, orders, this.#options.includesForeign, instruments);
    this.#report.noteCancelledAgain(again, instruments);
    this.#noteStuck(again.stuck);
    return again.stuck;
  }

  #noteStuck(stuck: CancelResult['stuck']): void {
    for (const [id, reason] of stuck) this.#stuck.set(id, reason);
  }
}

const withoutIds = (instruments: readonly Instrument[], ids: ReadonlySet<InstrumentId>): readonly Instrument[] =>
  instruments.filter(({ id }) => !ids.has(id));

/**
 * True if orders of unknown outcome have been added since `knownOrders` was read, and they can appear no more before the kill gives up. The outcome
 * of later ones stays unknown.
 */
function hasLaterUnknownOrders({ deps }: KillVenue, { unknownUntilMs }: KillOrders, knownOrders: KillOrders): boolean {
  return (['spot', 'futures'] as const).some((market) => {
    const untilMs = unknownUntilMs[market] ?? -Infinity;
    const wasAdded = untilMs > (knownOrders.unknownUntilMs[market] ?? -Infinity);
    return wasAdded && untilMs - deps.serverTime(market).ms <= deps.settings.giveUpMs;
  });
}

/** Returns the orders of stuck instruments alone. */
function ordersOfInstruments({ open, waiting, ...others }: KillOrders, stuck: ReadonlyMap<InstrumentId, string>): KillOrders {
  const ofStuck = (ids: KillOrders['open']): KillOrders['open'] => new Map([...ids].filter(([id]) => stuck.has(id)));
  return { ...others, open: ofStuck(open), waiting: ofStuck(waiting) };
}

/** The result of cancelling the trigger orders of closed positions. */
interface ProtectiveCancels {
  readonly count: number;
  /** Trigger orders that are not cancelled, because no evidence shows that they are the bot's. */
  readonly left: readonly LeftTrigger[];
}

/** Cancels the trigger orders of contracts whose positions are closed. */
async function cancelProtective(
  venue: KillVenue,
  knownOrders: KillOrders,
  includesForeign: boolean,
  { closed, ended }: { readonly closed: readonly Instrument[]; readonly ended: Set<string> },
): Promise<ProtectiveCancels> {
  const left = await Promise.all(
    closed.map((instrument) => drainTriggers(venue, instrument, knownOrders, { includesForeign, selection: 'every', ended })),
  );
  return { count: ended.size, left: left.flat() };
}

/** Returns sentences about orders that may still be open, for a kill that does not complete. */
function openOrderTexts({ open, waiting, own }: KillOrders): readonly string[] {
  const knownTexts = [
    ...[...open].flatMap(([id, ids]) => ids.map((venueId) => `${id}: order ${venueId} may still be open`)),
    ...[...waiting].flatMap(([id, ids]) => ids.map((triggerId) => `${id}: trigger order ${triggerId} may still wait`)),
  ];
  const lost = own === null ? [] : [...own.withoutVenueId].filter(({ hasNoEffect }) => !hasNoEffect);
  return [...knownTexts, ...lost.map((order) => uncertainOrderText({ order, fits: [], isUnseen: true }))];
}

/** Returns every position that the bot may have: by strategy for coins, by side for contracts. */
function positionsOf(
  instruments: readonly Instrument[],
  evidenceReader: KillEvidenceReader,
  { books, journal, isNet }: KillBooks,
  cancelTriggers: (instrument: Instrument) => Promise<readonly LeftTrigger[]>,
): readonly PositionToClose[] {
  return instruments.flatMap((instrument): readonly PositionToClose[] => {
    const lost = books.lostOf(instrument.id).map(({ strategy }) => strategy);
    const strategies = [...new Set([...books.heldOf(instrument.id).keys(), ...books.strategiesOf(instrument.id), ...lost])];
    if (instrument.market === 'spot')
      return strategies.map((strategy) => ({
        instrument,
        strategy,
        closer: new SpotCloser({ instrument, strategy, evidenceReader, journal }),
      }));
    if (strategies.length === 0) return [];
    return (['buy', 'sell'] as const).map((positionSide) => ({
      instrument,
      strategy: books.strategyHolding(instrument.id, positionSide),
      closer: new FuturesCloser({
        instrument,
        positionSide,
        evidenceReader,
        journal,
        isNet,
        cancelTriggers: () => cancelTriggers(instrument),
      }),
    }));
  });
}

/** Returns each trigger order once. */
const distinctTriggers = (rows: readonly LeftTrigger[]): readonly LeftTrigger[] => [
  ...new Map(rows.map((row) => [`${row.instrument} ${row.trigger.triggerOrderId}`, row])).values(),
];

/** Returns a sentence about an order that stays open. */
function stayingOrderText({ instrument, order: { venueId, side, qty, price }, attribution }: LeftOrder): string {
  const priceText = price === null ? '' : ` at ${price}`;
  const reason = attribution === 'alien' ? 'is not ours and stays open' : 'has an unknown owner and stays open';
  return `${instrument}: order ${venueId} (${side} ${qty}${priceText}) ${reason}`;
}

/** Collects the results of a kill while it runs. */
class KillReportBuilder {
  readonly #venue: KillVenue;
  readonly #flatten: boolean;
  readonly #beganMs: number;
  #cancelled: Omit<CancelResult, 'stuck'> = { count: 0, left: [], triggers: 0, leftTriggers: [] };
  #leftProtective: readonly LeftTrigger[] = [];
  #flattened: FlattenResult = { slices: [], dust: [], residuals: [], openInstruments: new Set(), unprovenInstruments: new Set() };
  #incomplete: readonly string[] = [];
  triggersCancelled = 0;

  constructor(venue: KillVenue, isFlatten: boolean) {
    this.#venue = venue;
    this.#flatten = isFlatten;
    this.#beganMs = venue.nowMs;
  }

  /** Instruments with a position that is left, or may be left. */
  get open(): ReadonlySet<InstrumentId> {
    return this.#flattened.openInstruments;
  }

  /** Instruments whose flattening ended without proof. */
  get gaveUp(): ReadonlySet<InstrumentId> {
    return this.#flattened.unprovenInstruments;
  }

  /** Adds the result of cancelling the orders of some instruments. */
  noteCancelled(result: CancelResult): void {
    const { count, left, leftTriggers, triggers } = this.#cancelled;
    this.#cancelled = {
      count: count + result.count,
      left: [...left, ...result.left],
      triggers: triggers + result.triggers,
      leftTriggers: [...leftTriggers, ...result.leftTriggers],
    };
    this.triggersCancelled += result.triggers;
  }

  /** Notes the result of cancelling the trigger orders of closed positions. */
  noteProtective({ count, left }: ProtectiveCancels): void {
    this.triggersCancelled += count;
    this.#leftProtective = left;
  }

  /** Notes instruments that could not be completed, with what may be left of them. */
  noteStuck(stuck: CancelResult['stuck'], open: readonly string[], believed: readonly string[]): void {
    const ids = [...stuck.keys(), ...this.#flattened.unprovenInstruments];
    if (ids.length === 0) return;
    const isOf = (text: string): boolean => ids.some((id) => text.startsWith(`${id}: `));
    this.#incomplete = [...[...stuck].map(([id, reason]) => gaveUpText(id, reason)), ...[...open, ...believed].filter(isOf)];
  }

  /** Notes the last reading of these instruments. Notes about other instruments stay. */
  noteCancelledAgain(result: CancelResult, instruments: readonly Instrument[]): void {
    const isElsewhere = ({ instrument }: { readonly instrument: InstrumentId }): boolean =>
      instruments.every(({ id }) => id !== instrument);
    const { count, left, leftTriggers, triggers } = this.#cancelled;
    this.triggersCancelled += result.triggers;
    this.#cancelled = {
      count: count + result.count,
      left: [...left.filter(isElsewhere), ...result.left],
      triggers: triggers + result.triggers,
      leftTriggers: [...leftTriggers.filter(isElsewhere), ...result.leftTriggers],
    };
  }

  /** Adds the result of closing some positions. */
  noteFlattened(result: FlattenResult): void {
    const { slices, dust, residuals, openInstruments, unprovenInstruments } = this.#flattened;
    this.#flattened = {
      slices: [...slices, ...result.slices],
      dust: [...dust, ...result.dust],
      residuals: [...residuals, ...result.residuals],
      openInstruments: new Set([...openInstruments, ...result.openInstruments]),
      unprovenInstruments: new Set([...unprovenInstruments, ...result.unprovenInstruments]),
    };
  }

  /** Notes that the kill ended early: its reason, and what was done and left by then. */
  noteStopped(reason: string, { slices, inFlight }: FlattenProgress, residuals: readonly string[]): void {
    this.#incomplete = [reason, ...inFlight, ...residuals];
    this.#flattened = { ...this.#flattened, slices: slices.slice() };
  }

  toReport(): KillReport {
    const { onPhase } = this.#venue.deps;
    const left = this.#cancelled.left.map(stayingOrderText);
    const leftTriggers = distinctTriggers([...this.#cancelled.leftTriggers, ...this.#leftProtective]).map(
      ({ instrument, trigger: { triggerOrderId, side, volume, triggerPrice } }) =>
        `${instrument}: trigger order ${triggerOrderId} (${side} ${volume} at ${triggerPrice}) has an unknown owner and stays waiting`,
    );
    const residuals = [...this.#incomplete, ...left, ...leftTriggers, ...this.#flattened.residuals];
    const doneText = `everything is cancelled${this.#flatten ? ' and flat' : ''}`;
    onPhase('done', residuals.length === 0 ? doneText : `not settled: ${residuals.length}`);
    return {
      flatten: this.#flatten,
      beganMs: this.#beganMs,
      endedMs: this.#venue.nowMs,
      cancelled: this.#cancelled.count,
      triggersCancelled: this.triggersCancelled,
      slices: this.#flattened.slices,
      dust: this.#flattened.dust,
      residuals,
    };
  }
}
