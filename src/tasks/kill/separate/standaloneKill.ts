// The kill without the bot: a separate process uses only the bot's data folder, without strategy code and engine.

import { readdirSync } from 'node:fs';
import { appendAll } from '../../../base/memory/appendAll.ts';
import { incidentRecord } from '../../../adapters/exchange/calls/types.ts';
import { LiveScheduler } from '../../../adapters/clock/liveScheduler.ts';
import type { JournalDeps, OpenedJournal } from '../../../adapters/journal/openJournal.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { readJournal, type JournalReading } from '../../../adapters/journal/file/readJournal.ts';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { OrderId } from '../../../model/order.ts';
import { DiskError } from '../../../ports/disk.ts';
import { clientOrderIdOf, idPrefixOf, runPrefix } from '../../../protocol/clientOrderId.ts';
import { secretFrom, type Environment, type SecretName } from '../../../access/environment.ts';
import { readKeyFile } from '../../../access/keyFile.ts';
import { openExchange, type Exchange } from '../../../access/openExchange.ts';
import { Signer } from '../../../access/signer.ts';
import type { SecretSource } from '../../../access/settings.ts';
import type { BotFile } from '../../control/folder/botFile.ts';
import { openJournalFolder } from '../../../adapters/journal/openOnDisk.ts';
import type { Market } from '../../../model/instrument.ts';
import { NOTHING_KNOWN } from '../cancel/killOrders.ts';
import { endHolder } from './endProcess.ts';
import { takeKillTurn, type TurnWait } from './killTurn.ts';
import { JournalBooks } from '../evidence/journalBooks.ts';
import { runKill, type KillBooks, type KillReport } from '../kill.ts';
import { SLICE_GAP, sliceJournal, type SliceJournalDeps } from '../flatten/sliceJournal.ts';
import { KILL_SETTINGS, type KillDeps, type KillSettings } from '../plan/killVenue.ts';

/** Options of the kill. */
export interface SeparateOptions {
  readonly flatten: boolean;
  /** True when foreign orders are cancelled too. */
  readonly all: boolean;
  readonly onPhase: KillDeps['onPhase'];
  readonly signal?: AbortSignal;
  readonly environment?: Environment;
  /** Time without progress after which the kill ends, in seconds of this computer. */
  readonly giveUpSeconds?: number;
  /** For simulations: replaces the exchange, and the function that ends the process with the journal. */
  readonly exchange?: Exchange;
  readonly endBot?: (journal: string) => Promise<{ readonly pid: number; readonly isForced: boolean } | null>;
}

/** Runs the kill after the kill switch has been set. Throws ConfigError without credentials. Failures at the exchange are in the report. */
export async function standaloneKill(bot: BotFile, options: SeparateOptions): Promise<KillReport> {
  const ownExchange = options.exchange === undefined ? openExchangeOf(bot, options) : null;
  const exchange = options.exchange ?? ownExchange!.exchange;
  const { giveUpSeconds } = options;
  const incidents = new IncidentNotes();
  const deps: KillDeps = {
    client: exchange.ungated,
    scheduler: exchange.scheduler,
    serverTime: (market) => exchange.serverTime(market),
    instruments: bot.instruments,
    settings: killSettings(bot, giveUpSeconds),
    timeScale: bot.timeScale,
    onPhase: options.onPhase,
    onIncident: incidents.note,
    ...(options.signal ? { signal: options.signal } : {}),
  };
  const closers: (() => Promise<void>)[] = [];
  const books = options.flatten
    ? () => flattenBooks(bot, exchange, deps, { endBot: options.endBot ?? endHolder, turn: turnOf(options), closers, incidents })
    : null;
  let hasJournal = false;
  try {
    const journal = readBooks(bot, deps);
    hasJournal = journal !== null;
    const believedPositions = (): readonly string[] => journal?.journalPositions(bot.isNet ?? true) ?? [];
    return await runKill({ ...deps, incidentMs: journal?.incidentMs }, journal?.orders ?? NOTHING_KNOWN, {
      includesForeign: options.all,
      books,
      believedPositions,
    });
  } finally {
    // A kill that closes no position has not opened the journal.
    if (hasJournal && incidents.hasUnwritten) appendAll(closers, noteIncidents(bot, { exchange, deps, incidents }));
    for (const close of closers.toReversed()) await close();
    await ownExchange?.close();
  }
}

