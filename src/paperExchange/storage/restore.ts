// Restores an exchange: applies the content of its store to a new service.

import { ConfigError, InvariantError } from '../../base/errors.ts';
import { INTERVALS } from '../../model/interval.ts';
import type { Disk } from '../../ports/disk.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { triggerRecord, type WaitingTriggerRecord, waitingTriggerRecord } from '../futures/triggerRecord.ts';
import type { TickBar } from '../market/klines.ts';
import type { ExchangeSide } from '../orders/exchangeSide.ts';
import type { OwnTrade, UserOrder } from '../orders/userOrder.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { isArchived, kindAt } from './archiveFile.ts';
import { type ArchiveReading, type StoreReading, visitLines } from './readStore.ts';
import { ArchiveRestorer } from './restoreArchive.ts';
import { storeDamageError, type Layout } from '../records/layout.ts';
import { type OpenOrderRecord, openOrderRecord, orderRecord } from '../orders/orderRecords.ts';
import {
  type BalanceRecord,
  balanceRecord,
  type BarsRecord,
  barsRecord,
  clockRecord,
  type CountersRecord,
  countersRecord,
  type MinutesRecord,
  minutesRecord,
  type PositionRecord,
  positionRecord,
  type PricesRecord,
  pricesRecord,
  type SettingRecord,
  settingRecord,
  type TotalsRecord,
  totalsRecord,
  type WalletRecord,
  walletRecord,
} from '../orders/stateRecords.ts';
import type { SegmentHead } from './recordTable.ts';

/** The latest record of each kind and key. */
class LatestRecords {
  readonly open = { spot: new Map<number, OpenOrderRecord>(), futures: new Map<number, OpenOrderRecord>() };
  readonly balances = new Map<string, BalanceRecord>();
  readonly wallets = new Map<string, WalletRecord>();
  readonly totals = new Map<string, TotalsRecord>();
  readonly positions = new Map<string, PositionRecord>();
  readonly settings = new Map<string, SettingRecord>();
  readonly triggers = new Map<number, WaitingTriggerRecord>();
  readonly counters = new Map<string, CountersRecord>();
  readonly prices = new Map<string, PricesRecord>();
  readonly bars = new Map<string, BarsRecord>();
  readonly minutes = new Map<string, Map<number, TickBar>>();
  clockOffsetMs = 0;
}

/**
 * Restores a service, whose time must be that of the last frame. Throws ConfigError if the store refers to something that the config no
 * longer has.
 */
export function restoreService(service: Service, reading: StoreReading, disk: Pick<Disk, 'read'>): void {
  const newest = reading.segments.at(-1);
  if (newest === undefined) return;
  checkHead(service, newest.path, newest.head);
  const archive = new ArchiveRestorer(service);
  for (const file of reading.archives) visitArchive(disk, file, archive);
  const latest = new LatestRecords();
  for (const segment of reading.segments) {
    const { firstRowOffset, layout, path } = segment;
    const reader = segment === newest ? new StateReader(latest, archive, layout, path) : null;
    visitLines(disk, segment, (bytes, start, end) => {
      const kind = kindAt(bytes, start);
      if (isArchived(kind)) archive.apply(kind, { bytes, start, end, layout, storeOffset: firstRowOffset + start });
      // The newest file begins with the complete state, except for ended orders. Older files matter only for those.
      reader?.apply(kind, bytes.toString('latin1', start, end));
    });
  }
  archive.finish();
  const { spot, futures } = service.sides;
  if (spot !== null) restoreSpot(spot, latest);
  if (futures !== null) restoreFutures(futures, latest);
  service.clockOffsetMs = latest.clockOffsetMs;
  checkMoney(service, newest.path);
}

/** Character codes of `[`, a space and `0`. */
const BRACKET = 91;
const SPACE = 32;
const ZERO = 48;

