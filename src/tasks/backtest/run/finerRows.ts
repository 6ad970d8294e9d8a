// Finer bars of a run's instruments, or their trades, read only inside bars in which the order of events is unknown.

import type { RowReader } from '../../../adapters/catalog/bars/rowReader.ts';
import type { BarStore } from '../../../adapters/catalog/bars/barStore.ts';
import { openTradeRows } from '../../../adapters/catalog/trades/tradeRows.ts';
import { nestedIn } from '../../../model/bars/aggregateBars.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument, InstrumentId } from '../../../model/instrument.ts';
import type { FeedRecord, RunRecord } from '../../../model/run/run.ts';
import { executionFeeds } from '../../../report/series/daily.ts';
import type { FinerRows, RefinedRunRows } from '../../../report/envelope/terms.ts';

/** Rows read at a time. Most entries need only the first rows of the bar. */
const PART_ROWS = 8;
/** At most this fraction of the finer rows is read. What is still ambiguous then stays in the envelope. */
const MAX_READ = 0.1;
/** The part of it that entries may begin to read. The rest is for a lane, which reads the bars that they began further than they did. */
const MAX_BEGUN = 0.08;

/**
 * Returns the finest bars that the store has of each instrument, if they are finer than the bars that its orders matched; otherwise its
 * trades. Null if the store has neither for any instrument.
 */
export function finerRowsOf(store: BarStore, record: RunRecord): OpenFinerRows | null {
  const readers = new Map<InstrumentId, RowReader>();
  for (const feed of executionFeeds(record.feeds)) {
    const reader = finestReader(store, feed) ?? tradeReader(store, feed);
    if (reader !== null) readers.set(feed.bars.instrument.id, reader);
  }
  return readers.size === 0 ? null : new OpenFinerRows(readers, record);
}

/** Opens the finest bars of the same instrument that cover a part of the feed; null if there are none. */
function finestReader(store: BarStore, { bars, firstRow }: FeedRecord): RowReader | null {
  const { instrument, interval, openMs, closeMs, length } = bars;
  const market = { market: instrument.market, symbol: instrument.wireName };
  for (const finer of nestedIn(interval, store.intervalsOf(market)).toReversed()) {
    const key = { ...market, interval: finer };
    const facts = store.factsOf(key);
    // Resampled bars add no information.
    if (facts === null || !['import', 'synthetic'].includes(facts.source)) continue;
    if (facts.lastMs < openMs[firstRow]! || facts.firstMs >= closeMs[length - 1]!) continue;
    const reader = store.openRowReader(key);
    if (reader !== null) return reader;
  }
  return null;
}

/** Opens the trades of a feed's instrument. Null without a catalog or without rows. */
function tradeReader({ folder }: BarStore, { bars, firstRow }: FeedRecord): RowReader | null {
  const { instrument, openMs, closeMs, length } = bars;
  if (folder === null || firstRow >= length) return null;
  const key = { market: instrument.market, symbol: instrument.wireName };
  return openTradeRows(folder, key, openMs[firstRow]!, closeMs[length - 1]!);
}

/** Reads finer bars from files, and counts how many are read. */
export class OpenFinerRows implements FinerRows {
  readonly interval: string;
  readonly all: number;
  read = 0;
  private readonly readers: ReadonlyMap<InstrumentId, RowReader>;
  /** Rows read until now, by instrument and time. Each lane asks for the same ones. */
  private readonly parts = new Map<string, BarColumns>();
  /** By instrument and end of a bar: whether its rows decide it. A bar without a read row is absent. */
  private readonly decides = new Map<string, boolean>();
  /** Rows read of each bar. */
  private readonly readCountByBar = new Map<string, number>();

  constructor(readers: ReadonlyMap<InstrumentId, RowReader>, { fromMs, toMs }: RunRecord) {
    this.readers = readers;
    const all = [...readers.values()];
    this.interval = [...new Set(all.map(({ interval }) => interval))].join(', ');
    this.all = all.reduce((sum, reader) => sum + reader.countBetween(fromMs, toMs), 0);
  }

  next(instrument: Instrument, fromMs: number, toMs: number): BarColumns | null {
    const reader = this.readers.get(instrument.id);
    const place = `${instrument.id} ${fromMs}`;
    const cached = this.parts.get(place);
    if (cached !== undefined) return cached;
    if (reader === undefined || this.read + PART_ROWS > this.all * MAX_BEGUN) return null;
    const bar = barKey(instrument, toMs);
    if (!this.decides.has(bar)) this.decides.set(bar, true);
    return this.readPart(reader, instrument, place, fromMs, toMs);
  }

  reject(instrument: Instrument, toMs: number): void {
    this.decides.set(barKey(instrument, toMs), false);
  }

  /**
   * A bound run reads on only in bars that entries needed, and is cut off where that would be too much. Another run takes such a bar as it is,
   * and a bar that no entry needed too, unless all of its rows may be read.
   */
  forRefinedRun(isBound: boolean): RefinedRunRows {
    const chosen = new Map<string, boolean>();
    const isChosen = (reader: RowReader, bar: string, fromMs: number, toMs: number): boolean => {
      const isNeeded = this.decides.get(bar);
      if (isBound || isNeeded === false) return isNeeded === true;
      return this.read + reader.countBetween(fromMs, toMs) - (this.readCountByBar.get(bar) ?? 0) <= this.all * MAX_READ;
    };
    const rows = {
      isCutOff: false,
      next: (instrument: Instrument, fromMs: number, toMs: number): BarColumns | null => {
        const reader = this.readers.get(instrument.id);
        if (reader === undefined) return null;
        const bar = barKey(instrument, toMs);
        if (!chosen.has(bar)) chosen.set(bar, isChosen(reader, bar, fromMs, toMs));
        if (chosen.get(bar) !== true) return null;
        const place = `${instrument.id} ${fromMs}`;
        const cached = this.parts.get(place);
        if (cached !== undefined) return cached;
        if (isBound && this.read + PART_ROWS > this.all * MAX_READ) {
          rows.isCutOff = true;
          return null;
        }
        return this.readPart(reader, instrument, place, fromMs, toMs);
      },
    };
    return rows;
  }

  /** Reads the finer rows inside a bar, and counts them. */
  private readPart(reader: RowReader, instrument: Instrument, place: string, fromMs: number, toMs: number): BarColumns {
    const rows = reader.read(instrument, fromMs, toMs, PART_ROWS);
    const count = reader.lastCount ?? rows.length;
    const bar = barKey(instrument, toMs);
    this.read += count;
    this.readCountByBar.set(bar, (this.readCountByBar.get(bar) ?? 0) + count);
    this.parts.set(place, rows);
    return rows;
  }

  close(): void {
    for (const reader of this.readers.values()) reader.close();
  }
}

function barKey({ id }: Instrument, toMs: number): string {
  return `${id} ${toMs}`;
}