/** Returns the times of a kill. `giveUpSeconds` counts on this computer. */
export function killSettings(
  { readLagMs, busDelayMs: visibilityDelayMs, timeScale }: Pick<BotFile, 'readLagMs' | 'busDelayMs' | 'timeScale'>,
  giveUpSeconds = KILL_SETTINGS.giveUpMs / 1000,
): KillSettings {
  return { ...KILL_SETTINGS, readLagMs, visibilityDelayMs, giveUpMs: giveUpSeconds * 1000 * timeScale };
}

/** Opens the exchange of the bot with its credentials. */
function openExchangeOf(
  bot: BotFile,
  { environment = process.env }: SeparateOptions,
): { readonly exchange: Exchange; close(): Promise<void> } {
  const scheduler = new LiveScheduler({ speed: bot.timeScale });
  const exchange = openExchange({ ...bot.access, credentials: credentialsOf(bot, environment) }, { scheduler });
  return {
    exchange,
    async close() {
      await exchange.close();
      scheduler.close();
    },
  };
}

/** Returns the signer with the key and secret of the bot. */
function credentialsOf({ access: { sources } }: BotFile, environment: Environment): Signer {
  const key = secretOf('key', sources?.key ?? null, environment);
  const secret = secretOf('secret', sources?.secret ?? null, environment);
  return new Signer(key, secret);
}

/** Returns a secret from the environment, or else from where the bot has it. Throws ConfigError if neither has it. */
function secretOf(name: SecretName, source: SecretSource | null, environment: Environment): ConstructorParameters<typeof Signer>[0] {
  const text = secretFrom(environment, name);
  if (text && 'file' in text) return readKeyFile(text.file, text.text);
  if (text) return text;
  if (source?.kind === 'file') return readKeyFile(source.path, `the ${name} file of the bot`);
  const variable = source?.variable ?? (name === 'key' ? 'ISOBAR_API_KEY' : 'ISOBAR_API_SECRET');
  throw new ConfigError(
    `${variable}: expected the ${name} that the bot was started with, got nothing`,
    `set ${variable} here as for the bot`,
  );
}

/** Reads the journal. Returns null if that fails; the kill then recognises own orders by the form of their client order ids. */
function readBooks(bot: BotFile, { onPhase, serverTime, settings }: KillDeps): JournalBooks | null {
  try {
    const books = new JournalBooks(bot.instruments);
    const reading = readJournal(unlockedDisk, bot.journal, books.add);
    if (reading.damage)
      onPhase('cancelling', `the journal is damaged (${reading.damage.message}): orders are recognised by their client ids`);
    const isCut = isCutBeforeOrders(reading, books);
    if (isCut) onPhase('cancelling', 'the journal was cut off before its first order: orders are recognised by their client ids');
    if (reading.damage || reading.account === null || isCut) return null;
    const isTorn = reading.segments.some(({ torn }) => torn !== null);
    books.complete({ isTorn, nowMs: serverTime('spot').ms, recvWindowMs: settings.recvWindowMs });
    return books;
  } catch (error) {
    if (!(error instanceof DiskError) && !(error instanceof Error && 'code' in error)) throw error;
    onPhase('cancelling', 'the journal cannot be read: orders are recognised by their client ids');
    return null;
  }
}

/**
 * Reads a journal from which positions are closed. Throws ConfigError if it is missing, empty or damaged: the bot's positions are then unknown,
 * and none may be reported as closed.
 */
export function readWhole(folder: string, visit: (record: JournalRecord) => void): JournalReading {
  const remedy = 'check every position of the bot at the exchange, and close it by hand';
  let reading: JournalReading;
  try {
    reading = readJournal(unlockedDisk, folder, visit);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new ConfigError(`${folder}: the journal cannot be read (${String(error.code)}), so the bot's positions are unknown`, remedy);
  }
  const { damage, account } = reading;
  if (damage !== null) throw new ConfigError(`${damage.path}:${damage.line}: the journal is damaged: ${damage.message}`, remedy);
  if (account === null) throw new ConfigError(`${folder}: the journal has no record of the bot, so its positions are unknown`, remedy);
  return reading;
}

/** Throws ConfigError if the bot's journal does not show which positions it has. */
function checkWhole({ journal, instruments }: BotFile): void {
  const books = new JournalBooks(instruments);
  if (!isCutBeforeOrders(readWhole(journal, books.add), books)) return;
  throw new ConfigError(
    `${journal}: the journal was cut off before its first order, so the bot's positions are unknown`,
    'check every position of the bot at the exchange, and close it by hand',
  );
}

