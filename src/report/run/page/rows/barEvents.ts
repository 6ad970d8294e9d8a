// Unpacks the orders and fills of the page, and finds those of one bar.

import { unpackWide } from '../../../page/browser/unpack.ts';
import { BAR_FILL_COLUMNS, BAR_ORDER_COLUMNS, type PackedColumn, type WireBarEvents } from '../../../page/wire.ts';

type EventColumnsOf<Names extends readonly string[]> = { readonly [Name in Names[number]]: Float64Array };

/** All orders and fills of the run as columns. */
export interface BarEventRows {
  readonly texts: readonly string[];
  readonly orders: EventColumnsOf<typeof BAR_ORDER_COLUMNS>;
  readonly fills: EventColumnsOf<typeof BAR_FILL_COLUMNS>;
}

/** The rows of the orders and fills of one bar. */
export interface EventsOfBar {
  /** Orders that were decided at its close, or created inside it. */
  readonly decided: readonly number[];
  /** Fills inside it. */
  readonly fills: readonly number[];
  /** Earlier orders that ended inside it without a fill. */
  readonly ended: readonly number[];
}

/** Unpacks all columns. */
export async function unpackBarEvents({ texts, orders, fills }: WireBarEvents): Promise<BarEventRows> {
  return { texts, orders: await unpackAll(BAR_ORDER_COLUMNS, orders), fills: await unpackAll(BAR_FILL_COLUMNS, fills) };
}

/** Unpacks columns by their names. */
async function unpackAll<Names extends readonly string[]>(
  names: Names,
  columns: { readonly [Name in Names[number]]: PackedColumn },
): Promise<EventColumnsOf<Names>> {
  const unpacked = await Promise.all(names.map(async (name: Names[number]) => [name, await unpackWide(columns[name])] as const));
  // The type of the keys is lost in Object.fromEntries, so it is asserted.
  return Object.fromEntries(unpacked) as EventColumnsOf<Names>;
}

/** Returns the orders and fills of an instrument in the bar from `openMs` to `closeMs`. */
export function eventsOfBar({ orders, fills }: BarEventRows, instrumentIndex: number, openMs: number, closeMs: number): EventsOfBar {
  /** True for a time in the bar. An event inside a bar belongs to it up to its close, and an event at an open belongs to the bar that opens. */
  const isIn = (ms: number, isMidBar: number): boolean => (isMidBar === 1 ? ms > openMs && ms <= closeMs : ms >= openMs && ms < closeMs);
  const firstId = orders.id[0] ?? 1;
  const decided: number[] = [];
  const ended: number[] = [];
  for (let row = 0; row < orders.id.length; row++) {
    if (orders.instrument[row] !== instrumentIndex) continue;
    if (isIn(orders.createdMs[row]!, orders.isMidBar[row]!)) decided.push(row);
    else if (orders.filledLots[row] === 0 && isIn(orders.doneMs[row]!, 1)) ended.push(row);
  }
  const filled: number[] = [];
  for (let row = 0; row < fills.order.length; row++) {
    const isOfInstrument = orders.instrument[fills.order[row]! - firstId] === instrumentIndex;
    if (isOfInstrument && isIn(fills.timeMs[row]!, fills.isMidBar[row]!)) filled.push(row);
  }
  return { decided, fills: filled, ended };
}
