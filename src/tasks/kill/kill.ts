// Runs a kill from end to end: cancel, prove, flatten, prove, report. It works without strategies, engine and risk rules, which may have failed.

import { ConfigError } from '../../base/errors.ts';
import type { Instrument, InstrumentId } from '../../model/instrument.ts';
import { cancelAll, type CancelResult } from './cancel/cancelAll.ts';
import type { KillOrders } from './cancel/killOrders.ts';
import { flatten, FlattenProgress, gaveUpText, type FlattenResult, type PositionToClose } from './flatten/flatten.ts';
import { doubtText } from './plan/attribution.ts';
import type { JournalBooks } from './evidence/journalBooks.ts';
import { Judge } from './evidence/judge.ts';
import { FuturesCloser } from './flatten/futuresCloser.ts';
import type { SliceJournal } from './flatten/sliceJournal.ts';
import { SpotCloser } from './flatten/spotCloser.ts';
import type { SliceTerms } from './plan/killPlan.ts';
import { drainTriggers, type LeftTrigger } from './cancel/triggers.ts';
import { KillStopped, KillVenue, type KillDeps } from './plan/venue.ts';

/** Part of the time limit after which an instrument that cannot be cancelled no longer holds up the flattening of the others. */
const SET_ASIDE_PART = 0.1;

/** The books and the journal for flattening, read once no order is open, except of instruments that cannot be cancelled. */
export interface KillBooks {
  readonly books: JournalBooks;
  readonly journal: SliceJournal;
  /** False when contracts are in two-way mode. */
  readonly isNet: boolean;
}

