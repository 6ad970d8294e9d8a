// Opens the journal of a live bot: takes its lock, checks its account, continues its order ids and reads its records.

import { join } from 'node:path';
import type { SendStamp } from '../../../adapters/journal/fileJournal.ts';
import type { JournalListener } from '../../../adapters/journal/file/journalFile.ts';
import type { JournalDeps, OpenedJournal } from '../../../adapters/journal/openJournal.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { RateHistory } from '../../../adapters/journal/records/rateHistory.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import { clientOrderIdOf, idPrefixOf, runPrefix } from '../../../protocol/clientOrderId.ts';
import { openJournalFolder } from '../../../adapters/journal/openOnDisk.ts';
import type { LiveConfig } from '../config/liveConfig.ts';

/** The open journal of one bot. */
export interface BotJournal extends OpenedJournal {
  /** Returns the client order id of an order of this bot, also of an earlier process. */
  readonly clientOrderIdOf: (id: OrderId) => string;
  /** Records of earlier processes, for a replay. Evidence about lost replies is left out. */
  readonly records: readonly JournalRecord[];
  /** Funding rates that earlier processes knew. */
  readonly rates: RateHistory;
  /** `<instrument id> <trade id> <side>` of every fill. */
  readonly trades: ReadonlySet<string>;
  /** Releases the memory that grows with the journal, once the bot has taken it over. */
  releaseMemory(): void;
}

/** The facts about orders that records contain, and the clock. */
export interface BotJournalDeps {
  readonly nowMs: () => number;
  readonly listener: JournalListener;
  /** 30 random bits. */
  readonly random: number;
  readonly stamp: (order: Order) => SendStamp;
  readonly tradeText: (tradeId: number) => string;
  /** Newest price of an instrument, ticks; NaN before the first. */
  readonly lastTicks: (instrumentIndex: number) => number;
  /** Worst case of an order, in units of money. */
  readonly reservedUnits: (id: OrderId) => number;
  /** Opens the journal; default a folder on the disk of this computer. */
  readonly open?: typeof openJournalFolder;
}

/** Returns the folder of a bot's journal. */
export const journalFolder = ({ data }: Pick<LiveConfig, 'data'>): string => join(data, 'journal');

/**
 * Takes the lock and reads the journal. Order ids continue from the newest one, with the same prefix, so that no client order id is used
 * twice. Throws ConfigError if another process holds the lock, if the journal is damaged, or if it belongs to another account.
 */
export function openBotJournal(config: LiveConfig, deps: BotJournalDeps): BotJournal {
  const ids = new OrderIds(deps);
  const reduceMemory = recordMemoryReducer();
  const records: JournalRecord[] = [];
  const rates = new RateHistory();
  const trades = new Set<string>();
  const ownIdOf = (id: OrderId): string => ids.of(id);
  const opened = (deps.open ?? openJournalFolder)(
    { nowMs: deps.nowMs, listener: deps.listener, facts: factsOf(deps, ownIdOf) },
    {
      folder: journalFolder(config),
      account: `${config.mode}:${config.fingerprint}`,
      visit: (record) => {
        if (record.k !== 'EVID') records.push(reduceMemory(record));
        rates.add(record);
        // The account's part of a trade comes before the part of its order. Alone, it is read and booked again, as a whole.
        if (record.k === 'FILL' && record.split !== true) trades.add(`${record.symbol} ${record.tradeId} ${record.side}`);
        if (record.k === 'INTENT' || record.k === 'VERDICT' || record.k === 'DRAFT') ids.prefix ??= idPrefixOf(record.cid);
      },
    },
  );
  const { state } = opened;
  const releaseMemory = (): void => {
    for (const collection of [trades, state.unfinished, state.provenAbsent, state.refused]) collection.clear();
    state.decisions.length = 0;
    records.length = 0;
  };
  return { ...opened, clientOrderIdOf: ownIdOf, records, rates, trades, releaseMemory };
}

/** Returns the facts that the journal adds to its records. */
function factsOf(
  { stamp, tradeText, lastTicks, reservedUnits }: BotJournalDeps,
  clientOrderId: (id: OrderId) => string,
): JournalDeps['facts'] {
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    clientOrderId,
    stamp,
    verdictInputs: ({ instrumentIndex, createdMs }) => ({ lastTicks: finite(lastTicks(instrumentIndex)), createdMs }),
    riskReserve: ({ id }) => String(finite(reservedUnits(id)) ?? 0),
    reason: ({ slot, role }) => (slot === '' ? role : slot),
    tradeId: ({ tradeId }) => tradeText(tradeId),
    digest: () => null,
  };
}