/** Restores the rows of an archive file. Each line starts with the original offset of its row. */
function visitArchive(disk: Pick<Disk, 'read'>, file: ArchiveReading, archive: ArchiveRestorer): void {
  visitLines(disk, file, (bytes, start, end) => {
    // The first and the last line are the file's own head and end.
    if (bytes[start] === BRACKET) return;
    let storeOffset = 0;
    let position = start;
    for (; bytes[position] !== SPACE; position++) storeOffset = storeOffset * 10 + bytes[position]! - ZERO;
    file.archive.addRow(storeOffset, start);
    const rowStart = position + 1;
    const kind = kindAt(bytes, rowStart);
    if (!isArchived(kind))
      throw storeDamageError(file.path, `expected records of ended orders, triggers, trades or reductions, got ${JSON.stringify(kind)}`);
    archive.apply(kind, { bytes, start: rowStart, end, layout: file.layout, storeOffset });
  });
}

/** Checks that digits of prices and amounts are unchanged, and that no account is missing. */
function checkHead({ markets, accounts }: Service, path: string, { instruments, uids }: SegmentHead): void {
  for (const { id, priceDigits, quantityDigits, quoteDigits, baseDigits } of instruments) {
    const market = markets.find((traded) => traded.instrument.id === id);
    if (market === undefined) throw changedError(path, `expected ${id} in the config, because the exchange traded it, got none`);
    const { instrument } = market;
    const isSame =
      instrument.priceDigits === priceDigits &&
      instrument.quantityDigits === quantityDigits &&
      instrument.quoteDigits === quoteDigits &&
      instrument.baseDigits === baseDigits;
    if (!isSame) throw changedError(path, `expected ${id} with the digits that the store was written with, got others in the config`);
  }
  for (const uid of uids) {
    if (!accounts.some((account) => account.uid === uid))
      throw changedError(path, `expected an account with uid ${uid} in the config, because the exchange had it, got none`);
  }
}

/** Returns the error for a config that no longer fits the store. */
const changedError = (path: string, message: string): ConfigError =>
  new ConfigError(`${path}: ${message}`, 'restore the entry in the config, or use another folder for this exchange');

/** Stored bars as columns. */
type StoredBarColumns = Pick<BarsRecord & MinutesRecord, keyof TickBar>;

/** Reads the state at the start of the newest file, and its changes behind that. */
class StateReader {
  readonly #latest: LatestRecords;
  readonly #archive: ArchiveRestorer;
  readonly #layout: Layout;
  readonly #path: string;

  constructor(latest: LatestRecords, archive: ArchiveRestorer, layout: Layout, path: string) {
    this.#latest = latest;
    this.#archive = archive;
    this.#layout = layout;
    this.#path = path;
  }

  /** Applies a row. `kind`: the name of its record. Throws ConfigError if a field is invalid. */
  apply(kind: string, row: string): void {
    if (!this.#applyOrder(kind, row) && !this.#applyMoney(kind, row) && !this.#applyMarket(kind, row))
      throw storeDamageError(this.#path, `expected a record that this version knows, got ${kind}`);
  }

  /** Applies a record of an order, trigger or trade. Returns false for any other record. */
  #applyOrder(kind: string, row: string): boolean {
    const latest = this.#latest;
    const layout = this.#layout;
    switch (kind) {
      case 'openOrder': {
        const order = layout.read(openOrderRecord, row);
        this.#checkTerms(order);
        const open = latest.open[order.market];
        if (!open.has(order.number)) this.#archive.addOpenOrder(order);
        open.set(order.number, order);
        return true;
      }
      // An order or trigger that has ended is no longer open or waiting.
      case 'order': {
        const { market, number } = layout.read(orderRecord, row);
        latest.open[market].delete(number);
        return true;
      }
      case 'trigger':
        latest.triggers.delete(layout.read(triggerRecord, row).number);
        return true;
      case 'waitingTrigger': {
        const trigger = layout.read(waitingTriggerRecord, row);
        this.#archive.addTrigger(trigger);
        latest.triggers.set(trigger.number, trigger);
        return true;
      }
      default:
        return kind === 'head' || kind === 'trade' || kind === 'reduction';
    }
  }

  /** Applies a record of money, positions or settings. Returns false for any other record. */
  #applyMoney(kind: string, row: string): boolean {
    const latest = this.#latest;
    const layout = this.#layout;
    switch (kind) {
      case 'balance':
        return setLatest(latest.balances, layout.read(balanceRecord, row), ({ uid, asset }) => `${uid} ${asset}`);
      case 'wallet':
        return setLatest(latest.wallets, layout.read(walletRecord, row), ({ uid, asset }) => `${uid} ${asset}`);
      case 'totals':
        return setLatest(latest.totals, layout.read(totalsRecord, row), ({ market, asset }) => `${market} ${asset}`);
      case 'position':
        return setLatest(latest.positions, layout.read(positionRecord, row), ({ uid, symbol, side }) => `${uid} ${symbol} ${side}`);
      case 'setting':
        return setLatest(latest.settings, layout.read(settingRecord, row), ({ uid, symbol }) => `${uid} ${symbol}`);
      default:
        return false;
    }
  }

