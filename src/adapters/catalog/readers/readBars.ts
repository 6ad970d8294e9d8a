// Reads one file of bars in any supported format. The format is detected from the content unless it is given.

import { ConfigError } from '../../../base/errors.ts';
import { CsvFile } from './csvFile.ts';
import type { LayoutRules } from './csvLayout.ts';
import { readTable } from './tableRows.ts';
import { formatOf, isTableFormat, type BarFormat } from '../rows/formats.ts';
import { KlinesJson } from './klinesJson.ts';
import { inspectFile, openPacked, unpackError } from './packedFile.ts';
import type { ParsedFile, RowRules } from '../rows/rowCollector.ts';

/** Receives the number of rows read, and the fraction of the file (0 to 1). */
export type ReadProgress = (rows: number, share: number) => void;

/** The rules by which a file of bars is read. */
export interface ReadRules extends RowRules, LayoutRules {}

/** The rows of a file of bars, and its format. */
export interface BarFile extends ParsedFile {
  readonly format: BarFormat;
}

/** Reads all rows of the file. Throws ConfigError with file, line and column at the first bad row. */
export async function readBarFile(path: string, rules: ReadRules, onProgress: ReadProgress = () => {}): Promise<BarFile> {
  const head = inspectFile(path);
  const format = head.packing === 'none' ? formatOf(head.bytes, path) : 'text';
  if (isTableFormat(format)) {
    checkFormat(format, rules);
    return { ...(await readTable(path, format, rules, onProgress)), format };
  }
  const { chunks, share } = openPacked(path, head);
  let reader: CsvFile | KlinesJson | null = null;
  try {
    for await (const chunk of chunks) {
      reader ??= readerOf(chunk, path, rules);
      reader.addChunk(chunk);
      onProgress(reader.rowsTaken, share());
    }
  } catch (error) {
    throw unpackError(path, head, reader?.reached ?? 'nothing', error);
  }
  if (reader === null) throw new ConfigError(`${path}: the file is empty`, 'fetch the file again');
  const parsed = reader.finish();
  return { ...parsed, format: reader.format };
}

/** Returns the reader for a text file that begins with `chunk`. */
function readerOf(chunk: Uint8Array, path: string, rules: ReadRules): CsvFile | KlinesJson {
  const format = formatOf(chunk, path);
  if (isTableFormat(format)) throw new ConfigError(`${path}: an Arrow or Parquet file that is packed`, 'unpack it first');
  if (format === 'text') {
    if (rules.format === 'json' || (rules.format !== null && isTableFormat(rules.format))) checkFormat('csv', rules);
    return new CsvFile(rules);
  }
  checkFormat('json', rules);
  return new KlinesJson(rules);
}

/** Throws ConfigError if another format was requested than the file has. */
function checkFormat(detected: BarFormat, { format, file }: ReadRules): void {
  if (format === null || format === detected) return;
  throw new ConfigError(`${file}: expected the format ${format}, got what looks like ${detected}`, 'leave out --format, or correct it');
}
