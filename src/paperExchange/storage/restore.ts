// Restores an exchange: applies the content of its store to a new service.

import { ConfigError, InvariantError } from '../../base/errors.ts';
import { INTERVALS } from '../../model/interval.ts';
import type { Disk } from '../../ports/disk.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import type { ReductionRow } from '../futures/reductionRow.ts';
import type { TickBar } from '../market/klines.ts';
import type { ExchangeSide } from '../orders/exchangeSide.ts';
import type { OwnTrade, UserOrder } from '../orders/userOrder.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { isArchivedRow } from './archiveFile.ts';
import { type ArchiveReading, type StoreReading, visitLines } from './readStore.ts';
import { ArchiveRestorer } from './restoreArchive.ts';
import type { StoredOrderRow, StoredTradeRow } from '../orders/rows.ts';
import type {
  BalanceRow,
  BarsRow,
  CountersRow,
  MinutesRow,
  StoredPositionRow,
  PriceRow,
  SettingRow,
  StateRow,
  TotalsRow,
  TriggerRow,
  WalletRow,
} from '../orders/stateRows.ts';

type AnyRow = StoredOrderRow | StoredTradeRow | ReductionRow | StateRow | readonly ['head', ...unknown[]];

/** The latest row of each kind and key. */
class Latest {
  readonly open = { spot: new Map<number, StoredOrderRow>(), futures: new Map<number, StoredOrderRow>() };
  readonly balances = new Map<string, BalanceRow>();
  readonly wallets = new Map<string, WalletRow>();
  readonly totals = new Map<string, TotalsRow>();
  readonly positions = new Map<string, StoredPositionRow>();
  readonly settings = new Map<string, SettingRow>();
  readonly triggers = new Map<number, TriggerRow>();
  readonly counters = new Map<string, CountersRow>();
  readonly prices = new Map<string, PriceRow>();
  readonly bars = new Map<string, BarsRow>();
  readonly minutes = new Map<string, Map<number, TickBar>>();
  clockOffsetMs = 0;
}

/** Throws ConfigError if the store refers to something that the config no longer has. `service` must be at the time of the last frame. */
export function restoreService(service: Service, reading: StoreReading, disk: Pick<Disk, 'read'>): void {
  const newest = reading.segments.at(-1);
  if (newest === undefined) return;
  checkHead(service, newest.path, newest.head[8], newest.head[9]);
  const past = new ArchiveRestorer(service);
  for (const file of reading.pasts) visitArchive(disk, file, past);
  const latest = new Latest();
  for (const segment of reading.segments) {
    visitLines(disk, segment, (bytes, at, end) => {
      const place = segment.base + at;
      if (isArchivedRow(bytes, at, end)) {
        past.take(bytes, at, end, place);
        if (segment === newest) forget(latest, JSON.parse(bytes.toString('latin1', at, end)) as AnyRow);
        // The newest file begins with the complete state, except what has ended. Older files matter only for that.
      } else if (segment === newest) noteOpen(latest, past, JSON.parse(bytes.toString('latin1', at, end)) as AnyRow);
    });
  }
  past.finish();
  const { spot, futures } = service.sides;
  if (spot !== null) restoreSpot(spot, latest);
  if (futures !== null) restoreFutures(futures, latest);
  service.clockOffsetMs = latest.clockOffsetMs;
  checkMoney(service, newest.path);
}

/** Each line starts with the original offset of its row. */
function visitArchive(disk: Pick<Disk, 'read'>, file: ArchiveReading, past: ArchiveRestorer): void {
  visitLines(disk, file, (bytes, at, end) => {
    // The first and the last line are the file's own head and end.
    if (bytes[at] === BRACKET) return;
    let place = 0;
    let from = at;
    for (; bytes[from] !== SPACE; from++) place = place * 10 + bytes[from]! - ZERO;
    file.archive.note(place, at);
    past.take(bytes, from + 1, end, place);
  });
}
const [BRACKET, SPACE, ZERO] = [91, 32, 48];

/** The order or trigger has ended, so it is no longer open or waiting. */
function forget(latest: Latest, row: AnyRow): void {
  if (row[0] === 'o') latest.open[row[1]].delete(row[2]);
  if (row[0] === 'g') latest.triggers.delete(row[1]);
}

