// Finds what belongs to each instrument of a run. Made once for a page, because a run can have hundreds of instruments.

import type { FeedRecord, IndicatorTrace, RunRecord } from '../../model/run/run.ts';
import { RowsByCode } from '../kernels/rowsByCode.ts';
import { instrumentNames } from '../words/names.ts';

export class RunIndex {
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
    // The first of equal ids counts.
    this.#places = new Map(ids.map((id, at) => [id, at] as const).toReversed());
    for (const trace of record.indicators) {
      const { id } = record.feeds[trace.feed]!.bars.instrument;
      const known = this.#traces.get(id);
      if (known) known.push(trace);
      else this.#traces.set(id, [trace]);
    }
  }

  /** Returns the position of an instrument in `RunRecord.instruments`; -1 if no order can be for it. */
  placeOf(id: string): number {
    return this.#places.get(id) ?? -1;
  }
  nameOf(id: string): string | undefined {
    return this.#names.get(id);
  }
  /** Returns the indicators of all feeds of the instrument of `feed`. */
  tracesOf({ bars }: FeedRecord): readonly IndicatorTrace[] {
    return this.#traces.get(bars.instrument.id) ?? [];
  }
  /** Returns the rows of the fills of an instrument, ascending. */
  fillsOf(instrument: number): Uint32Array {
    const { fills, instruments } = this.record;
    this.#fills ??= new RowsByCode(fills.instrument, fills.length, instruments.length);
    return this.#fills.of(instrument);
  }
  /** Returns the rows of the orders of an instrument, ascending. */
  ordersOf(instrument: number): Uint32Array {
    const { orders, instruments } = this.record;
    this.#orders ??= new RowsByCode(orders.instrument, orders.length, instruments.length);
    return this.#orders.of(instrument);
  }
}
