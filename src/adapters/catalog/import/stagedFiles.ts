// Keeps the files that an import has read until their set is stored, so that an interrupted or failed import can resume.

import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { bytesOf, writeArrowColumns } from '../arrow/arrowWriter.ts';
import { withArrowFile } from '../arrow/arrowReader.ts';
import { emptyColumns, RAW, type RawColumns } from '../files/columns.ts';
import { removeEmptyFolder } from '../files/leftovers.ts';
import { FORMATS } from '../rows/formats.ts';
import type { BarFile, ReadRules } from '../readers/readBars.ts';

/** Version of staged files. Raise it with every change of the content or its format. */
const VERSION = 2;
/** Columns of a staged file, in the order of RAW. */
const COLUMN_NAMES = ['open_time', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Returns the path in `folder` for the content `sha256` as read by these rules. */
export function stagedPath(folder: string, sha256: string, rules: ReadRules): string {
  const { interval, priceDigits, roundToTick, skipBad, baseAsset, format } = rules;
  const id = JSON.stringify([VERSION, sha256, interval, priceDigits, roundToTick, skipBad, baseAsset, format]);
  return join(folder, `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.arrow`);
}

/** Writes the content of a file that was read. */
export function writeStaged(path: string, { columns, lines, ...rest }: BarFile): void {
  const metadata = { ...rest, roundedMs: [...rest.roundedMs], sha256: hashOf(columns, lines) };
  const numbers = COLUMN_NAMES.map((name, i) => ({
    name,
    kind: i === 0 ? ('timestamp' as const) : ('float64' as const),
    values: columns[RAW[i]!],
  }));
  writeArrowColumns(path, [...numbers, { name: 'line', kind: 'int32', values: lines }], { isobar_staged: JSON.stringify(metadata) });
}

/** Returns the staged content; null if the file is missing or has changed. Then the original must be read. */
export function readStaged(path: string): BarFile | null {
  if (!existsSync(path)) return null;
  try {
    return withArrowFile(path, (file) => {
      const columns = emptyColumns(file.rows);
      file.readTimes('open_time', 0, columns.openMs);
      for (const [i, name] of COLUMN_NAMES.entries()) if (i > 0) file.readFloats(name, 0, columns[RAW[i]!]);
      const lines = new Int32Array(file.rows);
      file.readInts('line', 0, lines);
      const metadata: unknown = JSON.parse(file.metadata.get('isobar_staged') ?? 'null');
      if (!isStagedMeta(metadata) || metadata.sha256 !== hashOf(columns, lines)) return null;
      const { seen, repeats, rejects, format } = metadata;
      return { columns, lines, seen, repeats, rejects, format, roundedMs: Float64Array.from(metadata.roundedMs) };
    });
  } catch (error) {
    if (error instanceof ConfigError || error instanceof SyntaxError) return null;
    throw error;
  }
}

type StagedMeta = Omit<BarFile, 'columns' | 'lines' | 'roundedMs'> & { readonly roundedMs: readonly number[]; readonly sha256: string };

/** True for metadata of a staged file. The hash protects the columns. The version in the name protects the other members. */
function isStagedMeta(value: unknown): value is StagedMeta {
  return (
    typeof value === 'object' && value !== null && 'format' in value && FORMATS.some((name) => name === value.format) && 'sha256' in value
  );
}

function hashOf(columns: RawColumns, lines: Int32Array): string {
  const hash = createHash('sha256');
  for (const values of [...RAW.map((name) => columns[name]), lines]) hash.update(bytesOf(values, 0, values.length));
  return hash.digest('hex');
}

/** Removes the staged files in `folder`, and its parent in the catalog if empty. */
export function clearStaging(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  removeEmptyFolder(dirname(folder));
}