function noteOpen(latest: Latest, past: ArchiveRestorer, row: AnyRow): void {
  if (row[0] === 'head' || row[0] === 't' || row[0] === 'r') return;
  if (row[0] === 'o') {
    const [, market, number, uid, clientOrderId, symbol] = row;
    if (!latest.open[market].has(number)) past.introduce(market, number, uid, clientOrderId, symbol);
    latest.open[market].set(number, row);
    return;
  }
  if (row[0] === 'g') past.introduceTrigger(row);
  note(latest, row);
}

/** Checks that digits of prices and amounts are unchanged, and that no account is missing. */
function checkHead(
  { markets, accounts }: Service,
  path: string,
  instruments: readonly (readonly [string, ...number[]])[],
  uids: readonly string[],
): void {
  for (const [id, ...digits] of instruments) {
    const market = markets.find(({ instrument }) => instrument.id === id);
    if (market === undefined) throw changed(path, `the exchange traded ${id}, which the config has not`);
    const { priceDigits, quantityDigits, quoteDigits, baseDigits } = market.instrument;
    if ([priceDigits, quantityDigits, quoteDigits, baseDigits].join() !== digits.join())
      throw changed(path, `${id} had other digits than in the config`);
  }
  for (const uid of uids) {
    if (!accounts.some((account) => account.uid === uid))
      throw changed(path, `the exchange had an account with uid ${uid}, which the config has not`);
  }
}

const changed = (path: string, message: string): ConfigError =>
  new ConfigError(`${path}: ${message}`, 'put it back as it was, or keep this exchange in another folder');

function note(latest: Latest, row: StateRow): void {
  switch (row[0]) {
    case 'b':
      return void latest.balances.set(`${row[1]} ${row[2]}`, row);
    case 'w':
      return void latest.wallets.set(`${row[1]} ${row[2]}`, row);
    case 'x':
      return void latest.totals.set(`${row[1]} ${row[2]}`, row);
    case 'p':
      return void latest.positions.set(`${row[1]} ${row[2]} ${row[3]}`, row);
    case 's':
      return void latest.settings.set(`${row[1]} ${row[2]}`, row);
    case 'g':
      return void latest.triggers.set(row[1], row);
    case 'c':
      return void latest.counters.set(row[1], row);
    case 'm':
      return void latest.prices.set(`${row[1]} ${row[2]}`, row);
    case 'K':
      return void latest.bars.set(`${row[1]} ${row[2]} ${row[3]}`, row);
    case 'k':
      return noteMinutes(latest, row);
    case 'j':
      latest.clockOffsetMs = row[1];
      return;
    default:
      throw new InvariantError(`a row of no known kind: ${JSON.stringify(row).slice(0, 80)}`);
  }
}

function noteMinutes(latest: Latest, [, market, symbol, ...numbers]: MinutesRow): void {
  const key = `${market} ${symbol}`;
  let minutes = latest.minutes.get(key);
  if (minutes === undefined) latest.minutes.set(key, (minutes = new Map()));
  for (const bar of barsIn(numbers)) minutes.set(bar.openMs, bar);
}

function barsIn(numbers: readonly number[]): readonly TickBar[] {
  const bars: TickBar[] = [];
  for (let at = 0; at + 5 < numbers.length; at += 6) {
    const [openMs, open, high, low, close, volume] = numbers.slice(at, at + 6) as [number, number, number, number, number, number];
    bars.push({ openMs, open, high, low, close, lots: volume });
  }
  return bars;
}

function restoreSpot(spot: SpotExchange, latest: Latest): void {
  const { accounts } = spot.venue;
  const { names } = spot.rows;
  accounts.assets.forEach((asset, index) => {
    const totals = latest.totals.get(`spot ${asset}`);
    // Accounts that are new in the config have added their initial balances.
    let brought = 0;
    accounts.all.forEach((_, account) => {
      const balance = accounts.of(account, index);
      const row = latest.balances.get(`${names.uidOf(account)} ${asset}`);
      if (row === undefined) brought += balance.free;
      else [balance.free, balance.locked] = [row[3], row[4]];
    });
    if (totals === undefined) return;
    const [, , , fees, market, , deposited] = totals;
    Object.assign(accounts.external[index]!, { fees, market, deposited: deposited + brought });
  });
  restoreSide(spot, latest, 'spot');
}