/** True if a journal ends within a record and has no order. Nothing then recognises an order whose records were cut off with its end. */
const isCutBeforeOrders = ({ segments }: JournalReading, { lastOrder }: JournalBooks): boolean =>
  lastOrder.cid === null && segments.length > 0 && segments.at(-1)!.torn !== null;

/** What flattening needs besides the exchange. */
interface FlattenBooksDeps {
  readonly endBot: NonNullable<SeparateOptions['endBot']>;
  readonly turn: TurnWait;
  /** Functions that are called when the kill has ended, the newest first. */
  readonly closers: (() => Promise<void>)[];
  readonly incidents: IncidentNotes;
}

/** How a kill waits for another one. */
const turnOf = ({ giveUpSeconds = KILL_SETTINGS.giveUpMs / 1000, onPhase, signal }: SeparateOptions): TurnWait => ({
  maxMs: giveUpSeconds * 1000,
  onWait: (pid) => onPhase('flattening', `process ${pid} closes the positions of this bot: waiting for it`),
  signal,
});

/** Number of random bits in a prefix of client order ids. */
const RANDOM_BITS = 30;

/** Waits for another kill, ends the bot, takes its journal and reads the books from it. */
async function flattenBooks(
  bot: BotFile,
  exchange: Exchange,
  deps: KillDeps,
  { endBot, turn, closers, incidents }: FlattenBooksDeps,
): Promise<KillBooks> {
  const endTurn = await takeKillTurn(bot.journal, turn);
  closers.push(() => Promise.resolve(endTurn()));
  const ended = await endBot(bot.journal);
  if (ended) deps.onPhase('flattening', `process ${ended.pid} of the bot was ended${ended.isForced ? ' by force' : ''}`);
  checkWhole(bot);
  const books = new JournalBooks(bot.instruments);
  const rng = seededRng((deps.scheduler.nowMs ^ process.pid) | 0);
  const durableWaiters = new DurableWaiters();
  let prefix = '';
  const cidOf = (id: OrderId): string => clientOrderIdOf(prefix, id);
  const { recvWindowMs } = deps.settings;
  const opened = openKillJournal(bot, { exchange, deps, clientOrderIdOf: cidOf, listener: durableWaiters, visit: books.add });
  closers.push(() => closeJournal(opened));
  incidents.writeTo(opened.journal);
  const { id, cid } = books.lastOrder;
  prefix = cid === null ? runPrefix(deps.scheduler.nowMs, Math.floor(rng.next() * 2 ** RANDOM_BITS)) : idPrefixOf(cid);
  let lastOrderId = id + SLICE_GAP;
  const isTorn = opened.reading.segments.some(({ torn }) => torn !== null);
  books.complete({ isTorn, nowMs: exchange.serverTime('spot').ms, recvWindowMs });
  return {
    books,
    isNet: bot.isNet ?? true,
    journal: sliceJournal({
      journal: opened.journal,
      nextId: () => ++lastOrderId as OrderId,
      clientOrderIdOf: cidOf,
      waitUntilDurable: (seq) => durableWaiters.wait(seq),
      indexOf: ({ instrument }) => bot.instruments.findIndex((other) => other.id === instrument.id),
      nowMs: () => Math.floor(deps.scheduler.nowMs),
      books,
      window: ({ instrument: { market } }) => windowOf(exchange, market, recvWindowMs),
    }),
  };
}

/** What the journal of a kill needs. */
interface KillJournalDeps {
  readonly exchange: Exchange;
  readonly deps: KillDeps;
  readonly clientOrderIdOf: (id: OrderId) => string;
  readonly listener: JournalDeps['listener'];
  readonly visit: (record: JournalRecord) => void;
}

/** Opens the bot's journal for the kill. Throws ConfigError if another process has it or if it is damaged. */
function openKillJournal(bot: BotFile, { exchange, deps, clientOrderIdOf: cidOf, listener, visit }: KillJournalDeps): OpenedJournal {
  return openJournalFolder(
    {
      nowMs: () => Math.floor(deps.scheduler.nowMs),
      listener,
      facts: {
        clientOrderId: cidOf,
        stamp: ({ instrument }) => stampOf(exchange, instrument.market),
        verdictInputs: () => ({ by: 'kill' }),
        riskReserve: () => 'kill',
        reason: () => 'kill',
        tradeId: ({ tradeId }) => String(tradeId),
        digest: () => null,
      },
    },
    { folder: bot.journal, account: bot.account, visit },
  );
}

/** What the journalling of incidents needs. */
interface IncidentDeps extends Pick<KillJournalDeps, 'exchange' | 'deps'> {
  readonly incidents: IncidentNotes;
}