/** The client order ids of a bot: one prefix, and the number of the order. */
class OrderIds {
  /** The prefix of the journal; null until a record has one, or the first id is needed. */
  prefix: string | null = null;
  readonly #deps: Pick<BotJournalDeps, 'nowMs' | 'random'>;
  /** The newest id. It is cached, because every record of an order contains it. */
  #newest: { readonly id: OrderId; readonly clientOrderId: string } | null = null;

  constructor(deps: Pick<BotJournalDeps, 'nowMs' | 'random'>) {
    this.#deps = deps;
  }

  /** Returns the client order id of an order. */
  of(id: OrderId): string {
    if (this.#newest?.id !== id) {
      const { nowMs, random } = this.#deps;
      this.prefix ??= runPrefix(Math.max(0, Math.floor(nowMs())), random);
      this.#newest = { id, clientOrderId: clientOrderIdOf(this.prefix, id) };
    }
    return this.#newest.clientOrderId;
  }
}

/**
 * Returns a function that reduces the memory of a record. The records of an order share one string for its id. Checksums are dropped,
 * because they were checked.
 */
function recordMemoryReducer(): (record: JournalRecord) => JournalRecord {
  let newestCid = '';
  return (record) => {
    const writable = record as { cid?: string | null; crc: string };
    writable.crc = '';
    if (typeof writable.cid !== 'string') return record;
    // Equal texts of different records are different strings in memory. Assigning one of them to all records frees the others.
    if (writable.cid === newestCid) writable.cid = newestCid;
    else newestCid = writable.cid;
    return record;
  };
}

/**
 * Throws ConfigError if the books cannot continue with this config. A change of the capital since the journal's first start would add money
 * that was never deposited. In the other position mode, fills that closed a position would open one.
 */
export function checkBooks(config: LiveConfig, { state }: Pick<BotJournal, 'state'>): void {
  const { config: firstConfig } = state;
  if (firstConfig === null) return;
  checkPositionMode(config, state);
  const configured = capitalFacts(config);
  const recorded = Object.fromEntries(Object.entries(firstConfig.limits).filter(([name]) => name.startsWith('cash.')));
  const isSameCapital = Object.keys({ ...configured, ...recorded }).every((name) => configured[name] === recorded[name]);
  if (!isSameCapital)
    throw new ConfigError(
      `cash: the journal in ${config.data} began with ${factsText(recorded)}, the config has ${factsText(configured)}`,
      'restore the capital, which cannot change while a journal continues, or use another data folder',
    );
  if (firstConfig.timeScale !== config.timeScale)
    throw new ConfigError(
      `timeScale: the journal in ${config.data} began with ${firstConfig.timeScale}, the config has ${config.timeScale}`,
      'use another data folder',
    );
}

/** Returns facts of a CONFIG record as text, such as `cash.USDT 1000`. */
const factsText = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

/** Throws ConfigError if contracts of the journal have the other position mode. */
function checkPositionMode({ data, definition }: LiveConfig, { settings, symbols }: BotJournal['state']): void {
  const configured = definition.futures?.positions ?? 'net';
  for (const { contract, name, value } of settings.values()) {
    // The wire's position model: 1 is net, 2 is two-way.
    const recorded = value === '2' ? 'twoWay' : 'net';
    const isOfThisBot = name === 'positionModel' && symbols.has(`futures:${contract}`);
    if (isOfThisBot && recorded !== configured)
      throw new ConfigError(
        `futures.positions: the journal in ${data} has ${contract} with ${recorded}, the config has ${configured}`,
        'restore the setting, which cannot change while a journal continues, or use another data folder',
      );
  }
}

/** Returns the start capital as facts of a CONFIG record. */
export function capitalFacts({ definition: { cash } }: LiveConfig): Readonly<Record<string, string>> {
  if (typeof cash === 'string') return { 'cash.': cash };
  return Object.fromEntries(
    Object.entries(cash).map(([name, amount]) => [`cash.${name}`, typeof amount === 'string' ? amount : JSON.stringify(amount)]),
  );
}