  /** Applies a record of counters, prices, bars or the clock. Returns false for any other record. */
  #applyMarket(kind: string, row: string): boolean {
    const latest = this.#latest;
    const layout = this.#layout;
    switch (kind) {
      case 'counters':
        return setLatest(latest.counters, layout.read(countersRecord, row), ({ market }) => market);
      case 'prices':
        return setLatest(latest.prices, layout.read(pricesRecord, row), ({ market, symbol }) => `${market} ${symbol}`);
      case 'bars': {
        const bars = layout.read(barsRecord, row);
        this.#checkColumns(kind, bars);
        return setLatest(latest.bars, bars, ({ market, symbol, interval }) => `${market} ${symbol} ${interval}`);
      }
      case 'minutes': {
        const stored = layout.read(minutesRecord, row);
        this.#checkColumns(kind, stored);
        const key = `${stored.market} ${stored.symbol}`;
        let minutes = latest.minutes.get(key);
        if (minutes === undefined) latest.minutes.set(key, (minutes = new Map()));
        for (const bar of barsIn(stored)) minutes.set(bar.openMs, bar);
        return true;
      }
      case 'clock':
        latest.clockOffsetMs = layout.read(clockRecord, row).offsetMs;
        return true;
      default:
        return false;
    }
  }

  /** Throws ConfigError unless the order has futures terms exactly if it is a futures order. */
  #checkTerms({ market, futures }: OpenOrderRecord): void {
    if ((futures !== null) === (market === 'futures')) return;
    throw storeDamageError(this.#path, `expected openOrder.futures to be ${market === 'futures' ? 'present' : 'null'}, got something else`);
  }

  /** Throws ConfigError unless all columns of bars have the same length. */
  #checkColumns(kind: string, { openMs, open, high, low, close, lots }: StoredBarColumns): void {
    for (const [name, column] of Object.entries({ open, high, low, close, lots }))
      if (column.length !== openMs.length)
        throw storeDamageError(
          this.#path,
          `expected ${kind}.${name} to be as long as ${kind}.openMs (${openMs.length}), got ${column.length}`,
        );
  }
}

/** Stores a record under its key, in place of an earlier one. Returns true. */
function setLatest<R>(into: Map<string, R>, value: R, keyOf: (value: R) => string): true {
  into.set(keyOf(value), value);
  return true;
}

/** Returns stored bars as rows. */
const barsIn = ({ openMs, open, high, low, close, lots }: StoredBarColumns): readonly TickBar[] =>
  openMs.map((opened, row) => ({
    openMs: opened,
    open: open[row]!,
    high: high[row]!,
    low: low[row]!,
    close: close[row]!,
    lots: lots[row]!,
  }));

/** Restores the balances of accounts, then the common state of a side. */
function restoreSpot(spot: SpotExchange, latest: LatestRecords): void {
  const { accounts } = spot.venue;
  const { names } = spot.orderRows;
  accounts.assets.forEach((asset, index) => {
    const totals = latest.totals.get(`spot ${asset}`);
    // Accounts that are new in the config have added their initial balances.
    let newDeposits = 0;
    accounts.all.forEach((_, account) => {
      const balance = accounts.of(account, index);
      const stored = latest.balances.get(`${names.uidOf(account)} ${asset}`);
      if (stored === undefined) newDeposits += balance.free;
      else {
        balance.free = stored.free;
        balance.locked = stored.locked;
      }
    });
    if (totals === undefined) return;
    const { fees, external, deposited } = totals;
    Object.assign(accounts.external[index]!, { fees, market: external, deposited: deposited + newDeposits });
  });
  restoreSide(spot, latest, 'spot');
}

