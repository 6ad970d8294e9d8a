// Writes the changes of an exchange since the last write: every change, or only ended orders and trades.

import { triggerText } from '../futures/triggerRecord.ts';
import type { TickBar } from '../market/klines.ts';
import type { ExchangeSide } from '../orders/exchangeSide.ts';
import { orderNumberOf, type OwnTrade, type UserOrder } from '../orders/userOrder.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import type { RowWriter } from '../records/rowStore.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { INTERVALS } from '../../model/interval.ts';
import {
  balanceRecord,
  barsRecord,
  clockRecord,
  countersRecord,
  minutesRecord,
  positionRecord,
  pricesRecord,
  settingRecord,
  totalsRecord,
  walletRecord,
} from '../orders/stateRecords.ts';

type AnySide = SpotExchange | FuturesExchange;

/** Ids that any client can see are reserved in advance, in blocks of this size, before they are used. */
const RESERVED_IDS = 1 << 16;

/** Writes the rows of one exchange. `StoreWriter` and `HistoryArchiver` decide when. */
export class Recorder {
  readonly #service: Service;
  readonly #sides: readonly AnySide[];
  /** Latest text of each row that is written only when it has changed, by key. */
  readonly #lastTexts = new Map<string, string>();
  /** Open time of the last minute written, by market and symbol. */
  readonly #lastMinuteMs = new Map<string, number>();
  /** Last reserved ids of each side. Ids up to them may be used without another write. */
  readonly #reserved = new Map<AnySide, { trades: number; background: number }>();

  constructor(service: Service) {
    this.#service = service;
    const { spot, futures } = service.sides;
    this.#sides = [spot, futures].filter((side) => side !== null);
  }