/** The extent of a kill. */
export interface KillOptions {
  /** Cancels foreign orders as well. */
  readonly all: boolean;
  /** Null: positions are not closed. Called once all orders are cancelled. */
  readonly books: (() => Promise<KillBooks>) | null;
  readonly terms?: SliceTerms;
  /** Positions that the bot is believed to have, as sentences: for the report of a kill that does not complete. */
  readonly believed?: () => readonly string[];
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
 * residuals. The caller has closed the kill switch and written its file.
 */
export async function runKill(deps: KillDeps, knownOrders: KillOrders, options: KillOptions): Promise<KillReport> {
  const venue = new KillVenue(deps);
  const report = new KillReportBuilder(venue, options.books !== null);
  // Orders whose end is not proved yet.
  let remaining = knownOrders;
  const progress = new FlattenProgress();
  /** Ids of the protective trigger orders that have been cancelled. */
  const protectiveIds = new Set<string>();
  const journalPositions = (): readonly string[] => (options.books === null ? [] : (options.believed?.() ?? []));
  try {
    const { giveUpMs } = deps.settings;
    if (options.books !== null) venue.giveUpMs = giveUpMs * SET_ASIDE_PART;
    const cancelled = await cancelAll(venue, knownOrders, options.all);
    report.noteCancelled(cancelled);
    remaining = onlyOf(knownOrders, cancelled.stuck);
    const stuck = new Map(cancelled.stuck);
    if (options.books !== null) {
      const isAllStuck = stuck.size === deps.instruments.length;
      venue.giveUpMs = isAllStuck ? giveUpMs * (1 - SET_ASIDE_PART) : giveUpMs;
      const { books: readBooks, all, terms } = options;
      const reading: { books: Promise<KillBooks> | null } = { books: null };
      // The first reading lacks what was journalled until this process had the journal: the slices of another kill, for example.
      const settleLate = async (orders: KillOrders, instruments: readonly Instrument[]): Promise<CancelResult['stuck']> => {
        if (!isUnknownLater(venue, orders, knownOrders)) return new Map();
        const again = await cancelAll(venue, orders, all, instruments);
        report.noteCancelledAgain(again, instruments);
        for (const [id, reason] of again.stuck) stuck.set(id, reason);
        return again.stuck;
      };
      const close = async (instruments: readonly Instrument[]): Promise<void> => {
        if (instruments.length === 0) return;
        const books = await (reading.books ??= readBooks());
        const late = await settleLate(books.books.orders, instruments);
        const settled = instruments.filter(({ id }) => !late.has(id));
        const cancelTriggers = (instrument: Instrument): Promise<readonly LeftTrigger[]> =>
          drainTriggers(venue, instrument, books.books.orders, { all, which: 'every', ended: protectiveIds });
        const positions = positionsOf(settled, new Judge(venue, books.books), books, cancelTriggers);
        report.noteFlattened(await flatten(venue, positions, terms, progress));
      };
      const closeLater = async (instruments: readonly Instrument[]): Promise<void> => {
        if (instruments.length === 0) return;
        const again = await cancelAll(venue, knownOrders, all, instruments);
        report.noteCancelled(again);
        for (const { id } of instruments) stuck.delete(id);
        for (const [id, reason] of again.stuck) stuck.set(id, reason);
        remaining = onlyOf(knownOrders, stuck);
        await close(instruments.filter(({ id }) => !again.stuck.has(id)));
      };
      const [late, free] = [true, false].map((isStuck) => deps.instruments.filter(({ id }) => cancelled.stuck.has(id) === isStuck));
      await Promise.all([close(free!), closeLater(late!)]);
      const done = deps.instruments.filter(({ id }) => !stuck.has(id));
      if (reading.books !== null) {
        const { books } = await reading.books;
        // Protective orders of a position that could not be closed stay.
        report.noteProtective(
          await cancelProtective(venue, books.orders, all, { closed: without(done, report.open), ended: protectiveIds }),
        );
        // Slices are orders too, so verify that none of them is open.
        const slices = { ...books.orders, open: new Map(), unknownUntilMs: {} };
        const proved = without(done, report.gaveUp);
        const again = await cancelAll(venue, slices, all, proved);
        report.noteCancelledAgain(again, proved);
        for (const [id, reason] of again.stuck) stuck.set(id, reason);
      }
    }
    report.noteStuck(stuck, openTexts(remaining), journalPositions());
  } catch (error) {
    if (!(error instanceof KillStopped || error instanceof ConfigError)) throw error;
    report.noteStopped(error.message, progress, [...openTexts(remaining), ...journalPositions()]);
  } finally {
    venue.close();
  }
  return report.toReport();
}

const without = (instruments: readonly Instrument[], ids: ReadonlySet<InstrumentId>): readonly Instrument[] =>
  instruments.filter(({ id }) => !ids.has(id));

/**
 * True if orders of unknown outcome have been added since `knownOrders` was read, and they can appear no more before the kill gives up. The outcome
 * of later ones stays unknown.
 */
function isUnknownLater({ deps }: KillVenue, { unknownUntilMs }: KillOrders, knownOrders: KillOrders): boolean {
  return (['spot', 'futures'] as const).some((market) => {
    const untilMs = unknownUntilMs[market] ?? -Infinity;
    return untilMs > (knownOrders.unknownUntilMs[market] ?? -Infinity) && untilMs - deps.serverTime(market).ms <= deps.settings.giveUpMs;
  });
}

/** Returns the orders of these instruments alone. */
function onlyOf({ own, open, waiting, unknownUntilMs }: KillOrders, stuck: ReadonlyMap<InstrumentId, string>): KillOrders {
  const of = (orders: KillOrders['open']): KillOrders['open'] => new Map([...orders].filter(([id]) => stuck.has(id)));
  return { own, open: of(open), waiting: of(waiting), unknownUntilMs };
}

/** The trigger orders of closed positions. */
interface Protective {
  readonly count: number;
  /** Those that are left alone, because no evidence shows whose they are. */
  readonly left: readonly LeftTrigger[];
}

/** Cancels the trigger orders of contracts whose positions are closed. */
async function cancelProtective(
  venue: KillVenue,
  knownOrders: KillOrders,
  all: boolean,
  { closed, ended }: { readonly closed: readonly Instrument[]; readonly ended: Set<string> },
): Promise<Protective> {
  const left = await Promise.all(closed.map((instrument) => drainTriggers(venue, instrument, knownOrders, { all, which: 'every', ended })));
  return { count: ended.size, left: left.flat() };
}

/** Returns sentences about orders that may still be open, for a kill that does not complete. */
function openTexts({ open, waiting, own }: KillOrders): readonly string[] {
  const knownTriggers = [
    ...[...open].flatMap(([id, ids]) => ids.map((venueId) => `${id}: order ${venueId} may still be open`)),
    ...[...waiting].flatMap(([id, ids]) => ids.map((triggerId) => `${id}: trigger order ${triggerId} may still wait`)),
  ];
  const lost = own === null ? [] : [...own.withoutVenueId].filter(({ isOver }) => !isOver);
  return [...knownTriggers, ...lost.map((order) => doubtText({ order, fits: [], isUnseen: true }))];
}

/** Returns every position that the bot may have: by strategy for coins, by side for contracts. */
function positionsOf(
  instruments: readonly Instrument[],
  judge: Judge,
  { books, journal, isNet }: KillBooks,
  cancelTriggers: (instrument: Instrument) => Promise<readonly LeftTrigger[]>,
): readonly PositionToClose[] {
  return instruments.flatMap((instrument): readonly PositionToClose[] => {
    const lost = books.lostOf(instrument.id).map(({ strategy }) => strategy);
    const strategies = [...new Set([...books.heldOf(instrument.id).keys(), ...books.strategiesOf(instrument.id), ...lost])];
    if (instrument.market === 'spot')
      return strategies.map((strategy) => ({ instrument, strategy, closer: new SpotCloser({ instrument, strategy, judge, journal }) }));
    if (strategies.length === 0) return [];
    return (['buy', 'sell'] as const).map((positionSide) => ({
      instrument,
      strategy: books.strategyHolding(instrument.id, positionSide),
      closer: new FuturesCloser({ instrument, positionSide, judge, journal, isNet, cancelTriggers: () => cancelTriggers(instrument) }),
    }));
  });
}

/** Returns each trigger order once. */
const distinctTriggers = (rows: readonly LeftTrigger[]): readonly LeftTrigger[] => [
  ...new Map(rows.map((row) => [`${row.instrument} ${row.trigger.triggerOrderId}`, row])).values(),
];

/** Collects the results of a kill while it runs. */
class KillReportBuilder {
  readonly #venue: KillVenue;
  readonly #flatten: boolean;
  readonly #beganMs: number;
  #cancelled: Omit<CancelResult, 'stuck'> = { count: 0, left: [], triggers: 0, leftTriggers: [] };
  #protective: readonly LeftTrigger[] = [];
  #flattened: FlattenResult = { slices: [], dust: [], residuals: [], open: new Set(), gaveUp: new Set() };
  #stopped: readonly string[] = [];
  triggersCancelled = 0;