/** Restores wallets, settings, positions and triggers, then the common state of a side. */
function restoreFutures(futures: FuturesExchange, latest: LatestRecords): void {
  const { wallets } = futures.venue;
  const { names } = futures.orderRows;
  wallets.assets.forEach((asset, index) => {
    let newDeposits = 0;
    wallets.accounts.forEach((_, account) => {
      const wallet = wallets.wallet(account, index);
      const stored = latest.wallets.get(`${names.uidOf(account)} ${asset}`);
      if (stored === undefined) newDeposits += wallet.free;
      else {
        const { free, locked, deposited, realised, fees, funding, liquidationFees, covered } = stored;
        Object.assign(wallet, { free, locked, deposited, realised, fees, funding, liquidationFees, covered });
      }
    });
    const totals = latest.totals.get(`futures ${asset}`);
    if (totals === undefined) return;
    wallets.fees[index] = totals.fees;
    wallets.market[index] = totals.external;
    wallets.insurance[index] = totals.insurance;
    wallets.deposited[index] = totals.deposited + newDeposits;
  });
  for (const { uid, symbol, leverage, isCross, isNet } of latest.settings.values()) {
    Object.assign(wallets.setting(names.accountOf(uid), contractOf(futures, symbol)), { leverage, isCross, isNet });
  }
  for (const stored of latest.positions.values()) restorePosition(futures, stored);
  restoreTriggers(futures, latest);
  futures.venue.lastPositionId = latest.counters.get('futures')?.positions ?? 0;
  restoreSide(futures, latest, 'futures');
}

/** Returns the index of a contract. */
const contractOf = (futures: FuturesExchange, symbol: string): number =>
  futures.venue.book(futures.orderRows.names.instrumentOf(symbol)).index;

/** Restores a position, and the amounts that the profit history has reported for it. */
function restorePosition(futures: FuturesExchange, stored: PositionRecord): void {
  const { wallets } = futures.venue;
  const position = wallets.sides(futures.orderRows.names.accountOf(stored.uid), contractOf(futures, stored.symbol))[stored.side];
  const { uid: _uid, symbol: _symbol, side: _side, reported, ...members } = stored;
  Object.assign(position, members);
  if (reported !== null) futures.profits.restoreReported(position, reported);
}

/** Restores the waiting triggers, oldest first. */
function restoreTriggers(futures: FuturesExchange, { triggers }: LatestRecords): void {
  const oldestFirst = Array.from(triggers.values()).toSorted((a, b) => a.number - b.number);
  for (const stored of oldestFirst) futures.triggers.restore(stored);
}

/** Restores prices, bars and counters, and finally the open orders. */
function restoreSide<O extends UserOrder, T extends OwnTrade>(
  side: ExchangeSide<O, T>,
  latest: LatestRecords,
  market: 'spot' | 'futures',
): void {
  for (const traded of side.markets) {
    const { instrument, tape } = traded;
    const key = `${market} ${instrument.wireName}`;
    const price = latest.prices.get(key);
    if (price !== undefined) {
      const book = side.venue.book(instrument);
      book.lastPrice = price.lastPrice;
      if ('markTicks' in book) book.markTicks = price.mark;
      traded.referencePrice = price.referencePrice;
    }
    for (const interval of INTERVALS) {
      const bars = latest.bars.get(`${key} ${interval}`);
      if (bars !== undefined) tape.klines.restore(interval, barsIn(bars));
    }
    const minutes = Array.from(latest.minutes.get(key)?.values() ?? []);
    for (const minute of minutes.toSorted((a, b) => a.openMs - b.openMs)) tape.klines.replaceMinute(minute);
  }
  const counters = latest.counters.get(market);
  if (counters !== undefined) side.counters = counters;
  side.restoreOpenOrders(Array.from(latest.open[market].values()).toSorted((a, b) => a.number - b.number));
}

/** Checks that no money was created or lost. */
function checkMoney({ sides: { spot, futures } }: Service, path: string): void {
  try {
    spot?.venue.assertConserved();
    futures?.venue.assertConserved();
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    throw new ConfigError(`${path}: ${error.message}`, 'restore the folder from a copy: the amounts of the store do not add up');
  }
}