function restoreFutures(futures: FuturesExchange, latest: Latest): void {
  const { wallets } = futures.venue;
  const { names } = futures.rows;
  wallets.assets.forEach((asset, index) => {
    let brought = 0;
    wallets.accounts.forEach((_, account) => {
      const wallet = wallets.wallet(account, index);
      const row = latest.wallets.get(`${names.uidOf(account)} ${asset}`);
      if (row === undefined) brought += wallet.free;
      else {
        const [, , , free, locked, deposited, realised, fees, funding, liquidationFees, covered] = row;
        Object.assign(wallet, { free, locked, deposited, realised, fees, funding, liquidationFees, covered });
      }
    });
    const totals = latest.totals.get(`futures ${asset}`);
    if (totals === undefined) return;
    [wallets.fees[index], wallets.market[index], wallets.insurance[index]] = [totals[3], totals[4], totals[5]];
    wallets.deposited[index] = totals[6] + brought;
  });
  for (const [, uid, symbol, leverage, isCross, isNet] of latest.settings.values()) {
    Object.assign(wallets.setting(names.accountOf(uid), contractOf(futures, symbol)), { leverage, isCross, isNet });
  }
  for (const row of latest.positions.values()) restorePosition(futures, row);
  restoreTriggers(futures, latest);
  futures.venue.lastPositionId = latest.counters.get('futures')?.[6] ?? 0;
  restoreSide(futures, latest, 'futures');
}

const contractOf = (futures: FuturesExchange, symbol: string): number => futures.venue.book(futures.rows.names.instrumentOf(symbol)).index;

function restorePosition(futures: FuturesExchange, row: StoredPositionRow): void {
  const { wallets } = futures.venue;
  const position = wallets.sides(futures.rows.names.accountOf(row[1]), contractOf(futures, row[2]))[row[3]];
  const [, , , , isLong, held, entryUnits, openedLots, openedTicks, marginUnits, leverage, isCross, heldLots, ...rest] = row;
  const [realisedUnits, feeUnits, fundingUnits, id, openedMs, changedMs, reported, averageTicks] = rest;
  Object.assign(position, { isLong, lots: held, entryUnits, openedLots, openedTicks, marginUnits, leverage, isCross, heldLots });
  if (averageTicks === undefined) {
    const { money } = futures.venue.book(futures.rows.names.instrumentOf(row[2])).terms;
    position.averageTicks = money.averageTicks(held, entryUnits);
    position.openedTicks = money.averageTicks(openedLots, openedTicks);
  } else position.averageTicks = averageTicks;
  Object.assign(position, { realisedUnits, feeUnits, fundingUnits, id, openedMs, changedMs });
  if (reported !== null)
    futures.profits.restoreReported(position, { positionId: reported[0], feeUnits: reported[1], fundingUnits: reported[2] });
}

function restoreTriggers(futures: FuturesExchange, { triggers }: Latest): void {
  for (const row of Array.from(triggers.values()).toSorted((a, b) => a[1] - b[1])) futures.triggers.restore(row);
}

/** Restores prices, bars and counters, and finally the open orders. */
function restoreSide<O extends UserOrder, T extends OwnTrade>(side: ExchangeSide<O, T>, latest: Latest, market: 'spot' | 'futures'): void {
  for (const traded of side.markets) {
    const { instrument, tape } = traded;
    const key = `${market} ${instrument.wireName}`;
    const price = latest.prices.get(key);
    if (price !== undefined) {
      const book = side.venue.book(instrument);
      book.lastPrice = price[3];
      if ('markTicks' in book) book.markTicks = price[4];
      traded.referencePrice = price[5];
    }
    for (const interval of INTERVALS) {
      const bars = latest.bars.get(`${key} ${interval}`);
      if (bars !== undefined) tape.klines.restore(interval, barsIn(bars.slice(4) as number[]));
    }
    const minutes = Array.from(latest.minutes.get(key)?.values() ?? []);
    for (const minute of minutes.toSorted((a, b) => a.openMs - b.openMs)) tape.klines.replaceMinute(minute);
  }
  const counters = latest.counters.get(market);
  if (counters !== undefined) side.counters = { orders: counters[2], trades: counters[3], background: counters[4], rested: counters[5] };
  side.restoreOpen(Array.from(latest.open[market].values()).toSorted((a, b) => a[2] - b[2]));
}

/** Checks that no money was created or lost. */
function checkMoney({ sides: { spot, futures } }: Service, path: string): void {
  try {
    spot?.venue.assertConserved();
    futures?.venue.assertConserved();
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    throw new ConfigError(`${path}: ${error.message}`, 'the record does not add up: bring the folder back from a copy');
  }
}
