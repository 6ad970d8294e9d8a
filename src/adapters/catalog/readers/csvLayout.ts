// Detects the columns of a text file from its first line.

import { ConfigError } from '../../../base/errors.ts';
import { FORMATS_REMEDY, type BarFormat } from '../rows/formats.ts';
import type { Columns } from '../rows/textRows.ts';

/** isobar's own layout. */
export const BAR_CSV_HEADER = 'open_time_ms,open,high,low,close,volume';
const MARK_PRICE_HEADER = 'open_time_ms,open,high,low,close';
const OWN_NAMES = BAR_CSV_HEADER.split(',');
/** Indices of time, open, high, low, close and volume in a layout that begins with these columns. */
const FIRST_SIX = [0, 1, 2, 3, 4, 5] as const;
/** Binance's public data: the columns of a file without header. */
const BINANCE_COLUMNS =
  'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore'.split(',');
/**
 * Names of time columns, without case and punctuation. The first one in this list counts. A date comes last, because it may lack the hour.
 */
const TIME_NAMES = ['opentimems', 'opentime', 'unix', 'unixtimestamp', 'timestamp', 'idx', 'time', 'datetime', 'date'];
const VOLUME_NAMES = ['volume', 'vol', 'basevolume'];
const SYMBOL_NAMES = ['symbol', 'ticker', 'pair'];

/** The layout of a CSV file, found by its first line. */
export interface CsvLayout extends Columns {
  readonly format: Extract<BarFormat, 'csv' | 'binance' | 'cryptodatadownload'>;
  /** True if the line is already a row. */
  readonly isRow: boolean;
}

/** What the caller knows about the layout of a file; null: unknown. */
export interface LayoutRules {
  /** The asset whose volume counts if columns name one: `Volume BTC`. */
  readonly baseAsset: string | null;
  readonly format: BarFormat | null;
}

/** True for a web address, with which CryptoDataDownload files begin. */
export function isAddress(text: string): boolean {
  return /^"?https?:\/\//i.test(text);
}

/** Returns the layout whose first line is `text`, at `place`. `isAfterAddress`: a line with an address came first. Throws ConfigError. */
export function layoutOf(text: string, place: string, rules: LayoutRules, isAfterAddress: boolean): CsvLayout {
  const layout = findLayout(text, place, rules, isAfterAddress);
  const { format } = rules;
  // `csv` covers any file with a header; the other names are for special layouts.
  if (format === null || format === layout.format || (format === 'csv' && !layout.isRow)) return layout;
  throw new ConfigError(
    `${place}: expected the format ${format}, got what looks like ${layout.format}`,
    'leave out --format, or correct it',
  );
}

/** Returns the layout by the first line of a file. Throws ConfigError for a line of no known layout. */
function findLayout(text: string, place: string, rules: LayoutRules, isAfterAddress: boolean): CsvLayout {
  if (text === BAR_CSV_HEADER) return { ...columnsAt(FIRST_SIX, OWN_NAMES, { isStrict: true }), format: 'csv', isRow: false };
  if (text === MARK_PRICE_HEADER)
    throw new ConfigError(`${place}: mark-price klines without volume are not bars`, 'import the klines of trades');
  const cells = text.split(',').map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );
  const isRow = /^\d+$/.test(cells[0] ?? '');
  if (isRow && (cells.length === BINANCE_COLUMNS.length || (rules.format === 'binance' && cells.length >= 6))) {
    const names = cells.map((_, i) => BINANCE_COLUMNS[i] ?? `column ${i + 1}`);
    return { ...columnsAt(FIRST_SIX, names), format: 'binance', isRow };
  }
  if (isRow) {
    const expected = `a header, or the ${BINANCE_COLUMNS.length} columns of Binance's public data`;
    throw new ConfigError(`${place}: expected ${expected}, got a row of ${cells.length}`, `put a header on top: ${BAR_CSV_HEADER}`);
  }
  return namedLayout(cells, { text, place }, rules, isAfterAddress);
}