  /** Approximate number of changes that wait to be written. */
  get waitingChangeCount(): number {
    const { spot, futures } = this.#service.sides;
    return (
      (spot?.changes.count ?? 0) +
      (futures === null ? 0 : futures.changes.count + futures.profits.unsaved.length + futures.triggers.changed.size)
    );
  }
  /** True when the reserved ids may soon run out. */
  get isShortOfIds(): boolean {
    return this.#sides.some((side) => {
      const { trades, background } = side.counters;
      const reserved = this.#reserved.get(side);
      if (reserved === undefined) return true;
      const idsLeft = Math.min(reserved.trades - trades, reserved.background - background);
      return idsLeft < RESERVED_IDS / 2;
    });
  }

  /** Writes ended orders, own trades and profit history, which can then be read from the store. Other changes are dropped. */
  writeArchive(rows: RowWriter): void {
    for (const side of this.#sides) {
      side.forgetOpenOrders();
      this.#writeOrders(side, rows);
      side.changes.clear();
    }
    const { futures } = this.#service.sides;
    for (const waiting of futures?.triggers.pending() ?? []) futures?.triggers.changed.delete(waiting);
    this.#writeTriggers(false, rows);
  }

  /**
   * Writes all changes. `isFull`: also everything else that a restart needs. `isLast`: the exchange closes, so no ids are reserved.
   */
  write(rows: RowWriter, isFull: boolean, isLast = false): void {
    if (isFull) {
      this.#lastTexts.clear();
      this.#lastMinuteMs.clear();
    }
    for (const side of this.#sides) {
      if (isFull) side.noteOpenOrders();
      this.#writeOrders(side, rows);
      const accounts = new Set(side.changes.accounts);
      for (const { account } of side.changes.orders) accounts.add(account);
      if (isFull) this.#service.accounts.forEach((_, account) => accounts.add(account));
      this.#writeMoney(side, accounts, rows);
      this.#writeCounters(side, isLast ? 0 : RESERVED_IDS, rows);
      this.#writePrices(side, isFull, rows);
      side.changes.clear();
    }
    this.#writeTriggers(isFull, rows);
    this.#addIfChanged(rows, 'clock', clockRecord.text({ offsetMs: this.#service.clockOffsetMs }));
  }

  #writeOrders(side: AnySide, rows: RowWriter): void {
    // The branches fix the type: each side writes its own kind of orders.
    if ('profits' in side) {
      writeOrders(side, rows);
      for (const { account, pagedRow } of side.profits.unsaved.splice(0))
        pagedRow.storeOffset = rows.add(side.profits.textOf(account, pagedRow.row));
    } else writeOrders(side, rows);
  }

  #writeMoney(side: AnySide, accounts: ReadonlySet<number>, rows: RowWriter): void {
    if ('profits' in side) this.#writeFuturesMoney(side, accounts, rows);
    else this.#writeSpotMoney(side, accounts, rows);
  }

  /** Writes the changed balances of spot accounts, and the totals of each asset. */
  #writeSpotMoney({ venue, orderRows: { names } }: SpotExchange, changed: ReadonlySet<number>, rows: RowWriter): void {
    const { accounts } = venue;
    accounts.assets.forEach((asset, index) => {
      for (const account of changed) {
        const uid = names.uidOf(account);
        const { free, locked } = accounts.of(account, index);
        this.#addIfChanged(rows, `balance ${uid} ${asset}`, balanceRecord.text({ uid, asset, free, locked }));
      }
      const { fees, market: external, deposited } = accounts.external[index]!;
      this.#addIfChanged(
        rows,
        `totals spot ${asset}`,
        totalsRecord.text({ market: 'spot', asset, fees, external, insurance: 0, deposited }),
      );
    });
  }

  /** Writes the changed wallets and positions of futures accounts, and the totals of each asset. */
  #writeFuturesMoney(side: FuturesExchange, changed: ReadonlySet<number>, rows: RowWriter): void {
    const { wallets } = side.venue;
    wallets.assets.forEach((asset, index) => {
      for (const account of changed) {
        const uid = side.orderRows.names.uidOf(account);
        const { free, locked, deposited, realised, fees, funding, liquidationFees, covered } = wallets.wallet(account, index);
        const text = walletRecord.text({ uid, asset, free, locked, deposited, realised, fees, funding, liquidationFees, covered });
        this.#addIfChanged(rows, `wallet ${uid} ${asset}`, text);
      }
      const fees = wallets.fees[index]!;
      const external = wallets.market[index]!;
      const insurance = wallets.insurance[index]!;
      const deposited = wallets.deposited[index]!;
      this.#addIfChanged(
        rows,
        `totals futures ${asset}`,
        totalsRecord.text({ market: 'futures', asset, fees, external, insurance, deposited }),
      );
    });
    for (const account of changed) this.#writePositions(side, account, rows);
  }

  /** Writes the changed settings and positions of one account. */
  #writePositions({ venue: { wallets }, profits, orderRows: { names } }: FuturesExchange, accountIndex: number, rows: RowWriter): void {
    const uid = names.uidOf(accountIndex);
    wallets.contracts.forEach(({ instrument: { wireName: symbol } }, index) => {
      const { leverage, isCross, isNet } = wallets.setting(accountIndex, index);
      this.#addIfChanged(rows, `setting ${uid} ${symbol}`, settingRecord.text({ uid, symbol, leverage, isCross, isNet }));
      wallets.sides(accountIndex, index).forEach((position, sideIndex) => {
        const isUnused = position.id === 0 && position.heldLots === 0;
        if (isUnused) return;
        const text = positionRecord.text({
          uid,
          symbol,
          side: sideIndex === 0 ? 0 : 1,
          isLong: position.isLong,
          lots: position.lots,
          entryUnits: position.entryUnits,
          openedLots: position.openedLots,
          openedTicks: position.openedTicks,
          averageTicks: position.averageTicks,
          marginUnits: position.marginUnits,
          leverage: position.leverage,
          isCross: position.isCross,
          heldLots: position.heldLots,
          realisedUnits: position.realisedUnits,
          feeUnits: position.feeUnits,
          fundingUnits: position.fundingUnits,
          id: position.id,
          openedMs: position.openedMs,
          changedMs: position.changedMs,
          reported: profits.reportedOf(position),
        });
        this.#addIfChanged(rows, `position ${uid} ${symbol} ${sideIndex}`, text);
      });
    });
  }

  /**
   * Writes the counters of a side when one of them has changed. Trade and background ids are written `reservedIds` ahead, and again only when
   * less than half of the usual reserve is left. 0 writes their exact values.
   */
  #writeCounters(side: AnySide, reservedIds: number, rows: RowWriter): void {
    const { orders, trades, background, rested } = side.counters;
    let reserved = this.#reserved.get(side);
    if (reserved === undefined) this.#reserved.set(side, (reserved = { trades: 0, background: 0 }));
    const isRunningOut = (lastId: number, lastReservedId: number): boolean => lastId > lastReservedId - RESERVED_IDS / 2;
    if (reservedIds === 0 || isRunningOut(trades, reserved.trades)) reserved.trades = trades + reservedIds;
    if (reservedIds === 0 || isRunningOut(background, reserved.background)) reserved.background = background + reservedIds;
    const positions = 'profits' in side ? side.venue.lastPositionId : 0;
    const { market } = side.orderRows.names;
    this.#addIfChanged(rows, `counters ${market}`, countersRecord.text({ market, orders, ...reserved, rested, positions }));
  }

  /** Writes last prices, marks and minutes; with `isFull` also the bars of every interval. */
  #writePrices(side: AnySide, isFull: boolean, rows: RowWriter): void {
    const { market } = side.orderRows.names;
    for (const traded of side.markets) {
      const { instrument, tape, referencePrice } = traded;
      const symbol = instrument.wireName;
      const book = side.venue.book(instrument);
      const mark = 'markTicks' in book ? book.markTicks : 0;
      const prices = { market, symbol, lastPrice: book.lastPrice, mark, referencePrice };
      this.#addIfChanged(rows, `prices ${market} ${symbol}`, pricesRecord.text(prices));
      // The bars of a bar market are already on disk.
      if (traded.barRows !== null) continue;
      const { klines } = tape;
      const { nowMs } = this.#service;
      if (isFull) {
        for (const interval of INTERVALS) {
          rows.add(barsRecord.text({ market, symbol, interval, ...columnsOf(klines.bars(interval, nowMs)) }));
        }
      }
      const fromMs = isFull ? Infinity : (this.#lastMinuteMs.get(`${market} ${symbol}`) ?? 0);
      const minutes = klines.bars('1m', nowMs);
      this.#lastMinuteMs.set(`${market} ${symbol}`, minutes.at(-1)?.openMs ?? 0);
      const changedMinutes = minutes.slice(firstRowSince(minutes, fromMs));
      if (changedMinutes.length > 0)
        this.#addIfChanged(rows, `minutes ${market} ${symbol}`, minutesRecord.text({ market, symbol, ...columnsOf(changedMinutes) }));
    }
  }

  /** Writes changed triggers, and with `isFull` all that are waiting. Ended triggers are read from the store from now on. */
  #writeTriggers(isFull: boolean, rows: RowWriter): void {
    const { futures } = this.#service.sides;
    if (futures === null) return;
    const { triggers } = futures;
    if (isFull) for (const waiting of triggers.pending()) triggers.changed.add(waiting);
    for (const changed of triggers.changed) {
      const storeOffset = rows.add(triggerText(changed, futures.orderRows.names));
      if (changed.trigger.status !== 'pending') triggers.markArchived(changed.trigger.id, storeOffset);
    }
    triggers.changed.clear();
  }

  /** Writes a row unless the last one with its key has the same text. */
  #addIfChanged(rows: RowWriter, key: string, text: string): void {
    if (this.#lastTexts.get(key) === text) return;
    this.#lastTexts.set(key, text);
    rows.add(text);
  }
}

/** Writes changed orders and trades. Ended orders and trades are read from the store from now on. */
function writeOrders<O extends UserOrder, T extends OwnTrade>(side: ExchangeSide<O, T>, rows: RowWriter): void {
  const { changes, orders } = side;
  for (const order of changes.orders) {
    const storeOffset = rows.add(side.orderRows.orderText(order));
    if (order.ended !== null) orders.markArchived(orderNumberOf(order.id), storeOffset);
  }
  for (const { account, pagedRow } of changes.trades) pagedRow.storeOffset = rows.add(side.orderRows.tradeText(account, pagedRow.row));
}

/** Returns bars as columns, as records have them. */
const columnsOf = (bars: readonly TickBar[]) => ({
  openMs: bars.map(({ openMs }) => openMs),
  open: bars.map(({ open }) => open),
  high: bars.map(({ high }) => high),
  low: bars.map(({ low }) => low),
  close: bars.map(({ close }) => close),
  lots: bars.map(({ lots }) => lots),
});

/** Returns the index of the first minute that opens at `fromMs` or later. */
function firstRowSince(minutes: readonly TickBar[], fromMs: number): number {
  let row = minutes.length;
  while (row > 0 && minutes[row - 1]!.openMs >= fromMs) row--;
  return row;
}
