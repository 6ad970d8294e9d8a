// The closed trades of the page as columns, and the trades that a chart shows.

import { unpackWide } from '../../../page/browser/unpack.ts';
import { NOT_RECORDED, TRADE_COLUMNS, type TradeColumnName, type WireTrades } from '../../../page/wire.ts';

export interface TradeRows {
  readonly length: number;
  readonly tags: readonly string[];
  /** Integers as packed, with the digits given in wire.ts. NaN where nothing was recorded. */
  readonly of: { readonly [name in TradeColumnName]: Float64Array };
}

export async function unpackTrades({ length, tags, columns }: WireTrades): Promise<TradeRows> {
  const unpacked = await Promise.all(
    TRADE_COLUMNS.map(
      async (name) => [name, (await unpackWide(columns[name])).map((value) => (value === NOT_RECORDED ? Number.NaN : value))] as const,
    ),
  );
  // The keys are those of TRADE_COLUMNS. TypeScript loses them in Object.fromEntries.
  return { length, tags, of: Object.fromEntries(unpacked) as TradeRows['of'] };
}

/** Returns the rows of the trades of each instrument, in closing order. */
export function rowsByInstrument({ of, length }: TradeRows, instruments: number): number[][] {
  const rows: number[][] = Array.from({ length: instruments }, () => []);
  for (let row = 0; row < length; row++) rows[of.instrument[row]!]?.push(row);
  return rows;
}

/** Returns those of `rows` (in closing order) that are open at some time from `from` to `to`. */
export function rowsWithin({ of }: TradeRows, rows: readonly number[], from: number, to: number): number[] {
  const exits = { length: rows.length, at: (k: number) => of.exitMs[rows[k]!]! };
  let low = 0;
  let high = exits.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (exits.at(middle) < from) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let k = low; k < rows.length; k++) {
    const row = rows[k]!;
    if (of.entryMs[row]! <= to) found.push(row);
  }
  return found;
}