/** Returns the layout of a header that names the columns in any order, possibly among others. */
function namedLayout(
  cells: readonly string[],
  { text, place }: { readonly text: string; readonly place: string },
  { baseAsset }: LayoutRules,
  isAfterAddress: boolean,
): CsvLayout {
  const names = cells.map((cell) => cell.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
  const indexOfAny = (candidates: readonly string[]) => candidates.map((name) => names.indexOf(name)).find((index) => index >= 0) ?? -1;
  // pandas writes an index column without a name.
  const timeIndex = indexOfAny([...TIME_NAMES, ...(names[0] === '' ? [''] : [])]);
  const priceIndices = ['open', 'high', 'low', 'close'].map((name) => indexOfAny([name]));
  const missing = ['time', 'open', 'high', 'low', 'close'].find((_, i) => [timeIndex, ...priceIndices][i]! < 0);
  if (missing !== undefined) {
    if (!text.includes(',') && /[;\t]/.test(text)) throw wrongSeparator(text, place);
    throw unknownHeader(text, place, `no column ${missing}`);
  }
  const assetVolumeIndices = names.flatMap((name, i) => (/^volume./.test(name) ? [i] : []));
  const volumeIndex = indexOfAny([...VOLUME_NAMES, ...(baseAsset === null ? [] : [`volume${baseAsset.toLowerCase()}`])]);
  if (volumeIndex < 0 && assetVolumeIndices.length > 0) {
    const found = assetVolumeIndices.map((i) => JSON.stringify(cells[i])).join(', ');
    throw new ConfigError(`${place}: expected the volume of ${baseAsset ?? 'the base asset'}, got ${found}`, 'name the symbol by --symbol');
  }
  if (volumeIndex < 0) throw unknownHeader(text, place, 'no column volume');
  const repeatedIndex = [timeIndex, ...priceIndices, volumeIndex].find((index) => names.lastIndexOf(names[index]!) !== index);
  if (repeatedIndex !== undefined) {
    throw new ConfigError(`${place}: expected one column ${names[repeatedIndex]}, got several`, 'give each column a name of its own');
  }
  const isDownload = isAfterAddress || (assetVolumeIndices.includes(volumeIndex) && names.includes('symbol'));
  const isBinance = BINANCE_COLUMNS.every((name, i) => name.replaceAll('_', '') === names[i]);
  const headerFormat = isBinance ? 'binance' : 'csv';
  const format = isDownload ? 'cryptodatadownload' : headerFormat;
  const symbolIndex = indexOfAny(SYMBOL_NAMES);
  const symbol = symbolIndex < 0 ? null : { index: symbolIndex, name: cells[symbolIndex]! };
  return { ...columnsAt([timeIndex, ...priceIndices, volumeIndex], cells), symbol, format, isRow: false };
}

/** Returns the columns of a file. `positions` are those of time, open, high, low, close and volume. `names` are all columns of the file. */
function columnsAt(positions: readonly number[], names: readonly string[], { isStrict } = { isStrict: false }): Columns {
  const slotOfColumn = new Int8Array(names.length).fill(-1);
  for (const [slot, position] of positions.entries()) slotOfColumn[position] = slot;
  return { slots: slotOfColumn, names: positions.map((position) => names[position]! || 'time'), symbol: null, strict: isStrict };
}

/** Returns the error for columns that are separated by semicolons or tabs. */
function wrongSeparator(text: string, place: string): ConfigError {
  const found = text.includes(';') ? 'semicolons' : 'tabs';
  return new ConfigError(
    `${place}: expected commas between the columns, got ${found}`,
    'save it with commas between columns and points in numbers',
  );
}

function unknownHeader(text: string, place: string, missing: string): ConfigError {
  const headerText = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
  return new ConfigError(`${place}: expected the header ${BAR_CSV_HEADER}, got ${headerText}: ${missing}`, FORMATS_REMEDY);
}