/** Journals the incidents of a kill that has not opened the journal. Returns what must be called to close it. */
function noteIncidents(bot: BotFile, { exchange, deps, incidents }: IncidentDeps): readonly (() => Promise<void>)[] {
  try {
    const cidOf = (id: OrderId): string => clientOrderIdOf('', id);
    const opened = openKillJournal(bot, { exchange, deps, clientOrderIdOf: cidOf, listener: new DurableWaiters(), visit: () => {} });
    incidents.writeTo(opened.journal);
    return [() => closeJournal(opened)];
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof DiskError)) throw error;
    // A bot that hangs keeps its journal. The kill has done its work without it.
    deps.onPhase('done', `the incident of the exchange is not in the journal (${error.message})`);
    return [];
  }
}

/** Returns the timestamp of a request signed now, and the latest venue time that it may have. */
function stampOf(exchange: Pick<Exchange, 'serverTime'>, market: Market): { readonly signMs: number; readonly venueLatestMs: number } {
  const { ms, uncertaintyMs } = exchange.serverTime(market);
  return { signMs: Math.floor(ms), venueLatestMs: Math.ceil(ms + (Number.isFinite(uncertaintyMs) ? uncertaintyMs : 0)) };
}

/** Returns the venue times between which a request signed now may be admitted. */
export function windowOf(
  exchange: Pick<Exchange, 'serverTime'>,
  market: Market,
  recvWindowMs: number,
): ReturnType<SliceJournalDeps['window']> {
  const { signMs, venueLatestMs } = stampOf(exchange, market);
  return { signMs, latestMs: venueLatestMs + recvWindowMs };
}

/** Reads a journal without taking its lock. */
const unlockedDisk = {
  list: (folder: string): string[] => readdirSync(folder).toSorted(),
  read: (path: string): Uint8Array => readRegularFile(path),
};

/** Returns the error for a journal that cannot be written. */
const journalError = (reason: string): ConfigError =>
  new ConfigError(
    `the journal cannot be written any more (${reason}), so no slice may be sent`,
    'free disk space or repair the disk, then kill again',
  );

/** Collects the incidents of a kill until it has opened the journal, and writes them to the journal from then on. */
class IncidentNotes {
  /** Incidents before the kill has the journal: venue time by market. */
  readonly #unwritten = new Map<Market, number>();
  #journal: OpenedJournal['journal'] | null = null;

  /** True if an incident was noted and no journal has been opened for it. */
  get hasUnwritten(): boolean {
    return this.#journal === null && this.#unwritten.size > 0;
  }
  /** Notes an incident of a market at a venue time. */
  readonly note = (market: Market, venueMs: number): void => {
    if (this.#journal === null) this.#unwritten.set(market, venueMs);
    else this.#journal.cursor(incidentRecord(market, venueMs));
  };
  /** Writes all incidents up to now to the journal, and each later one at once. */
  writeTo(journal: OpenedJournal['journal']): void {
    this.#journal = journal;
    for (const [market, venueMs] of this.#unwritten) this.note(market, venueMs);
  }
}

/** Promises that wait until records are durable. Once the journal has failed none resolves, because no slice may be sent then. */
class DurableWaiters {
  #durableSeq = 0;
  #failure: string | null = null;
  #waiters: { readonly seq: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  /** Resolves when the record with this number is durable. */
  wait(seq: number): Promise<void> {
    if (this.#failure !== null) return Promise.reject(journalError(this.#failure));
    if (seq <= this.#durableSeq) return Promise.resolve();
    return new Promise((resolve, reject) => void this.#waiters.push({ seq, resolve, reject }));
  }
  /** Called by the journal: all records up to this number are durable. */
  onDurable(seq: number): void {
    this.#durableSeq = seq;
    const durableWaiters = this.#waiters.filter((waiter) => waiter.seq <= seq);
    this.#waiters = this.#waiters.filter((waiter) => waiter.seq > seq);
    for (const { resolve } of durableWaiters) resolve();
  }
  /** Called by the journal: it cannot be written any more. */
  onFailure(reason: string): void {
    this.#failure = reason;
    for (const { reject } of this.#waiters) reject(journalError(reason));
    this.#waiters = [];
  }
}

/** Closes the journal and releases its lock. */
function closeJournal({ journal, release }: OpenedJournal): Promise<void> {
  return new Promise((resolve) =>
    journal.close(() => {
      release();
      resolve();
    }),
  );
}
