// Lists the supported formats of bar files by their names in --format, and detects the format of a file.

import { ConfigError } from '../../../base/errors.ts';

/** The formats that an import reads (docs/data.md). */
export const FORMATS = ['csv', 'binance', 'cryptodatadownload', 'json', 'feather', 'parquet'] as const;
/**
 * `csv`: a header that names the columns. `binance`: the columns of its public data, with or without header. `cryptodatadownload`: a line
 * with its address, then a header. `json`: the venue's klines. `feather`: an Arrow file. `parquet`: a Parquet file.
 */
export type BarFormat = (typeof FORMATS)[number];

/** The remedy for a file in no known format. */
export const FORMATS_REMEDY = 'docs/data.md shows what isobar reads; --format names one';

/** JSON begins with `[` or `{`. */
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
const RETURN = 0x0d;
const NEWLINE = 0x0a;
const SPACES = new Set([0x20, 0x09, RETURN, NEWLINE]);

/** Files of columns, which are read from the disk and never packed. */
export type TableFormat = 'feather' | 'parquet';

/** True for formats with typed columns, which are not text. */
export function isTableFormat(format: string): format is TableFormat {
  return format === 'feather' || format === 'parquet';
}

/** Formats that isobar does not read, by the first bytes of a file. */
const UNSUPPORTED: readonly { readonly magic: string; readonly description: string; readonly remedy: string }[] = [
  {
    magic: '\xff\xff\xff\xff',
    description: 'an Arrow stream, which isobar does not read',
    remedy: 'write an Arrow file: to_feather(file) of pandas',
  },
  { magic: 'PARE', description: 'an encrypted Parquet file', remedy: 'write it without encryption' },
  {
    magic: 'FEA1',
    description: 'a Feather file of version 1, which isobar does not read',
    remedy: 'write it with version 2: to_feather(file) of pandas 1.1 or later',
  },
  { magic: 'SQLite f', description: 'a database, not a file of bars', remedy: 'export its bars as CSV' },
  { magic: '\x28\xb5\x2f\xfd', description: 'zstd data', remedy: 'unpack it: unzstd FILE' },
  { magic: 'BZh', description: 'bzip2 data', remedy: 'unpack it: bunzip2 FILE' },
  { magic: '\xfd7zXZ', description: 'xz data', remedy: 'unpack it: unxz FILE' },
  { magic: '\xff\xfe', description: 'text in UTF-16', remedy: 'save it as UTF-8' },
  { magic: '\xfe\xff', description: 'text in UTF-16', remedy: 'save it as UTF-8' },
];

/** Returns the kind of a file from its first bytes. Throws ConfigError for unsupported content. */
export function formatOf(head: Uint8Array, file: string): 'text' | 'json' | TableFormat {
  const start = new TextDecoder('latin1').decode(head.subarray(0, 8));
  if (start.startsWith('ARROW1')) return 'feather';
  if (start.startsWith('PAR1')) return 'parquet';
  const unsupported = UNSUPPORTED.find(({ magic }) => start.startsWith(magic));
  if (unsupported) throw new ConfigError(`${file}: ${unsupported.description}`, unsupported.remedy);
  if (head.subarray(0, 1000).includes(0)) throw new ConfigError(`${file}: neither text nor an Arrow or Parquet file`, FORMATS_REMEDY);
  const firstByte = head.subarray(withoutMark(head)).find((byte) => !SPACES.has(byte));
  return firstByte === OPENING_BRACKET || firstByte === OPENING_BRACE ? 'json' : 'text';
}

/** Returns the start of the text, after a UTF-8 byte order mark if there is one. */
export function withoutMark(head: Uint8Array): number {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}
