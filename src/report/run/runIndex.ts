// Finds the name, indicators, fills and orders of each instrument of a run. Built once for a page, because a run can have hundreds of
// instruments.

import type { FeedRecord, IndicatorTrace, RunRecord } from '../../model/run/run.ts';
import { RowsByCode } from '../kernels/rowsByCode.ts';
import { instrumentNames } from '../words/names.ts';

/** A run record with lookups by instrument. */
export class RunIndex {
  /** The record of the run. */
  readonly record: RunRecord;
  readonly #names: ReadonlyMap<string, string>;
  readonly #places: ReadonlyMap<string, number>;
  readonly #traces = new Map<string, IndicatorTrace[]>();
  #fills: RowsByCode | null = null;
  #orders: RowsByCode | null = null;

  constructor(record: RunRecord) {
    this.record = record;
    const ids = record.instruments.map(({ id }) => id);
    this.#names = instrumentNames(ids);
    // Reversed, so that the first of equal ids counts.
    this.#places = new Map(ids.map((id, place) => [id, place] as const).toReversed());
    for (const trace of record.indicators) {
      const { id } = record.feeds[trace.feed]!.bars.instrument;
      const traces = this.#traces.get(id);
      if (traces) traces.push(trace);
      else this.#traces.set(id, [trace]);
    }
  }

  /** Returns the position of an instrument in `RunRecord.instruments`. -1 when the run does not trade it. */
  placeOf(id: string): number {
    return this.#places.get(id) ?? -1;
  }
  /** Returns the name of an instrument on the page. */
  nameOf(id: string): string | undefined {
    return this.#names.get(id);
  }
  /** Returns the indicators of all feeds of the instrument of `feed`. */
  tracesOf({ bars }: FeedRecord): readonly IndicatorTrace[] {
    return this.#traces.get(bars.instrument.id) ?? [];
  }
  /** Returns the rows of the fills of an instrument, ascending. */
  fillsOf(instrumentIndex: number): Uint32Array {
    const { fills, instruments } = this.record;
    this.#fills ??= new RowsByCode(fills.instrument, fills.length, instruments.length);
    return this.#fills.of(instrumentIndex);
  }
  /** Returns the rows of the orders of an instrument, ascending. */
  ordersOf(instrumentIndex: number): Uint32Array {
    const { orders, instruments } = this.record;
    this.#orders ??= new RowsByCode(orders.instrument, orders.length, instruments.length);
    return this.#orders.of(instrumentIndex);
  }
}
