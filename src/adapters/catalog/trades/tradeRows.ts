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
const PART_TRADES = 32;

interface OpenDay {
  readonly day: string;
  readonly file: ArrowFile;
  readonly handle: number;
}

/** Opens the trades of an instrument. Null without trades in [fromMs, toMs). Checksums are not verified. */
export function openTradeRows(catalog: string, key: TradeKey, fromMs: number, toMs: number): RowReader | null {
  const folder = tradesFolder(catalog, key);
  if (!daysIn(folder).some((day) => dayStart(day) < toMs && dayStart(day) + DAY_MS > fromMs)) return null;
  const rows = new TradeRowReader(folder);
  if (rows.countBetween(fromMs, toMs) > 0) return rows;
  rows.close();
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
    const out = emptyColumns(limit);
    let length = 0;
    let lastId = NaN;
    this.lastCount = 0;
    for (let ms = fromMs; ms < toMs && length < limit; ms = dayStart(dayOf(ms)) + DAY_MS) {
      const file = this.open(dayOf(ms));
      if (file === null) break;
      const from = file.rowAt('time', ms);
      const end = file.rowAt('time', toMs);
      const unitsPerPrice = pow10(Number(file.metadata.get('price_digits') ?? 0));
      for (let first = from; first < end; first += PART_TRADES) {
        const count = Math.min(PART_TRADES, end - first);
        const time = new Float64Array(count);
        const id = new Float64Array(count);
        const price = new Float64Array(count);
        file.readTimes('time', first, time);
        file.readFloats('id', first, id);
        file.readFloats('price_units', first, price);
        for (let trade = 0; trade < count; trade++) {
          const isNew = length === 0 || time[trade]! !== out.openMs[length - 1]!;
          if (isNew && length === limit) break;
          if (id[trade]! - lastId > 1) return this.rows(out, length, instrument);
          lastId = id[trade]!;
          const value = price[trade]! / unitsPerPrice;
          if (isNew) {
            out.openMs[length] = time[trade]!;
            out.open[length] = out.high[length] = out.low[length] = value;
            length++;
          }
          const row = length - 1;
          out.high[row] = Math.max(out.high[row]!, value);
          out.low[row] = Math.min(out.low[row]!, value);
          out.close[row] = value;
          this.lastCount++;
        }
        if (length === limit && time[count - 1]! !== out.openMs[length - 1]!) break;
      }
    }
    return this.rows(out, length, instrument);
  }
  private rows(out: ReturnType<typeof emptyColumns>, length: number, instrument: Instrument): BarColumns {
    return barsOf(sliceColumns(out, 0, length), instrument, TRADE_ROWS);
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
