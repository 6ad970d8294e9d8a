// The kill without the bot: in a process of its own, from what the bot left in its data folder, with no strategy code and no engine.

import { readdirSync, readFileSync } from 'node:fs';
import { LiveScheduler } from '../../../adapters/clock/liveScheduler.ts';
import type { OpenedJournal } from '../../../adapters/journal/openJournal.ts';
import { readJournal } from '../../../adapters/journal/readJournal.ts';
import { ConfigError, InvariantError } from '../../../base/errors.ts';
import { seededRng } from '../../../base/rng.ts';
import type { OrderId } from '../../../model/order.ts';
import { DiskError } from '../../../ports/disk.ts';
import { clientOrderIdOf, runPrefix } from '../../../protocol/clientOrderId.ts';
import { ownOrder } from '../../../protocol/shapes/spot.ts';
import { secretFrom, type Environment, type SecretName } from '../../access/environment.ts';
import { readKeyFile } from '../../access/keyFile.ts';
import { openExchange, type Exchange } from '../../access/openExchange.ts';
import { Signer } from '../../access/signer.ts';
import type { SecretSource } from '../../access/settings.ts';
import type { BotFile } from '../../control/botFile.ts';
import { openJournalFolder } from '../../journal/openJournal.ts';
import { NOTHING_KNOWN, type KillOrders } from '../cancel/cancelAll.ts';
import { endHolder } from './endProcess.ts';
import { JournalBooks } from './journalBooks.ts';
import { runKill, type KillBooks, type KillReport } from '../kill.ts';
import { sliceJournal } from '../flatten/sliceJournal.ts';
import { KILL_SETTINGS, KillVenue, type KillParts } from '../venue.ts';

export interface SeparateOptions {
  readonly flatten: boolean;
  readonly all: boolean;
  readonly tell: KillParts['tell'];
  readonly signal?: AbortSignal;
  readonly environment?: Environment;
}

/** The latch stands already. Throws ConfigError where there are no credentials; what the exchange does is in the report. */
export async function separateKill(bot: BotFile, options: SeparateOptions): Promise<KillReport> {
  const scheduler = new LiveScheduler({ speed: bot.timeScale });
  const exchange = openExchange({ ...bot.access, credentials: credentialsOf(bot, options.environment ?? process.env) }, { scheduler });
  const parts: KillParts = {
    client: exchange.ungated,
    scheduler,
    serverTime: (market) => exchange.serverTime(market),
    instruments: bot.instruments,
    settings: { ...KILL_SETTINGS, readLagMs: bot.readLagMs, busDelayMs: bot.busDelayMs },
    tell: options.tell,
    ...(options.signal ? { signal: options.signal } : {}),
  };
  const closing: (() => Promise<void>)[] = [];
  const books = options.flatten ? () => flattenBooks(bot, exchange, parts, closing) : null;
  try {
    return await runKill(parts, knownOf(bot, parts), { all: options.all, books });
  } finally {
    for (const close of closing) await close();
    await exchange.close();
    scheduler.close();
  }
}

function credentialsOf({ access: { sources } }: BotFile, environment: Environment): Signer {
  const found = (name: SecretName) => secretOf(name, sources?.[name] ?? null, environment);
  return new Signer(found('key'), found('secret'));
}

function secretOf(name: SecretName, source: SecretSource | null, environment: Environment): ConstructorParameters<typeof Signer>[0] {
  const said = secretFrom(environment, name);
  if (said && 'file' in said) return readKeyFile(said.file, said.said);
  if (said) return said;
  if (source?.kind === 'file') return readKeyFile(source.path, `the ${name} file of the bot`);
  const variable = source?.variable ?? (name === 'key' ? 'ISOBAR_API_KEY' : 'ISOBAR_API_SECRET');
  throw new ConfigError(
    `${variable}: expected the ${name} that the bot was started with, got nothing`,
    `set ${variable} here as for the bot`,
  );
}

/** A journal that cannot be read takes nothing from the kill but the knowledge of whose orders these are. */
function knownOf(bot: BotFile, { tell, serverTime }: KillParts): KillOrders {
  try {
    const books = new JournalBooks(bot.instruments);
    const disk = { list: (folder: string) => readdirSync(folder).toSorted(), read: (path: string): Uint8Array => readFileSync(path) };
    const reading = readJournal(disk, bot.journal, books.add);
    if (reading.damage) tell('cancelling', `the journal is damaged (${reading.damage.says}): orders are told by their client ids`);
    if (reading.damage || reading.account === null) return NOTHING_KNOWN;
    return books.orders(
      reading.segments.some(({ torn }) => torn !== null),
      serverTime('spot').ms,
    );
  } catch (error) {
    if (!(error instanceof DiskError) && !(error instanceof Error && 'code' in error)) throw error;
    tell('cancelling', 'the journal cannot be read: orders are told by their client ids');
    return NOTHING_KNOWN;
  }
}

