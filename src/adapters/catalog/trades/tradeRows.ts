// Reads a few trades of the catalog at a time, without loading a day. Each row has the trades of one ms.

import { closeSync, existsSync, openSync } from 'node:fs';
import { DAY_MS } from '../../../base/calendar.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { TRADE_ROWS } from '../../../model/interval.ts';
import { ArrowFile } from '../arrow/arrowReader.ts';
import type { RowReader } from '../bars/rowReader.ts';
import { barsOf, emptyColumns, sliceColumns } from '../files/columns.ts';
import { dayOf, dayPath, daysIn, dayStart, tradesFolder, type TradeKey } from './trades.ts';

/** Number of trades in one read. A ms rarely has more. Then the next trades are read too. */
const TRADES_PER_READ = 32;

/** The open file of one UTC day. */
interface OpenDay {
  readonly day: string;
  readonly file: ArrowFile;
  readonly handle: number;
}

/** Opens the trades of an instrument. Null without trades in [fromMs, toMs). Checksums are not verified. */
export function openTradeRows(catalog: string, key: TradeKey, fromMs: number, toMs: number): RowReader | null {
  const folder = tradesFolder(catalog, key);
  if (!daysIn(folder).some((day) => dayStart(day) < toMs && dayStart(day) + DAY_MS > fromMs)) return null;
  const reader = new TradeRowReader(folder);
  if (reader.countBetween(fromMs, toMs) > 0) return reader;
  reader.close();
  return null;
}

/** Reads rows of trades, and keeps one day open at a time. */
class TradeRowReader implements RowReader {
  readonly interval = TRADE_ROWS;
  lastCount = 0;
  private readonly folder: string;
  private current: OpenDay | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  countBetween(fromMs: number, toMs: number): number {
    let count = 0;
    for (const day of daysIn(this.folder)) {
      if (dayStart(day) >= toMs || dayStart(day) + DAY_MS <= fromMs) continue;
      const file = this.open(day);
      if (file !== null) count += Math.max(0, file.rowAt('time', toMs) - file.rowAt('time', fromMs));
    }
    return count;
  }

  /** Returns rows up to the first missing id or day, because later rows would hide unknown trades. */
  read(instrument: Instrument, fromMs: number, toMs: number, limit: number): BarColumns {
    const rowColumns = emptyColumns(limit);
    let length = 0;
    let lastId = NaN;
    this.lastCount = 0;
    for (let timeMs = fromMs; timeMs < toMs && length < limit; timeMs = dayStart(dayOf(timeMs)) + DAY_MS) {
      const file = this.open(dayOf(timeMs));
      if (file === null) break;
      const from = file.rowAt('time', timeMs);
      const end = file.rowAt('time', toMs);
      const unitsPerPrice = pow10(Number(file.metadata.get('price_digits') ?? 0));
      for (let firstTrade = from; firstTrade < end; firstTrade += TRADES_PER_READ) {
        const count = Math.min(TRADES_PER_READ, end - firstTrade);
        const tradeTimeMs = new Float64Array(count);
        const tradeIds = new Float64Array(count);
        const priceUnits = new Float64Array(count);
        file.readTimes('time', firstTrade, tradeTimeMs);
        file.readFloats('id', firstTrade, tradeIds);
        file.readFloats('price_units', firstTrade, priceUnits);
        for (let trade = 0; trade < count; trade++) {
          const isNew = length === 0 || tradeTimeMs[trade]! !== rowColumns.openMs[length - 1]!;
          if (isNew && length === limit) break;
          if (tradeIds[trade]! - lastId > 1) return this.barsOfRows(rowColumns, length, instrument);
          lastId = tradeIds[trade]!;
          const tradePrice = priceUnits[trade]! / unitsPerPrice;
          if (isNew) {
            rowColumns.openMs[length] = tradeTimeMs[trade]!;
            rowColumns.open[length] = rowColumns.high[length] = rowColumns.low[length] = tradePrice;
            length++;
          }
          const row = length - 1;
          rowColumns.high[row] = Math.max(rowColumns.high[row]!, tradePrice);
          rowColumns.low[row] = Math.min(rowColumns.low[row]!, tradePrice);
          rowColumns.close[row] = tradePrice;
          this.lastCount++;
        }
        if (length === limit && tradeTimeMs[count - 1]! !== rowColumns.openMs[length - 1]!) break;
      }
    }
    return this.barsOfRows(rowColumns, length, instrument);
  }
  private barsOfRows(rowColumns: ReturnType<typeof emptyColumns>, length: number, instrument: Instrument): BarColumns {
    return barsOf(sliceColumns(rowColumns, 0, length), instrument, TRADE_ROWS);
  }

  /** Opens the file of a day, and closes the previous one. Null without a readable file. */
  private open(day: string): ArrowFile | null {
    if (this.current?.day === day) return this.current.file;
    const path = dayPath(this.folder, day);
    if (!existsSync(path)) return null;
    this.close();
    const handle = openSync(path, 'r');
    try {
      this.current = { day, file: new ArrowFile(path, handle, null), handle };
      return this.current.file;
    } catch {
      closeSync(handle);
      return null;
    }
  }

  close(): void {
    if (this.current !== null) closeSync(this.current.handle);
    this.current = null;
  }
}
