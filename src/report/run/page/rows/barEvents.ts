// The orders and fills of the page as columns, and those that belong to one bar.

import { unpackWide } from '../../../page/browser/unpack.ts';
import { BAR_FILL_COLUMNS, BAR_ORDER_COLUMNS, type PackedColumn, type WireBarEvents } from '../../../page/wire.ts';

type Columns<Names extends readonly string[]> = { readonly [Name in Names[number]]: Float64Array };

export interface BarEventRows {
  readonly texts: readonly string[];
  readonly orders: Columns<typeof BAR_ORDER_COLUMNS>;
  readonly fills: Columns<typeof BAR_FILL_COLUMNS>;
}

/** Rows of what happened in a bar. */
export interface EventsOfBar {
  /** Orders that were decided at its close, or made while it ran. */
  readonly decided: readonly number[];
  /** Fills inside it. */
  readonly fills: readonly number[];
  /** Orders decided earlier that ended in it without a fill. */
  readonly ended: readonly number[];
}

export async function unpackBarEvents({ texts, orders, fills }: WireBarEvents): Promise<BarEventRows> {
  return { texts, orders: await unpackAll(BAR_ORDER_COLUMNS, orders), fills: await unpackAll(BAR_FILL_COLUMNS, fills) };
}

async function unpackAll<Names extends readonly string[]>(
  names: Names,
  columns: { readonly [Name in Names[number]]: PackedColumn },
): Promise<Columns<Names>> {
  const unpacked = await Promise.all(names.map(async (name: Names[number]) => [name, await unpackWide(columns[name])] as const));
  // The keys are the names. TypeScript loses them in Object.fromEntries.
  return Object.fromEntries(unpacked) as Columns<Names>;
}

/** Returns what happened to orders of an instrument in the bar from `openMs` to `closeMs`. */
export function eventsOfBar({ orders, fills }: BarEventRows, instrument: number, openMs: number, closeMs: number): EventsOfBar {
  const isIn = (ms: number, isMidBar: number): boolean => (isMidBar === 1 ? ms > openMs && ms <= closeMs : ms >= openMs && ms < closeMs);
  const first = orders.id[0] ?? 1;
  const decided: number[] = [];
  const ended: number[] = [];
  for (let row = 0; row < orders.id.length; row++) {
    if (orders.instrument[row] !== instrument) continue;
    if (isIn(orders.createdMs[row]!, orders.isMidBar[row]!)) decided.push(row);
    else if (orders.filledLots[row] === 0 && isIn(orders.doneMs[row]!, 1)) ended.push(row);
  }
  const found: number[] = [];
  for (let row = 0; row < fills.order.length; row++) {
    if (isIn(fills.timeMs[row]!, fills.isMidBar[row]!) && orders.instrument[fills.order[row]! - first] === instrument) found.push(row);
  }
  return { decided, fills: found, ended };
}
