// Unpacks the closed trades of the page, and finds those that a chart shows.

import { unpackWide } from '../../../page/browser/unpack.ts';
import { NOT_RECORDED, TRADE_COLUMNS, type TradeColumnName, type WireTrades } from '../../../page/wire.ts';

/** Closed trades as columns, in closing order. */
export interface UnpackedTrades {
  readonly length: number;
  readonly tags: readonly string[];
  /** Integers as packed, with the digits given in wire.ts. NaN where nothing was recorded. */
  readonly of: { readonly [name in TradeColumnName]: Float64Array };
}

/** Unpacks all columns of trades. */
export async function unpackTrades({ length, tags, columns }: WireTrades): Promise<UnpackedTrades> {
  const unpacked = await Promise.all(
    TRADE_COLUMNS.map(
      async (name) => [name, (await unpackWide(columns[name])).map((value) => (value === NOT_RECORDED ? Number.NaN : value))] as const,
    ),
  );
  // The type of the keys is lost in Object.fromEntries, so it is asserted.
  return { length, tags, of: Object.fromEntries(unpacked) as UnpackedTrades['of'] };
}

/** Returns the rows of the trades of each instrument, in closing order. */
export function rowsByInstrument({ of, length }: UnpackedTrades, instruments: number): number[][] {
  const rows: number[][] = Array.from({ length: instruments }, () => []);
  for (let row = 0; row < length; row++) rows[of.instrument[row]!]?.push(row);
  return rows;
}

/** Returns the trades among `rows` (in closing order) that were open at some time from `from` to `to`. */
export function rowsWithin({ of }: UnpackedTrades, rows: readonly number[], from: number, to: number): number[] {
  const exitMsAt = (index: number) => of.exitMs[rows[index]!]!;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (exitMsAt(middle) < from) low = middle + 1;
    else high = middle;
  }
  const within: number[] = [];
  for (let index = low; index < rows.length; index++) {
    const row = rows[index]!;
    if (of.entryMs[row]! <= to) within.push(row);
  }
  return within;
}