  constructor(venue: KillVenue, isFlatten: boolean) {
    this.#venue = venue;
    this.#flatten = isFlatten;
    this.#beganMs = venue.nowMs;
  }

  /** Instruments with a position that is left, or may be left. */
  get open(): ReadonlySet<InstrumentId> {
    return this.#flattened.open;
  }

  get gaveUp(): ReadonlySet<InstrumentId> {
    return this.#flattened.gaveUp;
  }

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

  noteProtective({ count, left }: Protective): void {
    this.triggersCancelled += count;
    this.#protective = left;
  }

  /** Notes instruments that could not be completed, with what may be left of them. */
  noteStuck(stuck: CancelResult['stuck'], open: readonly string[], believed: readonly string[]): void {
    const ids = [...stuck.keys(), ...this.#flattened.gaveUp];
    if (ids.length === 0) return;
    const isOf = (text: string): boolean => ids.some((id) => text.startsWith(`${id}: `));
    this.#stopped = [...[...stuck].map(([id, reason]) => gaveUpText(id, reason)), ...[...open, ...believed].filter(isOf)];
  }

  /** Notes the last look at these instruments. What was left of others stays. */
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

  noteFlattened(result: FlattenResult): void {
    const { slices, dust, residuals, open, gaveUp } = this.#flattened;
    this.#flattened = {
      slices: [...slices, ...result.slices],
      dust: [...dust, ...result.dust],
      residuals: [...residuals, ...result.residuals],
      open: new Set([...open, ...result.open]),
      gaveUp: new Set([...gaveUp, ...result.gaveUp]),
    };
  }

  noteStopped(reason: string, { slices, inFlight }: FlattenProgress, residuals: readonly string[]): void {
    this.#stopped = [reason, ...inFlight, ...residuals];
    this.#flattened = { ...this.#flattened, slices: slices.slice() };
  }

  toReport(): KillReport {
    const { onPhase } = this.#venue.deps;
    const left = this.#cancelled.left.map(
      ({ instrument, order: { venueId, side, qty, price }, attribution }) =>
        `${instrument}: order ${venueId} (${side} ${qty}${price === null ? '' : ` at ${price}`}) ` +
        (attribution === 'alien' ? 'is not ours and stays open' : 'has an unknown owner and stays open'),
    );
    const waiting = distinctTriggers([...this.#cancelled.leftTriggers, ...this.#protective]).map(
      ({ instrument, trigger: { triggerOrderId, side, volume, triggerPrice } }) =>
        `${instrument}: trigger order ${triggerOrderId} (${side} ${volume} at ${triggerPrice}) has an unknown owner and stays waiting`,
    );
    const residuals = [...this.#stopped, ...left, ...waiting, ...this.#flattened.residuals];
    onPhase(
      'done',
      residuals.length === 0 ? `everything is cancelled${this.#flatten ? ' and flat' : ''}` : `${residuals.length} problems remain`,
    );
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