/** Ends the bot, takes its journal, and makes the books whole from the exchange. */
async function flattenBooks(bot: BotFile, exchange: Exchange, parts: KillParts, closing: (() => Promise<void>)[]): Promise<KillBooks> {
  const ended = await endHolder(bot.journal);
  if (ended) parts.tell('flattening', `process ${ended.pid} of the bot was ended${ended.forced ? ' by force' : ''}`);
  const books = new JournalBooks(bot.instruments);
  const rng = seededRng((parts.scheduler.nowMs ^ process.pid) | 0);
  const waiting = new DurableWaiters();
  let prefix = '';
  const cidOf = (id: OrderId): string => clientOrderIdOf(prefix, id);
  const opened = openJournalFolder(
    {
      nowMs: () => parts.scheduler.nowMs,
      listener: waiting,
      facts: {
        clientOrderId: cidOf,
        stamp: ({ instrument }) => {
          const { ms, uncertaintyMs } = exchange.serverTime(instrument.market);
          return {
            signMs: ms,
            venueLatestMs: Math.ceil(ms + (Number.isFinite(uncertaintyMs) ? uncertaintyMs : 0) + parts.settings.recvWindowMs),
          };
        },
        verdictInputs: () => ({ by: 'kill' }),
        riskReserve: () => 'kill',
        reason: () => 'kill',
        tradeId: ({ tradeId }) => String(tradeId),
        digest: () => null,
      },
    },
    { folder: bot.journal, account: bot.account, visit: books.add },
  );
  closing.push(() => closeJournal(opened));
  const { id, cid } = books.lastOrder;
  prefix = cid?.slice(0, 16) ?? runPrefix(parts.scheduler.nowMs, Math.floor(rng.next() * 2 ** 30));
  let last = id;
  const venue = new KillVenue(parts);
  const spot = await caughtUp(venue, books);
  return {
    spot,
    strategyOf: (instrument) => books.strategyOf(instrument),
    journal: sliceJournal({
      journal: opened.journal,
      nextId: () => ++last as OrderId,
      cidOf,
      durable: (seq) => waiting.until(seq),
      indexOf: ({ instrument }) => bot.instruments.findIndex((each) => each.id === instrument.id),
      nowMs: () => parts.scheduler.nowMs,
    }),
  };
}

/** Fills that the bot did not live to book: of its own orders, which every list of own trades names. */
async function caughtUp(venue: KillVenue, books: JournalBooks): Promise<KillBooks['spot']> {
  for (const { cid, instrument } of books.lost) {
    const found = venue.parts.instruments.find(({ id, market }) => id === instrument && market === 'spot');
    if (!found) continue;
    const order = await venue.read('spot.queryOrder', { newClientOrderId: cid, symbol: found.wireName });
    if (order) books.found(cid, order.orderId);
  }
  const holdings: KillBooks['spot'][number][] = [];
  for (const instrument of venue.parts.instruments) {
    if (instrument.market !== 'spot') continue;
    const { rows } = await venue.read('spot.myTrades', { symbol: instrument.wireName, limit: 1000 });
    for (const trade of rows) {
      const { orderId, side } = ownOrder(trade);
      const strategy = books.strategyOfOrder(orderId);
      if (strategy === null || books.state.trades.has(`${instrument.id} ${trade.tradeId}`)) continue;
      books.book({ instrument: instrument.id, strategy, side, qty: trade.quantity, fee: trade.fee, feeCoin: trade.feeCoin });
    }
    const booked = new Set(rows.map(({ tradeId }) => tradeId));
    for (const { strategy, qty } of books.holdingsOf(instrument)) holdings.push({ instrument, strategy, qty, booked });
  }
  return holdings;
}

/** Those who wait for records to last. */
class DurableWaiters {
  #durableSeq = 0;
  #failure: string | null = null;
  #waiting: { readonly seq: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  until(seq: number): Promise<void> {
    if (this.#failure !== null) return Promise.reject(new InvariantError(`the journal takes nothing any more: ${this.#failure}`));
    if (seq <= this.#durableSeq) return Promise.resolve();
    return new Promise((resolve, reject) => void this.#waiting.push({ seq, resolve, reject }));
  }
  durable(seq: number): void {
    this.#durableSeq = seq;
    const due = this.#waiting.filter((each) => each.seq <= seq);
    this.#waiting = this.#waiting.filter((each) => each.seq > seq);
    for (const { resolve } of due) resolve();
  }
  failed(why: string): void {
    this.#failure = why;
    for (const { reject } of this.#waiting) reject(new InvariantError(`the journal takes nothing any more: ${why}`));
    this.#waiting = [];
  }
}

function closeJournal({ journal, release }: OpenedJournal): Promise<void> {
  return new Promise((resolve) =>
    journal.close(() => {
      release();
      resolve();
    }),
  );
}
